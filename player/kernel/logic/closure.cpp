#include "logic/closure.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "base/interrupt.hpp"
#include "logic/easy_rules.hpp"

namespace mines {

void Closure::reset(const GridRef& grid, int mines, int spare, double odds) {
    field_.reset(grid, mines, spare, odds);
    inconsistent_ = false;
    frontier_ = 0;
    flags_.assign(field_.state.size(), 0);
    queue_.clear();
    dirty_pairs_.clear();
    dirty_components_.clear();
    component_of_.resize(field_.state.size());
    components_.clear();
    free_components_.clear();
    dead_components_.clear();
    synced_ = false;
}

void Closure::reset(const Field& known) {
    reset(known.grid(), 0);
    field_ = known;
    const Index size = field_.size();
    for (Index cell = 0; cell < size; ++cell) {
        if (field_.state[cell] != kOpen || field_.mask[cell] == 0) continue;
        flags_[cell] = kIdle;
        list_once(cell, kDirtyComponent, dirty_components_);
    }
}

inline void Closure::list_once(Index clue, Flag dirty, std::vector<Index>& list) {
    if ((flags_[clue] & dirty) != 0) return;
    flags_[clue] |= dirty;
    list.push_back(clue);
}

bool Closure::contradict() { return inconsistent_ = true; }

void Closure::touch(Index clue) {
    if ((flags_[clue] & kIdle) == 0) return;
    flags_[clue] &= static_cast<std::uint8_t>(~kIdle);
    queue_.push_back(clue);
}

void Closure::touch_around(Index cell) {
    for (const int step : field_.steps(cell)) touch(cell + step);
}

int Closure::clue(Index cell) const {
    int clue = field_.need[cell];
    for (const int step : field_.steps(cell)) clue += field_.state[cell + step] == kMine;
    return clue;
}

void Closure::open(Index cell, int clue) {
    if (field_.state[cell] == kOpen) return;
    mark(cell, false);
    if (field_.state[cell] == kMine) return;
    field_.state[cell] = kOpen;
    field_.need[cell] = static_cast<std::int8_t>(field_.need[cell] + clue);
    queue_.push_back(cell);
}

// Before enumeration, dirty_components_ contains every clue with unknown neighbours that was opened since the last one.
void Closure::map_frontier() {
    for (const Index clue : dirty_components_) {
        for (unsigned bits = field_.mask[clue]; bits != 0; bits &= bits - 1) {
            const Index near = clue + field_.steps(clue)[lowest_bit(bits)];
            frontier_ += (flags_[near] & kFrontier) == 0;
            flags_[near] |= kFrontier;
        }
    }
}

void Closure::mark(Index cell, bool mine) {
    if (field_.state[cell] != kUnknown) {
        if (mine != (field_.state[cell] == kMine)) inconsistent_ = true;
        return;
    }
    frontier_ -= (flags_[cell] & kFrontier) != 0;
    if (mine) {
        field_.mark_mine(cell);
    } else {
        field_.mark_safe(cell);
    }
    touch_around(cell);
}

void Closure::apply(const Step& step) {
    for (const Index cell : step.safe) mark(cell, false);
    for (const Index cell : step.mines) mark(cell, true);
}

namespace {

using Rows = std::uint64_t[kMaxBitBoardSide + 2 * kHalo];

// Find the known mines of a part and next to it.
void known_mines(const Snapshot& seen, Rows& mines) {
    const Part& part = seen.part;
    for (int r = kHalo - part.above; r < part.rows + kHalo + part.below; ++r)
        mines[r] = part.inside & ~(seen.open[r] | seen.unknown[r]);
}

// The cells and their neighbours in a row of a snapshot.
std::uint64_t spread(const std::uint64_t* rows, int r) {
    const std::uint64_t near = rows[r - 1] | rows[r] | rows[r + 1];
    return near | near << 1 | near >> 1;
}

// The eight neighbours of a cell, numbered as in the field.
unsigned around(const std::uint64_t* rows, int r, int col) {
    const auto three = [col](std::uint64_t row) {
        return static_cast<unsigned>((col == 0 ? row << 1 : row >> (col - 1)) & 7);
    };
    const unsigned here = three(rows[r]);
    return three(rows[r - 1]) | (here & 1) << 3 | (here & 4) << 2 | three(rows[r + 1]) << 5;
}

// kBytes[b]: a byte for each bit of b, the lowest first.
constexpr std::array<std::array<std::uint8_t, 8>, 256> make_bytes() {
    std::array<std::array<std::uint8_t, 8>, 256> bytes{};
    for (unsigned b = 0; b < 256; ++b)
        for (unsigned k = 0; k < 8; ++k) bytes[b][k] = b >> k & 1;
    return bytes;
}
constexpr auto kBytes = make_bytes();

// Write the states of a row: eight cells at a time if it has as many.
void write_states(std::uint8_t* state, int cols, std::uint64_t open, std::uint64_t mines) {
    const auto eight = [&](int from) {
        std::uint64_t opened, mined;
        std::memcpy(&opened, kBytes[open >> from & 0xff].data(), 8);
        std::memcpy(&mined, kBytes[mines >> from & 0xff].data(), 8);
        const std::uint64_t states = kOpen * opened | kMine * mined;
        std::memcpy(state + from, &states, 8);
    };
    for (int col = 0; col + 8 < cols; col += 8) eight(col);
    if (cols >= 8) return eight(cols - 8);
    for (int col = 0; col < cols; ++col)
        state[col] = (open >> col & 1) != 0 ? kOpen : (mines >> col & 1) != 0 ? kMine : kUnknown;
}

}  // namespace

void Closure::update_from(Snapshots& seen, const std::int8_t* clues) {
    // Masks of closed cells are never read.
    if (!synced_) std::fill(field_.mask.begin(), field_.mask.end(), std::uint8_t{0});
    frontier_ = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) update_part(seen[i], synced_ ? &last_seen_[i] : nullptr, clues);
    last_seen_.swap(seen);
    synced_ = true;
}

