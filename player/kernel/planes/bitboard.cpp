#include "planes/bitboard.hpp"

#include "planes/word_board.hpp"

namespace mines {

std::unique_ptr<BitBoard> new_bitboard(int rows, int cols) {
    if (rows > kMaxBitBoardSide || cols > kMaxBitBoardSide) return nullptr;
    if (std::unique_ptr<BitBoard> board = new_avx2_board(rows, cols)) return board;
#ifndef MINES_SMALL
    if (cols <= 16) return std::make_unique<WordBoard<std::uint16_t>>();
    if (cols <= 32) return std::make_unique<WordBoard<std::uint32_t>>();
#endif
    return std::make_unique<WordBoard<std::uint64_t>>();
}

}  // namespace mines
