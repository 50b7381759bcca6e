#include "count/outcomes.hpp"

#include <algorithm>
#include <limits>

#include "base/interrupt.hpp"

namespace mines {
namespace {

// Instead of a component index: none of them, and the unconstrained cells.
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kUnconstrained = kNone - 1;

const Joint& unit() {
    static const Joint one = [] {
        Joint joint;
        joint.reset(0, 0, 1);
        joint.numbers[0] = 1;
        joint.near = 1;
        return joint;
    }();
    return one;
}

// The factor that scales the largest weight to 1, so that products stay in the range of doubles.
double scale_of(const CountWeights& weights) {
    return 1 / *std::max_element(weights.numbers.begin(), weights.numbers.end());
}

// Multiply `product` by the weights of an independent component.
void multiply(const CountWeights& weights, double scale, CountWeights& product) {
    std::vector<double> numbers(product.numbers.size() + weights.numbers.size() - 1, 0);
    for (int j = 0; j < product.length(); ++j)
        for (int k = 0; k < weights.length(); ++k)
            numbers[static_cast<std::size_t>(j + k)] += product.numbers[j] * weights.numbers[k] * scale;
    product.low += weights.low;
    product.numbers.swap(numbers);
}

// All sums of two sets of mine numbers, one bit each.
unsigned near_sums(unsigned a, unsigned b) {
    unsigned all = 0;
    for (; a != 0; a &= a - 1) all |= b << lowest_bit(a);
    return all;
}

}  // namespace

void ClueOutcomes::set_position(const Position& position) {
    position_ = &position;
    others_count_ = 0;
    mines_ = position.field().mines_left;
    const int unconstrained = static_cast<int>(position.unconstrained().size());
    int low = 0;
    int high = 0;
    for (std::size_t i = 0; i < position.component_count(); ++i) {
        low += position.counted(i).weights().low;
        high += position.counted(i).weights().high();
    }
    // Opening a cell takes up to eight neighbours out of the unconstrained cells.
    unconstrained_low_ = std::max(0, mines_ - high - kNeighbours);
    unconstrained_high_ = std::min(unconstrained, mines_ - low);
    for (std::vector<double>& weights : unconstrained_) weights.clear();
    fill_binomial(unconstrained, 1, unconstrained_low_, unconstrained_high_, unconstrained_[0]);
}

// Multiply the weights by the probability that these cells are safe.
const std::vector<double>& ClueOutcomes::unconstrained_without(int cells) {
    std::vector<double>& weights = unconstrained_[cells];
    if (!weights.empty()) return weights;
    weights = unconstrained_[0];
    const auto unconstrained = static_cast<double>(position_->unconstrained().size());
    for (int i = 0; i < cells; ++i)
        for (std::size_t j = 0; j < weights.size(); ++j)
            weights[j] *=
                std::max(0.0, (unconstrained - i - unconstrained_low_ - static_cast<double>(j)) / (unconstrained - i));
    return weights;
}

void ClueOutcomes::list_outcomes(Index cell, std::vector<ClueOutcome>& out) {
    check_interrupt_now();
    out.clear();
    cell_ = cell;
    if (!collect_touched(cell)) return;
    choose_others();
    multiply_near();
    compute_beyond();
    for (int near = 0; near <= joint_.most; ++near) {
        double total = 0;
        for (int k = 0; k < joint_.length; ++k) total += joint_.of(near)[k] * beyond_[k];
        totals_[near] = total;
        if (!(total > 0)) continue;
        ClueOutcome outcome;
        outcome.clue = near - position_->field().need[cell];
        outcome.chance = total / others_[rest_].total;
        if (count_cannot_bind(near)) {
            outcome.safe_cells = safe_cells(near);
        } else {
            evaluate(outcome);
        }
        out.push_back(outcome);
    }
}

// Collect the components around the cell, which its clue would link.
bool ClueOutcomes::collect_touched(Index cell) {
    const Field& field = position_->field();
    near_count_ = 0;
    near_unconstrained_ = 0;
    int in_unconstrained = 0;
    const auto touch = [&](Index one) -> TouchedGroup* {
        if (position_->component_of(one) < 0) return nullptr;
        Near& near = near_component(static_cast<std::size_t>(position_->component_of(one)));
        const int group = position_->group_of(one);
        const auto at = std::find_if(near.touched.begin(), near.touched.end(),
                                     [&](const TouchedGroup& it) { return it.group >= group; });
        if (at != near.touched.end() && at->group == group) return &*at;
        const int size = position_->counted(near.counted).component().groups[group].size;
        return &*near.touched.insert(at, TouchedGroup{group, 0, size});
    };
    if (TouchedGroup* const own = touch(cell)) {
        --own->far;
    } else {
        in_unconstrained = 1;
    }
    for (unsigned bits = field.mask[cell]; bits != 0; bits &= bits - 1) {
        if (TouchedGroup* const group = touch(cell + field.steps(cell)[lowest_bit(bits)])) {
            --group->far;
            ++group->near;
        } else {
            ++near_unconstrained_;
        }
    }
    far_unconstrained_ = static_cast<int>(position_->unconstrained().size()) - near_unconstrained_ - in_unconstrained;
    far_unconstrained_weights_ = &unconstrained_without(near_unconstrained_ + in_unconstrained);
    std::size_t cells = 0;
    for (std::size_t i = 0; i < near_count_; ++i) {
        CountedComponent& counted = position_->counted(near_[i].counted);
        cells += counted.component().cells.size();
        if (cells > CountedComponent::kMostCells || !counted.prepare_before() ||
            !near_[i].window.build(counted, near_[i].touched))
            return false;
    }
    return true;
}

ClueOutcomes::Near& ClueOutcomes::near_component(std::size_t counted) {
    for (std::size_t i = 0; i < near_count_; ++i)
        if (near_[i].counted == counted) return near_[i];
    if (near_.size() == near_count_) near_.emplace_back();
    Near& near = near_[near_count_++];
    near.counted = counted;
    near.touched.clear();
    return near;
}

// Select the other components; the same selection serves many cells.
void ClueOutcomes::choose_others() {
    affected_.assign(position_->component_count(), 0);
    for (std::size_t i = 0; i < near_count_; ++i) affected_[near_[i].counted] = 1;
    for (rest_ = 0; rest_ < others_count_; ++rest_)
        if (others_[rest_].affected == affected_) return;
    if (others_.size() == others_count_) others_.emplace_back();
    Others& others = others_[others_count_++];
    others.affected = affected_;
    others.without.assign(position_->component_count(), {});
    others.most_spread = others.widest_gap = 0;
    others.open = true;
    others.weights = {0, {1}};
    CountWeights around{0, {1}};
    for (std::size_t i = 0; i < position_->component_count(); ++i) {
        const CountedComponent& counted = position_->counted(i);
        if (affected_[i]) {
            multiply(counted.weights(), 1, around);
            continue;
        }
        multiply(counted.weights(), scale_of(counted.weights()), others.weights);
        others.most_spread = std::max(others.most_spread, counted.weights().length() - 1);
        others.widest_gap = std::max(others.widest_gap, counted.widest_gap());
        if (position_->component_in_focus(i)) others.open &= !counted.has_safe_group();
    }
    others.total = 0;
    for (int k = 0; k < around.length(); ++k)
        others.total += around.numbers[k] * beyond(others.weights, unconstrained_[0], around.low + k);
}

// Return the weight of the other components and the unconstrained cells, if everything else has `mines` mines.
double ClueOutcomes::beyond(const CountWeights& others, const std::vector<double>& unconstrained, int mines) const {
    const int in_unconstrained = mines_ - mines - others.low;  // with the fewest mines in the others
    double sum = 0;
    const int last = std::min(others.length() - 1, in_unconstrained - unconstrained_low_);
    for (int k = std::max(0, in_unconstrained - unconstrained_high_); k <= last; ++k)
        sum += others.numbers[k] * unconstrained[in_unconstrained - k - unconstrained_low_];
    return sum;
}

// Combine the components around the cell and the unconstrained neighbours.
void ClueOutcomes::multiply_near() {
    unconstrained_joint_.reset(near_unconstrained_, 0, near_unconstrained_ + 1);
    for (int n = 0; n <= near_unconstrained_; ++n) unconstrained_joint_.of(n)[n] = kChoose[near_unconstrained_][n];
    unconstrained_joint_.near = (2u << near_unconstrained_) - 1;
    multiply_all_but(kNone, joint_);
}

// The same without one of them.
void ClueOutcomes::multiply_all_but(std::size_t number, Joint& out) {
    out = near_unconstrained_ > 0 && number != kUnconstrained ? unconstrained_joint_ : unit();
    for (std::size_t i = 0; i < near_count_; ++i) {
        if (i == number) continue;
        multiply(near_[i].window.joint(), out, product_);
        std::swap(out, product_);
    }
}

void ClueOutcomes::compute_beyond() {
    beyond_.resize(static_cast<std::size_t>(joint_.length));
    for (int k = 0; k < joint_.length; ++k)
        beyond_[k] = beyond(others_[rest_].weights, *far_unconstrained_weights_, joint_.low + k);
    unconstrained_mines_.clear();
}

// Whether, with this number of near mines, the mine count rules out nothing that the clues allow.
bool ClueOutcomes::count_cannot_bind(int near) const {
    const Others& others = others_[rest_];
    if (!others.open) return false;
    for (std::size_t i = 0; i < near_count_; ++i)
        if (!position_->counted(near_[i].counted).few_groups()) return false;
    const double* const ways = joint_.of(near);
    int first = 0;
    while (!(ways[first] > 0)) ++first;
    int last = joint_.length - 1;
    while (!(ways[last] > 0)) --last;
    int widest_gap = others.widest_gap;
    for (int k = first, gap = 0; k < last; ++k) {
        gap = ways[k] > 0 ? 0 : gap + 1;
        widest_gap = std::max(widest_gap, gap);
    }
    // The unconstrained cells must be able to fill the gaps and to compensate for any component or cell with few or
    // many mines.
    const int low = joint_.low + first + others.weights.low;
    const int high = joint_.low + last + others.weights.high();
    const int spread = std::max({1, others.most_spread, last - first});
    return widest_gap <= far_unconstrained_ && low + spread <= mines_ && mines_ <= high + far_unconstrained_ - spread;
}

// Count the safe cells by the clues alone.
int ClueOutcomes::safe_cells(int near) const {
    const auto others_have = [&](std::size_t number) {
        unsigned have = number == kUnconstrained ? 1u : unconstrained_joint_.near;
        for (std::size_t i = 0; i < near_count_; ++i)
            if (i != number) have = near_sums(have, near_[i].window.joint().near);
        return have;
    };
    // The numbers of mines possible for one of them, one bit each.
    const auto left = [&](std::size_t number) {
        unsigned mines = 0;
        for (int n = 0; n <= near; ++n) mines |= (others_have(number) >> (near - n) & 1) << n;
        return mines;
    };
    int cells = 0;
    for (std::size_t i = 0; i < near_count_; ++i) cells += near_[i].window.safe_cells(left(i));
    if (near_unconstrained_ > 0 && (left(kUnconstrained) & unconstrained_joint_.near) == 1)
        cells += near_unconstrained_;
    return cells;
}

void ClueOutcomes::record(ClueOutcome& outcome, double mine, int cells) const {
    outcome.least_risk = std::min(outcome.least_risk, mine);
    if (mine < kCertain) outcome.safe_cells += cells;
}

void ClueOutcomes::evaluate(ClueOutcome& outcome) {
    if (outcome.evaluated) return;
    outcome.evaluated = true;
    outcome.safe_cells = 0;
    const int near = outcome.clue + position_->field().need[cell_];
    evaluate_unconstrained(outcome, near);
    evaluate_others(outcome, near);
    risks_.clear();
    for (std::size_t i = 0; i < near_count_; ++i) {
        rest_of(i, near, weights_);
        near_[i].window.compute_risks(weights_, risks_);
    }
    for (const CellRisk& risk : risks_) record(outcome, risk.mine, risk.cells);
}

// The weight of everything else, by the mines in a component around the cell and the near mines among them, if there
// are `near` near mines in all.
void ClueOutcomes::rest_of(std::size_t number, int near, Joint& out) {
    const Joint& own = number == kUnconstrained ? unconstrained_joint_ : near_[number].window.joint();
    out.reset(own.most, own.low, own.length);
    multiply_all_but(number, joint_of_others_);
    const Joint& others = joint_of_others_;
    for (int n = std::max(0, near - others.most); n <= std::min(own.most, near); ++n) {
        const double* const ways = others.of(near - n);
        const double* const beyond = beyond_.data() + (own.low + others.low - joint_.low);
        for (int k = 0; k < own.length; ++k) {
            double sum = 0;
            for (int j = 0; j < others.length; ++j) sum += ways[j] * beyond[j + k];
            out.of(n)[k] = sum / totals_[near];
        }
    }
}

// Evaluate the unconstrained cells.
void ClueOutcomes::evaluate_unconstrained(ClueOutcome& outcome, int near) {
    if (near_unconstrained_ > 0) {
        rest_of(kUnconstrained, near, weights_);
        double expected = 0;
        for (int n = 1; n <= near_unconstrained_; ++n)
            expected += n * unconstrained_joint_.of(n)[n] * weights_.of(n)[n];
        record(outcome, expected / near_unconstrained_, near_unconstrained_);
    }
    if (far_unconstrained_ == 0 || !position_->focus_on_unconstrained()) return;
    if (unconstrained_mines_.empty()) {
        unconstrained_by_mines_ = *far_unconstrained_weights_;
        for (std::size_t j = 0; j < unconstrained_by_mines_.size(); ++j)
            unconstrained_by_mines_[j] *= unconstrained_low_ + static_cast<double>(j);
        for (int k = 0; k < joint_.length; ++k)
            unconstrained_mines_.push_back(beyond(others_[rest_].weights, unconstrained_by_mines_, joint_.low + k));
    }
    double expected = 0;
    for (int k = 0; k < joint_.length; ++k) expected += joint_.of(near)[k] * unconstrained_mines_[k];
    record(outcome, expected / totals_[near] / far_unconstrained_, far_unconstrained_);
}

// Evaluate the components not around the cell, for which only the number of mines left changes.
void ClueOutcomes::evaluate_others(ClueOutcome& outcome, int near) {
    Others& others = others_[rest_];
    // The weight of the surroundings and the unconstrained cells, by the mines in all other components.
    const CountWeights around{joint_.low, {joint_.of(near), joint_.of(near) + joint_.length}};
    around_.clear();
    for (int k = 0; k < others.weights.length(); ++k)
        around_.push_back(beyond(around, *far_unconstrained_weights_, others.weights.low + k));
    for (std::size_t i = 0; i < position_->component_count(); ++i) {
        if (others.affected[i] || !position_->component_in_focus(i)) continue;
        CountedComponent& counted = position_->counted(i);
        if (!counted.prepare_before()) continue;
        CountWeights& without = others.without[i];
        if (without.numbers.empty()) {
            without = {0, {1}};
            for (std::size_t j = 0; j < position_->component_count(); ++j)
                if (j != i && !others.affected[j])
                    multiply(position_->counted(j).weights(), scale_of(position_->counted(j).weights()), without);
        }
        const double scale = scale_of(counted.weights()) / totals_[near];
        part_rest_.assign(counted.weights().numbers.size(), 0);
        for (std::size_t k = 0; k < part_rest_.size(); ++k)
            for (int j = 0; j < without.length(); ++j) part_rest_[k] += without.numbers[j] * around_[k + j] * scale;
        counted.each_group_risk(part_rest_,
                                [&](const Group& group, double mine) { record(outcome, mine, group.size); });
    }
}

}  // namespace mines
