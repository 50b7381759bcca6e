// The best play on boards so small that the whole game can be solved, whatever has been opened.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "grid.hpp"
#include "optimal.hpp"

namespace mines {

class SmallBoard {
  public:
    // Find what the best play opens next in a grid that logic is done with. False if no layout fits, or if the board has
    // so many cells or the position so many layouts that this would take longer than a second or two, which is how long
    // the largest take the first time. What that finds out serves later positions and games with as many mines.
    bool solve(const Grid& grid);

    // After `solve`: the cell, the chance that it is no mine, and the chance that the game is won.
    Index cell() const { return cell_; }
    double safety() const { return safety_; }
    double value() const { return value_; }

  private:
    bool list_layouts(const Grid& grid);

    int rows_ = 0;
    int cols_ = 0;
    int mines_ = 0;
    std::unique_ptr<Optimal> games_;  // on rows_ x cols_ with mines_ mines: what it remembers serves them all
    std::vector<std::uint32_t> layouts_;
    Index cell_ = 0;
    double safety_ = 0;
    double value_ = 0;
};

}  // namespace mines
