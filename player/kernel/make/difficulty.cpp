#include "make/difficulty.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "explain/hints.hpp"
#include "explain/rules.hpp"

namespace mines {

Difficulty difficulty_of(const std::int64_t* tally, int clues_at_once, int safe_cells) {
    constexpr double kLeast[] = {4, 7, 10, 15};
    constexpr int kPerCells = 100;
    const double score = 0.02 * static_cast<double>(tally[0]) + static_cast<double>(tally[1]) +
                         8 * std::sqrt(static_cast<double>(tally[2])) + 16 * std::sqrt(static_cast<double>(tally[3])) +
                         4 * std::max(clues_at_once - 2, 0);
    const double share = score * kPerCells / std::max(safe_cells, kPerCells);
    return {score, static_cast<int>(std::upper_bound(std::begin(kLeast), std::end(kLeast), share) - kLeast)};
}

Fit work_of(const Puzzle& puzzle, int& work) {
    constexpr int kWork[] = {0, 1, 2, 5, 5};
    const auto mines = static_cast<int>(std::count(puzzle.mine.begin(), puzzle.mine.end(), 1));
    View view = hidden_view(puzzle.grid, mines);
    open_cell(view, puzzle.mine, puzzle.click);
    std::vector<Hint> path;
    work = 0;
    for (bool opened = true; opened;) {
        const Fit fit = list_hints(view, path);
        if (fit != Fit::ok) return fit;
        opened = false;
        for (const Hint& hint : path) {
            for (const int cell : hint.safe) {
                if (view.cells[cell] != kHidden) continue;
                work += kWork[hint.tier];
                open_cell(view, puzzle.mine, cell);
                opened = true;
            }
        }
    }
    return Fit::ok;
}

}  // namespace mines
