#include "closure.hpp"

#include <algorithm>

#include "pulse.hpp"

namespace mines {

void Closure::reset(int rows, int cols, int mines) {
    grid_.reset(rows, cols, mines);
    inconsistent_ = false;
    frontier_ = 0;
    flags_.assign(grid_.state.size(), 0);
    queue_.clear();
    dirty_pairs_.clear();
    dirty_parts_.clear();
    part_of_.resize(grid_.state.size());
    parts_.clear();
    free_parts_.clear();
    dead_parts_.clear();
    following_ = false;
}

void Closure::touch(Index clue) {
    if ((flags_[clue] & kIdle) == 0) return;
    flags_[clue] &= static_cast<std::uint8_t>(~kIdle);
    queue_.push_back(clue);
}

void Closure::touch_around(Index cell) {
    for (const int step : grid_.step) touch(cell + step);
}

int Closure::clue(Index cell) const {
    int clue = grid_.need[cell];
    for (const int step : grid_.step) clue += grid_.state[cell + step] == kMine;
    return clue;
}

void Closure::open(Index cell, int clue) {
    if (grid_.state[cell] == kOpen) return;
    if (grid_.state[cell] == kMine) {
        inconsistent_ = true;
        return;
    }
    if (grid_.state[cell] == kUnknown) settle(cell, false);
    grid_.state[cell] = kOpen;
    grid_.need[cell] = static_cast<std::int8_t>(grid_.need[cell] + clue);
    queue_.push_back(cell);
}

// Before components are enumerated, every clue that was opened since they last were and has unknown neighbours is here.
void Closure::map_frontier() {
    for (const Index clue : dirty_parts_) {
        for (unsigned bits = grid_.mask[clue]; bits != 0; bits &= bits - 1) {
            const Index near = clue + grid_.step[lowest_bit(bits)];
            frontier_ += (flags_[near] & kFrontier) == 0;
            flags_[near] |= kFrontier;
        }
    }
}

void Closure::settle(Index cell, bool mine) {
    if (grid_.state[cell] != kUnknown) {
        if (mine != (grid_.state[cell] == kMine)) inconsistent_ = true;
        return;
    }
    frontier_ -= (flags_[cell] & kFrontier) != 0;
    if (mine) {
        grid_.settle_mine(cell);
    } else {
        grid_.settle_safe(cell);
    }
    touch_around(cell);
}

void Closure::take(const Step& step) {
    for (const Index cell : step.safe) settle(cell, false);
    for (const Index cell : step.mines) settle(cell, true);
}

void Closure::forget(const std::vector<Index>& cells) {
    // Clues go while the mines around them are still known.
    for (const Index cell : cells)
        if (grid_.state[cell] == kOpen) grid_.need[cell] = static_cast<std::int8_t>(grid_.need[cell] - clue(cell));
    for (const Index cell : cells)
        if (grid_.state[cell] != kUnknown) grid_.unsettle(cell);
    frontier_ = 0;
    for (std::vector<Index>* const list : {&queue_, &dirty_pairs_, &dirty_parts_}) list->clear();
    parts_.clear();
    for (std::vector<int>* const list : {&free_parts_, &dead_parts_}) list->clear();
    for (const Index cell : cells) {
        flags_[cell] = 0;
        for (const int step : grid_.step)
            if (grid_.state[cell + step] == kOpen) flags_[cell + step] = kIdle;
    }
    for (const Index cell : cells) {
        for (const int step : grid_.step) {
            const Index near = cell + step;
            if (grid_.state[near] != kOpen || (flags_[near] & kDirtyPart) != 0) continue;
            flags_[near] |= kDirtyPart;
            dirty_parts_.push_back(near);
        }
    }
}

void Closure::follow(const Seen& seen, const std::int8_t* clues) {
    std::uint64_t decided[kMostInRows + 2] = {};
    std::uint64_t mines[kMostInRows + 2] = {};
    const std::uint64_t inside = ~std::uint64_t{0} >> (64 - grid_.cols);
    // What is not open is not asked for its mask.
    if (!following_) std::fill(grid_.mask.begin(), grid_.mask.end(), std::uint8_t{0});
    for (int r = 1; r <= grid_.rows; ++r) {
        decided[r] = (following_ ? followed_.unknown[r] : inside) & ~seen.unknown[r];
        mines[r] = inside & ~(seen.open[r] | seen.unknown[r]);
        grid_.unknown_left -= count_bits(decided[r]);
        grid_.mines_left -= count_bits(decided[r] & mines[r]);
        const Index first = grid_.at(r - 1, 0);
        for (std::uint64_t bits = decided[r]; bits != 0; bits &= bits - 1) {
            const int col = lowest_bit(bits);
            grid_.state[first + col] = (mines[r] >> col & 1) != 0 ? kMine : kOpen;
            frontier_ -= (flags_[first + col] & kFrontier) != 0;
        }
    }
    const auto spread = [](const std::uint64_t* rows, int r) {
        const std::uint64_t near = rows[r - 1] | rows[r] | rows[r + 1];
        return near | near << 1 | near >> 1;
    };
    // The eight neighbours of a cell, as the grid numbers them.
    const auto around = [](const std::uint64_t* rows, int r, int col) {
        const auto three = [col](std::uint64_t row) {
            return static_cast<unsigned>((col == 0 ? row << 1 : row >> (col - 1)) & 7);
        };
        const unsigned here = three(rows[r]);
        return three(rows[r - 1]) | (here & 1) << 3 | (here & 4) << 2 | three(rows[r + 1]) << 5;
    };
    for (int r = 1; r <= grid_.rows; ++r) {
        const std::uint64_t changed = spread(decided, r) & seen.open[r];
        const std::uint64_t useful = changed & spread(seen.unknown, r);
        const Index first = grid_.at(r - 1, 0);
        // Of those that never were of use, the masks are empty.
        const std::uint64_t before = following_ ? followed_.open[r] & spread(followed_.unknown, r) : 0;
        for (std::uint64_t bits = changed & before & ~useful; bits != 0; bits &= bits - 1) {
            const Index clue = first + lowest_bit(bits);
            grid_.mask[clue] = 0;
            forget_part(clue);
        }
        for (std::uint64_t bits = useful; bits != 0; bits &= bits - 1) {
            const int col = lowest_bit(bits);
            const Index clue = first + col;
            grid_.mask[clue] = static_cast<std::uint8_t>(around(seen.unknown, r, col));
            grid_.need[clue] = static_cast<std::int8_t>(clues[clue] - popcount(around(mines, r, col)));
            if ((flags_[clue] & kDirtyPart) != 0) continue;
            flags_[clue] |= kDirtyPart;
            dirty_parts_.push_back(clue);
        }
    }
    followed_ = seen;
    following_ = true;
}

void Closure::claim(Step& step, Index cell, bool mine) {
    if (grid_.state[cell] == kUnknown) (mine ? step.mines : step.safe).push_back(cell);
    settle(cell, mine);
}

// `decide` is told of every cell that a single clue decides, and settles it.
template <class Decide>
void Closure::follow_single_clues(Decide decide) {
    Pulse* const latest = Pulse::latest();
    while (!queue_.empty() && !inconsistent_) {
        // In waves: what is near in time is near on the board, and in memory.
        wave_.clear();
        wave_.swap(queue_);
        for (const Index clue : wave_) {
            pulse(latest);
            flags_[clue] |= kIdle;
            const unsigned mask = grid_.mask[clue];
            const int need = grid_.need[clue];
            const int unknown = popcount(mask);
            if (need < 0 || need > unknown) {
                inconsistent_ = true;
            } else if (need == 0 || need == unknown) {
                for (unsigned bits = mask; bits != 0; bits &= bits - 1)
                    decide(clue + grid_.step[lowest_bit(bits)], need != 0);
                forget_part(clue);
            } else if ((flags_[clue] & kDirtyPairs) == 0) {
                flags_[clue] |= kDirtyPairs;
                dirty_pairs_.push_back(clue);
            }
        }
    }
}

void Closure::one_clue(Step& step) {
    step.clear(1);
    follow_single_clues([&](Index cell, bool mine) { claim(step, cell, mine); });
}

int Closure::one_clue_opening(const std::int8_t* clues) {
    int opened = 0;
    follow_single_clues([&](Index cell, bool mine) {
        if (mine) {
            settle(cell, true);
        } else if (grid_.state[cell] == kUnknown) {
            open(cell, clues[cell]);
            ++opened;
        } else if (grid_.state[cell] == kMine) {
            inconsistent_ = true;
        }
    });
    return opened;
}

// After tier 1, two clues that share unknown cells decide something only if B needs as many more mines than A as it has
// unknown cells outside A: these are mines, and A's mines are all shared with B.
void Closure::check_pair(Index a, Index b, int d) {
    const unsigned only_b = grid_.mask[b] & ~static_cast<unsigned>(kShift[kPairs - 1 - d][grid_.mask[a]]);
    const int excess = grid_.need[b] - grid_.need[a];
    const int room = popcount(only_b);
    if (excess < room) return;
    if (excess > room) {
        inconsistent_ = true;
        return;
    }
    const unsigned only_a = grid_.mask[a] & ~static_cast<unsigned>(kShift[d][grid_.mask[b]]);
    for (unsigned bits = only_a; bits != 0; bits &= bits - 1)
        claims_.emplace_back(a + grid_.step[lowest_bit(bits)], false);
    for (unsigned bits = only_b; bits != 0; bits &= bits - 1)
        claims_.emplace_back(b + grid_.step[lowest_bit(bits)], true);
}

void Closure::two_clues(Step& step) {
    step.clear(2);
    claims_.clear();
    for (const Index a : dirty_pairs_) {
        pulse();
        flags_[a] &= static_cast<std::uint8_t>(~kDirtyPairs);
        const unsigned mask = grid_.mask[a];
        const int need = grid_.need[a];
        if (mask == 0) continue;
        if ((flags_[a] & kDirtyPart) == 0) {
            flags_[a] |= kDirtyPart;
            dirty_parts_.push_back(a);
        }
        for (int d = 0; d < kPairs; ++d) {
            const Index b = a + grid_.pair_step[d];
            if ((mask & kShift[d][grid_.mask[b]]) == 0 || grid_.state[b] != kOpen) continue;
            if (grid_.need[b] >= need) check_pair(a, b, d);
            if (grid_.need[b] <= need) check_pair(b, a, kPairs - 1 - d);
        }
    }
    dirty_pairs_.clear();
    for (const auto& [cell, mine] : claims_) claim(step, cell, mine);
}

void Closure::forget_part(Index clue) {
    if ((flags_[clue] & kInPart) == 0) return;
    flags_[clue] &= static_cast<std::uint8_t>(~kInPart);
    const int part = part_of_[clue];
    if (parts_[part].clue < 0) return;
    parts_[part].clue = -1;
    dead_parts_.push_back(part);
}

void Closure::component(Index clue, Component& out) {
    finder_.restart(grid_);
    finder_.find(grid_, clue, out);
}

Fit Closure::enumerate(Index clue, Step& step) {
    step.clear(3);
    finder_.find(grid_, clue, component_);
    for (const Index member : component_.clues) forget_part(member);
    const Fit fit = builder_.build(component_, kMaxStates, trellis_);
    if (fit == Fit::inconsistent) {
        inconsistent_ = true;
        return fit;
    }
    if (fit == Fit::ok) {
        for (std::size_t g = 0; g < component_.groups.size(); ++g) {
            const Group& group = component_.groups[g];
            bool none = true;
            bool all = true;
            for (int s = trellis_.layers[g]; s < trellis_.layers[g + 1] && (none || all); ++s) {
                const Trellis::State& state = trellis_.states[s];
                none &= state.least + state.count == 1;
                all &= state.least == group.size;
            }
            if (!none && !all) continue;
            auto& claimed = all ? step.mines : step.safe;
            claimed.insert(claimed.end(), component_.cells.begin() + group.first,
                           component_.cells.begin() + group.first + group.size);
        }
        if (!step.empty()) {
            step.clues = component_.clues;
            return fit;
        }
    }
    int part = static_cast<int>(parts_.size());
    if (free_parts_.empty()) {
        parts_.emplace_back();
    } else {
        part = free_parts_.back();
        free_parts_.pop_back();
    }
    parts_[part] = {clue, static_cast<int>(component_.cells.size()), fit == Fit::too_wide, false, false, {}};
    if (fit == Fit::ok && !count_cannot_bind() && CountSweep::affordable(component_, trellis_)) {
        // The mine count will ask, and what tells is at hand now.
        parts_[part].counts = sweep_.reachable(component_, trellis_);
        parts_[part].counted = true;
    }
    for (const Index member : component_.clues) {
        part_of_[member] = part;
        flags_[member] |= kInPart;
    }
    return fit;
}

// Whether the component just enumerated touches no unknown cell but its own, and has no cell that is certainly safe
// even when its number of mines is given. Then nothing that is learnt elsewhere tells more about it, and its safe cells
// stay closed for ever.
bool Closure::sealed_off(const std::int8_t* clues) {
    sorted_.assign(component_.cells.begin(), component_.cells.end());
    std::sort(sorted_.begin(), sorted_.end());
    int mines = 0;
    for (const Index cell : component_.cells) {
        mines += clues[cell] < 0;
        for (const int step : grid_.step) {
            const Index near = cell + step;
            if (grid_.state[near] == kUnknown && !std::binary_search(sorted_.begin(), sorted_.end(), near)) return false;
        }
    }
    if (mines == static_cast<int>(component_.cells.size())) return false;
    if (!CountSweep::affordable(component_, trellis_)) return false;
    sweep_.values(component_, trellis_, {{mines, mines}}, values_);
    return std::find(values_.begin(), values_.end(), 1) == values_.end();
}

bool Closure::find_more_clues(std::vector<Step>& steps, std::size_t& count, const std::int8_t* clues) {
    count = 0;
    bool hopeless = false;
    map_frontier();
    finder_.restart(grid_);
    for (const Index clue : dirty_parts_) {
        flags_[clue] &= static_cast<std::uint8_t>(~kDirtyPart);
        if (inconsistent_ || hopeless || grid_.mask[clue] == 0 || finder_.visited(clue)) continue;
        if (steps.size() == count) steps.emplace_back();
        const Fit fit = enumerate(clue, steps[count]);
        if (!steps[count].empty()) {
            ++count;
        } else if (clues != nullptr && fit == Fit::ok) {
            hopeless = sealed_off(clues);
        }
    }
    dirty_parts_.clear();
    free_parts_.insert(free_parts_.end(), dead_parts_.begin(), dead_parts_.end());
    dead_parts_.clear();
    for (std::size_t i = 0; i < count; ++i) {
        for (const Index clue : steps[i].clues) {
            flags_[clue] |= kDirtyPart;
            dirty_parts_.push_back(clue);
        }
    }
    return hopeless;
}

void Closure::more_clues(std::vector<Step>& steps, std::size_t& count) {
    find_more_clues(steps, count, nullptr);
    for (std::size_t i = 0; i < count; ++i) take(steps[i]);
}

std::vector<Index> Closure::take_wide() {
    std::vector<Index> clues;
    for (Part& part : parts_) {
        if (part.clue < 0 || !part.wide || part.reported) continue;
        part.reported = true;
        clues.push_back(part.clue);
    }
    return clues;
}

bool Closure::any_wide() const {
    return std::any_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.clue >= 0 && part.wide; });
}

