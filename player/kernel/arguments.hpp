// What the bindings have in common: the arrays that come from Python, and their checks.
#pragma once

#include <nanobind/ndarray.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "sampling.hpp"

namespace mines {

constexpr int kMaxSide = 1000;

template <typename Value, int dimensions>
using Array = nanobind::ndarray<Value, nanobind::ndim<dimensions>, nanobind::c_contig, nanobind::device::cpu>;

using Cells = Array<const std::int8_t, 2>;     // of a view
using Marks = Array<const bool, 2>;            // a truth for each cell
using MineMaps = Array<const bool, 3>;         // boards of one size
using Numbers = Array<const std::int64_t, 1>;  // of cells

inline void expect(bool holds, const std::string& what) {
    if (!holds) throw std::invalid_argument("expected " + what);
}

inline void check_sides(std::int64_t rows, std::int64_t cols) {
    expect(1 <= rows && rows <= kMaxSide && 1 <= cols && cols <= kMaxSide,
           "sides of 1 to 1000 cells: " + std::to_string(rows) + "x" + std::to_string(cols));
}

inline void check_click(const bool* mines, std::int64_t cells, std::int64_t click) {
    expect(0 <= click && click < cells, "a first click on the board: " + std::to_string(click));
    expect(!mines[click], "the first click on a safe cell: " + std::to_string(click));
}

// Boards of one size with their first clicks, checked.
class Puzzles {
  public:
    Puzzles(const MineMaps& mine_maps, const Numbers& clicks) : mines_(mine_maps.data()), clicks_(clicks.data()) {
        check_sides(static_cast<std::int64_t>(mine_maps.shape(1)), static_cast<std::int64_t>(mine_maps.shape(2)));
        rows = static_cast<int>(mine_maps.shape(1));
        cols = static_cast<int>(mine_maps.shape(2));
        count = clicks.size();
        expect(count == mine_maps.shape(0), "one first click for each board");
        for (std::size_t i = 0; i < count; ++i) check_click(board(i), std::int64_t{rows} * cols, clicks_[i]);
    }

    void read(std::size_t i, Layout& layout) const {
        layout.mine.assign(board(i), board(i + 1));
        layout.click = static_cast<int>(clicks_[i]);
    }

    int rows = 0;
    int cols = 0;
    std::size_t count = 0;

  private:
    const bool* board(std::size_t i) const {
        return mines_ + i * static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
    }

    const bool* mines_;
    const std::int64_t* clicks_;
};

}  // namespace mines
