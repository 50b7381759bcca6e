// The interface of the kernel: its operations with the checks of their arguments, under the C library (library.cpp) and
// the Python module (python.cpp), which only translate types. Operations that check nothing are those of the headers
// included here.
//
// Cells are numbered row by row. An operation changes its arguments only if it returns MINES_OK. Long ones
// call the InterruptCheck of their thread. Nothing here throws but what an InterruptCheck throws.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "api/minesweeper.h"
#include "base/interrupt.hpp"
#include "explain/closed_sets.hpp"
#include "explain/judging.hpp"
#include "explain/rules.hpp"
#include "make/fewest_clicks.hpp"
#include "make/finding.hpp"
#include "search/rollout.hpp"
#include "see/reading.hpp"

namespace mines {

constexpr int kMostChanges = 100;  // of a board that is repaired, as in generator/repair.py

// The result of an operation. Invalid arguments have a message: their cause and the expected form.
struct Result {
    mines_result code = MINES_OK;
    std::string message = {};

    Result() = default;
    Result(mines_result result) : code(result) {}
    Result(Fit fit)
        : code(fit == Fit::ok             ? MINES_OK
               : fit == Fit::inconsistent ? MINES_INCONSISTENT
                                          : MINES_TOO_WIDE) {}

    bool ok() const { return code == MINES_OK; }
};

// The result of an operation, and its finding if it is MINES_OK.
template <class Found>
struct Answer : Result {
    Found found{};

    Answer() = default;
    Answer(Result result) : Result(std::move(result)) {}
};

// Return the result of a condition of arguments. "a clue 0 to 8", 9 makes the message "invalid 9; expected a clue 0 to
// 8". It is built only on failure: this is called for every cell.
template <class Words, class Value>
Result expect(bool holds, const Words& expected, Value value) {
    if (holds) return {};
    Result wrong(MINES_INVALID);
    wrong.message = "invalid " + std::to_string(value) + "; expected " + expected;
    return wrong;
}
Result expect(bool holds, const std::string& expected);

// Base class of objects that take one call at a time.
class Exclusive {
  public:
    bool enter() { return !in_use_.exchange(true, std::memory_order_acquire); }
    void leave() { in_use_.store(false, std::memory_order_release); }

  private:
    std::atomic<bool> in_use_{false};
};

// Puzzles one after the other: those of a list, or of a recipe from an index on.
class Puzzles {
  public:
    Puzzles() = default;
    Puzzles(GridRef grid, std::vector<Puzzle> list) : list_(std::move(list)), count_(list_.size()) {
        recipe_.grid = std::move(grid);
    }
    Puzzles(const Recipe& recipe, std::uint64_t first, std::uint64_t count)
        : recipe_(recipe), first_(first), count_(count) {}

    std::uint64_t count() const { return count_; }
    const Grid& grid() const { return *recipe_.grid; }

    // Pass each puzzle to `visit`.
    template <class Visit>
    void each(Visit visit) const {
        Puzzle sampled;
        for (std::uint64_t i = 0; i < count_; ++i) {
            check_interrupt_now();
            if (list_.empty()) sample(recipe_, first_ + i, sampled);
            visit(list_.empty() ? sampled : list_[static_cast<std::size_t>(i)]);
        }
    }

