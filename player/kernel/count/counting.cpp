#include "count/counting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/interrupt.hpp"

namespace mines {
namespace {

// Larger components may have more layouts than long double holds.
constexpr std::size_t kMostCells = std::numeric_limits<long double>::max_exponent - 124;
constexpr CountLimits kLimits = {kMostCells, 4'000'000, 64'000'000};

double log_of_sum(const std::vector<double>& logs) {
    const double most = *std::max_element(logs.begin(), logs.end());
    double sum = 0;
    for (const double log : logs) sum += std::exp(log - most);
    return most + std::log(sum);
}

}  // namespace

Fit Counter::count(const Field& field) {
    mines_ = field.mines_left;
    count_ = 0;
    if (mines_ < 0 || mines_ > field.unknown_left) return Fit::inconsistent;
    finder_.restart(field);
    std::size_t frontier = 0;
    for (Index i = 0; i < field.size(); ++i) {
        if (field.state[i] != kOpen) continue;
        if (field.mask[i] == 0 && field.need[i] != 0) return Fit::inconsistent;
        if (field.mask[i] == 0 || finder_.visited(i)) continue;
        if (count_ == components_.size()) components_.emplace_back();
        CountedComponent& counted = components_[count_++];
        counted.forget();
        const Fit fit = counted.find(field, i, finder_, builder_, kLimits);
        if (fit != Fit::ok) return fit;
        frontier += counted.component().cells.size();
    }
    unconstrained_.clear();
    field.list_unconstrained(unconstrained_);
    tilt_ = 0;
    log_scale_ = 0;
    tilts_.clear();
    spare_ = field.spare > 0;
    if (frontier <= CountedComponent::kMostCells && !spare_) return combine() ? Fit::ok : Fit::inconsistent;
    collect_logs(field);
    if (!combine_tilted()) return Fit::inconsistent;
    if (field.odds == 1) return Fit::ok;
    // Count again with a weight for each mine on the board, which is one less for each in a spare cell.
    const double log_layouts = log_layouts_;
    for (std::size_t k = 0; k < tilts_.back().logs.size(); ++k)
        tilts_.back().logs[k] = -std::log(field.odds) * static_cast<double>(k);
    combine_tilted();
    log_layouts_ = log_layouts;
    return Fit::ok;
}

// Sums and products of whole numbers are exact in doubles up to 2^53. No count on the way is larger than the
// component's count that it contributes to, because every state of a trellis lies on a path from its start to its end.
std::optional<std::vector<CountWeights>> Counter::exact_weights() const {
    std::vector<CountWeights> exact;
    for (std::size_t i = 0; i < count_; ++i) {
        if (components_[i].large()) return std::nullopt;
        exact.push_back(components_[i].weights());
        for (const double number : exact.back().numbers)
            if (number >= 0x1p53) return std::nullopt;
    }
    return exact;
}

void Counter::collect_logs(const Field& field) {
    for (std::size_t i = 0; i < count_; ++i) {
        const CountedComponent& one = components_[i];
        Tilted tilted;
        if (one.large()) {
            const auto& range = one.large_after().ranges[0];
            const long double* const total = one.large_after().of(0);
            tilted.low = range.low;
            for (int k = 0; k < range.length; ++k) tilted.logs.push_back(static_cast<double>(std::log(total[k])));
        } else {
            tilted.low = one.weights().low;
            for (const double number : one.weights().numbers) tilted.logs.push_back(std::log(number));
        }
        tilts_.push_back(std::move(tilted));
    }
    if (spare_) tilts_.push_back({0, std::vector<double>(static_cast<std::size_t>(field.spare) + 1), {}, 0});
}

// On large frontiers, layouts with the right number of mines may be so rare that their weights underflow. A common
// factor for every mine changes no conditional probability. Choose the factor that makes the expected number of mines
// right, so that the relevant layouts have the largest weights.
void Counter::choose_tilt() {
    log_scale_ = 0;
    double low = -64;
    double high = 64;
    for (int halving = 0; halving < 40; ++halving) {
        check_interrupt_now();
        tilt_ = (low + high) / 2;
        double expected = static_cast<double>(unconstrained_.size()) / (1 + std::exp(-tilt_));
        for (const Tilted& one : tilts_) {
            double most = -std::numeric_limits<double>::infinity();
            for (std::size_t k = 0; k < one.logs.size(); ++k)
                most = std::max(most, one.logs[k] + tilt_ * static_cast<double>(k));
            double sum = 0;
            double mean = 0;
            for (std::size_t k = 0; k < one.logs.size(); ++k) {
                const double weight = std::exp(one.logs[k] + tilt_ * static_cast<double>(k) - most);
                sum += weight;
                mean += weight * static_cast<double>(k);
            }
            expected += one.low + mean / sum;
        }
        (expected < mines_ ? low : high) = tilt_;
    }
    for (Tilted& one : tilts_) {
        std::vector<double>& weights = one.weights.numbers;
        one.weights.low = one.low;
        weights = one.logs;
        for (std::size_t k = 0; k < weights.size(); ++k) weights[k] += tilt_ * (one.low + static_cast<double>(k));
        one.log_scale = log_of_sum(weights);
        log_scale_ += one.log_scale;
        for (double& weight : weights) weight = std::exp(weight - one.log_scale);
    }
}

bool Counter::combine_tilted() {
    choose_tilt();
    return combine();
}

bool Counter::combine() {
    count_weights_.clear();
    for (std::size_t i = 0; tilts_.empty() && i < count_; ++i) count_weights_.push_back(&components_[i].weights());
    for (const Tilted& one : tilts_) count_weights_.push_back(&one.weights);
    if (!coupling_.couple(count_weights_, static_cast<int>(unconstrained_.size()), mines_, std::exp(tilt_)))
        return false;
    log_layouts_ = log_weight_ = coupling_.log_total() + log_scale_ - tilt_ * mines_;
    return true;
}

void Counter::probabilities(double* out) {
    coupling_.compute_marginals();
    for (std::size_t i = 0; i < count_; ++i) {
        const CountedComponent& one = components_[i];
        std::vector<double>& weights = weights_;
        weights = coupling_.rest(i);
        // The counts are not tilted, so tilt the weights.
        const auto tilt = [&](int k) { return tilt_ * (tilts_[i].low + k) - tilts_[i].log_scale; };
        if (one.large()) {
            std::vector<long double> large(weights.begin(), weights.end());
            for (std::size_t k = 0; k < large.size(); ++k)
                large[k] *= std::exp(static_cast<long double>(tilt(static_cast<int>(k))));
            one.write_risks(one.large_after(), large, large_numbers_, out);
        } else {
            for (std::size_t k = 0; !tilts_.empty() && k < weights.size(); ++k)
                weights[k] *= std::exp(tilt(static_cast<int>(k)));
            one.write_risks(one.after(), weights, numbers_, out);
        }
    }
    const double mine = coupling_.unconstrained_mine();
    for (const Index i : unconstrained_) out[i] = mine;
}

namespace {

// Draws at random, with probability proportional to weights.
class Draws {
  public:
    explicit Draws(RandomWords& words) : words_(words) {}

