// Plays games from the first click to their end: logic as far as it goes, then a guess.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "closure.hpp"
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
    // Deal a whole game; the grid is that of its hidden board.
    void deal(const Grid& grid, const Puzzle& puzzle);

    // Open a cell and whatever that opens, telling `closure` the clues; false if it is a mine.
    bool open(Index cell, Closure& closure);

    bool won() const { return to_open_ == 0; }
    int opened() const { return opened_; }

    // Deal the rest of a game: `mine` has one byte for each place of the grid, 1 at mines.
    void deal(const Grid& grid, const std::vector<std::uint8_t>& mine, std::uint64_t name);
    // Take back all that was opened since.
    void rewind();
    // A name of the cells that are open and their clues: those of a game that has other names are others.
    std::uint64_t name() const { return name_; }
    static std::uint64_t name_position(const Grid& grid, const Closure& closure);

  private:
    void lay_mine(const Grid& grid, Index cell) {
        clues_[cell] = static_cast<std::int8_t>(clues_[cell] - kNeighbours - 1);
        for (const int step : grid.step) ++clues_[cell + step];
    }

    std::vector<std::int8_t> clues_;  // bordered like a Grid; negative at mines, whatever is around them
    std::vector<Index> flood_;
    int to_open_ = 0;
    int opened_ = 0;
    std::uint64_t name_ = 0;
    int dealt_to_open_ = 0;
    std::uint64_t dealt_name_ = 0;
};

// Open everything that logic knows to be safe, until nothing follows (false) or the game is won.
bool deduce(Closure& closure, Dealer& dealer, std::vector<Step>& steps);

// Names the cell to open where logic is at its end, or -1 if it knows of none that may be safe.
using Choose = std::function<Index(const Closure&)>;

class Player {
  public:
    explicit Player(Choose choose) : choose_(std::move(choose)) {}

    // Play a puzzle, whose click must be safe.
    Outcome play(const Puzzle& puzzle);

  private:
    Choose choose_;
    Dealer dealer_;
    Closure closure_;
    std::vector<Step> steps_;
};

}  // namespace mines
