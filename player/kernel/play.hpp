// Plays games from the first click to their end: logic as far as it goes, then a guess.
#pragma once

#include <cstdint>
#include <vector>

#include "closure.hpp"
#include "guesser.hpp"
#include "sampling.hpp"

namespace mines {

struct Outcome {
    bool won = false;
    int opened = 0;  // safe cells
    int guesses = 0;
};

// Holds the truth. It answers what opening a cell shows, and nothing else.
class Dealer {
  public:
    void deal(const Puzzle& puzzle);

    // Open a cell and whatever that opens, telling `closure` the clues; false if it is a mine.
    bool open(Index cell, Closure& closure);

    bool won() const { return to_open_ == 0; }
    int opened() const { return opened_; }

  private:
    std::vector<std::int8_t> clues_;  // bordered like a Grid; -1 at mines
    std::vector<Index> flood_;
    int to_open_ = 0;
    int opened_ = 0;
};

class Player {
  public:
    explicit Player(Strategy strategy) : guesser_(strategy) {}

    // Play a puzzle, whose click must be safe.
    Outcome play(const Puzzle& puzzle);

  private:
    bool deduce(Dealer& dealer);

    Dealer dealer_;
    Closure closure_;
    Guesser guesser_;
    std::vector<Step> steps_;
};

}  // namespace mines
