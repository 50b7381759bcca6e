// The closure and the chances of many views, in arrays of the caller.
#pragma once

#include <vector>

#include "explain/view.hpp"

namespace mines {

// The results of a view, with an element for each cell. Marks are zero before.
struct SolvedArrays {
    bool* safe;
    bool* mine;
    std::uint8_t* tiers;  // of the deduction of each known cell
    double* chances;      // null to count nothing
    double* log_layouts;  // one number: -infinity if no layout fits, NaN if they were not counted
};

// Solves views one by one, and keeps the memory.
class ViewSolver {
  public:
    // Marks are written as they are found, so they hold if an interrupt ends the call; `log_layouts` is then infinity
    // while they are counted. Returns false if a component is too wide for the closure to be complete.
    bool solve(const View& view, const SolvedArrays& out);

  private:
    bool close(const SolvedArrays& out);

    Closure closure_;
    Counter counter_;
    std::vector<Step> steps_;
    std::vector<double> shares_;
};

}  // namespace mines
