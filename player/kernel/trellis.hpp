// The trellis of a component: every way to fill its groups with mines, as paths through few states.
//
// Step by step, each group takes a number of mines. A state after step s is what the active clues still need; two ways of
// filling the first s groups that leave the same needs share a state. Paths from the only state before step 0 to the only
// state after the last step are exactly the group-wise layouts that fit every clue of the component. Reachable mine
// counts, counting and sampling are sweeps over this graph, forward and backward.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bits.hpp"
#include "component.hpp"
#include "pulse.hpp"

namespace mines {

enum class Fit {
    ok,
    inconsistent,  // no layout fits the clues
    too_wide       // more states or active clues than allowed
};

// States are numbered layer by layer; edges go from a state to a state of the next layer and are stored by source.
// Every state lies on a path from start to end.
struct Trellis {
    struct State {
        int edge;      // its edges are edges[edge .. edge + count), for least, least + 1, ... mines in the group
        int8_t least;
        int8_t count;
    };

    std::vector<int> layers;    // layer s, the states before group s, is states[layers[s] .. layers[s + 1])
    std::vector<State> states;
    std::vector<int> edges;     // target state, or -1 where that number of mines leads nowhere

    int steps() const { return static_cast<int>(layers.size()) - 2; }

    // Tell `found` of all edges that leave the states before a group: from, to, mines in the group.
    template <class Found>
    void each_edge(int step, Found found) const {
        for (int s = layers[step]; s < layers[step + 1]; ++s) {
            pulse();
            const State state = states[s];
            for (int e = 0; e < state.count; ++e) {
                const int to = edges[state.edge + e];
                if (to >= 0) found(s, to, state.least + e);
            }
        }
    }
};

// Builds trellises; holds scratch memory that is reused.
class TrellisBuilder {
  public:
    // Write the trellis of `component` to `out`, unless it needs more than `max_states` states.
    Fit build(const Component& component, int max_states, Trellis& out);

  private:
    template <class Key>
    Fit build_keyed(const Component& component, int max_states, Trellis& out, std::vector<Key>& keys,
                    std::vector<Key>& next_keys);
    template <class Key>
    int find_or_add(const Key& key, std::vector<Key>& keys);
    template <class Key>
    void fill_table(const std::vector<Key>& keys, size_t size);
    Fit drop_dead_ends(Trellis& trellis);

    std::vector<int> left_;   // per clue: unknown cells in groups not yet placed
    std::vector<int> slot_;   // per clue: where its need is kept in a state's key, or -1
    std::vector<uint64_t> keys64_, next_keys64_;
    std::vector<Wide> keys128_, next_keys128_;
    std::vector<int> table_;  // open addressing: numbers of states in the next layer
    size_t table_in_use_ = 0;  // its size; 0 while the layer is small enough to scan
    std::vector<int> renumbered_;
};

}  // namespace mines
