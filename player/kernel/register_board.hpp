// Boards whose planes stay in vector registers, on processors with AVX2.
#pragma once

#include <memory>

#include "bitboard.hpp"

namespace mines {

// Return a board that does the same as a `WordBitBoard`, or null if it is too large or if the processor or the compiler
// lacks AVX2.
std::unique_ptr<BitBoard> new_register_board(int rows, int cols);

}  // namespace mines
