// Search of a recipe for solvable puzzles.
#pragma once

#include <cstdint>
#include <vector>

#include "base/sampling.hpp"
#include "logic/solver.hpp"

namespace mines {

struct FoundPuzzle {
    std::uint64_t index;
    Puzzle puzzle;
    Solution solution;
};

struct FoundPuzzles {
    std::vector<FoundPuzzle> found;
    std::vector<std::uint64_t> too_wide;  // indices of puzzles with a component too wide to enumerate
};

// Find the solvable puzzles with indices `start` to `stop` - 1. With `count_clues`, fill Solution::clues_at_once.
FoundPuzzles screen(const Recipe& recipe, std::uint64_t start, std::uint64_t stop, bool count_clues);

// Repair puzzles `start` to `stop` - 1 with up to `most_changes` changes each, and return those that become solvable.
FoundPuzzles repair(const Recipe& recipe, std::uint64_t start, std::uint64_t stop, int most_changes);

}  // namespace mines
