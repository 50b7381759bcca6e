#include "reasons.hpp"

#include <algorithm>

#include "bits.hpp"
#include "pulse.hpp"

namespace mines {
namespace {

// Steps of the search, some ten nanoseconds each, before a question is given up.
constexpr std::int64_t kMostEffort = 3'000'000;
// Groups that may have to change at once: the search goes as deep into the stack.
constexpr std::size_t kMostDepth = 10'000;

}  // namespace

void SmallestReasons::look_at(const Grid& grid, const std::vector<Index>& clues, const std::vector<Index>& sea,
                              const std::vector<std::int8_t>& truth) {
    groups_.clear();
    if (groups_of_.size() < clues.size()) groups_of_.resize(clues.size());
    for (std::size_t i = 0; i < clues.size(); ++i) groups_of_[i].clear();
    clue_at_.assign(grid.state.size(), -1);
    group_at_.assign(grid.state.size(), -1);
    for (std::size_t i = 0; i < clues.size(); ++i) clue_at_[clues[i]] = static_cast<int>(i);
    std::vector<int> seen_by;
    for (const Index clue : clues) {
        for (unsigned bits = grid.mask[clue]; bits != 0; bits &= bits - 1) {
            const Index cell = clue + grid.step[lowest_bit(bits)];
            if (group_at_[cell] >= 0) continue;
            seen_by.clear();
            for (const int step : grid.step)
                if (clue_at_[cell + step] >= 0) seen_by.push_back(clue_at_[cell + step]);
            group(cell, seen_by, truth[cell] < 0);
        }
    }
    const int frontier = static_cast<int>(groups_.size());
    for (const Index cell : sea) {
        if (static_cast<int>(groups_.size()) == frontier) groups_.push_back({0, 0, {}});
        group_at_[cell] = frontier;
        --(truth[cell] < 0 ? groups_.back().least : groups_.back().most);
    }
    if (!sea.empty()) groups_.back().most = -groups_.back().most;
    status_.assign(clues.size(), kFree);
    bar_repeated_clues();
    chosen_.clear();
    turns_.clear();
    touched_.clear();
    in_order_.assign(groups_.size(), 0);
    change_.assign(groups_.size(), 0);
    sums_.resize(clues.size());
    all_.assign(clues.size(), {0, 0, 0});
    all_least_ = all_most_ = 0;
    for (const Group& one : groups_) {
        for (const int clue : one.clues) {
            all_[clue].least += one.least;
            all_[clue].most += one.most;
        }
        all_least_ += one.least;
        all_most_ += one.most;
    }
    shift_.assign(clues.size(), 0);
    reached_.assign(clues.size(), 0);
}

// Put a cell into the group that the same clues see.
void SmallestReasons::group(Index cell, const std::vector<int>& seen_by, bool mine) {
    int at = -1;
    for (const int candidate : groups_of_[seen_by.front()])
        if (groups_[candidate].clues == seen_by) at = candidate;
    if (at < 0) {
        at = static_cast<int>(groups_.size());
        groups_.push_back({0, 0, seen_by});
        for (const int clue : seen_by) groups_of_[clue].push_back(at);
    }
    group_at_[cell] = at;
    if (mine) {
        --groups_[at].least;
    } else {
        ++groups_[at].most;
    }
}

// Of clues that say the same, one is enough. They see the same groups, so they are found among those that see the first.
void SmallestReasons::bar_repeated_clues() {
    const int clues = static_cast<int>(status_.size());
    for (int clue = 0; clue < clues; ++clue) std::sort(groups_of_[clue].begin(), groups_of_[clue].end());
    for (int clue = 0; clue < clues; ++clue) {
        if (groups_of_[clue].empty()) continue;
        for (const int other : groups_[groups_of_[clue].front()].clues)
            if (other < clue && groups_of_[other] == groups_of_[clue]) status_[clue] = kBarred;
    }
}

int SmallestReasons::smallest(const std::vector<Index>& cells, bool counted, int from, Index& found) {
    counted_ = counted;
    effort_ = kMostEffort;
    const std::size_t clues = status_.size();
    words_ = clues / 64 + 1;
    sets_.clear();
    sizes_.clear();
    if (sets_of_.size() < groups_.size()) sets_of_.resize(groups_.size());
    for (std::size_t at = 0; at < groups_.size(); ++at) sets_of_[at].clear();
    chosen_bits_.assign(words_, 0);
    barred_bits_.assign(words_, 0);
    for (std::size_t clue = 0; clue < clues; ++clue)
        if (status_[clue] == kBarred) barred_bits_[clue / 64] |= std::uint64_t{1} << clue % 64;
    for (int size = from; size <= static_cast<int>(status_.size()) || size == from; ++size) {
        std::vector<int> asked;
        for (const Index cell : cells) {
            const int target = group_at_[cell];
            if (std::find(asked.begin(), asked.end(), target) != asked.end()) continue;
            asked.push_back(target);
            const bool yes = forced(target, size);
            if (effort_ < 0) return -1;
            if (!yes) continue;
            found = cell;
            return size;
        }
    }
    return -1;
}

void SmallestReasons::ask(Index cell, bool counted) {
    asked_ = group_at_[cell];
    counted_ = counted;
}

bool SmallestReasons::correction(const std::vector<int>& chosen, std::int64_t effort, std::vector<int>& out) {
    effort_ = effort;
    out.clear();
    drop(0);  // An earlier question may have been interrupted.
    for (const int clue : chosen)
        if (status_[clue] == kFree) choose(clue);
    bool possible = change(asked_);
    if (possible) {
        find_broken(out);
        for (int clue = 0; clue < static_cast<int>(status_.size()); ++clue)
            if (status_[clue] == kFree && std::find(out.begin(), out.end(), clue) == out.end()) choose(clue);
        // One after the other may be kept after all.
        std::vector<int> waiting = out;
        out.clear();
        while (!waiting.empty()) {
            const int clue = waiting.back();
            waiting.pop_back();
            choose(clue);
            if (change(asked_)) {
                find_broken(waiting);
                waiting.erase(
                    std::remove_if(waiting.begin(), waiting.end(),
                                   [&](int one) { return std::find(out.begin(), out.end(), one) != out.end(); }),
                    waiting.end());
            } else {
                drop(chosen_.size() - 1);
                out.push_back(clue);
            }
        }
    }
    drop(0);
    return effort_ >= 0;
}

// Whether at most `more` clues, on top of those chosen, force the target: they must have one of each set of clues that
// changes break. The sets that were found before come first, as looking for changes takes long.
bool SmallestReasons::forced(int target, int more) {
    pulse();
    if (--effort_ < 0) return false;
    const std::size_t at = chosen_.size() * words_;
    if (taken_.size() < at + words_) taken_.resize(at + words_);
    std::copy(chosen_bits_.begin(), chosen_bits_.end(), taken_.begin() + static_cast<std::ptrdiff_t>(at));
    int fewest = -1;
    int least = 0;
    int bound = 0;
    for (const int set : sets_of_[target]) {
        const std::uint64_t* const broken = sets_.data() + static_cast<std::size_t>(set) * words_;
        std::uint64_t* const taken = taken_.data() + at;
        std::uint64_t hit = 0;
        for (std::size_t w = 0; w < words_; ++w) hit |= broken[w] & taken[w];
        if (hit != 0) continue;
        int free = 0;
        for (std::size_t w = 0; w < words_; ++w) free += count_bits(broken[w] & ~barred_bits_[w]);
        // Sets that have no clue in common need one each.
        if (free == 0 || ++bound > more) return false;
        for (std::size_t w = 0; w < words_; ++w) taken[w] |= broken[w] & ~barred_bits_[w];
        if (fewest >= 0 && free >= least) continue;
        fewest = set;
        least = free;
    }
    if (fewest < 0) {
        if (!change(target)) return effort_ >= 0;
        fewest = static_cast<int>(sets_.size() / words_);
        keep_set();
        if (more == 0) return false;
    }
    bool yes = false;
    std::vector<int> tried;
    for (std::size_t w = 0; w < words_; ++w) {
        // Sets are added meanwhile, so they may move.
        for (std::uint64_t bits = sets_[static_cast<std::size_t>(fewest) * words_ + w] & ~barred_bits_[w];
             bits != 0 && !yes && effort_ >= 0; bits &= bits - 1) {
            const std::uint64_t bit = bits & (~bits + 1);
            const std::size_t before = chosen_.size();
            choose(static_cast<int>(64 * w) + lowest_bit(bits));
            chosen_bits_[w] |= bit;
            yes = forced(target, more - 1);
            chosen_bits_[w] &= ~bit;
            drop(before);
            barred_bits_[w] |= bit;
            tried.push_back(static_cast<int>(64 * w) + lowest_bit(bits));
        }
    }
    for (const int clue : tried) barred_bits_[static_cast<std::size_t>(clue) / 64] &= ~(std::uint64_t{1} << clue % 64);
    return yes;
}

void SmallestReasons::choose(int clue) {
    status_[clue] = kChosen;
    chosen_.push_back(clue);
}

void SmallestReasons::drop(std::size_t down_to) {
    for (; chosen_.size() > down_to; chosen_.pop_back()) status_[chosen_.back()] = kFree;
}

// Find changes that alter the target and keep the chosen clues; false if there are none. Few changes come first.
bool SmallestReasons::change(int target) {
    slow_pulse();
    for (const Turn& turn : turns_) {
        in_order_[turn.group] = 0;
        change_[turn.group] = 0;
    }
    for (const int at : touched_) change_[at] = 0;
    touched_.clear();
    turns_.assign(1, {target, 0, 0});
    in_order_[target] = 1;
    // What hangs together comes together, the nearest first, as most of what is far away need not change.
    std::size_t done = 0;
    const auto reach_near = [&] {
        for (; done < turns_.size(); ++done)
            for (const int clue : groups_[turns_[done].group].clues) reach(clue);
    };
    reach_near();
    // What does not hang together with the target can only make up for its mines.
    for (std::size_t next = 0; counted_ && next < chosen_.size(); ++next) {
        reach(chosen_[next]);
        reach_near();
    }
    for (const int clue : chosen_) reached_[clue] = 0;
    if (turns_.size() > kMostDepth) {
        effort_ = -1;
        return false;
    }
    bound_.clear();
    for (Turn& turn : turns_) {
        turn.first = static_cast<int>(bound_.size());
        for (const int clue : groups_[turn.group].clues)
            if (status_[clue] == kChosen) bound_.push_back(clue);
        turn.last = static_cast<int>(bound_.size());
    }
    broken_ = 0;
    total_ = 0;
    total_least_ = all_least_;
    total_most_ = all_most_;
    const bool changed = assign(0);
    if (changed && counted_) balance();
    return changed;
}

// Put the groups that a chosen clue sees in order.
void SmallestReasons::reach(int clue) {
    if (status_[clue] != kChosen || reached_[clue]) return;
    reached_[clue] = 1;
    sums_[clue] = all_[clue];
    for (const int at : groups_of_[clue]) {
        if (in_order_[at]) continue;
        in_order_[at] = 1;
        turns_.push_back({at, 0, 0});
    }
}

bool SmallestReasons::assign(std::size_t at) {
    // Nothing else need change then.
    if (at > 0 && broken_ == 0 && (!counted_ || total_ == 0)) return true;
    if (at == turns_.size()) return true;
    pulse();
    if (--effort_ < 0) return false;
    const int number = turns_[at].group;
    const int* const first = bound_.data() + turns_[at].first;
    const int* const last = bound_.data() + turns_[at].last;
    const int least = groups_[number].least;
    const int most = groups_[number].most;
    const auto leave = [&](int times) {
        for (const int* clue = first; clue != last; ++clue) {
            sums_[*clue].least -= times * least;
            sums_[*clue].most -= times * most;
        }
        total_least_ -= times * least;
        total_most_ -= times * most;
    };
    const auto add = [&](int by) {
        for (const int* clue = first; clue != last; ++clue) {
            int& sum = sums_[*clue].sum;
            broken_ -= sum != 0;
            sum += by;
            broken_ += sum != 0;
        }
        total_ += by;
        change_[number] += by;
    };
    const auto fits = [&](int by) {
        if (counted_ && (total_ + by + total_least_ > 0 || total_ + by + total_most_ < 0)) return false;
        return std::all_of(first, last, [&](int clue) {
            const Sums& sums = sums_[clue];
            return sums.sum + by + sums.least <= 0 && 0 <= sums.sum + by + sums.most;
        });
    };
    leave(1);
    const int widest = std::max(most, -least);
    for (int turn = at == 0 ? 1 : 0; turn <= 2 * widest; ++turn) {
        const int by = turn % 2 != 0 ? (turn + 1) / 2 : -turn / 2;
        if (by < least || by > most || !fits(by)) continue;
        add(by);
        if (assign(at + 1)) {
            if (by != 0) touched_.push_back(number);
            return true;
        }
        add(-by);
    }
    leave(-1);
    return false;
}

// Make up for changes in the number of mines elsewhere: at sea, or where that breaks the fewest clues.
void SmallestReasons::balance() {
    while (total_ != 0) {
        slow_pulse();
        int best = -1;
        std::size_t least = 0;
        for (int at = 0; at < static_cast<int>(groups_.size()); ++at) {
            const Group& one = groups_[at];
            const bool room = total_ > 0 ? change_[at] > one.least : change_[at] < one.most;
            if (in_order_[at] || !room) continue;
            const auto breaks = static_cast<std::size_t>(
                std::count_if(one.clues.begin(), one.clues.end(), [this](int clue) { return status_[clue] == kFree; }));
            if (best >= 0 && breaks >= least) continue;
            best = at;
            least = breaks;
        }
        const int by = total_ > 0 ? std::max(groups_[best].least - change_[best], -total_)
                                  : std::min(groups_[best].most - change_[best], -total_);
        if (change_[best] == 0) touched_.push_back(best);
        change_[best] += by;
        total_ += by;
    }
}

// Keep in mind which clues the changes break: one of them is needed to force any group that changes.
void SmallestReasons::keep_set() {
    const int set = static_cast<int>(sets_.size() / words_);
    sets_.resize(sets_.size() + words_, 0);
    std::uint64_t* const broken = &sets_.back() - (words_ - 1);
    for (const int at : touched_)
        for (const int clue : groups_[at].clues) shift_[clue] += change_[at];
    for (const int at : touched_) {
        for (const int clue : groups_[at].clues) {
            if (shift_[clue] != 0) broken[clue / 64] |= std::uint64_t{1} << clue % 64;
            shift_[clue] = 0;
        }
    }
    int size = 0;
    for (std::size_t w = 0; w < words_; ++w) size += count_bits(broken[w]);
    sizes_.push_back(size);
    // Small sets first: more of them have no clue in common.
    const auto smaller = [this](int one, int other) {
        return sizes_[static_cast<std::size_t>(one)] < sizes_[static_cast<std::size_t>(other)];
    };
    for (const int at : touched_) {
        std::vector<int>& sets = sets_of_[at];
        sets.insert(std::upper_bound(sets.begin(), sets.end(), set, smaller), set);
    }
}

// The clues that the changes break, of those that may still be chosen.
void SmallestReasons::find_broken(std::vector<int>& broken) {
    broken.clear();
    for (const int at : touched_)
        for (const int clue : groups_[at].clues) shift_[clue] += change_[at];
    for (const int at : touched_) {
        for (const int clue : groups_[at].clues) {
            if (shift_[clue] != 0 && status_[clue] == kFree) broken.push_back(clue);
            shift_[clue] = 0;
        }
    }
}

}  // namespace mines
