// The best possible play for Python, used by player/optimal.py, which checks and documents.
#include "optimal_bindings.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "interrupts.hpp"
#include "optimal.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace mines {
namespace {

// Solved, wins, states remembered.
std::tuple<bool, std::int64_t, std::size_t> optimal(int rows, int cols, const std::vector<std::uint32_t>& layouts,
                                                    std::size_t most_states) {
    if (rows < 1 || cols < 1 || rows > Optimal::kMostCells || cols > Optimal::kMostCells ||
        rows * cols > Optimal::kMostCells)
        throw std::invalid_argument("expected a board of 1 to 32 cells");
    if (layouts.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        throw std::invalid_argument("expected fewer layouts");
    const int cells = rows * cols;
    if (cells < 32 && std::any_of(layouts.begin(), layouts.end(), [&](std::uint32_t one) { return one >> cells != 0; }))
        throw std::invalid_argument("expected mines on the board");
    const nb::gil_scoped_release unlocked;
    Interrupts interrupts;
    Optimal game(rows, cols, most_states, [&interrupts] { interrupts.poll(); });
    const bool solved = game.solve(layouts);
    return {solved, game.wins(), game.states()};
}

}  // namespace

void bind_optimal(nb::module_& module) {
    module.def("optimal", &optimal, "rows"_a, "cols"_a, "layouts"_a, "most_states"_a);
}

}  // namespace mines
