// The eight turns and mirrors of a board.
#pragma once

#include <cstdint>
#include <vector>

namespace mines {

// The mines of each image, one bit a cell, row by row, the first cell highest, zeros at the end: of the board as it is,
// turned to the left once, twice and three times, and of the mirrors of these, left to right. `mine` has one byte for
// each cell, row by row.
std::vector<std::uint8_t> packed_images(int rows, int cols, const std::uint8_t* mine);

}  // namespace mines
