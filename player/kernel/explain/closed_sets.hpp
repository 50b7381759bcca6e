// Unavoidable guesses with their proof: cells that no further clue can distinguish. player/logic/unavoidable.py defines
// them and explains the search.
#pragma once

#include <cstddef>
#include <vector>

#include "explain/view.hpp"

namespace mines {

// Parts of a position with more layouts are not searched by default.
constexpr std::size_t kMostLayouts = 5000;

struct UnavoidableGuess {
    std::vector<int> cells;  // in reading order
    // Two layouts that differ only in these cells: the first has a mine in the first cell, the second has none there.
    CellBytes layouts[2];
};

// Find the unavoidable guesses of a view in reading order.
Fit find_unavoidable_guesses(const View& view, std::size_t most_layouts, std::vector<UnavoidableGuess>& out);

}  // namespace mines
