#include "grid.hpp"

namespace mines {

void Grid::reset(int new_rows, int new_cols, int mines) {
    rows = new_rows;
    cols = new_cols;
    // Two columns of border serve the end of one row and the start of the next.
    stride = cols + 2;
    const std::size_t cells = static_cast<std::size_t>(rows + 4) * stride + 2;
    state.assign(cells, kWall);
    mask.assign(cells, 0);
    need.assign(cells, 0);
    mines_left = mines;
    unknown_left = rows * cols;
    for (int k = 0; k < kNeighbours; ++k) step[k] = kRowStep[k] * stride + kColStep[k];
    for (int d = 0; d < kPairs; ++d) pair_step[d] = pair_row(d) * stride + pair_col(d);
    for (int row = 0; row < rows; ++row) {
        for (int col = 0; col < cols; ++col) {
            const Index i = at(row, col);
            state[i] = kUnknown;
            for (int k = 0; k < kNeighbours; ++k) {
                const int r = row + kRowStep[k];
                const int c = col + kColStep[k];
                if (0 <= r && r < rows && 0 <= c && c < cols) mask[i] = static_cast<std::uint8_t>(mask[i] | 1u << k);
            }
        }
    }
}

}  // namespace mines
