#include "logic/trellis.hpp"

#include <algorithm>
#include <cstddef>

#include "base/interrupt.hpp"

namespace mines {
namespace {

constexpr int kSlotBits = 4;     // a need is 0 to 8
constexpr size_t kScanned = 16;  // larger layers use a hash table; a power of two

uint64_t hash_key(uint64_t key) {
    key *= 0x9e3779b97f4a7c15u;
    return key ^ (key >> 29);
}

uint64_t hash_key(Wide key) {
    return hash_key(static_cast<uint64_t>(key) ^ hash_key(static_cast<uint64_t>(key >> 64)));
}

}  // namespace

Fit Slots::start(const Component& component) {
    const size_t clues = component.clues.size();
    left_.assign(clues, 0);
    for (const Group& group : component.groups)
        for (int i = 0; i < group.clue_count; ++i)
            left_[group.clues[i]] = static_cast<std::int8_t>(left_[group.clues[i]] + group.size);
    for (size_t k = 0; k < clues; ++k)
        if (component.needs[k] < 0 || component.needs[k] > left_[k]) return Fit::inconsistent;
    slot_.assign(clues, -1);
    used_ = 0;
    return Fit::ok;
}

Fit TrellisBuilder::build(const Component& component, int max_states, Trellis& out) {
    if (component.width <= 64 / kSlotBits) return build_keyed(component, max_states, out, keys64_, next_keys64_);
    if (component.width <= 128 / kSlotBits) return build_keyed(component, max_states, out, keys128_, next_keys128_);
    return Fit::too_wide;
}

template <class Key>
Fit TrellisBuilder::build_keyed(const Component& component, int max_states, Trellis& out, std::vector<Key>& keys,
                                std::vector<Key>& next_keys) {
    out.layers.assign(1, 0);
    out.states.clear();
    out.edges.clear();
    const Fit fit = slots_.start(component);
    if (fit != Fit::ok) return fit;
    InterruptCheck* const check = InterruptCheck::current_check();
    Turn<Key> turn;
    keys.assign(1, Key{0});
    for (const Group& group : component.groups) {
        if (!slots_.take(component, group, turn)) return Fit::too_wide;
        const int layer = out.layers.back();
        const int next_layer = layer + static_cast<int>(keys.size());
        next_keys.clear();
        table_in_use_ = 0;
        for (const Key& before : keys) {
            check_interrupt(check);
            const Key key = before | turn.entering;
            int least, most;
            turn.find_range(key, least, most);
            const int count = std::max(0, most - least + 1);
            const size_t first = out.edges.size();
            Trellis::State& state = out.states.emplace_back();  // a copy would wait for its parts to be stored
            state.edge = static_cast<int>(first);
            state.least = static_cast<int8_t>(least);
            state.count = static_cast<int8_t>(count);
            out.edges.resize(first + static_cast<size_t>(count));
            Key target = key - turn.one_each * static_cast<unsigned>(least);
            for (int m = 0; m < count; ++m, target -= turn.one_each)
                out.edges[first + static_cast<size_t>(m)] = next_layer + find_or_add(target, next_keys);
        }
        if (next_keys.empty()) return Fit::inconsistent;
        if (next_layer > max_states) return Fit::too_wide;
        out.layers.push_back(next_layer);
        keys.swap(next_keys);
    }
    out.layers.push_back(out.layers.back() + 1);
    out.states.push_back({static_cast<int>(out.edges.size()), 0, 0});
    return drop_dead_ends(out);
}

// Return the index, within its layer, of the state with this key.
template <class Key>
int TrellisBuilder::find_or_add(const Key& key, std::vector<Key>& keys) {
    if (table_in_use_ == 0) {
        for (size_t i = 0; i < keys.size(); ++i)
            if (keys[i] == key) return static_cast<int>(i);
        keys.push_back(key);
        if (keys.size() > kScanned) fill_table(keys, 8 * kScanned);
        return static_cast<int>(keys.size()) - 1;
    }
    size_t at = hash_key(key) & (table_in_use_ - 1);
    for (; table_[at] >= 0; at = (at + 1) & (table_in_use_ - 1))
        if (keys[static_cast<size_t>(table_[at])] == key) return table_[at];
    const int number = static_cast<int>(keys.size());
    table_[at] = number;
    keys.push_back(key);
    if (2 * keys.size() > table_in_use_) fill_table(keys, 4 * table_in_use_);
    return number;
}

// Refill the table with all keys; `size` is a power of two.
template <class Key>
void TrellisBuilder::fill_table(const std::vector<Key>& keys, size_t size) {
    table_in_use_ = size;
    table_.assign(size, -1);
    for (size_t i = 0; i < keys.size(); ++i) {
        size_t at = hash_key(keys[i]) & (size - 1);
        while (table_[at] >= 0) at = (at + 1) & (size - 1);
        table_[at] = static_cast<int>(i);
    }
}

// Remove states that cannot reach the end, and the edges to them.
Fit TrellisBuilder::drop_dead_ends(Trellis& trellis) {
    const size_t states = trellis.states.size();
    renumbered_.assign(states + 1, -1);
    renumbered_[states - 1] = 0;
    bool dead = false;
    for (size_t s = states - 1; s-- > 0;) {
        const Trellis::State& state = trellis.states[s];
        const int* edge = trellis.edges.data() + state.edge;
        const bool alive = std::any_of(edge, edge + state.count, [&](int target) { return renumbered_[target] >= 0; });
        if (alive) renumbered_[s] = 0;
        dead |= !alive;
    }
    if (renumbered_[0] < 0) return Fit::inconsistent;
    if (!dead) return Fit::ok;

    int number = 0;
    for (size_t s = 0; s < states; ++s)
        if (renumbered_[s] >= 0) renumbered_[s] = number++;
    renumbered_[states] = number;
    // Rewrite the arrays in place: everything moves towards the front.
    int edges = 0;
    for (size_t s = 0; s < states; ++s) {
        const int to = renumbered_[s];
        if (to < 0) continue;
        Trellis::State state = trellis.states[s];
        const int* edge = trellis.edges.data() + state.edge;
        int first = 0;
        int last = state.count;
        while (first < last && renumbered_[edge[first]] < 0) ++first;
        while (last > first && renumbered_[edge[last - 1]] < 0) --last;
        const int from = state.edge + first;
        state = {edges, static_cast<int8_t>(state.least + first), static_cast<int8_t>(last - first)};
        for (int e = 0; e < state.count; ++e) trellis.edges[edges++] = renumbered_[trellis.edges[from + e]];
        trellis.states[to] = state;
    }
    for (size_t k = 1; k < trellis.layers.size(); ++k) {
        // The layer starts at its first remaining state.
        int s = trellis.layers[k];
        while (renumbered_[s] < 0) ++s;
        trellis.layers[k] = renumbered_[s];
    }
    trellis.states.resize(number);
    trellis.edges.resize(edges);
    return Fit::ok;
}

}  // namespace mines
