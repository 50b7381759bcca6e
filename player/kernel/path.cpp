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

constexpr std::size_t word_of(Index cell) { return static_cast<std::size_t>(cell) / 64; }
constexpr std::uint64_t bit_of(Index cell) { return std::uint64_t{1} << cell % 64; }

}  // namespace

void PathFinder::find(const Puzzle& puzzle, Path& out) {
    const int mines = std::accumulate(puzzle.mine.begin(), puzzle.mine.end(), 0);
    closure_.reset(puzzle.rows, puzzle.cols, mines);
    load(puzzle.mine);
    opens_ = true;
    safe_left_ = puzzle.rows * puzzle.cols - mines;
    reveal(grid().from_number(puzzle.click));
    run(out);
}

void PathFinder::find(const Closure& view, const std::vector<std::uint8_t>& layout, Path& out) {
    closure_.assign(view);
    load(layout);
    opens_ = false;
    safe_left_ = -1;
    for (Index cell = 0; cell < grid().size(); ++cell) touch(cell);
    run(out);
}

// Load the clue of every cell of a layout with one byte for each cell, and forget what was changed.
void PathFinder::load(const std::vector<std::uint8_t>& mine) {
    truth_.assign(grid().state.size(), 0);
    Index number = 0;
    for (int row = 0; row < grid().rows; ++row) {
        for (Index cell = grid().at(row, 0); cell < grid().at(row, grid().cols); ++cell, ++number) {
            if (mine[static_cast<std::size_t>(number)] == 0) continue;
            truth_[cell] = static_cast<std::int8_t>(truth_[cell] + kMineHere);
            for (const int step : grid().step) ++truth_[cell + step];
        }
    }
    ready_.assign(grid().state.size() / 64 + 1, 0);
    first_ready_ = 0;
    changed_.clear();
    is_changed_.assign(grid().state.size(), 0);
    pairs_.clear();
}

void PathFinder::run(Path& out) {
    out.verdict = Verdict::stuck;
    out.steps.clear();
    while (safe_left_ != 0) {
        check_interrupt_now();
        PathStep step;
        if (!one_clue(step) && !two_clues(step) && !hard_step(step)) {
            if (closure_.any_wide()) out.verdict = Verdict::too_wide;
            return;
        }
        for (std::vector<Index>* const cells : {&step.safe, &step.mines, &step.clues})
            std::sort(cells->begin(), cells->end());
        for (const Index cell : step.mines) reveal(cell);
        for (const Index cell : step.safe) reveal(cell);
        for (std::vector<Index>* const cells : {&step.safe, &step.mines, &step.clues})
            for (Index& cell : *cells) cell = grid().number(cell);
        out.steps.push_back(std::move(step));
    }
    out.verdict = Verdict::solved;
}

// Note that a clue may have changed.
void PathFinder::touch(Index clue) {
    if (grid().state[clue] != kOpen) return;
    const int unknown = popcount(grid().mask[clue]);
    const int need = grid().need[clue];
    std::uint64_t& word = ready_[word_of(clue)];
    if (unknown != 0 && (need == 0 || need == unknown)) {
        word |= bit_of(clue);
        first_ready_ = std::min(first_ready_, word_of(clue));
    } else {
        word &= ~bit_of(clue);
    }
    if (is_changed_[clue] != 0) return;
    is_changed_[clue] = 1;
    changed_.push_back(clue);
}

// Mark a mine or a safe cell as known, and open a safe cell with its opening.
void PathFinder::reveal(Index cell) {
    if (grid().state[cell] != kUnknown) return;  // opened with an opening
    if (truth_[cell] < 0 || !opens_) {
        closure_.mark(cell, truth_[cell] < 0);
        for (const int step : grid().step) touch(cell + step);
        return;
    }
    zeros_.assign(1, cell);
    while (!zeros_.empty()) {
        const Index next = zeros_.back();
        zeros_.pop_back();
        if (grid().state[next] != kUnknown) continue;
        closure_.open(next, truth_[next]);
        --safe_left_;
        touch(next);
        for (const int step : grid().step) {
            touch(next + step);
            if (truth_[next] == 0 && grid().state[next + step] == kUnknown) zeros_.push_back(next + step);
        }
    }
}

