// The search decides one choice after the other and keeps the states that may lead to different ends. A state is what
// later choices can notice: which flags and covers are set, which chosen cells and groups can still be connected, and
// which of them are connected already. Its `paid` clicks are those that are certain: chords, flags, covers that no
// later choice sets, and groups that no later choice connects.
//
// State A makes state B superfluous if no end of B is better than the same later choices after A:
// * B's flags and covers that A lacks cost A at most one click each;
// * a chosen cell of B that A lacks connects at most as many groups as later choices can touch it apart;
// * take A's groups and B's together. A has at most as many groups too many as it has more than those with a part of B.
// The best imaginable state of a step has all flags, covers and cells in one group that costs nothing. The clicks after
// it bound those after all states of the step.
#include "make/fewest_clicks.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/bits.hpp"
#include "base/interrupt.hpp"
#include "make/chord_problem.hpp"

namespace mines {
namespace {

using Chosen = std::vector<std::uint8_t>;
constexpr int kNoLimit = std::numeric_limits<int>::max() / 2;
constexpr int kMostLabels = 250;                                    // of a state; a label is a byte
constexpr std::size_t kMostChoices = 600;                           // of a search of the whole board
constexpr std::int64_t kLeastWork = 1'000'000, kWorkOfCell = 2000;  // kUsualWork

class Budget {
  public:
    using Clock = std::chrono::steady_clock;

    Budget(double seconds, std::int64_t work)
        : work_(work > 0 ? work : std::numeric_limits<std::int64_t>::max()), timed_(seconds > 0) {
        if (timed_)
            end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    }

    // Take this number of comparisons, or return false if the limit is reached.
    bool take(std::int64_t work) {
        work_ -= work;
        since_ += work;
        if (since_ >= kPause) {
            since_ = 0;
            check_interrupt_now();
            over_ = over_ || (timed_ && Clock::now() >= end_);
        }
        return !is_over();
    }
    bool is_over() const { return over_ || work_ <= 0; }

  private:
    static constexpr std::int64_t kPause = 100'000;  // comparisons between looks at the clock

    std::int64_t work_, since_ = 0;
    bool timed_, over_ = false;
    Clock::time_point end_;
};

using Mask = std::vector<std::uint64_t>;

void set_bit(Mask& mask, int bit) {
    mask.resize(std::max(mask.size(), static_cast<std::size_t>(bit) / 64 + 1), 0);
    mask[bit / 64] |= std::uint64_t{1} << bit % 64;
}
void clear_bit(Mask& mask, int bit) { mask[bit / 64] &= ~(std::uint64_t{1} << bit % 64); }

// A step of the search decides a choice. Flags, covers and chosen cells have a bit in the mask of a state, chosen cells
// and groups a label, which is 0 for other cells and equal for connected ones.
struct ChordStep {
    int choice = 0, bit = 0, label = 0;
    std::vector<int> flags, covers;            // bits
    std::vector<int> begins, joins, ends;      // labels of new groups, of all that the cell connects, of last uses
    Mask unpaid, ended;                        // bits of covers that end, and of all that ends
    Mask active, covered, marks, often;        // after the step: all bits; covers; flags and covers; later above 1
    std::vector<std::pair<int, int>> lasting;  // labels after the step, with the groups that they connect later
    bool has_group = false;                    // after the step
};

// Slots of states, which are used again when their parts end.
class SlotPool {
  public:
    int take() {
        if (free_.empty()) return count_++;
        const int slot = free_.back();
        free_.pop_back();
        return slot;
    }
    void give(int slot) { free_.push_back(slot); }
    int count() const { return count_; }
    int used() const { return count_ - static_cast<int>(free_.size()); }

  private:
    std::vector<int> free_;
    int count_ = 0;
};

// The first and last step of a flag, cover, group or cell, and its places.
struct Lifetime {
    int first = -1, last = -1, bit = -1, label = -1;