void Closure::update_part(const Snapshot& seen, const Snapshot* last, const std::int8_t* clues) {
    const Part& part = seen.part;
    const std::uint64_t own = part.own();
    Rows decided = {}, mines = {};
    known_mines(seen, mines);
    for (int r = kHalo - 1; r <= part.rows + kHalo; ++r)
        decided[r] = (last != nullptr ? last->unknown[r] : part.inside) & ~seen.unknown[r];
    for (int r = kHalo; r < part.rows + kHalo; ++r) {
        const std::uint64_t cells = decided[r] & own;
        if (cells == 0) continue;
        field_.unknown_left -= count_bits(cells);
        field_.mines_left -= count_bits(cells & mines[r]);
        std::uint8_t* const states = &field_.state[field_.at(part.top + r - kHalo, part.left)];
        write_states(states, part.cols, seen.open[r] >> part.halo, mines[r] >> part.halo);
    }
    for (int r = kHalo; r < part.rows + kHalo; ++r) {
        const std::uint64_t changed = spread(decided, r) & seen.open[r] & own;
        const std::uint64_t useful = changed & spread(seen.unknown, r);
        frontier_ += count_bits(seen.unknown[r] & spread(seen.open, r) & own);
        const Index first = field_.at(part.top + r - kHalo, part.left) - part.halo;
        // The masks of all other clues are empty already.
        const std::uint64_t before = last != nullptr ? spread(last->unknown, r) : 0;
        for (std::uint64_t bits = changed & before & ~useful; bits != 0; bits &= bits - 1) {
            const Index clue = first + lowest_bit(bits);
            field_.mask[clue] = 0;
            field_.need[clue] = 0;
            forget_component(clue);
        }
        for (std::uint64_t bits = useful; bits != 0; bits &= bits - 1) {
            const int col = lowest_bit(bits);
            const Index clue = first + col;
            field_.mask[clue] = static_cast<std::uint8_t>(around(seen.unknown, r, col));
            field_.need[clue] = static_cast<std::int8_t>(clues[clue] - popcount(around(mines, r, col)));
            list_once(clue, kDirtyComponent, dirty_components_);
        }
    }
}

