// The interface of the kernel: its operations with the checks of their arguments, under the C library (library.cpp) and
// the Python module (python.cpp), which only translate types. Operations that check nothing are those of the headers
// included here.
//
// Cells are numbered row by row. An operation writes its results only if it returns MINES_OK. Long ones call the
// InterruptCheck of their thread. Nothing here throws but what an InterruptCheck throws.
#pragma once

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
#include "make/finding.hpp"
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
    Puzzles(std::vector<Puzzle> list) : list_(std::move(list)), count_(list_.size()) {}
    Puzzles(const Recipe& recipe, std::uint64_t first, std::uint64_t count)
        : recipe_(recipe), first_(first), count_(count) {}

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
    std::uint64_t first_ = 0, count_;
};

namespace engine {

// Arguments. Make a grid; `holes` is empty, or has one byte for each cell.
Result make_grid(std::int64_t rows, std::int64_t cols, int kind, CellBytes holes, GridRef& out);
// Check a recipe, but for its number of mines if `any_mines`.
Result check(const Recipe& recipe, bool any_mines = false);
// Check a mine map, and its first click unless that is -1.
Result check(const Puzzle& puzzle);
// Check a view, and set its holes to 0.
Result check(View& view);
Result check_hidden(const View& view, int cell);
Result check_known(const View& view, const CellBytes& known);
Result strategy_named(const std::string& name, Strategy& out);

// Boards.
Result room(const Recipe& recipe, int& most);
Result solve(const Puzzle& puzzle, Solution& out);                      // MINES_NONE if logic gets stuck
Difficulty difficulty(const Puzzle& puzzle, const Solution& solution);  // of a solved puzzle
Result work(const Puzzle& puzzle, int& out);
Result measure(const Puzzle& puzzle, Metrics& out);  // `first_opening` is 0 without a first click
Result reveal(const GridRef& grid, const CellBytes& mine, View& out);

// Positions. `given` and `known` have a `Known` for each cell.
Result closure(const View& view, CellBytes& known);
Result chances(const View& view, const CellBytes& given, Chances& out);
Result hint(const View& view, const CellBytes& given, HintStep& out);  // MINES_NONE if nothing follows
Result reason(const View& view, const CellBytes& given, int cell, int most_clues, HintStep& out);
Result corrections(const View& view, const CellBytes& given, int cell, const std::vector<int>& chosen,
                   std::vector<std::vector<int>>& out);
// All deductions in order. Each rests on the earlier ones: they have no `given`, which would take a byte for each cell
// and step of a large board.
Result path(const View& view, std::vector<HintStep>& out);
// Return the cells that count as known for a step of a path or chain.
CellBytes known_before(const View& view, const std::vector<HintStep>& steps, std::size_t step);
Result chain(const View& view, const CellBytes& flagged, std::vector<HintStep>& out);
Result rate(const View& view, const CellBytes& known, Strategy strategy, std::vector<Rated>& out);
Result evaluate(const View& view, const CellBytes& known, Evaluation& out);
Result clue_layouts(const View& view, int cell, double* logs);  // nine logarithms of numbers of layouts
// Draw a layout with a mine in `cell` (1), without one (0), or any (-1).
Result draw_layout(const View& view, int cell, int mine, std::uint64_t seed, std::uint64_t stream, CellBytes& out);
Result counterexample(const View& view, int cell, CellBytes& safe, CellBytes& mined);
// Judge a click that opens these cells; `known` is the closure, or empty to find it. `review` opens them, too.
Result judge(const View& view, const CellBytes& known, const std::vector<int>& cells, Judgement& out);
Result review(View& view, const CellBytes& mine, const std::vector<int>& cells, Judgement& out);

// The rules.
Result open(View& view, const CellBytes& mine, int cell, bool& survived);
Result chord(const View& view, const CellBytes& flags, int cell, std::vector<int>& opened);
// `why` is the verdict of the cell, or -1 to find it.
Result kaboom_click(View& view, unsigned rules, int& why, int cell, std::uint64_t seed, std::uint64_t clicks,
                    CellBytes& layout);


// Pictures. Read the boards in a picture, largest first. MINES_NONE without a board.
Result read_picture(const Picture& picture, std::vector<BoardReading>& out);

}  // namespace engine
}  // namespace mines
