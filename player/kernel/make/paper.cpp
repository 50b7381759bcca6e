#include "make/paper.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>

#include "base/clues.hpp"
#include "base/interrupt.hpp"
#include "base/random.hpp"
#include "make/puzzle_ids.hpp"

namespace mines {

// Close a view. Returns whether every cell is known, apart from mines that only the mine count decides.
bool PaperMaker::decides_all(Closure& closure, bool easy, std::array<std::int64_t, 5>* steps) {
    if (easy) {
        closure.apply_few_clues();
        return closure.field().unknown_left == buried_;
    }
    for (std::size_t count = 1; count > 0;) {
        if (closure.next_round(steps_, count, options_.counted) != Fit::ok) return false;
        for (std::size_t i = 0; steps != nullptr && i < count; ++i)
            (*steps)[steps_[i].tier] += static_cast<std::int64_t>(steps_[i].cell_count());
    }
    return closure.field().unknown_left == (options_.counted ? 0 : buried_);
}

// Take back every clue of a part of tried_ that is not needed beside the clues that the closure of this depth knows:
// all that are revealed outside this part. Halving the part shares their deductions, and drops many clues at once.
void PaperMaker::take_back(std::size_t first, std::size_t last, std::size_t depth) {
    check_interrupt();
    if (decides_all(closures_[depth], options_.easy)) {
        std::fill(&tried_[first], &tried_[first] + (last - first), -1);
        return;
    }
    if (last - first == 1) return;
    const std::size_t middle = first + (last - first) / 2;
    if (closures_.size() == depth + 1) closures_.emplace_back();
    // The clues tried first are those of the second half, so the first half is revealed meanwhile.
    const std::array<std::size_t, 4> halves[] = {{middle, last, first, middle}, {first, middle, middle, last}};
    for (const auto& [from, to, begin, end] : halves) {
        Closure& closure = closures_[depth + 1];
        closure.assign(closures_[depth]);
        for (std::size_t i = begin; i < end; ++i)
            if (tried_[i] >= 0) closure.open(tried_[i], truth_[tried_[i]]);
        take_back(from, to, depth + 1);
    }
}

void PaperMaker::make(const Puzzle& puzzle, PaperForm& out) {
    const int mines = std::accumulate(puzzle.mine.begin(), puzzle.mine.end(), 0);
    Closure& start = closures_[0];
    start.reset(puzzle.grid, mines);
    const Field& field = start.field();
    add_border(field, puzzle.mine.data(), mine_);
    count_clues(field, mine_, truth_);
    buried_ = 0;
    field.each_cell([&](Index, Index cell) {
        const auto is_safe = [&](int step) { return field.state[cell + step] != kWall && truth_[cell + step] >= 0; };
        const Steps& steps = field.steps(cell);
        buried_ += truth_[cell] < 0 && std::none_of(steps.begin(), steps.end(), is_safe);
    });
    out = {};
    out.cells.assign(puzzle.mine.size(), -1);
    const auto show = [&](Index cell) { out.cells[field.number(cell)] = truth_[cell]; };
    const auto open = [&](Index cell) {
        if (field.state[cell] >= kOpen) return -1;
        start.open(cell, truth_[cell]);
        show(cell);
        return int{truth_[cell]};
    };
    flood(field.from_number(puzzle.click), zeros_, open, [&](Index zero, auto visit) {
        for (const int step : field.steps(zero)) visit(zero + step);
    });
    tried_.clear();
    field.each_cell([&](Index, Index cell) {
        if (field.state[cell] != kOpen && truth_[cell] >= 0) tried_.push_back(cell);
    });
    RandomWords words(std::stoull(puzzle_ids(puzzle).id.substr(0, 16), nullptr, 16), 0);
    for (std::size_t i = tried_.size(); i > 1; --i) std::swap(tried_[i - 1], tried_[words.below(i)]);
    const std::vector<Index> all = tried_;
    if (!tried_.empty()) take_back(0, tried_.size(), 0);
    int more = options_.more;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (tried_[i] < 0 && more-- <= 0) continue;
        tried_[i] = all[i];
        show(all[i]);
        ++out.revealed;
    }
    start.reset(puzzle.grid, mines);
    field.each_cell([&](Index number, Index cell) {
        if (out.cells[number] >= 0) start.open(cell, out.cells[number]);
    });
    // Each clue was taken back because the others decide every cell, so these do.
    out.complete = options_.counted || buried_ == 0;
    // Cells of components too wide to enumerate all at once.
    if (out.complete && !decides_all(start, false, &out.steps)) out.steps[3] += field.unknown_left;
}

}  // namespace mines
