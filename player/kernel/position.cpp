#include "position.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pulse.hpp"

namespace mines {
namespace {

// Sums of doubles this close to 0 or 1 are certainties, as layouts that rare are never drawn.
constexpr double kCertain = 1e-12;
// Parts with more states are not kept for later positions.
constexpr std::size_t kMostStatesKept = 5'000;

}  // namespace

Fit Position::look(const Grid& grid, bool everything) {
    if (grid.mines_left < 0 || grid.mines_left > grid.unknown_left) return Fit::inconsistent;
    if (grid.rows != grid_.rows || grid.cols != grid_.cols) known_.clear();
    grid_ = grid;
    const Fit fit = find_parts();
    return fit == Fit::ok ? look_at_parts(everything) : fit;
}

Fit Position::look_on(const Position& before, Index cell, int clue) {
    if (before.grid_.rows != grid_.rows || before.grid_.cols != grid_.cols) known_.clear();
    grid_ = before.grid_;
    grid_.settle_safe(cell);
    grid_.state[cell] = kOpen;
    grid_.need[cell] = static_cast<std::int8_t>(grid_.need[cell] + clue);
    // The parts of the cell and of the unknown cells around it, which the new clue ties together, are found anew.
    affected_.assign(before.parts_.size(), 0);
    const auto mark = [&](Index one) {
        if (before.part_of_[one] >= 0) affected_[before.part_of_[one]] = 1;
    };
    mark(cell);
    for (unsigned bits = grid_.mask[cell]; bits != 0; bits &= bits - 1) mark(cell + grid_.step[lowest_bit(bits)]);
    known_.resize(grid_.state.size());
    parts_.clear();
    finder_.restart(grid_);
    if (grid_.mask[cell] == 0 && grid_.need[cell] != 0) return Fit::inconsistent;
    for (std::size_t i = 0; i < before.parts_.size(); ++i) {
        if (!affected_[i]) {
            parts_.push_back(before.parts_[i]);
            continue;
        }
        for (const Index one : before.parts_[i]->component().clues) {
            const Fit fit = find_part(one);
            if (fit != Fit::ok) return fit;
        }
    }
    const Fit fit = find_part(cell);
    if (fit != Fit::ok) return fit;
    std::sort(parts_.begin(), parts_.end(), [](const auto& a, const auto& b) { return a->first_clue() < b->first_clue(); });
    return look_at_parts(false);
}

// Count the components.
Fit Position::find_parts() {
    known_.resize(grid_.state.size());
    parts_.clear();
    finder_.restart(grid_);
    for (Index i = 0; i < grid_.size(); ++i) {
        if (grid_.state[i] != kOpen) continue;
        const Fit fit = find_part(i);
        if (fit != Fit::ok) return fit;
    }
    return Fit::ok;
}

// Count the component around a clue, unless that was done or it has no unknown neighbours.
Fit Position::find_part(Index clue) {
    if (grid_.mask[clue] == 0) return grid_.need[clue] == 0 ? Fit::ok : Fit::inconsistent;
    if (finder_.visited(clue)) return Fit::ok;
    std::shared_ptr<Part>& known = known_[clue];
    // Another position may have it in use as it is.
    if (known == nullptr || (known.use_count() > 1 && !known->still_true(grid_))) known = std::make_shared<Part>();
    parts_.push_back(known);
    const Fit fit = known->find(grid_, clue, finder_, builder_);
    if (known->trellis().states.size() > kMostStatesKept) known.reset();
    return fit;
}

// Tie the parts together.
Fit Position::look_at_parts(bool everything) {
    number_parts();
    if (!tie_.set(tied_, static_cast<int>(sea_.size()), grid_.mines_left, 1)) return Fit::inconsistent;
    tie_.share();
    if (everything) {
        focus_on_everything();
    } else {
        choose_focus();
    }
    mine_.assign(grid_.state.size(), 0);
    for (const Index i : sea_) mine_[i] = tie_.sea_share();
    for (std::size_t i = 0; i < parts_.size(); ++i) weigh_part(*parts_[i], tie_.rest(i));
    return Fit::ok;
}

// Note which part and group each cell belongs to, and list the unknown cells and the sea.
void Position::number_parts() {
    tied_.clear();
    part_of_.assign(grid_.state.size(), -1);
    group_of_.resize(grid_.state.size());
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        tied_.push_back(&parts_[i]->weights());
        const Component& component = parts_[i]->component();
        for (std::size_t g = 0; g < component.groups.size(); ++g) {
            for (int c = component.groups[g].first; c < component.groups[g].first + component.groups[g].size; ++c) {
                part_of_[component.cells[c]] = static_cast<int>(i);
                group_of_[component.cells[c]] = static_cast<int>(g);
            }
        }
    }
    unknown_.clear();
    sea_.clear();
    for (Index i = 0; i < grid_.size(); ++i) {
        if (grid_.state[i] != kUnknown) continue;
        unknown_.push_back(i);
        if (part_of_[i] < 0) sea_.push_back(i);
    }
}

