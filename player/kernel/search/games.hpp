// Many games of one size, played at once by single clicks: the boards of environments for learning agents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/sampling.hpp"
#include "logic/mine_swap.hpp"
#include "logic/solver.hpp"

namespace mines {

// The status of a game.
enum Status : std::uint8_t { kPlaying, kWon, kLost };

class Games {
  public:
    Games(GridRef grid, std::size_t count) : grid_(std::move(grid)), clues_(count * cells()), to_open_(count) {}

    const Grid& grid() const { return *grid_; }
    std::size_t count() const { return to_open_.size(); }
    std::size_t cells() const { return static_cast<std::size_t>(grid_->size()); }

    // Start game `number` with the first of the puzzles `index`, `index` + count(), ... that the first click does not
    // win and, with `no_guess`, that logic solves. Fills its view and sets `index`. Returns false if none of 1,000,000
    // puzzles is one.
    bool start(std::size_t number, const Recipe& recipe, bool no_guess, std::uint64_t& index, std::int8_t* view);

    // Open a cell and, if it is a zero, its opening; update the view. Returns the number of cells opened, or -1 at a
    // mine.
    int open(std::size_t number, int cell, std::int8_t* view);

    bool won(std::size_t number) const { return to_open_[number] == 0; }

  private:
    void place_mines(std::int8_t* clues);
    bool solvable();

    GridRef grid_;
    std::vector<std::int8_t> clues_;  // of all boards; negative at mines
    std::vector<int> to_open_;        // safe cells that are hidden, of each game
    std::vector<std::uint8_t> mine_;
    std::vector<std::int8_t> bordered_;
    std::vector<int> zeros_;
    Puzzle puzzle_;
    MineSwapFinder finder_;
    Solver solver_{kStopEarly};
    Solution solution_;
};

}  // namespace mines