void Closure::update_unknown() {
    for (const Snapshot& seen : last_seen_) {
        const Part& part = seen.part;
        Rows mines = {};
        known_mines(seen, mines);
        for (int r = kHalo; r < part.rows + kHalo; ++r) {
            const Index first = field_.at(part.top + r - kHalo, part.left) - part.halo;
            for (std::uint64_t bits = seen.unknown[r] & part.own(); bits != 0; bits &= bits - 1) {
                const int col = lowest_bit(bits);
                field_.mask[first + col] = static_cast<std::uint8_t>(around(seen.unknown, r, col));
                field_.need[first + col] = static_cast<std::int8_t>(-popcount(around(mines, r, col)));
            }
        }
    }
}

void Closure::add_deduction(Step& step, Index cell, bool mine) {
    if (field_.state[cell] == kUnknown) step.of(mine).push_back(cell);
    mark(cell, mine);
}

Fit Closure::next_round(std::vector<Step>& steps, std::size_t& count, bool counted) {
    if (steps.empty()) steps.resize(1);
    count = 1;
    one_clue(steps[0]);
    if (steps[0].empty() && !inconsistent_) two_clues(steps[0]);
    if (!steps[0].empty() || inconsistent_) return inconsistent_ ? Fit::inconsistent : Fit::ok;
    find_more_clues(steps, count, nullptr);
    if (count == 0 && counted && !inconsistent_) {
        if (!find_mine_count(steps[0])) return Fit::too_wide;
        count = steps[0].empty() ? 0 : 1;
    }
    for (std::size_t i = 0; i < count; ++i) apply(steps[i]);
    if (count == 0 && !inconsistent_ && any_wide()) return Fit::too_wide;
    return inconsistent_ ? Fit::inconsistent : Fit::ok;
}

void Closure::apply_few_clues() {
    Step step;
    do {
        one_clue(step);
        if (step.empty()) two_clues(step);
    } while (!step.empty() && !inconsistent_);
}

// Pass every cell that a single clue decides to `decide`, which marks it.
template <class Decide>
void Closure::apply_single_clues(Decide decide) {
    InterruptCheck* const current_check = InterruptCheck::current_check();
    while (!queue_.empty() && !inconsistent_) {
        // In waves, for locality of memory access.
        wave_.clear();
        wave_.swap(queue_);
        for (const Index clue : wave_) {
            check_interrupt(current_check);
            flags_[clue] |= kIdle;
            const unsigned mask = field_.mask[clue];
            const int need = field_.need[clue];
            const int unknown = popcount(mask);
            if (need < 0 || need > unknown) {
                inconsistent_ = true;
            } else if (decides_alone(need, unknown)) {
                for (unsigned bits = mask; bits != 0; bits &= bits - 1)
                    decide(clue + field_.steps(clue)[lowest_bit(bits)], need != 0);
                forget_component(clue);
            } else {
                list_once(clue, kDirtyPairs, dirty_pairs_);
            }
        }
    }
}

void Closure::one_clue(Step& step) {
    step.clear(1);
    apply_single_clues([&](Index cell, bool mine) { add_deduction(step, cell, mine); });
}

int Closure::apply_single_clues_opening(const std::int8_t* clues) {
    int opened = 0;
    apply_single_clues([&](Index cell, bool mine) {
        if (mine) {
            mark(cell, true);
        } else {
            open(cell, clues[cell]);
            ++opened;
        }
    });
    return opened;
}

