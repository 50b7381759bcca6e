// Ids of puzzles.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/sampling.hpp"

namespace mines {

struct PuzzleIds {
    std::string id;                       // 20 hexadecimal digits of the SHA-256 of size, first click and mines
    std::string canonical_id;             // the smallest id of the eight symmetric puzzles
    std::vector<std::uint8_t> mine_bits;  // the mines, row by row, the first cell highest, padded with zeros
};

PuzzleIds puzzle_ids(const Puzzle& puzzle);

}  // namespace mines
