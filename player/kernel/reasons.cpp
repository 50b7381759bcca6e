#include "reasons.hpp"

#include <algorithm>

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
    order_.clear();
    touched_.clear();
    in_order_.assign(groups_.size(), 0);
    change_.assign(groups_.size(), 0);
    sum_.assign(clues.size(), 0);
    least_.assign(clues.size(), 0);
    most_.assign(clues.size(), 0);
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

// Whether at most `more` clues, on top of those chosen, force the target.
bool SmallestReasons::forced(int target, int more) {
    if (!change(target)) return true;
    if (more == 0) return false;
    const std::size_t before = chosen_.size();
    std::vector<int> broken;
    std::vector<int> fewest;
    int bound = 0;
    bool possible = true;
    do {
        find_broken(broken);
        possible = !broken.empty() && ++bound <= more;
        if (!possible) break;
        if (fewest.empty() || broken.size() < fewest.size()) fewest = broken;
        for (const int clue : broken) choose(clue);
    } while (change(target));
    drop(before);
    if (!possible || effort_ < 0) return false;

    bool yes = false;
    std::size_t barred = 0;
    for (; barred < fewest.size() && !yes && effort_ >= 0; ++barred) {
        choose(fewest[barred]);
        yes = forced(target, more - 1);
        drop(before);
        status_[fewest[barred]] = kBarred;
    }
    for (std::size_t i = 0; i < barred; ++i) status_[fewest[i]] = kFree;
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
    for (const int at : order_) {
        in_order_[at] = 0;
        change_[at] = 0;
    }
    for (const int at : touched_) change_[at] = 0;
    touched_.clear();
    order_.assign(1, target);
    in_order_[target] = 1;
    // What hangs together comes together, the nearest first, as most of what is far away need not change.
    std::size_t done = 0;
    for (std::size_t next = 0; next <= chosen_.size();) {
        for (; done < order_.size(); ++done)
            for (const int clue : groups_[order_[done]].clues) reach(clue);
        if (next < chosen_.size()) reach(chosen_[next]);
        ++next;
    }
    for (const int clue : chosen_) reached_[clue] = 0;
    if (order_.size() > kMostDepth) {
        effort_ = -1;
        return false;
    }
    total_ = total_least_ = total_most_ = 0;
    if (counted_) {
        for (const Group& one : groups_) {
            total_least_ += one.least;
            total_most_ += one.most;
        }
    }
    const bool changed = assign(0);
    if (changed && counted_) balance();
    return changed;
}

// Put the groups that a chosen clue sees in order.
void SmallestReasons::reach(int clue) {
    if (status_[clue] != kChosen || reached_[clue]) return;
    reached_[clue] = 1;
    sum_[clue] = least_[clue] = most_[clue] = 0;
    for (const int at : groups_of_[clue]) {
        least_[clue] += groups_[at].least;
        most_[clue] += groups_[at].most;
        if (in_order_[at]) continue;
        in_order_[at] = 1;
        order_.push_back(at);
    }
}

bool SmallestReasons::assign(std::size_t at) {
    if (at == order_.size()) return true;
    pulse();
    if (--effort_ < 0) return false;
    const int number = order_[at];
    const Group& one = groups_[number];
    for (const int clue : one.clues) {
        least_[clue] -= one.least;
        most_[clue] -= one.most;
    }
    total_least_ -= one.least;
    total_most_ -= one.most;
    const int widest = std::max(one.most, -one.least);
    bool done = false;
    for (int turn = at == 0 ? 1 : 0; turn <= 2 * widest && !done; ++turn) {
        const int by = turn % 2 != 0 ? (turn + 1) / 2 : -turn / 2;
        if (by < one.least || by > one.most) continue;
        bool fits = !counted_ || (total_ + by + total_least_ <= 0 && 0 <= total_ + by + total_most_);
        for (const int clue : one.clues) {
            if (!fits) break;
            if (status_[clue] == kChosen)
                fits = sum_[clue] + by + least_[clue] <= 0 && 0 <= sum_[clue] + by + most_[clue];
        }
        if (!fits) continue;
        for (const int clue : one.clues) sum_[clue] += by;
        total_ += by;
        change_[number] = by;
        done = assign(at + 1);
        if (done) break;
        change_[number] = 0;
        total_ -= by;
        for (const int clue : one.clues) sum_[clue] -= by;
    }
    if (done) {
        if (change_[number] != 0) touched_.push_back(number);
        return true;
    }
    for (const int clue : one.clues) {
        least_[clue] += one.least;
        most_[clue] += one.most;
    }
    total_least_ += one.least;
    total_most_ += one.most;
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
