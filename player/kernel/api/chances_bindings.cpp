// Mine probabilities, and counts and samples of layouts.
#include <algorithm>
#include <limits>
#include <optional>

#include "api/bindings.hpp"
#include "count/counting.hpp"

namespace mines {
namespace {

using Views = Array<const std::int8_t, 3>;
using Layouts = Array<std::uint8_t, 3>;

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
    // Fill the elements of view `number`, whose marks are zero before. Marks are written as they are found, so they
    // hold if an interrupt ends the call. Returns false if a component is too wide for the closure to be complete.
    bool solve(const Views& views, std::int32_t mines, const NativeGrid& grid, const SolvedArrays& out,
               std::size_t number) {
        const std::size_t size = views.shape(1) * views.shape(2);
        read_view(views.data() + number * size, mines, grid, view_);
        load_view(view_, {}, closure_);
        const Field& field = closure_.field();
        bool* const safe = out.safe.data() + number * size;
        bool* const mine = out.mine.data() + number * size;
        std::uint8_t* const tiers = out.tiers.data() + number * size;
        double* const chances = out.chances ? out.chances->data() + number * size : nullptr;
        double& log_layouts = out.log_layouts(number);
        log_layouts = kNaN;
        if (chances != nullptr) std::fill_n(chances, size, kNaN);
        const bool complete = close(safe, mine, tiers);
        if (closure_.inconsistent() || field.mines_left < 0 || field.mines_left > field.unknown_left) {
            log_layouts = -kInfinity;
        } else if (chances != nullptr) {
            if (complete) log_layouts = kInfinity;  // if an interrupt ends the count
            const Fit fit = counter_.count(field);
            log_layouts = fit == Fit::inconsistent ? -kInfinity : kNaN;
            chances_.assign(field.state.size(), kNaN);
            if (fit == Fit::ok) {
                log_layouts = counter_.log_layouts();
                counter_.probabilities(chances_.data());
            }
        }
        if (log_layouts == -kInfinity) {
            std::fill_n(safe, size, false);
            std::fill_n(mine, size, false);
            std::fill_n(tiers, size, std::uint8_t{0});
            return true;
        }
        if (chances != nullptr)
            field.each_cell([&](Index cell, Index place) {
                chances[cell] = safe[cell] ? 0 : mine[cell] ? 1 : chances_[place];
            });
        return complete;
    }

  private:
    static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    static constexpr double kInfinity = std::numeric_limits<double>::infinity();

    // Decide every cell that follows, and write it with its tier.
    bool close(bool* safe, bool* mine, std::uint8_t* tiers) {
        const Field& field = closure_.field();
        for (std::size_t count = 1; count > 0;) {
            const Fit fit = closure_.next_round(steps_, count);
            if (fit != Fit::ok) return fit == Fit::inconsistent;
            for (std::size_t i = 0; i < count; ++i) {
                const auto tier = static_cast<std::uint8_t>(steps_[i].tier);
                for (const Index cell : steps_[i].safe) safe[field.number(cell)] = true;
                for (const Index cell : steps_[i].mines) mine[field.number(cell)] = true;
                for (const auto* const cells : {&steps_[i].safe, &steps_[i].mines})
                    for (const Index cell : *cells) tiers[field.number(cell)] = tier;
            }
        }
        return true;
    }

