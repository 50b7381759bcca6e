#include "explain/hints.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "logic/easy_rules.hpp"
#include "logic/reasons.hpp"

namespace mines {
namespace {

// Neighbours of a clue, by number, ascending.
std::vector<int> neighbours_in(const Field& field, Index clue, unsigned mask) {
    std::vector<int> cells;
    for (unsigned bits = mask; bits != 0; bits &= bits - 1)
        cells.push_back(field.number(clue + field.steps(clue)[lowest_bit(bits)]));
    return cells;
}

bool is_open(const Field& field, Index cell) { return field.state[cell] == kOpen; }

// Whether a clue alone decides its unknown cells.
bool alone(const Field& field, Index clue) {
    return field.mask[clue] != 0 && decides_alone(field.need[clue], popcount(field.mask[clue]));
}

// Return the value that two clues give to the own cells of `at`: 1 for mines, 0 for safe cells, -1 for none. `other` is
// at offset `d`.
int pair_value(const Field& field, Index at, Index other, int d) {
    const OwnCells own = own_cells(field.mask[at], field.mask[other], d);
    if (own.first == 0 || own.first == field.mask[at] || !is_open(field, other)) return -1;
    return own_value(field.need[at], field.need[other], own);
}

// Set the clues of a deduction from one clue, or from two with the offset `d`, and the value of its cells.
void set_easy(const Field& field, Index at, int d, std::vector<int> cells, bool mine, Hint& out) {
    out.tier = d < 0 ? 1 : 2;
    out.clues = {field.number(at)};
    if (d >= 0) out.clues.push_back(field.number(at + field.pair_steps(at)[d]));
    std::sort(out.clues.begin(), out.clues.end());
    std::sort(cells.begin(), cells.end());
    out.of(mine) = std::move(cells);
}

// Find a reason of one or two clues for a cell.
bool reason_of_few(const Field& field, Index cell, Hint& out) {
    for (const int step : field.steps(cell)) {
        const Index at = cell + step;
        if (!is_open(field, at) || !alone(field, at)) continue;
        set_easy(field, at, -1, {field.number(cell)}, field.need[at] > 0, out);
        return true;
    }
    for (int k = 0; k < kNeighbours; ++k) {
        const Index at = cell + field.steps(cell)[k];
        if (!is_open(field, at)) continue;
        for (int d = 0; d < kPairs; ++d) {
            const Index other = at + field.pair_steps(at)[d];
            const int value = pair_value(field, at, other, d);
            if (value < 0 || (kShift[d][field.mask[other]] >> (kNeighbours - 1 - k) & 1) != 0) continue;
            set_easy(field, at, d, {field.number(cell)}, value == 1, out);
            return true;
        }
    }
    return false;
}

// Find a deduction from one or two clues. Safe cells come first, because they continue the game.
Fit hint_of_few(const Field& field, Hint& out) {
    Index satisfied = -1, filled = -1;
    for (Index at = field.size() - 1; at >= 0; --at) {
        if (!is_open(field, at)) continue;
        if (field.need[at] < 0 || field.need[at] > popcount(field.mask[at])) return Fit::inconsistent;
        if (alone(field, at)) (field.need[at] == 0 ? satisfied : filled) = at;
    }
    const Index decided = satisfied >= 0 ? satisfied : filled;
    if (decided >= 0)
        set_easy(field, decided, -1, neighbours_in(field, decided, field.mask[decided]), satisfied < 0, out);
    for (Index at = 0; at < field.size() && out.tier == 0; ++at) {
        for (int d = 0; d < kPairs && out.tier == 0 && is_open(field, at); ++d) {
            const Index other = at + field.pair_steps(at)[d];
            const int value = pair_value(field, at, other, d);
            if (value < 0) continue;
            const OwnCells own = own_cells(field.mask[at], field.mask[other], d);
            set_easy(field, at, d, neighbours_in(field, at, own.first), value == 1, out);
        }
    }
    return Fit::ok;
}

// Append a step of a path as hints.
void list_step(const Paths& path, std::size_t step, const View& view, std::vector<Hint>& out) {
    Hint whole = path.step(step);
    if (whole.tier > 2) return out.push_back(std::move(whole));
    for (const bool mine : {false, true}) {
        for (const int at : whole.clues) {
            std::vector<int> own;
            for (const int cell : whole.of(mine)) {
                const auto others = std::count_if(whole.clues.begin(), whole.clues.end(), [&](int clue) {
                    return clue != at && view.grid->are_neighbours(clue, cell);
                });
                if (others == 0 && view.grid->are_neighbours(at, cell)) own.push_back(cell);
            }
            if (own.empty()) continue;
            out.push_back({{whole.tier, {}, {}, whole.clues}, whole.smallest});
            out.back().of(mine) = std::move(own);
        }
    }
}

// Choose a layout that fits a closure.
#ifndef MINES_SMALL
Fit any_layout(Closure& closure, CellBytes& mine) { return draw_layout(closure, 0, 0, mine); }
#else
// Decide one cell after the other, because counting would be a third of the code that hints need. It fails where a
// component is too wide for the closure.
Fit any_layout(Closure& closure, CellBytes& mine) {
    const Field& field = closure.field();
    CellBytes known;
    for (Index undecided = -1; undecided != 0;) {
        const Fit fit = complete(closure, known);
        if (fit != Fit::ok) return fit;
        undecided = 0;
        for (Index clue = 0; clue < field.size() && undecided == 0; ++clue)
            if (field.state[clue] == kOpen && field.mask[clue] != 0)
                for (const int by : field.steps(clue))
                    if (field.state[clue + by] == kUnknown) undecided = clue + by;
        if (undecided != 0) closure.mark(undecided, false);
    }
    mine.assign(known.size(), 0);
    int left = field.mines_left;
    field.each_cell([&](Index number, Index cell) {
        mine[number] = field.state[cell] == kMine || (field.state[cell] == kUnknown && left-- > 0);
    });
    return Fit::ok;
}
#endif

// The search for the clues that force a cell.
struct ReasonSearch {
    Index target = 0;
    bool is_known = false;
    bool counted = false;  // whether the cell needs the mine count
    std::vector<int> clues;
    CellBytes layout;
    SmallestReasons reasons;

