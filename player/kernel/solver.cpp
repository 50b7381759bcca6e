#include "solver.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace mines {
namespace {

// Makes the clue of a mine negative, whatever is counted around it.
constexpr int kNoClue = 100;
// Whose clues are counted at one time.
constexpr int kCellsAtOnce = 8192;

}  // namespace

void Solver::lay_out(const Puzzle& puzzle) {
    mines_ = std::accumulate(puzzle.mine.begin(), puzzle.mine.end(), 0);
    safe_cells_ = puzzle.rows * puzzle.cols - mines_;
    laid_out_ = false;
    rows_ = nullptr;
    if (!Rows::fit(puzzle)) {
        lay_out_cells(puzzle);
        return;
    }
    rows_ = puzzle.cols <= 16 ? static_cast<Rows*>(&narrow_) : puzzle.cols <= 32 ? static_cast<Rows*>(&middle_) : &wide_;
    rows_->lay_out(puzzle);
}

void Solver::lay_out_cells(const Puzzle& puzzle) {
    closure_.reset(puzzle.rows, puzzle.cols, mines_);
    lay_out_clues(puzzle);
}

// For a closure that has the size of the puzzle.
void Solver::lay_out_clues(const Puzzle& puzzle) {
    laid_out_ = true;
    const Grid& grid = closure_.grid();
    const auto stride = static_cast<std::size_t>(grid.stride);
    clues_.resize(grid.state.size());
    // As many rows at a time as the cache holds, and one above and below them.
    const int most = std::min(std::max(1, kCellsAtOnce / grid.stride), grid.rows);
    for (int first = 0; first < grid.rows; first += most) {
        const int last = std::min(first + most, grid.rows);
        const std::size_t size = static_cast<std::size_t>(last - first + 2) * stride;
        mined_.assign(size, 0);
        for (int row = std::max(first - 1, 0); row < std::min(last + 1, grid.rows); ++row)
            std::copy_n(puzzle.mine.data() + static_cast<std::ptrdiff_t>(row) * grid.cols, grid.cols,
                        mined_.data() + static_cast<std::size_t>(row - first + 1) * stride);
        threes_.resize(size);
        // Plain loops over pointers at hand, as compilers turn them into wide instructions.
        const std::int8_t* const mined = mined_.data();
        std::int8_t* const threes = threes_.data();
        std::int8_t* const clues = &clues_[grid.at(first, 0)] - stride;
        threes[0] = static_cast<std::int8_t>(mined[0] + mined[1]);
        for (std::size_t i = 1; i + 1 < size; ++i)
            threes[i] = static_cast<std::int8_t>(mined[i - 1] + mined[i] + mined[i + 1]);
        for (std::size_t i = stride; i + stride < size; ++i)
            clues[i] = static_cast<std::int8_t>(threes[i - stride] + threes[i] + threes[i + stride] - kNoClue * mined[i]);
    }
}

void Solver::solve(const Puzzle& puzzle, Solution& out) {
    lay_out(puzzle);
    kept_ = added_ = shared_ = 0;
    // The rows start with the first click.
    if (rows_ == nullptr) open_first(grid().from_number(puzzle.click));
    run(puzzle, out);
    take_changed();
}

void Solver::solve_changed(const Puzzle& before, const Puzzle& puzzle, Solution& out) {
    if (!Rows::fit(puzzle)) {
        solve(puzzle, out);
        return;
    }
    lay_out(puzzle);
    added_ = 0;
    shared_ = still_true(before, puzzle);
    if (shared_ > 0) {
        const Milestone& last = milestones_[shared_ - 1];
        closure_.know_as(last.known);
        lay_out_clues(puzzle);
        rows_->go_back(last.known.followed_);
        for (std::size_t i = 0; i < last.count; ++i) take(last.steps[i], out);
    }
    run(puzzle, out);
}

void Solver::take_changed() {
    for (std::size_t i = 0; i < added_; ++i) std::swap(milestones_[shared_ + i], milestones_[kept_ + i]);
    kept_ = shared_ + added_;
    added_ = 0;
}