    void use(int step) {
        if (first < 0) first = step;
        last = step;
    }
};

// States of a step, one after the other.
struct StatePool {
    std::vector<std::uint64_t> words;
    std::vector<int> paid;
    std::vector<std::uint32_t> from;  // twice the number of the state before, plus 1 if the cell of the step is chosen

    void clear() { words.clear(), paid.clear(), from.clear(); }
    std::size_t size() const { return paid.size(); }
};

class ChordSearch {
  public:
    ChordSearch(const ChordProblem& problem, int cols, Budget& budget);

    bool possible() const { return labels_ <= kMostLabels; }
    // Keep up to `width` states a step. Set `chosen` and `cost` if there is a lower cost, and raise `bound`. Returns
    // false if the budget ended before.
    bool run(std::size_t width, Chosen& chosen, int& cost, int& bound);
    // Bound the clicks after each step by searches of this width from its best imaginable state.
    bool find_bounds(std::size_t width);

  private:
    std::vector<int> parts() const;
    std::vector<ChordStep> steps(const std::vector<int>& sequence, std::uint64_t& size) const;
    int later(int choice, int at, const std::vector<int>& place) const;

    // Search from a step on, from the states of `now_`.
    bool search(std::size_t first, std::size_t width, int limit, int& best, int& bound, Chosen* chosen);
    void expand(const ChordStep& step, std::uint32_t i, int limit, int rest);
    void add(const ChordStep& step, int groups, int paid, std::uint32_t from, int limit, int rest);
    void keep_best(const ChordStep& step, std::size_t width, int rest, int& bound);
    bool dominates(const ChordStep& step, const std::uint64_t* a, const std::uint64_t* b, int spare) const;
    bool remove_dominated(const ChordStep& step);

    const std::uint8_t* labels(const std::uint64_t* state) const {
        return reinterpret_cast<const std::uint8_t*>(state + mask_);
    }
    std::uint8_t* labels(std::uint64_t* state) const { return reinterpret_cast<std::uint8_t*>(state + mask_); }
    int groups(const std::uint64_t* state) const { return labels(state)[labels_]; }
    const std::uint64_t* next(std::uint32_t i) const { return &next_.words[i * words_]; }

