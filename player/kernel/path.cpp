#include "path.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <limits>
#include <numeric>

#include "interrupt.hpp"

namespace mines {
namespace {

// Limit on the size of the smallest sets that are searched for.
constexpr int kMostClues = 12;
// Makes the clue of a mine negative.
constexpr std::int8_t kMineHere = -100;

// The version of paths: their definition and their hash.
constexpr int kVersion = 1;

// The hash FNV-1a with whole numbers in place of bytes.
constexpr std::uint64_t kHashStart = 0xcbf29ce484222325;
constexpr std::uint64_t kHashFactor = 0x100000001b3;
void add_to_hash(std::uint64_t& hash, std::uint64_t number) { hash = (hash ^ number) * kHashFactor; }

void add_bit(Index cell, std::vector<std::uint64_t>& bits) {
    bits[static_cast<std::size_t>(cell) / 64] |= std::uint64_t{1} << cell % 64;
}

}  // namespace

void PathFinder::find(const Puzzle& puzzle, Path& out) {
    mines_ = std::accumulate(puzzle.mine.begin(), puzzle.mine.end(), 0);
    grid_.reset(puzzle.rows, puzzle.cols, mines_);
    closure_loaded_ = false;
    load(puzzle.mine);
    opens_ = true;
    safe_left_ = puzzle.rows * puzzle.cols - mines_;
    reveal(grid_.from_number(puzzle.click));
    run(out, std::numeric_limits<std::size_t>::max());
}

void PathFinder::find(const Closure& view, const std::vector<std::uint8_t>& layout, Path& out,
                      std::size_t most_steps) {
    grid_ = view.grid();
    closure_.assign(view);
    closure_loaded_ = true;
    load(layout);
    opens_ = false;
    safe_left_ = -1;
    for (Index cell = 0; cell < grid_.size(); ++cell)
        if (grid_.state[cell] == kOpen) add_bit(cell, open_);
    unread_ = open_;
    run(out, most_steps);
}

// Load the clue of every cell of a layout, which has one byte for each cell, and clear the lists of changes.
void PathFinder::load(const std::vector<std::uint8_t>& mine) {
    truth_.assign(grid_.state.size(), 0);
    number_.resize(grid_.state.size());
    Index number = 0;
    for (int row = 0; row < grid_.rows; ++row) {
        for (Index cell = grid_.at(row, 0); cell < grid_.at(row, grid_.cols); ++cell, ++number) {
            number_[cell] = number;
            if (mine[static_cast<std::size_t>(number)] == 0) continue;
            truth_[cell] = static_cast<std::int8_t>(truth_[cell] + kMineHere);
            for (const int step : grid_.step) ++truth_[cell + step];
        }
    }
    revealed_.clear();
    for (std::vector<std::uint64_t>* const bits : {&open_, &unread_, &unpaired_})
        bits->assign(grid_.state.size() / 64 + 2, 0);
    first_unread_ = 0;
    pairs_.clear();
}

void PathFinder::run(Path& out, std::size_t most_steps) {
    out.verdict = Verdict::stuck;
    out.tier.clear();
    out.smallest.clear();
    out.bounds.clear();
    out.cells.clear();
    out.unknown.clear();
    out.hash = kHashStart;
    for (const int number : {kVersion, grid_.rows, grid_.cols})
        add_to_hash(out.hash, static_cast<std::uint64_t>(number));
    while (safe_left_ != 0) {
        if (out.tier.size() == most_steps) return;
        check_interrupt();
        step_.smallest = true;
        step_.safe.clear();
        step_.mines.clear();
        step_.clues.clear();
        if (!one_clue(step_) && !two_clues(step_) && !hard_step(step_)) {
            if (closure_.any_wide()) out.verdict = Verdict::too_wide;
            return;
        }
        add(step_, out);
        for (const Index cell : step_.mines) reveal(cell);
        for (const Index cell : step_.safe) reveal(cell);
    }
    out.verdict = Verdict::solved;
}

void PathFinder::add(PathStep& step, Path& out) const {
    out.tier.push_back(static_cast<std::uint8_t>(step.tier));
    add_to_hash(out.hash, out.tier.back());
    out.smallest.push_back(step.smallest);
    for (std::vector<Index>* const list : {&step.safe, &step.mines, &step.clues}) {
        if (step.tier > 1) std::sort(list->begin(), list->end());
        add_to_hash(out.hash, list->size());
        for (const Index cell : *list) {
            out.cells.push_back(number_[cell]);
            add_to_hash(out.hash, static_cast<std::uint64_t>(out.cells.back()));
        }
        out.bounds.push_back(static_cast<std::int64_t>(out.cells.size()));
    }
    if (step.tier <= 2) return;
    for (int row = 0; row < grid_.rows; ++row)
        for (Index cell = grid_.at(row, 0); cell < grid_.at(row, grid_.cols); ++cell)
            out.unknown.push_back(grid_.state[cell] == kUnknown);
}

// Note that a cell and the clues around it may have changed.
void PathFinder::touch_around(Index cell) {
    const auto first_row = static_cast<std::size_t>(cell - grid_.stride - 1);
    const auto stride = static_cast<std::size_t>(grid_.stride);
    for (const std::size_t first : {first_row, first_row + stride, first_row + 2 * stride}) {
        unread_[first / 64] |= std::uint64_t{7} << first % 64;
        unread_[first / 64 + 1] |= std::uint64_t{7} >> 1 >> (63 - first % 64);
    }
    first_unread_ = std::min(first_unread_, first_row / 64);
}

// Mark a mine or a safe cell as known, and open a safe cell with its opening.
void PathFinder::reveal(Index cell) {
    if (grid_.state[cell] != kUnknown) return;  // opened with an opening
    if (truth_[cell] < 0 || !opens_) {
        if (truth_[cell] < 0) {
            grid_.mark_mine(cell);
        } else {
            grid_.mark_safe(cell);
        }
        revealed_.push_back(cell);
        touch_around(cell);
        return;
    }
    zeros_.assign(1, cell);
    while (!zeros_.empty()) {
        const Index next = zeros_.back();
        zeros_.pop_back();
        if (grid_.state[next] != kUnknown) continue;
        grid_.mark_safe(next);
        grid_.state[next] = kOpen;
        add_bit(next, open_);
        grid_.need[next] = static_cast<std::int8_t>(grid_.need[next] + truth_[next]);
        revealed_.push_back(next);
        --safe_left_;
        touch_around(next);
        if (truth_[next] != 0) continue;
        for (unsigned bits = grid_.mask[next]; bits != 0; bits &= bits - 1)
            zeros_.push_back(next + grid_.step[lowest_bit(bits)]);
    }
}

void PathFinder::sync_closure() {
    if (!closure_loaded_) closure_.reset(grid_.rows, grid_.cols, mines_);
    closure_loaded_ = true;
    for (const Index cell : revealed_) {
        if (grid_.state[cell] == kOpen) {
            closure_.open(cell, truth_[cell]);
        } else {
            closure_.mark(cell, truth_[cell] < 0);
        }
    }
    revealed_.clear();
    // These decide nothing, but list the changed clues for `find_more_clues`.
    closure_.one_clue(scratch_);
    closure_.two_clues(scratch_);
}

// Find the first clue that decides cells alone.
bool PathFinder::one_clue(PathStep& step) {
    for (; first_unread_ < unread_.size(); ++first_unread_) {
        std::uint64_t& left = unread_[first_unread_];
        for (left &= open_[first_unread_]; left != 0; left &= left - 1) {
            const Index clue = static_cast<Index>(64 * first_unread_) + lowest_bit(left);
            const unsigned mask = grid_.mask[clue];
            const int need = grid_.need[clue];
            if (need != 0 && need != popcount(mask)) {
                unpaired_[first_unread_] |= left & (~left + 1);
                continue;
            }
            if (mask == 0) continue;
            step.tier = 1;
            step.clues.push_back(clue);
            auto& cells = need == 0 ? step.safe : step.mines;
            for (unsigned bits = mask; bits != 0; bits &= bits - 1)
                cells.push_back(clue + grid_.step[lowest_bit(bits)]);
            return true;
        }
    }
    return false;
}

// Find the pair of the first two clues that decide cells, when no single clue does.
bool PathFinder::two_clues(PathStep& step) {
    const auto later = std::greater<>();
    const std::uint8_t* const state = grid_.state.data();
    const std::uint8_t* const masks = grid_.mask.data();
    for (std::size_t word = 0; word < unpaired_.size(); ++word) {
        for (std::uint64_t& left = unpaired_[word]; left != 0; left &= left - 1) {
            const Index clue = static_cast<Index>(64 * word) + lowest_bit(left);
            const unsigned mask = masks[clue];
            for (int d = mask == 0 ? kPairs : 0; d < kPairs; ++d) {
                const Index other = clue + grid_.pair_step[d];
                if ((mask & kShift[d][masks[other]]) == 0 || state[other] != kOpen) continue;
                if (!decided_by(clue, other, d, nullptr)) continue;
                pairs_.emplace_back(std::minmax(clue, other));
                std::push_heap(pairs_.begin(), pairs_.end(), later);
            }
        }
    }
    while (!pairs_.empty()) {
        const auto [first, second] = pairs_.front();
        std::pop_heap(pairs_.begin(), pairs_.end(), later);
        pairs_.pop_back();
        const auto offset = std::find(grid_.pair_step.begin(), grid_.pair_step.end(), second - first);
        if (!decided_by(first, second, static_cast<int>(offset - grid_.pair_step.begin()), &step)) continue;
        step.tier = 2;
        step.clues = {first, second};
        return true;
    }
    return false;
}

// Return whether two clues decide cells when no single clue does, and add these to `step` unless it is null. `other` is
// at offset `d`. As `Closure::check_pair` explains, one of them needs as many more mines as it has cells of its own.
bool PathFinder::decided_by(Index clue, Index other, int d, PathStep* step) const {
    const unsigned own = grid_.mask[clue] & ~static_cast<unsigned>(kShift[d][grid_.mask[other]]);
    const unsigned others = grid_.mask[other] & ~static_cast<unsigned>(kShift[kPairs - 1 - d][grid_.mask[clue]]);
    if ((own | others) == 0 || own == grid_.mask[clue]) return false;
    const int excess = grid_.need[other] - grid_.need[clue];
    const bool other_has_mines = excess == popcount(others);
    if (!other_has_mines && -excess != popcount(own)) return false;
    if (step == nullptr) return true;
    for (unsigned bits = own; bits != 0; bits &= bits - 1)
        (other_has_mines ? step->safe : step->mines).push_back(clue + grid_.step[lowest_bit(bits)]);
    for (unsigned bits = others; bits != 0; bits &= bits - 1)
        (other_has_mines ? step->mines : step->safe).push_back(other + grid_.step[lowest_bit(bits)]);
    return true;
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
        for (Index cell = 0; cell < grid_.size(); ++cell)
            if (grid_.state[cell] == kOpen && grid_.mask[cell] != 0) found_[0].clues.push_back(cell);
        count = 1;
    }
    for (std::size_t i = 0; i < count; ++i) smallest_of(found_[i], step);
    if (!step.clues.empty() || !step.safe.empty() || !step.mines.empty()) return true;
    const auto first_cell = [](const Step& one) {
        const auto least = [](const auto& cells) {
            return cells.empty() ? std::numeric_limits<Index>::max() : *std::min_element(cells.begin(), cells.end());
        };
        return std::min(least(one.safe), least(one.mines));
    };
    const auto end = found_.begin() + static_cast<std::ptrdiff_t>(count);
    const auto first = std::min_element(found_.begin(), end, [&](const Step& one, const Step& other) {
        return first_cell(one) < first_cell(other);
    });
    minimal_of(*first, first_cell(*first), step);
    return true;
}

