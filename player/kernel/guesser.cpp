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
// The quick player never searches selectively. What it would gain from 500 layouts down is less than it would take.
constexpr std::size_t kMostLayoutsQuick = 100;
constexpr std::int64_t kMostNodesQuick = 2'000;
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
    if (strategy_ == Strategy::champion && small_board_.solve(grid) &&
        may_be_safe(grid, small_board_.cell(), small_board_.safety())) {
        candidates_.push_back({small_board_.cell(), small_board_.safety(), 0, small_board_.value()});
        counted_ = decided_ = solved_ = solved_all_ = true;
        return true;
    }
    haste_ = 0;
    const Fit fit = position_.look(grid);
    if (fit == Fit::inconsistent) return false;
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
    if (strategy_ == Strategy::safest) return;
    if (strategy_ == Strategy::champion && solve_endgame(kMostLayouts, kMostNodes)) return;
    if (strategy_ == Strategy::quick && solve_endgame(kMostLayoutsQuick, kMostNodesQuick)) return;
    prospects_.begin(position_);
    switch (strategy_) {
        case Strategy::safest:
            break;
        case Strategy::progress:
            seek_progress();
            break;
        case Strategy::champion:
            haste_ = kHaste;
            look_ahead(prospects_, candidates_, std::min(near_, kLeader));
            compare_leaders();
            break;
        case Strategy::quick:
            haste_ = kHaste;
            look_ahead(prospects_, candidates_, near_);
            break;
        case Strategy::lookahead:
            look_ahead(prospects_, candidates_, near_);
            break;
    }
}

