// Search of a recipe for solvable puzzles.
#pragma once

#include <cstdint>
#include <vector>

#include "base/interrupt.hpp"
#include "base/sampling.hpp"
#include "logic/solver.hpp"

namespace mines {

struct FoundPuzzle {
    std::uint64_t index;
    Puzzle puzzle;
    Solution solution;
};

// List the puzzles `start` to `stop` - 1 that `solve` finds solvable: it fills a puzzle with this index and its
// solution, and returns the verdict.
template <class Solve>
std::vector<FoundPuzzle> find_puzzles(std::uint64_t start, std::uint64_t stop, Solve solve) {
    std::vector<FoundPuzzle> found;
    Puzzle puzzle;
    Solution solution;
    for (std::uint64_t index = start; index < stop; ++index) {
        check_interrupt_now();
        if (solve(index, puzzle, solution) == Verdict::solved) found.push_back({index, puzzle, solution});
    }
    return found;
}

// Find the solvable puzzles with indices `start` to `stop` - 1. With `count_clues`, fill Solution::clues_at_once.
std::vector<FoundPuzzle> screen(const Recipe& recipe, std::uint64_t start, std::uint64_t stop, bool count_clues);

// Repair puzzles `start` to `stop` - 1 with up to `most_changes` changes each, and return those that become solvable.
std::vector<FoundPuzzle> repair(const Recipe& recipe, std::uint64_t start, std::uint64_t stop, int most_changes);

}  // namespace mines
