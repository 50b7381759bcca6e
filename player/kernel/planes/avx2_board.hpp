// Boards for processors with AVX2. Planes of up to 16x32 cells stay in vector registers.
#pragma once

#include <memory>

#include "planes/bitboard.hpp"

namespace mines {

// Return a board of at most kMaxBitBoardSide rows and columns that does the same as a `WordBoard` of any processor, or
// null if the processor or the compiler lacks AVX2.
std::unique_ptr<BitBoard> new_avx2_board(int rows, int cols);

}  // namespace mines
