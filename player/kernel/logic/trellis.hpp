// The trellis of a component: all assignments of mine numbers to its groups, as paths through a graph with few states.
//
// Each step gives a group its number of mines. A state after step s consists of the remaining needs of the active
// clues; assignments of the first s groups with equal needs share a state. The paths from the single start state to the
// single end state are exactly the group-wise layouts that satisfy every clue. Counting, sampling and the set of
// reachable mine counts are forward and backward sweeps over this graph.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bits.hpp"
#include "base/interrupt.hpp"
#include "logic/component.hpp"

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
        int edge;  // its edges are edges[edge .. edge + count), for least, least + 1, ... mines in the group
        int8_t least;
        int8_t count;
    };

    std::vector<int> layers;  // layer s, the states before group s, is states[layers[s] .. layers[s + 1])
    std::vector<State> states;
    std::vector<int> edges;  // target state, or -1 if that number of mines leads nowhere

    int steps() const { return static_cast<int>(layers.size()) - 2; }

    // Call `found(from, to, mines in the group)` for each edge that leaves the states before group `step`.
    template <class Found>
    void each_edge(int step, Found found) const {
        InterruptCheck* const check = InterruptCheck::current_check();
        for (int s = layers[step]; s < layers[step + 1]; ++s) {
            check_interrupt(check);
            const State state = states[s];
            for (int e = 0; e < state.count; ++e) {
                const int to = edges[state.edge + e];
                if (to >= 0) found(s, to, state.least + e);
            }
        }
    }
};

// A group to be given mines. The needs of the clues that it shares with other groups take four bits each of a key.
template <class Key>
struct Turn {
    int size, clue_count;
    std::uint8_t shift[kMaxCluesPerCell];  // place of a clue's need in the key
    std::int8_t left[kMaxCluesPerCell];    // cells of later groups next to the clue
    Key entering;                          // needs of the clues that no earlier group has
    Key one_each;                          // a mine for each clue

    // Compute the least and the most mines of the group, for a key with the needs that enter.
    void find_range(Key key, int& least, int& most) const {
        least = 0;
        most = size;
        for (int i = 0; i < clue_count; ++i) {
            const int need = static_cast<int>(key >> shift[i] & 15);
            least = std::max(least, need - left[i]);
            most = std::min(most, need);
        }
    }
};

// Places the needs of clues in keys, group by group.
class Slots {
  public:
    // Start a component. Returns inconsistent if a clue needs fewer mines than none or more than it has cells.
    Fit start(const Component& component);

    // Take places for the clues that the next group touches first, and free those of the clues that it finishes.
    // Returns false if a key has no place left.
    template <class Key>
    bool take(const Component& component, const Group& group, Turn<Key>& turn) {
        constexpr std::uint32_t kAll = ~std::uint32_t{0} >> (32 - 2 * sizeof(Key));
        turn.size = group.size;
        turn.clue_count = group.clue_count;
        turn.entering = turn.one_each = Key{0};
        std::uint32_t finished = 0;
        for (int i = 0; i < group.clue_count; ++i) {
            const int clue = group.clues[i];
            const bool enters = slot_[clue] < 0;
            if (enters) {
                if ((kAll & ~used_) == 0) return false;
                slot_[clue] = static_cast<std::int8_t>(lowest_bit(kAll & ~used_));
                used_ |= std::uint32_t{1} << slot_[clue];
            }
            const int shift = 4 * slot_[clue];
            turn.shift[i] = static_cast<std::uint8_t>(shift);
            turn.left[i] = left_[clue] = static_cast<std::int8_t>(left_[clue] - group.size);
            if (enters) turn.entering |= static_cast<Key>(component.needs[clue]) << shift;
            turn.one_each |= Key{1} << shift;
            finished |= static_cast<std::uint32_t>(left_[clue] == 0) << slot_[clue];
        }
        used_ &= ~finished;
        return true;
    }

  private:
    std::vector<std::int8_t> left_;  // per clue: unknown cells in groups not yet taken
    std::vector<std::int8_t> slot_;  // per clue: position of its need in a key, or -1
    std::uint32_t used_ = 0;         // positions of active clues
};

// Builds trellises. Its scratch memory is reused.
class TrellisBuilder {
  public:
    // Write the trellis of `component` to `out`. Returns `too_wide` if it needs more than `max_states` states.
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

    Slots slots_;
    std::vector<uint64_t> keys64_, next_keys64_;
    std::vector<Wide> keys128_, next_keys128_;
    std::vector<int> table_;   // open addressing: indices of states in the next layer
    size_t table_in_use_ = 0;  // its size; 0 while the layer is small enough for a linear scan
    std::vector<int> renumbered_;
};

}  // namespace mines
