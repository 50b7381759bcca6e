#include "explain/sentences.hpp"

#include <algorithm>
#include <cstddef>

namespace mines {

Premises::Premises(const View& view, const CellBytes& given)
    : view_(view),
      known_(given.empty() ? CellBytes(view.cells.size()) : given),
      hidden_(static_cast<int>(std::count(view.cells.begin(), view.cells.end(), kHidden))),
      left_(view.mines - static_cast<int>(std::count(known_.begin(), known_.end(), kKnownMine))) {
    count_ = static_cast<int>(known_.size() - std::count(known_.begin(), known_.end(), kMaybe));
    hidden_ -= count_;
}

void Premises::learn(const Hint& hint) {
    for (const int cell : hint.safe) known_[cell] = kKnownSafe;
    for (const int cell : hint.mines) known_[cell] = kKnownMine;
    const auto safe = static_cast<int>(hint.safe.size()), mines = static_cast<int>(hint.mines.size());
    count_ += safe + mines;
    hidden_ -= safe + mines;
    left_ -= mines;
}

// The numbers of one clue.
Sentence Premises::of_clue(int clue) const {
    Sentence found;
    found.clue = clue;
    view_.grid->each_around(clue, [&](int near) {
        if (view_.cells[near] == kHidden && known_[near] == kMaybe) ++found.count;
        if (known_[near] != kKnownMine || near == clue) return;
        int place = found.mines++;
        for (; place > 0 && found.places[place - 1] > near; --place) found.places[place] = found.places[place - 1];
        found.places[place] = near;
    });
    found.need = view_.cells[clue] - found.mines;
    return found;
}

Sentence Premises::of_one(int clue) const {
    Sentence found = of_clue(clue);
    if (found.mines == 0)
        found.name = found.need == 0 ? "one.none" : "one.all";
    else
        found.name = found.need == 0 ? "one.found" : "one.rest";
    return found;
}

Sentence Premises::of_two(int other, int clue, bool mine) const {
    Sentence found = of_clue(clue);
    const Sentence second = of_clue(other);
    found.other = other;
    const int own = found.count, needed = second.need;
    found.count = 0;
    view_.grid->each_around(other, [&](int near) {
        const bool unknown = view_.cells[near] == kHidden && known_[near] == kMaybe;
        if (unknown && view_.grid->are_neighbours(near, clue)) ++found.count;
    });
    const int alone = second.count - found.count;  // unknown cells of the other clue alone
    found.rest = own - found.count;
    if (mine) {
        found.mines = std::min(found.count, needed);
        found.name = found.mines < found.count ? "two.most" : "two.mine";
    } else {
        found.mines = std::max(0, needed - alone);
        found.name = "two.safe";
    }
    return found;
}

Sentence Premises::of_more(const Hint& hint) const {
    Sentence found;
    found.count = hidden_;
    found.mines = left_;
    found.rest = count_;
    if (!hint.clues.empty())
        found.name = hint.safe.size() + hint.mines.size() > 1 ? "more.any"
                     : hint.safe.empty()                      ? "more.mine"
                                                              : "more.safe";
    else if (view_.spare > 0)
        found.name = "count.bounds";
    else if (left_ > 0)
        found.name = "count.rest";
    else {
        found.name = count_ > 0 ? "count.all" : "count.none";
        found.mines = view_.mines;
    }
    if (view_.spare > 0) {
        found.mines = view_.mines;
        found.need = view_.mines - view_.spare;
    }
    return found;
}

Sentence Premises::sentence(const Hint& hint) const {
    if (hint.tier == 0) return {};
    if (hint.tier > 2) return of_more(hint);
    if (hint.clues.size() == 1) return of_one(hint.clues.front());
    const bool mine = hint.safe.empty();
    const int cell = (mine ? hint.mines : hint.safe).front();
    const bool first = view_.grid->are_neighbours(hint.clues[0], cell);
    return of_two(hint.clues[first ? 1 : 0], hint.clues[first ? 0 : 1], mine);
}

std::vector<Sentence> sentences(const View& view, const std::vector<Hint>& hints) {
    Premises premises(view, {});
    std::vector<Sentence> found;
    std::size_t learnt = 0;
    for (const Hint& hint : hints) {
        if (hint.clues != hints[learnt].clues)
            for (; &hints[learnt] != &hint; ++learnt) premises.learn(hints[learnt]);
        found.push_back(premises.sentence(hint));
    }
    return found;
}

}  // namespace mines
