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

struct FoundPuzzles {
    std::vector<FoundPuzzle> found;
    std::vector<std::uint64_t> too_wide;  // indices of puzzles with a component too wide to enumerate
};

// List the puzzles `start` to `stop` - 1 that `solve` finds solvable: it fills a puzzle with this index and its
// solution, and returns the verdict.
template <class Solve>
FoundPuzzles find_puzzles(std::uint64_t start, std::uint64_t stop, Solve solve) {
    FoundPuzzles result;
    Puzzle puzzle;
    Solution solution;
    for (std::uint64_t index = start; index < stop; ++index) {
        check_interrupt_now();
        const Verdict verdict = solve(index, puzzle, solution);
        if (verdict == Verdict::solved) result.found.push_back({index, puzzle, solution});
        if (verdict == Verdict::too_wide) result.too_wide.push_back(index);
    }
    return result;
}

// Find the solvable puzzles with indices `start` to `stop` - 1. With `count_clues`, fill Solution::clues_at_once.
FoundPuzzles screen(const Recipe& recipe, std::uint64_t start, std::uint64_t stop, bool count_clues);

// Repair puzzles `start` to `stop` - 1 with up to `most_changes` changes each, and return those that become solvable.
FoundPuzzles repair(const Recipe& recipe, std::uint64_t start, std::uint64_t stop, int most_changes);

}  // namespace mines
