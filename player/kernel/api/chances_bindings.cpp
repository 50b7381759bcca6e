// Mine probabilities, and counts and samples of layouts.
#include <algorithm>
#include <limits>
#include <optional>

#include "api/bindings.hpp"
#include "base/random.hpp"
#include "count/counting.hpp"

namespace mines {
namespace {

using Shares = Array<double, 2>;
using Views = Array<const std::int8_t, 3>;
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

// The arrays of `solve_views`, with an element for each cell of each view; `log_layouts` has one for each view.
struct SolvedArrays {
    Array<bool, 3> safe;
    Array<bool, 3> mine;
    Array<std::uint8_t, 3> tiers;
    Array<double, 1> log_layouts;
    std::optional<Array<double, 3>> chances;
};

// Solves the views of one size, one by one, and keeps the memory.
class ViewSolver {
  public:
    // Fill the elements of view `number`. Returns false if a component is too wide for the closure to be complete.
    bool solve(const Views& views, std::int32_t mines, const SolvedArrays& out, std::size_t number) {
        const std::size_t size = views.shape(1) * views.shape(2);
        read_view(views.data() + number * size, nullptr, static_cast<int>(views.shape(1)),
                  static_cast<int>(views.shape(2)), mines, closure_);
        const Grid& grid = closure_.grid();
        tiers_.assign(grid.state.size(), 0);
        const bool complete = close();
        double& log_layouts = out.log_layouts(number);
        const bool refuted =
            closure_.inconsistent() || grid.mines_left < 0 || grid.mines_left > grid.unknown_left;
        log_layouts = refuted ? -kInfinity : kNaN;
        chances_.assign(grid.state.size(), kNaN);
        if (out.chances && !refuted) {
            const Fit fit = counter_.count(grid);
            if (fit == Fit::inconsistent) log_layouts = -kInfinity;
            if (fit == Fit::ok) {
                log_layouts = counter_.log_layouts();
                counter_.probabilities(chances_.data());
            }
        }
        const bool fits = log_layouts != -kInfinity;
        bool* safe = out.safe.data() + number * size;
        bool* mine = out.mine.data() + number * size;
        std::uint8_t* tiers = out.tiers.data() + number * size;
        double* chances = out.chances ? out.chances->data() + number * size : nullptr;
        for (int row = 0; row < grid.rows; ++row) {
            const Index end = grid.at(row, grid.cols);
            for (Index i = grid.at(row, 0); i < end; ++i) {
                *safe++ = fits && grid.state[i] == kSafe;
                *mine++ = fits && grid.state[i] == kMine;
                *tiers++ = fits ? tiers_[i] : std::uint8_t{0};
                if (chances == nullptr) continue;
                const double known = grid.state[i] == kSafe ? 0 : grid.state[i] == kMine ? 1 : chances_[i];
                *chances++ = fits ? known : kNaN;
            }
        }
        return complete || !fits;
    }

  private:
    static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    static constexpr double kInfinity = std::numeric_limits<double>::infinity();

    // Decide every cell that follows, and note its tier.
    bool close() {
        while (!closure_.inconsistent()) {
            std::size_t count = 1;
            closure_.one_clue(steps_[0]);
            if (closure_.inconsistent()) break;
            if (steps_[0].empty()) closure_.two_clues(steps_[0]);
            if (closure_.inconsistent()) break;
            if (steps_[0].empty()) closure_.more_clues(steps_, count);
            if (closure_.inconsistent()) break;
            if (count == 0) {
                if (!closure_.mine_count(steps_[0])) return false;
                if (steps_[0].empty()) break;
                count = 1;
            }
            for (std::size_t i = 0; i < count; ++i) {
                const auto tier = static_cast<std::uint8_t>(steps_[i].tier);
                for (const Index cell : steps_[i].safe) tiers_[cell] = tier;
                for (const Index cell : steps_[i].mines) tiers_[cell] = tier;
            }
        }
        return true;
    }

    Closure closure_;
    Counter counter_;
    std::vector<Step> steps_{1};
    std::vector<std::uint8_t> tiers_;
    std::vector<double> chances_;
};

// Solve views of one size. Returns the numbers of those with a component too wide for the closure to be complete.
std::vector<std::size_t> solve_views(const Views& views, const Array<const std::int32_t, 1>& mines, const Array<bool, 3>& safe,
                                     const Array<bool, 3>& mine, const Array<std::uint8_t, 3>& tiers,
                                     const Array<double, 1>& log_layouts,
                                     const std::optional<Array<double, 3>>& chances) {
    check_sides(views.shape(1), views.shape(2));
    const auto same_shape = [&](const auto& map) {
        return map.shape(0) == views.shape(0) && map.shape(1) == views.shape(1) && map.shape(2) == views.shape(2);
    };
    expect(same_shape(safe) && same_shape(mine) && same_shape(tiers) && (!chances || same_shape(*chances)),
           "maps of the size of the views");
    expect(mines.size() == views.shape(0) && log_layouts.size() == views.shape(0), "a number for each view");
    const SolvedArrays out{safe, mine, tiers, log_layouts, chances};
    std::vector<std::size_t> incomplete;
    KernelCall call;
    ViewSolver solver;
    for (std::size_t i = 0; i < views.shape(0); ++i) {
        call.poll();
        if (!solver.solve(views, mines(i), out, i)) incomplete.push_back(i);
    }
    return incomplete;
}

// Return the mines left, the number of unconstrained cells, and of each component the least mines of its layouts with
// the exact numbers of layouts from there on; or none if a double cannot hold one of them.
std::pair<Fit, nb::object> exact_counts(const Cells& cells, int mines) {
    Counter counter;
    Fit fit;
    int left = 0;
    {
        const KernelCall call;
        const Closure closure = simplify(cells, mines);
        left = closure.grid().mines_left;
        fit = count(counter, closure);
    }
    const auto weights = fit == Fit::ok ? counter.exact_weights() : std::nullopt;
    if (!weights) return {fit, nb::none()};
    nb::list components;
    for (const CountWeights& one : *weights) components.append(nb::make_tuple(one.low, nb::cast(one.numbers)));
    return {fit, nb::make_tuple(left, counter.unconstrained(), components)};
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
    module.def("solve_views", &solve_views, "views"_a.noconvert(), "mines"_a.noconvert(), "safe"_a.noconvert(),
               "mine"_a.noconvert(), "tiers"_a.noconvert(), "log_layouts"_a.noconvert(),
               "chances"_a.noconvert().none());
    module.def("exact_counts", &exact_counts, "cells"_a.noconvert(), "mines"_a);
    module.def("clue_layouts", &clue_layouts, "cells"_a.noconvert(), "mines"_a, "row"_a, "col"_a);
    module.def("sample_layouts", &sample_layouts, "cells"_a.noconvert(), "mines"_a, "seed"_a, "layouts"_a.noconvert());
}

}  // namespace mines
