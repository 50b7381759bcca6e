#include "count/position.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/interrupt.hpp"

namespace mines {
namespace {

// Components with more states are not kept for later positions.
constexpr std::size_t kMostStatesKept = 5'000;

}  // namespace

Fit Position::analyse(const Field& field, bool everything) {
    if (field.mines_left < 0 || field.mines_left > field.unknown_left) return Fit::inconsistent;
    if (field.grid() != field_.grid()) known_.clear();
    field_ = field;
    known_.resize(field_.state.size());
    components_.clear();
    unknown_.clear();
    finder_.restart(field_);
    for (Index i = 0; i < field_.size(); ++i) {
        if (field_.state[i] == kUnknown) unknown_.push_back(i);
        if (field_.state[i] != kOpen) continue;
        const Fit fit = find_component(i);
        if (fit != Fit::ok) return fit;
    }
    return combine_components(everything);
}

Fit Position::analyse_after(const Position& before, Index cell, int clue) {
    if (before.field_.grid() != field_.grid()) known_.clear();
    field_ = before.field_;
    field_.mark_safe(cell);
    field_.state[cell] = kOpen;
    field_.need[cell] = static_cast<std::int8_t>(field_.need[cell] + clue);
    unknown_.clear();
    std::remove_copy(before.unknown_.begin(), before.unknown_.end(), std::back_inserter(unknown_), cell);
    // Recompute the components that the new clue links: those of the cell and of the unknown cells around it.
    affected_.assign(before.components_.size(), 0);
    const auto mark = [&](Index one) {
        if (before.component_of_[one] >= 0) affected_[before.component_of_[one]] = 1;
    };
    mark(cell);
    for (unsigned bits = field_.mask[cell]; bits != 0; bits &= bits - 1)
        mark(cell + field_.steps(cell)[lowest_bit(bits)]);
    known_.resize(field_.state.size());
    components_.clear();
    finder_.restart(field_);
    if (field_.mask[cell] == 0 && field_.need[cell] != 0) return Fit::inconsistent;
    for (std::size_t i = 0; i < before.components_.size(); ++i) {
        if (!affected_[i]) {
            components_.push_back(before.components_[i]);
            continue;
        }
        for (const Index one : before.components_[i]->component().clues) {
            const Fit fit = find_component(one);
            if (fit != Fit::ok) return fit;
        }
    }
    const Fit fit = find_component(cell);
    if (fit != Fit::ok) return fit;
    std::sort(components_.begin(), components_.end(),
              [](const auto& a, const auto& b) { return a->first_clue() < b->first_clue(); });
    return combine_components(false);
}

// Count the component around a clue, unless it was counted or has no unknown neighbours.
Fit Position::find_component(Index clue) {
    if (field_.mask[clue] == 0) return field_.need[clue] == 0 ? Fit::ok : Fit::inconsistent;
    if (finder_.visited(clue)) return Fit::ok;
    std::shared_ptr<CountedComponent>& known = known_[clue];
    // Do not change a component that another position shares.
    if (known == nullptr || (known.use_count() > 1 && !known->matches(field_)))
        known = std::make_shared<CountedComponent>();
    components_.push_back(known);
    const Fit fit = known->find(field_, clue, finder_, builder_);
    if (known->trellis().states.size() > kMostStatesKept) known.reset();
    return fit;
}

// Couple the components, choose the focus and compute mine probabilities.
Fit Position::combine_components(bool everything) {
    number_components();
    if (!coupling_.couple(count_weights_, static_cast<int>(unconstrained_.size()), field_.mines_left, 1))
        return Fit::inconsistent;
    coupling_.compute_marginals();
    choose_focus(everything);
    mine_.resize(field_.state.size());
    for (const Index i : unconstrained_) mine_[i] = coupling_.unconstrained_mine();
    for (std::size_t i = 0; i < components_.size(); ++i)
        components_[i]->write_risks(components_[i]->after(), coupling_.rest(i), numbers_, mine_.data());
    return Fit::ok;
}

// Record the component and group of each cell, and list the unconstrained cells.
void Position::number_components() {
    count_weights_.clear();
    component_of_.assign(field_.state.size(), -1);
    group_of_.resize(field_.state.size());
    for (std::size_t i = 0; i < components_.size(); ++i) {
        count_weights_.push_back(&components_[i]->weights());
        const Index* cell = components_[i]->component().cells.data();
        int group = 0;
        for (const Group& one : components_[i]->component().groups) {
            for (const Index* const end = cell + one.size; cell != end; ++cell) {
                component_of_[*cell] = static_cast<int>(i);
                group_of_[*cell] = group;
            }
            ++group;
        }
    }
    unconstrained_.clear();
    std::copy_if(unknown_.begin(), unknown_.end(), std::back_inserter(unconstrained_),
                 [&](Index cell) { return component_of_[cell] < 0; });
}

int Position::leader(int cluster) {
    while (leaders_[cluster] != cluster) cluster = leaders_[cluster] = leaders_[leaders_[cluster]];
    return cluster;
}

// Return the only possible number of mines of a component, or -1.
int Position::only_count(std::size_t number) const {
    const std::vector<double>& rest = coupling_.rest(number);
    const CountWeights& weights = components_[number]->weights();
    int only = -1;
    for (int k = 0; k < weights.length(); ++k) {
        if (!(weights.numbers[k] * rest[k] > kCertain)) continue;
        if (only >= 0) return -1;
        only = weights.low + k;
    }
    return only;
}

void Position::choose_focus(bool everything) {
    const int unconstrained = static_cast<int>(components_.size());
    leaders_.resize(components_.size() + 1);
    for (int i = 0; i <= unconstrained; ++i) leaders_[i] = i;
    for (int i = 0; i < unconstrained; ++i) {
        if (only_count(i) < 0) continue;  // always in focus
        for (const Index cell : components_[i]->component().cells) {
            for (unsigned bits = field_.mask[cell]; bits != 0; bits &= bits - 1) {
                const int other = component_of_[cell + field_.steps(cell)[lowest_bit(bits)]];
                leaders_[leader(i)] = leader(other < 0 ? unconstrained : other);
            }
        }
    }
    loose_.assign(components_.size() + 1, everything);
    if (!unconstrained_.empty()) loose_[leader(unconstrained)] = 1;
    for (int i = 0; i < unconstrained; ++i)
        if (only_count(i) < 0) loose_[leader(i)] = 1;
    int sealed_to_play = -1;
    if (std::none_of(loose_.begin(), loose_.end(), [](std::uint8_t loose) { return loose != 0; }) &&
        !components_.empty()) {
        sealed_to_play = leader(0);
    }
    focus_.clear();
    in_focus_.assign(components_.size(), 0);
    focus_on_unconstrained_ = !unconstrained_.empty();
    focus_mines_ = sealed_to_play < 0 ? field_.mines_left : 0;
    focus_log_layouts_ = sealed_to_play < 0 ? coupling_.log_total() : 0;
    for (int i = 0; i < unconstrained; ++i) {
        const bool inside = sealed_to_play < 0 ? loose_[leader(i)] != 0 : leader(i) == sealed_to_play;
        if (inside) {
            focus_.push_back(i);
            in_focus_[i] = 1;
        }
        if (inside == (sealed_to_play < 0)) continue;
        const CountWeights& weights = components_[i]->weights();
        const int mines = only_count(i);
        const double layouts = std::log(weights.numbers[mines - weights.low]);
        focus_mines_ += inside ? mines : -mines;
        focus_log_layouts_ += inside ? layouts : -layouts;
    }
}

}  // namespace mines
