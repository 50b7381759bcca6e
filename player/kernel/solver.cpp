#include "solver.hpp"

#include <algorithm>

namespace mines {
namespace {

// Stands for a mine in clues_, and stays negative whatever is counted on top.
constexpr std::int8_t kNoClue = -100;

}  // namespace

void Solver::solve(int rows, int cols, const Layout& layout, bool keep_moments, Solution& out) {
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
    out.moments.clear();
    opened_ = 0;
    open(grid.from_number(layout.click));
    first_opened_ = opened_;
    while (opened_ < rows * cols - mines && round(keep_moments, out)) {
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
bool Solver::round(bool keep_moments, Solution& out) {
    if (steps_.empty()) steps_.resize(1);
    closure_.one_clue(steps_[0]);
    if (steps_[0].empty()) closure_.two_clues(steps_[0]);
    if (!steps_[0].empty()) {
        note(steps_[0], false, out);
        open_all(steps_[0]);
        return true;
    }
    if (keep_moments) before_ = closure_.grid().state;
    std::size_t count = 0;
    closure_.more_clues(steps_, count);
    if (count == 0 && closure_.mine_count(steps_[0])) count = steps_[0].empty() ? 0 : 1;
    if (count == 0) {
        if (closure_.any_wide()) out.verdict = Verdict::undecided;
        return false;
    }
    for (std::size_t i = 0; i < count; ++i) note(steps_[i], keep_moments, out);
    for (std::size_t i = 0; i < count; ++i) open_all(steps_[i]);
    return true;
}

void Solver::note(const Step& step, bool keep_moments, Solution& out) {
    out.steps[step.tier] += static_cast<std::int64_t>(step.claims());
    if (step.tier > 1)
        for (const Index cell : step.mines) claimed_mines_[cell] = 1;
    if (!keep_moments) return;
    out.moments.push_back({step, {}});
    const Grid& grid = closure_.grid();
    std::vector<std::uint8_t>& state = out.moments.back().state;
    state.reserve(static_cast<std::size_t>(grid.rows) * grid.cols);
    for (int row = 0; row < grid.rows; ++row)
        state.insert(state.end(), before_.begin() + grid.at(row, 0), before_.begin() + grid.at(row, 0) + grid.cols);
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