// Cells of the open sea are alike for this guess and the next if they have as many unknown neighbours; unless all cells
// are wanted, one of a kind is listed.
void Guesser::list_candidates(const Position& position, std::vector<Candidate>& out, bool one_of_a_kind) {
    const Grid& grid = position.grid();
    out.clear();
    bool seen_sea[kNeighbours + 1] = {};
    for (const Index cell : position.unknown()) {
        if (position.mine(cell) > 1 - kTie || !position.in_focus(cell)) continue;
        if (position.part_of(cell) < 0) {
            int parts = -1;  // stays so as long as all are
            for (const int step : grid.step) parts &= position.part_of(cell + step);
            const bool open_sea = one_of_a_kind && parts < 0;
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
        prospects_.suppose(candidate.cell, listed_);
        for (const Prospect& prospect : listed_)
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

// Rank candidates by the chance to survive them and the next guess, if one is needed next. They come in the order of
// their safety, which is as much as their value can be. Only those are kept that are worth more than `least` and come
// `near` the best; the value of others is not worked out.
void Guesser::look_ahead(Prospects& prospects, std::vector<Candidate>& candidates, double near, double least) {
    double best = least;
    std::size_t kept = 0;
    for (std::size_t c = 0; c < candidates.size() && candidates[c].safety > best; ++c) {
        Candidate candidate = candidates[c];
        candidate.value = value_after(prospects, candidate, near * best);
        if (kept > 0 && candidate.value <= near * best) continue;
        candidates[kept++] = candidate;
        best = std::max(best, candidate.value);
    }
    candidates.resize(kept);
    sort_by_value(candidates);
}

// The chance to survive the next guess, if one is needed next; until it is weighed, no less than that.
double Guesser::outlook(const Prospect& prospect) const {
    if (prospect.safe_cells > 0) return 1 - haste_ / (1 + prospect.safe_cells);
    return prospect.weighed ? 1 - prospect.least_mine : 1;
}

void Guesser::likeliest_first(std::vector<Prospect>& prospects) {
    std::stable_sort(prospects.begin(), prospects.end(),
                     [](const Prospect& a, const Prospect& b) { return a.chance > b.chance; });
}

// What the candidate is worth, if that is more than `least`; else some number that is not, but no less than the truth.
double Guesser::value_after(Prospects& prospects, Candidate& candidate, double least) {
    prospects.suppose(candidate.cell, listed_);
    likeliest_first(listed_);
    double value = 0;
    for (const Prospect& prospect : listed_) value += prospect.chance * outlook(prospect);
    for (Prospect& prospect : listed_) {
        if (prospect.safe_cells == 0 && !prospect.weighed) {
            if (value <= least) break;
            const double most = outlook(prospect);
            prospects.weigh(prospect);
            value += prospect.chance * (outlook(prospect) - most);
        }
        if (prospect.safe_cells > 0) candidate.progress += prospect.chance;
    }
    return value;
}

// The chance to survive a cell and what follows: where its clue would leave nothing but another guess, the best two of
// them. Or, if that is not more than `least`, some number that is not, but no less than the truth.
double Guesser::look_further(Index cell, std::size_t most_replies, double least) {
    prospects_.suppose(cell, stuck_);
    likeliest_first(stuck_);
    double value = 0;
    for (const Prospect& prospect : stuck_) value += prospect.chance * outlook(prospect);
    most_after_.clear();
    for (Prospect& prospect : stuck_) {
        double most = outlook(prospect);
        if (prospect.safe_cells == 0) {
            prospects_.weigh(prospect);
            // The reply may be in what is sealed off, once all else is known.
            const double no_more = prospect.safe_cells > 0 ? outlook(prospect) : 1 - std::min(prospect.least_mine, least_sealed_mine_);
            value += prospect.chance * (no_more - most);
            most = no_more;
        }
        most_after_.push_back(most);
    }
    for (std::size_t i = 0; i < stuck_.size() && value > least; ++i) {
        const Prospect& prospect = stuck_[i];
        if (prospect.safe_cells > 0) continue;
        value -= prospect.chance * most_after_[i];
        value += prospect.chance * best_reply(cell, prospect, most_replies, (least - value) / prospect.chance);
    }
    return value;
}

// The chance to survive the best reply to a clue that leaves nothing but another guess, and what follows; `least` as above.
double Guesser::best_reply(Index cell, const Prospect& prospect, std::size_t most_replies, double least) {
    if (next_position_.look_on(position_, cell, prospect.clue) != Fit::ok) return outlook(prospect);
    list_candidates(next_position_, replies_);
    if (replies_.size() > most_replies) replies_.resize(most_replies);
    if (replies_.empty()) return outlook(prospect);
    next_prospects_.begin(next_position_);
    look_ahead(next_prospects_, replies_, 1, std::max(least, 0.0));
    return replies_.empty() ? least : replies_.front().value;
}

// Looking further is only worth it for the candidates that come near the best; the others are dropped.
void Guesser::compare_leaders() {
    std::size_t leaders = 0;
    while (leaders < std::min(candidates_.size(), kMostLeaders) &&
           candidates_[leaders].value > kLeader * candidates_.front().value)
        ++leaders;
    if (leaders < 2) return;
    find_least_sealed_mine();
    double best = 0;
    std::size_t kept = 0;
    for (std::size_t c = 0; c < leaders; ++c) {
        Candidate candidate = candidates_[c];
        candidate.value = look_further(candidate.cell, kMostReplies, near_ * best);
        if (kept > 0 && candidate.value <= near_ * best) continue;
        candidates_[kept++] = candidate;
        best = std::max(best, candidate.value);
    }
    candidates_.resize(kept);
    sort_by_value(candidates_);
}

void Guesser::find_least_sealed_mine() {
    least_sealed_mine_ = 1;
    for (const Index cell : position_.unknown())
        if (!position_.in_focus(cell)) least_sealed_mine_ = std::min(least_sealed_mine_, position_.mine(cell));
}

Weight Guesser::weigh(const Grid& grid, std::vector<Candidate>& out) {
    out.clear();
    haste_ = 0;
    if (position_.look(grid, true) != Fit::ok) return Weight::none;
    if (weigh_endgame(out)) return Weight::exact;
    list_candidates(position_, out, false);
    prospects_.begin(position_);
    find_least_sealed_mine();
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
