// The values and mine counts that occur in the layouts of a component.
#pragma once

#include <cstdint>
#include <vector>

#include "logic/component.hpp"
#include "logic/counts.hpp"
#include "logic/trellis.hpp"

namespace mines {

// Walks through all layouts if they are few, as they are in most components of a game, and builds a trellis otherwise.
class Enumeration {
  public:
    // Enumerate the layouts of a collected component. Puts its groups in order if it needs a trellis.
    Fit run(ComponentFinder& finder, Component& component, int max_states);

    // The other methods need a component that fits.

    // Per group, the mine numbers (bit v: v mines) that occur in a layout.
    const std::vector<std::uint16_t>& values() const { return values_; }
    // Whether the next two methods can be called: they may need too much memory.
    bool countable(const Component& component) const;
    // Return the mine counts of the layouts.
    CountSet counts(const Component& component);
    // Restrict `values` to layouts with an allowed mine count.
    void restrict(const Component& component, const CountSet& allowed);

  private:
    static constexpr int kMostGroups = 32;
    static constexpr int kMostClues = 32;
    static constexpr int kMostNodes = 1024;
    static constexpr int kMostCount = 8 * kMostGroups;

    Fit prepare(const Component& component);
    Fit walk(const Component& component);
    bool walk_group(int group, std::uint64_t needs, int mines);

    bool walked_ = false;
    std::vector<std::uint16_t> values_;
    // For the walk.
    int groups_ = 0;
    Slots slots_;
    Turn<std::uint64_t> turns_[kMostGroups];
    int nodes_left_ = 0;
    bool is_allowed_[kMostCount + 1] = {};
    bool is_counted_[kMostCount + 1] = {};
    // For the trellis.
    TrellisBuilder builder_;
    Trellis trellis_;
    CountSweep sweep_;
};

}  // namespace mines
