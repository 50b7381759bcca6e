// A component with all that is known of it on its own: its layouts, counted by number of mines.
#pragma once

#include <cstdint>
#include <vector>

#include "bits.hpp"
#include "component.hpp"
#include "grid.hpp"
#include "sweeps.hpp"
#include "tie.hpp"
#include "trellis.hpp"

namespace mines {

class Part {
  public:
    static constexpr std::size_t kMostCells = 900;  // what has more may have more layouts than a double can count

    // Find the component around a clue of the grid, and count it. What was found here before, in a grid of this size, is
    // used again as far as it is still true.
    Fit find(const Grid& grid, Index clue, ComponentFinder& finder, TrellisBuilder& builder);

    // Whether all of that is still true.
    bool still_true(const Grid& grid) const { return whole_ && same_shape(grid) && same_needs(grid); }

    const Component& component() const { return component_; }
    const Trellis& trellis() const { return trellis_; }
    Index first_clue() const { return first_clue_; }
    // Per state, the ways to fill the groups after it.
    const StateCounts<double>& after() const { return after_; }
    // The number of layouts by number of mines.
    const CountWeights& weights() const { return weights_; }
    // The most numbers in a row, between the fewest mines and the most, that no layout has.
    int widest_gap() const { return widest_gap_; }
    // Whether some group has no mine in any layout.
    bool has_safe_group() const { return has_safe_group_; }

    // The rest is worked out when it is first asked for. False if it takes too much memory.
    bool study();
    // Per state, the ways to fill the groups before it.
    const StateCounts<double>& before() const { return before_; }
    // Of groups, one bit each.
    using Groups = Wide;
    static constexpr std::size_t kMostGroups = 128;
    // Whether the groups can be told apart by bits, as the next two do.
    bool few_groups() const { return component_.groups.size() <= kMostGroups; }
    // Per state, the groups before it that have a mine on some way there, and those after it that have one on some way on.
    Groups mined_before(int state) const { return mined_before_[state]; }
    Groups mined_after(int state) const { return mined_after_[state]; }
    // Tell `found` how likely the cells of each group are mines, by what the rest of the board makes of the numbers of
    // mines here.
    template <class Found>
    void each_group(const std::vector<double>& rest, Found found) {
        if (!weighed_) weigh();
        const double* expected = expected_.data();
        for (const Group& group : component_.groups) {
            double sum = 0;
            for (std::size_t k = 0; k < rest.size(); ++k) sum += expected[k] * rest[k];
            expected += rest.size();
            found(group, sum / group.size);
        }
    }

  private:
    bool same_shape(const Grid& grid) const;
    bool same_needs(const Grid& grid) const;
    Fit count(TrellisBuilder& builder);
    void find_safe_groups();
    void weigh();

    Component component_;
    bool whole_ = false;               // whether the component was counted to its end
    Fit fit_ = Fit::inconsistent;              // how that ended
    Index first_clue_ = 0;             // in the grid
    std::vector<std::uint8_t> masks_;  // per clue: its unknown neighbours
    Trellis trellis_;
    StateCounts<double> after_;
    CountWeights weights_;
    int widest_gap_ = 0;
    bool has_safe_group_ = false;

    bool studied_ = false;
    bool too_much_ = false;
    StateCounts<double> before_;
    std::vector<Groups> mined_before_, mined_after_;
    bool weighed_ = false;
    // Per group, and per number of mines in the component: the group's expected mines, times weights.
    std::vector<double> expected_;
};

}  // namespace mines
