#include "explain/chain.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace mines {
namespace {

// The mines on which the cells of a step rest, themselves and all those below, ascending. A step that rests on a safe
// cell ends a chain.
struct Basis {
    bool is_chain = true;
    std::vector<int> mines;
};

void add_all(const std::vector<int>& more, std::vector<int>& cells) {
    std::vector<int> both;
    std::set_union(cells.begin(), cells.end(), more.begin(), more.end(), std::back_inserter(both));
    cells = std::move(both);
}

}  // namespace

Fit find_chain(const View& view, const CellBytes& flagged, std::vector<HintStep>& out) {
    out.clear();
    std::vector<Hint> path;
    const Fit fit = list_hints(view, path);
    if (fit != Fit::ok) return fit;
    CellBytes known(view.cells.size(), kMaybe);
    for (const Hint& step : path)
        for (const int mine : step.mines)
            if (!flagged.empty() && flagged[mine] != 0) known[mine] = kKnownMine;
    std::vector<int> decided;                       // by the steps so far
    std::vector<const Basis*> below(known.size());  // of each decided cell
    std::vector<Basis> bases(path.size());
    std::vector<HintStep> steps;
    std::size_t best = path.size(), least = std::numeric_limits<std::size_t>::max();
    for (std::size_t number = 0; number < path.size(); ++number) {
        const Hint& step = path[number];
        Basis& basis = bases[number];
        CellBytes near(known.size(), 0);
        for (const int clue : step.clues) view.grid->each_around(clue, [&near](int cell) { near[cell] = 1; });
        // Mines by one clue need no other mines, and safe cells by one clue no other safe cells.
        const bool counts_mines = step.tier > 1 || !step.safe.empty();
        const bool counts_safe = step.tier > 1 || step.safe.empty();
        for (const int cell : decided) {
            const bool mine = known[cell] == kKnownMine;
            if (!(mine ? counts_mines : counts_safe) || (near[cell] == 0 && (step.tier < 4 || mine))) continue;
            basis.is_chain = basis.is_chain && mine && below[cell]->is_chain;
            if (!basis.is_chain) break;
            add_all(below[cell]->mines, basis.mines);
            add_all({cell}, basis.mines);
        }
        steps.push_back({step, known, {}});
        for (std::uint8_t& mark : steps.back().given)
            if (mark == kKnownSafe || !counts_mines) mark = kMaybe;
        // A second clue is as hard as a mine more.
        const std::size_t cost = basis.mines.size() + static_cast<std::size_t>(step.tier);
        if (basis.is_chain && !step.safe.empty() && cost < least) {
            best = number;
            least = cost;
        }
        for (const bool mine : {false, true}) {
            for (const int cell : mine ? step.mines : step.safe) {
                if (known[cell] != kMaybe) continue;
                known[cell] = mine ? kKnownMine : kKnownSafe;
                below[cell] = &basis;
                decided.push_back(cell);
            }
        }
    }
    if (best == path.size()) return Fit::ok;
    const std::vector<int>& needed = bases[best].mines;
    for (std::size_t number = 0; number < best; ++number) {
        HintStep& step = steps[number];
        std::vector<int>& mines = step.hint.mines;
        mines.erase(std::remove_if(mines.begin(), mines.end(),
                                   [&](int mine) { return !std::binary_search(needed.begin(), needed.end(), mine); }),
                    mines.end());
        step.hint.safe.clear();
        if (!mines.empty()) out.push_back(std::move(step));
    }
    steps[best].hint.mines.clear();
    out.push_back(std::move(steps[best]));
    for (HintStep& step : out) step.sentence = Premises(view, step.given).sentence(step.hint);
    return Fit::ok;
}

}  // namespace mines
