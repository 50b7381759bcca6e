#include "guesser.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pulse.hpp"

namespace mines {
namespace {

// Differences in probability below this are rounding.
constexpr double kTie = 1e-9;
// How much less safe than the safest cell a cell may be to be chosen for the progress that it brings.
constexpr double kNearlySafest = 0.03;
// The endgame is searched from so many layouts down, and in full from the smaller number down.
constexpr std::size_t kMostLayouts = 10'000;
constexpr std::size_t kFullySearched = 500;
constexpr std::int64_t kMostNodes = 50'000;
// The quick player never searches selectively.
constexpr std::int64_t kMostNodesQuick = 10'000;
// Who is looked at twice: candidates that come this close to the best one, and the safest replies.
constexpr double kLeader = 0.95;
constexpr std::size_t kMostLeaders = 6;
constexpr std::size_t kMostReplies = 6;
// What the champion holds against a clue after which logic goes on, divided by one more than the cells it finds at
// once: a few cells are soon opened, and then comes another guess.
constexpr double kHaste = 0.05;
constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
// For weighing every cell exactly.
constexpr std::size_t kMostWeighed = 1'000;
constexpr std::int64_t kMostNodesWeighed = 400'000;

// Where nothing tells the layouts apart, which logic would have seen, a search over them may name any cell as the best.
bool may_be_safe(const Grid& grid, Index cell, double safety) { return grid.state[cell] == kUnknown && safety > kTie; }

bool better(const Candidate& a, const Candidate& b) { return a.value > b.value + kTie; }

}  // namespace

bool Guesser::choose(const Grid& grid) {
    candidates_.clear();
    counted_ = decided_ = solved_ = solved_all_ = false;
    if (strategy_ == Strategy::champion && SmallBoard::fits(grid) && small_board_.solve(grid) &&
        may_be_safe(grid, small_board_.cell(), small_board_.safety())) {
        candidates_.push_back({small_board_.cell(), small_board_.safety(), 0, small_board_.value()});
        counted_ = decided_ = solved_ = solved_all_ = true;
        return true;
    }
    haste_ = 0;
    const Fit fit = position_.look(grid);
    if (fit == Fit::none) return false;
    counted_ = fit == Fit::ok;
    if (counted_) {
        list_candidates(position_, candidates_);
        if (!candidates_.empty()) rank_candidates();
    } else {
        fallback(grid);
    }
    return !candidates_.empty() && candidates_.front().safety > 0;
}

void Guesser::rank_candidates() {
    switch (strategy_) {
        case Strategy::safest:
            break;
        case Strategy::progress:
            seek_progress();
            break;
        case Strategy::champion:
            if (solve_endgame(kMostLayouts, kMostNodes)) return;
            haste_ = kHaste;
            look_ahead(position_, candidates_);
            compare_leaders();
            break;
        case Strategy::quick:
            if (solve_endgame(kFullySearched, kMostNodesQuick)) return;
            haste_ = kHaste;
            look_ahead(position_, candidates_);
            break;
        case Strategy::lookahead:
            look_ahead(position_, candidates_);
            break;
    }
}

// Cells of the open sea are alike for this guess and the next if they have as many unknown neighbours; unless all cells
// are wanted, one of a kind is listed.
void Guesser::list_candidates(const Position& position, std::vector<Candidate>& out, bool one_of_a_kind) {
    const Grid& grid = position.grid();
    out.clear();
    bool seen_sea[kNeighbours + 1] = {};
    for (Index cell = 0; cell < grid.size(); ++cell) {
        if (grid.state[cell] != kUnknown || position.mine(cell) > 1 - kTie || !position.in_focus(cell)) continue;
        if (position.part_of(cell) < 0) {
            bool open_sea = one_of_a_kind;
            for (unsigned bits = grid.mask[cell]; bits != 0; bits &= bits - 1)
                open_sea &= position.part_of(cell + grid.step[lowest_bit(bits)]) < 0;
            const int neighbours = popcount(grid.mask[cell]);
            if (open_sea && seen_sea[neighbours]) continue;
            if (open_sea) seen_sea[neighbours] = true;
        }
        const double safety = 1 - position.mine(cell);
        out.push_back({cell, safety, 0, safety});
    }
    sort_by_value(out);
}

void Guesser::sort_by_value(std::vector<Candidate>& candidates) {
    std::stable_sort(candidates.begin(), candidates.end(), better);
}

void Guesser::seek_progress() {
    const double least = candidates_.front().safety * (1 - kNearlySafest) - kTie;
    std::size_t count = 0;
    while (count < candidates_.size() && candidates_[count].safety >= least) ++count;
    candidates_.resize(count);
    if (count == 1) return;
    for (Candidate& candidate : candidates_) {
        position_.suppose(candidate.cell, prospects_);
        for (const Prospect& prospect : prospects_)
            if (prospect.safe_cells > 0) candidate.progress += prospect.chance;
        candidate.value = candidate.progress;
    }
    sort_by_value(candidates_);
}

// Solve the rest of the game, or of what is in focus, if few layouts are left.
bool Guesser::solve_endgame(std::size_t most_layouts, std::int64_t most_nodes) {
    if (position_.focus_log_layouts() > std::log(static_cast<double>(most_layouts)) + kTie) return false;
    if (!listing_.list(position_, position_.focus(), position_.focus_on_sea(), position_.focus_mines(), most_layouts,
                       endgame_))
        return false;
    if (!endgame_.solve(most_nodes, endgame_.layouts() > kFullySearched)) return false;
    const Index best = endgame_.best();
    if (!may_be_safe(position_.grid(), best, 1 - position_.mine(best))) return false;
    const double value = endgame_.wins() / static_cast<double>(endgame_.layouts());
    candidates_.assign(1, {best, 1 - position_.mine(best), 0, value});
    decided_ = true;
    solved_ = endgame_.layouts() <= kFullySearched;
    return true;
}

void Guesser::solved_cells(const Grid& grid, std::vector<Index>& out) const {
    out.clear();
    for (Index cell = 0; cell < grid.size(); ++cell)
        if (grid.state[cell] == kUnknown && (solved_all_ || position_.in_focus(cell))) out.push_back(cell);
}

// Rank candidates by the chance to survive them and the next guess, if one is needed next; only those that may be best
// are kept. They come in the order of their safety, which is as much as their value can be.
void Guesser::look_ahead(Position& position, std::vector<Candidate>& candidates) {
    double best = 0;
    std::size_t count = 0;
    for (; count < candidates.size() && candidates[count].safety > best; ++count) {
        Candidate& candidate = candidates[count];
        position.suppose(candidate.cell, prospects_);
        candidate.value = 0;
        for (const Prospect& prospect : prospects_) {
            if (prospect.safe_cells > 0) candidate.progress += prospect.chance;
            candidate.value += prospect.chance * outlook(prospect);
        }
        best = std::max(best, candidate.value);
    }
    candidates.resize(count);
    sort_by_value(candidates);
}

// The chance to survive the next guess, if one is needed next.
double Guesser::outlook(const Prospect& prospect) const {
    return prospect.safe_cells > 0 ? 1 - haste_ / (1 + prospect.safe_cells) : 1 - prospect.least_mine;
}

// The chance to survive a cell and what follows: where its clue would leave nothing but another guess, the best two of
// them.
double Guesser::look_further(Index cell, std::size_t most_replies) {
    position_.suppose(cell, stuck_);
    double value = 0;
    for (const Prospect& prospect : stuck_) {
        double survival = outlook(prospect);
        if (prospect.safe_cells == 0) {
            Grid grid = position_.grid();
            grid.settle_safe(cell);
            grid.state[cell] = kOpen;
            grid.need[cell] = static_cast<std::int8_t>(grid.need[cell] + prospect.clue);
            if (next_position_.look(grid) == Fit::ok) {
                list_candidates(next_position_, replies_);
                if (replies_.size() > most_replies) replies_.resize(most_replies);
                if (!replies_.empty()) {
                    look_ahead(next_position_, replies_);
                    survival = replies_.front().value;
                }
            }
        }
        value += prospect.chance * survival;
    }
    return value;
}

// Looking further is only worth it for the candidates that come near the best; the others are dropped.
void Guesser::compare_leaders() {
    std::size_t leaders = 0;
    while (leaders < std::min(candidates_.size(), kMostLeaders) &&
           candidates_[leaders].value > kLeader * candidates_.front().value)
        ++leaders;
    if (leaders < 2) return;
    candidates_.resize(leaders);
    for (Candidate& candidate : candidates_) candidate.value = look_further(candidate.cell, kMostReplies);
    sort_by_value(candidates_);
}

Weight Guesser::weigh(const Grid& grid, std::vector<Candidate>& out) {
    out.clear();
    haste_ = 0;
    if (position_.look(grid, true) != Fit::ok) return Weight::none;
    if (weigh_endgame(out)) return Weight::exact;
    list_candidates(position_, out, false);
    for (Candidate& candidate : out) candidate.value = look_further(candidate.cell, kAll);
    sort_by_value(out);
    return Weight::estimate;
}

bool Guesser::weigh_endgame(std::vector<Candidate>& out) {
    if (position_.focus_log_layouts() > std::log(static_cast<double>(kMostWeighed)) + kTie) return false;
    if (!listing_.list(position_, position_.focus(), position_.focus_on_sea(), position_.focus_mines(), kMostWeighed,
                       endgame_))
        return false;
    std::vector<int> wins;
    if (!endgame_.solve_each(kMostNodesWeighed, wins)) return false;
    for (std::size_t c = 0; c < wins.size(); ++c) {
        if (wins[c] < 0) continue;
        const Index cell = endgame_.cell(c);
        out.push_back({cell, 1 - position_.mine(cell), 0, wins[c] / static_cast<double>(endgame_.layouts())});
    }
    sort_by_value(out);
    return !out.empty();
}

// Where the position cannot be counted, trust the clues one at a time.
void Guesser::fallback(const Grid& grid) {
    slow_pulse();
    double best = 2;
    Index choice = 0;
    for (Index cell = 0; cell < grid.size(); ++cell) {
        if (grid.state[cell] != kUnknown) continue;
        double risk = -1;
        for (const int step : grid.step) {
            const Index clue = cell + step;
            if (grid.state[clue] == kOpen)
                risk = std::max(risk, static_cast<double>(grid.need[clue]) / popcount(grid.mask[clue]));
        }
        if (risk < 0) risk = static_cast<double>(grid.mines_left) / grid.unknown_left;
        if (risk < best) {
            best = risk;
            choice = cell;
        }
    }
    candidates_.push_back({choice, 1 - best, 0, 1 - best});
}

}  // namespace mines
