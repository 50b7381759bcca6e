#include "explain/path.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "base/bits.hpp"
#include "base/clues.hpp"
#include "base/interrupt.hpp"
#include "logic/easy_rules.hpp"

namespace mines {
namespace {

// Limit on the size of the smallest sets that are searched for.
constexpr int kMostClues = 12;
// The version of paths: their definition and their hash.
constexpr int kVersion = 1;

// The hash FNV-1a with whole numbers in place of bytes.
constexpr std::uint64_t kHashStart = 0xcbf29ce484222325;
constexpr std::uint64_t kHashFactor = 0x100000001b3;
void add_to_hash(std::uint64_t& hash, std::uint64_t number) { hash = (hash ^ number) * kHashFactor; }

void add_bit(Index cell, std::vector<std::uint64_t>& bits) {
    bits[static_cast<std::size_t>(cell) / 64] |= std::uint64_t{1} << cell % 64;
}

// Return the number of mines around a place by its clue, which is negative at mines.
int clue_of(int truth) { return truth < 0 ? truth - kMineClue : truth; }

// Parts of PathFinder::near_.
constexpr unsigned kOneMine = 1 << 8, kOneSafe = 1 << 12;
unsigned unknown_of(unsigned near) { return near & 0xff; }
int mines_of(unsigned near) { return static_cast<int>(near >> 8 & 15); }
int safe_of(unsigned near) { return static_cast<int>(near >> 12); }

// The bits of five rows of five cells that can decide cells together with the clue in the middle: not this itself, and
// not the corners, which share only one cell with it.
constexpr std::uint64_t kPartners = 0xefefee;

}  // namespace

void PathFinder::find(const Puzzle& puzzle, Paths& out) {
    const int mines = std::accumulate(puzzle.mine.begin(), puzzle.mine.end(), 0);
    field_.reset(puzzle.grid, mines);
    load(puzzle.mine);
    opens_ = true;
    open(field_.from_number(puzzle.click));
    open_around_zeros();
    run(out, std::numeric_limits<std::size_t>::max());
}

void PathFinder::find(const Closure& view, const std::vector<std::uint8_t>& layout, Paths& out,
                      std::size_t most_steps) {
    field_ = view.field();
    load(layout);
    opens_ = false;
    for (Index cell = field_.at(0, 0); cell < field_.at(field_.rows, 0); ++cell) {
        if (field_.state[cell] == kUnknown || field_.state[cell] == kWall) continue;
        know(cell, field_.state[cell] == kMine ? kOneMine : kOneSafe);
        if (field_.state[cell] == kOpen) add_bit(cell, live_);
    }
    unread_ = live_;
    closure_.assign(view);
    closure_loaded_ = true;
    run(out, most_steps);
}

// Load a layout, which has one byte for each cell, with all cells unknown, and clear the lists of changes.
void PathFinder::load(const std::vector<std::uint8_t>& mine) {
    const std::size_t size = field_.state.size();
    if (grid_ != field_.grid()) {
        grid_ = field_.grid();
        empty_near_.assign(size, 0);
        number_.assign(size, -1);
        field_.each_cell([&](Index number, Index cell) {
            number_[cell] = number;
            for (int k = 0; k < kNeighbours; ++k)
                empty_near_[cell + field_.steps(cell)[k]] += (1u << (7 - k)) + kOneSafe;
        });
    }
    add_border(field_, mine.data(), mine_);
    count_clues(field_, mine_, truth_);
    near_.resize(size);
    const std::uint16_t* const empty = empty_near_.data();
    const std::int8_t* const truth = truth_.data();
    std::uint16_t* const near = near_.data();
    for (std::size_t cell = 0; cell < size; ++cell)
        near[cell] = static_cast<std::uint16_t>(empty[cell] + clue_of(truth[cell]) * (kOneMine - kOneSafe));
    closure_loaded_ = false;
    revealed_.clear();
    for (std::vector<std::uint64_t>* const bits : {&live_, &unread_, &unpaired_}) bits->assign(size / 64 + 2, 0);
    first_unread_ = 0;
}

void PathFinder::run(Paths& out, std::size_t most_steps) {
    hash_ = kHashStart;
    for (const int number : {kVersion, field_.rows, field_.cols})
        add_to_hash(hash_, static_cast<std::uint64_t>(number));
    if (!grid_->is_rectangle) add_to_hash(hash_, static_cast<std::uint64_t>(grid_->kind));
    grid_->each_hole([this](int cell) { add_to_hash(hash_, static_cast<std::uint64_t>(cell)); });
    InterruptCheck* const current_check = InterruptCheck::current_check();
    const auto is_solved = [this] { return opens_ && field_.unknown_left == field_.mines_left; };
    bool too_wide = false;
    for (std::size_t steps = 0; steps < most_steps && !is_solved(); ++steps) {
        check_interrupt(current_check);
        step_.clear(0);
        step_.smallest = true;
        if (!one_clue(step_) && !two_clues(step_) && !hard_step(step_)) {
            too_wide = closure_.any_wide();
            break;
        }
        add(step_, out);
        for (const Index cell : step_.mines) mark(cell);
        for (const Index cell : step_.safe) open(cell);
        open_around_zeros();
    }
    out.solved.push_back(is_solved());
    out.too_wide.push_back(too_wide);
    out.hash.push_back(hash_);
    out.steps.push_back(static_cast<std::int64_t>(out.tier.size()));
}

void PathFinder::add(PathStep& step, Paths& out) {
    const bool listed = !out.hard_only || step.tier > 2;
    const Index* const numbers = number_.data();
    std::uint64_t hash = hash_;
    add_to_hash(hash, static_cast<std::uint64_t>(step.tier));
    const auto add_list = [&](std::vector<Index>& list) {
        // The neighbours of a clue on a rectangle are in order.
        if (step.tier > 1 || !field_.is_rectangle()) std::sort(list.begin(), list.end());
        add_to_hash(hash, list.size());
        for (const Index cell : list) add_to_hash(hash, static_cast<std::uint64_t>(numbers[cell]));
        if (!listed) return;
        for (const Index cell : list) out.cells.push_back(numbers[cell]);
        out.bounds.push_back(static_cast<std::int64_t>(out.cells.size()));
    };
    add_list(step.safe);
    add_list(step.mines);
    add_list(step.clues);
    hash_ = hash;
    if (!listed) return;
    out.tier.push_back(static_cast<std::uint8_t>(step.tier));
    out.smallest.push_back(step.smallest);
    if (!out.hard_only) return;
    const std::size_t before = out.unknown.size();
    out.unknown.resize(before + static_cast<std::size_t>(grid_->size()));
    field_.mark_cells(kUnknown, out.unknown.data() + before);
}

// Mark an unknown cell as known, which may change itself and the clues around it. `one` is kOneMine or kOneSafe.
inline void PathFinder::know(Index cell, unsigned one) {
    std::uint64_t* const unread = unread_.data();
    if (!field_.is_rectangle()) {
        const Steps& steps = field_.steps(cell);
        for (int k = 0; k < kNeighbours; ++k) near_[cell + steps[k]] -= (1u << (7 - k)) + one;
        for (const int step : steps) add_bit(cell + step, unread_);
        add_bit(cell, unread_);
        first_unread_ = 0;
        if (closure_loaded_) revealed_.push_back(cell);
        return;
    }
    std::uint16_t* const near = &near_[cell];
    const std::ptrdiff_t stride = field_.stride;
    for (int k = 0; k < kNeighbours; ++k) near[kRowStep[k] * stride + kColStep[k]] -= (1u << (7 - k)) + one;
    const auto above = static_cast<std::size_t>(cell - stride - 1);
    first_unread_ = std::min(first_unread_, above / 64);
    for (const std::size_t first : {above, above + stride, above + 2 * stride}) {
        unread[first / 64] |= std::uint64_t{7} << first % 64;
        if (first % 64 > 61) unread[first / 64 + 1] |= std::uint64_t{7} >> (64 - first % 64);
    }
    if (closure_loaded_) revealed_.push_back(cell);
}

void PathFinder::mark(Index cell) {
    field_.state[cell] = kMine;
    --field_.mines_left;
    --field_.unknown_left;
    know(cell, kOneMine);
}

// Mark a safe cell, and open it in a puzzle. Call `open_around_zeros` next.
inline void PathFinder::open(Index cell) {
    field_.state[cell] = opens_ ? kOpen : kSafe;
    --field_.unknown_left;
    know(cell, kOneSafe);
    if (!opens_) return;
    if (truth_[cell] == 0) {
        zeros_.push_back(cell);
    } else {
        add_bit(cell, live_);
    }
}

// Open the openings of the zeros opened last.
void PathFinder::open_around_zeros() {
    while (!zeros_.empty()) {
        const Index zero = zeros_.back();
        zeros_.pop_back();
        for (unsigned bits = unknown_of(near_[zero]); bits != 0; bits &= bits - 1)
            open(zero + field_.steps(zero)[lowest_bit(bits)]);
    }
}

// Complete the masks and needs of the field for the first call, and pass on the changes since the last call otherwise.
void PathFinder::sync_closure() {
    if (!closure_loaded_) {
        const std::uint8_t* const state = field_.state.data();
        const std::uint16_t* const near = near_.data();
        const std::int8_t* const truth = truth_.data();
        std::uint8_t* const mask = field_.mask.data();
        std::int8_t* const need = field_.need.data();
        const Index size = field_.size();
        for (Index cell = 0; cell < size; ++cell) mask[cell] = state[cell] == kWall ? 0 : near[cell];
        for (Index cell = 0; cell < size; ++cell)
            need[cell] = mines_of(near[cell]) - clue_of(truth[cell]) * (state[cell] != kOpen);
        closure_.reset(field_);
        closure_loaded_ = true;
        return;
    }
    for (const Index cell : revealed_) {
        if (field_.state[cell] == kOpen) {
            closure_.open(cell, truth_[cell]);
        } else {
            closure_.mark(cell, truth_[cell] < 0);
        }
    }
    revealed_.clear();
    // This decides nothing, but lists the changed clues for `find_more_clues`.
    closure_.apply_few_clues();
}

// Find the first clue that decides cells alone.
bool PathFinder::one_clue(PathStep& step) {
    const std::size_t words = unread_.size();
    std::uint64_t* const unread = unread_.data();
    std::uint64_t* const live = live_.data();
    const std::uint16_t* const nears = near_.data();
    for (std::size_t word = first_unread_; word < words; ++word) {
        for (std::uint64_t left = unread[word] & live[word]; left != 0; left &= left - 1) {
            const Index clue = static_cast<Index>(64 * word) + lowest_bit(left);
            const std::uint64_t bit = left & (~left + 1);
            const unsigned near = nears[clue];
            if (mines_of(near) * safe_of(near) != 0) {
                unpaired_[word] |= bit;
                continue;
            }
            live[word] &= ~bit;
            if (unknown_of(near) == 0) continue;
            unread[word] = left;
            first_unread_ = word;
            step.tier = 1;
            step.clues.push_back(clue);
            std::vector<Index>& cells = safe_of(near) == 0 ? step.mines : step.safe;
            for (unsigned bits = unknown_of(near); bits != 0; bits &= bits - 1)
                cells.push_back(clue + field_.steps(clue)[lowest_bit(bits)]);
            return true;
        }
        unread[word] = 0;
    }
    first_unread_ = words;
    return false;
}

// Return the bits of live_ of five cells side by side.
std::uint64_t PathFinder::five_live(Index first) const {
    const auto at = static_cast<std::size_t>(first);
    return (live_[at / 64] >> at % 64 | live_[at / 64 + 1] << 1 << (63 - at % 64)) & 31;
}

// Return the bits of live_ of the five rows of five cells around a clue.
std::uint64_t PathFinder::live_around(Index clue) const {
    std::uint64_t partners = 0;
    if (field_.is_rectangle()) {
        for (int row = 2; row >= -2; --row) partners = partners << 5 | five_live(clue + row * field_.stride - 2);
        return partners;
    }
    for (int d = 0; d < kPairs; ++d) {
        const auto at = static_cast<std::size_t>(clue + field_.pair_steps(clue)[d]);
        partners |= (live_[at / 64] >> at % 64 & 1) << (d < 12 ? d : d + 1);
    }
    return partners;
}

// Find the pair of the first two clues that decide cells, when no single clue does.
bool PathFinder::two_clues(PathStep& step) {
    const Index reach = field_.is_rectangle() ? 2 * field_.stride + 2 : field_.size();
    std::pair<Index, Index> best(field_.size(), 0);
    int best_d = 0;
    // A pair of a later clue begins at most `reach` before it.
    for (std::size_t word = 0; word < unpaired_.size() && 64 * static_cast<Index>(word) <= best.first + reach; ++word) {
        for (std::uint64_t left = unpaired_[word] &= live_[word]; left != 0; left &= left - 1) {
            const Index clue = static_cast<Index>(64 * word) + lowest_bit(left);
            if (clue > best.first + reach) break;
            std::uint64_t partners = live_around(clue);
            bool decides = false;
            for (partners &= kPartners; partners != 0; partners &= partners - 1) {
                const int bit = lowest_bit(partners);
                const int d = bit < 12 ? bit : bit - 1;
                const Index other = clue + field_.pair_steps(clue)[d];
                if (!decide(clue, other, d)) continue;
                decides = true;
                const std::pair<Index, Index> pair = std::minmax(clue, other);
                if (pair >= best) continue;
                best = pair;
                best_d = clue < other ? d : kPairs - 1 - d;
            }
            if (!decides) unpaired_[word] &= ~(left & (~left + 1));
        }
    }
    const auto [one, other] = best;
    if (one == field_.size()) return false;
    step.tier = 2;
    step.clues = {one, other};
    const OwnCells own = own_cells(unknown_of(near_[one]), unknown_of(near_[other]), best_d);
    const int value = own_value(mines_of(near_[one]), mines_of(near_[other]), own);
    each_own(field_, one, other, own, value, [&](Index cell, bool mine) { step.of(mine).push_back(cell); });
    return true;
}

// Return whether two clues decide cells, when no single clue does. `other` is at offset `d`. By `own_value`, the shared
// cells then contain all safe cells of one clue and all mines of the other one.
bool PathFinder::decide(Index clue, Index other, int d) const {
    const unsigned a = near_[clue], b = near_[other];
    const int shared = popcount(unknown_of(a) & kShift[d][unknown_of(b)]);
    if (mines_of(a) + safe_of(b) != shared && safe_of(a) + mines_of(b) != shared) return false;
    return popcount(unknown_of(a)) != shared || popcount(unknown_of(b)) != shared;
}

// Find the easiest step of more than two clues, or else with the mine count.
bool PathFinder::hard_step(PathStep& step) {
    sync_closure();
    std::size_t count = 0;
    closure_.find_more_clues(found_, count, nullptr);
    if (closure_.any_wide()) return false;
    step.tier = 3;
    if (count == 0) {
        step.tier = 4;
        if (!closure_.find_mine_count(found_[0]) || found_[0].empty()) return false;
        for (Index cell = 0; cell < field_.size(); ++cell)
            if (field_.state[cell] == kOpen && unknown_of(near_[cell]) != 0) found_[0].clues.push_back(cell);
        count = 1;
    }
    for (std::size_t i = 0; i < count; ++i) smallest_of(found_[i], step);
    if (!step.clues.empty() || !step.empty()) return true;
    const auto first_cell = [](const Step& one) {
        const auto least = [](const auto& cells) {
            return cells.empty() ? std::numeric_limits<Index>::max() : *std::min_element(cells.begin(), cells.end());
        };
        return std::min(least(one.safe), least(one.mines));
    };
    const auto end = found_.begin() + static_cast<std::ptrdiff_t>(count);
    const auto first = std::min_element(
        found_.begin(), end, [&](const Step& one, const Step& other) { return first_cell(one) < first_cell(other); });
    const Index cell = first_cell(*first);
    minimal_step(closure_, first->clues, cell, truth_[cell] < 0, step.tier == 4, step);
    step.smallest = false;
    return true;
}

// Load the position of a found step: `cells` get its cells.
void PathFinder::set_position(Step& found, std::vector<Index>& cells) {
    std::sort(found.clues.begin(), found.clues.end());
    unconstrained_.clear();
    if (found.tier == 4) field_.list_unconstrained(unconstrained_);
    reasons_.set_position(closure_.field(), found.clues, unconstrained_, truth_);
    cells = found.safe;
    cells.insert(cells.end(), found.mines.begin(), found.mines.end());
}

// Put the first smallest set of clues that forces one of the found cells into `step`, unless this has a better one.
void PathFinder::smallest_of(Step& found, PathStep& step) {
    set_position(found, cells_);
    const bool counted = found.tier == 4;
    const int most = step.clues.empty() ? kMostClues : static_cast<int>(step.clues.size());
    if (!reasons_.first_smallest(cells_, counted, counted ? 0 : 3, most, set_)) return;
    clues_.clear();
    for (const int at : set_) clues_.push_back(found.clues[static_cast<std::size_t>(at)]);
    if (!step.clues.empty() && clues_.size() == step.clues.size() && step.clues < clues_) return;
    step.clues = clues_;
    add_forced(counted, step);
}

// Set the cells of a step to those of cells_ that the clues of set_ force.
void PathFinder::add_forced(bool counted, PathStep& step) {
    step.safe.clear();
    step.mines.clear();
    reasons_.keep_forced(set_, counted, cells_);
    for (const Index cell : cells_) step.of(truth_[cell] < 0).push_back(cell);
}

}  // namespace mines
