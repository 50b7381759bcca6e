// Clues of boards whose mines are known.
#pragma once

#include <cstdint>
#include <vector>

#include "base/field.hpp"

namespace mines {

// Added to the number of mines around a mine: the result is negative, and keeps that number.
constexpr int kMineClue = -100;

// Add up the marks of the 3x3 square around each place of an array in rows of `stride` places. Border places may hold
// anything afterwards.
void sum_squares(const std::vector<std::uint8_t>& marks, int stride, std::vector<std::uint8_t>& sums);

// Copy one byte for each cell, row by row, to the places of a field. Border places get 0.
void add_border(const Field& field, const std::uint8_t* cells, std::vector<std::uint8_t>& out);

// Count the mines around every place of a field; kMineClue is added at mines. `mine` has one byte for each place, 1 at
// mines.
void count_clues(const Field& field, const std::vector<std::uint8_t>& mine, std::vector<std::int8_t>& clues);

}  // namespace mines
