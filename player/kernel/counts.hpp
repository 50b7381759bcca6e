// Sets of mine counts: which totals a component can have, and which of them the number of mines allows.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "component.hpp"
#include "trellis.hpp"

namespace mines {

// A set of counts as ascending, separate ranges, both ends included.
using CountSet = std::vector<std::pair<int, int>>;

// All sums of one count of each set.
CountSet sums(const CountSet& a, const CountSet& b);

// For every set, those of its counts that occur in a way to reach `total` with one count of each set.
std::vector<CountSet> allowed_counts(const std::vector<CountSet>& sets, int total);

// Sweeps over a trellis that carry the set of reachable counts of each state as bits.
class CountSweep {
  public:
    // Whether the sweeps can be made in half a gigabyte.
    static bool affordable(const Component& component, const Trellis& trellis);

    // The mine counts of the component's layouts.
    CountSet reachable(const Component& component, const Trellis& trellis);

    // For every group, the values (bit v: v mines) that occur in a layout with an allowed count.
    void values(const Component& component, const Trellis& trellis, const CountSet& allowed,
                std::vector<std::uint16_t>& out);

  private:
    void forward(const Component& component, const Trellis& trellis);

    std::size_t words_ = 1;               // 64-bit words per set
    std::vector<std::uint64_t> reached_;  // per state: counts of the ways to get there
    std::vector<std::uint64_t> wanted_;   // per state: counts from which an allowed total can be reached
};

}  // namespace mines
