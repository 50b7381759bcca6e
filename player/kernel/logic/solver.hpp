// Solves a puzzle from its first click by closure alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/sampling.hpp"
#include "logic/closure.hpp"
#include "logic/reasons.hpp"
#include "planes/bitboard.hpp"

namespace mines {

enum class Verdict : std::uint8_t {
    solved,    // every safe cell was opened
    stuck,     // logic decides nothing more
    too_wide,  // a component is too wide to enumerate
};

struct Solution {
    Verdict verdict = Verdict::stuck;
    int opened = 0;              // safe cells
    std::int64_t steps[5] = {};  // cells decided at each tier; tier 1 for solved boards only
    int clues_at_once = -1;      // see player/logic/effort.py; -1 if not requested, not solved or too hard to compute
    std::vector<std::uint8_t> unknown;  // at the end: one byte a cell, row by row, 1 if unknown; empty if solved

    // Return the largest number of clues that a step of tier 1 or 2 needs at once.
    int easy_clues() const { return steps[2] != 0 ? 2 : steps[1] != 0 ? 1 : 0; }
};

enum SolverOption : unsigned {
    kStopEarly = 1,   // stop as soon as the puzzle is known to be unsolvable
    kCountClues = 2,  // fill Solution::clues_at_once
};

class Solver {
  public:
    explicit Solver(unsigned options) : options_(options) {}

    // Solve a puzzle. Its click must be safe.
    void solve(const Puzzle& puzzle, Solution& out);

    // Start a game: open the click of a puzzle, which must be safe, and all deducible safe cells. Returns whether that
    // wins the game.
    bool start(const Puzzle& puzzle);
    // Continue with a guess, if it is safe.
    bool open(const Puzzle& puzzle, Index cell);
    bool is_safe(Index cell) const { return clues_[cell] >= 0; }
    // The position where logic finds nothing more.
    const Field& position();
    // The number of safe cells that are open.
    int opened() const { return bitboard_ != nullptr ? bitboard_->opened() : opened_; }

  private:
    const Field& field() const { return closure_.field(); }
    void load(const Puzzle& puzzle);
    void load_closure(const Puzzle& puzzle);
    bool deduce(const Puzzle& puzzle, Solution& out);
    bool one_clue();
    int two_clues();
    bool hard_round(Solution& out);
    bool find_hard_steps(const std::int8_t* clues, std::size_t& count);
    void sync_closure();
    void apply(const Step& step, Solution& out);
    void open_first(Index click);
    int mines_seen() const;
    int clues_at_once(const Puzzle& puzzle, const Solution& solution);
    int easiest_hard_step(const std::vector<Step>& steps, std::size_t count, int most);
    int mine_count_step(const Step& step, int most);
    void reveal(Index cell);

    unsigned options_;  // SolverOption flags
    // Tiers 1 and 2 on squares without holes; null on other grids, which the closure handles alone. The closure is
    // synchronized with the bitboard before each hard round.
    std::unique_ptr<BitBoard> bitboard_;
    GridRef grid_;
    Snapshots seen_;
    bool closure_loaded_ = false;  // whether the closure and the clues are valid
    Closure closure_;
    std::vector<std::uint8_t> mine_;  // indexed like the field
    std::vector<std::int8_t> clues_;  // indexed like the field; negative at mines
    int mines_ = 0;
    int safe_cells_ = 0;
    int opened_ = 0;  // cells opened by the closure and the first click
    int opened_first_ = 0;
    std::vector<Step> steps_{1};
    Solution played_;  // of a game
    std::vector<Index> zeros_;
    // The bitboard before the first hard round, and the deductions of that round.
    Snapshots seen_before_;
    std::vector<Step> first_steps_{1};
    std::size_t first_count_ = 0;
    SmallestReasons reasons_;
};

}  // namespace mines