    Fit set_position(const View& view, const CellBytes& given, int cell) {
        Closure closure = closure_of(view, given);
        const Field& field = closure.field();
        target = field.from_number(cell);
        Closure deduced = closure;
        CellBytes known;
        Fit fit = complete(deduced, known, false);
        counted = fit == Fit::ok && known[cell] == kMaybe;
        if (counted) fit = complete(deduced, known);
        is_known = fit == Fit::ok && known[cell] != kMaybe;
        if (!is_known) return fit;
        deduced = closure;
        fit = any_layout(deduced, layout);
        if (fit != Fit::ok) return fit;

        std::vector<Index> places, unconstrained;
        if (counted) {
            for (Index at = 0; at < field.size(); ++at)
                if (is_open(field, at) && field.mask[at] != 0) places.push_back(at);
            field.list_unconstrained(unconstrained);
        } else {
            Component component;
            for (const int step : field.steps(target))
                if (is_open(field, target + step)) closure.component(target + step, component);
            places = component.clues;
            std::sort(places.begin(), places.end());
        }
        for (const Index at : places) clues.push_back(field.number(at));
        std::vector<std::int8_t> truth(field.state.size(), 0);
        for (std::size_t i = 0; i < layout.size(); ++i)
            if (layout[i] != 0) truth[field.from_number(static_cast<Index>(i))] = -1;
        reasons.set_position(field, places, unconstrained, truth);
        return Fit::ok;
    }
};

}  // namespace

Fit find_view_path(const View& view, const CellBytes& given, std::size_t most_steps, Paths& out) {
    Closure simplified = closure_of(view, given);
    CellBytes layout;
    const Fit fit = any_layout(simplified, layout);
    if (fit != Fit::ok) return fit;
    PathFinder().find(closure_of(view, given), layout, out, most_steps);
    return out.too_wide.back() != 0 ? Fit::too_wide : Fit::ok;
}

Fit find_hint(const View& view, const CellBytes& given, Hint& out) {
    out = {};
    Fit fit = hint_of_few(closure_of(view, given).field(), out);
    if (fit != Fit::ok || out.tier != 0) return fit;
    Paths path;
    fit = find_view_path(view, given, 1, path);
    if (fit != Fit::ok || path.tier.empty()) return fit;
    std::vector<Hint> found;
    list_step(path, 0, view, found);
    out = found.front();
    return Fit::ok;
}

Fit list_hints(const View& view, std::vector<Hint>& out) {
    out.clear();
    Paths path;
    const Fit fit = find_view_path(view, {}, std::numeric_limits<std::size_t>::max(), path);
    for (std::size_t step = 0; fit == Fit::ok && step < path.tier.size(); ++step) list_step(path, step, view, out);
    return fit;
}

Fit find_reason(const View& view, const CellBytes& given, int cell, int most_clues, Hint& out) {
    out = {};
    const Closure closure = closure_of(view, given);
    if (reason_of_few(closure.field(), closure.field().from_number(cell), out)) return Fit::ok;
    ReasonSearch search;
    const Fit fit = search.set_position(view, given, cell);
    if (fit != Fit::ok || !search.is_known) return fit;
    std::vector<int> set;
    out.smallest =
        search.reasons.first_smallest({search.target}, search.counted, search.counted ? 0 : 3, most_clues, set);
    out.tier = search.counted ? 4 : 3;
    const bool mine = search.layout[static_cast<std::size_t>(cell)] != 0;
    out.of(mine) = {cell};
    for (const int at : set) out.clues.push_back(search.clues[static_cast<std::size_t>(at)]);
    if (out.smallest) return Fit::ok;
    std::vector<Index> places;
    for (const int clue : search.clues) places.push_back(closure.field().from_number(clue));
    Step step;
    minimal_step(closure, places, search.target, mine, search.counted, step);
    for (const Index clue : step.clues) out.clues.push_back(closure.field().number(clue));
    return Fit::ok;
}

Fit find_corrections(const View& view, const CellBytes& given, int cell, const std::vector<int>& chosen,
                     std::vector<std::vector<int>>& out) {
    out.clear();
    ReasonSearch search;
    const Fit fit = search.set_position(view, given, cell);
    if (fit != Fit::ok || !search.is_known) return fit;
    std::vector<int> kept, found;
    for (std::size_t at = 0; at < search.clues.size(); ++at)
        if (std::find(chosen.begin(), chosen.end(), search.clues[at]) != chosen.end())
            kept.push_back(static_cast<int>(at));
    while (true) {
        search.reasons.find_correction(search.target, search.counted, kept, found);
        if (found.empty()) return Fit::ok;
        out.emplace_back();
        for (const int at : found) out.back().push_back(search.clues[static_cast<std::size_t>(at)]);
        kept.insert(kept.end(), found.begin(), found.end());
    }
}

}  // namespace mines
