// Components of a view: linked unknown cells and clues, grouped and ordered for a narrow sweep.
#pragma once

#include <cstdint>
#include <vector>

#include "base/field.hpp"
#include "base/lazy_vector.hpp"

namespace mines {

constexpr int kMaxCluesPerCell = 8;

// Cells with exactly the same clues. Only their number of mines matters.
struct Group {
    int first;  // index of its first cell in Component::cells
    int size;   // 1 to 8
    int clue_count;
    int clues[kMaxCluesPerCell];  // indices within the component
};

// Unknown cells and clues linked by shared cells.
struct Component {
    std::vector<Index> clues;
    std::vector<int8_t> needs;  // of each clue: mines among its unknown neighbours
    std::vector<Index> cells;   // group by group
    std::vector<Group> groups;  // in an order that keeps few clues active, that is touched but not finished
    int width = 0;              // the largest number of clues active at once
};

// Finds components. Its scratch memory grows to the largest board and is reused.
class ComponentFinder {
  public:
    // Forget the visited clues. Call before the first `find` on a board and after its clues change.
    void restart(const Field& field);

    // Whether `clue` was part of a component found since the last `restart`.
    bool visited(Index clue) const { return stamps_[clue] == stamp_; }

    // Mark the clues of a component as visited without calling `find`.
    void mark_visited(const Component& component) {
        for (const Index clue : component.clues) stamps_[clue] = stamp_;
    }

    // Write the component around `clue`, an open cell with at least one unknown neighbour, to `out`.
    void find(const Field& field, Index clue, Component& out) {
        collect(field, clue, out);
        order(out);
    }
    // Find the component without its width, with the groups in any order.
    void collect(const Field& field, Index clue, Component& out);
    // Put the groups of the component collected last in order, and set its width.
    void order(Component& out);

  private:
    void link_groups(const Component& component);
    int far_group(const Component& component, int start);
    int64_t order_from(const Component& component, int start, int64_t limit, std::vector<int>& order, int& width);
    void apply_order(Component& component);

    uint32_t stamp_ = 0;
    LazyVector<uint32_t> stamps_;   // per clue and unknown cell; these must not change before a restart
    LazyVector<int> clue_number_;   // valid for clues whose stamp is current
    std::vector<int> first_group_;  // per clue, while grouping: head of the list of groups whose first clue it is
    std::vector<int> next_group_;   // links of these lists
    std::vector<int> group_of_;     // per collected cell
    std::vector<int> link_first_;   // per clue: its groups are links_[link_first_[k] .. link_first_[k + 1])
    std::vector<int> links_;
    std::vector<int> left_;        // per clue, while ordering: groups not yet placed
    std::vector<int> touched_at_;  // per clue, while ordering: step of its first group, or -1
    std::vector<int> active_;      // clues touched and not finished, oldest first
    std::vector<uint8_t> placed_;  // per group
    std::vector<int> queue_;
    std::vector<int> order_, best_order_;
    std::vector<int> cells_copy_;
    std::vector<Group> groups_copy_;
};

}  // namespace mines
