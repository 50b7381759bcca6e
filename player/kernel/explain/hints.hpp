// Hints: the easiest next deduction of a view, all deductions of its solution path, and the smallest reason for a cell.
// player/logic/reasons.py defines them. Cells of `given` count as known.
#pragma once

#include <cstddef>
#include <vector>

#include "explain/path.hpp"
#include "explain/view.hpp"

namespace mines {

// Cells that follow in the same way, with the clues from which they follow, by number and ascending. The tier is 0 if
// nothing follows.
using Hint = PathStep;

// Find the easiest next deduction.
Fit find_hint(const View& view, const CellBytes& given, Hint& out);

// Find a set of clues that forces a hidden cell: the first of the smallest sets if these have at most `most_clues`,
// otherwise a minimal set. The tier is 0 if the cell may be a mine or safe.
Fit find_reason(const View& view, const CellBytes& given, int cell, int most_clues, Hint& out);

// List disjoint sets of clues, without the `chosen` ones, from each of which every set that forces a known cell needs a
// clue. The list is empty if the chosen clues force the cell.
Fit find_corrections(const View& view, const CellBytes& given, int cell, const std::vector<int>& chosen,
                     std::vector<std::vector<int>>& out);

// Find the first `most_steps` steps of the solution path of a view.
Fit find_view_path(const View& view, const CellBytes& given, std::size_t most_steps, Paths& out);

// List the steps of the solution path of a view, until its closure is known. A step of two clues is two hints if each
// of them has cells of its own.
Fit list_hints(const View& view, std::vector<Hint>& out);

}  // namespace mines
