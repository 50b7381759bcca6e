// Plays a board from its first click by closure alone, and says how far that gets, and what it takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "closure.hpp"
#include "reasons.hpp"
#include "rows.hpp"
#include "sampling.hpp"

namespace mines {

enum class Verdict : std::uint8_t {
    solved,     // every safe cell was opened
    stuck,      // nothing more follows
    too_wide,  // a component is too wide to enumerate
};

// A round at tier 3 or 4, and the cells that were not known before it: one byte a cell, row by row, 1 for those.
struct HardRound {
    std::vector<Step> steps;
    std::vector<std::uint8_t> unknown;
};

struct Solution {
    Verdict verdict = Verdict::stuck;
    int opened = 0;              // safe cells
    std::int64_t steps[5] = {};  // cells decided at each tier; tier 1 for solved boards only
    int clues_at_once = -1;      // if asked for and solved: what player/measure/effort.py says; -1 if too hard to tell
    std::vector<HardRound> hard_rounds;
    std::vector<std::uint8_t> unknown;  // the cells that are not known at the end, likewise; none if it is solved
};

struct SolverOptions {
    bool stop_early = false;        // as soon as it is clear that the puzzle is not solvable
    bool keep_hard_rounds = false;  // fill Solution::hard_rounds
    bool count_clues = false;       // fill Solution::clues_at_once
    bool keep_milestones = false;   // for Solver::solve_changed
};

// What was known when the easier tiers gave nothing, and what a hard round decided then.
struct Milestone {
    Knowledge known;
    std::vector<Step> steps;
    std::size_t count = 0;  // so many of the steps are used
};

class Solver {
  public:
    explicit Solver(SolverOptions options) : options_(options) {}

    // Solve a puzzle, whose click must be safe.
    void solve(const Puzzle& puzzle, Solution& out);

    // Solve a puzzle of the same size, mines and click as the one last solved or taken, `before`, and fill the verdict
    // and the unknown cells. What logic says up to the first clue that differs stays true, so it starts there.
    void solve_changed(const Puzzle& before, const Puzzle& puzzle, Solution& out);
    // Go on from the puzzle that was changed: it is `before` from now on.
    void take_changed();

  private:
    const Grid& grid() const { return closure_.grid(); }
    void lay_out(const Puzzle& puzzle);
    void lay_out_cells(const Puzzle& puzzle);
    void lay_out_clues(const Puzzle& puzzle);
    void run(const Puzzle& puzzle, Solution& out);
    std::size_t still_true(const Puzzle& before, const Puzzle& puzzle) const;
    void keep_milestone(std::size_t count);
    bool one_clue();
    int two_clues();
    bool hard_round(Solution& out);
    bool find_hard_steps(const std::int8_t* clues, std::size_t& count);
    void follow_rows();
    void take(const Step& step, Solution& out);
    void open_first(Index click);
    int mines_seen() const;
    std::vector<std::uint8_t> unknown() const;
    void keep_round(std::size_t count, Solution& out) const;
    int clues_at_once(const Solution& solution);
    int easiest_hard_step(const std::vector<Step>& steps, std::size_t count, int most);
    int mine_count_step(const Step& step, int most);
    void know(Index cell);

    SolverOptions options_;
    // The easier tiers of boards that fit into words; null for larger boards, of which the closure does it all. While
    // there are rows, the closure follows them where they end.
    Rows* rows_ = nullptr;
    WordRows<std::uint16_t> narrow_;
    WordRows<std::uint32_t> middle_;
    WordRows<std::uint64_t> wide_;
    Seen seen_{};
    bool laid_out_ = false;  // the closure, and the clues
    Closure closure_;
    std::vector<std::int8_t> clues_;           // in the places of the grid; negative at mines
    std::vector<std::int8_t> mined_, threes_;  // mines of some rows, also of three cells side by side, to count them
    int mines_ = 0;
    int safe_cells_ = 0;
    int opened_ = 0;  // by the closure, and by the first click
    int opened_first_ = 0;
    std::vector<Step> steps_{1};
    std::vector<Index> zeros_, next_zeros_;
    // The first hard round: what was known before it, and what it decided.
    Seen seen_before_{};
    std::vector<Index> unknown_before_;
    int opened_before_ = 0;
    std::vector<Step> first_steps_{1};
    std::size_t first_count_ = 0;
    SmallestReasons reasons_;
    // First those of the puzzle last solved or taken, then those of the changed one since it left the others, which it
    // did after so many. Never shrunk, for the memory of its elements.
    std::vector<Milestone> milestones_;
    std::size_t kept_ = 0;
    std::size_t added_ = 0;
    std::size_t shared_ = 0;
};

}  // namespace mines
