#include "explain/view.hpp"

#include <algorithm>
#include <cstddef>

#include "base/interrupt.hpp"
#include "base/random.hpp"

namespace mines {
namespace {

// Count the layouts that fit a closure, and pass the counter and an array with 1 at known mines to `use`.
template <class Use>
Fit with_layouts(Closure& closure, Use use) {
    const Field& field = closure.field();
    Counter counter;
    const Fit fit = count_layouts(closure, counter);
    if (fit != Fit::ok) return fit;
    CellBytes mine(field.state.size(), 0);
    for (Index i = 0; i < field.size(); ++i) mine[i] = field.state[i] == kMine;
    use(counter, mine);
    return Fit::ok;
}

void copy_cells(const Field& field, const CellBytes& from, std::uint8_t* to) {
    field.each_cell([&](Index, Index cell) { *to++ = from[cell]; });
}

}  // namespace

View hidden_view(const GridRef& grid, int mines) {
    View view{grid, mines, std::vector<std::int8_t>(static_cast<std::size_t>(grid->size()), kHidden)};
    grid->each_hole([&view](int hole) { view.cells[hole] = 0; });
    return view;
}

bool all_hidden(const View& view) {
    return std::count(view.cells.begin(), view.cells.end(), kHidden) == view.grid->cell_count();
}

void load_view(const View& view, const CellBytes& given, Closure& closure) {
    closure.reset(view.grid, view.mines, view.spare, view.odds);
    closure.field().each_cell([&](Index number, Index cell) {
        if (view.cells[number] != kHidden) {
            closure.open(cell, view.cells[number]);
        } else if (!given.empty() && given[number] != kMaybe) {
            closure.mark(cell, given[number] == kKnownMine);
        }
    });
}

Closure closure_of(const View& view, const CellBytes& given) {
    Closure closure;
    load_view(view, given, closure);
    return closure;
}

Fit complete(Closure& closure, CellBytes& known, bool counted) {
    std::vector<Step> steps;
    std::size_t count = 0;
    do {
        const Fit fit = closure.next_round(steps, count, counted);
        if (fit != Fit::ok) return fit;
    } while (count > 0);
    const Field& field = closure.field();
    known.assign(static_cast<std::size_t>(field.grid()->size()), kMaybe);
    field.each_cell([&](Index number, Index cell) {
        if (field.state[cell] == kSafe) known[number] = kKnownSafe;
        if (field.state[cell] == kMine) known[number] = kKnownMine;
    });
    return Fit::ok;
}

Fit count_layouts(Closure& closure, Counter& counter) {
    closure.apply_few_clues();
    return closure.inconsistent() ? Fit::inconsistent : counter.count(closure.field());
}

Fit find_chances(const View& view, const CellBytes& given, Chances& out) {
    Closure closure = closure_of(view, given);
    Counter counter;
    const Fit fit = count_layouts(closure, counter);
    if (fit != Fit::ok) return fit;
    const Field& field = closure.field();
    std::vector<double> shares(field.state.size(), 0);
    counter.probabilities(shares.data());
    out.log_layouts = counter.log_layouts();
    out.mine.assign(view.cells.size(), kNaN);
    field.each_cell([&](Index number, Index cell) {
        if (view.cells[number] == kHidden) out.mine[number] = field.state[cell] == kMine ? 1 : shares[cell];
    });
    return Fit::ok;
}

Fit draw_layouts(Closure& closure, std::uint64_t seed, std::uint64_t first_stream, std::size_t count,
                 std::uint8_t* mine) {
    return with_layouts(closure, [&](Counter& counter, CellBytes& drawn) {
        for (std::size_t i = 0; i < count; ++i, mine += closure.field().grid()->size()) {
            check_interrupt_now();
            RandomWords words(seed, first_stream + i);
            counter.sample(words, drawn.data());
            copy_cells(closure.field(), drawn, mine);
        }
    });
}

Fit draw_layout(Closure& closure, std::uint64_t seed, std::uint64_t stream, CellBytes& mine) {
    mine.resize(static_cast<std::size_t>(closure.field().grid()->size()));
    return draw_layouts(closure, seed, stream, 1, mine.data());
}

Fit example_layout(Closure& closure, CellBytes& mine) {
    mine.resize(static_cast<std::size_t>(closure.field().grid()->size()));
    return with_layouts(closure, [&](Counter& counter, CellBytes& chosen) {
        counter.example(chosen.data());
        copy_cells(closure.field(), chosen, mine.data());
    });
}

}  // namespace mines
