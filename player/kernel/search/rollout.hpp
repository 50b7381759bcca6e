// Guessing by rollouts: open each candidate in the same random layouts, let a quick player finish the games, and
// compare the results. One step of policy improvement (Tesauro and Galperin, "On-line policy improvement using
// Monte-Carlo search", NIPS 1996).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "count/counting.hpp"
#include "logic/closure.hpp"
#include "search/guesser.hpp"
#include "search/play.hpp"

namespace mines {

struct RolloutOptions {
    int layouts = 0;     // at most
    double seconds = 0;  // at most, for a move; 0 for no limit
    int threads = 1;
    const Strategy* base = Guesser::find("quick");  // finishes the games
    int most_unknown = 0;  // no rollouts while more cells than this are unknown; 0 for no limit
};

// Finishes games from one position. Remembers its decisions for all games with this base.
class RolloutPlayer {
  public:
    explicit RolloutPlayer(const Strategy& base) : guesser_(base, 1) {}

    // Play each cell in this layout (one byte for each place of the field, 1 at mines). Fills for each cell whether it
    // is safe, and an unbiased estimate of the win probability if it is opened first, possibly outside [0, 1]. `hash`
    // is `HiddenBoard::hash_position` of the position.
    void play(const Closure& root, std::uint64_t hash, const std::vector<std::uint8_t>& layout,
              const std::vector<Index>& cells, std::uint8_t* safe, double* value);

  private:
    // The decision of the base in a position.
    struct Decision {
        Index cell = -1;  // -1: none, the game is given up
        int solved = -1;  // index in solved_ of the cells played perfectly, with win probability `value`
        double value = 0;
        double safety = 0;         // of the cell
        double predicted_win = 0;  // estimated win probability if the cell is safe
    };

    double play_on(const Closure& root, Index cell);
    const Decision& decide();

    Guesser guesser_;
    Closure closure_;
    HiddenBoard board_;
    std::vector<Step> steps_;
    std::unordered_map<std::uint64_t, Decision> decided_;
    std::vector<std::vector<Index>> solved_;
};

// A candidate and its results.
struct Trial {
    Candidate candidate;
    double prior = 0;        // estimated lead over the first candidate before any rollout, as a share of its value
    double prior_doubt = 0;  // standard deviation of that lead
    double value = 0;        // mean over the layouts: the win probability if the base plays on
    double error = 0;        // standard error of `value`
    double lead = 0;         // estimated lead in value over the first candidate
    double doubt = 0;        // standard deviation of that
    int layouts = 0;
    bool dropped = false;
};

// The time after `seconds` seconds; no deadline for 0.
std::chrono::steady_clock::time_point deadline_after(double seconds);

// Plays cells of one position in common random layouts, in several threads.
class Trials {
  public:
    using Clock = std::chrono::steady_clock;

    Trials(const Strategy& base, int threads);
    Trials(const Trials&) = delete;
    Trials& operator=(const Trials&) = delete;

    // Set the position, in which logic must find nothing more. Returns false if its layouts cannot be counted.
    bool set_position(const Closure& root, std::uint64_t seed);

    // Play cells in layouts `first` to `last` - 1. `safe` and `value` have a row for each layout. Returns the number of
    // rows filled before the deadline.
    int run(const std::vector<Index>& cells, int first, int last, Clock::time_point deadline,
            std::vector<std::uint8_t>& safe, std::vector<double>& value);

  private:
    std::vector<std::unique_ptr<RolloutPlayer>> players_;
    Closure root_;
    std::uint64_t hash_ = 0;
    std::uint64_t seed_ = 0;
    Counter counter_;
    std::vector<std::vector<std::uint8_t>> layouts_;
};

class Rollout {
  public:
    explicit Rollout(const RolloutOptions& options);

    // Choose an unknown cell of a position in which logic finds nothing more: the first of `trials`. Returns false as
    // Guesser does.
    bool choose(const Closure& closure);

    // The candidates of the last choice, best first; without rollouts if the champion's endgame search answered.
    const std::vector<Trial>& trials() const { return trials_of_choice_; }

  private:
    void list_candidates(const Field& field);
    void compare(Trials::Clock::time_point deadline);
    void update_estimates();
    bool drop_hopeless();
    std::size_t best() const;

    RolloutOptions options_;
    Guesser champion_{"champion"};
    Guesser quick_{"quick"};
    Trials trials_;
    std::vector<Trial> trials_of_choice_;
    std::vector<std::vector<double>> values_;      // per candidate, of each layout; 0 at mines
    std::vector<std::vector<std::uint8_t>> safe_;  // the same shape
};

// Return the choice by rollouts.
Choose chooser(const RolloutOptions& options);

}  // namespace mines
