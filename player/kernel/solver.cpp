#include "solver.hpp"

#include <algorithm>

namespace mines {
namespace {

// Stands for a mine in clues_, and stays negative whatever is counted on top.
constexpr std::int8_t kNoClue = -100;

}  // namespace

void Solver::solve(int rows, int cols, const Layout& layout, Solution& out) {
    const auto mines = std::count(layout.mine.begin(), layout.mine.end(), 1);
    closure_.reset(rows, cols, static_cast<int>(mines));
    const Grid& grid = closure_.grid();
    clues_.assign(grid.state.size(), 0);
    claimed_mines_.assign(grid.state.size(), 0);
    const std::uint8_t* mine = layout.mine.data();
    for (int row = 0; row < rows; ++row) {
        for (Index i = grid.at(row, 0); i < grid.at(row, cols); ++i) {
            if (!*mine++) continue;
            clues_[i] = kNoClue;
            for (const int step : grid.step) ++clues_[i + step];
        }
    }
    out.verdict = Verdict::stuck;
    std::fill(out.steps, out.steps + 5, 0);
    out.hard_rounds.clear();
    opened_ = 0;
    open(grid.from_number(layout.click));
    first_opened_ = opened_;
    while (opened_ < rows * cols - mines && round(out)) {
    }
    out.opened = opened_;
    if (opened_ < rows * cols - mines) return;
    out.verdict = Verdict::solved;
    count_one_clue_steps(out);
}

void Solver::open(Index cell) {
    if (closure_.grid().state[cell] == kOpen) return;
    flood_.assign(1, cell);
    closure_.open(cell, clues_[cell]);
    ++opened_;
    while (!flood_.empty()) {
        const Index from = flood_.back();
        flood_.pop_back();
        if (clues_[from] != 0) continue;
        for (const int step : closure_.grid().step) {
            const std::uint8_t state = closure_.grid().state[from + step];
            if (state == kOpen || state == kWall) continue;
            closure_.open(from + step, clues_[from + step]);
            ++opened_;
            flood_.push_back(from + step);
        }
    }
}

void Solver::open_all(const Step& step) {
    for (const Index cell : step.safe) open(cell);
}

// One round at the easiest tier that yields anything. Returns false if none does.
bool Solver::round(Solution& out) {
    if (steps_.empty()) steps_.resize(1);
    closure_.one_clue(steps_[0]);
    if (steps_[0].empty()) closure_.two_clues(steps_[0]);
    if (!steps_[0].empty()) {
        note(steps_[0], out);
        open_all(steps_[0]);
        return true;
    }
    std::size_t count = 0;
    if (closure_.more_clues(steps_, count, options_.stop_early ? clues_.data() : nullptr)) return false;
    if (count == 0 && closure_.mine_count(steps_[0])) count = steps_[0].empty() ? 0 : 1;
    if (count == 0) {
        if (closure_.any_wide()) out.verdict = Verdict::undecided;
        return false;
    }
    for (std::size_t i = 0; i < count; ++i) note(steps_[i], out);
    if (options_.keep_hard_rounds) keep_round(count, out);
    for (std::size_t i = 0; i < count; ++i) open_all(steps_[i]);
    return true;
}

void Solver::note(const Step& step, Solution& out) {
    out.steps[step.tier] += static_cast<std::int64_t>(step.claims());
    if (step.tier > 1)
        for (const Index cell : step.mines) claimed_mines_[cell] = 1;
}

void Solver::keep_round(std::size_t count, Solution& out) const {
    out.hard_rounds.emplace_back();
    HardRound& kept = out.hard_rounds.back();
    kept.steps.assign(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(count));
    const Grid& grid = closure_.grid();
    kept.unknown.assign((static_cast<std::size_t>(grid.rows) * grid.cols + 7) / 8, 0);
    const auto mark = [&](Index number) { kept.unknown[number / 8] |= static_cast<std::uint8_t>(0x80 >> number % 8); };
    Index number = 0;
    for (int row = 0; row < grid.rows; ++row) {
        const std::uint8_t* const state = &grid.state[grid.at(row, 0)];
        for (int col = 0; col < grid.cols; ++col, ++number)
            if (state[col] == kUnknown) mark(number);
    }
    for (const Step& step : kept.steps) {
        for (const Index cell : step.safe) mark(grid.number(cell));
        for (const Index cell : step.mines) mark(grid.number(cell));
    }
}

// Which cells tier 1 decides does not depend on the order of its deductions, but when a puzzle is solved some mines may not
// be claimed yet: every mine that an open clue sees counts.
void Solver::count_one_clue_steps(Solution& out) const {
    const Grid& grid = closure_.grid();
    std::int64_t decided = opened_ - first_opened_;
    for (int row = 0; row < grid.rows; ++row) {
        for (int col = 0; col < grid.cols; ++col) {
            const Index cell = grid.at(row, col);
            if (clues_[cell] >= 0) continue;
            const bool seen = std::any_of(grid.step.begin(), grid.step.end(),
                                          [&](int step) { return grid.state[cell + step] == kOpen; });
            decided += seen || claimed_mines_[cell];
        }
    }
    out.steps[1] = decided - out.steps[2] - out.steps[3] - out.steps[4];
}

}  // namespace mines