bool PathFinder::one_clue(PathStep& step) {
    while (first_ready_ < ready_.size() && ready_[first_ready_] == 0) ++first_ready_;
    if (first_ready_ == ready_.size()) return false;
    const Index clue = static_cast<Index>(64 * first_ready_) + lowest_bit(ready_[first_ready_]);
    step.tier = 1;
    step.clues.push_back(clue);
    auto& cells = grid().need[clue] == 0 ? step.safe : step.mines;
    for (unsigned bits = grid().mask[clue]; bits != 0; bits &= bits - 1)
        cells.push_back(clue + grid().step[lowest_bit(bits)]);
    return true;
}

// Find the pair of the first two clues that decide cells, when no single clue does.
bool PathFinder::two_clues(PathStep& step) {
    const auto later = std::greater<>();
    for (const Index clue : changed_) {
        is_changed_[clue] = 0;
        const unsigned mask = grid().mask[clue];
        if (mask == 0) continue;
        for (int d = 0; d < kPairs; ++d) {
            const Index other = clue + grid().pair_step[d];
            if ((mask & kShift[d][grid().mask[other]]) == 0 || grid().state[other] != kOpen) continue;
            if (!decided_by(clue, other, d, nullptr)) continue;
            pairs_.emplace_back(std::minmax(clue, other));
            std::push_heap(pairs_.begin(), pairs_.end(), later);
        }
    }
    changed_.clear();
    while (!pairs_.empty()) {
        const auto [first, second] = pairs_.front();
        std::pop_heap(pairs_.begin(), pairs_.end(), later);
        pairs_.pop_back();
        const auto offset = std::find(grid().pair_step.begin(), grid().pair_step.end(), second - first);
        if (!decided_by(first, second, static_cast<int>(offset - grid().pair_step.begin()), &step)) continue;
        step.tier = 2;
        step.clues = {first, second};
        return true;
    }
    return false;
}

// Return whether two clues decide cells when no single clue does, and add these to `step` unless it is null. `other` is
// at offset `d`. As `Closure::check_pair` explains, one of them needs as many more mines as it has cells of its own.
bool PathFinder::decided_by(Index clue, Index other, int d, PathStep* step) const {
    const unsigned own = grid().mask[clue] & ~static_cast<unsigned>(kShift[d][grid().mask[other]]);
    const unsigned others = grid().mask[other] & ~static_cast<unsigned>(kShift[kPairs - 1 - d][grid().mask[clue]]);
    if ((own | others) == 0 || own == grid().mask[clue]) return false;
    const int excess = grid().need[other] - grid().need[clue];
    const bool other_has_mines = excess == popcount(others);
    if (!other_has_mines && -excess != popcount(own)) return false;
    if (step == nullptr) return true;
    for (unsigned bits = own; bits != 0; bits &= bits - 1)
        (other_has_mines ? step->safe : step->mines).push_back(clue + grid().step[lowest_bit(bits)]);
    for (unsigned bits = others; bits != 0; bits &= bits - 1)
        (other_has_mines ? step->mines : step->safe).push_back(other + grid().step[lowest_bit(bits)]);
    return true;
}

// Find the easiest step of more than two clues, or else with the mine count.
bool PathFinder::hard_step(PathStep& step) {
    // These decide nothing, but note what changed.
    closure_.one_clue(scratch_);
    closure_.two_clues(scratch_);
    std::size_t count = 0;
    closure_.find_more_clues(found_, count, nullptr);
    if (closure_.any_wide()) return false;
    step.tier = 3;
    if (count == 0) {
        step.tier = 4;
        if (!closure_.find_mine_count(found_[0]) || found_[0].empty()) return false;
        for (Index cell = 0; cell < grid().size(); ++cell)
            if (grid().state[cell] == kOpen && grid().mask[cell] != 0) found_[0].clues.push_back(cell);
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
    if (found.tier == 4) grid().list_unconstrained(unconstrained_);
    reasons_.set_position(grid(), found.clues, unconstrained_, truth_);
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
        const Index one = grid().number(found.clues[static_cast<std::size_t>(at)]);
        const Index other = grid().number(cell);
        return std::max(std::abs(one / grid().cols - other / grid().cols),
                        std::abs(one % grid().cols - other % grid().cols));
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
