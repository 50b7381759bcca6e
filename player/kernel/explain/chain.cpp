#include "explain/chain.hpp"

#include <algorithm>
#include <cstddef>

namespace mines {
namespace {

// The mines that a step rests on, and those that these rest on.
struct Needed {
    bool is_chain = true;  // whether it rests on no safe cell, which would end a chain before
    std::vector<int> mines;

    bool has(int cell) const { return std::find(mines.begin(), mines.end(), cell) != mines.end(); }

    void add(int cell) {
        if (!has(cell)) mines.push_back(cell);
    }
};

// The cells that the steps of a path have decided, with the steps that they rest on.
class Ways {
  public:
    Ways(const View& view, const CellBytes& flags) : view_(view), flags_(flags), needed_(view.cells.size()) {
        known_.resize(view.cells.size());
    }

    Needed needed(const Hint& step) const {
        Needed found;
        const bool counts_mines = step.tier > 1 || !step.safe.empty(), counts_safe = step.tier > 1 || step.safe.empty();
        found.is_chain = step.tier < 4 || !any_safe_;
        for (const int clue : step.clues)
            view_.grid->each_around(clue, [&](int near) {
                if (known_[near] == kKnownSafe && counts_safe) found.is_chain = false;
                if (known_[near] != kKnownMine || !counts_mines || is_flagged(near)) return;
                found.is_chain &= needed_[near].is_chain;
                found.add(near);
                for (const int cell : needed_[near].mines) found.add(cell);
            });
        return found;
    }

    // What the sentence about a step takes as known: the mines before it, except for mines by one clue.
    CellBytes given(const Hint& step) const {
        CellBytes mines(known_.size());
        if (step.tier > 1 || !step.safe.empty())
            for (std::size_t cell = 0; cell < known_.size(); ++cell)
                if (known_[cell] == kKnownMine || is_flagged(cell)) mines[cell] = kKnownMine;
        return mines;
    }

    void learn(const Hint& step, const Needed& needed) {
        for (const int cell : step.safe) known_[cell] = kKnownSafe;
        for (const int cell : step.mines) {
            known_[cell] = kKnownMine;
            needed_[cell] = needed;
        }
        any_safe_ |= !step.safe.empty();
    }

  private:
    bool is_flagged(std::size_t cell) const { return !flags_.empty() && flags_[cell] != 0; }

    const View& view_;
    const CellBytes& flags_;
    CellBytes known_;
    std::vector<Needed> needed_;  // of each mine
    bool any_safe_ = false;
};

}  // namespace

Fit find_chain(const View& view, const CellBytes& flags, std::vector<Hint>& chain, std::vector<Sentence>& says) {
    chain.clear();
    says.clear();
    std::vector<Hint> path;
    const Fit fit = list_hints(view, path);
    if (fit != Fit::ok) return fit;
    CellBytes right(view.cells.size());  // flags on mines that follow
    for (const Hint& step : path)
        for (const int cell : step.mines) right[cell] = !flags.empty() && flags[cell] != 0;

    Ways ways(view, right);
    const Hint* best = nullptr;
    Needed best_needed;
    std::size_t best_cost = 0;
    for (const Hint& step : path) {
        const Needed needed = ways.needed(step);
        // A second clue is as hard as a mine more.
        const std::size_t cost = needed.mines.size() + static_cast<std::size_t>(step.tier);
        if (!step.safe.empty() && needed.is_chain && (best == nullptr || cost < best_cost)) {
            best = &step;
            best_needed = needed;
            best_cost = cost;
        }
        ways.learn(step, needed);
    }
    if (best == nullptr) return Fit::ok;
    Ways before(view, right);
    for (const Hint& step : path) {
        Hint part = step;
        part.mines.clear();
        if (&step != best) {
            part.safe.clear();
            for (const int mine : step.mines)
                if (best_needed.has(mine)) part.mines.push_back(mine);
        }
        if (!part.safe.empty() || !part.mines.empty()) {
            says.push_back(Premises(view, before.given(step)).sentence(part));
            chain.push_back(std::move(part));
        }
        if (&step == best) break;
        before.learn(step, {});
    }
    return Fit::ok;
}

}  // namespace mines
