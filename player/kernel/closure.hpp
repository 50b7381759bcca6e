// The complete closure of one game, kept up to date as cells are opened: only what they touch is worked on again.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "component.hpp"
#include "counts.hpp"
#include "grid.hpp"
#include "rows.hpp"
#include "trellis.hpp"

namespace mines {

// Cells decided together; player/logic/__init__.py says what belongs to a step of each tier.
struct Step {
    int tier = 0;
    std::vector<Index> safe;
    std::vector<Index> mines;
    std::vector<Index> clues;

    void clear(int new_tier) {
        tier = new_tier;
        safe.clear();
        mines.clear();
        clues.clear();
    }
    bool empty() const { return safe.empty() && mines.empty(); }
    std::size_t claims() const { return safe.size() + mines.size(); }
};

// Components whose trellis would pass this many states are left to the SAT engine.
constexpr int kMaxStates = 1 << 20;

// What a closure knows of its game.
struct Knowledge {
    struct Part {  // a component that was enumerated and not touched since
        Index clue;
        int cells;
        bool wide;
        bool reported;  // by take_wide
        bool counted;
        CountSet counts;
    };
    Grid grid_;
    bool inconsistent_ = false;
    int frontier_ = 0;                 // unknown cells next to an open cell, as of the last map_frontier
    std::vector<std::uint8_t> flags_;  // Flag bits of every cell
    std::vector<Index> queue_;         // clues to look at alone
    std::vector<Index> dirty_pairs_;   // clues changed since they were looked at with their neighbours
    std::vector<Index> dirty_parts_;   // clues changed since their component was enumerated
    Untouched<int> part_of_;           // the entry in parts_ of clues with kInPart; most have none, and are not looked up
    std::vector<Part> parts_;
    std::vector<int> free_parts_;
    std::vector<int> dead_parts_;  // free once all their clues are found in other parts
    Seen followed_;                // what `follow` was last told, valid if following_
    bool following_ = false;
};

class Closure : private Knowledge {
  public:
    Closure() = default;
    Closure(int rows, int cols, int mines) { reset(rows, cols, mines); }
    void reset(int rows, int cols, int mines);
    // Know what another closure knows of its game; cheaper than a copy, which would have its scratch memory too.
    void know_as(const Closure& other) { know_as(other.knowledge()); }
    void know_as(const Knowledge& known) { static_cast<Knowledge&>(*this) = known; }
    const Knowledge& knowledge() const { return *this; }

    const Grid& grid() const { return grid_; }

    // Whether the clues or the mine count turned out to contradict each other; nothing else holds from then on.
    bool inconsistent() const { return inconsistent_; }

    // The clue that an open cell shows.
    int clue(Index cell) const;

    // Take note that a cell was opened and shows this clue; an open cell must show the same again.
    void open(Index cell, int clue);

    // Take note of what was found out elsewhere; cells already known must agree.
    void settle(Index cell, bool mine);

    // One round at each tier, in this order: a tier is only right while the easier ones give nothing. Claims are taken
    // as known, and written to `step` unsorted.
    void one_clue(Step& step);
    // Tier 1 on a board of which the clues are at hand, in the places of the grid: what turns out to be safe is opened
    // at once. Returns the number of cells opened.
    int one_clue_opening(const std::int8_t* clues);
    void two_clues(Step& step);
    // The first `count` elements of `steps` are used. Components that are too wide are left alone: see `take_wide`.
    void more_clues(std::vector<Step>& steps, std::size_t& count);
    // Returns false, and does nothing, if the answer hangs on a component that is too wide.
    bool mine_count(Step& step);

    // The same, but claims are not taken as known: what is not taken with `take` or `follow` is found again.
    // `clues` are null, or those of all cells, in the places of the grid, negative at mines: then stop, and return true,
    // when a component turns up that never opens on this board: see `sealed_off`.
    bool find_more_clues(std::vector<Step>& steps, std::size_t& count, const std::int8_t* clues);
    bool find_mine_count(Step& step);
    void take(const Step& step);

    // Forget that these cells were decided: all that were not known at a time when the easier tiers gave nothing and no
    // component had been enumerated yet. What was known then is known again, and no more.
    void forget(const std::vector<Index>& cells);

    // Take note of all that was decided since a board was last followed, where the easier tiers are applied by `Rows`;
    // only for the two methods above. `clues` are those of all cells, in the places of the grid.
    void follow(const Seen& seen, const std::int8_t* clues);

    // A clue of every component that is too wide to enumerate and was found so since this was last called.
    std::vector<Index> take_wide();
    bool any_wide() const;
    // The component around a clue that still has unknown neighbours.
    void component(Index clue, Component& out);
    // The unknown cells that touch no open cell.
    void sea(std::vector<Index>& out);

  private:
    enum Flag : std::uint8_t {
        kIdle = 1,  // an open cell that is not in queue_
        kDirtyPairs = 2,
        kDirtyPart = 4,
        kFrontier = 8,
        kInPart = 16
    };

    void touch(Index clue);
    void touch_around(Index cell);
    template <class Decide>
    void follow_single_clues(Decide decide);
    void map_frontier();
    void claim(Step& step, Index cell, bool mine);
    void check_pair(Index a, Index b, int d);
    void forget_part(Index clue);
    Fit enumerate(Index clue, Step& step);
    bool sealed_off(const std::int8_t* clues);
    bool count_cannot_bind() const;
    void restrict_part(const Part& part, const CountSet& allowed, Step& step);

    std::vector<Index> wave_;  // clues taken from queue_
    std::vector<std::pair<Index, bool>> claims_;
    ComponentFinder finder_;
    TrellisBuilder builder_;
    CountSweep sweep_;
    Component component_;
    Trellis trellis_;
    std::vector<std::uint16_t> values_;
    std::vector<Index> sorted_;
};

}  // namespace mines