void Closure::two_clues(Step& step) {
    step.clear(2);
    pair_deductions_.clear();
    for (const Index a : dirty_pairs_) {
        check_interrupt();
        flags_[a] &= static_cast<std::uint8_t>(~kDirtyPairs);
        const unsigned mask = field_.mask[a];
        const int need = field_.need[a];
        if (mask == 0) continue;
        list_once(a, kDirtyComponent, dirty_components_);
        for (int d = 0; d < kPairs; ++d) {
            const Index b = a + field_.pair_steps(a)[d];
            if ((mask & kShift[d][field_.mask[b]]) == 0 || field_.state[b] != kOpen) continue;
            const OwnCells own = own_cells(mask, field_.mask[b], d);
            const int value = own_value(need, field_.need[b], own);
            if (value < 0) continue;
            inconsistent_ |= std::abs(need - field_.need[b]) > popcount(value == 1 ? own.first : own.second);
            each_own(field_, a, b, own, value,
                     [this](Index cell, bool mine) { pair_deductions_.emplace_back(cell, mine); });
        }
    }
    dirty_pairs_.clear();
    for (const auto& [cell, mine] : pair_deductions_) add_deduction(step, cell, mine);
}

void Closure::forget_component(Index clue) {
    if ((flags_[clue] & kInComponent) == 0) return;
    flags_[clue] &= static_cast<std::uint8_t>(~kInComponent);
    const int entry = component_of_[clue];
    if (components_[entry].clue < 0) return;
    components_[entry].clue = -1;
    dead_components_.push_back(entry);
}

void Closure::component(Index clue, Component& out) {
    finder_.restart(field_);
    finder_.find(field_, clue, out);
}

// Add the groups without mines and those without safe cells in all layouts of the enumeration.
void Closure::add_certain_groups(Step& step) const {
    for (std::size_t g = 0; g < component_.groups.size(); ++g) {
        const Group& group = component_.groups[g];
        const unsigned values = enumeration_.values()[g];
        if (values != 1 && values != 1u << group.size) continue;
        auto& cells = values == 1 ? step.safe : step.mines;
        const auto first = component_.cells.begin() + group.first;
        cells.insert(cells.end(), first, first + group.size);
    }
}

Fit Closure::enumerate(Index clue, Step& step) {
    step.clear(3);
    finder_.collect(field_, clue, component_);
    for (const Index member : component_.clues) forget_component(member);
    const Fit fit = enumeration_.run(finder_, component_, kMaxStates);
    if (fit == Fit::inconsistent) {
        inconsistent_ = true;
        return fit;
    }
    if (fit == Fit::ok) {
        add_certain_groups(step);
        if (!step.empty()) {
            step.clues = component_.clues;
            return fit;
        }
    }
    int entry = static_cast<int>(components_.size());
    if (free_components_.empty()) {
        components_.emplace_back();
    } else {
        entry = free_components_.back();
        free_components_.pop_back();
    }
    components_[entry] = {clue, static_cast<int>(component_.cells.size()), fit == Fit::too_wide, false, {}};
    if (fit == Fit::ok && !count_cannot_bind() && enumeration_.countable(component_)) {
        // The mine count will need this, and the enumeration exists now.
        components_[entry].counts = enumeration_.counts(component_);
        components_[entry].counted = true;
    }
    for (const Index member : component_.clues) {
        component_of_[member] = entry;
        flags_[member] |= kInComponent;
    }
    return fit;
}

// Return whether the component just enumerated touches no other unknown cell, and has no certainly safe cell even when
// its number of mines is given. No later deduction then decides any of its cells, so its safe cells are never opened.
bool Closure::sealed_off(const std::int8_t* clues) {
    sorted_.assign(component_.cells.begin(), component_.cells.end());
    std::sort(sorted_.begin(), sorted_.end());
    int mines = 0;
    for (const Index cell : component_.cells) {
        mines += clues[cell] < 0;
        for (const int step : field_.steps(cell)) {
            const Index near = cell + step;
            if (field_.state[near] == kUnknown && !std::binary_search(sorted_.begin(), sorted_.end(), near))
                return false;
        }
    }
    if (!enumeration_.countable(component_)) return false;
    enumeration_.restrict(component_, {{mines, mines}});
    const std::vector<std::uint16_t>& values = enumeration_.values();
    return std::find(values.begin(), values.end(), 1) == values.end();
}

