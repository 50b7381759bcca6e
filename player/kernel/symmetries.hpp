// The eight symmetries of a board.
#pragma once

#include <cstdint>
#include <vector>

namespace mines {

// Pack the mines of each symmetric board into bits, row by row, the first cell highest, padded with zeros: the board,
// the board turned left once, twice and three times, and the mirror images (left to right) of these. `mine` has one
// byte for each cell, row by row.
std::vector<std::uint8_t> packed_symmetries(int rows, int cols, const std::uint8_t* mine);

}  // namespace mines
