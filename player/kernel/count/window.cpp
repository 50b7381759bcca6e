#include "count/window.hpp"

#include <algorithm>

#include "base/interrupt.hpp"

namespace mines {
namespace {

constexpr int kFarPieces = 16;  // first bit of the far cells

}  // namespace

void multiply(const Joint& a, const Joint& b, Joint& out) {
    out.reset(std::min(a.most + b.most, kNeighbours), a.low + b.low, a.length + b.length - 1);
    for (unsigned as = a.near; as != 0; as &= as - 1) {
        for (unsigned bs = b.near; bs != 0; bs &= bs - 1) {
            const int m = lowest_bit(as);
            const int n = lowest_bit(bs);
            out.near |= 1u << (m + n);
            double* const sum = out.of(m + n);
            for (int j = 0; j < a.length; ++j) {
                const double ways = a.of(m)[j];
                if (!(ways > 0)) continue;
                for (int k = 0; k < b.length; ++k) sum[j + k] += ways * b.of(n)[k];
            }
        }
    }
}

const TouchedGroup* Window::touched(int group) const {
    const auto at =
        std::find_if(touched_.begin(), touched_.end(), [&](const TouchedGroup& one) { return one.group == group; });
    return at == touched_.end() ? nullptr : &*at;
}

template <class Found>
void Window::each_way(int group, Found found) const {
    const int size = counted_->component().groups[group].size;
    const CountedComponent::Groups here = group < static_cast<int>(CountedComponent::kMostGroups)
                                              ? CountedComponent::Groups{1} << group
                                              : CountedComponent::Groups{0};
    const TouchedGroup* const pieces = touched(group);
    const auto number = pieces == nullptr ? 0 : static_cast<int>(pieces - touched_.data());
    counted_->trellis().each_edge(group, [&](int from, int to, int mines) {
        if (pieces == nullptr) {
            found(Way{from, to, mines, 0, kChoose[size][mines], {mines > 0 ? here : CountedComponent::Groups{0}, 0}});
            return;
        }
        for (int near = std::max(0, mines - pieces->far); near <= std::min(pieces->near, mines); ++near) {
            const int far = mines - near;
            const std::uint32_t mined = static_cast<std::uint32_t>(near > 0) << number |
                                        static_cast<std::uint32_t>(far > 0) << (kFarPieces + number);
            found(Way{from,
                      to,
                      mines,
                      near,
                      kChoose[pieces->near][near] * kChoose[pieces->far][far],
                      {CountedComponent::Groups{0}, mined}});
        }
    });
}

bool Window::build(const CountedComponent& counted, const std::vector<TouchedGroup>& touched) {
    counted_ = &counted;
    touched_.assign(touched.begin(), touched.end());
    first_ = touched_.front().group;
    end_ = touched_.back().group + 1;
    int most = 0;
    for (const TouchedGroup& one : touched_) most += one.near;
    joint_.reset(most, counted.weights().low, counted.weights().length());

    const Trellis& trellis = counted.trellis();
    first_state_ = trellis.layers[first_];
    const int end_state = trellis.layers[end_ + 1];
    std::size_t size = 0;
    places_.clear();
    for (int s = first_state_; s < end_state; ++s) {
        for (int near = 0; near <= most; ++near) {
            places_.push_back(size);
            size += static_cast<std::size_t>(counted.before().ranges[s].length);
        }
    }
    if (static_cast<std::int64_t>(size) > kMostNumbers) return false;
    ways_.assign(size, 0);
    mined_.assign(places_.size(), {});
    near_.assign(static_cast<std::size_t>(end_state - first_state_), 0);
    start();
    for (int group = first_; group < end_; ++group) {
        each_way(group, [&](const Way& way) {
            const auto& from = counted.before().ranges[way.from];
            const int shift = from.low + way.mines - counted.before().ranges[way.to].low;
            for (unsigned bits = near_[way.from - first_state_]; bits != 0; bits &= bits - 1) {
                const std::size_t source = slot(way.from, lowest_bit(bits));
                const std::size_t target = slot(way.to, lowest_bit(bits) + way.near);
                const double* const ways = ways_.data() + places_[source];
                double* const sum = ways_.data() + places_[target] + shift;
                for (int k = 0; k < from.length; ++k) sum[k] += way.ways * ways[k];
                mined_[target].add(mined_[source]);
                mined_[target].add(way.mined);
            }
            near_[way.to - first_state_] |= near_[way.from - first_state_] << way.near;
        });
    }
    join_after();
    return true;
}

// Copy the ways before the window, which are those of all layouts.
void Window::start() {
    const StateCounts<double>& before = counted_->before();
    for (int s = first_state_; s < counted_->trellis().layers[first_ + 1]; ++s) {
        std::copy_n(before.of(s), before.ranges[s].length, ways_.data() + places_[slot(s, 0)]);
        if (counted_->few_groups()) mined_[slot(s, 0)].groups = counted_->mined_before(s);
        near_[s - first_state_] = 1;
    }
}

// Combine the ways to the end of the window with those after it.
void Window::join_after() {
    mined_of_.fill({});
    const Trellis& trellis = counted_->trellis();
    for (int s = trellis.layers[end_]; s < trellis.layers[end_ + 1]; ++s) {
        check_interrupt();
        const auto& before = counted_->before().ranges[s];
        const auto& after = counted_->after().ranges[s];
        const double* const rest = counted_->after().of(s);
        joint_.near |= near_[s - first_state_];
        for (unsigned bits = near_[s - first_state_]; bits != 0; bits &= bits - 1) {
            const int near = lowest_bit(bits);
            const double* const ways = ways_.data() + places_[slot(s, near)];
            double* const sum = joint_.of(near) + (before.low + after.low - joint_.low);
            for (int j = 0; j < before.length; ++j)
                for (int k = 0; k < after.length; ++k) sum[j + k] += ways[j] * rest[k];
            mined_of_[near].add(mined_[slot(s, near)]);
            if (counted_->few_groups()) mined_of_[near].groups |= counted_->mined_after(s);
        }
    }
}

int Window::safe_cells(unsigned near) const {
    Mined mined;
    for (unsigned bits = near & joint_.near; bits != 0; bits &= bits - 1) mined.add(mined_of_[lowest_bit(bits)]);
    int cells = 0;
    for (std::size_t g = 0; g < counted_->component().groups.size(); ++g)
        if ((mined.groups >> static_cast<int>(g) & CountedComponent::Groups{1}) == CountedComponent::Groups{0})
            cells += counted_->component().groups[g].size;
    // Groups inside the window were counted whole.
    for (std::size_t i = 0; i < touched_.size(); ++i) {
        cells -= counted_->component().groups[touched_[i].group].size;
        if ((mined.pieces >> i & 1) == 0) cells += touched_[i].near;
        if ((mined.pieces >> (kFarPieces + i) & 1) == 0) cells += touched_[i].far;
    }
    return cells;
}

void Window::compute_risks(const Joint& weights, std::vector<CellRisk>& out) {
    const Trellis& trellis = counted_->trellis();
    const StateCounts<double>& before = counted_->before();
    const StateCounts<double>& after = counted_->after();
    const int first_after = trellis.layers[end_];
    after_.assign(static_cast<std::size_t>(after.ranges[first_after].first + after.ranges[first_after].length), 0);
    inside_.assign(ways_.size(), 0);
    for (int s = first_after; s < trellis.layers[end_ + 1]; ++s) {
        const auto& here = before.ranges[s];
        const auto& rest = after.ranges[s];
        for (unsigned bits = near_[s - first_state_]; bits != 0; bits &= bits - 1) {
            const std::size_t at = places_[slot(s, lowest_bit(bits))];
            const double* const weight = weights.of(lowest_bit(bits)) + (here.low + rest.low - weights.low);
            double* const sum = after_.data() + rest.first;
            for (int j = 0; j < here.length; ++j) {
                double through = 0;
                for (int k = 0; k < rest.length; ++k) {
                    sum[k] += ways_[at + static_cast<std::size_t>(j)] * weight[j + k];
                    through += after.of(s)[k] * weight[j + k];
                }
                inside_[at + static_cast<std::size_t>(j)] = through;
            }
        }
    }
    sweep_forward_from(end_, counted_->component(), trellis, after, after_, [&](const Group& group, double expected) {
        out.push_back({expected / group.size, group.size});
    });
    compute_risks_inside(out);
    compute_risks_before(out);
}

// Sweep from the end of the window to its start.
void Window::compute_risks_inside(std::vector<CellRisk>& out) {
    const StateCounts<double>& before = counted_->before();
    for (int group = end_; group-- > first_;) {
        double near = 0;
        double far = 0;
        each_way(group, [&](const Way& way) {
            const auto& from = before.ranges[way.from];
            const int shift = from.low + way.mines - before.ranges[way.to].low;
            double through = 0;
            for (unsigned bits = near_[way.from - first_state_]; bits != 0; bits &= bits - 1) {
                const std::size_t source = places_[slot(way.from, lowest_bit(bits))];
                const double* const rest = inside_.data() + places_[slot(way.to, lowest_bit(bits) + way.near)] + shift;
                for (int k = 0; k < from.length; ++k) {
                    inside_[source + static_cast<std::size_t>(k)] += way.ways * rest[k];
                    through += ways_[source + static_cast<std::size_t>(k)] * rest[k];
                }
            }
            near += way.ways * through * way.near;
            far += way.ways * through * (way.mines - way.near);
        });
        const TouchedGroup* const pieces = touched(group);
        const int size = counted_->component().groups[group].size;
        const int near_cells = pieces == nullptr ? 0 : pieces->near;
        const int far_cells = pieces == nullptr ? size : pieces->far;
        if (near_cells > 0) out.push_back({near / near_cells, near_cells});
        if (far_cells > 0) out.push_back({far / far_cells, far_cells});
    }
}

// Sweep from the start of the window to the start of the component.
void Window::compute_risks_before(std::vector<CellRisk>& out) {
    const Trellis& trellis = counted_->trellis();
    const StateCounts<double>& before = counted_->before();
    const auto& last = before.ranges[trellis.layers[first_ + 1] - 1];
    before_.assign(static_cast<std::size_t>(last.first + last.length), 0);
    for (int s = first_state_; s < trellis.layers[first_ + 1]; ++s)
        std::copy_n(inside_.data() + places_[slot(s, 0)], before.ranges[s].length,
                    before_.data() + before.ranges[s].first);
    for (int step = first_; step-- > 0;) {
        const Group& group = counted_->component().groups[step];
        double expected = 0;
        trellis.each_edge(step, [&](int s, int to, int mines) {
            const auto& from = before.ranges[s];
            const double* const rest =
                before_.data() + before.ranges[to].first + (from.low + mines - before.ranges[to].low);
            const double ways = kChoose[group.size][mines];
            double through = 0;
            for (int k = 0; k < from.length; ++k) {
                before_[static_cast<std::size_t>(from.first + k)] += ways * rest[k];
                through += before.of(s)[k] * rest[k];
            }
            expected += ways * through * mines;
        });
        out.push_back({expected / group.size, group.size});
    }
}

}  // namespace mines
