#include "explain/rules.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/random.hpp"

namespace mines {
namespace {

// Limit on the views that the cruelest mode compares for a click.
constexpr int kMostViews = 400;
// Separate the random numbers of cruelty from those of layouts.
constexpr std::uint64_t kCruelty = 1;

// A partial result of a click: a view, the cells that its zeros still open, and the number of cells open or certain.
struct Branch {
    View view;
    std::vector<int> to_open;
    CellBytes known;
    int certain = 0;
};

Fit find_known(Branch& branch) {
    Closure closure = closure_of(branch.view);
    const Fit fit = complete(closure, branch.known);
    if (fit != Fit::ok) return fit;
    for (std::size_t i = 0; i < branch.known.size(); ++i)
        branch.certain += branch.view.cells[i] != kHidden || branch.known[i] != kMaybe;
    return Fit::ok;
}

// Open the next cell of a branch, and add a branch for each clue that it may show.
Fit grow(const Branch& branch, bool only_zero, std::vector<Branch>& out) {
    const View& view = branch.view;
    const int cell = branch.to_open.front();
    int least = 0, most = 0;
    std::vector<int> hidden;
    view.grid->each_around(cell, [&](int near) {
        if (near == cell || view.cells[near] != kHidden) return;
        hidden.push_back(near);
        least += branch.known[near] == kKnownMine;
        most += branch.known[near] != kKnownSafe;
    });
    if (only_zero) most = 0;
    for (int clue = only_zero ? 0 : least; clue <= most; ++clue) {
        Branch grown{view, {branch.to_open.begin() + 1, branch.to_open.end()}, {}, 0};
        grown.view.cells[cell] = static_cast<std::int8_t>(clue);
        if (clue == 0)
            for (const int near : hidden)
                if (std::find(grown.to_open.begin(), grown.to_open.end(), near) == grown.to_open.end())
                    grown.to_open.push_back(near);
        const Fit fit = find_known(grown);
        if (fit == Fit::too_wide) return fit;
        if (fit == Fit::inconsistent) continue;
        out.push_back(std::move(grown));
    }
    return Fit::ok;
}

// Replace a view by that after opening a cell in which the fewest cells are open or certain. Revealing more never
// reduces knowledge, so a branch bounds its children (branch and bound).
Fit make_cruelest(View& view, int cell, bool opening, RandomWords& words) {
    std::vector<Branch> branches{{view, {cell}, {}, 0}};
    const Fit fit = find_known(branches[0]);
    if (fit != Fit::ok) return fit;
    bool found = false, first = true;
    Branch best;
    int left = kMostViews;
    while (!branches.empty() && (left > 0 || !found)) {
        Branch branch = std::move(branches.back());
        branches.pop_back();
        if (left <= 0) {
            view = branch.view;
            return Fit::ok;
        }
        if (found && branch.certain >= best.certain) continue;
        if (branch.to_open.empty()) {
            best = std::move(branch);
            found = true;
            continue;
        }
        std::vector<Branch> grown;
        const Fit grew = grow(branch, opening && first, grown);
        if (grew != Fit::ok) return grew;
        first = false;
        left -= static_cast<int>(grown.size());
        for (std::size_t i = grown.size(); i > 1; --i) std::swap(grown[i - 1], grown[words.below(i)]);
        std::stable_sort(grown.begin(), grown.end(),
                         [](const Branch& one, const Branch& other) { return one.certain > other.certain; });
        std::move(grown.begin(), grown.end(), std::back_inserter(branches));
    }
    if (!found) return Fit::inconsistent;
    view = std::move(best.view);
    return Fit::ok;
}

}  // namespace

bool open_cell(View& view, const CellBytes& mine, int cell) {
    if (mine[cell] != 0) return false;
    const auto neighbours = [&](int from, auto visit) { view.grid->each_around(from, visit); };
    const auto open = [&](int next) {
        if (view.cells[next] != kHidden) return -1;
        int clue = 0;
        neighbours(next, [&](int near) { clue += mine[near] != 0; });
        view.cells[next] = static_cast<std::int8_t>(clue);
        return clue;
    };
    std::vector<int> zeros;
    flood(cell, zeros, open, neighbours);
    return true;
}

CellBytes chorded(const View& view, const CellBytes& flags, int cell) {
    CellBytes opened(view.cells.size(), 0);
    if (view.cells[cell] == kHidden) return opened;
    int flagged = 0;
    view.grid->each_around(cell, [&](int near) {
        if (view.cells[near] != kHidden) return;
        opened[near] = flags[near] == 0;
        flagged += flags[near] != 0;
    });
    return flagged == view.cells[cell] ? opened : CellBytes(view.cells.size(), 0);
}

Fit kaboom_verdicts(const View& view, const KaboomRules& rules, CellBytes& why) {
    const std::size_t size = view.cells.size();
    const bool first = all_hidden(view);
    CellBytes known(size, kMaybe);
    if (!first) {
        Closure closure = closure_of(view);
        const Fit fit = complete(closure, known);
        if (fit != Fit::ok) return fit;
    }
    CellBytes boundary(size, 0);
    bool needless = false, anywhere = true;
    for (std::size_t i = 0; i < size; ++i) {
        if (view.cells[i] != kHidden) continue;
        view.grid->each_around(static_cast<int>(i), [&](int near) { boundary[i] |= view.cells[near] != kHidden; });
        needless = needless || (known[i] == kKnownSafe && (rules.outside_counts || boundary[i] != 0));
        anywhere = anywhere && (boundary[i] == 0 || known[i] == kKnownMine);
    }
    anywhere = anywhere || rules.guess_anywhere;
    const auto granted = [&](std::size_t i) {
        return !needless && view.cells[i] == kHidden && known[i] == kMaybe && (anywhere || boundary[i] != 0);
    };
    bool any = false;
    for (std::size_t i = 0; i < size && !any; ++i) any = granted(i);
    why.resize(size);
    for (std::size_t i = 0; i < size; ++i)
        why[i] = static_cast<std::uint8_t>(view.cells[i] != kHidden ? Why::open
                                           : first                  ? Why::first_click
                                           : known[i] == kKnownSafe ? Why::proven_safe
                                           : known[i] == kKnownMine ? Why::proven_mine
                                           : granted(i)             ? Why::forced_guess
                                           : any                    ? Why::outside
                                                                    : Why::needless_guess);
    return Fit::ok;
}

Fit kaboom_click(View& view, const KaboomRules& rules, Why why, int cell, std::uint64_t seed, std::uint64_t clicks,
                 CellBytes& layout) {
    const bool survived = survives(why);
    View deciding = view;
    if (survived && rules.cruelest) {
        RandomWords words(seed, clicks, kCruelty);
        const Fit fit = make_cruelest(deciding, cell, why == Why::first_click && rules.opening_start, words);
        if (fit != Fit::ok) return fit;
    } else if (why == Why::first_click && rules.opening_start) {
        deciding.cells[cell] = 0;
    }
    Closure closure = closure_of(deciding);
    if (deciding.cells[cell] == kHidden) closure.mark(closure.field().from_number(cell), !survived);
    const Fit fit = draw_layout(closure, seed, clicks, layout);
    if (fit == Fit::ok && survived) open_cell(view, layout, cell);
    return fit;
}

}  // namespace mines
