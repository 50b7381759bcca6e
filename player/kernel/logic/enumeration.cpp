#include "logic/enumeration.hpp"

#include <algorithm>

namespace mines {
namespace {

constexpr int kNeedBits = 4;  // a need is 0 to 8

}  // namespace

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
    std::int8_t left[kMostClues] = {};
    for (const Group& group : component.groups)
        for (int i = 0; i < group.clue_count; ++i)
            left[group.clues[i]] = static_cast<std::int8_t>(left[group.clues[i]] + group.size);
    for (int k = 0; k < clues; ++k)
        if (component.needs[k] < 0 || component.needs[k] > left[k]) return Fit::inconsistent;
    std::int8_t slot[kMostClues];
    std::fill_n(slot, clues, std::int8_t{-1});
    std::uint32_t free_slots = 0xffff;
    for (int g = 0; g < groups_; ++g) {
        const Group& group = component.groups[g];
        Turn& turn = turns_[g];
        turn.size = group.size;
        turn.clue_count = group.clue_count;
        turn.entering = turn.one_each = 0;
        std::uint32_t finished = 0;
        for (int i = 0; i < group.clue_count; ++i) {
            const int clue = group.clues[i];
            const bool enters = slot[clue] < 0;
            if (enters) {
                if (free_slots == 0) return Fit::too_wide;
                slot[clue] = static_cast<std::int8_t>(lowest_bit(free_slots));
                free_slots &= free_slots - 1;
            }
            const int shift = kNeedBits * slot[clue];
            turn.shift[i] = static_cast<std::uint8_t>(shift);
            turn.left[i] = left[clue] = static_cast<std::int8_t>(left[clue] - group.size);
            if (enters) turn.entering |= static_cast<std::uint64_t>(component.needs[clue]) << shift;
            turn.one_each |= std::uint64_t{1} << shift;
            finished |= static_cast<std::uint32_t>(left[clue] == 0) << slot[clue];
        }
        free_slots |= finished;
    }
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
    const Turn& turn = turns_[group];
    needs |= turn.entering;
    int least = 0;
    int most = turn.size;
    for (int i = 0; i < turn.clue_count; ++i) {
        const int need = static_cast<int>(needs >> turn.shift[i] & 15);
        least = std::max(least, need - turn.left[i]);
        most = std::min(most, need);
    }
    unsigned values = 0;
    needs -= turn.one_each * static_cast<unsigned>(least);
    for (int m = least; m <= most; ++m, needs -= turn.one_each)
        if (walk_group(group + 1, needs, mines + m)) values |= 1u << m;
    values_[group] = static_cast<std::uint16_t>(values_[group] | values);
    return values != 0;
}

}  // namespace mines