// Work out how likely the cells of a part are mines.
void Position::weigh_part(const Part& part, const std::vector<double>& rest) {
    const Component& component = part.component();
    sweep_forward(component, part.trellis(), part.after(), rest, numbers_, [&](const Group& group, double expected) {
        const double mine = std::clamp(expected / group.size, 0.0, 1.0);
        for (int c = 0; c < group.size; ++c) mine_[component.cells[group.first + c]] = mine;
    });
}

int Position::leader(int cluster) {
    while (leaders_[cluster] != cluster) cluster = leaders_[cluster] = leaders_[leaders_[cluster]];
    return cluster;
}

// The only number of mines that the part can hold, or -1.
int Position::only_count(std::size_t number) const {
    const std::vector<double>& rest = tie_.rest(number);
    const CountWeights& weights = parts_[number]->weights();
    int only = -1;
    for (int k = 0; k < weights.length(); ++k) {
        if (!(weights.numbers[k] * rest[k] > kCertain)) continue;
        if (only >= 0) return -1;
        only = weights.low + k;
    }
    return only;
}

void Position::focus_on_everything() {
    focus_.resize(parts_.size());
    std::iota(focus_.begin(), focus_.end(), 0);
    in_focus_.assign(parts_.size(), 1);
    focus_on_sea_ = !sea_.empty();
    focus_mines_ = grid_.mines_left;
    focus_log_layouts_ = tie_.log_total();
}

void Position::choose_focus() {
    const int sea = static_cast<int>(parts_.size());
    leaders_.resize(parts_.size() + 1);
    for (int i = 0; i <= sea; ++i) leaders_[i] = i;
    for (int i = 0; i < sea; ++i) {
        for (const Index cell : parts_[i]->component().cells) {
            for (unsigned bits = grid_.mask[cell]; bits != 0; bits &= bits - 1) {
                const int other = part_of_[cell + grid_.step[lowest_bit(bits)]];
                leaders_[leader(i)] = leader(other < 0 ? sea : other);
            }
        }
    }
    loose_.assign(parts_.size() + 1, 0);
    if (!sea_.empty()) loose_[leader(sea)] = 1;
    for (int i = 0; i < sea; ++i)
        if (only_count(i) < 0) loose_[leader(i)] = 1;
    int sealed_to_play = -1;
    if (std::none_of(loose_.begin(), loose_.end(), [](std::uint8_t loose) { return loose != 0; }) && !parts_.empty()) {
        sealed_to_play = leader(0);
    }
    focus_.clear();
    in_focus_.assign(parts_.size(), 0);
    focus_on_sea_ = !sea_.empty();
    focus_mines_ = sealed_to_play < 0 ? grid_.mines_left : 0;
    focus_log_layouts_ = sealed_to_play < 0 ? tie_.log_total() : 0;
    for (int i = 0; i < sea; ++i) {
        const bool inside = sealed_to_play < 0 ? loose_[leader(i)] != 0 : leader(i) == sealed_to_play;
        if (inside) {
            focus_.push_back(i);
            in_focus_[i] = 1;
        }
        if (inside == (sealed_to_play < 0)) continue;
        const CountWeights& weights = parts_[i]->weights();
        const int mines = only_count(i);
        const double layouts = std::log(weights.numbers[mines - weights.low]);
        focus_mines_ += inside ? mines : -mines;
        focus_log_layouts_ += inside ? layouts : -layouts;
    }
}

}  // namespace mines
