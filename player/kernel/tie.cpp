#include "tie.hpp"

#include <algorithm>
#include <cmath>

#include "pulse.hpp"

#if defined(__APPLE__) && !defined(_REENTRANT)
// It is in the library, but its header tells of it only where this macro is set.
extern "C" double lgamma_r(double x, int* sign);
#endif

namespace mines {
namespace {

// std::lgamma keeps the sign in a global variable, which threads would share.
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

bool Tie::set(const std::vector<const CountWeights*>& parts, int sea, int mines, double odds) {
    parts_.assign(parts.begin(), parts.end());
    sea_ = sea;
    mines_ = mines;
    const std::size_t count = parts_.size();
    lows_.assign(count + 1, 0);
    highs_.assign(count + 1, 0);
    for (std::size_t i = 0; i < count; ++i) {
        lows_[i + 1] = lows_[i] + parts_[i]->low;
        highs_[i + 1] = highs_[i] + parts_[i]->high();
    }
    const int sea_low = std::max(0, mines - highs_[count]);
    const int sea_high = std::min(sea, mines - lows_[count]);
    if (sea_low > sea_high) return false;
    if (tails_.size() < count + 1) tails_.resize(count + 1);
    CountWeights& water = tails_[count];
    water.low = sea_low;
    water.numbers.assign(static_cast<std::size_t>(sea_high - sea_low + 1), 0);
    // From the sea's heaviest number of mines outwards, by the ratio of neighbouring binomials.
    const int middle = std::clamp(static_cast<int>((sea + 1.0) * odds / (1 + odds)), sea_low, sea_high);
    water.numbers[middle - sea_low] = 1;
    for (int j = middle; j < sea_high; ++j)
        water.numbers[j + 1 - sea_low] = water.numbers[j - sea_low] * odds * (sea - j) / (j + 1.0);
    for (int j = middle; j > sea_low; --j)
        water.numbers[j - 1 - sea_low] = water.numbers[j - sea_low] / odds * j / (sea - j + 1.0);

    for (std::size_t i = count; i-- > 0;) {
        const CountWeights& part = *parts_[i];
        const CountWeights& after = tails_[i + 1];
        CountWeights& tail = tails_[i];
        tail.low = std::max(mines - highs_[i], after.low + part.low);
        const int high = std::min(mines - lows_[i], after.high() + part.high());
        if (high < tail.low) return false;
        tail.numbers.assign(static_cast<std::size_t>(high - tail.low + 1), 0);
        for (int k = 0; k < part.length(); ++k) {
            pulse();
            const int shift = part.low + k + after.low - tail.low;
            const int from = std::max(0, -shift);
            const int to = std::min(after.length(), tail.length() - shift);
            const double weight = part.numbers[k];
            for (int t = from; t < to; ++t) tail.numbers[t + shift] += weight * after.numbers[t];
        }
    }
    total_ = tails_[0].numbers[0];  // the first tail has room for exactly `mines` mines
    if (!(total_ > 0)) return false;
    log_total_ = std::log(total_) + log_choose(sea, middle) + std::log(odds) * middle;
    return true;
}

void Tie::share() {
    if (rests_.size() < parts_.size()) rests_.resize(parts_.size());
    prefix_.assign(1, 1 / total_);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const CountWeights& part = *parts_[i];
        const CountWeights& after = tails_[i + 1];
        const int prefix_length = static_cast<int>(prefix_.size());
        rests_[i].resize(part.numbers.size());
        for (int k = 0; k < part.length(); ++k) {
            pulse();
            // If the parts before hold lows_[i] + p mines, the tail has the others.
            const int left = mines_ - part.low - k - lows_[i] - after.low;
            const int from = std::max(0, left - after.length() + 1);
            const int to = std::min(prefix_length, left + 1);
            double sum = 0;
            for (int p = from; p < to; ++p) sum += prefix_[p] * after.numbers[left - p];
            rests_[i][k] = sum;
        }
        next_prefix_.assign(prefix_.size() + part.numbers.size() - 1, 0);
        slow_pulse();
        for (int p = 0; p < prefix_length; ++p)
            for (int k = 0; k < part.length(); ++k) next_prefix_[p + k] += prefix_[p] * part.numbers[k];
        prefix_.swap(next_prefix_);
    }
    sea_share_ = 0;
    if (sea_ == 0) return;
    const CountWeights& water = tails_[parts_.size()];
    double expected = 0;
    for (int p = 0; p < static_cast<int>(prefix_.size()); ++p) {
        const int in_sea = mines_ - lows_[parts_.size()] - p;
        if (water.low <= in_sea && in_sea <= water.high())
            expected += prefix_[p] * water.numbers[in_sea - water.low] * in_sea;
    }
    sea_share_ = std::clamp(expected / sea_, 0.0, 1.0);
}

void Tie::given(std::size_t i, int mines, std::vector<double>& weights) const {
    const CountWeights& part = *parts_[i];
    const CountWeights& after = tails_[i + 1];
    weights.assign(part.numbers.size(), 0);
    for (int k = 0; k < part.length(); ++k) {
        const int left = mines - part.low - k;
        if (after.low <= left && left <= after.high()) weights[k] = part.numbers[k] * after.numbers[left - after.low];
    }
}

}  // namespace mines
