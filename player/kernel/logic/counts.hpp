// Sets of mine counts: those that a component can have, and those that the mine count allows.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "logic/component.hpp"
#include "logic/trellis.hpp"

namespace mines {

// A set of counts as ascending, disjoint ranges with both ends included.
using CountSet = std::vector<std::pair<int, int>>;

// Return the counts from 0 to `most` for which `has(count)` is true.
template <class Has>
CountSet counts_where(int most, Has has) {
    CountSet set;
    for (int count = 0; count <= most; ++count) {
        if (!has(count)) continue;
        if (!set.empty() && set.back().second == count - 1) {
            set.back().second = count;
        } else {
            set.emplace_back(count, count);
        }
    }
    return set;
}

// Return all sums of one count of each set.
CountSet sums(const CountSet& a, const CountSet& b);

// Return for each set the counts that can be completed to `total` with one count of every other set.
std::vector<CountSet> allowed_counts(const std::vector<CountSet>& sets, int total);

// Sweeps over a trellis that carry the set of reachable counts of each state as bits.
class CountSweep {
  public:
    // Whether the sweeps fit into half a gigabyte.
    static bool affordable(const Component& component, const Trellis& trellis);

    // Return the mine counts of the component's layouts.
    CountSet reachable(const Component& component, const Trellis& trellis);

    // Compute for each group the mine numbers (bit v: v mines) that occur in a layout with an allowed count.
    void values(const Component& component, const Trellis& trellis, const CountSet& allowed,
                std::vector<std::uint16_t>& out);

  private:
    void forward(const Component& component, const Trellis& trellis);

    std::size_t words_ = 1;               // 64-bit words per set
    std::vector<std::uint64_t> reached_;  // per state: mine counts of the paths to it
    std::vector<std::uint64_t> wanted_;   // per state: mine counts that can be completed to an allowed count
};

}  // namespace mines
