// Sweeps over a trellis that count layouts by number of mines.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/interrupt.hpp"
#include "logic/component.hpp"
#include "logic/trellis.hpp"

namespace mines {

// kChoose[n][k]: ways to place k mines in a group of n cells.
constexpr std::array<std::array<double, 9>, 9> make_choices() {
    std::array<std::array<double, 9>, 9> choices{};
    for (int n = 0; n <= 8; ++n) {
        choices[n][0] = 1;
        for (int k = 1; k <= n; ++k) choices[n][k] = choices[n - 1][k - 1] + (k < n ? choices[n - 1][k] : 0);
    }
    return choices;
}
inline constexpr auto kChoose = make_choices();

// Counts per state of a trellis: the number of ways to fill the groups before it, or after it, by number of mines.
template <class Real>
struct StateCounts {
    struct Range {
        std::int64_t first;  // its counts are numbers[first .. first + length), for low, low + 1, ... mines
        int low;
        int length;
    };

    std::vector<Range> ranges;  // per state
    std::vector<Real> numbers;

    const Real* of(int state) const { return numbers.data() + ranges[state].first; }
};

// Count the ways to fill the groups before each state if `kAhead`, or after it. Returns false if that takes more than
// `limit` numbers. `counts.numbers` has the states in the order of the sweep: later ones first, unless `kAhead`.
template <bool kAhead, class Real>
bool sweep(const Component& component, const Trellis& trellis, std::int64_t limit, StateCounts<Real>& counts) {
    const int steps = trellis.steps();
    counts.ranges.assign(trellis.states.size(), {0, 0, 0});
    (kAhead ? counts.ranges.front() : counts.ranges.back()) = {0, 0, 1};
    const auto each_edge = [&](int step, auto found) {
        trellis.each_edge(step, [&](int before, int after, int mines) {
            kAhead ? found(before, after, mines) : found(after, before, mines);
        });
    };
    std::int64_t size = 1;
    for (int done = 0; done < steps; ++done) {
        const int step = kAhead ? done : steps - 1 - done;
        each_edge(step, [&](int source, int target, int mines) {
            const auto& from = counts.ranges[source];
            auto& to = counts.ranges[target];
            const int low = from.low + mines;
            const int high = std::max(to.low + to.length, low + from.length);
            to.low = to.length == 0 ? low : std::min(to.low, low);
            to.length = high - to.low;
        });
        const int first = trellis.layers[kAhead ? step + 1 : step], end = trellis.layers[kAhead ? step + 2 : step + 1];
        for (int i = 0; i < end - first; ++i) {
            auto& range = counts.ranges[kAhead ? first + i : end - 1 - i];
            range.first = size;
            size += range.length;
        }
        if (size > limit) return false;
    }
    counts.numbers.assign(static_cast<std::size_t>(size), Real{0});
    counts.numbers.front() = 1;
    for (int done = 0; done < steps; ++done) {
        const int step = kAhead ? done : steps - 1 - done;
        const auto& choose = kChoose[component.groups[step].size];
        each_edge(step, [&](int source, int target, int mines) {
            const auto& from = counts.ranges[source];
            const auto& to = counts.ranges[target];
            const Real* ways = counts.numbers.data() + from.first;
            Real* sum = counts.numbers.data() + to.first + (from.low + mines - to.low);
            const Real choices = static_cast<Real>(choose[mines]);
            for (int k = 0; k < from.length; ++k) sum[k] += choices * ways[k];
        });
    }
    return true;
}

// Sweep forward from the states before group `first`, and pass each group and its expected number of mines to `visit`.
// `numbers`, laid out like the counts, has the weight of everything else for these states and 0 for later ones. Weights
// times counts sum to 1.
template <class Real, class Visit>
void sweep_forward_from(int first, const Component& component, const Trellis& trellis, const StateCounts<Real>& counts,
                        std::vector<Real>& numbers, Visit visit) {
    for (int step = first; step < trellis.steps(); ++step) {
        const Group& group = component.groups[step];
        const auto& choose = kChoose[group.size];
        Real expected{0};
        trellis.each_edge(step, [&](int from, int to, int mines) {
            const auto& range = counts.ranges[from];
            const auto& target = counts.ranges[to];
            const Real* rest = counts.of(to);
            Real* sum = numbers.data() + target.first;
            const Real* weight = numbers.data() + range.first + (target.low + mines - range.low);
            const Real ways = static_cast<Real>(choose[mines]);
            Real through{0};
            for (int k = 0; k < target.length; ++k) {
                sum[k] += ways * weight[k];
                through += weight[k] * rest[k];
            }
            expected += ways * through * static_cast<Real>(mines);
        });
        visit(group, static_cast<double>(expected));
    }
}

// Sweep forward from the start, where `weights[k]` belongs to low + k mines in the component.
template <class Real, class Visit>
void sweep_forward(const Component& component, const Trellis& trellis, const StateCounts<Real>& counts,
                   const std::vector<Real>& weights, std::vector<Real>& numbers, Visit visit) {
    numbers.assign(counts.numbers.size(), Real{0});
    std::copy(weights.begin(), weights.end(), numbers.begin() + counts.ranges[0].first);
    sweep_forward_from(0, component, trellis, counts, numbers, visit);
}

}  // namespace mines
