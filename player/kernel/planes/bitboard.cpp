#include "planes/bitboard.hpp"

#include "planes/tiled_board.hpp"

namespace mines {

Part::Part(const Grid& grid, int first_row, int first_col, int row_count, int col_count, int around)
    : top(first_row), left(first_col), rows(row_count), cols(col_count), halo(around) {
    const bool wraps_rows = (grid.kind & kWrapRows) != 0, wraps_cols = (grid.kind & kWrapCols) != 0;
    above = wraps_rows || top > 0;
    below = wraps_rows || top + rows < grid.rows;
    inside = own();
    if (wraps_cols || left > 0) inside |= own() >> halo;
    if (wraps_cols || left + cols < grid.cols) inside |= own() << halo;
}

std::unique_ptr<BitBoard> new_bitboard(const Grid& grid) {
#ifdef MINES_SMALL
    if (!fits_words(grid)) return nullptr;
#else
    if (grid.kind > (kWrapRows | kWrapCols) || !grid.holes.empty()) return nullptr;
#endif
    if (std::unique_ptr<BitBoard> board = new_avx2_board(grid)) return board;
    return std::unique_ptr<BitBoard>(new_word_board(grid));
}

}  // namespace mines
