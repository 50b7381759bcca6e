#include "explain/counterexample.hpp"

#include <cstddef>
#include <vector>

namespace mines {

Fit find_counterexample(const View& view, int cell, CellBytes& safe, CellBytes& mined) {
    Closure without = closure_of(view);
    const Index asked = without.field().from_number(cell);
    without.mark(asked, false);
    Fit fit = example_layout(without, safe);
    if (fit != Fit::ok) return fit;
    // The cells around `cell` that may change, and those of them that the last step has added.
    CellBytes near(view.cells.size());
    near[cell] = 1;
    std::vector<int> added(1, cell), next;
    do {
        next.clear();
        for (const int from : added)
            view.grid->each_around(from, [&](int to) {
                if (near[to] == 0) next.push_back(to);
                near[to] = 1;
            });
        added.swap(next);
        Closure with = closure_of(view);
        with.mark(asked, true);
        for (std::size_t i = 0; i < near.size(); ++i)
            if (view.cells[i] == kHidden && near[i] == 0)
                with.mark(with.field().from_number(static_cast<int>(i)), safe[i] != 0);
        fit = example_layout(with, mined);
    } while (fit == Fit::inconsistent && !added.empty());
    return fit;
}

}  // namespace mines
