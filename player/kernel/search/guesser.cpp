#include "search/guesser.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/interrupt.hpp"

namespace mines {
namespace {

// Smaller differences in probability are rounding errors.
constexpr double kTie = 1e-9;
// Candidates for progress may be this much less safe than the safest cell.
constexpr double kNearlySafest = 0.03;
// Endgames are searched from this number of layouts down, and completely from the smaller number down.
constexpr std::size_t kMostLayouts = 10'000;
constexpr std::size_t kFullySearched = 500;
constexpr std::int64_t kMostNodes = 50'000;
// The quick player only searches completely, and only small endgames: larger ones take more time than they gain.
constexpr std::size_t kMostLayoutsQuick = 100;
constexpr std::int64_t kMostNodesQuick = 2'000;
// The second ply is computed for candidates this close to the best, with this number of safest replies.
constexpr double kLeader = 0.95;
constexpr std::size_t kMostLeaders = 6;
constexpr std::size_t kMostReplies = 6;
// The champion's penalty for a guess that may follow soon, divided by one more than the safe cells found: a few cells
// are soon opened.
constexpr double kGuessPenalty = 0.05;
// The share of an unavoidable risk that is credited to a candidate, and that of the risk to hit a mine which makes a
// swap possible. No credit is computed for candidates that could not reach this share of the best safety with it.
constexpr double kCredit = 0.9;
constexpr double kEnabling = 0.5;
constexpr double kNearSafest = 0.85;
// Progress is followed if its clue is at least this likely and makes at most this number of cells safe. Only this share
// of the risk after it counts.
constexpr double kLeastFollowed = 0.02 - kTie;
constexpr int kMostSafeCells = 4;
constexpr double kFollowedRisk = 0.7;
// When it ends, replies are compared in positions that are at least this likely.
constexpr double kLeastReplied = 0.03 - kTie;
constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
// Boards of up to this number of cells are solved completely from this number of layouts down: the work grows with the
// layouts, and faster with the cells. It takes a second or two at most.
constexpr int kMostSmallCells = 25;
constexpr std::size_t most_small_layouts(int cells) { return cells <= 16 ? 20'000 : cells <= 20 ? 15'000 : 4'000; }
constexpr std::size_t kMostStates = 10'000'000;
// Limits of the exact evaluation of every cell.
constexpr std::size_t kMostEvaluated = 1'000;
constexpr std::int64_t kMostNodesEvaluated = 400'000;

// If no cell distinguishes the layouts, the search may return any cell.
bool may_be_safe(const Grid& grid, Index cell, double safety) { return grid.state[cell] == kUnknown && safety > kTie; }

bool better(const Candidate& a, const Candidate& b) { return a.value > b.value + kTie; }

}  // namespace

bool Guesser::choose(const Grid& grid) {
    candidates_.clear();
    counted_ = decided_ = solved_ = false;
    if (strategy_ == Strategy::champion && solve_small_board(grid)) return true;
    guess_penalty_ = 0;
    const Fit fit = position_.analyse(grid);
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
    outcomes_.set_position(position_);
    switch (strategy_) {
        case Strategy::safest:
            break;
        case Strategy::progress:
            rank_by_progress();
            break;
        case Strategy::champion:
            guess_penalty_ = kGuessPenalty;
            credit_unavoidable_risks(candidates_, kNearSafest * candidates_.front().safety);
            rank_by_survival(outcomes_, candidates_, std::min(near_, kLeader));
            rerank_leaders();
            break;
        case Strategy::quick:
            guess_penalty_ = kGuessPenalty;
            rank_by_survival(outcomes_, candidates_, near_);
            break;
        case Strategy::lookahead:
            rank_by_survival(outcomes_, candidates_, near_);
            break;
    }
}

// Unconstrained cells away from the frontier are equivalent for two plies if they have equally many unknown neighbours;
// list one of each kind unless all cells are requested.
void Guesser::list_candidates(const Position& position, std::vector<Candidate>& out, bool one_of_a_kind) {
    const Grid& grid = position.grid();
    out.clear();
    bool seen_unconstrained[kNeighbours + 1] = {};
    for (const Index cell : position.unknown()) {
        if (position.mine(cell) > 1 - kTie || !position.in_focus(cell)) continue;
        if (position.component_of(cell) < 0) {
            int parts = -1;  // -1 if no neighbour belongs to a component
            for (const int step : grid.step) parts &= position.component_of(cell + step);
            const bool interior = one_of_a_kind && parts < 0;
            const int neighbours = popcount(grid.mask[cell]);
            if (interior && seen_unconstrained[neighbours]) continue;
            if (interior) seen_unconstrained[neighbours] = true;
        }
        const double safety = 1 - position.mine(cell);
        out.push_back({cell, safety, 0, safety});
    }
    sort_by_value(out);
}

void Guesser::sort_by_value(std::vector<Candidate>& candidates) {
    std::stable_sort(candidates.begin(), candidates.end(), better);
}

void Guesser::rank_by_progress() {
    const double least = candidates_.front().safety * (1 - kNearlySafest) - kTie;
    std::size_t count = 0;
    while (count < candidates_.size() && candidates_[count].safety >= least) ++count;
    candidates_.resize(count);
    if (count == 1) return;
    for (Candidate& candidate : candidates_) {
        outcomes_.list_outcomes(candidate.cell, listed_);
        for (const ClueOutcome& outcome : listed_)
            if (outcome.safe_cells > 0) candidate.progress += outcome.chance;
        candidate.value = candidate.progress;
    }
    sort_by_value(candidates_);
}

// List the layouts of the focus for the endgame, if they are few.
bool Guesser::list_layouts(std::size_t most_layouts) {
    return position_.focus_log_layouts() <= std::log(static_cast<double>(most_layouts)) + kTie &&
           listing_.list(position_, position_.focus(), position_.focus_on_unconstrained(), position_.focus_mines(),
                         most_layouts, endgame_);
}

// Solve the rest of the game by the search that keeps its results, if the board is small.
bool Guesser::solve_small_board(const Grid& grid) {
    const int cells = grid.rows * grid.cols;
    if (cells > kMostSmallCells || position_.analyse(grid, true) != Fit::ok || position_.unknown().empty() ||
        !list_layouts(most_small_layouts(cells)) || endgame_.layouts() == 0)
        return false;
    std::uint32_t known = 0;
    for (Index number = 0; number < cells; ++number)
        if (grid.state[grid.from_number(number)] == kMine) known |= 1u << number;
    std::vector<std::uint32_t> layouts(endgame_.layouts(), known);
    for (std::size_t i = 0; i < layouts.size(); ++i)
        for (std::uint64_t bits = endgame_.mines(i); bits != 0; bits &= bits - 1)
            layouts[i] |= 1u << grid.number(endgame_.cell(static_cast<std::size_t>(lowest_bit(bits))));
    const std::array<int, 3> size = {grid.rows, grid.cols, grid.mines_left + count_bits(known)};
    if (small_board_ == nullptr || small_board_size_ != size) {
        small_board_ = std::make_unique<Optimal>(grid.rows, grid.cols, kMostStates);
        small_board_size_ = size;
    }
    if (!small_board_->choose(layouts)) return false;
    const Index best = grid.from_number(small_board_->best());
    const double safety = 1 - position_.mine(best);
    if (!may_be_safe(grid, best, safety)) return false;
    candidates_.push_back(
        {best, safety, 0, static_cast<double>(small_board_->wins()) / static_cast<double>(layouts.size())});
    counted_ = decided_ = solved_ = true;
    return true;
}

// Solve the focus if few layouts are left.
bool Guesser::solve_endgame(std::size_t most_layouts, std::int64_t most_nodes) {
    if (!list_layouts(most_layouts) || !endgame_.solve(most_nodes, endgame_.layouts() > kFullySearched)) return false;
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
        if (grid.state[cell] == kUnknown && position_.in_focus(cell)) out.push_back(cell);
}

// Set the weights of candidates whose value may reach `least`, and sort all by the upper bounds on their values.
void Guesser::credit_unavoidable_risks(std::vector<Candidate>& candidates, double least) {
    unavoidable_.set_position(position_);
    for (Candidate& candidate : candidates) {
        const double risk = 1 - candidate.safety;
        if (candidate.safety + kCredit * risk < least) continue;
        const double later = unavoidable_.mine(candidate.cell) + kEnabling * unavoidable_.enabling_mine(candidate.cell);
        candidate.weight = 1 + kCredit * std::min({later, risk, candidate.safety}) / candidate.safety;
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.upper_bound() > b.upper_bound() + kTie; });
}

// Rank candidates by their weight times the probability of surviving them and the next guess, if one follows. They must
// be sorted by the upper bound on their value. Keeps only candidates worth more than `least` and close to the best.
void Guesser::rank_by_survival(ClueOutcomes& outcomes, std::vector<Candidate>& candidates, double near, double least) {
    double best = least;
    std::size_t kept = 0;
    for (std::size_t c = 0; c < candidates.size() && candidates[c].upper_bound() > best; ++c) {
        Candidate candidate = candidates[c];
        candidate.value = candidate.weight * survival_one_ply(outcomes, candidate, near * best / candidate.weight);
        if (kept > 0 && candidate.value <= near * best) continue;
        candidates[kept++] = candidate;
        best = std::max(best, candidate.value);
    }
    candidates.resize(kept);
    sort_by_value(candidates);
}

// The probability of surviving the next guess, if one follows; an upper bound until the outcome is evaluated.
double Guesser::outlook(const ClueOutcome& outcome) const {
    if (outcome.safe_cells > 0) return 1 - guess_penalty_ / (1 + outcome.safe_cells);
    return outcome.evaluated ? 1 - outcome.least_risk : 1;
}

void Guesser::sort_by_chance(std::vector<ClueOutcome>& outcomes) {
    std::stable_sort(outcomes.begin(), outcomes.end(),
                     [](const ClueOutcome& a, const ClueOutcome& b) { return a.chance > b.chance; });
}

// Return the value of a candidate if it exceeds `least`, else an upper bound that does not.
double Guesser::survival_one_ply(ClueOutcomes& outcomes, Candidate& candidate, double least) {
    outcomes.list_outcomes(candidate.cell, listed_);
    sort_by_chance(listed_);
    double value = 0;
    for (const ClueOutcome& outcome : listed_) value += outcome.chance * outlook(outcome);
    for (ClueOutcome& outcome : listed_) {
        if (outcome.safe_cells == 0 && !outcome.evaluated) {
            if (value <= least) break;
            const double most = outlook(outcome);
            outcomes.evaluate(outcome);
            value += outcome.chance * (outlook(outcome) - most);
        }
        if (outcome.safe_cells > 0) candidate.progress += outcome.chance;
    }
    return value;
}

// Return an estimate of the probability of surviving a cell and the next guesses, if it exceeds `least`; else an upper
// bound that does not. It includes two more guesses while logic finds nothing, and the guess after a little progress.
double Guesser::survival_two_plies(Index cell, std::size_t most_replies, double least) {
    std::vector<ClueOutcome>& outcomes = after_leader_;
    outcomes_.list_outcomes(cell, outcomes);
    sort_by_chance(outcomes);
    double value = 0;
    most_after_.clear();
    for (ClueOutcome& outcome : outcomes) {
        if (outcome.safe_cells == 0) outcomes_.evaluate(outcome);
        double most = outlook(outcome);
        if (worth_following(outcome, outcome.chance)) {
            most = 1;
        } else if (outcome.safe_cells == 0) {
            // The reply may be a cell outside the focus.
            most = 1 - std::min(outcome.least_risk, least_sealed_risk_);
        }
        value += outcome.chance * most;
        most_after_.push_back(most);
    }
    for (std::size_t i = 0; i < outcomes.size() && value > least; ++i) {
        const ClueOutcome& outcome = outcomes[i];
        if (worth_following(outcome, outcome.chance)) {
            const double survival = survival_after_progress(0, cell, outcome, outcome.chance, most_replies);
            value += outcome.chance * (1 - kFollowedRisk * (1 - survival) - most_after_[i]);
        } else if (outcome.safe_cells == 0) {
            value -= outcome.chance * most_after_[i];
            value += outcome.chance * best_reply(0, cell, outcome, most_replies, (least - value) / outcome.chance);
        }
    }
    return value;
}

bool Guesser::worth_following(const ClueOutcome& outcome, double chance) {
    return 0 < outcome.safe_cells && outcome.safe_cells <= kMostSafeCells && chance >= kLeastFollowed;
}

const Position& Guesser::position_before(std::size_t ply) const {
    return ply == 0 ? position_ : plies_[ply - 1].position;
}

// Return the probability of surviving the guesses after a clue that makes a few cells safe. One of these is opened, and
// so on while there are few. `chance` is the probability that `cell` is safe and shows the clue.
double Guesser::survival_after_progress(std::size_t ply, Index cell, const ClueOutcome& outcome, double chance,
                                        std::size_t most_replies) {
    Ply& here = plies_[ply];
    if (here.position.analyse_after(position_before(ply), cell, outcome.clue) != Fit::ok) return outlook(outcome);
    // Open the safe cell with the most unknown neighbours.
    const Grid& grid = here.position.grid();
    Index safe = -1;
    bool uncertain = false;
    for (const Index one : here.position.unknown()) {
        if (!here.position.in_focus(one)) continue;
        if (here.position.mine(one) >= kTie) {
            uncertain |= here.position.mine(one) < 1 - kTie;
        } else if (safe < 0 || popcount(grid.mask[one]) > popcount(grid.mask[safe])) {
            safe = one;
        }
    }
    if (!uncertain) return 1;
    if (safe < 0) return outlook(outcome);
    here.outcomes.set_position(here.position);
    here.outcomes.list_outcomes(safe, here.listed);
    double value = 0;
    for (ClueOutcome& next : here.listed) {
        const double reached = chance * next.chance;
        if (next.safe_cells == 0) here.outcomes.evaluate(next);
        double survival = outlook(next);
        if (ply + 1 < kMostFollowed && worth_following(next, reached)) {
            survival = survival_after_progress(ply + 1, safe, next, reached, most_replies);
        } else if (next.safe_cells == 0 && reached >= kLeastReplied) {
            survival = best_reply(ply + 1, safe, next, most_replies, 0);
        }
        value += next.chance * survival;
    }
    return here.listed.empty() ? outlook(outcome) : value;  // empty if that takes too much memory
}

// Return the probability of surviving the best reply and the guess after it; `least` as above.
double Guesser::best_reply(std::size_t ply, Index cell, const ClueOutcome& outcome, std::size_t most_replies,
                           double least) {
    Ply& here = plies_[ply];
    if (here.position.analyse_after(position_before(ply), cell, outcome.clue) != Fit::ok) return outlook(outcome);
    list_candidates(here.position, here.replies);
    if (here.replies.size() > most_replies) here.replies.resize(most_replies);
    if (here.replies.empty()) return outlook(outcome);
    here.outcomes.set_position(here.position);
    rank_by_survival(here.outcomes, here.replies, 1, std::max(least, 0.0));
    return here.replies.empty() ? least : here.replies.front().value;
}

// Compute the second ply for the leading candidates only, and drop the others.
void Guesser::rerank_leaders() {
    std::size_t leaders = 0;
    while (leaders < std::min(candidates_.size(), kMostLeaders) &&
           candidates_[leaders].value > kLeader * candidates_.front().value)
        ++leaders;
    if (leaders < 2) return;
    find_least_sealed_risk();
    double best = 0;
    std::size_t kept = 0;
    for (std::size_t c = 0; c < leaders; ++c) {
        Candidate candidate = candidates_[c];
        candidate.value =
            candidate.weight * survival_two_plies(candidate.cell, kMostReplies, near_ * best / candidate.weight);
        if (kept > 0 && candidate.value <= near_ * best) continue;
        candidates_[kept++] = candidate;
        best = std::max(best, candidate.value);
    }
    candidates_.resize(kept);
    sort_by_value(candidates_);
}

void Guesser::find_least_sealed_risk() {
    least_sealed_risk_ = 1;
    for (const Index cell : position_.unknown())
        if (!position_.in_focus(cell)) least_sealed_risk_ = std::min(least_sealed_risk_, position_.mine(cell));
}

EvaluationKind Guesser::evaluate(const Grid& grid, std::vector<Candidate>& out) {
    out.clear();
    guess_penalty_ = kGuessPenalty;
    if (position_.analyse(grid, true) != Fit::ok) return EvaluationKind::none;
    if (evaluate_endgame(out)) return EvaluationKind::exact;
    list_candidates(position_, out, false);
    credit_unavoidable_risks(out, 0);
    outcomes_.set_position(position_);
    find_least_sealed_risk();
    for (Candidate& candidate : out) candidate.value = candidate.weight * survival_two_plies(candidate.cell, kAll);
    sort_by_value(out);
    return EvaluationKind::estimate;
}

bool Guesser::evaluate_endgame(std::vector<Candidate>& out) {
    std::vector<int> wins;
    if (!list_layouts(kMostEvaluated) || !endgame_.solve_each(kMostNodesEvaluated, wins)) return false;
    for (std::size_t c = 0; c < wins.size(); ++c) {
        if (wins[c] < 0) continue;
        const Index cell = endgame_.cell(c);
        out.push_back({cell, 1 - position_.mine(cell), 0, wins[c] / static_cast<double>(endgame_.layouts())});
    }
    sort_by_value(out);
    return !out.empty();
}

// If the position cannot be counted, use the clues one at a time.
void Guesser::fallback(const Grid& grid) {
    check_interrupt_now();
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
