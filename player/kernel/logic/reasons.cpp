#include "logic/reasons.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "base/bits.hpp"
#include "base/interrupt.hpp"

namespace mines {
namespace {

// Search steps, of about ten nanoseconds each, before the search gives up.
constexpr std::int64_t kMostEffort = 3'000'000;
constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();
// Lists of more groups count as search steps.
constexpr std::size_t kLongList = 10'000;

}  // namespace

void SmallestReasons::set_position(const Field& field, const std::vector<Index>& clues,
                                   const std::vector<Index>& unconstrained, const std::vector<std::int8_t>& truth) {
    groups_.clear();
    if (groups_of_.size() < clues.size()) groups_of_.resize(clues.size());
    for (std::size_t i = 0; i < clues.size(); ++i) groups_of_[i].clear();
    clue_at_.assign(field.state.size(), -1);
    group_at_.assign(field.state.size(), -1);
    for (std::size_t i = 0; i < clues.size(); ++i) clue_at_[clues[i]] = static_cast<int>(i);
    std::vector<int> seen_by;
    for (const Index clue : clues) {
        for (unsigned bits = field.mask[clue]; bits != 0; bits &= bits - 1) {
            const Index cell = clue + field.steps(clue)[lowest_bit(bits)];
            if (group_at_[cell] >= 0) continue;
            seen_by.clear();
            for (const int step : field.steps(cell))
                if (clue_at_[cell + step] >= 0) seen_by.push_back(clue_at_[cell + step]);
            group(cell, seen_by, truth[cell] < 0);
        }
    }
    const int frontier = static_cast<int>(groups_.size());
    for (const Index cell : unconstrained) {
        if (static_cast<int>(groups_.size()) == frontier) groups_.push_back({0, 0, {}});
        group_at_[cell] = frontier;
        --(truth[cell] < 0 ? groups_.back().least : groups_.back().most);
    }
    if (!unconstrained.empty()) groups_.back().most = -groups_.back().most;
    if (field.spare > 0) {
        int mines = field.mines_left;
        for (const Group& one : groups_) mines += one.least;
        groups_.push_back({-mines, field.spare - mines, {}});
    }
    status_.assign(clues.size(), kFree);
    bar_repeated_clues();
    chosen_.clear();
    branches_.clear();
    touched_.clear();
    listed_.assign(groups_.size(), 0);
    change_.assign(groups_.size(), 0);
    sums_.resize(clues.size() + 1);
    all_.assign(clues.size(), {0, 0, 0});
    all_total_ = {0, 0, 0};
    for (const Group& one : groups_) {
        for (const int clue : one.clues) {
            all_[clue].least += one.least;
            all_[clue].most += one.most;
        }
        all_total_.least += one.least;
        all_total_.most += one.most;
    }
    shift_.assign(clues.size(), 0);
    reached_.assign(clues.size(), 0);
}

// Add a cell to the group of cells with the same clues.
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

// Bar all but one of several equivalent clues. They see the same groups, so look among the clues of the first group.
void SmallestReasons::bar_repeated_clues() {
    const int clues = static_cast<int>(status_.size());
    for (int clue = 0; clue < clues; ++clue) std::sort(groups_of_[clue].begin(), groups_of_[clue].end());
    for (int clue = 0; clue < clues; ++clue) {
        if (groups_of_[clue].empty()) continue;
        for (const int other : groups_[groups_of_[clue].front()].clues)
            if (other < clue && groups_of_[other] == groups_of_[clue]) status_[clue] = kBarred;
    }
}

void SmallestReasons::begin_search(bool counted, std::int64_t effort) {
    counted_ = counted;
    effort_ = effort;
    drop(0);  // An earlier search may have been interrupted.
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
}

int SmallestReasons::smallest(const std::vector<Index>& cells, bool counted, int from, Index& found) {
    begin_search(counted, kMostEffort);
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

bool SmallestReasons::first_smallest(const std::vector<Index>& cells, bool counted, int from, int most,
                                     std::vector<int>& out) {
    begin_search(counted, kUnlimited);
    std::vector<int> targets;
    for (const Index cell : cells) targets.push_back(group_at_[cell]);
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    bool any = false;
    for (int size = from; !any && size <= std::min(most, static_cast<int>(status_.size())); ++size) {
        for (const int target : targets) {
            if (!forced(target, size)) continue;
            std::vector<int> set = found_;
            make_first(target, set);
            if (!any || set < out) out = set;
            any = true;
        }
    }
    return any;
}

// Replace a smallest set that forces the target by the first one: decide clue by clue whether an earlier one can take
// its place.
void SmallestReasons::make_first(int target, std::vector<int>& set) {
    std::sort(set.begin(), set.end());
    std::vector<int> tried;
    for (std::size_t i = 0; i < set.size(); ++i) {
        for (int clue = i == 0 ? 0 : set[i - 1] + 1; clue < set[i]; ++clue) {
            std::uint64_t& barred = barred_bits_[static_cast<std::size_t>(clue) / 64];
            const std::uint64_t bit = std::uint64_t{1} << clue % 64;
            if ((barred & bit) != 0) continue;
            choose(clue);
            chosen_bits_[static_cast<std::size_t>(clue) / 64] |= bit;
            const bool yes = forced(target, static_cast<int>(set.size() - i) - 1);
            chosen_bits_[static_cast<std::size_t>(clue) / 64] &= ~bit;
            drop(i);
            if (yes) {
                set = found_;
                std::sort(set.begin(), set.end());
                break;
            }
            barred |= bit;
            tried.push_back(clue);
        }
        choose(set[i]);
        chosen_bits_[static_cast<std::size_t>(set[i]) / 64] |= std::uint64_t{1} << set[i] % 64;
    }
    drop(0);
    std::fill(chosen_bits_.begin(), chosen_bits_.end(), 0);
    for (const int clue : tried) barred_bits_[static_cast<std::size_t>(clue) / 64] &= ~(std::uint64_t{1} << clue % 64);
}

void SmallestReasons::keep_forced(const std::vector<int>& clues, bool counted, std::vector<Index>& cells) {
    counted_ = counted;
    effort_ = kUnlimited;
    drop(0);
    for (const int clue : clues) choose(clue);
    std::vector<int> forced_groups, other_groups;
    const auto contains = [](const std::vector<int>& groups, int group) {
        return std::find(groups.begin(), groups.end(), group) != groups.end();
    };
    const auto is_free = [&](Index cell) {
        const int target = group_at_[cell];
        if (!contains(forced_groups, target) && !contains(other_groups, target))
            (change(target) ? other_groups : forced_groups).push_back(target);
        return contains(other_groups, target);
    };
    cells.erase(std::remove_if(cells.begin(), cells.end(), is_free), cells.end());
    drop(0);
}

void SmallestReasons::find_correction(Index cell, bool counted, const std::vector<int>& chosen, std::vector<int>& out) {
    const int target = group_at_[cell];
    counted_ = counted;
    effort_ = kUnlimited;
    out.clear();
    drop(0);
    for (const int clue : chosen)
        if (status_[clue] == kFree) choose(clue);
    if (change(target)) {
        std::vector<int> waiting;
        find_broken(waiting);
        for (int clue = 0; clue < static_cast<int>(status_.size()); ++clue)
            if (status_[clue] == kFree && std::find(waiting.begin(), waiting.end(), clue) == waiting.end())
                choose(clue);
        // Some of them may be kept after all: try one after the other.
        while (!waiting.empty()) {
            choose(waiting.back());
            waiting.pop_back();
            if (change(target)) {
                find_broken(waiting);
                waiting.erase(
                    std::remove_if(waiting.begin(), waiting.end(),
                                   [&](int one) { return std::find(out.begin(), out.end(), one) != out.end(); }),
                    waiting.end());
            } else {
                out.push_back(chosen_.back());
                drop(chosen_.size() - 1);
            }
        }
    }
    drop(0);
}

// Return whether at most `more` clues, beyond those chosen, force the target; `found_` is then such a set. Depth first
// without recursion: the stack may be small.
bool SmallestReasons::forced(int target, int more) {
    const std::size_t before = chosen_.size();
    tries_.clear();
    barred_.clear();
    bool yes = false;
    do {
        int set = -1;
        const std::optional<bool> answer = decide(target, more - static_cast<int>(chosen_.size() - before), set);
        yes = answer == true;
        if (yes) found_ = chosen_;
        if (!answer) tries_.push_back({set, barred_.size()});
    } while (!yes && effort_ >= 0 && choose_next(before));
    while (chosen_.size() > before) unchoose();
    unbar(0);
    return yes && effort_ >= 0;
}

// Choose the next clue of the last set in `tries_` with a clue left, and bar those tried before; return false at the
// end. `before` clues were chosen before the search.
bool SmallestReasons::choose_next(std::size_t before) {
    for (; !tries_.empty(); tries_.pop_back()) {
        if (chosen_.size() == before + tries_.size()) {
            const int clue = chosen_.back();
            unchoose();
            barred_bits_[clue / 64] |= std::uint64_t{1} << clue % 64;
            barred_.push_back(clue);
        }
        for (std::size_t w = 0; w < words_; ++w) {
            const std::uint64_t left =
                sets_[static_cast<std::size_t>(tries_.back().set) * words_ + w] & ~barred_bits_[w];
            if (left == 0) continue;
            choose(static_cast<int>(64 * w) + lowest_bit(left));
            chosen_bits_[w] |= left & (~left + 1);
            return true;
        }
        unbar(tries_.back().barred_before);
    }
    return false;
}

void SmallestReasons::unchoose() {
    const int clue = chosen_.back();
    drop(chosen_.size() - 1);
    chosen_bits_[clue / 64] &= ~(std::uint64_t{1} << clue % 64);
}

void SmallestReasons::unbar(std::size_t down_to) {
    for (; barred_.size() > down_to; barred_.pop_back())
        barred_bits_[barred_.back() / 64] &= ~(std::uint64_t{1} << barred_.back() % 64);
}

// Return whether at most `more` clues, beyond those chosen, force the target; nothing if one of the clues of `set`,
// broken by changes, must be chosen. Check the known sets first, since finding changes takes long.
std::optional<bool> SmallestReasons::decide(int target, int more, int& set) {
    check_interrupt();
    if (--effort_ < 0) return false;
    const std::size_t at = chosen_.size() * words_;
    if (used_.size() < at + words_) used_.resize(at + words_);
    std::copy(chosen_bits_.begin(), chosen_bits_.end(), used_.begin() + static_cast<std::ptrdiff_t>(at));
    int least = 0;
    int bound = 0;
    for (const int known : sets_of_[target]) {
        const std::uint64_t* const broken = sets_.data() + static_cast<std::size_t>(known) * words_;
        std::uint64_t* const used = used_.data() + at;
        std::uint64_t hit = 0;
        for (std::size_t w = 0; w < words_; ++w) hit |= broken[w] & used[w];
        if (hit != 0) continue;
        int free_clues = 0;
        for (std::size_t w = 0; w < words_; ++w) free_clues += count_bits(broken[w] & ~barred_bits_[w]);
        // Disjoint sets need one clue each.
        if (free_clues == 0 || ++bound > more) return false;
        for (std::size_t w = 0; w < words_; ++w) used[w] |= broken[w] & ~barred_bits_[w];
        if (set >= 0 && free_clues >= least) continue;
        set = known;
        least = free_clues;
    }
    if (set >= 0) return std::nullopt;
    if (!change(target)) return true;
    set = static_cast<int>(sets_.size() / words_);
    keep_set();
    if (more == 0) return false;
    return std::nullopt;
}

void SmallestReasons::choose(int clue) {
    status_[clue] = kChosen;
    chosen_.push_back(clue);
}

void SmallestReasons::drop(std::size_t down_to) {
    for (; chosen_.size() > down_to; chosen_.pop_back()) status_[chosen_.back()] = kFree;
}

// Find changes that alter the target and keep the chosen clues, few changes first; return false on failure.
bool SmallestReasons::change(int target) {
    check_interrupt_now();
    for (const Branch& branch : branches_) {
        listed_[branch.group] = 0;
        change_[branch.group] = 0;
    }
    for (const int at : touched_) change_[at] = 0;
    touched_.clear();
    branches_.assign(1, {target, 0, 0, 0, 0, 0});
    listed_[target] = 1;
    // List linked groups together, the nearest first: most of the distant ones need no change.
    std::size_t done = 0;
    const auto reach_near = [&] {
        for (; done < branches_.size(); ++done)
            for (const int clue : groups_[branches_[done].group].clues) reach(clue);
    };
    reach_near();
    // Groups not linked to the target can only compensate for its mines.
    for (std::size_t next = 0; counted_ && next < chosen_.size(); ++next) {
        reach(chosen_[next]);
        reach_near();
    }
    for (const int clue : chosen_) reached_[clue] = 0;
    if (branches_.size() > kLongList) effort_ -= static_cast<std::int64_t>(branches_.size());
    if (counted_) count_others();
    bound_.clear();
    for (Branch& branch : branches_) {
        branch.first = static_cast<int>(bound_.size());
        for (const int clue : groups_[branch.group].clues)
            if (status_[clue] == kChosen) bound_.push_back(clue);
        if (counted_ && listed_[branch.group] != kCovered) bound_.push_back(total());
        branch.last = static_cast<int>(bound_.size());
    }
    broken_ = 0;
    const bool changed = assign();
    if (changed && counted_) balance();
    return changed;
}

// Find disjoint chosen clues, and set the total to that of the other groups: the changes around each of these clues add
// up to 0, so those of the other groups do if the number of mines stays the same. This fails earlier than the total of
// all groups.
void SmallestReasons::count_others() {
    Sums& sums = sums_[total()] = all_total_;
    for (const int clue : chosen_) {
        const std::vector<int>& around = groups_of_[clue];
        if (std::any_of(around.begin(), around.end(), [this](int at) { return listed_[at] == kCovered; })) continue;
        for (const int at : around) listed_[at] = kCovered;
        sums.least -= all_[clue].least;
        sums.most -= all_[clue].most;
    }
}

// List the groups that a chosen clue sees.
void SmallestReasons::reach(int clue) {
    if (status_[clue] != kChosen || reached_[clue]) return;
    reached_[clue] = 1;
    sums_[clue] = all_[clue];
    for (const int at : groups_of_[clue]) {
        if (listed_[at]) continue;
        listed_[at] = 1;
        branches_.push_back({at, 0, 0, 0, 0, 0});
    }
}

// Assign changes to the groups in the order of `branches_`, small changes first, until no other group has to change;
// return false on failure. Depth first without recursion: the stack may be small.
bool SmallestReasons::assign() {
    std::size_t at = 0;
    bool down = true;
    do {
        Branch& branch = branches_[at];
        if (down) {
            check_interrupt();
            if (--effort_ < 0) return false;
            enter(branch);
            branch.tried = at == 0 ? 1 : 0;  // the target has to change
        }
        down = next_change(branch);
        if (down) {
            ++at;
        } else {
            leave(branch);
            if (at == 0) return false;
            --at;
            add(branches_[at], -change_[branches_[at].group]);
        }
    } while (!down || (at < branches_.size() && broken_ != 0));
    while (at-- > 0)
        if (change_[branches_[at].group] != 0) touched_.push_back(branches_[at].group);
    return true;
}

// Remove the group from the sums of those left, and find its changes that fit.
void SmallestReasons::enter(Branch& branch) {
    const Group& group = groups_[branch.group];
    int low = group.least;
    int high = group.most;
    for (int i = branch.first; i < branch.last; ++i) {
        Sums& sums = sums_[bound_[i]];
        sums.least -= group.least;
        sums.most -= group.most;
        low = std::max(low, -sums.sum - sums.most);
        high = std::min(high, -sums.sum - sums.least);
    }
    branch.low = low;
    branch.high = high;
}

// Return the group to the sums of those left.
void SmallestReasons::leave(const Branch& branch) {
    const Group& group = groups_[branch.group];
    for (int i = branch.first; i < branch.last; ++i) {
        sums_[bound_[i]].least += group.least;
        sums_[bound_[i]].most += group.most;
    }
}

// Assign the next change that fits: 0, 1, -1, 2, -2 ...
bool SmallestReasons::next_change(Branch& branch) {
    const int widest = std::max(branch.high, -branch.low);
    while (branch.tried <= 2 * widest) {
        const int number = branch.tried++;
        const int by = number % 2 != 0 ? (number + 1) / 2 : -number / 2;
        if (by < branch.low || by > branch.high) continue;
        add(branch, by);
        return true;
    }
    return false;
}

void SmallestReasons::add(const Branch& branch, int by) {
    for (int i = branch.first; i < branch.last; ++i) {
        int& sum = sums_[bound_[i]].sum;
        broken_ -= sum != 0;
        sum += by;
        broken_ += sum != 0;
    }
    change_[branch.group] += by;
}

// Compensate for changes in the number of mines: with unconstrained cells, or where that breaks the fewest clues.
void SmallestReasons::balance() {
    int& sum = sums_[total()].sum;
    while (sum != 0) {
        check_interrupt_now();
        int best = -1;
        std::size_t least = 0;
        for (int at = 0; at < static_cast<int>(groups_.size()); ++at) {
            const Group& one = groups_[at];
            const bool room = sum > 0 ? change_[at] > one.least : change_[at] < one.most;
            if (listed_[at] || !room) continue;
            const auto breaks = static_cast<std::size_t>(
                std::count_if(one.clues.begin(), one.clues.end(), [this](int clue) { return status_[clue] == kFree; }));
            if (best >= 0 && breaks >= least) continue;
            best = at;
            least = breaks;
        }
        const int by = sum > 0 ? std::max(groups_[best].least - change_[best], -sum)
                               : std::min(groups_[best].most - change_[best], -sum);
        if (change_[best] == 0) touched_.push_back(best);
        change_[best] += by;
        sum += by;
    }
}

// Pass each clue that the changes break to `visit`.
template <class Visit>
void SmallestReasons::each_broken(Visit visit) {
    for (const int at : touched_)
        for (const int clue : groups_[at].clues) shift_[clue] += change_[at];
    for (const int at : touched_) {
        for (const int clue : groups_[at].clues) {
            if (shift_[clue] != 0) visit(clue);
            shift_[clue] = 0;
        }
    }
}

// Store the clues that the changes break: every set that forces a changed group contains one of them.
void SmallestReasons::keep_set() {
    const int set = static_cast<int>(sets_.size() / words_);
    sets_.resize(sets_.size() + words_, 0);
    std::uint64_t* const broken = &sets_.back() - (words_ - 1);
    each_broken([broken](int clue) { broken[clue / 64] |= std::uint64_t{1} << clue % 64; });
    int size = 0;
    for (std::size_t w = 0; w < words_; ++w) size += count_bits(broken[w]);
    sizes_.push_back(size);
    // Small sets first: more of them are disjoint.
    const auto smaller = [this](int one, int other) {
        return sizes_[static_cast<std::size_t>(one)] < sizes_[static_cast<std::size_t>(other)];
    };
    for (const int at : touched_) {
        std::vector<int>& sets = sets_of_[at];
        sets.insert(std::upper_bound(sets.begin(), sets.end(), set, smaller), set);
    }
}

// List the clues that the changes break, among those that may still be chosen.
void SmallestReasons::find_broken(std::vector<int>& broken) {
    broken.clear();
    each_broken([&](int clue) {
        if (status_[clue] == kFree) broken.push_back(clue);
    });
}

void minimal_step(const Closure& known, const std::vector<Index>& clues, Index cell, bool mine, bool counted,
                  Step& step) {
    const Field& field = known.field();
    const auto is_known = [](const Closure& closure, Index at) {
        return closure.field().state[at] != kUnknown && closure.field().state[at] != kWall;
    };
    const auto mines = std::count(field.state.begin(), field.state.end(), kMine);
    Closure closed, closure;
    closed.reset(field.grid(), field.mines_left + static_cast<int>(mines), field.spare, field.odds);
    for (Index at = 0; at < field.size(); ++at)
        if (is_known(known, at)) closed.mark(at, field.state[at] == kMine);
    std::vector<Step> rounds;
    const auto open = [&](Index clue) { closure.open(clue, known.clue(clue)); };
    const auto complete = [&](bool value) {
        closure.mark(cell, value);
        Fit fit = Fit::ok;
        for (std::size_t count = 1; fit == Fit::ok && count > 0;) fit = closure.next_round(rounds, count, counted);
        return fit;
    };
    std::vector<Index> order = clues;
    std::stable_sort(order.begin(), order.end(), [&](Index one, Index other) {
        return distance(field.stride, one, cell) > distance(field.stride, other, cell);
    });
    step.clear(counted ? 4 : 3);
    for (auto at = order.begin(); at != order.end(); ++at) {
        check_interrupt_now();
        closure.assign(closed);
        std::for_each(step.clues.begin(), step.clues.end(), open);
        std::for_each(at + 1, order.end(), open);
        if (complete(!mine) != Fit::inconsistent) step.clues.push_back(*at);
    }
    closure.assign(closed);
    std::for_each(step.clues.begin(), step.clues.end(), open);
    complete(mine);
    std::sort(step.clues.begin(), step.clues.end());
    for (Index at = 0; at < field.size(); ++at)
        if (!is_known(known, at) && is_known(closure, at)) step.of(closure.field().state[at] == kMine).push_back(at);
}

}  // namespace mines
