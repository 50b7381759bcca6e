#include "search/unavoidable.hpp"

#include <algorithm>

#include "count/sweeps.hpp"
#include "logic/mine_swap.hpp"

namespace mines {
namespace {

// Swaps that are less likely are ignored. The second number is for rounding errors.
constexpr double kLeastProbability = 0.0002 - 1e-9;

}  // namespace

void UnavoidableGuesses::set_position(const Position& position) {
    position_ = &position;
    load_shapes(position.field());
    known_.assign(shapes_.size() * position.field().state.size(), -1);
}

// Number the cells of the frequent shapes as on this grid, if it is a rectangle.
void UnavoidableGuesses::load_shapes(const Field& field) {
    if (stride_ == field.stride && is_rectangle_ == field.is_rectangle()) return;
    stride_ = field.stride;
    is_rectangle_ = field.is_rectangle();
    shapes_.clear();
    if (!is_rectangle_) return;
    for (std::size_t s = 0; s < frequent_swap_shapes(); ++s) {
        const SwapShape& shape = swap_shapes()[s];
        const auto offsets = [&](const std::vector<SwapShape::Place>& places) {
            std::vector<int> found;
            for (const auto& [row, col] : places)
                found.push_back((row - shape.first[0].first) * stride_ + col - shape.first[0].second);
            return found;
        };
        shapes_.push_back({offsets(shape.first), offsets(shape.second), offsets(shape.solid)});
    }
}

double UnavoidableGuesses::mine(Index cell) {
    double sum = 0;
    for (std::size_t s = 0; s < shapes_.size(); ++s)
        for (const auto* const cells : {&shapes_[s].first, &shapes_[s].second})
            for (const int offset : *cells) sum += probability(s, cell - offset);
    return std::min(sum, position_->mine(cell));
}

double UnavoidableGuesses::enabling_mine(Index cell) {
    double sum = 0;
    for (std::size_t s = 0; s < shapes_.size(); ++s)
        for (const int offset : shapes_[s].solid) sum += 2 * probability(s, cell - offset);
    return std::min(sum, position_->mine(cell));
}

// Return the probability that the first cells of a shape are mines, the second are safe, and the swap exists. The
// reverse has the same probability, since the swap turns its layouts into each other.
double UnavoidableGuesses::probability(std::size_t shape, Index at) {
    const Field& field = position_->field();
    if (at < 0 || at >= field.size() || field.state[at] != kUnknown) return 0;
    double& known = known_[shape * field.state.size() + static_cast<std::size_t>(at)];
    if (known < 0) known = pin_cells(shapes_[shape], at) ? probability_of_pins() : 0;
    return known;
}

// Pin the cells of a swap. Returns false if it is impossible or too unlikely.
bool UnavoidableGuesses::pin_cells(const Shape& shape, Index at) {
    pins_.clear();
    unconstrained_ = most_ = 1;
    for (const int offset : shape.first)
        if (!pin(at + offset, true)) return false;
    for (const int offset : shape.second)
        if (!pin(at + offset, false)) return false;
    const std::vector<std::uint8_t>& state = position_->field().state;
    for (const int offset : shape.solid)
        if (state[at + offset] != kWall && state[at + offset] != kMine && !pin(at + offset, true)) return false;
    return true;
}

bool UnavoidableGuesses::pin(Index cell, bool mine) {
    const Field& field = position_->field();
    if (cell < 0 || cell >= field.size() || field.state[cell] != kUnknown) return false;
    const double probability = mine ? position_->mine(cell) : 1 - position_->mine(cell);
    if (position_->component_of(cell) < 0) {
        unconstrained_ *= probability;
    } else {
        pins_.push_back({cell, mine});
        most_ = std::min(most_, probability);
    }
    return unconstrained_ * most_ >= kLeastProbability;
}

double UnavoidableGuesses::probability_of_pins() {
    double probability = unconstrained_;
    while (!pins_.empty() && probability >= kLeastProbability)
        probability *= probability_in(static_cast<std::size_t>(position_->component_of(pins_.back().cell)));
    return probability >= kLeastProbability ? probability : 0;
}

// Return the probability of the pins in a component, and remove them.
double UnavoidableGuesses::probability_in(std::size_t component) {
    pinned_groups_.clear();
    const auto others = std::partition(pins_.begin(), pins_.end(), [&](const Pin& pin) {
        return position_->component_of(pin.cell) != static_cast<int>(component);
    });
    for (auto pin = others; pin != pins_.end(); ++pin) {
        const int group = position_->group_of(pin->cell);
        const auto known = std::find_if(pinned_groups_.begin(), pinned_groups_.end(),
                                        [&](const PinnedGroup& pinned) { return pinned.group >= group; });
        const auto pinned = known != pinned_groups_.end() && known->group == group
                                ? known
                                : pinned_groups_.insert(known, PinnedGroup{group, 0, 0});
        ++(pin->mine ? pinned->mines : pinned->safe);
    }
    pins_.erase(others, pins_.end());

    CountedComponent& counted = position_->counted(component);
    if (counted.large() || !counted.prepare_before()) return 0;
    const Trellis& trellis = counted.trellis();
    const StateCounts<double>& before = counted.before();
    const StateCounts<double>& after = counted.after();
    const int first = pinned_groups_.front().group;
    const int end = pinned_groups_.back().group + 1;
    // Count the ways to reach each state from the first pinned group to the last one. They are stored like `before`.
    const int last_state = trellis.layers[end + 1] - 1;
    const std::int64_t base = before.ranges[trellis.layers[first]].first;
    const auto place = [&](int state) { return ways_.data() + (before.ranges[state].first - base); };
    ways_.assign(static_cast<std::size_t>(before.ranges[last_state].first + before.ranges[last_state].length - base),
                 0);
    for (int s = trellis.layers[first]; s < trellis.layers[first + 1]; ++s)
        std::copy_n(before.of(s), before.ranges[s].length, place(s));
    auto pinned = pinned_groups_.begin();
    for (int group = first; group < end; ++group) {
        const bool here = pinned->group == group;
        const int mines = here ? pinned->mines : 0;
        const int free = counted.component().groups[group].size - mines - (here ? pinned->safe : 0);
        if (here) ++pinned;
        trellis.each_edge(group, [&](int from, int to, int in_group) {
            if (in_group < mines || in_group - mines > free) return;
            const double ways = kChoose[free][in_group - mines];
            double* const sum = place(to) + (before.ranges[from].low + in_group - before.ranges[to].low);
            for (int k = 0; k < before.ranges[from].length; ++k) sum[k] += ways * place(from)[k];
        });
    }
    double probability = 0;
    for (int s = trellis.layers[end]; s <= last_state; ++s) {
        const double* const rest =
            position_->rest(component).data() + (before.ranges[s].low + after.ranges[s].low - counted.weights().low);
        for (int j = 0; j < before.ranges[s].length; ++j)
            for (int k = 0; k < after.ranges[s].length; ++k) probability += place(s)[j] * after.of(s)[k] * rest[j + k];
    }
    return probability;
}

}  // namespace mines
