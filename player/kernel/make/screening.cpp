#include "make/screening.hpp"

#include "logic/mine_swap.hpp"

namespace mines {

std::vector<FoundPuzzle> screen(const Recipe& recipe, std::uint64_t start, std::uint64_t stop, bool count_clues) {
    MineSwapFinder finder;
    Solver solver(count_clues ? kStopEarly | kCountClues : int{kStopEarly});
    return find_puzzles(start, stop, [&](std::uint64_t index, Puzzle& puzzle, Solution& solution) {
        sample(recipe, index, puzzle);
        if (finder.has_frequent_swap(puzzle)) return Verdict::stuck;
        solver.solve(puzzle, solution);
        return solution.verdict;
    });
}

}  // namespace mines