// The number of milestones at which no clue was seen that has changed.
std::size_t Solver::still_true(const Puzzle& before, const Puzzle& puzzle) const {
    std::uint64_t changed[kMostInRows + 2] = {};
    for (std::size_t i = 0; i < puzzle.mine.size(); ++i) {
        if (before.mine[i] == puzzle.mine[i]) continue;
        const auto cols = static_cast<std::size_t>(puzzle.cols);
        const std::uint64_t cell = std::uint64_t{1} << i % cols;
        for (std::size_t r = i / cols; r < i / cols + 3; ++r) changed[r] |= cell | cell << 1 | cell >> 1;
    }
    const auto holds = [&](const Milestone& milestone) {
        std::uint64_t seen = 0;
        for (int r = 1; r <= puzzle.rows; ++r) seen |= changed[r] & milestone.known.followed_.open[r];
        return seen == 0;
    };
    std::size_t count = kept_;
    while (count > 0 && !holds(milestones_[count - 1])) --count;
    return count;
}

void Solver::keep_milestone(std::size_t count) {
    if (milestones_.size() == kept_ + added_) milestones_.emplace_back();
    Milestone& milestone = milestones_[kept_ + added_++];
    milestone.known = closure_.knowledge();
    if (milestone.steps.size() < count) milestone.steps.resize(count);
    std::copy_n(steps_.begin(), count, milestone.steps.begin());
    milestone.count = count;
}

// Decide what is left to decide.
void Solver::run(const Puzzle& puzzle, Solution& out) {
    out.verdict = Verdict::stuck;
    std::fill(out.steps, out.steps + 5, 0);
    out.hard_rounds.clear();
    out.unknown.clear();
    out.clues_at_once = -1;
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
    const int first = rows_ != nullptr ? rows_->first_opening() : opened_first_;
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
    const bool first = options_.count_clues && out.steps[3] + out.steps[4] == 0;
    if (first) {
        if (rows_ != nullptr) {
            rows_->look(seen_before_);
        } else {
            unknown_before_.clear();
            for (Index cell = 0; cell < grid().size(); ++cell)
                if (grid().state[cell] == kUnknown) unknown_before_.push_back(cell);
            opened_before_ = opened_;
        }
    }
    std::size_t count = 0;
    if (find_hard_steps(options_.stop_early ? clues_.data() : nullptr, count)) return false;
    if (count == 0) {
        if (closure_.any_wide()) out.verdict = Verdict::too_wide;
        return false;
    }
    if (options_.keep_hard_rounds) keep_round(count, out);
    if (options_.keep_milestones && rows_ != nullptr) keep_milestone(count);
    for (std::size_t i = 0; i < count; ++i) take(steps_[i], out);
    if (first) {
        steps_.swap(first_steps_);
        first_count_ = count;
    }
    return true;
}

// The first of steps_ are those of such a round; `clues`, and what is returned, are those of Closure::find_more_clues.
bool Solver::find_hard_steps(const std::int8_t* clues, std::size_t& count) {
    follow_rows();
    if (closure_.find_more_clues(steps_, count, clues)) return true;
    if (count == 0 && closure_.find_mine_count(steps_[0])) count = steps_[0].empty() ? 0 : 1;
    return false;
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
    const auto cols = static_cast<std::size_t>(grid().cols);
    std::vector<std::uint8_t> marks(static_cast<std::size_t>(grid().rows) * cols);
    for (int row = 0; row < grid().rows; ++row) {
        const auto state = grid().state.begin() + grid().at(row, 0);
        std::transform(state, state + grid().cols, marks.begin() + static_cast<std::ptrdiff_t>(row * cols),
                       [](auto known) { return static_cast<std::uint8_t>(known == kUnknown); });
    }
    return marks;
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

// Open what the first click opens, ring by ring.
void Solver::open_first(Index click) {
    opened_ = 0;
    const auto open = [this](Index cell) {
        know(cell);
        if (clues_[cell] == 0) next_zeros_.push_back(cell);
    };
    next_zeros_.clear();
    open(click);
    while (!next_zeros_.empty()) {
        zeros_.swap(next_zeros_);
        next_zeros_.clear();
        for (const Index zero : zeros_)
            for (unsigned bits = grid().mask[zero]; bits != 0; bits &= bits - 1)
                open(zero + grid().step[lowest_bit(bits)]);
    }
    opened_first_ = opened_;
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
