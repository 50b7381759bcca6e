// The click that saves most, for players who count clicks. player/play/strategies/efficient.py explains its value.
#pragma once

#include <cstdint>
#include <vector>

#include "base/grid.hpp"

namespace mines {

// A position with its deductions, one element for each cell, row by row.
struct KnownView {
    GridRef grid;
    const std::int8_t* cells;  // clues, and negative for hidden cells
    const bool* safe;          // cells that are known to be safe, and not open
    const bool* mine;
    const double* chances;  // of a mine in each hidden cell
};

struct EfficientClick {
    int place = -1;  // the cell to open, or the clue to chord
    bool chord = false;
    std::vector<int> flags, opens;  // flags to set before, and the cells that the click opens, each list ascending
    double saves = 0;               // clicks
    double zero = 0;                // the probability of a zero
};

// Return the click that saves most; of equals the most likely zero, then the first in reading order. Without a safe
// cell, its place is -1. `flagged` has one byte for each cell, 1 for a flag.
EfficientClick efficient_click(const KnownView& position, const std::vector<std::uint8_t>& flagged);

}  // namespace mines
