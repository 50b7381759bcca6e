// Deductions with the cells that they take as known: the way to the first safe cell.
#pragma once

#include <vector>

#include "explain/hints.hpp"

namespace mines {

// A deduction, and the cells that count as known for it: a `Known` for each cell.
struct HintStep {
    Hint hint;
    CellBytes given;
};

// Find the shortest chain of deductions to a safe cell: the steps of the mines that it rests on, then its own. A step
// has only the cells that the chain needs. `flagged` marks mines that need no step. The chain is empty if no cell is
// safe.
Fit find_chain(const View& view, const CellBytes& flagged, std::vector<HintStep>& out);

// Find the first safe cells that the easiest deductions lead to, all of which count as known for the next. The tier is
// 0 if no cell is safe.
Fit find_easiest_safe(const View& view, HintStep& out);

}  // namespace mines
