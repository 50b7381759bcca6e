#include "search/guesser.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/interrupt.hpp"
#include "search/play.hpp"

namespace mines {
namespace {

// Smaller differences in probability are rounding errors.
constexpr double kTie = 1e-9;
// Candidates for progress may be this much less safe than the safest cell.
constexpr double kNearlySafest = 0.03;
// Endgames are searched from this number of layouts down, and completely from the smaller number down.
constexpr std::size_t kMostEndgameLayouts = 10'000;
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
bool may_be_safe(const Field& field, Index cell, double safety) {
    return field.state[cell] == kUnknown && safety > kTie;
}

bool better(const Candidate& a, const Candidate& b) { return a.value > b.value + kTie; }

}  // namespace

const std::vector<Strategy>& Guesser::all() {
    static const std::vector<Strategy> strategies = {
        // The highest chance to survive it and the next guess. Finishes the games of rollouts.
        {"quick",
         [](Guesser& guesser) {
             guesser.guess_penalty_ = kGuessPenalty;
             guesser.rank_by_survival(guesser.plies_[0].outcomes, guesser.candidates_, guesser.near_);
         },
         kMostLayoutsQuick, kMostNodesQuick},
        {"safest"},
        // Among nearly the safest, the highest probability that logic continues.
        {"progress", [](Guesser& guesser) { guesser.rank_by_progress(); }},
        // The highest probability of surviving this guess and the next.
        {"lookahead",
         [](Guesser& guesser) {
             guesser.rank_by_survival(guesser.plies_[0].outcomes, guesser.candidates_, guesser.near_);
         }},
        // The best estimate of the win probability.
        {"champion",
         [](Guesser& guesser) {
             guesser.guess_penalty_ = kGuessPenalty;
             guesser.credit_unavoidable_risks(guesser.candidates_, kNearSafest * guesser.candidates_.front().safety);
             guesser.rank_by_survival(guesser.plies_[0].outcomes, guesser.candidates_,
                                      std::min(guesser.near_, kLeader));
             guesser.rerank_leaders();
         },
         kMostEndgameLayouts, kMostNodes, true},
    };
    return strategies;
}

const Strategy* Guesser::find(const std::string& name) {
    for (const Strategy& one : all())
        if (one.name == name) return &one;
    return nullptr;
}

bool Guesser::choose(const Field& field) {
    candidates_.clear();
    counted_ = decided_ = solved_ = false;
    if (strategy_.solves_small_boards && solve_small_board(field)) return true;
    guess_penalty_ = 0;
    const Fit fit = plies_[0].position.analyse(field);
    if (fit == Fit::inconsistent) return false;
    counted_ = fit == Fit::ok;
    if (counted_) {
        list_candidates(position(), candidates_);
        if (!candidates_.empty()) rank_candidates();
    } else {
        fallback(field);
    }
    return !candidates_.empty() && candidates_.front().safety > 0;
}

void Guesser::rank_candidates() {
    if (strategy_.rank == nullptr || solve_endgame()) return;
    plies_[0].outcomes.set_position(position());
    strategy_.rank(*this);
}

// Unconstrained cells away from the frontier are equivalent for two plies if they have equally many unknown neighbours;
// list one of each kind unless all cells are requested.
void Guesser::list_candidates(const Position& position, std::vector<Candidate>& out, bool one_of_a_kind) {
    const Field& field = position.field();
    out.clear();
    bool seen_unconstrained[kNeighbours + 1] = {};
    for (const Index cell : position.unknown()) {
        if (position.mine(cell) > 1 - kTie || !position.in_focus(cell)) continue;
        if (position.component_of(cell) < 0) {
            int parts = -1;  // -1 if no neighbour belongs to a component
            for (const int step : field.steps(cell)) parts &= position.component_of(cell + step);
            const bool interior = one_of_a_kind && parts < 0;
            const int neighbours = popcount(field.mask[cell]);
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
        plies_[0].outcomes.list_outcomes(candidate.cell, listed_);
        for (const ClueOutcome& outcome : listed_)
            if (outcome.safe_cells > 0) candidate.progress += outcome.chance;
        candidate.value = candidate.progress;
    }
    sort_by_value(candidates_);
}

// List the layouts of the focus for the endgame, if they are few.
bool Guesser::list_layouts(std::size_t most_layouts) {
    return position().focus_log_layouts() <= std::log(static_cast<double>(most_layouts)) + kTie &&
           listing_.list(position(), position().focus(), position().focus_on_unconstrained(), position().focus_mines(),
                         most_layouts, endgame_);
}

// Solve the rest of the game by the search that keeps its results, if the board is small.
bool Guesser::solve_small_board(const Field& field) {
    const int cells = field.rows * field.cols;
    if (cells > kMostSmallCells || plies_[0].position.analyse(field, true) != Fit::ok || position().unknown().empty() ||
        !list_layouts(most_small_layouts(cells)) || endgame_.layouts() == 0)
        return false;
    std::uint32_t known = 0;
    for (Index number = 0; number < cells; ++number)
        if (field.state[field.from_number(number)] == kMine) known |= 1u << number;
    std::vector<std::uint32_t> layouts(endgame_.layouts(), known);
    for (std::size_t i = 0; i < layouts.size(); ++i)
        for (std::uint64_t bits = endgame_.mines(i); bits != 0; bits &= bits - 1)
            layouts[i] |= 1u << field.number(endgame_.cell(static_cast<std::size_t>(lowest_bit(bits))));
    const std::pair<GridRef, int> board = {field.grid(), field.mines_left + count_bits(known)};
    if (small_board_ == nullptr || small_board_of_ != board) {
        small_board_ = std::make_unique<Optimal>(*field.grid(), kMostStates);
        small_board_of_ = board;
    }
    if (!small_board_->choose(layouts)) return false;
    const Index best = field.from_number(small_board_->best());
    const double safety = 1 - position().mine(best);
    if (!may_be_safe(field, best, safety)) return false;
    candidates_.push_back(
        {best, safety, 0, static_cast<double>(small_board_->wins()) / static_cast<double>(layouts.size())});
    counted_ = decided_ = solved_ = true;
    return true;
}

// Solve the focus if few layouts are left.
bool Guesser::solve_endgame() {
    if (strategy_.most_layouts == 0 || !list_layouts(strategy_.most_layouts)) return false;
    if (!endgame_.solve(strategy_.most_nodes, endgame_.layouts() > kFullySearched)) return false;
    const Index best = endgame_.best();
    if (!may_be_safe(position().field(), best, 1 - position().mine(best))) return false;
    const double value = endgame_.wins() / static_cast<double>(endgame_.layouts());
    candidates_.assign(1, {best, 1 - position().mine(best), 0, value});
    decided_ = true;
    solved_ = endgame_.layouts() <= kFullySearched;
    return true;
}

void Guesser::solved_cells(const Field& field, std::vector<Index>& out) const {
    out.clear();
    for (Index cell = 0; cell < field.size(); ++cell)
        if (field.state[cell] == kUnknown && position().in_focus(cell)) out.push_back(cell);
}

// Set the weights of candidates whose value may reach `least`, and sort all by the upper bounds on their values.
void Guesser::credit_unavoidable_risks(std::vector<Candidate>& candidates, double least) {
    unavoidable_.set_position(position());
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
// `chance` is the probability of the position.
double Guesser::survival(std::size_t ply, Index cell, double chance, std::size_t most_replies, double least) {
    Ply& here = plies_[ply];
    here.outcomes.list_outcomes(cell, here.listed);
    const auto worth_following = [&](const ClueOutcome& outcome) {
        if (outcome.safe_cells == 0) return ply == 0 || chance * outcome.chance >= kLeastReplied;
        return ply < kMostFollowed && outcome.safe_cells <= kMostSafeCells && chance * outcome.chance >= kLeastFollowed;
    };
    double value = 0;
    for (ClueOutcome& outcome : here.listed) {
        if (outcome.safe_cells == 0) here.outcomes.evaluate(outcome);
        outcome.most = outlook(outcome);
        // The reply may be a cell outside the focus.
        if (worth_following(outcome))
            outcome.most = outcome.safe_cells > 0 ? 1 : 1 - std::min(outcome.least_risk, here.least_sealed_risk);
        value += outcome.chance * outcome.most;
    }
    // Replies take less time, so they come first.
    std::sort(here.listed.begin(), here.listed.end(), [](const ClueOutcome& a, const ClueOutcome& b) {
        return (a.safe_cells == 0) != (b.safe_cells == 0) ? a.safe_cells == 0 : a.chance > b.chance;
    });
    for (const ClueOutcome& outcome : here.listed) {
        if (value <= least + kTie) break;
        if (!worth_following(outcome)) continue;
        const double share = ply == 0 && outcome.safe_cells > 0 ? kFollowedRisk : 1;
        const double enough = 1 - (1 - outcome.most + (value - least) / outcome.chance) / share;
        const double after = survival_after(ply, cell, outcome, chance * outcome.chance, most_replies, enough);
        value += outcome.chance * (1 - share * (1 - after) - outcome.most);
    }
    return value <= least + kTie ? std::min(value, least) : value;
}

// Return the probability of surviving the guesses after a clue, and `least` as above. `chance` is the probability that
// `cell` is safe and shows the clue.
double Guesser::survival_after(std::size_t ply, Index cell, const ClueOutcome& outcome, double chance,
                               std::size_t most_replies, double least) {
    Ply& next = plies_[ply + 1];
    next.hash = plies_[ply].hash ^ hash_cell(cell, outcome.clue);
    // The number of safe cells may depend on the way to the position.
    const std::uint64_t key = next.hash + static_cast<std::uint64_t>(outcome.safe_cells);
    const auto known = survivals_.find(key);
    if (known != survivals_.end() && (known->second.exact || known->second.value <= least)) return known->second.value;
    if (next.position.analyse_after(plies_[ply].position, cell, outcome.clue) != Fit::ok) return outlook(outcome);
    next.outcomes.set_position(next.position);
    const double value = outcome.safe_cells > 0 ? survival_after_progress(ply + 1, outcome, chance, most_replies, least)
                                                : best_reply(ply + 1, outcome, most_replies, least);
    survivals_[key] = {value, value > least};
    return value;
}

// The same after a clue that makes a few cells safe. One of these is opened, and so on while there are few.
double Guesser::survival_after_progress(std::size_t ply, const ClueOutcome& outcome, double chance,
                                        std::size_t most_replies, double least) {
    Ply& here = plies_[ply];
    // Open the safe cell with the most unknown neighbours.
    const Field& field = here.position.field();
    Index safe = -1;
    bool uncertain = false;
    here.least_sealed_risk = 1;
    for (const Index one : here.position.unknown()) {
        const double mine = here.position.mine(one);
        if (!here.position.in_focus(one)) {
            here.least_sealed_risk = std::min(here.least_sealed_risk, mine);
        } else if (mine >= kTie) {
            uncertain |= mine < 1 - kTie;
        } else if (safe < 0 || popcount(field.mask[one]) > popcount(field.mask[safe])) {
            safe = one;
        }
    }
    if (!uncertain) return 1;
    if (safe < 0) return outlook(outcome);
    const double value = survival(ply, safe, chance, most_replies, least);
    return here.listed.empty() ? outlook(outcome) : value;  // empty if that takes too much memory
}

// The same after another clue: the probability of surviving the best reply and the guess after it.
double Guesser::best_reply(std::size_t ply, const ClueOutcome& outcome, std::size_t most_replies, double least) {
    Ply& here = plies_[ply];
    list_candidates(here.position, here.replies);
    if (here.replies.size() > most_replies) here.replies.resize(most_replies);
    if (here.replies.empty()) return outlook(outcome);
    rank_by_survival(here.outcomes, here.replies, 1, std::max(least, 0.0));
    return here.replies.empty() ? least : std::max(least, here.replies.front().value);
}

// Compute the second ply for the leading candidates only, and drop the others.
void Guesser::rerank_leaders() {
    std::size_t leaders = 0;
    while (leaders < std::min(candidates_.size(), kMostLeaders) &&
           candidates_[leaders].value > kLeader * candidates_.front().value)
        ++leaders;
    if (leaders < 2) return;
    start_second_ply();
    double best = 0;
    std::size_t kept = 0;
    for (std::size_t c = 0; c < leaders; ++c) {
        Candidate candidate = candidates_[c];
        candidate.value =
            candidate.weight * survival(0, candidate.cell, 1, kMostReplies, near_ * best / candidate.weight);
        if (kept > 0 && candidate.value <= near_ * best) continue;
        candidates_[kept++] = candidate;
        best = std::max(best, candidate.value);
    }
    candidates_.resize(kept);
    sort_by_value(candidates_);
}

void Guesser::start_second_ply() {
    survivals_.clear();
    double& least = plies_[0].least_sealed_risk = 1;
    for (const Index cell : position().unknown())
        if (!position().in_focus(cell)) least = std::min(least, position().mine(cell));
}

EvaluationKind Guesser::evaluate(const Field& field, std::vector<Candidate>& out) {
    out.clear();
    guess_penalty_ = kGuessPenalty;
    if (plies_[0].position.analyse(field, true) != Fit::ok) return EvaluationKind::none;
    if (evaluate_endgame(out)) return EvaluationKind::exact;
    list_candidates(position(), out, false);
    credit_unavoidable_risks(out, 0);
    plies_[0].outcomes.set_position(position());
    start_second_ply();
    for (Candidate& candidate : out) candidate.value = candidate.weight * survival(0, candidate.cell, 1, kAll, 0);
    sort_by_value(out);
    return EvaluationKind::estimate;
}

bool Guesser::evaluate_endgame(std::vector<Candidate>& out) {
    std::vector<int> wins;
    if (!list_layouts(kMostEvaluated) || !endgame_.solve_each(kMostNodesEvaluated, wins)) return false;
    for (std::size_t c = 0; c < wins.size(); ++c) {
        if (wins[c] < 0) continue;
        const Index cell = endgame_.cell(c);
        out.push_back({cell, 1 - position().mine(cell), 0, wins[c] / static_cast<double>(endgame_.layouts())});
    }
    sort_by_value(out);
    return !out.empty();
}

std::vector<Prospect> Guesser::prospects(const Field& field, const std::vector<Index>& cells) {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    std::vector<Prospect> found;
    if (plies_[0].position.analyse(field, true) != Fit::ok) return found;
    std::vector<Candidate> won;
    evaluate_endgame(won);
    ClueOutcomes& outcomes = plies_[0].outcomes;
    outcomes.set_position(position());
    for (const Index cell : cells) {
        Prospect one{cell, 1 - position().mine(cell), 0, 0, kNaN};
        outcomes.list_outcomes(cell, listed_);
        // None are listed if that takes too much memory.
        if (listed_.empty() && one.safety > kTie) one.progress = one.second = kNaN;
        for (ClueOutcome& outcome : listed_) {
            if (outcome.safe_cells == 0 && !outcome.evaluated) outcomes.evaluate(outcome);
            // If only mines are left, the game is won.
            const bool goes_on = outcome.safe_cells > 0 || outcome.least_risk > 1 - kTie;
            if (outcome.safe_cells > 0) one.progress += outcome.chance;
            one.second += outcome.chance * (goes_on ? 1 : 1 - outcome.least_risk);
        }
        for (const Candidate& other : won)
            if (other.cell == cell) one.win = other.value;
        found.push_back(one);
    }
    return found;
}

// If the position cannot be counted, use the clues one at a time.
void Guesser::fallback(const Field& field) {
    check_interrupt_now();
    double best = 2;
    Index choice = 0;
    for (Index cell = 0; cell < field.size(); ++cell) {
        if (field.state[cell] != kUnknown) continue;
        double risk = -1;
        for (const int step : field.steps(cell)) {
            const Index clue = cell + step;
            if (field.state[clue] == kOpen)
                risk = std::max(risk, static_cast<double>(field.need[clue]) / popcount(field.mask[clue]));
        }
        if (risk < 0) risk = static_cast<double>(field.mines_left) / field.unknown_left;
        if (risk < best) {
            best = risk;
            choice = cell;
        }
    }
    candidates_.push_back({choice, 1 - best, 0, 1 - best});
}

}  // namespace mines
