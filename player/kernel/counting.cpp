#include "counting.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace mines {
namespace {

// Components of up to this many cells have at most 2^900 layouts, which double holds with room to spare.
constexpr std::size_t kPlainCells = 900;
constexpr std::size_t kLargeCells = std::numeric_limits<long double>::max_exponent - 124;

constexpr std::array<std::array<double, 9>, 9> make_choices() {
    std::array<std::array<double, 9>, 9> choices{};
    for (int n = 0; n <= 8; ++n) {
        choices[n][0] = 1;
        for (int k = 1; k <= n; ++k) choices[n][k] = choices[n - 1][k - 1] + (k < n ? choices[n - 1][k] : 0);
    }
    return choices;
}
constexpr auto kChoose = make_choices();

double log_choose(int n, int k) { return std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0); }

// Fill the suffix counts; false if they take more than `limit` numbers.
template <class Real>
bool sweep_back(const CountedComponent& part, std::int64_t limit, SuffixCounts<Real>& counts) {
    const Trellis& trellis = part.trellis;
    const std::size_t states = trellis.states.size();
    counts.ranges.resize(states);
    counts.ranges[states - 1] = {0, 0, 1};
    counts.numbers.assign(1, Real{1});
    for (int step = trellis.steps(); step-- > 0;) {
        const auto& choose = kChoose[part.component.groups[step].size];
        for (int s = trellis.layers[step + 1]; s-- > trellis.layers[step];) {
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
void sweep_forward(const CountedComponent& part, const SuffixCounts<Real>& counts, const std::vector<Real>& weights,
                   std::vector<Real>& numbers, Visit visit) {
    const Trellis& trellis = part.trellis;
    numbers.assign(counts.numbers.size(), Real{0});
    std::copy(weights.begin(), weights.end(), numbers.begin() + counts.ranges[0].first);
    for (int step = 0; step < trellis.steps(); ++step) {
        const Group& group = part.component.groups[step];
        const auto& choose = kChoose[group.size];
        Real expected{0};
        for (int s = trellis.layers[step]; s < trellis.layers[step + 1]; ++s) {
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

double log_of_sum(const std::vector<double>& logs) {
    const double most = *std::max_element(logs.begin(), logs.end());
    double sum = 0;
    for (const double log : logs) sum += std::exp(log - most);
    return most + std::log(sum);
}

}  // namespace

Fit Counter::count(const Grid& grid, const CountLimits& limits) {
    mines_ = grid.mines_left;
    count_ = 0;
    if (mines_ < 0 || mines_ > grid.unknown_left) return Fit::none;
    finder_.restart(grid);
    std::size_t frontier = 0;
    for (int row = 0; row < grid.rows; ++row) {
        for (int col = 0; col < grid.cols; ++col) {
            const Index i = grid.at(row, col);
            if (grid.state[i] != kOpen) continue;
            if (grid.mask[i] == 0) {
                if (grid.need[i] != 0) return Fit::none;
                continue;
            }
            if (finder_.visited(i)) continue;
            if (count_ == components_.size()) components_.emplace_back();
            CountedComponent& part = components_[count_];
            finder_.find(grid, i, part.component);
            const Fit fit = count_component(part, limits);
            if (fit != Fit::ok) return fit;
            frontier += part.component.cells.size();
            ++count_;
        }
    }
    collect_sea(grid);
    choose_tilt(frontier);
    return combine() ? Fit::ok : Fit::none;
}

Fit Counter::count_component(CountedComponent& part, const CountLimits& limits) {
    const std::size_t cells = part.component.cells.size();
    if (cells > kLargeCells) return Fit::too_wide;
    const Fit fit = builder_.build(part.component, limits.states, part.trellis);
    if (fit != Fit::ok) return fit;
    part.large = cells > kPlainCells;
    part.log_scale = 0;
    const bool fits = part.large ? sweep_back(part, limits.numbers, part.large_counts)
                                 : sweep_back(part, limits.numbers, part.counts);
    if (!fits) return Fit::too_wide;
    if (part.large) {
        const auto& range = part.large_counts.ranges[0];
        part.low = range.low;
        const long double* total = part.large_counts.of(0);
        part.logs.resize(static_cast<std::size_t>(range.length));
        for (int k = 0; k < range.length; ++k) part.logs[k] = static_cast<double>(std::log(total[k]));
    } else {
        const auto& range = part.counts.ranges[0];
        part.low = range.low;
        part.weights.assign(part.counts.of(0), part.counts.of(0) + range.length);
    }
    return Fit::ok;
}

void Counter::collect_sea(const Grid& grid) {
    sea_.clear();
    for (int row = 0; row < grid.rows; ++row) {
        for (int col = 0; col < grid.cols; ++col) {
            const Index i = grid.at(row, col);
            if (grid.state[i] != kUnknown) continue;
            bool seen = false;
            for (const int step : grid.step) seen |= grid.state[i + step] == kOpen;
            if (!seen) sea_.push_back(i);
        }
    }
}

// On large frontiers, layouts with as many mines as there are may be so rare among all layouts of the components that
// they underflow. Weighting every mine by the same factor changes no conditional probability; the factor that makes the
// expected number of mines right brings the layouts that matter to the middle.
void Counter::choose_tilt(std::size_t frontier) {
    tilt_ = 0;
    log_scale_ = 0;
    tilted_ = frontier > kPlainCells;
    if (!tilted_) return;
    for (std::size_t i = 0; i < count_; ++i) {
        CountedComponent& part = components_[i];
        if (part.large) continue;
        part.logs.resize(part.weights.size());
        for (std::size_t k = 0; k < part.weights.size(); ++k) part.logs[k] = std::log(part.weights[k]);
    }
    double low = -64;
    double high = 64;
    for (int halving = 0; halving < 40; ++halving) {
        tilt_ = (low + high) / 2;
        double expected = static_cast<double>(sea_.size()) / (1 + std::exp(-tilt_));
        for (std::size_t i = 0; i < count_; ++i) {
            const CountedComponent& part = components_[i];
            double most = -std::numeric_limits<double>::infinity();
            for (std::size_t k = 0; k < part.logs.size(); ++k)
                most = std::max(most, part.logs[k] + tilt_ * static_cast<double>(k));
            double sum = 0;
            double mean = 0;
            for (std::size_t k = 0; k < part.logs.size(); ++k) {
                const double weight = std::exp(part.logs[k] + tilt_ * static_cast<double>(k) - most);
                sum += weight;
                mean += weight * static_cast<double>(k);
            }
            expected += part.low + mean / sum;
        }
        (expected < mines_ ? low : high) = tilt_;
    }
    for (std::size_t i = 0; i < count_; ++i) {
        CountedComponent& part = components_[i];
        std::vector<double>& weights = part.weights;
        weights = part.logs;
        for (std::size_t k = 0; k < weights.size(); ++k) weights[k] += tilt_ * (part.low + static_cast<double>(k));
        part.log_scale = log_of_sum(weights);
        log_scale_ += part.log_scale;
        for (double& weight : weights) weight = std::exp(weight - part.log_scale);
    }
}

// Tie the components and the sea together; false if no layout has the right number of mines.
bool Counter::combine() {
    const int sea = static_cast<int>(sea_.size());
    int low = 0;
    int high = 0;
    for (std::size_t i = 0; i < count_; ++i) {
        low += components_[i].low;
        high += components_[i].low + static_cast<int>(components_[i].weights.size()) - 1;
    }
    // The sea can hold mines_ - high .. mines_ - low mines.
    const int sea_low = std::max(0, mines_ - high);
    const int sea_high = std::min(sea, mines_ - low);
    if (sea_low > sea_high) return false;
    if (tails_.size() < count_ + 1) tails_.resize(count_ + 1);
    Tail& water = tails_[count_];
    water.low = sea_low;
    water.weights.assign(static_cast<std::size_t>(sea_high - sea_low + 1), 0);
    // From the sea's heaviest number of mines outwards, by the ratio of neighbouring binomials.
    const double odds = std::exp(tilt_);
    const int middle = std::clamp(static_cast<int>((sea + 1.0) * odds / (1 + odds)), sea_low, sea_high);
    water.weights[middle - sea_low] = 1;
    for (int j = middle; j < sea_high; ++j)
        water.weights[j + 1 - sea_low] = water.weights[j - sea_low] * odds * (sea - j) / (j + 1.0);
    for (int j = middle; j > sea_low; --j)
        water.weights[j - 1 - sea_low] = water.weights[j - sea_low] / odds * j / (sea - j + 1.0);

    // tails_[i]: components i and later with the sea, for the numbers of mines that those before i can leave them.
    lows_.assign(count_ + 1, 0);
    highs_.assign(count_ + 1, 0);
    for (std::size_t i = 0; i < count_; ++i) {
        lows_[i + 1] = lows_[i] + components_[i].low;
        highs_[i + 1] = highs_[i] + components_[i].low + static_cast<int>(components_[i].weights.size()) - 1;
    }
    for (std::size_t i = count_; i-- > 0;) {
        const CountedComponent& part = components_[i];
        const Tail& after = tails_[i + 1];
        Tail& tail = tails_[i];
        const int length = static_cast<int>(part.weights.size());
        const int after_length = static_cast<int>(after.weights.size());
        const int tail_low = std::max(mines_ - highs_[i], after.low + part.low);
        const int tail_high = std::min(mines_ - lows_[i], after.low + after_length + part.low + length - 2);
        tail.low = tail_low;
        if (tail_high < tail_low) return false;
        tail.weights.assign(static_cast<std::size_t>(tail_high - tail_low + 1), 0);
        for (int k = 0; k < length; ++k) {
            const int shift = part.low + k + after.low - tail_low;
            const int from = std::max(0, -shift);
            const int to = std::min(after_length, tail_high - tail_low + 1 - shift);
            const double weight = part.weights[k];
            for (int t = from; t < to; ++t) tail.weights[t + shift] += weight * after.weights[t];
        }
    }
    total_ = tails_[0].weights[0];  // tails_[0] has room for exactly mines_ mines
    if (!(total_ > 0)) return false;
    log_layouts_ = std::log(total_) + log_choose(sea, middle) + tilt_ * (middle - mines_) + log_scale_;
    return true;
}

void Counter::probabilities(double* out) {
    prefix_.assign(1, 1 / total_);
    int prefix_low = 0;
    for (std::size_t i = 0; i < count_; ++i) {
        CountedComponent& part = components_[i];
        const Tail& after = tails_[i + 1];
        const int length = static_cast<int>(part.weights.size());
        const int prefix_length = static_cast<int>(prefix_.size());
        const int after_length = static_cast<int>(after.weights.size());
        // If this component has low + k mines and those before it p, the tail has the others.
        part.rest.assign(static_cast<std::size_t>(length), 0);
        for (int k = 0; k < length; ++k) {
            const int left = mines_ - part.low - k - prefix_low - after.low;
            const int from = std::max(0, left - after_length + 1);
            const int to = std::min(prefix_length, left + 1);
            double sum = 0;
            for (int p = from; p < to; ++p) sum += prefix_[p] * after.weights[left - p];
            part.rest[k] = sum;
        }
        next_prefix_.assign(prefix_.size() + part.weights.size() - 1, 0);
        for (int p = 0; p < prefix_length; ++p)
            for (int k = 0; k < length; ++k) next_prefix_[p + k] += prefix_[p] * part.weights[k];
        prefix_.swap(next_prefix_);
        prefix_low += part.low;
        const auto spread = [&](const Group& group, double expected) {
            const double share = std::clamp(expected / group.size, 0.0, 1.0);
            for (int c = 0; c < group.size; ++c) out[part.component.cells[group.first + c]] = share;
        };
        // The counts themselves are not tilted, so the weights for them take the tilt on.
        if (part.large) {
            large_weights_.assign(part.rest.begin(), part.rest.end());
            for (int k = 0; k < length; ++k)
                large_weights_[k] *= std::exp(static_cast<long double>(tilt_ * (part.low + k) - part.log_scale));
            sweep_forward(part, part.large_counts, large_weights_, large_numbers_, spread);
        } else {
            plain_weights_ = part.rest;
            if (tilted_) {
                for (int k = 0; k < length; ++k) plain_weights_[k] *= std::exp(tilt_ * (part.low + k) - part.log_scale);
            }
            sweep_forward(part, part.counts, plain_weights_, plain_numbers_, spread);
        }
    }
    if (sea_.empty()) return;
    const Tail& water = tails_[count_];
    double expected = 0;
    for (std::size_t p = 0; p < prefix_.size(); ++p) {
        const int mines = mines_ - prefix_low - static_cast<int>(p);
        const int at = mines - water.low;
        if (0 <= at && at < static_cast<int>(water.weights.size())) expected += prefix_[p] * water.weights[at] * mines;
    }
    const double share = std::clamp(expected / static_cast<double>(sea_.size()), 0.0, 1.0);
    for (const Index i : sea_) out[i] = share;
}

namespace {

double uniform(Words& words) { return static_cast<double>(words.next() >> 11) * 0x1p-53; }

// Draw a position with probability in proportion to its weight.
template <class Real>
int draw(Words& words, const Real* weights, int length) {
    Real sum{0};
    for (int k = 0; k < length; ++k) sum += weights[k];
    Real left = static_cast<Real>(uniform(words)) * sum;
    int last = 0;
    for (int k = 0; k < length; ++k) {
        if (!(weights[k] > 0)) continue;
        last = k;
        if (left < weights[k]) return k;
        left -= weights[k];
    }
    return last;
}

// Put `mines` mines on a uniform subset of `count` cells (Floyd, in Bentley's "Programming Pearls", CACM 30(9), 1987).
void scatter(Words& words, const Index* cells, int count, int mines, std::uint8_t* out) {
    for (int c = 0; c < count; ++c) out[cells[c]] = 0;
    for (int last = count - mines; last < count; ++last) {
        const Index drawn = cells[words.below(static_cast<std::uint64_t>(last) + 1)];
        out[out[drawn] ? cells[last] : drawn] = 1;
    }
}

// Walk one path through the trellis, of `mines` mines in all.
template <class Real>
void walk(Words& words, const CountedComponent& part, const SuffixCounts<Real>& counts, int mines, std::uint8_t* out) {
    int at = 0;
    for (int step = 0; step < part.trellis.steps(); ++step) {
        const Group& group = part.component.groups[step];
        const Trellis::State state = part.trellis.states[at];
        Real weights[9] = {};
        for (int e = 0; e < state.count; ++e) {
            const int to = part.trellis.edges[state.edge + e];
            if (to < 0) continue;
            const auto& range = counts.ranges[to];
            const int left = mines - state.least - e - range.low;
            if (0 <= left && left < range.length)
                weights[e] = static_cast<Real>(kChoose[group.size][state.least + e]) * counts.of(to)[left];
        }
        const int e = draw(words, weights, state.count);
        scatter(words, part.component.cells.data() + group.first, group.size, state.least + e, out);
        mines -= state.least + e;
        at = part.trellis.edges[state.edge + e];
    }
}

}  // namespace

void Counter::sample(Words& words, std::uint8_t* out) {
    int left = mines_;
    for (std::size_t i = 0; i < count_; ++i) {
        const CountedComponent& part = components_[i];
        const Tail& after = tails_[i + 1];
        plain_weights_.assign(part.weights.size(), 0);
        for (std::size_t k = 0; k < part.weights.size(); ++k) {
            const int at = left - part.low - static_cast<int>(k) - after.low;
            if (0 <= at && at < static_cast<int>(after.weights.size())) plain_weights_[k] = part.weights[k] * after.weights[at];
        }
        const int mines = part.low + draw(words, plain_weights_.data(), static_cast<int>(plain_weights_.size()));
        if (part.large) {
            walk(words, part, part.large_counts, mines, out);
        } else {
            walk(words, part, part.counts, mines, out);
        }
        left -= mines;
    }
    scatter(words, sea_.data(), static_cast<int>(sea_.size()), left, out);
}

}  // namespace mines
