// Solution paths: the deductions that solve a puzzle, in order, each with a smallest set of clues.
// docs/reference/paths.md defines them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/field.hpp"
#include "base/sampling.hpp"
#include "logic/closure.hpp"
#include "logic/reasons.hpp"
#include "logic/solver.hpp"

namespace mines {

struct PathStep : Step {
    bool smallest = true;  // no smaller set of clues forces a cell
};

// The paths of several puzzles, in a few lists to save allocations. Cells are numbered row by row.
struct Paths {
    bool hard_only = false;               // whether only steps beyond two clues are listed
    std::vector<std::uint8_t> solved;     // of each path
    std::vector<std::uint8_t> too_wide;   // of each path: whether it ends early at a component too wide to enumerate
    std::vector<std::uint64_t> hash;      // of each path, see docs/reference/paths.md
    std::vector<std::int64_t> steps{0};   // the number of steps up to the start of each path, and of all
    std::vector<std::uint8_t> tier;       // of each step
    std::vector<std::uint8_t> smallest;   // of each step
    std::vector<std::int64_t> bounds{0};  // the ends in `cells` of the safe cells, mines and clues of each step
    std::vector<Index> cells;             // each list ascending
    std::vector<std::uint8_t> unknown;    // with hard_only, before each step: one byte a cell, 1 if unknown

    void clear() {
        for (auto* const list : {&solved, &too_wide, &tier, &smallest, &unknown}) list->clear();
        hash.clear();
        steps.resize(1);
        bounds.resize(1);
        cells.clear();
    }

    // Return a step, of all.
    PathStep step(std::size_t number) const {
        const auto part = [&](std::size_t piece) {
            const std::int64_t* const ends = &bounds[3 * number + piece];
            return std::vector<Index>(cells.begin() + ends[0], cells.begin() + ends[1]);
        };
        return {{tier[number], part(0), part(1), part(2)}, smallest[number] != 0};
    }
};

class PathFinder {
  public:
    // Append the path of a puzzle from its first click.
    void find(const Puzzle& puzzle, Paths& out);

    // Append the path of a view, or its first `most_steps` steps: safe cells become known, but are not opened. `layout`
    // fits the view and has one byte for each cell, 1 for a mine.
    void find(const Closure& view, const std::vector<std::uint8_t>& layout, Paths& out,
              std::size_t most_steps = std::numeric_limits<std::size_t>::max());

  private:
    void load(const std::vector<std::uint8_t>& mine);
    void run(Paths& out, std::size_t most_steps);
    void add(PathStep& step, Paths& out);
    void know(Index cell, unsigned one);
    void mark(Index cell);
    void open(Index cell);
    void open_around_zeros();
    void sync_closure();
    bool one_clue(PathStep& step);
    bool two_clues(PathStep& step);
    std::uint64_t five_live(Index first) const;
    std::uint64_t live_around(Index clue) const;
    bool decide(Index clue, Index other, int d) const;
    bool hard_step(PathStep& step);
    void set_position(Step& found, std::vector<Index>& cells);
    void smallest_of(Step& found, PathStep& step);
    void add_forced(bool counted, PathStep& step);

    Field field_;      // its masks and needs are those before the first step of more than two clues
    Closure closure_;  // used for more than two clues, and synchronized before
    bool closure_loaded_ = false;
    std::vector<Index> revealed_;     // cells that the loaded closure lacks
    std::vector<std::uint8_t> mine_;  // indexed like the field
    std::vector<std::int8_t> truth_;  // indexed like the field: the clue of every cell, negative at mines
    // Of each cell of the field: its unknown neighbours, one bit each, and above these bits the number of mines and the
    // number of safe cells among them, four bits each.
    std::vector<std::uint16_t> near_;
    GridRef grid_;
    std::vector<Index> number_;              // of each cell of this grid: its number row by row
    std::vector<std::uint16_t> empty_near_;  // near_ of this grid without mines, with all cells unknown
    bool opens_ = true;                      // whether safe cells are opened
    // One bit for each cell: open cells, without some that have no unknown neighbour; those changed since they were
    // checked alone, among other cells; and those changed since they were checked in pairs, or that decide cells in
    // pairs.
    std::vector<std::uint64_t> live_, unread_, unpaired_;
    std::size_t first_unread_ = 0;  // the words of unread_ before are zero
    std::vector<Index> zeros_, cells_, clues_, unconstrained_;
    std::uint64_t hash_ = 0;
    std::vector<int> set_;
    PathStep step_;
    std::vector<Step> found_{1};
    SmallestReasons reasons_;
};

}  // namespace mines