    template <class Real>
    int number(const Real* weights, int length) {
        Real sum{0};
        for (int k = 0; k < length; ++k) sum += weights[k];
        Real left = static_cast<Real>(static_cast<double>(words_.next() >> 11) * 0x1p-53) * sum;
        int last = 0;
        for (int k = 0; k < length; ++k) {
            if (!(weights[k] > 0)) continue;
            last = k;
            if (left < weights[k]) return k;
            left -= weights[k];
        }
        return last;
    }

    // Put `mines` mines on a uniform subset of `count` cells.
    void scatter(const Index* cells, int count, int mines, std::uint8_t* out) {
        for (int c = 0; c < count; ++c) out[cells[c]] = 0;
        words_.choose_subset(
            count, mines, [cells](int c) { return cells[c]; }, [out](Index cell) { return out[cell] != 0; },
            [out](Index cell) { out[cell] = 1; });
    }

  private:
    RandomWords& words_;
};

// Chooses without randomness: the first number that is not rare, and cells evenly apart.
class Examples {
  public:
    template <class Real>
    int number(const Real* weights, int length) {
        // No ratio of two small numbers, so that rounding errors change no choice.
        const auto rare = static_cast<Real>(0.00123456789) * *std::max_element(weights, weights + length);
        int first = 0;
        while (first + 1 < length && !(weights[first] > rare)) ++first;
        return first;
    }

    void scatter(const Index* cells, int count, int mines, std::uint8_t* out) {
        for (int c = 0; c < count; ++c) out[cells[c]] = 0;
        for (std::int64_t m = 0; m < mines; ++m) out[cells[m * count / mines]] = 1;
    }
};

// Choose a path through the trellis with `mines` mines in all.
template <class Chooser, class Real>
void walk(Chooser& chooser, const CountedComponent& counted, const StateCounts<Real>& counts, int mines,
          std::uint8_t* out) {
    int at = 0;
    for (int step = 0; step < counted.trellis().steps(); ++step) {
        const Group& group = counted.component().groups[step];
        const Trellis::State state = counted.trellis().states[at];
        Real weights[9] = {};
        for (int e = 0; e < state.count; ++e) {
            const int to = counted.trellis().edges[state.edge + e];
            if (to < 0) continue;
            const auto& range = counts.ranges[to];
            const int left = mines - state.least - e - range.low;
            if (0 <= left && left < range.length)
                weights[e] = static_cast<Real>(kChoose[group.size][state.least + e]) * counts.of(to)[left];
        }
        const int e = chooser.number(weights, state.count);
        chooser.scatter(counted.component().cells.data() + group.first, group.size, state.least + e, out);
        mines -= state.least + e;
        at = counted.trellis().edges[state.edge + e];
    }
}

}  // namespace

template <class Chooser>
void Counter::choose(Chooser& chooser, std::uint8_t* out) {
    int left = mines_;
    for (std::size_t i = 0; i < count_; ++i) {
        const CountedComponent& one = components_[i];
        coupling_.conditional(i, left, weights_);
        const int mines = count_weights_[i]->low + chooser.number(weights_.data(), static_cast<int>(weights_.size()));
        if (one.large()) {
            walk(chooser, one, one.large_after(), mines, out);
        } else {
            walk(chooser, one, one.after(), mines, out);
        }
        left -= mines;
    }
    if (spare_) {
        coupling_.conditional(count_, left, weights_);
        left -= chooser.number(weights_.data(), static_cast<int>(weights_.size()));
    }
    chooser.scatter(unconstrained_.data(), static_cast<int>(unconstrained_.size()), left, out);
}

void Counter::sample(RandomWords& words, std::uint8_t* out) {
    Draws draws(words);
    choose(draws, out);
}

void Counter::example(std::uint8_t* out) {
    Examples examples;
    choose(examples, out);
}

}  // namespace mines