// Load the position of a found step: `cells` get its cells.
void PathFinder::set_position(Step& found, std::vector<Index>& cells) {
    std::sort(found.clues.begin(), found.clues.end());
    unconstrained_.clear();
    if (found.tier == 4) grid_.list_unconstrained(unconstrained_);
    reasons_.set_position(grid_, found.clues, unconstrained_, truth_);
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

// Put a minimal set of clues that forces `cell`, one of the found cells, into `step`.
void PathFinder::minimal_of(Step& found, Index cell, PathStep& step) {
    set_position(found, cells_);
    const auto distance = [&](int at) {
        const Index one = grid_.number(found.clues[static_cast<std::size_t>(at)]);
        const Index other = grid_.number(cell);
        return std::max(std::abs(one / grid_.cols - other / grid_.cols),
                        std::abs(one % grid_.cols - other % grid_.cols));
    };
    std::vector<int> order(found.clues.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int one, int other) { return distance(one) > distance(other); });
    reasons_.minimal(cell, found.tier == 4, order, set_);
    for (const int at : set_) step.clues.push_back(found.clues[static_cast<std::size_t>(at)]);
    step.smallest = false;
    add_forced(found.tier == 4, step);
}

// Set the cells of a step to those of cells_ that the clues of set_ force.
void PathFinder::add_forced(bool counted, PathStep& step) {
    step.safe.clear();
    step.mines.clear();
    reasons_.keep_forced(set_, counted, cells_);
    for (const Index cell : cells_) (truth_[cell] < 0 ? step.mines : step.safe).push_back(cell);
}

}  // namespace mines
