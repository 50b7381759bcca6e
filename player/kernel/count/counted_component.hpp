// A component with its layouts counted by number of mines.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bits.hpp"
#include "base/field.hpp"
#include "count/coupling.hpp"
#include "count/sweeps.hpp"
#include "logic/component.hpp"
#include "logic/trellis.hpp"

namespace mines {

// States times mine counts, in a component or in the windows of a position.
constexpr std::int64_t kMostNumbers = 8'000'000;

// Limits beyond which a component is too wide to count.
struct CountLimits {
    std::size_t cells;
    int states;
    std::int64_t numbers;  // states times mine counts
};

class CountedComponent {
  public:
    static constexpr std::size_t kMostCells = 900;  // their at most 2^900 layouts fit a double with room to spare

    // Find the component around a clue of the field, and count it. Reuses earlier results for a field of the same grid
    // as far as they are still valid.
    Fit find(const Field& field, Index clue, ComponentFinder& finder, TrellisBuilder& builder,
             const CountLimits& limits = {kMostCells, 200'000, kMostNumbers});

    // Discard the results, but keep their memory.
    void forget() { complete_ = false; }

    // Whether these results are valid for the field.
    bool matches(const Field& field) const { return complete_ && same_shape(field) && same_needs(field); }

    const Component& component() const { return component_; }
    const Trellis& trellis() const { return trellis_; }
    Index first_clue() const { return first_clue_; }
    // Per state, the number of ways to fill the groups after it.
    const StateCounts<double>& after() const { return after_; }
    // Components of more than kMostCells cells have these instead, and no weights.
    bool large() const { return component_.cells.size() > kMostCells; }
    const StateCounts<long double>& large_after() const { return large_after_; }
    // The number of layouts by number of mines.
    const CountWeights& weights() const { return weights_; }
    // The longest run of mine counts between the lowest and the highest that no layout has.
    int widest_gap() const { return widest_gap_; }
    // Whether some group has no mine in any layout.
    bool has_safe_group() const { return has_safe_group_; }

    // Compute the data below on first use. Returns false if that takes too much memory.
    bool prepare_before();
    // Per state, the number of ways to fill the groups before it.
    const StateCounts<double>& before() const { return before_; }
    // A set of groups, one bit each.
    using Groups = Wide;
    static constexpr std::size_t kMostGroups = 128;
    // Whether bits can number the groups, as the next two require.
    bool few_groups() const { return component_.groups.size() <= kMostGroups; }
    // Per state, the groups before it that have a mine on some path to it, and those after it that have one on some
    // path from it.
    Groups mined_before(int state) const { return mined_before_[state]; }
    Groups mined_after(int state) const { return mined_after_[state]; }
    // Write the mine probability of each cell to `out`, indexed like the field. `counts` are those after the states,
    // `rest` is as below, and `numbers` is scratch memory.
    template <class Real>
    void write_risks(const StateCounts<Real>& counts, const std::vector<Real>& rest, std::vector<Real>& numbers,
                     double* out) const {
        sweep_forward(component_, trellis_, counts, rest, numbers, [&](const Group& group, double expected) {
            const double mine = std::clamp(expected / group.size, 0.0, 1.0);
            for (int c = 0; c < group.size; ++c) out[component_.cells[group.first + c]] = mine;
        });
    }
    // Pass each group and its mine probability to `found`. `rest[k]` is the weight of everything else when this
    // component has its k-th mine count.
    template <class Found>
    void each_group_risk(const std::vector<double>& rest, Found found) {
        if (!expected_ready_) compute_expected();
        const double* expected = expected_.data();
        for (const Group& group : component_.groups) {
            double sum = 0;
            for (std::size_t k = 0; k < rest.size(); ++k) sum += expected[k] * rest[k];
            expected += rest.size();
            found(group, sum / group.size);
        }
    }

  private:
    bool same_shape(const Field& field) const;
    bool same_needs(const Field& field) const;
    Fit count(TrellisBuilder& builder, const CountLimits& limits);
    void find_safe_groups();
    void compute_expected();

    Component component_;
    bool complete_ = false;            // whether counting was finished
    Fit fit_ = Fit::inconsistent;      // its result
    Index first_clue_ = 0;             // in the field
    std::vector<std::uint8_t> masks_;  // per clue: its unknown neighbours
    Trellis trellis_;
    StateCounts<double> after_;
    StateCounts<long double> large_after_;
    CountWeights weights_;
    int widest_gap_ = 0;
    bool has_safe_group_ = false;

    bool before_ready_ = false;
    bool before_too_large_ = false;
    StateCounts<double> before_;
    std::vector<Groups> mined_before_, mined_after_;
    bool expected_ready_ = false;
    // Per group and mine count of the component: the expected number of mines in the group, times the weight.
    std::vector<double> expected_;
};

}  // namespace mines
