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
    safe_cells_ = puzzle.rows * puzzle.cols - mines_;
    laid_out_ = false;
    rows_ = nullptr;
    if (!Rows::fit(puzzle)) {
        lay_out_cells(puzzle);
        return;
    }
    rows_ = puzzle.cols <= 32 ? static_cast<Rows*>(&narrow_) : &wide_;
    rows_->lay_out(puzzle);
}

void Solver::lay_out_cells(const Puzzle& puzzle) {
    laid_out_ = true;
    closure_.reset(puzzle.rows, puzzle.cols, mines_);
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
    out.verdict = Verdict::stuck;
    std::fill(out.steps, out.steps + 5, 0);
    out.hard_rounds.clear();
    out.unknown.clear();
    out.clues_at_once = -1;
    opened_ = 0;
    // The rows start with the first click.
    if (rows_ == nullptr) know(grid().from_number(puzzle.click));
    bool solved = false;
    do {
        solved = one_clue();
        if (solved) break;
        if (const int decided = two_clues()) {
            out.steps[2] += decided;
            continue;
        }
        if (!laid_out_) lay_out_cells(puzzle);
        if (!hard_round(out)) break;
    } while (true);
    out.opened = rows_ != nullptr ? rows_->opened() : opened_;
    if (!solved) {
        if (!options_.stop_early) out.unknown = unknown();
        return;
    }
    out.verdict = Verdict::solved;
    // What tier 1 decides does not depend on the order of its deductions, but when a puzzle is solved some mines may not
    // be claimed yet: every mine that an open clue sees counts.
    const int first = rows_ != nullptr ? rows_->first_opening() : first_opening(grid().from_number(puzzle.click));
    out.steps[1] = out.opened - first + mines_seen() - out.steps[2] - out.steps[3] - out.steps[4];
    if (options_.count_clues) out.clues_at_once = clues_at_once(out);
}

// All that tier 1 decides. Returns whether every safe cell is open.
bool Solver::one_clue() {
    if (rows_ != nullptr) {
        rows_->one_clue();
        return rows_->all_open();
    }
    opened_ += closure_.one_clue_opening(clues_.data());
    return opened_ == safe_cells_;
}

// One round at tier 2. Returns how many cells were decided.
int Solver::two_clues() {
    if (rows_ != nullptr) return rows_->two_clues();
    closure_.two_clues(steps_[0]);
    for (const Index cell : steps_[0].safe) know(cell);
    return static_cast<int>(steps_[0].claims());
}

// One round at the easiest tier above two clues that yields anything. Returns false if none does.
bool Solver::hard_round(Solution& out) {
    if (options_.count_clues && out.steps[3] + out.steps[4] == 0) {
        if (rows_ != nullptr) {
            rows_->keep();
        } else {
            before_.know_as(closure_);
            opened_before_ = opened_;
        }
    }
    follow_rows();
    std::size_t count = 0;
    if (closure_.find_more_clues(steps_, count, options_.stop_early ? clues_.data() : nullptr)) return false;
    if (count == 0 && closure_.find_mine_count(steps_[0])) count = steps_[0].empty() ? 0 : 1;
    if (count == 0) {
        if (closure_.any_wide()) out.verdict = Verdict::undecided;
        return false;
    }
    if (options_.keep_hard_rounds) keep_round(count, out);
    for (std::size_t i = 0; i < count; ++i) take(steps_[i], out);
    return true;
}

void Solver::follow_rows() {
    if (rows_ == nullptr) return;
    rows_->look(seen_);
    closure_.follow(seen_, clues_.data());
}

void Solver::take(const Step& step, Solution& out) {
    out.steps[step.tier] += static_cast<std::int64_t>(step.claims());
    for (const Index cell : step.mines) know(cell);
    for (const Index cell : step.safe) know(cell);
}

std::vector<std::uint8_t> Solver::unknown() const {
    const int rows = grid().rows;
    const int cols = grid().cols;
    std::vector<std::uint8_t> bits((static_cast<std::size_t>(rows) * cols + 7) / 8, 0);
    Index number = 0;
    for (int row = 0; row < rows; ++row) {
        const std::uint8_t* const state = &grid().state[grid().at(row, 0)];
        for (int col = 0; col < cols; ++col, ++number)
            if (state[col] == kUnknown) mark(bits, number);
    }
    return bits;
}

void Solver::keep_round(std::size_t count, Solution& out) const {
    out.hard_rounds.push_back({{steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(count)}, unknown()});
}

// Take note that a cell was decided, and open it if it is safe.
void Solver::know(Index cell) {
    if (rows_ != nullptr) {
        const Index number = grid().number(cell);
        rows_->know(number / grid().cols, number % grid().cols);
        return;
    }
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

// The mines that are known, or that an open clue sees.
int Solver::mines_seen() const {
    if (rows_ != nullptr) return rows_->mines_seen();
    int seen = 0;
    for (int row = 0; row < grid().rows; ++row) {
        for (Index cell = grid().at(row, 0); cell < grid().at(row, grid().cols); ++cell) {
            if (clues_[cell] >= 0) continue;
            seen += grid().state[cell] == kMine ||
                    std::any_of(grid().step.begin(), grid().step.end(),
                                [&](int step) { return grid().state[cell + step] == kOpen; });
        }
    }
    return seen;
}

}  // namespace mines
