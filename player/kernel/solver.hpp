// Plays a board from its first click by closure alone, and says how far that gets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "closure.hpp"
#include "sampling.hpp"

namespace mines {

enum class Verdict : std::uint8_t {
    solved,     // every safe cell was opened
    stuck,      // nothing more follows
    undecided,  // the answer hangs on a component too wide to enumerate
};

// A step at tier 3 or 4, and what was known before its round: one byte a cell, a State.
struct Moment {
    Step step;
    std::vector<std::uint8_t> state;
};

struct Solution {
    Verdict verdict = Verdict::stuck;
    int opened = 0;                // safe cells
    std::int64_t steps[5] = {};    // cells decided at each tier; tier 1 for solved boards only
    std::vector<Moment> moments;   // on request
};

class Solver {
  public:
    // Solve `layout` of rows x cols; the click must be safe. `keep_moments` fills Solution::moments.
    void solve(int rows, int cols, const Layout& layout, bool keep_moments, Solution& out);

  private:
    void open(Index cell);
    void open_all(const Step& step);
    void count_one_clue_steps(Solution& out) const;
    bool round(bool keep_moments, Solution& out);
    void note(const Step& step, bool keep_moments, Solution& out);

    Closure closure_;
    std::vector<std::int8_t> clues_;   // bordered; negative at mines
    std::vector<Index> flood_;
    std::vector<Step> steps_;
    std::vector<std::uint8_t> before_;
    std::vector<std::uint8_t> claimed_mines_;  // mines claimed at tier 2 or later, bordered
    int opened_ = 0;
    int first_opened_ = 0;
};

}  // namespace mines
