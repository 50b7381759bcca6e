// The difficulty of puzzles for people, from the numbers of their solutions.
#pragma once

#include <cstdint>

#include "base/sampling.hpp"
#include "logic/counts.hpp"

namespace mines {

// A score of 0 or more, higher is harder, and its rating from 0 (easy) to 4 (fiendish). player/core/difficulty.py
// defines both, and computes them for other engines.
struct Difficulty {
    double score = 0;
    int rating = 0;
};

// `tally` has the cells that one clue, two clues, more clues and the mine count decide; `clues_at_once` is -1 if it is
// not known.
Difficulty difficulty_of(const std::int64_t* tally, int clues_at_once, int safe_cells);

// Add up the work to prove the safe cells of a puzzle, in the order of its solution path: 1 by one clue, 2 by two
// clues, 5 by more or the mine count. Cells that open as a part of an opening need none.
Fit work_of(const Puzzle& puzzle, int& work);

}  // namespace mines
