// Two layouts that fit a view and prove that a cell is not known.
#pragma once

#include "explain/rules.hpp"

namespace mines {

// Find two layouts: a hidden cell is safe in the first and a mine in the second. Otherwise they differ only in cells as
// near to it as possible. Equal views give equal layouts. Returns inconsistent if the cell is known, or no layout fits.
Fit find_counterexample(const View& view, int cell, CellBytes& safe, CellBytes& mined);

}  // namespace mines