    View view_;
    Closure closure_;
    Counter counter_;
    std::vector<Step> steps_;
    std::vector<double> chances_;
};

// Solve views of one size; the marks are zero before. Returns the numbers of those with a component too wide for the
// closure to be complete.
std::vector<std::size_t> solve_views(const Views& views, const Array<const std::int32_t, 1>& mines,
                                     const NativeGrid& grid, const Array<bool, 3>& safe, const Array<bool, 3>& mine,
                                     const Array<std::uint8_t, 3>& tiers, const Array<double, 1>& log_layouts,
                                     const std::optional<Array<double, 3>>& chances) {
    check_size(views.shape(1), views.shape(2), grid);
    const auto same_shape = [&](const auto& map) {
        return map.shape(0) == views.shape(0) && map.shape(1) == views.shape(1) && map.shape(2) == views.shape(2);
    };
    expect(same_shape(safe) && same_shape(mine) && same_shape(tiers) && (!chances || same_shape(*chances)),
           "maps of the size of the views");
    expect(mines.size() == views.shape(0) && log_layouts.size() == views.shape(0), "a number for each view");
    const auto room = static_cast<std::int64_t>(views.shape(1) * views.shape(2));
    for (std::size_t i = 0; i < mines.size(); ++i)
        expect(0 <= mines(i) && mines(i) <= room, "0 to ", room, " on ", views.shape(1), "x", views.shape(2),
               " views: mines ", mines(i));
    const SolvedArrays out{safe, mine, tiers, log_layouts, chances};
    std::vector<std::size_t> incomplete;
    KernelCall call;
    ViewSolver solver;
    for (std::size_t i = 0; i < views.shape(0); ++i) {
        call.poll();
        if (!solver.solve(views, mines(i), grid, out, i)) incomplete.push_back(i);
    }
    return incomplete;
}

// Return the mines left, the number of unconstrained cells, and of each component the least mines of its layouts with
// the exact numbers of layouts from there on; or none if a double cannot hold one of them.
nb::object exact_counts(const Cells& cells, int mines, const NativeGrid& grid) {
    const View view = read_view(cells, mines, grid);
    Counter counter;
    int left = 0;
    compute_on(view, [&] {
        Closure closure = closure_of(view);
        const Fit fit = count_layouts(closure, counter);
        left = closure.field().mines_left;
        return fit;
    });
    const auto weights = counter.exact_weights();
    if (!weights) return nb::none();
    nb::list components;
    for (const CountWeights& one : *weights) components.append(nb::make_tuple(one.low, nb::cast(one.numbers)));
    return nb::make_tuple(left, counter.unconstrained(), components);
}

// Return the logarithm of the number of layouts for each clue that the hidden cell may show.
std::array<double, 9> clue_layouts(const Cells& cells, int mines, const NativeGrid& grid, int row, int col) {
    if (row < 0 || col < 0 || row >= static_cast<int>(cells.shape(0)) || col >= static_cast<int>(cells.shape(1)) ||
        cells(row, col) >= 0)
        expect(false, "a hidden cell: ", row, ",", col);
    std::array<double, 9> logs;
    logs.fill(-std::numeric_limits<double>::infinity());
    const View view = read_view(cells, mines, grid);
    compute_on(view, [&] {
        Closure before = closure_of(view);
        before.apply_few_clues();
        Counter counter;
        for (int clue = 0; clue <= 8 && !before.inconsistent(); ++clue) {
            Closure after = before;
            after.open(after.field().at(row, col), clue);
            const Fit fit = after.inconsistent() ? Fit::inconsistent : counter.count(after.field());
            if (fit == Fit::too_wide) return fit;
            if (fit == Fit::ok) logs[clue] = counter.log_layouts();
        }
        return Fit::ok;
    });
    return logs;
}

// Fill `layouts` with uniform random layouts: 1 for a mine, 0 for any other cell.
void sample_layouts(const Cells& cells, int mines, const NativeGrid& grid, std::uint64_t seed, const Layouts& layouts) {
    expect(layouts.shape(1) == cells.shape(0) && layouts.shape(2) == cells.shape(1), "layouts of the size of the view");
    const View view = read_view(cells, mines, grid);
    compute_on(view, [&] {
        Closure closure = closure_of(view);
        return draw_layouts(closure, seed, 0, layouts.shape(0), layouts.data());
    });
}

}  // namespace

void bind_chances(nb::module_& module) {
    module.def("solve_views", &solve_views, "views"_a.noconvert(), "mines"_a.noconvert(), "grid"_a,
               "safe"_a.noconvert(), "mine"_a.noconvert(), "tiers"_a.noconvert(), "log_layouts"_a.noconvert(),
               "chances"_a.noconvert().none());
    module.def("exact_counts", &exact_counts, "cells"_a.noconvert(), "mines"_a, "grid"_a);
    module.def("clue_layouts", &clue_layouts, "cells"_a.noconvert(), "mines"_a, "grid"_a, "row"_a, "col"_a);
    module.def("sample_layouts", &sample_layouts, "cells"_a.noconvert(), "mines"_a, "grid"_a, "seed"_a,
               "layouts"_a.noconvert());
}

}  // namespace mines
