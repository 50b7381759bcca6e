#include "counting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pulse.hpp"

namespace mines {
namespace {

// Components of up to this many cells have at most 2^900 layouts, which double holds with room to spare.
constexpr std::size_t kPlainCells = 900;
constexpr std::size_t kLargeCells = std::numeric_limits<long double>::max_exponent - 124;

// What the count of a component may cost before it is called too wide: states, and states times mine counts.
constexpr int kMostStates = 4'000'000;
constexpr std::int64_t kMostNumbers = 64'000'000;

double log_of_sum(const std::vector<double>& logs) {
    const double most = *std::max_element(logs.begin(), logs.end());
    double sum = 0;
    for (const double log : logs) sum += std::exp(log - most);
    return most + std::log(sum);
}

}  // namespace

Fit Counter::count(const Grid& grid) {
    mines_ = grid.mines_left;
    count_ = 0;
    if (mines_ < 0 || mines_ > grid.unknown_left) return Fit::inconsistent;
    finder_.restart(grid);
    std::size_t frontier = 0;
    for (Index i = 0; i < grid.size(); ++i) {
        if (grid.state[i] != kOpen) continue;
        if (grid.mask[i] == 0 && grid.need[i] != 0) return Fit::inconsistent;
        if (grid.mask[i] == 0 || finder_.visited(i)) continue;
        if (count_ == components_.size()) components_.emplace_back();
        CountedComponent& part = components_[count_];
        finder_.find(grid, i, part.component);
        const Fit fit = count_component(part);
        if (fit != Fit::ok) return fit;
        frontier += part.component.cells.size();
        ++count_;
    }
    collect_sea(grid);
    choose_tilt(frontier);
    return combine() ? Fit::ok : Fit::inconsistent;
}

Fit Counter::count_component(CountedComponent& part) {
    const std::size_t cells = part.component.cells.size();
    if (cells > kLargeCells) return Fit::too_wide;
    const Fit fit = builder_.build(part.component, kMostStates, part.trellis);
    if (fit != Fit::ok) return fit;
    part.large = cells > kPlainCells;
    part.log_scale = 0;
    const bool fits = part.large ? sweep_back(part.component, part.trellis, kMostNumbers, part.large_counts)
                                 : sweep_back(part.component, part.trellis, kMostNumbers, part.counts);
    if (!fits) return Fit::too_wide;
    if (part.large) {
        const auto& range = part.large_counts.ranges[0];
        part.weights.low = range.low;
        const long double* total = part.large_counts.of(0);
        part.logs.resize(static_cast<std::size_t>(range.length));
        for (int k = 0; k < range.length; ++k) part.logs[k] = static_cast<double>(std::log(total[k]));
    } else {
        const auto& range = part.counts.ranges[0];
        part.weights.low = range.low;
        part.weights.numbers.assign(part.counts.of(0), part.counts.of(0) + range.length);
    }
    return Fit::ok;
}

void Counter::collect_sea(const Grid& grid) {
    sea_.clear();
    for (Index i = 0; i < grid.size(); ++i) {
        if (grid.state[i] != kUnknown) continue;
        bool seen = false;
        for (const int step : grid.step) seen |= grid.state[i + step] == kOpen;
        if (!seen) sea_.push_back(i);
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
        part.logs.clear();
        for (const double number : part.weights.numbers) part.logs.push_back(std::log(number));
    }
    double low = -64;
    double high = 64;
    for (int halving = 0; halving < 40; ++halving) {
        slow_pulse();
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
            expected += part.weights.low + mean / sum;
        }
        (expected < mines_ ? low : high) = tilt_;
    }
    for (std::size_t i = 0; i < count_; ++i) {
        CountedComponent& part = components_[i];
        std::vector<double>& weights = part.weights.numbers;
        weights = part.logs;
        for (std::size_t k = 0; k < weights.size(); ++k) weights[k] += tilt_ * (part.weights.low + static_cast<double>(k));
        part.log_scale = log_of_sum(weights);
        log_scale_ += part.log_scale;
        for (double& weight : weights) weight = std::exp(weight - part.log_scale);
    }
}

bool Counter::combine() {
    tied_.clear();
    for (std::size_t i = 0; i < count_; ++i) tied_.push_back(&components_[i].weights);
    if (!tie_.set(tied_, static_cast<int>(sea_.size()), mines_, std::exp(tilt_))) return false;
    log_layouts_ = tie_.log_total() + log_scale_ - tilt_ * mines_;
    return true;
}

void Counter::probabilities(double* out) {
    tie_.share();
    for (std::size_t i = 0; i < count_; ++i) {
        CountedComponent& part = components_[i];
        const std::vector<double>& rest = tie_.rest(i);
        const int low = part.weights.low;
        const int length = static_cast<int>(rest.size());
        const auto spread = [&](const Group& group, double expected) {
            const double share = std::clamp(expected / group.size, 0.0, 1.0);
            for (int c = 0; c < group.size; ++c) out[part.component.cells[group.first + c]] = share;
        };
        // The counts themselves are not tilted, so the weights for them take the tilt on.
        if (part.large) {
            large_weights_.assign(rest.begin(), rest.end());
            for (int k = 0; k < length; ++k)
                large_weights_[k] *= std::exp(static_cast<long double>(tilt_ * (low + k) - part.log_scale));
            sweep_forward(part.component, part.trellis, part.large_counts, large_weights_, large_numbers_, spread);
        } else {
            plain_weights_ = rest;
            if (tilted_) {
                for (int k = 0; k < length; ++k) plain_weights_[k] *= std::exp(tilt_ * (low + k) - part.log_scale);
            }
            sweep_forward(part.component, part.trellis, part.counts, plain_weights_, plain_numbers_, spread);
        }
    }
    const double share = tie_.sea_share();
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
void walk(Words& words, const CountedComponent& part, const StateCounts<Real>& counts, int mines, std::uint8_t* out) {
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
        tie_.given(i, left, plain_weights_);
        const int mines = part.weights.low + draw(words, plain_weights_.data(), static_cast<int>(plain_weights_.size()));
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
