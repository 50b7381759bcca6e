// Boards of up to 16 rows and 32 columns whose planes stay in vector registers, on processors with AVX2.
#pragma once

#include <memory>

#include "bitboard.hpp"

namespace mines {

inline bool fits_registers(const Puzzle& puzzle) { return puzzle.rows <= 16 && puzzle.cols <= 32; }

// Return a board that does the same as a `WordBitBoard`, or null if the processor or the compiler lacks AVX2.
std::unique_ptr<BitBoard> new_register_board();

}  // namespace mines
