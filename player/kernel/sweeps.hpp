// Sweeps over a trellis that count layouts by number of mines.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "component.hpp"
#include "pulse.hpp"
#include "trellis.hpp"

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


// Suffix counts of a trellis: for every state, in how many ways the rest can be filled, by number of mines.
template <class Real>
struct SuffixCounts {
    struct Range {
        std::int64_t first;  // its numbers are numbers[first .. first + length), for low, low + 1, ... mines
        int low;
        int length;
    };

    std::vector<Range> ranges;  // per state
    std::vector<Real> numbers;

    const Real* of(int state) const { return numbers.data() + ranges[state].first; }
};

// Fill the suffix counts; false if they take more than `limit` numbers.
template <class Real>
bool sweep_back(const Component& component, const Trellis& trellis, std::int64_t limit, SuffixCounts<Real>& counts) {
    const std::size_t states = trellis.states.size();
    counts.ranges.resize(states);
    counts.ranges[states - 1] = {0, 0, 1};
    counts.numbers.assign(1, Real{1});
    for (int step = trellis.steps(); step-- > 0;) {
        const auto& choose = kChoose[component.groups[step].size];
        for (int s = trellis.layers[step + 1]; s-- > trellis.layers[step];) {
            pulse();
            const Trellis::State state = trellis.states[s];
            const int* edge = trellis.edges.data() + state.edge;
            int low = std::numeric_limits<int>::max();
            int high = -1;
            for (int e = 0; e < state.count; ++e) {
                if (edge[e] < 0) continue;
                const auto& target = counts.ranges[edge[e]];
                low = std::min(low, target.low + state.least + e);
                high = std::max(high, target.low + target.length + state.least + e);
            }
            const auto first = static_cast<std::int64_t>(counts.numbers.size());
            counts.ranges[s] = {first, low, high - low};
            if (first + high - low > limit) return false;
            counts.numbers.resize(counts.numbers.size() + static_cast<std::size_t>(high - low), Real{0});
            Real* sum = counts.numbers.data() + first;
            for (int e = 0; e < state.count; ++e) {
                if (edge[e] < 0) continue;
                const int mines = state.least + e;
                const auto& target = counts.ranges[edge[e]];
                const Real* from = counts.of(edge[e]);
                Real* to = sum + (target.low + mines - low);
                const Real ways = static_cast<Real>(choose[mines]);
                for (int k = 0; k < target.length; ++k) to[k] += ways * from[k];
            }
        }
    }
    return true;
}

// Sweep forward with the weights of everything else at the start, and give each group its expected number of mines.
// `weights[k]` belongs to low + k mines in the component, and weights times counts sum to 1.
template <class Real, class Visit>
void sweep_forward(const Component& component, const Trellis& trellis, const SuffixCounts<Real>& counts, const std::vector<Real>& weights,
                   std::vector<Real>& numbers, Visit visit) {
    numbers.assign(counts.numbers.size(), Real{0});
    std::copy(weights.begin(), weights.end(), numbers.begin() + counts.ranges[0].first);
    for (int step = 0; step < trellis.steps(); ++step) {
        const Group& group = component.groups[step];
        const auto& choose = kChoose[group.size];
        Real expected{0};
        for (int s = trellis.layers[step]; s < trellis.layers[step + 1]; ++s) {
            pulse();
            const Trellis::State state = trellis.states[s];
            const auto& range = counts.ranges[s];
            const Real* from = numbers.data() + range.first;
            for (int e = 0; e < state.count; ++e) {
                const int to = trellis.edges[state.edge + e];
                if (to < 0) continue;
                const int mines = state.least + e;
                const auto& target = counts.ranges[to];
                const Real* rest = counts.of(to);
                Real* sum = numbers.data() + target.first;
                const Real* weight = from + (target.low + mines - range.low);
                const Real ways = static_cast<Real>(choose[mines]);
                Real through{0};
                for (int k = 0; k < target.length; ++k) {
                    sum[k] += ways * weight[k];
                    through += weight[k] * rest[k];
                }
                expected += ways * through * static_cast<Real>(mines);
            }
        }
        visit(group, static_cast<double>(expected));
    }
}

}  // namespace mines
