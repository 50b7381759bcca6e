// Chains of deductions: the shortest way from a position to a safe cell.
#pragma once

#include <vector>

#include "explain/sentences.hpp"

namespace mines {

// Find the shortest chain of deductions to a safe cell: the steps of the mines that it rests on, then its own. A step
// has only the cells that the chain needs. `flagged` marks mines that need no step; marks on other cells change
// nothing. The chain is empty if no cell is safe.
Fit find_chain(const View& view, const CellBytes& flagged, std::vector<HintStep>& out);

}  // namespace mines
