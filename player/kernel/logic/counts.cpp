#include "logic/counts.hpp"

#include <algorithm>

#include "base/interrupt.hpp"

namespace mines {
namespace {

// The mine count sets of all states may take half a gigabyte.
constexpr std::size_t kMostWords = std::size_t{1} << 25;

// target |= source << shift, for shift 0 to 8.
void add_shifted_up(std::uint64_t* target, const std::uint64_t* source, std::size_t words, int shift) {
    std::uint64_t carry = 0;
    for (std::size_t w = 0; w < words; ++w) {
        target[w] |= source[w] << shift | carry;
        carry = shift == 0 ? 0 : source[w] >> (64 - shift);
    }
}

// target |= source >> shift, for shift 0 to 8.
void add_shifted_down(std::uint64_t* target, const std::uint64_t* source, std::size_t words, int shift) {
    std::uint64_t carry = 0;
    for (std::size_t w = words; w-- > 0;) {
        target[w] |= source[w] >> shift | carry;
        carry = shift == 0 ? 0 : source[w] << (64 - shift);
    }
}

bool meets_shifted_up(const std::uint64_t* a, const std::uint64_t* b, std::size_t words, int shift) {
    std::uint64_t carry = 0;
    for (std::size_t w = 0; w < words; ++w) {
        if (((a[w] << shift | carry) & b[w]) != 0) return true;
        carry = shift == 0 ? 0 : a[w] >> (64 - shift);
    }
    return false;
}

// Divide and conquer: combine each set with the sum of all others.
void allow(const std::vector<CountSet>& sets, std::size_t from, std::size_t to, const CountSet& others, int total,
           std::vector<CountSet>& out) {
    if (to - from == 1) {
        for (const auto& range : sets[from]) {
            // Intersect the range with the ranges of the others, subtracted from the total.
            for (auto other = others.rbegin(); other != others.rend(); ++other) {
                const int first = std::max(range.first, total - other->second);
                const int last = std::min(range.second, total - other->first);
                if (first <= last) out[from].emplace_back(first, last);
            }
        }
        return;
    }
    const std::size_t middle = from + (to - from) / 2;
    check_interrupt_now();
    CountSet with_right = others;
    for (std::size_t i = middle; i < to; ++i) with_right = sums(with_right, sets[i]);
    allow(sets, from, middle, with_right, total, out);
    CountSet with_left = others;
    for (std::size_t i = from; i < middle; ++i) with_left = sums(with_left, sets[i]);
    allow(sets, middle, to, with_left, total, out);
}

}  // namespace

CountSet sums(const CountSet& a, const CountSet& b) {
    CountSet ranges;
    for (const auto& x : a)
        for (const auto& y : b) ranges.emplace_back(x.first + y.first, x.second + y.second);
    if (ranges.size() < 2) return ranges;
    std::sort(ranges.begin(), ranges.end());
    CountSet merged;
    for (const auto& range : ranges) {
        if (!merged.empty() && range.first <= merged.back().second + 1) {
            merged.back().second = std::max(merged.back().second, range.second);
        } else {
            merged.push_back(range);
        }
    }
    return merged;
}

std::vector<CountSet> allowed_counts(const std::vector<CountSet>& sets, int total) {
    std::vector<CountSet> out(sets.size());
    if (!sets.empty()) allow(sets, 0, sets.size(), {{0, 0}}, total, out);
    return out;
}

bool CountSweep::affordable(const Component& component, const Trellis& trellis) {
    return trellis.states.size() * (component.cells.size() / 64 + 1) <= kMostWords;
}

void CountSweep::forward(const Component& component, const Trellis& trellis) {
    words_ = component.cells.size() / 64 + 1;
    reached_.assign(trellis.states.size() * words_, 0);
    reached_[0] = 1;
    for (int step = 0; step < trellis.steps(); ++step)
        trellis.each_edge(step, [&](int from, int to, int mines) {
            add_shifted_up(&reached_[to * words_], &reached_[from * words_], words_, mines);
        });
}

CountSet CountSweep::reachable(const Component& component, const Trellis& trellis) {
    forward(component, trellis);
    const std::uint64_t* end = &reached_[(trellis.states.size() - 1) * words_];
    return counts_where(static_cast<int>(words_ * 64) - 1,
                        [end](int count) { return (end[count / 64] >> (count % 64) & 1) != 0; });
}

void CountSweep::values(const Component& component, const Trellis& trellis, const CountSet& allowed,
                        std::vector<std::uint16_t>& out) {
    forward(component, trellis);
    const std::size_t states = trellis.states.size();
    wanted_.assign(states * words_, 0);
    for (const auto& range : allowed)
        for (int count = range.first; count <= range.second; ++count)
            wanted_[(states - 1) * words_ + static_cast<std::size_t>(count / 64)] |= std::uint64_t{1} << (count % 64);
    out.assign(component.groups.size(), 0);
    for (int group = trellis.steps(); group-- > 0;)
        trellis.each_edge(group, [&](int from, int to, int mines) {
            const std::uint64_t *const reached = &reached_[from * words_], *const goal = &wanted_[to * words_];
            if (meets_shifted_up(reached, goal, words_, mines))
                out[group] = static_cast<std::uint16_t>(out[group] | 1u << mines);
            add_shifted_down(&wanted_[from * words_], goal, words_, mines);
        });
}

}  // namespace mines
