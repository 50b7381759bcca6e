#include "enumeration.hpp"

#include <algorithm>

namespace mines {
namespace {

constexpr int kNeedBits = 4;  // a need is 0 to 8

}  // namespace

Fit Enumeration::run(ComponentFinder& finder, Component& component, int max_states) {
    Fit fit = prepare(component);
    if (fit == Fit::ok) {
        std::fill_n(is_allowed_, kMostCount + 1, true);
        fit = walk(component);
    }
    walked_ = fit != Fit::too_wide;
    if (walked_) return fit;
    finder.order(component);
    fit = builder_.build(component, max_states, trellis_);
    if (fit != Fit::ok) return fit;
    values_.assign(component.groups.size(), 0);
    for (std::size_t g = 0; g < component.groups.size(); ++g) {
        for (int s = trellis_.layers[g]; s < trellis_.layers[g + 1]; ++s) {
            const Trellis::State& state = trellis_.states[s];
            values_[g] = static_cast<std::uint16_t>(values_[g] | ((1u << state.count) - 1) << state.least);
        }
    }
    return fit;
}

bool Enumeration::countable(const Component& component) const {
    return walked_ || CountSweep::affordable(component, trellis_);
}

CountSet Enumeration::counts(const Component& component) {
    if (!walked_) return sweep_.reachable(component, trellis_);
    CountSet set;
    for (int count = 0; count <= static_cast<int>(component.cells.size()); ++count) {
        if (!is_counted_[count]) continue;
        if (!set.empty() && set.back().second == count - 1) {
            set.back().second = count;
        } else {
            set.emplace_back(count, count);
        }
    }
    return set;
}

void Enumeration::restrict(const Component& component, const CountSet& allowed) {
    if (!walked_) {
        sweep_.values(component, trellis_, allowed, values_);
        return;
    }
    std::fill_n(is_allowed_, kMostCount + 1, false);
    for (const auto& [first, last] : allowed)
        for (int count = first; count <= std::min(last, kMostCount); ++count) is_allowed_[count] = true;
    walk(component);
}

// Prepare a walk. Returns too_wide if the component has too many groups or clues.
Fit Enumeration::prepare(const Component& component) {
    groups_ = static_cast<int>(component.groups.size());
    clues_ = static_cast<int>(component.clues.size());
    if (groups_ > kMostGroups || clues_ > kMostClues) return Fit::too_wide;
    std::int8_t left[kMostClues] = {};
    for (int g = groups_; g-- > 0;) {
        const Group& group = component.groups[g];
        Turn& turn = turns_[g];
        turn.size = group.size;
        turn.clue_count = group.clue_count;
        one_each_[g] = 0;
        for (int i = 0; i < group.clue_count; ++i) {
            const int clue = group.clues[i];
            turn.shift[i] = static_cast<std::uint8_t>(kNeedBits * clue);
            turn.left[i] = left[clue];
            one_each_[g] |= Wide{1} << kNeedBits * clue;
            left[clue] = static_cast<std::int8_t>(left[clue] + group.size);
        }
    }
    needs_ = 0;
    for (int k = 0; k < clues_; ++k) {
        const int need = component.needs[k];
        if (need < 0 || need > left[k]) return Fit::inconsistent;
        needs_ |= static_cast<Wide>(static_cast<unsigned>(need)) << kNeedBits * k;
    }
    return Fit::ok;
}

// Fill the values and mine counts of the layouts whose mine count is allowed.
Fit Enumeration::walk(const Component& component) {
    nodes_left_ = kMostNodes;
    values_.assign(component.groups.size(), 0);
    std::fill_n(is_counted_, kMostCount + 1, false);
    const bool found = clues_ * kNeedBits <= 64 ? walk_group(0, static_cast<std::uint64_t>(needs_), 0)
                                                : walk_group(0, needs_, 0);
    if (nodes_left_ < 0) return Fit::too_wide;
    return found ? Fit::ok : Fit::inconsistent;
}

// Give this group and all later ones their mines in every possible way. Returns whether there is one.
template <class Key>
bool Enumeration::walk_group(int group, Key needs, int mines) {
    if (group == groups_) {
        is_counted_[mines] = true;
        return is_allowed_[mines];
    }
    if (--nodes_left_ < 0) return false;
    const Turn& turn = turns_[group];
    int least = 0;
    int most = turn.size;
    for (int i = 0; i < turn.clue_count; ++i) {
        const int need = static_cast<int>(needs >> turn.shift[i] & 15);
        least = std::max(least, need - turn.left[i]);
        most = std::min(most, need);
    }
    const auto one_each = static_cast<Key>(one_each_[group]);
    unsigned values = 0;
    needs -= one_each * static_cast<unsigned>(least);
    for (int m = least; m <= most; ++m, needs -= one_each)
        if (walk_group(group + 1, needs, mines + m)) values |= 1u << m;
    values_[group] = static_cast<std::uint16_t>(values_[group] | values);
    return values != 0;
}

}  // namespace mines
