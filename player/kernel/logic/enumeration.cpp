#include "logic/enumeration.hpp"

#include <algorithm>

namespace mines {

Fit Enumeration::run(ComponentFinder& finder, Component& component, int max_states) {
    Fit fit = prepare(component);
    if (fit == Fit::ok) {
        std::fill_n(is_allowed_, component.cells.size() + 1, true);
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
    return counts_where(static_cast<int>(component.cells.size()), [this](int count) { return is_counted_[count]; });
}

void Enumeration::restrict(const Component& component, const CountSet& allowed) {
    if (!walked_) {
        sweep_.values(component, trellis_, allowed, values_);
        return;
    }
    const int cells = static_cast<int>(component.cells.size());
    std::fill_n(is_allowed_, cells + 1, false);
    for (const auto& [first, last] : allowed)
        for (int count = first; count <= std::min(last, cells); ++count) is_allowed_[count] = true;
    walk(component);
}

// Prepare a walk. Returns too_wide if the component has too many groups or clues.
Fit Enumeration::prepare(const Component& component) {
    groups_ = static_cast<int>(component.groups.size());
    const int clues = static_cast<int>(component.clues.size());
    if (groups_ > kMostGroups || clues > kMostClues) return Fit::too_wide;
    const Fit fit = slots_.start(component);
    if (fit != Fit::ok) return fit;
    for (int g = 0; g < groups_; ++g)
        if (!slots_.take(component, component.groups[g], turns_[g])) return Fit::too_wide;
    return Fit::ok;
}

// Fill the values and mine counts of the layouts whose mine count is allowed.
Fit Enumeration::walk(const Component& component) {
    nodes_left_ = kMostNodes;
    values_.assign(component.groups.size(), 0);
    std::fill_n(is_counted_, component.cells.size() + 1, false);
    const bool found = walk_group(0, 0, 0);
    if (nodes_left_ < 0) return Fit::too_wide;
    return found ? Fit::ok : Fit::inconsistent;
}

// Give this group and all later ones their mines in every possible way. Returns whether there is one.
bool Enumeration::walk_group(int group, std::uint64_t needs, int mines) {
    if (group == groups_) {
        is_counted_[mines] = true;
        return is_allowed_[mines];
    }
    if (--nodes_left_ < 0) return false;
    const Turn<std::uint64_t>& turn = turns_[group];
    needs |= turn.entering;
    int least, most;
    turn.find_range(needs, least, most);
    unsigned values = 0;
    needs -= turn.one_each * static_cast<unsigned>(least);
    for (int m = least; m <= most; ++m, needs -= turn.one_each)
        if (walk_group(group + 1, needs, mines + m)) values |= 1u << m;
    values_[group] = static_cast<std::uint16_t>(values_[group] | values);
    return values != 0;
}

}  // namespace mines
