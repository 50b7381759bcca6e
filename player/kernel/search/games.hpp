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

// Games in arrays of the caller, with an element for each game; `views` has one for each cell of each.
class Games {
  public:
    Games(GridRef grid, std::size_t count) : grid_(std::move(grid)), clues_(count * cells()), to_open_(count) {}

    const Grid& grid() const { return *grid_; }
    std::size_t count() const { return to_open_.size(); }
    std::size_t cells() const { return static_cast<std::size_t>(grid_->size()); }

    // Start the marked games, each with the first of the puzzles `index`, `index` + count(), ... that the first click
    // does not win and, with `no_guess`, that logic solves. Sets `index`. Returns false if none of 1,000,000 puzzles is
    // one.
    bool start(const Recipe& recipe, bool no_guess, const bool* which, std::int64_t* index, std::int8_t* views,
               std::uint8_t* statuses);

    // Open a cell in each game that is not over and, if it is a zero, its opening. Counts the cells that this opened.
    void open(const std::int64_t* cells, std::int8_t* views, std::uint8_t* statuses, std::int32_t* opened);

  private:
    bool start_one(std::size_t number, const Recipe& recipe, bool no_guess, std::uint64_t& index, std::int8_t* view);
    int open_one(std::size_t number, int cell, std::int8_t* view);
    bool won(std::size_t number) const { return to_open_[number] == 0; }
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
