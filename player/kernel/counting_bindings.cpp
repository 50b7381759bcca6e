// Counting for Python, used by player/logic/probability.py, which checks and documents.
#include "counting_bindings.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>

#include <array>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "closure.hpp"
#include "counting.hpp"
#include "random.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace mines {
namespace {

using Shares = Array<double, 2>;
using Layouts = Array<std::uint8_t, 3>;

// A view with what one and two clues say, which makes its components smaller.
Closure close(const Cells& cells, int mines) {
    const int rows = static_cast<int>(cells.shape(0));
    const int cols = static_cast<int>(cells.shape(1));
    check_sides(rows, cols);
    Closure closure(rows, cols, mines);
    for (int row = 0; row < rows; ++row) {
        for (int col = 0; col < cols; ++col) {
            const int clue = cells(row, col);
            expect(-1 <= clue && clue <= 8, "-1 (hidden) or a clue 0 to 8 in each cell");
            if (clue >= 0) closure.open(closure.grid().at(row, col), clue);
        }
    }
    Step step;
    do {
        closure.one_clue(step);
        if (step.empty()) closure.two_clues(step);
    } while (!step.empty() && !closure.inconsistent());
    return closure;
}

Fit count(Counter& counter, const Closure& closure) {
    return closure.inconsistent() ? Fit::none : counter.count(closure.grid(), CountLimits{});
}

// Fill `mine` with every cell's probability and return the logarithm of the number of layouts.
std::pair<Fit, double> probabilities(const Cells& cells, int mines, const Shares& mine) {
    if (mine.shape(0) != cells.shape(0) || mine.shape(1) != cells.shape(1))
        throw std::invalid_argument("expected arrays of the same shape");
    const nb::gil_scoped_release unlocked;
    const Closure closure = close(cells, mines);
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

// For each clue that the hidden cell could show, the logarithm of the number of layouts in which it does.
std::pair<Fit, std::array<double, 9>> clue_layouts(const Cells& cells, int mines, int row, int col) {
    if (row < 0 || col < 0 || row >= static_cast<int>(cells.shape(0)) || col >= static_cast<int>(cells.shape(1)) ||
        cells(row, col) >= 0)
        throw std::invalid_argument("expected a hidden cell");
    const nb::gil_scoped_release unlocked;
    const Closure before = close(cells, mines);
    std::array<double, 9> logs;
    logs.fill(-std::numeric_limits<double>::infinity());
    Counter counter;
    if (before.inconsistent()) return {Fit::none, logs};
    for (int clue = 0; clue <= 8; ++clue) {
        Closure after = before;
        after.open(after.grid().at(row, col), clue);
        const Fit fit = count(counter, after);
        if (fit == Fit::too_wide) return {fit, logs};
        if (fit == Fit::ok) logs[clue] = counter.log_layouts();
    }
    return {Fit::ok, logs};
}

// Fill `layouts` with layouts drawn uniformly: 1 for a mine, 0 for any other cell.
Fit sample_layouts(const Cells& cells, int mines, std::uint64_t seed, const Layouts& layouts) {
    if (layouts.shape(1) != cells.shape(0) || layouts.shape(2) != cells.shape(1))
        throw std::invalid_argument("expected layouts of the shape of the view");
    const nb::gil_scoped_release unlocked;
    const Closure closure = close(cells, mines);
    const Grid& grid = closure.grid();
    Counter counter;
    const Fit fit = count(counter, closure);
    if (fit != Fit::ok) return fit;
    std::vector<std::uint8_t> out(grid.state.size());
    for (Index i = 0; i < grid.size(); ++i) out[i] = grid.state[i] == kMine;
    for (std::size_t number = 0; number < layouts.shape(0); ++number) {
        Words words(seed, number);
        counter.sample(words, out.data());
        for (int row = 0; row < grid.rows; ++row)
            for (int col = 0; col < grid.cols; ++col) layouts(number, row, col) = out[grid.at(row, col)];
    }
    return fit;
}

}  // namespace

void bind_counting(nb::module_& module) {
    nb::enum_<Fit>(module, "Fit").value("OK", Fit::ok).value("NONE", Fit::none).value("TOO_WIDE", Fit::too_wide);
    module.def("probabilities", &probabilities, "cells"_a.noconvert(), "mines"_a, "mine"_a.noconvert());
    module.def("clue_layouts", &clue_layouts, "cells"_a.noconvert(), "mines"_a, "row"_a, "col"_a);
    module.def("sample_layouts", &sample_layouts, "cells"_a.noconvert(), "mines"_a, "seed"_a, "layouts"_a.noconvert());
}

}  // namespace mines
