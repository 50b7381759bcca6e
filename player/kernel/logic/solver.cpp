#include "logic/solver.hpp"

#include <algorithm>
#include <numeric>

#include "base/clues.hpp"

namespace mines {

void Solver::load(const Puzzle& puzzle) {
    mines_ = std::accumulate(puzzle.mine.begin(), puzzle.mine.end(), 0);
    safe_cells_ = puzzle.grid->cell_count() - mines_;
    closure_loaded_ = false;
    if (grid_ != puzzle.grid) {
        grid_ = puzzle.grid;
        bitboard_ = new_bitboard(*grid_);
    }
    if (bitboard_ == nullptr) {
        load_closure(puzzle);
        open_first(field().from_number(puzzle.click));
        return;
    }
    // The bitboard opens the first click itself.
    bitboard_->load(puzzle);
}

void Solver::load_closure(const Puzzle& puzzle) {
    closure_.reset(puzzle.grid, mines_);
    closure_loaded_ = true;
    add_border(field(), puzzle.mine.data(), mine_);
    count_clues(field(), mine_, clues_);
}

bool Solver::start(const Puzzle& puzzle) {
    load(puzzle);
    return deduce(puzzle, played_);
}

bool Solver::open(const Puzzle& puzzle, Index cell) {
    reveal(cell);
    return deduce(puzzle, played_);
}

const Field& Solver::position() {
    if (bitboard_ != nullptr) closure_.update_unknown();
    return field();
}

void Solver::solve(const Puzzle& puzzle, Solution& out) {
    load(puzzle);
    out.verdict = Verdict::stuck;
    std::fill(out.steps, out.steps + 5, 0);
    out.unknown.clear();
    out.clues_at_once = -1;
    const bool solved = deduce(puzzle, out);
    out.opened = opened();
    if (!solved) {
        if ((options_ & kStopEarly) != 0) return;
        out.unknown.resize(puzzle.mine.size());
        field().mark_cells(kUnknown, out.unknown.data());
        return;
    }
    out.verdict = Verdict::solved;
    // The cells that tier 1 decides do not depend on the order of deductions, but some mines may be unmarked when the
    // puzzle is solved: count every mine next to an open cell.
    const int first = bitboard_ != nullptr ? bitboard_->first_opening() : opened_first_;
    out.steps[1] = out.opened - first + mines_seen() - out.steps[2] - out.steps[3] - out.steps[4];
    if ((options_ & kCountClues) != 0) out.clues_at_once = clues_at_once(puzzle, out);
}

// Decide cells until every safe cell is open (returns true) or nothing follows.
bool Solver::deduce(const Puzzle& puzzle, Solution& out) {
    while (!one_clue()) {
        if (const int decided = two_clues()) {
            out.steps[2] += decided;
            continue;
        }
        if (!closure_loaded_) load_closure(puzzle);
        if (!hard_round(out)) return false;
    }
    return true;
}

// Apply tier 1. Returns whether every safe cell is open.
bool Solver::one_clue() {
    if (bitboard_ != nullptr) {
        bitboard_->one_clue();
        return bitboard_->all_open();
    }
    opened_ += closure_.apply_single_clues_opening(clues_.data());
    return opened_ == safe_cells_;
}

// Run one round of tier 2. Returns the number of cells decided.
int Solver::two_clues() {
    if (bitboard_ != nullptr) return bitboard_->two_clues();
    closure_.two_clues(steps_[0]);
    for (const Index cell : steps_[0].safe) reveal(cell);
    return static_cast<int>(steps_[0].cell_count());
}

// Run one round of the easiest tier above two clues that decides anything. Returns false if none does.
bool Solver::hard_round(Solution& out) {
    const bool first = bitboard_ != nullptr && (options_ & kCountClues) != 0 && out.steps[3] + out.steps[4] == 0;
    if (first) bitboard_->snapshot(seen_before_);
    std::size_t count = 0;
    if (find_hard_steps((options_ & kStopEarly) != 0 ? clues_.data() : nullptr, count)) return false;
    if (count == 0) {
        if (closure_.any_wide()) out.verdict = Verdict::too_wide;
        return false;
    }
    for (std::size_t i = 0; i < count; ++i) apply(steps_[i], out);
    if (first) {
        steps_.swap(first_steps_);
        first_count_ = count;
    }
    return true;
}

// Fill the first `count` of steps_ with such a round. `clues` and the result are those of Closure::find_more_clues.
bool Solver::find_hard_steps(const std::int8_t* clues, std::size_t& count) {
    sync_closure();
    if (closure_.find_more_clues(steps_, count, clues)) return true;
    if (count == 0 && closure_.find_mine_count(steps_[0])) count = steps_[0].empty() ? 0 : 1;
    return false;
}

void Solver::sync_closure() {
    if (bitboard_ == nullptr) return;
    bitboard_->snapshot(seen_);
    closure_.update_from(seen_, clues_.data());
}

void Solver::apply(const Step& step, Solution& out) {
    out.steps[step.tier] += static_cast<std::int64_t>(step.cell_count());
    for (const Index cell : step.mines) reveal(cell);
    for (const Index cell : step.safe) reveal(cell);
}

// Mark a mine, or open a safe cell.
void Solver::reveal(Index cell) {
    if (bitboard_ != nullptr) {
        const Index number = field().number(cell);
        bitboard_->reveal(number / field().cols, number % field().cols);
        return;
    }
    if (clues_[cell] < 0) {
        closure_.mark(cell, true);
        return;
    }
    closure_.open(cell, clues_[cell]);
    ++opened_;
}

// Open the cells that the first click opens.
void Solver::open_first(Index click) {
    opened_ = 0;
    const auto open = [this](Index cell) {
        if (field().state[cell] >= kOpen) return -1;
        reveal(cell);
        return int{clues_[cell]};
    };
    flood(click, zeros_, open, [this](Index zero, auto visit) {
        for (const int step : field().steps(zero)) visit(zero + step);
    });
    opened_first_ = opened_;
}

// Count the mines that are known or next to an open cell.
int Solver::mines_seen() const {
    if (bitboard_ != nullptr) return bitboard_->mines_seen();
    int seen = 0;
    field().each_cell([&](Index, Index cell) {
        const auto is_open = [&](int step) { return field().state[cell + step] == kOpen; };
        if (clues_[cell] >= 0) return;
        const Steps& steps = field().steps(cell);
        seen += field().state[cell] == kMine || std::any_of(steps.begin(), steps.end(), is_open);
    });
    return seen;
}

}  // namespace mines