void Closure::sea(std::vector<Index>& out) {
    const auto open = [this](Index cell) { return grid_.state[cell] == kOpen; };
    for (Index i = 0; i < grid_.size(); ++i) {
        if (grid_.state[i] != kUnknown) continue;
        if (std::none_of(grid_.step.begin(), grid_.step.end(), [&](int step) { return open(i + step); })) out.push_back(i);
    }
}

// Cheap: whether any layout of the frontier leaves the sea some mines, and some safe cells.
bool Closure::count_cannot_bind() const {
    const int sea = grid_.unknown_left - frontier_;
    return frontier_ < grid_.mines_left && grid_.mines_left < sea;
}

void Closure::restrict_part(const Part& part, const CountSet& allowed, Step& step) {
    component(part.clue, component_);
    builder_.build(component_, kMaxStates, trellis_);
    sweep_.values(component_, trellis_, allowed, values_);
    for (std::size_t g = 0; g < component_.groups.size(); ++g) {
        const Group& group = component_.groups[g];
        const bool none = values_[g] == 1;
        const bool all = values_[g] == 1u << group.size;
        if (!none && !all) continue;
        auto& claimed = all ? step.mines : step.safe;
        claimed.insert(claimed.end(), component_.cells.begin() + group.first,
                       component_.cells.begin() + group.first + group.size);
    }
}

