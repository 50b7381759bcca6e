// Guessing strategies: which unknown cell to open when logic finds nothing more. They see only what a player sees.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/field.hpp"
#include "count/outcomes.hpp"
#include "count/position.hpp"
#include "search/endgame.hpp"
#include "search/listing.hpp"
#include "search/optimal.hpp"
#include "search/unavoidable.hpp"

namespace mines {

class Guesser;

// A strategy: a row of the table in guesser.cpp.
struct Strategy {
    const char* name;
    void (*rank)(Guesser&) = nullptr;  // sorts the candidates, which come safest first
    std::size_t most_layouts = 0;      // of endgames that are searched
    std::int64_t most_nodes = 0;       // of that search
    bool solves_small_boards = false;
};

// A cell considered by a strategy.
struct Candidate {
    Index cell = 0;
    double safety = 0;    // probability that it is safe
    double progress = 0;  // probability that it is safe and logic continues; 0 if not computed
    double value = 0;     // the criterion of the strategy
    double weight = 1;    // of its survival in `value`: more than 1 for a risk that would have to be taken later anyway

    double upper_bound() const { return safety * weight; }  // of `value`
};

// The prospects of a guess: the probabilities that the cell is safe, that logic then continues, to survive this guess
// and the next one, and to win with perfect play. They are NaN if they are not known.
struct Prospect {
    Index cell;
    double safety, progress, second, win;
};

enum class EvaluationKind : std::uint8_t { none, estimate, exact };

class Guesser {
  public:
    // Candidates with a value of at least `near` times the best are kept for comparison. With 1, only the best is
    // computed.
    static constexpr double kNear = 0.88;
    explicit Guesser(const Strategy& strategy, double near = kNear) : strategy_(strategy), near_(near) {}
    explicit Guesser(const char* strategy, double near = kNear) : Guesser(*find(strategy), near) {}

    // Return all strategies; and the one with a name, or null.
    static const std::vector<Strategy>& all();
    static const Strategy* find(const std::string& name);

    // Choose an unknown cell of a field in which logic finds nothing more: the first of `candidates`. Returns false if
    // no cell may be safe or no layout fits.
    bool choose(const Field& field);

    // Return that cell, or -1.
    Index chosen(const Field& field) { return choose(field) ? candidates_.front().cell : -1; }

    // Evaluate every unknown cell of such a field, best first. If few enough layouts are left, `value` is the win
    // probability with perfect play after this cell, and EvaluationKind::exact is returned. Otherwise it is the
    // estimate by which the champion compares cells. EvaluationKind::none means that the position cannot be counted.
    EvaluationKind evaluate(const Field& field, std::vector<Candidate>& out);

    // Find the prospects of each of some unknown cells. Returns nothing if the position cannot be counted.
    std::vector<Prospect> prospects(const Field& field, const std::vector<Index>& cells);

    // The candidates of the last choice, best first.
    const std::vector<Candidate>& candidates() const { return candidates_; }

    // Whether the last choice came from an endgame search.
    bool decided() const { return decided_; }
    // Whether the last choice is exact: its `value` is the probability of winning the focus with perfect play.
    bool solved() const { return solved_; }
    // List the cells in that search.
    void solved_cells(const Field& field, std::vector<Index>& out) const;
    // Whether the last choice counted the position, so that the safety of candidates is exact.
    bool counted() const { return counted_; }
    const Position& position() const { return plies_[0].position; }

  private:
    // The most cells opened one after the other to follow progress.
    static constexpr std::size_t kMostFollowed = 4;

    void rank_candidates();
    void fallback(const Field& field);
    void list_candidates(const Position& position, std::vector<Candidate>& out, bool one_of_a_kind = true);
    void rank_by_survival(ClueOutcomes& outcomes, std::vector<Candidate>& candidates, double near, double least = 0);
    void credit_unavoidable_risks(std::vector<Candidate>& candidates, double least);
    double outlook(const ClueOutcome& outcome) const;
    static void sort_by_chance(std::vector<ClueOutcome>& outcomes);
    double survival_one_ply(ClueOutcomes& outcomes, Candidate& candidate, double least);
    double survival(std::size_t ply, Index cell, double chance, std::size_t most_replies, double least);
    double survival_after(std::size_t ply, Index cell, const ClueOutcome& outcome, double chance,
                          std::size_t most_replies, double least);
    double survival_after_progress(std::size_t ply, const ClueOutcome& outcome, double chance, std::size_t most_replies,
                                   double least);
    double best_reply(std::size_t ply, const ClueOutcome& outcome, std::size_t most_replies, double least);
    void start_second_ply();
    void rerank_leaders();
    void rank_by_progress();
    static void sort_by_value(std::vector<Candidate>& candidates);
    bool list_layouts(std::size_t most_layouts);
    bool solve_small_board(const Field& field);
    bool solve_endgame();
    bool evaluate_endgame(std::vector<Candidate>& out);

    Strategy strategy_;
    double near_;
    double guess_penalty_ = 0;
    bool counted_ = false;
    bool decided_ = false;
    bool solved_ = false;
    std::unique_ptr<Optimal> small_board_;
    std::pair<GridRef, int> small_board_of_;  // the grid and the number of mines
    Endgame endgame_;
    Listing listing_;
    std::vector<Candidate> candidates_;
    std::vector<ClueOutcome> listed_;
    UnavoidableGuesses unavoidable_;
    // A position, and its outcomes or replies.
    struct Ply {
        Position position;
        ClueOutcomes outcomes;
        std::vector<ClueOutcome> listed;
        std::vector<Candidate> replies;
        std::uint64_t hash = 0;        // of the cells opened since the first ply, and their clues
        double least_sealed_risk = 1;  // lowest mine probability outside the focus
    };
    std::array<Ply, kMostFollowed + 2> plies_;  // the first is the current position
    // Known values of `survival_after` in the current position; otherwise upper bounds.
    struct Survival {
        double value;
        bool exact;
    };
    std::unordered_map<std::uint64_t, Survival> survivals_;
};

}  // namespace mines
