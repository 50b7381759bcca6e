#include "grid.hpp"

namespace mines {

void Grid::reset(int new_rows, int new_cols, int mines) {
    if (new_rows != rows || new_cols != cols) {
        rows = new_rows;
        cols = new_cols;
        lay_out();
    }
    state = hidden_state_;
    mask = hidden_mask_;
    need.assign(state.size(), 0);
    mines_left = mines;
    unknown_left = rows * cols;
}

void Grid::lay_out() {
    // Two columns of border serve the end of one row and the start of the next.
    stride = cols + 2;
    const std::size_t cells = static_cast<std::size_t>(rows + 4) * stride + 2;
    hidden_state_.assign(cells, kWall);
    hidden_mask_.assign(cells, 0);
    for (int k = 0; k < kNeighbours; ++k) step[k] = kRowStep[k] * stride + kColStep[k];
    for (int d = 0; d < kPairs; ++d) pair_step[d] = pair_row(d) * stride + pair_col(d);
    for (int row = 0; row < rows; ++row) {
        for (int col = 0; col < cols; ++col) {
            const Index i = at(row, col);
            hidden_state_[i] = kUnknown;
            for (int k = 0; k < kNeighbours; ++k) {
                const int r = row + kRowStep[k];
                const int c = col + kColStep[k];
                if (0 <= r && r < rows && 0 <= c && c < cols)
                    hidden_mask_[i] = static_cast<std::uint8_t>(hidden_mask_[i] | 1u << k);
            }
        }
    }
}

}  // namespace mines
