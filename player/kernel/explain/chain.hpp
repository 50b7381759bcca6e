// Chains of deductions: the shortest way from a position to a safe cell.
#pragma once

#include <vector>

#include "explain/sentences.hpp"

namespace mines {

// Find the shortest chain: the steps of the mines that a safe cell rests on, then its own, each with its sentence. A
// step has only the cells that the chain needs. Mines marked by `flags`, one byte a cell, need no step. The chain is
// empty if no cell is safe.
Fit find_chain(const View& view, const CellBytes& flags, std::vector<Hint>& chain, std::vector<Sentence>& says);

}  // namespace mines