bool Closure::find_more_clues(std::vector<Step>& steps, std::size_t& count, const std::int8_t* clues) {
    count = 0;
    bool hopeless = false;
    if (!synced_) map_frontier();
    finder_.restart(field_);
    for (const Index clue : dirty_components_) {
        flags_[clue] &= static_cast<std::uint8_t>(~kDirtyComponent);
        if (inconsistent_ || hopeless || field_.mask[clue] == 0 || finder_.visited(clue)) continue;
        if (steps.size() == count) steps.emplace_back();
        const Fit fit = enumerate(clue, steps[count]);
        if (!steps[count].empty()) {
            ++count;
        } else if (clues != nullptr && fit == Fit::ok) {
            hopeless = sealed_off(clues);
        }
    }
    dirty_components_.clear();
    free_components_.insert(free_components_.end(), dead_components_.begin(), dead_components_.end());
    dead_components_.clear();
    for (std::size_t i = 0; i < count; ++i)
        for (const Index clue : steps[i].clues) list_once(clue, kDirtyComponent, dirty_components_);
    return hopeless;
}

bool Closure::any_wide() const {
    return std::any_of(components_.begin(), components_.end(),
                       [](const EnumeratedComponent& entry) { return entry.clue >= 0 && entry.wide; });
}

// Cheap test: every layout of the frontier leaves both mines and safe cells to the unconstrained cells.
bool Closure::count_cannot_bind() const {
    const int unconstrained = field_.unknown_left - frontier_;
    return frontier_ < field_.mines_left && field_.mines_left < unconstrained;
}

Fit Closure::rebuild(Index clue) {
    finder_.restart(field_);
    finder_.collect(field_, clue, component_);
    return enumeration_.run(finder_, component_, kMaxStates);
}

void Closure::restrict_component(const EnumeratedComponent& entry, const CountSet& allowed, Step& step) {
    rebuild(entry.clue);
    enumeration_.restrict(component_, allowed);
    add_certain_groups(step);
}

bool Closure::find_mine_count(Step& step) {
    step.clear(4);
    if (field_.mines_left < 0 || field_.mines_left > field_.unknown_left) return contradict();
    if (field_.unknown_left == 0 || count_cannot_bind()) return true;

    const int unconstrained_count = field_.unknown_left - frontier_;
    std::vector<CountSet> sets = {{{0, unconstrained_count}}};
    std::vector<std::size_t> numbers = {0};
    int least = 0;
    int most = 0;
    for (std::size_t p = 0; p < components_.size(); ++p) {
        EnumeratedComponent& entry = components_[p];
        if (entry.clue < 0) continue;
        if (entry.wide) return false;
        if (!entry.counted) {
            // Cells decided since its enumeration may have changed it.
            const Fit fit = rebuild(entry.clue);
            if (fit == Fit::inconsistent) return contradict();
            if (fit == Fit::too_wide || !enumeration_.countable(component_)) return false;
            entry.counts = enumeration_.counts(component_);
            entry.counted = true;
        }
        sets.push_back(entry.counts);
        numbers.push_back(p);
        least += entry.counts.front().first;
        most += entry.counts.back().second;
    }
    const int left = field_.mines_left;
    if (least > left || left - most > unconstrained_count) return contradict();
    const bool components_bound = most > left || left - least > unconstrained_count;
    const bool unconstrained_bound = unconstrained_count > 0 && (least == left || left - most == unconstrained_count);
    if (!components_bound && !unconstrained_bound) return true;

    const std::vector<CountSet> allowed = allowed_counts(sets, left);
    // If none is left for one of them, none is left for the others.
    if (allowed[0].empty()) return contradict();
    for (std::size_t i = 1; i < sets.size(); ++i)
        if (allowed[i] != sets[i]) restrict_component(components_[numbers[i]], allowed[i], step);
    const auto [first, last] = std::make_pair(allowed[0].front().first, allowed[0].back().second);
    if (unconstrained_count > 0 && (last == 0 || first == unconstrained_count))
        field_.list_unconstrained(first == unconstrained_count ? step.mines : step.safe);
    return true;
}

}  // namespace mines
