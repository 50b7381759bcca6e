#include "position.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pulse.hpp"

namespace mines {
namespace {

// Larger components have more layouts than a double can count; strategies leave such positions to plain odds.
constexpr std::size_t kMostCells = 900;
constexpr int kMostStates = 200'000;
constexpr std::int64_t kMostNumbers = 8'000'000;
// Sums of doubles this close to 0 or 1 are certainties, as layouts that rare are never drawn.
constexpr double kCertain = 1e-12;

void note(Prospect& prospect, double mine, int cells) {
    prospect.least_mine = std::min(prospect.least_mine, mine);
    if (mine < kCertain) prospect.safe_cells += cells;
}

// Tell `found` how likely the cells of each group are mines, by what the rest of the board makes of the part's mines.
template <class Found>
void each_group(const Part& part, const std::vector<double>& rest, Found found) {
    const double* expected = part.expected.data();
    for (const Group& group : part.component.groups) {
        double sum = 0;
        for (std::size_t k = 0; k < rest.size(); ++k) sum += expected[k] * rest[k];
        expected += rest.size();
        found(group, sum / group.size);
    }
}

}  // namespace

Part& Position::spare(std::size_t number) {
    while (spares_.size() <= number) spares_.push_back(std::make_unique<Part>());
    return *spares_[number];
}

// Count a part whose component is set.
Fit Position::build(Part& part) {
    if (part.component.cells.size() > kMostCells) return Fit::too_wide;
    const Fit fit = builder_.build(part.component, kMostStates, part.trellis);
    if (fit != Fit::ok) return fit;
    if (!sweep_back(part.component, part.trellis, kMostNumbers, part.counts)) return Fit::too_wide;
    const auto& range = part.counts.ranges[0];
    part.weights.low = range.low;
    part.weights.numbers.assign(part.counts.of(0), part.counts.of(0) + range.length);
    return Fit::ok;
}

Fit Position::look(const Grid& grid, bool everything) {
    if (grid.mines_left < 0 || grid.mines_left > grid.unknown_left) return Fit::none;
    grid_ = grid;
    const Fit fit = find_parts();
    if (fit != Fit::ok) return fit;
    if (!tie_.set(tied_, static_cast<int>(sea_.size()), grid_.mines_left, 1)) return Fit::none;
    tie_.share();
    if (everything) {
        focus_on_everything();
    } else {
        choose_focus();
    }
    mine_.assign(grid_.state.size(), 0);
    for (const Index i : sea_) mine_[i] = tie_.sea_share();
    for (std::size_t i = 0; i < count_; ++i) weigh_part(*parts_[i], tie_.rest(i));
    return Fit::ok;
}

// Count the components, and list the sea.
Fit Position::find_parts() {
    count_ = 0;
    tied_.clear();
    sea_.clear();
    part_of_.assign(grid_.state.size(), -1);
    finder_.restart(grid_);
    for (Index i = 0; i < grid_.size(); ++i) {
        if (grid_.state[i] != kOpen) continue;
        if (grid_.mask[i] == 0 && grid_.need[i] != 0) return Fit::none;
        if (grid_.mask[i] == 0 || finder_.visited(i)) continue;
        if (count_ == parts_.size()) parts_.push_back(std::make_unique<Part>());
        Part& part = *parts_[count_];
        finder_.find(grid_, i, part.component);
        const Fit fit = build(part);
        if (fit != Fit::ok) return fit;
        for (const Index cell : part.component.cells) part_of_[cell] = static_cast<int>(count_);
        ++count_;
    }
    for (std::size_t i = 0; i < count_; ++i) tied_.push_back(&parts_[i]->weights);
    for (Index i = 0; i < grid_.size(); ++i)
        if (grid_.state[i] == kUnknown && part_of_[i] < 0) sea_.push_back(i);
    return Fit::ok;
}

// Work out what each number of mines in a part means for its cells, and how likely they are mines.
void Position::weigh_part(Part& part, const std::vector<double>& rest) {
    const std::size_t length = part.weights.numbers.size();
    part.expected.assign(length * part.component.groups.size(), 0);
    for (std::size_t k = 0; k < length; ++k) {
        unit_.assign(length, 0);
        unit_[k] = 1;
        double* to = part.expected.data() + k;
        sweep_forward(part.component, part.trellis, part.counts, unit_, numbers_, [&](const Group&, double expected) {
            *to = expected;
            to += length;
        });
    }
    each_group(part, rest, [&](const Group& group, double mine) {
        for (int c = 0; c < group.size; ++c) mine_[part.component.cells[group.first + c]] = std::clamp(mine, 0.0, 1.0);
    });
}

int Position::leader(int cluster) {
    while (leaders_[cluster] != cluster) cluster = leaders_[cluster] = leaders_[leaders_[cluster]];
    return cluster;
}

// The only number of mines that the part can hold, or -1.
int Position::only_count(std::size_t number) const {
    const std::vector<double>& rest = tie_.rest(number);
    const CountWeights& weights = parts_[number]->weights;
    int only = -1;
    for (int k = 0; k < weights.length(); ++k) {
        if (!(weights.numbers[k] * rest[k] > kCertain)) continue;
        if (only >= 0) return -1;
        only = weights.low + k;
    }
    return only;
}

void Position::focus_on_everything() {
    focus_.resize(count_);
    std::iota(focus_.begin(), focus_.end(), 0);
    in_focus_.assign(count_, 1);
    focus_on_sea_ = !sea_.empty();
    focus_mines_ = grid_.mines_left;
    focus_log_layouts_ = tie_.log_total();
}

void Position::choose_focus() {
    const int sea = static_cast<int>(count_);
    leaders_.resize(count_ + 1);
    for (int i = 0; i <= sea; ++i) leaders_[i] = i;
    for (int i = 0; i < sea; ++i) {
        for (const Index cell : parts_[i]->component.cells) {
            for (unsigned bits = grid_.mask[cell]; bits != 0; bits &= bits - 1) {
                const int other = part_of_[cell + grid_.step[lowest_bit(bits)]];
                leaders_[leader(i)] = leader(other < 0 ? sea : other);
            }
        }
    }
    loose_.assign(count_ + 1, 0);
    if (!sea_.empty()) loose_[leader(sea)] = 1;
    for (int i = 0; i < sea; ++i)
        if (only_count(i) < 0) loose_[leader(i)] = 1;
    int sealed_to_play = -1;
    if (std::none_of(loose_.begin(), loose_.end(), [](std::uint8_t loose) { return loose != 0; }) && count_ > 0) {
        sealed_to_play = leader(0);
    }
    focus_.clear();
    in_focus_.assign(count_, 0);
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
        const int mines = only_count(i);
        const double layouts = std::log(parts_[i]->weights.numbers[mines - parts_[i]->weights.low]);
        focus_mines_ += inside ? mines : -mines;
        focus_log_layouts_ += inside ? layouts : -layouts;
    }
}

