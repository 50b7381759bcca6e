#include "planes/bitboard.hpp"

#include "planes/tiled_board.hpp"

namespace mines {

Part::Part(const Grid& grid, int top, int left, int rows, int cols, int halo)
    : top(top), left(left), rows(rows), cols(cols), halo(halo) {
    const bool wraps = (grid.kind & kWrapRows) != 0;
    above = halo != 0 && (wraps || top > 0);
    below = halo != 0 && (wraps || top + rows < grid.rows);
    for (int col = -halo; col < cols + halo; ++col)
        if ((grid.kind & kWrapCols) != 0 || (left + col >= 0 && left + col < grid.cols))
            inside |= std::uint64_t{1} << (col + halo);
}

std::unique_ptr<BitBoard> new_bitboard(const Grid& grid) {
    if (grid.kind > (kWrapRows | kWrapCols) || !grid.holes.empty()) return nullptr;
#ifdef MINES_SMALL
    if (!fits_words(grid)) return nullptr;
#endif
    if (std::unique_ptr<BitBoard> board = new_avx2_board(grid)) return board;
    return std::unique_ptr<BitBoard>(new_word_board(grid));
}

}  // namespace mines
