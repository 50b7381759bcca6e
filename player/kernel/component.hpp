// Components of a view: hidden cells and clues that hang together, grouped and ordered for a narrow sweep.
//
// Boards are flat and padded: cell (row, col) is index (row + 1) * stride + col + 1 with stride = cols + 2, so every cell
// has 8 neighbours in memory. Direction d = 0..7 runs row by row, and 7 - d is its opposite.
#pragma once

#include <cstdint>
#include <vector>

namespace mines {

// Offsets of the 8 neighbours on a padded board.
struct Directions {
    int offset[8];

    explicit Directions(int stride)
        : offset{-stride - 1, -stride, -stride + 1, -1, 1, stride - 1, stride, stride + 1} {}
};

// The clues of a view, reduced by what is known: per padded cell, which of its neighbours are unknown (bit d for
// direction d) and how many of these are mines. `unknown` is 0 wherever there is no open clue, padding included.
struct ClueMap {
    const uint8_t* unknown;
    const uint8_t* need;
    int size;  // padded cells
    int stride;
};

constexpr int kMaxCluesPerCell = 8;

// Cells seen by exactly the same clues: only their number of mines matters.
struct Group {
    int first;  // where its cells start in Component::cells
    int size;   // 1 to 8
    int clue_count;
    int clues[kMaxCluesPerCell];  // numbers within the component
};

// Hidden cells and clues that share no cell with any other clue.
struct Component {
    std::vector<int> clues;      // padded index of each clue
    std::vector<uint8_t> needs;  // mines among the unknown neighbours of each clue
    std::vector<int> cells;      // padded index, group by group
    std::vector<Group> groups;   // in an order that keeps few clues active: touched, but not finished
    int width = 0;               // the largest number of clues active at one time
};

// Finds components. Holds scratch memory that grows to the largest board seen and is then reused.
class ComponentFinder {
  public:
    // Forget which clues were visited. Call before the first `find` on a board, and after its clues changed.
    void restart(int padded_size);

    // Whether `clue` was part of a component found since the last `restart`.
    bool visited(int clue) const { return clue_stamp_[clue] == stamp_; }

    // Write the component around `clue`, which sees at least one unknown cell, to `out`.
    void find(const ClueMap& map, int clue, Component& out);

  private:
    void collect(const ClueMap& map, const Directions& around, int clue, Component& out);
    void link_groups(const Component& component);
    int far_group(const Component& component, int start);
    int64_t order_from(const Component& component, int start, int64_t limit, std::vector<int>& order, int& width);
    void apply_order(Component& component);

    uint32_t stamp_ = 0;
    std::vector<uint32_t> clue_stamp_;
    std::vector<uint32_t> cell_stamp_;
    std::vector<int> clue_number_;       // valid where clue_stamp_ is current
    std::vector<int> first_group_;       // per clue, while grouping: chain of groups that it sees first
    std::vector<int> next_group_;        // that chain
    std::vector<int> group_of_;          // per collected cell
    std::vector<int> link_first_;        // per clue: its groups are links_[link_first_[k] .. link_first_[k + 1])
    std::vector<int> links_;
    std::vector<int> left_;              // per clue, while ordering: groups not yet placed
    std::vector<int> touched_at_;        // per clue, while ordering: step of its first group, or -1
    std::vector<int> active_;            // clues touched and not finished, oldest first
    std::vector<uint8_t> placed_;        // per group
    std::vector<int> queue_;
    std::vector<int> order_, best_order_;
    std::vector<int> cells_copy_;
    std::vector<Group> groups_copy_;
};

}  // namespace mines
