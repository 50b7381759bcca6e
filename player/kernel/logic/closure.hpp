// The complete closure of one game, updated incrementally as cells are opened.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/field.hpp"
#include "logic/component.hpp"
#include "logic/counts.hpp"
#include "logic/enumeration.hpp"
#include "planes/bitboard.hpp"

namespace mines {

// Cells decided together. player/logic/__init__.py defines the steps of each tier.
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
    std::vector<Index>& of(bool mine) { return mine ? mines : safe; }
    bool empty() const { return safe.empty() && mines.empty(); }
    std::size_t cell_count() const { return safe.size() + mines.size(); }
};

// Components that need more trellis states are left to the SAT engine.
constexpr int kMaxStates = 1 << 20;

// The state of a closure without its scratch memory.
class ClosureState {
  protected:
    struct EnumeratedComponent {  // a component unchanged since its enumeration
        Index clue;
        int cells;
        bool wide;
        bool counted;
        CountSet counts;
    };
    Field field_;
    bool inconsistent_ = false;
    int frontier_ = 0;                     // unknown cells next to an open cell, at the last map_frontier
    std::vector<std::uint8_t> flags_;      // Flag bits of every cell
    std::vector<Index> queue_;             // clues to check alone
    std::vector<Index> dirty_pairs_;       // clues changed since they were checked with their neighbours
    std::vector<Index> dirty_components_;  // clues changed since their component was enumerated
    LazyVector<int> component_of_;         // index in components_ for clues with kInComponent
    std::vector<EnumeratedComponent> components_;
    std::vector<int> free_components_;
    std::vector<int> dead_components_;  // reusable once all their clues belong to other components
};

class Closure : private ClosureState {
  public:
    Closure() = default;
    Closure(const GridRef& grid, int mines) { reset(grid, mines); }
    void reset(const GridRef& grid, int mines, int spare = 0, double odds = 1);
    // Start from known facts in which the easier tiers decide nothing.
    void reset(const Field& known);
    // Copy the state of another closure without `update_from`. Cheaper than copying the closure with its scratch
    // memory.
    void assign(const Closure& other) { static_cast<ClosureState&>(*this) = other; }

    const Field& field() const { return field_; }

    // True once the clues or the mine count contradict each other. Other results are then meaningless.
    bool inconsistent() const { return inconsistent_; }

    // Return the clue of an open cell.
    int clue(Index cell) const;

    // Open a cell that shows this clue. An open cell must show the same clue again.
    void open(Index cell, int clue);

    // Mark a cell as a mine or safe. A contradiction makes the closure inconsistent.
    void mark(Index cell, bool mine);

    // Run one round of the easiest tier that decides anything: mark the decided cells, and write them, unsorted, to the
    // first `count` elements of `steps`. None are left once the closure is known. Returns too_wide if nothing follows
    // from the components that can be enumerated. The mine count is used if `counted`.
    Fit next_round(std::vector<Step>& steps, std::size_t& count, bool counted = true);
    // Apply tiers 1 and 2 until they decide nothing, which makes the components smaller.
    void apply_few_clues();

    // Run one round of tier 1; or of tier 2, when tier 1 decides nothing.
    void one_clue(Step& step);
    // Apply tier 1 when all clues are known, indexed like the field, and open safe cells at once. Returns the number of
    // cells opened.
    int apply_single_clues_opening(const std::int8_t* clues);
    void two_clues(Step& step);

    // Find the steps of more clues, or with the mine count, where the easier tiers decide nothing, without marking the
    // cells: call `apply` or `update_from` next, or they are found again. The first fills the first `count` elements of
    // `steps` and skips components that are too wide. The second returns false if one is too wide.
    //
    // `clues` are null, or the clues of all cells, indexed like the field and negative at mines. With clues, stop and
    // return true at a component that can never be opened: see `sealed_off`.
    bool find_more_clues(std::vector<Step>& steps, std::size_t& count, const std::int8_t* clues);
    bool find_mine_count(Step& step);
    void apply(const Step& step);

    // Take over all cells decided by a `BitBoard` since the last call. Only for use with the two methods above. `clues`
    // are those of all cells, indexed like the field. Afterwards, `seen` means nothing.
    void update_from(Snapshots& seen, const std::int8_t* clues);
    // Complete the field with the masks and needs of unknown cells, which logic never reads.
    void update_unknown();

    // Whether a component is too wide to enumerate.
    bool any_wide() const;
    // Find the component around a clue that has unknown neighbours.
    void component(Index clue, Component& out);

  private:
    enum Flag : std::uint8_t {
        kIdle = 1,  // an open cell that is not in queue_
        kDirtyPairs = 2,
        kDirtyComponent = 4,
        kFrontier = 8,
        kInComponent = 16
    };

    void touch(Index clue);
    void touch_around(Index cell);
    void list_once(Index clue, Flag dirty, std::vector<Index>& list);
    bool contradict();
    template <class Decide>
    void apply_single_clues(Decide decide);
    void update_part(const Snapshot& seen, const Snapshot* last, const std::int8_t* clues);
    void map_frontier();
    void add_deduction(Step& step, Index cell, bool mine);
    void forget_component(Index clue);
    void add_certain_groups(Step& step) const;
    Fit enumerate(Index clue, Step& step);
    Fit rebuild(Index clue);
    bool sealed_off(const std::int8_t* clues);
    bool count_cannot_bind() const;
    void restrict_component(const EnumeratedComponent& entry, const CountSet& allowed, Step& step);

    Snapshots last_seen_;  // given to `update_from` last, valid if synced_
    bool synced_ = false;
    std::vector<Index> wave_;  // clues taken from queue_
    std::vector<std::pair<Index, bool>> pair_deductions_;
    ComponentFinder finder_;
    Component component_;
    Enumeration enumeration_;
    std::vector<Index> sorted_;
};

}  // namespace mines