bool Closure::find_mine_count(Step& step) {
    step.clear(4);
    if (grid_.mines_left < 0 || grid_.mines_left > grid_.unknown_left) {
        inconsistent_ = true;
        return true;
    }
    if (grid_.unknown_left == 0 || count_cannot_bind()) return true;

    const int sea_size = grid_.unknown_left - frontier_;
    std::vector<CountSet> sets = {{{0, sea_size}}};
    std::vector<std::size_t> numbers = {0};
    int least = 0;
    int most = 0;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        Part& part = parts_[p];
        if (part.clue < 0) continue;
        if (part.wide) return false;
        if (!part.counted) {
            component(part.clue, component_);
            // What was learnt since may have changed it.
            const Fit fit = builder_.build(component_, kMaxStates, trellis_);
            if (fit == Fit::inconsistent) {
                inconsistent_ = true;
                return true;
            }
            if (fit == Fit::too_wide || !CountSweep::affordable(component_, trellis_)) return false;
            part.counts = sweep_.reachable(component_, trellis_);
            part.counted = true;
        }
        sets.push_back(part.counts);
        numbers.push_back(p);
        least += part.counts.front().first;
        most += part.counts.back().second;
    }
    const int left = grid_.mines_left;
    if (least > left || left - most > sea_size) {
        inconsistent_ = true;
        return true;
    }
    const bool parts_bound = most > left || left - least > sea_size;
    const bool sea_bound = sea_size > 0 && (least == left || left - most == sea_size);
    if (!parts_bound && !sea_bound) return true;

    const std::vector<CountSet> allowed = allowed_counts(sets, left);
    for (std::size_t i = 0; i < sets.size(); ++i) {
        if (allowed[i].empty()) {
            inconsistent_ = true;
            return true;
        }
        if (i > 0 && allowed[i] != sets[i]) restrict_part(parts_[numbers[i]], allowed[i], step);
    }
    const auto [first, last] = std::make_pair(allowed[0].front().first, allowed[0].back().second);
    if (sea_size > 0 && (last == 0 || first == sea_size)) sea(first == sea_size ? step.mines : step.safe);
    return true;
}

bool Closure::mine_count(Step& step) {
    if (!find_mine_count(step)) return false;
    take(step);
    return true;
}

}  // namespace mines