void Position::suppose(Index cell, std::vector<Prospect>& out) {
    slow_pulse();
    out.clear();
    const unsigned mask = grid_.mask[cell];
    const int new_sea = static_cast<int>(sea_.size()) - mark_affected(cell);
    grid_.settle_safe(cell);
    grid_.state[cell] = kOpen;
    if (rebuild_affected(cell)) {
        for (int need = 0; need <= popcount(mask); ++need) {
            if (mask != 0) {
                // The new clue is the first of its component.
                Part& part = *spares_[0];
                part.component.needs[0] = static_cast<std::int8_t>(need);
                if (build(part) != Fit::ok) continue;
            }
            if (!supposed_tie_.set(tied_, new_sea, grid_.mines_left, 1)) continue;
            supposed_tie_.share();
            out.push_back(prospect(need - grid_.need[cell], new_sea));
        }
    }
    grid_.state[cell] = kUnknown;
    ++grid_.unknown_left;
    for (int k = 0; k < kNeighbours; ++k) grid_.mask[cell + grid_.step[k]] |= static_cast<std::uint8_t>(1u << (7 - k));
}

// Mark the parts that change if a cell is opened: its own, and those of the unknown cells around it, which the new clue
// ties together. Returns how many cells leave the sea.
int Position::mark_affected(Index cell) {
    affected_.assign(count_, 0);
    int left = 0;
    const auto mark = [&](Index one) {
        if (part_of_[one] >= 0) {
            affected_[part_of_[one]] = 1;
        } else {
            ++left;
        }
    };
    mark(cell);
    for (unsigned bits = grid_.mask[cell]; bits != 0; bits &= bits - 1) mark(cell + grid_.step[lowest_bit(bits)]);
    return left;
}

// Tie the parts that stay as they are to new ones in the place of those affected; false if that cannot be. The first
// new one is that of the opened cell, if it has unknown neighbours, and not counted yet.
bool Position::rebuild_affected(Index cell) {
    finder_.restart(grid_);
    made_ = 0;
    tied_.clear();
    if (grid_.mask[cell] != 0) finder_.find(grid_, cell, spare(made_++).component);
    for (std::size_t i = 0; i < count_; ++i) {
        if (!affected_[i]) {
            tied_.push_back(&parts_[i]->weights);
            continue;
        }
        for (const Index clue : parts_[i]->component.clues) {
            if (grid_.mask[clue] == 0) {
                if (grid_.need[clue] != 0) return false;
            } else if (!finder_.visited(clue)) {
                Part& part = spare(made_++);
                finder_.find(grid_, clue, part.component);
                if (build(part) != Fit::ok) return false;
            }
        }
    }
    for (std::size_t i = 0; i < made_; ++i) tied_.push_back(&spares_[i]->weights);
    return true;
}

// What a clue would tell about the focus, if the parts are tied together as supposed.
Prospect Position::prospect(int clue, int new_sea) {
    Prospect prospect;
    prospect.clue = clue;
    prospect.chance = std::exp(supposed_tie_.log_total() - tie_.log_total());
    if (new_sea > 0 && focus_on_sea_) note(prospect, supposed_tie_.sea_share(), new_sea);
    std::size_t at = 0;
    for (std::size_t i = 0; i < count_; ++i) {
        if (affected_[i]) continue;
        const std::vector<double>& rest = supposed_tie_.rest(at++);
        if (in_focus_[i])
            each_group(*parts_[i], rest,
                       [&](const Group& group, double mine) { note(prospect, mine, group.size); });
    }
    for (std::size_t i = 0; i < made_; ++i) {
        const Part& part = *spares_[i];
        sweep_forward(part.component, part.trellis, part.counts, supposed_tie_.rest(at + i), numbers_,
                      [&](const Group& group, double expected) { note(prospect, expected / group.size, group.size); });
    }
    return prospect;
}

}  // namespace mines
