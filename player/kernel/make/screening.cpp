#include "make/screening.hpp"

#include "base/interrupt.hpp"
#include "logic/mine_swap.hpp"
#include "make/repair.hpp"

namespace mines {
namespace {

// `solve` fills the puzzle with an index and its solution, and returns the verdict.
template <class Solve>
FoundPuzzles search(std::uint64_t start, std::uint64_t stop, Solve solve) {
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

}  // namespace

FoundPuzzles screen(const Recipe& recipe, std::uint64_t start, std::uint64_t stop, bool count_clues) {
    MineSwapFinder finder;
    Solver solver(count_clues ? kStopEarly | kCountClues : int{kStopEarly});
    return search(start, stop, [&](std::uint64_t index, Puzzle& puzzle, Solution& solution) {
        sample(recipe, index, puzzle);
        if (finder.has_frequent_swap(puzzle)) return Verdict::stuck;
        solver.solve(puzzle, solution);
        return solution.verdict;
    });
}

FoundPuzzles repair(const Recipe& recipe, std::uint64_t start, std::uint64_t stop, int most_changes) {
    Repairer repairer;
    return search(start, stop, [&](std::uint64_t index, Puzzle& puzzle, Solution& solution) {
        return repairer.repair(recipe, index, most_changes, puzzle, solution);
    });
}

}  // namespace mines
