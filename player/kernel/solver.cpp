#include "solver.hpp"

#include <algorithm>
#include <utility>

namespace mines {
namespace {

// Stands for a mine in clues_, and stays negative whatever is counted on top.
constexpr std::int8_t kNoClue = -100;

void mark(std::vector<std::uint8_t>& bits, Index number) {
    bits[number / 8] |= static_cast<std::uint8_t>(0x80 >> number % 8);
}

}  // namespace

void Solver::lay_out(const Puzzle& puzzle) {
    mines_ = static_cast<int>(std::count(puzzle.mine.begin(), puzzle.mine.end(), 1));
    closure_.reset(puzzle.rows, puzzle.cols, mines_);
    opened_ = 0;
    const Grid& grid = closure_.grid();
    clues_.assign(grid.state.size(), 0);
    const std::uint8_t* mine = puzzle.mine.data();
    for (int row = 0; row < grid.rows; ++row) {
        for (Index i = grid.at(row, 0); i < grid.at(row, grid.cols); ++i) {
            if (!*mine++) continue;
            clues_[i] = kNoClue;
            for (const int step : grid.step) ++clues_[i + step];
        }
    }
}

void Solver::solve(const Puzzle& puzzle, Solution& out) {
    lay_out(puzzle);
    const int safe_cells = puzzle.rows * puzzle.cols - mines_;
    const Index click = grid().from_number(puzzle.click);
    out.verdict = Verdict::stuck;
    std::fill(out.steps, out.steps + 5, 0);
    out.hard_rounds.clear();
    out.unknown.clear();
    out.clues_at_once = -1;
    know(click);
    do {
        opened_ += closure_.one_clue_opening(clues_.data());
    } while (opened_ < safe_cells && hard_round(out));
    out.opened = opened_;
    if (opened_ < safe_cells) {
        if (!options_.stop_early) out.unknown = unknown();
        return;
    }
    out.verdict = Verdict::solved;
    count_one_clue_steps(click, out);
    if (options_.count_clues) out.clues_at_once = clues_at_once(out);
}

// One round at the easiest tier above one clue that yields anything. Returns false if none does.
bool Solver::hard_round(Solution& out) {
    closure_.two_clues(steps_[0]);
    if (!steps_[0].empty()) {
        take(steps_[0], out);
        return true;
    }
    if (options_.count_clues && out.steps[3] + out.steps[4] == 0) {
        before_.know_as(closure_);
        opened_before_ = opened_;
    }
    std::size_t count = 0;
    if (closure_.more_clues(steps_, count, options_.stop_early ? clues_.data() : nullptr)) return false;
    if (count == 0 && closure_.mine_count(steps_[0])) count = steps_[0].empty() ? 0 : 1;
    if (count == 0) {
        if (closure_.any_wide()) out.verdict = Verdict::undecided;
        return false;
    }
    if (options_.keep_hard_rounds) keep_round(count, out);
    for (std::size_t i = 0; i < count; ++i) take(steps_[i], out);
    return true;
}

void Solver::take(const Step& step, Solution& out) {
    out.steps[step.tier] += static_cast<std::int64_t>(step.claims());
    for (const Index cell : step.safe) know(cell);
}

std::vector<std::uint8_t> Solver::unknown() const {
    std::vector<std::uint8_t> bits((static_cast<std::size_t>(grid().rows) * grid().cols + 7) / 8, 0);
    Index number = 0;
    for (int row = 0; row < grid().rows; ++row) {
        const std::uint8_t* const state = &grid().state[grid().at(row, 0)];
        for (int col = 0; col < grid().cols; ++col, ++number)
            if (state[col] == kUnknown) mark(bits, number);
    }
    return bits;
}

void Solver::keep_round(std::size_t count, Solution& out) const {
    HardRound kept{{steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(count)}, unknown()};
    for (const Step& step : kept.steps) {
        for (const Index cell : step.safe) mark(kept.unknown, grid().number(cell));
        for (const Index cell : step.mines) mark(kept.unknown, grid().number(cell));
    }
    out.hard_rounds.push_back(std::move(kept));
}

// Take note that a cell was decided, and open it if it is safe.
void Solver::know(Index cell) {
    if (clues_[cell] < 0) {
        closure_.settle(cell, true);
        return;
    }
    closure_.open(cell, clues_[cell]);
    ++opened_;
}

// The number of cells that the first click opens.
int Solver::first_opening(Index click) {
    reached_.assign(clues_.size(), 0);
    reached_[click] = 1;
    flood_.assign(1, click);
    for (std::size_t at = 0; at < flood_.size(); ++at) {
        const Index from = flood_[at];
        if (clues_[from] != 0) continue;
        for (const int step : grid().step) {
            if (grid().state[from + step] == kWall || reached_[from + step]) continue;
            reached_[from + step] = 1;
            flood_.push_back(from + step);
        }
    }
    return static_cast<int>(flood_.size());
}

// What tier 1 decides does not depend on the order of its deductions, but when a puzzle is solved some mines may not be
// claimed yet: every mine that an open clue sees counts.
void Solver::count_one_clue_steps(Index click, Solution& out) {
    std::int64_t decided = opened_ - first_opening(click);
    for (int row = 0; row < grid().rows; ++row) {
        for (Index cell = grid().at(row, 0); cell < grid().at(row, grid().cols); ++cell) {
            if (clues_[cell] >= 0) continue;
            decided += grid().state[cell] == kMine ||
                       std::any_of(grid().step.begin(), grid().step.end(),
                                   [&](int step) { return grid().state[cell + step] == kOpen; });
        }
    }
    out.steps[1] = decided - out.steps[2] - out.steps[3] - out.steps[4];
}

}  // namespace mines
