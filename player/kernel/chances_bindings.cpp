// Mine probabilities, and counts and samples of layouts.
#include <limits>

#include "bindings.hpp"
#include "counting.hpp"
#include "random.hpp"

namespace mines {
namespace {

using Shares = Array<double, 2>;
using Layouts = Array<std::uint8_t, 3>;

// Apply tiers 1 and 2, which makes the components smaller.
Closure simplify(const Cells& cells, int mines) {
    Closure closure = read_view(cells, mines);
    Step step;
    do {
        closure.one_clue(step);
        if (step.empty()) closure.two_clues(step);
    } while (!step.empty() && !closure.inconsistent());
    return closure;
}

Fit count(Counter& counter, const Closure& closure) {
    return closure.inconsistent() ? Fit::inconsistent : counter.count(closure.grid());
}

// Fill `mine` with the mine probability of every cell and return the logarithm of the number of layouts.
std::pair<Fit, double> probabilities(const Cells& cells, int mines, const Shares& mine) {
    check_shape(mine, cells);
    const KernelCall call;
    const Closure closure = simplify(cells, mines);
    const Grid& grid = closure.grid();
    Counter counter;
    const Fit fit = count(counter, closure);
    if (fit != Fit::ok) return {fit, 0};
    std::vector<double> out(grid.state.size(), 0);
    counter.probabilities(out.data());
    for (int row = 0; row < grid.rows; ++row) {
        for (int col = 0; col < grid.cols; ++col) {
            const Index i = grid.at(row, col);
            mine(row, col) = grid.state[i] == kOpen   ? std::numeric_limits<double>::quiet_NaN()
                             : grid.state[i] == kMine ? 1.0
                                                      : out[i];
        }
    }
    return {fit, counter.log_layouts()};
}

// Return the logarithm of the number of layouts for each clue that the hidden cell may show.
std::pair<Fit, std::array<double, 9>> clue_layouts(const Cells& cells, int mines, int row, int col) {
    if (row < 0 || col < 0 || row >= static_cast<int>(cells.shape(0)) || col >= static_cast<int>(cells.shape(1)) ||
        cells(row, col) >= 0)
        expect(false, "a hidden cell: ", row, ",", col);
    const KernelCall call;
    const Closure before = simplify(cells, mines);
    std::array<double, 9> logs;
    logs.fill(-std::numeric_limits<double>::infinity());
    Counter counter;
    if (before.inconsistent()) return {Fit::inconsistent, logs};
    for (int clue = 0; clue <= 8; ++clue) {
        Closure after = before;
        after.open(after.grid().at(row, col), clue);
        const Fit fit = count(counter, after);
        if (fit == Fit::too_wide) return {fit, logs};
        if (fit == Fit::ok) logs[clue] = counter.log_layouts();
    }
    return {Fit::ok, logs};
}

// Fill `layouts` with uniform random layouts: 1 for a mine, 0 for any other cell.
Fit sample_layouts(const Cells& cells, int mines, std::uint64_t seed, const Layouts& layouts) {
    expect(layouts.shape(1) == cells.shape(0) && layouts.shape(2) == cells.shape(1), "layouts of the size of the view");
    KernelCall call;
    const Closure closure = simplify(cells, mines);
    const Grid& grid = closure.grid();
    Counter counter;
    const Fit fit = count(counter, closure);
    if (fit != Fit::ok) return fit;
    std::vector<std::uint8_t> out(grid.state.size());
    for (Index i = 0; i < grid.size(); ++i) out[i] = grid.state[i] == kMine;
    for (std::size_t number = 0; number < layouts.shape(0); ++number) {
        call.poll();
        RandomWords words(seed, number);
        counter.sample(words, out.data());
        for (int row = 0; row < grid.rows; ++row)
            for (int col = 0; col < grid.cols; ++col) layouts(number, row, col) = out[grid.at(row, col)];
    }
    return fit;
}

}  // namespace

void bind_chances(nb::module_& module) {
    nb::enum_<Fit>(module, "Fit")
        .value("OK", Fit::ok)
        .value("INCONSISTENT", Fit::inconsistent)
        .value("TOO_WIDE", Fit::too_wide);
    module.def("probabilities", &probabilities, "cells"_a.noconvert(), "mines"_a, "mine"_a.noconvert());
    module.def("clue_layouts", &clue_layouts, "cells"_a.noconvert(), "mines"_a, "row"_a, "col"_a);
    module.def("sample_layouts", &sample_layouts, "cells"_a.noconvert(), "mines"_a, "seed"_a, "layouts"_a.noconvert());
}

}  // namespace mines
