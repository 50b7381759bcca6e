// Best play on boards small enough to solve the whole game.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/grid.hpp"
#include "search/optimal.hpp"

namespace mines {

class SmallBoard {
  public:
    // Find the cell that best play opens next in a grid where logic finds nothing more. Returns false if no layout
    // fits, or if the board or the number of layouts is too large: the largest take a second or two the first time. The
    // results are kept for later positions and games with the same number of mines.
    bool solve(const Grid& grid);

    // After `solve`: the cell, the probability that it is safe, and the probability of winning.
    Index cell() const { return cell_; }
    double safety() const { return safety_; }
    double value() const { return value_; }

  private:
    bool list_layouts(const Grid& grid);

    int rows_ = 0;
    int cols_ = 0;
    int mines_ = 0;
    std::unique_ptr<Optimal> games_;  // for rows_ x cols_ boards with mines_ mines
    std::vector<std::uint32_t> layouts_;
    Index cell_ = 0;
    double safety_ = 0;
    double value_ = 0;
};

}  // namespace mines
