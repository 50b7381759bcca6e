#include "count/counted_component.hpp"

#include <algorithm>

namespace mines {
Fit CountedComponent::find(const Field& field, Index clue, ComponentFinder& finder, TrellisBuilder& builder,
                           const CountLimits& limits) {
    const bool same = complete_ && same_shape(field);
    if (same) {
        finder.mark_visited(component_);
        if (same_needs(field)) return fit_;
    }
    complete_ = before_ready_ = expected_ready_ = false;  // in case of an interruption
    if (same) {
        for (std::size_t k = 0; k < masks_.size(); ++k) component_.needs[k] = field.need[component_.clues[k]];
    } else {
        finder.find(field, clue, component_);
        first_clue_ = *std::min_element(component_.clues.begin(), component_.clues.end());
        masks_.clear();
        for (const Index one : component_.clues) masks_.push_back(field.mask[one]);
    }
    fit_ = count(builder, limits);
    complete_ = true;
    return fit_;
}

// Whether the component has the same clues and cells as before.
bool CountedComponent::same_shape(const Field& field) const {
    for (std::size_t k = 0; k < masks_.size(); ++k) {
        const Index clue = component_.clues[k];
        if (field.state[clue] != kOpen || field.mask[clue] != masks_[k]) return false;
    }
    for (const Group& group : component_.groups) {
        for (int c = group.first; c < group.first + group.size; ++c) {
            int clues = 0;
            for (const int step : field.steps(component_.cells[c]))
                clues += field.state[component_.cells[c] + step] == kOpen;
            if (clues != group.clue_count) return false;
        }
    }
    return true;
}

// Whether its clues need the same numbers of mines as before.
bool CountedComponent::same_needs(const Field& field) const {
    for (std::size_t k = 0; k < masks_.size(); ++k)
        if (component_.needs[k] != field.need[component_.clues[k]]) return false;
    return true;
}

Fit CountedComponent::count(TrellisBuilder& builder, const CountLimits& limits) {
    if (component_.cells.size() > limits.cells) return Fit::too_wide;
    const Fit fit = builder.build(component_, limits.states, trellis_);
    if (fit != Fit::ok) return fit;
    if (large()) return sweep<false>(component_, trellis_, limits.numbers, large_after_) ? Fit::ok : Fit::too_wide;
    if (!sweep<false>(component_, trellis_, limits.numbers, after_)) return Fit::too_wide;
    const auto& range = after_.ranges[0];
    weights_.low = range.low;
    weights_.numbers.assign(after_.of(0), after_.of(0) + range.length);
    widest_gap_ = 0;
    int gap = 0;
    for (const double number : weights_.numbers) {
        gap = number > 0 ? 0 : gap + 1;
        widest_gap_ = std::max(widest_gap_, gap);
    }
    find_safe_groups();
    return Fit::ok;
}

void CountedComponent::find_safe_groups() {
    has_safe_group_ = false;
    for (int step = 0; step < trellis_.steps() && !has_safe_group_; ++step) {
        const auto first = trellis_.states.begin() + trellis_.layers[step];
        const auto end = trellis_.states.begin() + trellis_.layers[step + 1];
        has_safe_group_ =
            std::all_of(first, end, [](const Trellis::State& state) { return state.least + state.count == 1; });
    }
}

bool CountedComponent::prepare_before() {
    if (before_ready_) return !before_too_large_;
    before_too_large_ = !sweep<true>(component_, trellis_, kMostNumbers, before_);
    before_ready_ = true;
    if (before_too_large_ || !few_groups()) return !before_too_large_;
    mined_before_.assign(trellis_.states.size(), Groups{0});
    mined_after_.assign(trellis_.states.size(), Groups{0});
    const auto mined = [](int step, int mines) { return mines > 0 ? Groups{1} << step : Groups{0}; };
    for (int step = 0; step < trellis_.steps(); ++step)
        trellis_.each_edge(
            step, [&](int from, int to, int mines) { mined_before_[to] |= mined_before_[from] | mined(step, mines); });
    for (int step = trellis_.steps(); step-- > 0;)
        trellis_.each_edge(
            step, [&](int from, int to, int mines) { mined_after_[from] |= mined_after_[to] | mined(step, mines); });
    return true;
}

// Compute the expected mines of each group for each mine count of the component.
void CountedComponent::compute_expected() {
    const std::size_t length = weights_.numbers.size();
    expected_.assign(length * component_.groups.size(), 0);
    for (int step = 0; step < trellis_.steps(); ++step) {
        const auto& choose = kChoose[component_.groups[step].size];
        double* const row = expected_.data() + static_cast<std::size_t>(step) * length;
        trellis_.each_edge(step, [&](int from, int to, int mines) {
            if (mines == 0) return;
            const auto& here = before_.ranges[from];
            const auto& there = after_.ranges[to];
            const double* const rest = after_.of(to);
            for (int j = 0; j < here.length; ++j) {
                const double ways = choose[mines] * mines * before_.of(from)[j];
                double* const sum = row + (here.low + j + mines + there.low - weights_.low);
                for (int k = 0; k < there.length; ++k) sum[k] += ways * rest[k];
            }
        });
    }
    expected_ready_ = true;
}

}  // namespace mines
