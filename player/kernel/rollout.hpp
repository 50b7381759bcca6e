// Guessing by trial: open each of a few candidates in the same random layouts, let a quick player finish the games, and
// compare what became of them. One step of policy improvement (Tesauro and Galperin, "On-line policy improvement using
// Monte-Carlo search", NIPS 1996).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "closure.hpp"
#include "counting.hpp"
#include "guesser.hpp"
#include "play.hpp"

namespace mines {

struct RolloutOptions {
    int layouts = 0;     // at most
    double seconds = 0;  // at most, for a move; 0 for as long as it takes
    int threads = 1;
    Strategy base = Strategy::quick;  // plays on
};

// Plays games on from one position. What it decides there it remembers, for all games with this base.
class Roller {
  public:
    explicit Roller(Strategy base) : guesser_(base, 1) {}

    // Play on in this layout: one byte for each place of the grid, 1 at mines. Fill, for each cell, whether it is safe
    // and what the game is worth if it is opened first: an estimate of the chance to win without bias, which may be
    // below 0 or above 1. `name` is that of the position by `Dealer::name_position`.
    void play(const Closure& root, std::uint64_t name, const std::vector<std::uint8_t>& layout,
              const std::vector<Index>& cells, std::uint8_t* safe, double* worth);

  private:
    // What the base does in a position.
    struct Decision {
        Index cell = -1;      // -1: nothing, the game is given up
        int solved = -1;      // number in solved_ of the cells that are played perfectly, with this chance to win them
        double value = 0;
        double safety = 0;    // of the cell
        double outlook = 0;   // about the chance to win if the cell is safe
    };

    double play_on(const Closure& root, Index cell);
    const Decision& decide();

    Guesser guesser_;
    Closure closure_;
    Dealer dealer_;
    std::vector<Step> steps_;
    std::unordered_map<std::uint64_t, Decision> decided_;
    std::vector<std::vector<Index>> solved_;
};

// A candidate and what became of it.
struct Trial {
    Candidate candidate;
    double prior = 0;  // how much more than the first it is thought to be worth before any trial
    double worth = 0;  // mean over the layouts: the chance to win with the base playing on
    double error = 0;  // standard error of `worth`
    double lead = 0;   // how much more than the first it is thought to be worth after all trials
    double doubt = 0;  // standard deviation of that
    int layouts = 0;
    bool dropped = false;
};

// The time after so many seconds; no end for 0.
std::chrono::steady_clock::time_point deadline_after(double seconds);

// Plays cells of one position in layouts that it draws, the same for all cells, in threads.
class Trials {
  public:
    using Clock = std::chrono::steady_clock;

    Trials(Strategy base, int threads);
    Trials(const Trials&) = delete;
    Trials& operator=(const Trials&) = delete;

    // Get ready; false if the layouts of the position cannot be counted. Logic must be done with it.
    bool begin(const Closure& root, std::uint64_t seed);

    // Play cells in the layouts from number `first` up to `last`: `safe` and `worth` have a row for each layout. Stops
    // at the deadline, after which only the first rows returned are filled.
    int run(const std::vector<Index>& cells, int first, int last, Clock::time_point deadline,
            std::vector<std::uint8_t>& safe, std::vector<double>& worth);

    std::uint64_t name() const { return name_; }

  private:
    std::vector<std::unique_ptr<Roller>> rollers_;
    Closure root_;
    std::uint64_t name_ = 0;
    std::uint64_t seed_ = 0;
    Counter counter_;
    std::vector<std::vector<std::uint8_t>> layouts_;
};

class Rollout {
  public:
    explicit Rollout(const RolloutOptions& options);

    // Choose an unknown cell of a position that logic is done with: the first of `trials`. False as in Guesser.
    bool choose(const Closure& closure);

    // The candidates of the last choice, best first; without trials if the champion's endgame answered.
    const std::vector<Trial>& trials() const { return tried_; }

  private:
    void list_candidates(const Grid& grid);
    void compare(Trials::Clock::time_point deadline);
    void weigh_up();
    bool narrow_down();
    std::size_t best() const;

    RolloutOptions options_;
    Guesser champion_{Strategy::champion, 1};
    Guesser glance_{Strategy::quick};
    Trials trials_;
    std::vector<Trial> tried_;
    std::vector<std::vector<double>> worths_;       // per candidate, of each layout; 0 at mines
    std::vector<std::vector<std::uint8_t>> safes_;  // alike
};

}  // namespace mines