  private:
    std::vector<Puzzle> list_;
    Recipe recipe_;
    std::uint64_t first_ = 0, count_ = 0;
};

// A click of Kaboom: its verdict, and the layout that decided.
struct KaboomClick {
    Why why = Why::first_click;
    CellBytes layout;
};

// Logarithms of weights of layouts (of their number, if the number of mines is known), by the clue of a cell.
using ClueLogs = std::array<double, kNeighbours + 1>;

namespace engine {

// Arguments. Check a recipe, but for its number of mines if `any_mines`.
Result check(const Recipe& recipe, bool any_mines = false);
// Check a mine map, and its first click unless that is -1.
Result check(const Puzzle& puzzle);
// Check a view, and set its holes to 0.
Result check(View& view);
// Check that the number of mines is known.
Result check_counted(const View& view);
Result check(const RolloutOptions& options);
Result check_known(const View& view, const CellBytes& known);

// Find a strategy by its name.
Answer<const Strategy*> strategy(const std::string& name);

// Boards. The `holes` of a grid are empty, or have one byte for each cell.
Answer<GridRef> make_grid(std::int64_t rows, std::int64_t cols, int kind, CellBytes holes);
// List puzzles of one grid by their mine maps, one after the other, and their first clicks.
Answer<Puzzles> list_puzzles(const GridRef& grid, const CellBytes& mine, const std::vector<int>& clicks);
Answer<int> room(const Recipe& recipe);
Answer<Puzzle> sample(const Recipe& recipe, std::uint64_t index);
// Find the first solvable puzzle of a range, or MINES_NONE.
Answer<FoundPuzzle> search(const Recipe& recipe, std::uint64_t start, std::uint64_t stop, bool repaired);
// Find the first solvable puzzle of 20,000; or else, as on dense boards, of 1,000 that are repaired.
Answer<FoundPuzzle> deal(const Recipe& recipe);
Answer<Solution> solve(const Puzzle& puzzle);                           // MINES_NONE if logic gets stuck
Difficulty difficulty(const Puzzle& puzzle, const Solution& solution);  // of a solved puzzle
Answer<int> work(const Puzzle& puzzle);
Answer<Metrics> measure(const Puzzle& puzzle);  // `first_opening` is 0 without a first click
// Find a plan of few clicks, from the first click of the puzzle if it has one.
Answer<ClickPlan> fewest_clicks(const Puzzle& puzzle, const ClickRules& rules, double seconds, std::int64_t most_work);
Answer<View> reveal(const GridRef& grid, const CellBytes& mine);
Answer<int> play(const Recipe& recipe, const std::string& strategy, std::uint64_t first,
                 int count);  // the number of games won

// Positions. `given` and `known` have a `Known` for each cell, or are empty.
Answer<CellBytes> closure(const View& view);
Answer<Chances> chances(const View& view, const CellBytes& given);
Answer<HintStep> hint(const View& view, const CellBytes& given);  // MINES_NONE if nothing follows
Answer<HintStep> reason(const View& view, const CellBytes& given, int cell, int most_clues);
Answer<std::vector<std::vector<int>>> corrections(const View& view, const CellBytes& given, int cell,
                                                  const std::vector<int>& chosen);
// List all deductions in order. Each rests on the earlier ones: they have no `given`, which would take a byte for each
// cell and step of a large board.
Answer<std::vector<HintStep>> path(const View& view);
// Return the cells that count as known for a step of a path or chain.
CellBytes known_before(const View& view, const std::vector<HintStep>& steps, std::size_t step);
Answer<std::vector<HintStep>> chain(const View& view, const CellBytes& flagged);
Answer<Paths> whole_path(const View& view);  // the same deductions as steps of one or two clues
Answer<std::vector<UnavoidableGuess>> unavoidable_guesses(const View& view, std::size_t most_layouts);
Answer<std::vector<Rated>> rate(const View& view, const CellBytes& known, const std::string& strategy);
Answer<std::vector<Rated>> rate_by_rollouts(const View& view, const CellBytes& known, const RolloutOptions& options);
Answer<Evaluation> evaluate(const View& view, const CellBytes& known);
Answer<std::vector<Compared>> compare(const View& view, const CellBytes& known, const std::vector<int>& cells);
Answer<ClueLogs> clue_layouts(const View& view, int cell);
// Draw a layout with a mine in `cell` (1), without one (0), or any (-1).
Answer<CellBytes> draw_layout(const View& view, int cell, int mine, std::uint64_t seed, std::uint64_t stream);
// Find a layout in which the cell is safe, and one with a mine there.
Answer<std::pair<CellBytes, CellBytes>> counterexample(const View& view, int cell);
// Judge a click that opens these cells; `known` is the closure, or empty to find it. `review` opens them, too.
Answer<Judgement> judge(const View& view, const CellBytes& known, const std::vector<int>& cells);
Answer<Judgement> review(View& view, const CellBytes& mine, const std::vector<int>& cells);

// The rules.
Answer<bool> open(View& view, const CellBytes& mine, int cell);               // whether the cell is safe
Answer<CellBytes> chord(const View& view, const CellBytes& flags, int cell);  // 1 for the cells to open
Answer<CellBytes> kaboom_verdicts(const View& view, unsigned rules);          // a Why, or MINES_OPEN_CELL
// `why` is the verdict of the cell, or -1 to find it.
Answer<KaboomClick> kaboom_click(View& view, unsigned rules, int why, int cell, std::uint64_t seed,
                                 std::uint64_t clicks);

// Pictures. Read the boards in a picture, largest first, or the one of a `known` lattice. MINES_NONE without a board.
Answer<std::vector<BoardReading>> read_picture(const Picture& picture, const Lattice* known = nullptr);

}  // namespace engine
}  // namespace mines
