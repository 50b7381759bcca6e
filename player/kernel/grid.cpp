#include "grid.hpp"

#include <algorithm>

namespace mines {

void Grid::reset(int new_rows, int new_cols, int mines) {
    if (new_rows != rows || new_cols != cols) {
        measure(new_rows, new_cols);
        lay_out();
    }
    state = hidden_state_;
    mask = hidden_mask_;
    need.assign(state.size(), 0);
    mines_left = mines;
    unknown_left = rows * cols;
}

void Grid::measure(int new_rows, int new_cols) {
    rows = new_rows;
    cols = new_cols;
    // Two columns of border serve the end of one row and the start of the next.
    stride = cols + 2;
    for (int k = 0; k < kNeighbours; ++k) step[k] = kRowStep[k] * stride + kColStep[k];
    for (int d = 0; d < kPairs; ++d) pair_step[d] = pair_row(d) * stride + pair_col(d);
}

void Grid::lay_out() {
    const std::size_t cells = static_cast<std::size_t>(rows + 4) * stride + 2;
    hidden_state_.assign(cells, kWall);
    hidden_mask_.assign(cells, 0);
    // The neighbours that a cell has not, at each edge of the board.
    constexpr unsigned kAbove = 0x07, kBelow = 0xe0, kLeft = 0x29, kRight = 0x94;
    for (int row = 0; row < rows; ++row) {
        const unsigned near = 0xffu & ~(row == 0 ? kAbove : 0u) & ~(row == rows - 1 ? kBelow : 0u);
        const Index first = at(row, 0);
        std::fill_n(hidden_state_.begin() + first, cols, std::uint8_t{kUnknown});
        std::fill_n(hidden_mask_.begin() + first, cols, static_cast<std::uint8_t>(near));
        hidden_mask_[first] &= static_cast<std::uint8_t>(~kLeft);
        hidden_mask_[first + cols - 1] &= static_cast<std::uint8_t>(~kRight);
    }
}

}  // namespace mines
