// Unavoidable guesses with their proof: cells that no further clue can distinguish. player/why/unavoidable.py defines
// them and explains the search, which is the same here.
#pragma once

#include <vector>

#include "explain/rules.hpp"

namespace mines {

struct UnavoidableGuess {
    std::vector<int> cells;  // in reading order
    // The mines among them in two layouts: the first has a mine in the first cell, the second has none there.
    std::vector<int> mines[2];
};

// Find the unavoidable guesses of a view in reading order. `known` is its closure, as `complete` writes it.
std::vector<UnavoidableGuess> find_unavoidable_guesses(const View& view, const CellBytes& known);

}  // namespace mines
