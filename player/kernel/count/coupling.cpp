#include "count/coupling.hpp"

#include <algorithm>
#include <cmath>

#include "base/interrupt.hpp"

#if defined(__APPLE__) && !defined(_REENTRANT)
// The library has it, but the header declares it only with this macro.
extern "C" double lgamma_r(double x, int* sign);
#endif

namespace mines {
namespace {

// std::lgamma stores the sign in a global variable, which is not thread-safe.
double log_gamma(double x) {
#if defined(__GLIBC__) || defined(__APPLE__)
    int sign = 0;
    return ::lgamma_r(x, &sign);
#else
    return std::lgamma(x);
#endif
}

double log_choose(int n, int k) { return log_gamma(n + 1.0) - log_gamma(k + 1.0) - log_gamma(n - k + 1.0); }

}  // namespace

int fill_binomial(int cells, double odds, int low, int high, std::vector<double>& weights) {
    weights.assign(static_cast<std::size_t>(high - low + 1), 0);
    // From the largest weight outwards, by the ratio of neighbouring binomials.
    const int middle = std::clamp(static_cast<int>((cells + 1.0) * odds / (1 + odds)), low, high);
    weights[middle - low] = 1;
    for (int k = middle; k < high; ++k) weights[k + 1 - low] = weights[k - low] * odds * (cells - k) / (k + 1.0);
    for (int k = middle; k > low; --k) weights[k - 1 - low] = weights[k - low] / odds * k / (cells - k + 1.0);
    return middle;
}

bool Coupling::couple(const std::vector<const CountWeights*>& components, int unconstrained, int mines, double odds) {
    InterruptCheck* const check = InterruptCheck::current_check();
    components_.assign(components.begin(), components.end());
    unconstrained_ = unconstrained;
    mines_ = mines;
    const std::size_t count = components_.size();
    lows_.assign(count + 1, 0);
    highs_.assign(count + 1, 0);
    for (std::size_t i = 0; i < count; ++i) {
        lows_[i + 1] = lows_[i] + components_[i]->low;
        highs_[i + 1] = highs_[i] + components_[i]->high();
    }
    const int unconstrained_low = std::max(0, mines - highs_[count]);
    const int unconstrained_high = std::min(unconstrained, mines - lows_[count]);
    if (unconstrained_low > unconstrained_high) return false;
    if (tails_.size() < count + 1) tails_.resize(count + 1);
    CountWeights& unconstrained_weights = tails_[count];
    unconstrained_weights.low = unconstrained_low;
    const int middle =
        fill_binomial(unconstrained, odds, unconstrained_low, unconstrained_high, unconstrained_weights.numbers);

    for (std::size_t i = count; i-- > 0;) {
        const CountWeights& component = *components_[i];
        const CountWeights& after = tails_[i + 1];
        CountWeights& tail = tails_[i];
        tail.low = std::max(mines - highs_[i], after.low + component.low);
        const int high = std::min(mines - lows_[i], after.high() + component.high());
        if (high < tail.low) return false;
        tail.numbers.assign(static_cast<std::size_t>(high - tail.low + 1), 0);
        for (int k = 0; k < component.length(); ++k) {
            check_interrupt(check);
            const int shift = component.low + k + after.low - tail.low;
            const int from = std::max(0, -shift);
            const int to = std::min(after.length(), tail.length() - shift);
            const double weight = component.numbers[k];
            for (int t = from; t < to; ++t) tail.numbers[t + shift] += weight * after.numbers[t];
        }
    }
    total_ = tails_[0].numbers[0];  // the first tail has exactly one entry, for `mines`
    if (!(total_ > 0)) return false;
    log_total_ = std::log(total_) + log_choose(unconstrained, middle) + std::log(odds) * middle;
    return true;
}

void Coupling::compute_marginals() {
    if (complements_.size() < components_.size()) complements_.resize(components_.size());
    InterruptCheck* const check = InterruptCheck::current_check();
    prefix_.assign(1, 1 / total_);
    for (std::size_t i = 0; i < components_.size(); ++i) {
        const CountWeights& component = *components_[i];
        const CountWeights& after = tails_[i + 1];
        const int prefix_length = static_cast<int>(prefix_.size());
        complements_[i].resize(component.numbers.size());
        for (int k = 0; k < component.length(); ++k) {
            check_interrupt(check);
            // If the components before hold lows_[i] + p mines, the tail has the others.
            const int left = mines_ - component.low - k - lows_[i] - after.low;
            const int from = std::max(0, left - after.length() + 1);
            const int to = std::min(prefix_length, left + 1);
            double sum = 0;
            for (int p = from; p < to; ++p) sum += prefix_[p] * after.numbers[left - p];
            complements_[i][k] = sum;
        }
        next_prefix_.assign(prefix_.size() + component.numbers.size() - 1, 0);
        check_interrupt_now();
        for (int p = 0; p < prefix_length; ++p)
            for (int k = 0; k < component.length(); ++k) next_prefix_[p + k] += prefix_[p] * component.numbers[k];
        prefix_.swap(next_prefix_);
    }
    unconstrained_mine_ = 0;
    if (unconstrained_ == 0) return;
    const CountWeights& unconstrained_weights = tails_[components_.size()];
    double expected = 0;
    for (int p = 0; p < static_cast<int>(prefix_.size()); ++p) {
        const int in_unconstrained = mines_ - lows_[components_.size()] - p;
        if (unconstrained_weights.low <= in_unconstrained && in_unconstrained <= unconstrained_weights.high())
            expected += prefix_[p] * unconstrained_weights.numbers[in_unconstrained - unconstrained_weights.low] *
                        in_unconstrained;
    }
    unconstrained_mine_ = std::clamp(expected / unconstrained_, 0.0, 1.0);
}

void Coupling::conditional(std::size_t i, int mines, std::vector<double>& weights) const {
    const CountWeights& component = *components_[i];
    const CountWeights& after = tails_[i + 1];
    weights.assign(component.numbers.size(), 0);
    for (int k = 0; k < component.length(); ++k) {
        const int left = mines - component.low - k;
        if (after.low <= left && left <= after.high())
            weights[k] = component.numbers[k] * after.numbers[left - after.low];
    }
}

}  // namespace mines