    const ChordProblem& problem_;
    int cols_;
    Budget& budget_;
    std::vector<ChordStep> steps_;
    // A state has a mask, its labels from 1 on in order of their first place, and the number of its groups.
    int labels_ = 0;
    std::size_t mask_ = 0, words_ = 0;
    std::vector<int> rest_;  // bounds of the clicks after each number of steps
    StatePool now_, next_;
    std::vector<std::uint32_t> order_;  // of states of `next_`
    std::vector<std::uint32_t> table_;  // a hash table: 0, or 1 plus the number of a state of `next_`
    std::vector<std::uint64_t> scratch_, kept_;
    std::array<std::uint8_t, 256> alias_{};
};

ChordSearch::ChordSearch(const ChordProblem& problem, int cols, Budget& budget)
    : problem_(problem), cols_(cols), budget_(budget), rest_(problem.choices.size() + 1, 0) {
    std::iota(alias_.begin(), alias_.end(), std::uint8_t{0});
    // Take the order with the smallest states: by rows or columns, of the board or of each part.
    const std::vector<int> part = parts();
    std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();
    for (const bool by_parts : {false, true}) {
        for (const bool by_cols : {false, true}) {
            std::vector<int> sequence(problem.choices.size());
            std::iota(sequence.begin(), sequence.end(), 0);
            const auto key = [&](int i) {
                const int row = problem.choices[i].cell / cols_, col = problem.choices[i].cell % cols_;
                return std::make_tuple(by_parts ? part[i] : 0, by_cols ? col : row, by_cols ? row : col);
            };
            std::sort(sequence.begin(), sequence.end(), [&](int a, int b) { return key(a) < key(b); });
            std::uint64_t size = 0;
            std::vector<ChordStep> found = steps(sequence, size);
            if (size >= smallest) continue;
            smallest = size;
            steps_ = std::move(found);
        }
    }
    for (const ChordStep& step : steps_) {
        mask_ = std::max({mask_, step.active.size(), step.ended.size()});
        labels_ = std::max(labels_, step.label + 1);
        for (const int label : step.begins) labels_ = std::max(labels_, label + 1);
    }
    words_ = mask_ + static_cast<std::size_t>(labels_) / 8 + 1;
    for (ChordStep& step : steps_)
        for (Mask* const mask : {&step.unpaid, &step.ended, &step.active, &step.covered, &step.marks, &step.often})
            mask->resize(mask_, 0);
}

// Number the parts of the problem that only groups connect.
std::vector<int> ChordSearch::parts() const {
    std::vector<std::vector<int>> of_flag(problem_.flags), of_cover(problem_.covers);
    const int count = static_cast<int>(problem_.choices.size());
    for (int i = 0; i < count; ++i) {
        for (const int flag : problem_.choices[i].flags) of_flag[flag].push_back(i);
        for (const int cover : problem_.choices[i].covers) of_cover[cover].push_back(i);
    }
    std::vector<int> part(problem_.choices.size(), -1);
    for (int i = 0; i < count; ++i) {
        if (part[i] >= 0) continue;
        std::vector<int> found{i};
        part[i] = i;
        const auto reach = [&](const std::vector<int>& others) {
            for (const int other : others) {
                if (part[other] >= 0) continue;
                part[other] = i;
                found.push_back(other);
            }
        };
        for (std::size_t at = 0; at < found.size(); ++at) {
            const ChordChoice& choice = problem_.choices[found[at]];
            for (const int flag : choice.flags) reach(of_flag[flag]);
            for (const int cover : choice.covers) reach(of_cover[cover]);
            reach(choice.near);
        }
    }
    return part;
}

// Return the most choices after a step that touch a chosen cell and are not connected otherwise.
int ChordSearch::later(int choice, int at, const std::vector<int>& place) const {
    std::vector<int> after;
    for (const int near : problem_.choices[choice].near)
        if (place[near] > at) after.push_back(near);
    const auto connected = [this](int a, int b) {
        const ChordChoice &one = problem_.choices[a], &other = problem_.choices[b];
        return includes(one.near, b) || std::any_of(one.groups.begin(), one.groups.end(),
                                                    [&](int group) { return includes(other.groups, group); });
    };
    int most = 0;
    for (unsigned set = 0; set < 1u << after.size(); ++set) {
        std::vector<int> apart;
        for (std::size_t i = 0; i < after.size(); ++i) {
            if ((set >> i & 1) == 0) continue;
            if (std::any_of(apart.begin(), apart.end(), [&](int one) { return connected(one, after[i]); })) break;
            apart.push_back(after[i]);
        }
        most = std::max(most, static_cast<int>(apart.size()));
    }
    return most;
}

// Plan the steps in this order. `size` grows with the number of their states.
std::vector<ChordStep> ChordSearch::steps(const std::vector<int>& sequence, std::uint64_t& size) const {
    const int count = static_cast<int>(sequence.size());
    std::vector<int> place(sequence.size());
    for (int at = 0; at < count; ++at) place[sequence[at]] = at;
    std::vector<Lifetime> flags(problem_.flags), covers(problem_.covers), groups(problem_.groups),
        cells(sequence.size());
    for (int at = 0; at < count; ++at) {
        const ChordChoice& choice = problem_.choices[sequence[at]];
        for (const int flag : choice.flags) flags[flag].use(at);
        for (const int cover : choice.covers) covers[cover].use(at);
        for (const int group : choice.groups) groups[group].use(at);
        cells[sequence[at]].use(at);
        for (const int near : choice.near)
            if (place[near] < at) cells[near].use(at);
    }
    std::vector<ChordStep> list(sequence.size());
    SlotPool bits, labels;
    Mask active, covered, marks;
    std::vector<int> open_cells, open_groups;
    for (int at = 0; at < count; ++at) {
        ChordStep& step = list[at];
        step.choice = sequence[at];
        const ChordChoice& choice = problem_.choices[step.choice];
        const auto begin_bit = [&](Lifetime& part) {
            if (part.first == at) set_bit(active, part.bit = bits.take());
            return part.bit;
        };
        const auto end_bit = [&](const Lifetime& part) {
            bits.give(part.bit);
            set_bit(step.ended, part.bit);
            clear_bit(active, part.bit);
        };
        const auto end_label = [&](const Lifetime& part) {
            labels.give(part.label);
            step.ends.push_back(part.label);
        };
        for (const int flag : choice.flags) {
            step.flags.push_back(begin_bit(flags[flag]));
            set_bit(marks, step.flags.back());
        }
        for (const int cover : choice.covers) {
            step.covers.push_back(begin_bit(covers[cover]));
            set_bit(covered, step.covers.back());
            set_bit(marks, step.covers.back());
        }
        for (const int group : choice.groups) {
            if (groups[group].first == at) {
                step.begins.push_back(groups[group].label = labels.take());
                open_groups.push_back(group);
            }
            step.joins.push_back(groups[group].label);
        }
        for (const int near : choice.near)
            if (place[near] < at) step.joins.push_back(cells[near].label);
        Lifetime& own = cells[step.choice];
        step.bit = begin_bit(own);
        step.label = own.label = labels.take();
        open_cells.push_back(step.choice);
        size += std::uint64_t{1} << std::min((bits.used() + labels.used()) / 2, 40);

        for (const int flag : choice.flags) {
            if (flags[flag].last != at) continue;
            end_bit(flags[flag]);
            clear_bit(marks, flags[flag].bit);
        }
        for (const int cover : choice.covers) {
            if (covers[cover].last != at) continue;
            end_bit(covers[cover]);
            set_bit(step.unpaid, covers[cover].bit);
            clear_bit(marks, covers[cover].bit);
            clear_bit(covered, covers[cover].bit);
        }
        const auto ends = [at](const Lifetime& part) { return part.last == at; };
        const auto drop = [&](std::vector<int>& open, const std::vector<Lifetime>& parts_of, bool bit) {
            for (const int one : open) {
                if (!ends(parts_of[one])) continue;
                end_label(parts_of[one]);
                if (bit) end_bit(parts_of[one]);
            }
            open.erase(std::remove_if(open.begin(), open.end(), [&](int one) { return ends(parts_of[one]); }),
                       open.end());
        };
        drop(open_groups, groups, false);
        drop(open_cells, cells, true);
        step.active = active;
        step.covered = covered;
        step.marks = marks;
        step.has_group = !open_groups.empty();
        for (const int group : open_groups) step.lasting.emplace_back(groups[group].label, 0);
        for (const int cell : open_cells) {
            step.lasting.emplace_back(cells[cell].label, later(cell, at, place));
            if (step.lasting.back().second > 1) set_bit(step.often, cells[cell].bit);
        }
    }
    return list;
}

bool ChordSearch::run(std::size_t width, Chosen& chosen, int& cost, int& bound) {
    now_.clear();
    now_.words.assign(words_, 0);
    now_.paid.assign(1, 0);
    int best = cost, low = 0;
    Chosen found;
    if (!search(0, width, cost, best, low, &found)) return false;
    bound = std::max(bound, low);
    if (best < cost) {
        cost = best;
        chosen = std::move(found);
    }
    return true;
}

bool ChordSearch::find_bounds(std::size_t width) {
    constexpr std::size_t kApart = 8;
    for (std::size_t at = steps_.size() / kApart * kApart; at > 0; at -= kApart) {
        if (at == steps_.size()) continue;
        const ChordStep& before = steps_[at - 1];
        now_.clear();
        now_.words.assign(words_, 0);
        std::copy(before.active.begin(), before.active.end(), now_.words.begin());
        for (const auto& lasting : before.lasting) labels(now_.words.data())[lasting.first] = 1;
        labels(now_.words.data())[labels_] = !before.lasting.empty();
        // A group of chosen cells alone need not be there.
        now_.paid.assign(1, before.lasting.empty() || before.has_group ? 0 : -1);
        int best = kNoLimit, low = 0;
        if (!search(at, width, kNoLimit, best, low, nullptr)) return false;
        for (std::size_t i = 0; i <= at; ++i) rest_[i] = std::max(rest_[i], low);
    }
    return true;
}

bool ChordSearch::search(std::size_t first, std::size_t width, int limit, int& best, int& bound, Chosen* chosen) {
    std::vector<std::vector<std::uint32_t>> history;
    bound = limit;
    for (std::size_t at = first; at < steps_.size(); ++at) {
        const ChordStep& step = steps_[at];
        const int rest = rest_[at + 1];
        next_.clear();
        std::size_t slots = 64;
        while (slots < 4 * now_.size()) slots *= 2;
        table_.assign(slots, 0);
        for (std::uint32_t i = 0; i < now_.size(); ++i) expand(step, i, limit, rest);
        order_.resize(next_.size());
        std::iota(order_.begin(), order_.end(), 0u);
        keep_best(step, 4 * width, rest, bound);
        std::sort(order_.begin(), order_.end(), [this](std::uint32_t a, std::uint32_t b) {
            return std::make_pair(next_.paid[a], a) < std::make_pair(next_.paid[b], b);
        });
        if (!budget_.take(static_cast<std::int64_t>(32 * now_.size())) || !remove_dominated(step)) return false;
        keep_best(step, width, rest, bound);
        now_.clear();
        for (const std::uint32_t i : order_) {
            now_.words.insert(now_.words.end(), next(i), next(i) + words_);
            now_.paid.push_back(next_.paid[i]);
            now_.from.push_back(next_.from[i]);
        }
        if (chosen != nullptr) history.push_back(now_.from);
    }
    if (now_.size() == 0) return true;
    // All states are equal at the end.
    best = now_.paid[0];
    bound = std::min(bound, best);
    if (chosen == nullptr) return true;
    chosen->assign(steps_.size(), 0);
    std::uint32_t at = 0;
    for (std::size_t step = steps_.size(); step-- > 0;) {
        const std::uint32_t from = history[step][at];
        (*chosen)[steps_[step].choice] = from & 1;
        at = from / 2;
    }
    return true;
}

void ChordSearch::expand(const ChordStep& step, std::uint32_t i, int limit, int rest) {
    for (const bool chosen : {false, true}) {
        scratch_.assign(now_.words.begin() + static_cast<std::ptrdiff_t>(i * words_),
                        now_.words.begin() + static_cast<std::ptrdiff_t>((i + 1) * words_));
        std::uint8_t* const label = labels(scratch_.data());
        int count = label[labels_], paid = now_.paid[i];
        for (const int one : step.begins) label[one] = static_cast<std::uint8_t>(++count);
        if (chosen) {
            ++paid;
            for (const int flag : step.flags) {
                std::uint64_t& word = scratch_[flag / 64];
                paid += (word >> flag % 64 & 1) == 0;
                word |= std::uint64_t{1} << flag % 64;
            }
            for (const int cover : step.covers) scratch_[cover / 64] |= std::uint64_t{1} << cover % 64;
            scratch_[step.bit / 64] |= std::uint64_t{1} << step.bit % 64;
            constexpr std::uint8_t kOwn = 255;
            label[step.label] = kOwn;
            ++count;
            for (const int one : step.joins) {
                if (label[one] == 0 || alias_[label[one]] == kOwn) continue;
                alias_[label[one]] = kOwn;
                --count;
            }
        }
        add(step, count, paid, 2 * i + chosen, limit, rest);
        std::iota(alias_.begin(), alias_.end(), std::uint8_t{0});
    }
}

// Add the state of `scratch_`, whose labels have aliases, after the ends of the step.
void ChordSearch::add(const ChordStep& step, int groups, int paid, std::uint32_t from, int limit, int rest) {
    std::uint8_t* const label = labels(scratch_.data());
    for (const int one : step.ends) label[one] = 0;
    std::array<std::uint8_t, 256> renamed{};
    int left = 0;
    for (int i = 0; i < labels_; ++i) {
        if (label[i] == 0) continue;
        std::uint8_t& name = renamed[alias_[label[i]]];
        if (name == 0) name = static_cast<std::uint8_t>(++left);
        label[i] = name;
    }
    label[labels_] = static_cast<std::uint8_t>(left);
    paid += groups - left;
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < words_; ++i) {
        if (i < mask_) {
            paid += count_bits(step.unpaid[i] & ~scratch_[i]);
            scratch_[i] &= ~step.ended[i];
        }
        hash = (hash ^ scratch_[i]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    if (paid + rest >= limit) return;
    for (std::size_t slot = hash;; ++slot) {
        std::uint32_t& entry = table_[slot & (table_.size() - 1)];
        if (entry == 0) {
            next_.words.insert(next_.words.end(), scratch_.begin(), scratch_.end());
            next_.paid.push_back(paid);
            next_.from.push_back(from);
            entry = static_cast<std::uint32_t>(next_.size());
            return;
        }
        if (!std::equal(scratch_.begin(), scratch_.end(), next(entry - 1))) continue;
        if (paid < next_.paid[entry - 1]) {
            next_.paid[entry - 1] = paid;
            next_.from[entry - 1] = from;
        }
        return;
    }
}

// Keep `width` states: those whose clicks are fewest if half of the open ones can be saved.
void ChordSearch::keep_best(const ChordStep& step, std::size_t width, int rest, int& bound) {
    if (order_.size() <= width) return;
    std::vector<std::pair<int, std::uint32_t>> ranked;
    for (const std::uint32_t i : order_) {
        int rank = 2 * next_.paid[i] + groups(next(i));
        for (std::size_t k = 0; k < mask_; ++k) rank += count_bits(step.covered[k] & ~next(i)[k]);
        ranked.emplace_back(rank, i);
    }
    const auto end = ranked.begin() + static_cast<std::ptrdiff_t>(width);
    std::nth_element(ranked.begin(), end, ranked.end());
    for (auto lost = end; lost != ranked.end(); ++lost) bound = std::min(bound, next_.paid[lost->second] + rest);
    order_.clear();
    for (auto kept = ranked.begin(); kept != end; ++kept) order_.push_back(kept->second);
}

// Return whether state `a`, which has paid `spare` clicks fewer, makes `b` superfluous.
bool ChordSearch::dominates(const ChordStep& step, const std::uint64_t* a, const std::uint64_t* b, int spare) const {
    for (std::size_t i = 0; i < mask_; ++i) spare -= count_bits(b[i] & ~a[i] & step.marks[i]);
    const std::uint8_t *const of_a = labels(a), *const of_b = labels(b);
    const int count = groups(a);
    std::array<std::uint16_t, 512> parent;
    for (int i = 0; i <= count + groups(b); ++i) parent[i] = static_cast<std::uint16_t>(i);
    const auto find = [&parent](int one) {
        while (parent[one] != one) one = parent[one];
        return one;
    };
    int both = groups(b);  // groups of A and B together that have a part of B
    for (const auto& [label, later] : step.lasting) {
        if (of_b[label] == 0) continue;
        if (of_a[label] == 0) {
            spare -= later;
            continue;
        }
        const int one = find(of_a[label]), other = find(count + of_b[label]);
        if (one == other) continue;
        both -= one > count;
        parent[one] = static_cast<std::uint16_t>(other);
    }
    return count - both <= spare;
}

// Remove states that others make superfluous from `order_`, which is sorted by paid clicks.
bool ChordSearch::remove_dominated(const ChordStep& step) {
    std::size_t left = 0;
    kept_.clear();
    Mask limits(mask_);  // bits that cost a click each if `a` lacks them
    for (std::size_t i = 0; i < mask_; ++i) limits[i] = step.marks[i] | step.often[i];
    for (const std::uint32_t i : order_) {
        const std::uint64_t* const b = next(i);
        bool stays = true;
        for (std::size_t k = 0; k < left && stays; ++k) {
            const int spare = next_.paid[i] - next_.paid[order_[k]];
            int lacks = 0;
            for (std::size_t word = 0; word < mask_; ++word)
                lacks += count_bits(b[word] & limits[word] & ~kept_[k * mask_ + word]);
            stays = lacks > spare || !dominates(step, next(order_[k]), b, spare);
        }
        if (!budget_.take(static_cast<std::int64_t>(left))) return false;
        if (!stays) continue;
        order_[left++] = i;
        kept_.insert(kept_.end(), b, b + mask_);
    }
    order_.resize(left);
    return true;
}

// Choose the chords of a large board in one square after the other, then again in squares between them and with more
// states, as long as the budget lasts.
void choose_in_tiles(const ChordBoard& board, int cols, Budget& budget, Chosen& chorded) {
    constexpr int kSide = 24;
    for (const std::size_t width : {16, 64, 256}) {
        for (const int shift : {0, kSide / 2}) {
            std::map<std::pair<int, int>, std::vector<int>> tiles;
            for (const int cell : board.chordable())
                tiles[{(cell / cols + shift) / kSide, (cell % cols + shift) / kSide}].push_back(cell);
            for (const auto& [place, cells] : tiles) {
                Chosen chosen;
                for (const int cell : cells) chosen.push_back(std::exchange(chorded[cell], std::uint8_t{0}));
                const ChordProblem problem = board.problem(chorded, cells);
                int cost = problem.cost(chosen), bound = 0;
                const bool done = ChordSearch(problem, cols, budget).run(width, chosen, cost, bound);
                for (std::size_t i = 0; i < cells.size(); ++i) chorded[cells[i]] = chosen[i];
                if (!done) return;
            }
        }
    }
}

}  // namespace

ClickPlan fewest_clicks(const Puzzle& puzzle, const ClickRules& rules, double seconds, std::int64_t most_work) {
    if (most_work == kUsualWork) most_work = std::max(kLeastWork, kWorkOfCell * puzzle.grid->cell_count());
    Budget budget(seconds, most_work);
    const ChordBoard board(puzzle, rules);
    Chosen chorded(puzzle.mine.size(), 0);
    const std::vector<int>& cells = board.chordable();
    const ChordProblem problem = board.problem(chorded, cells);
    Chosen chosen(cells.size(), 0);
    int cost = problem.cost(chosen), bound = 0;
    const int others = board.plan(chorded).count - cost;
    if (cells.size() > kMostChoices) {
        choose_in_tiles(board, puzzle.grid->cols, budget, chorded);
    } else {
        ChordSearch search(problem, puzzle.grid->cols, budget);
        for (std::size_t width = 16; bound < cost && search.possible(); width *= 4) {
            if (!search.run(width, chosen, cost, bound)) break;
            if (bound < cost && width > 16 && !search.find_bounds(width / 8)) break;
        }
        for (std::size_t i = 0; i < cells.size(); ++i) chorded[cells[i]] = chosen[i];
    }
    ClickPlan plan = board.plan(chorded);
    plan.bound = bound + others;
    return plan;
}

}  // namespace mines
