#include "explain/hints.hpp"

#include <algorithm>
#include <cstdint>

namespace mines {
namespace {

// The unknown cells around a clue, by number, ascending.
std::vector<int> unknown_around(const Grid& grid, Index clue) {
    std::vector<int> cells;
    for (unsigned bits = grid.mask[clue]; bits != 0; bits &= bits - 1)
        cells.push_back(grid.number(clue + grid.step[lowest_bit(bits)]));
    return cells;
}

bool is_open(const Grid& grid, Index cell) { return grid.state[cell] == kOpen; }

void set_cells(std::vector<int> cells, bool mine, Hint& out) {
    out.mine = mine;
    out.cell = cells.front();
    (mine ? out.mines : out.safe) = std::move(cells);
}

// Fill `out` if the clue alone decides its unknown cells.
bool decided_alone(const Grid& grid, Index clue) {
    return grid.mask[clue] != 0 && (grid.need[clue] == 0 || grid.need[clue] == popcount(grid.mask[clue]));
}

// Return the value that two clues give to the cells of `at` that `other`, at offset `d`, does not touch: 1 for mines, 0
// for safe cells, -1 for none.
int pair_value(const Grid& grid, Index at, Index other, int d) {
    const unsigned shared = grid.mask[at] & kShift[d][grid.mask[other]];
    const int rest = popcount(grid.mask[at] & ~shared);
    if (rest == 0) return -1;
    const int a = grid.need[other], b = grid.need[at];
    if (std::max(0, a - (popcount(grid.mask[other]) - popcount(shared))) >= b) return 0;
    return b - std::min(popcount(shared), a) >= rest ? 1 : -1;
}

}  // namespace

// Find a deduction from one or two clues. Safe cells come first, because they continue the game.
bool HintFinder::few_clues(const Grid& grid, const View& view, Hint& out) {
    std::vector<Index> clues;
    for (std::size_t i = 0; i < view.cells.size(); ++i) {
        const Index clue = grid.from_number(static_cast<Index>(i));
        if (is_open(grid, clue) && grid.mask[clue] != 0) clues.push_back(clue);
    }
    const auto satisfied = std::find_if(clues.begin(), clues.end(), [&](Index clue) { return grid.need[clue] == 0; });
    const auto decided = satisfied != clues.end() ? satisfied
                                                  : std::find_if(clues.begin(), clues.end(),
                                                                 [&](Index clue) { return decided_alone(grid, clue); });
    if (decided != clues.end()) {
        const Index cell = grid.from_number(unknown_around(grid, *decided).front());
        for (const int step : grid.step) {
            const Index clue = cell + step;
            if (!is_open(grid, clue) || !decided_alone(grid, clue)) continue;
            out.tier = 1;
            out.clues = {grid.number(clue)};
            set_cells(unknown_around(grid, clue), grid.need[clue] > 0, out);
            return true;
        }
    }
    for (const Index at : clues) {
        for (int d = 0; d < kPairs; ++d) {
            const Index other = at + grid.pair_step[d];
            if (!is_open(grid, other) || (grid.mask[at] & kShift[d][grid.mask[other]]) == 0) continue;
            const int value = pair_value(grid, at, other, d);
            if (value < 0) continue;
            std::vector<int> cells = unknown_around(grid, at);
            const std::vector<int> shared = unknown_around(grid, other);
            cells.erase(
                std::remove_if(cells.begin(), cells.end(),
                               [&](int cell) { return std::binary_search(shared.begin(), shared.end(), cell); }),
                cells.end());
            out.tier = 2;
            out.clues = {std::min(grid.number(at), grid.number(other)), std::max(grid.number(at), grid.number(other))};
            set_cells(std::move(cells), value == 1, out);
            return true;
        }
    }
    return false;
}

Fit HintFinder::find_path(const View& view, const CellBytes& given, std::size_t most_steps) {
    Closure simplified = closure_of(view, given);
    CellBytes layout;
    const Fit fit = draw_layout(simplified, 0, 0, layout);
    if (fit != Fit::ok) return fit;
    finder_.find(closure_of(view, given), layout, path_, most_steps);
    return path_.verdict == Verdict::too_wide ? Fit::too_wide : Fit::ok;
}

// Append a step of the path as hints: one, or for a pair of clues one for the cells that only one of them touches.
void HintFinder::list_step(std::size_t step, const Grid& grid, std::vector<Hint>& out) const {
    const std::int64_t* const ends = &path_.bounds[3 * step];
    const auto begin = step == 0 ? 0 : path_.bounds[3 * step - 1];
    const auto part = [&](std::int64_t from, std::int64_t to) {
        return std::vector<int>(path_.cells.begin() + from, path_.cells.begin() + to);
    };
    Hint hint;
    hint.tier = path_.tier[step];
    hint.smallest = path_.smallest[step] != 0;
    const std::vector<int> safe = part(begin, ends[0]), mines = part(ends[0], ends[1]);
    hint.clues = part(ends[1], ends[2]);
    if (hint.tier > 2) {
        hint.safe = safe;
        hint.mines = mines;
        hint.mine = safe.empty();
        hint.cell = safe.empty() ? mines.front() : safe.front();
        out.push_back(std::move(hint));
        return;
    }
    const auto touches = [&](int clue, int cell) {
        return std::abs(clue / grid.cols - cell / grid.cols) <= 1 && std::abs(clue % grid.cols - cell % grid.cols) <= 1;
    };
    for (const bool mine : {false, true}) {
        for (const int at : hint.clues) {
            std::vector<int> own;
            for (const int cell : mine ? mines : safe) {
                const auto others = std::count_if(hint.clues.begin(), hint.clues.end(),
                                                  [&](int clue) { return clue != at && touches(clue, cell); });
                if (others == 0 && touches(at, cell)) own.push_back(cell);
            }
            if (own.empty()) continue;
            out.push_back(hint);
            set_cells(std::move(own), mine, out.back());
        }
    }
}

Fit HintFinder::easiest(const View& view, const CellBytes& given, Hint& out) {
    out = Hint{};
    const Closure closure = closure_of(view, given);
    if (few_clues(closure.grid(), view, out)) return Fit::ok;
    const Fit fit = find_path(view, given, 1);
    if (fit != Fit::ok || path_.tier.empty()) return fit;
    std::vector<Hint> found;
    list_step(0, closure.grid(), found);
    out = found.front();
    return Fit::ok;
}

Fit HintFinder::path(const View& view, std::vector<Hint>& out) {
    out.clear();
    const Fit fit = find_path(view, {}, std::numeric_limits<std::size_t>::max());
    if (fit != Fit::ok) return fit;
    Grid grid;
    grid.set_size(view.rows, view.cols);
    for (std::size_t step = 0; step < path_.tier.size(); ++step) list_step(step, grid, out);
    return fit;
}

}  // namespace mines
