// The WebAssembly module: a C interface of the kernel. index.js of the package minesweeper-kernel wraps it with checked
// arguments and results in objects.
//
// A caller writes the view to `cells()` and one byte a cell to `marks()`, which `resize` makes large enough. Functions
// return 0, or 1 if no layout fits, or 2 if the position has a component too wide to enumerate. They write their
// results to `cells()`, `marks()`, `list()` and `numbers()`.
#ifdef __wasm__  // The native library needs no C interface.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "explain/closed_sets.hpp"
#include "explain/hints.hpp"
#include "explain/rules.hpp"
#include "make/metrics.hpp"
#include "make/screening.hpp"
#include "search/guesser.hpp"
#include "search/play.hpp"

// The default prints a message, which takes 20 KB of code.
[[noreturn]] void std::__libcpp_verbose_abort(const char*, ...) noexcept { __builtin_trap(); }

#define EXPORT(name) extern "C" __attribute__((export_name(#name)))

namespace mines {
namespace {

constexpr int kMostChanges = 100;    // as in generator/repair.py
constexpr std::uint64_t kBatch = 4;  // boards searched at a time, of which only the first solvable one is used

View view;
CellBytes marks;
std::vector<std::int32_t> list;
std::vector<double> numbers;

int code(Fit fit) { return static_cast<int>(fit); }

void list_cells(const std::vector<int>& cells) {
    list.push_back(static_cast<std::int32_t>(cells.size()));
    list.insert(list.end(), cells.begin(), cells.end());
}

void list_mines(const CellBytes& layout) {
    std::vector<int> mines;
    for (std::size_t i = 0; i < layout.size(); ++i)
        if (layout[i] != 0) mines.push_back(static_cast<int>(i));
    list_cells(mines);
}

// Tier, smallest, cell, mine, and the three lists with their lengths.
void list_hint(const Hint& hint) {
    const bool mine = hint.safe.empty();
    for (const int number : {hint.tier, int{hint.smallest}, (mine ? hint.mines : hint.safe).front(), int{mine}})
        list.push_back(number);
    list_cells(hint.safe);
    list_cells(hint.mines);
    list_cells(hint.clues);
}

// The difficulty of a solvable board as the number of its word, from 0: player/measure/difficulty.py defines it.
int difficulty(const Solution& solution, int safe_cells) {
    constexpr double kLeast[] = {4, 7, 10, 15};
    const auto& steps = solution.steps;
    const double score = 0.02 * steps[1] + steps[2] + 8 * std::sqrt(steps[3]) + 16 * std::sqrt(steps[4]) +
                         4 * std::max(solution.clues_at_once - 2, 0);
    const double share = score * 100 / std::max(safe_cells, 100);
    return static_cast<int>(std::count_if(std::begin(kLeast), std::end(kLeast), [&](double l) { return l <= share; }));
}

// Write candidates for a guess: `list` has the cells, `numbers` the safety, progress and value of each.
void list_candidates(const Grid& grid, const std::vector<Candidate>& candidates) {
    list.clear();
    numbers.clear();
    for (const Candidate& one : candidates) {
        list.push_back(grid.number(one.cell));
        numbers.insert(numbers.end(), {one.safety, one.progress, one.value});
    }
}

// The recipe of puzzles of the size and with the mines of the view.
Recipe recipe_of(int click, int opening, std::uint64_t seed) {
    return {view.rows, view.cols, view.mines, click, opening != 0, seed};
}

// The known mines of `marks` on the view.
Closure known_mines() {
    for (std::uint8_t& mark : marks) mark = mark == kKnownMine ? mark : std::uint8_t{kMaybe};
    return closure_of(view, marks);
}

}  // namespace
}  // namespace mines

using namespace mines;

EXPORT(resize) void resize(int rows, int cols, int mines) {
    view.rows = rows;
    view.cols = cols;
    view.mines = mines;
    view.cells.resize(static_cast<std::size_t>(rows) * cols);
    marks.resize(view.cells.size());
}
EXPORT(size) int size() { return static_cast<int>(view.cells.size()); }
EXPORT(cells) std::int8_t* cells() { return view.cells.data(); }
EXPORT(marks) std::uint8_t* marks_data() { return marks.data(); }
EXPORT(list) const std::int32_t* list_data() { return list.data(); }
EXPORT(list_size) int list_size() { return static_cast<int>(list.size()); }
EXPORT(numbers) const double* numbers_data() { return numbers.data(); }

// Sample puzzle `index` of a recipe. Writes the mines to `marks` and the first click to `list`.
EXPORT(deal) void deal(int click, int opening, std::uint64_t seed, std::uint64_t index) {
    Puzzle puzzle;
    sample(recipe_of(click, opening, seed), index, puzzle);
    marks = puzzle.mine;
    list = {puzzle.click};
}

// Find the first solvable puzzle with an index from `start` to `stop` - 1, repaired if requested. Writes the mines to
// `marks`; to `list` the place of its index in the range and its first click, the cells decided at each tier and the
// clues at once, and the number of the word for its difficulty. Without such a puzzle, `list` is empty.
EXPORT(search)
void search(int click, int opening, std::uint64_t seed, std::uint64_t start, std::uint64_t stop, int repaired) {
    const Recipe recipe = recipe_of(click, opening, seed);
    list.clear();
    std::vector<FoundPuzzle> found;
    for (std::uint64_t at = start; at < stop && found.empty(); at += kBatch) {
        const std::uint64_t end = std::min(at + kBatch, stop);
        found = repaired != 0 ? repair(recipe, at, end, kMostChanges) : screen(recipe, at, end, true);
    }
    if (found.empty()) return;
    const FoundPuzzle& first = found.front();
    marks = first.puzzle.mine;
    list = {static_cast<std::int32_t>(first.index - start), first.puzzle.click};
    for (int tier = 1; tier <= 4; ++tier) list.push_back(static_cast<std::int32_t>(first.solution.steps[tier]));
    list.push_back(first.solution.clues_at_once);
    list.push_back(difficulty(first.solution, view.rows * view.cols - view.mines));
}

// Write the known cells to `marks`: 1 safe, 2 a mine.
EXPORT(closure) int closure() {
    Closure found = closure_of(view);
    return code(complete(found, marks));
}

// Write the probability of a mine in each cell to `numbers`, NaN for open cells, and then the natural logarithm of the
// number of layouts. `marks` are cells that count as known.
EXPORT(probabilities) int probabilities() {
    Closure found = closure_of(view, marks);
    Counter counter;
    const Fit fit = count_layouts(found, counter);
    if (fit != Fit::ok) return code(fit);
    const Grid& grid = found.grid();
    std::vector<double> shares(grid.state.size(), 0);
    counter.probabilities(shares.data());
    numbers.assign(view.cells.size() + 1, std::numeric_limits<double>::quiet_NaN());
    numbers.back() = counter.log_layouts();
    grid.each_cell([&](Index number, Index cell) {
        if (view.cells[number] == kHidden) numbers[number] = grid.state[cell] == kMine ? 1 : shares[cell];
    });
    return 0;
}

// Write the easiest deduction to `list`. `marks` are the cells that count as known.
EXPORT(hint) int hint() {
    Hint found;
    const Fit fit = find_hint(view, marks, found);
    list.clear();
    if (fit == Fit::ok && found.tier > 0) list_hint(found);
    return code(fit);
}

// Write all steps of the solution path to `list`.
EXPORT(path) int path() {
    std::vector<Hint> steps;
    const Fit fit = list_hints(view, steps);
    list.clear();
    for (const Hint& step : steps) list_hint(step);
    return code(fit);
}

// Rate the cells that a strategy considers for a guess, best first. `marks` are the known cells, of which only the
// mines count.
EXPORT(rate) void rate(int strategy) {
    const Closure known = known_mines();
    Guesser guesser(static_cast<Strategy>(strategy));
    const bool found = guesser.choose(known.grid());
    list_candidates(known.grid(), found ? guesser.candidates() : std::vector<Candidate>());
}

// Evaluate all cells for a guess, best first, as `rate`. Returns an `EvaluationKind`.
EXPORT(evaluate) int evaluate() {
    const Closure known = known_mines();
    std::vector<Candidate> found;
    const EvaluationKind kind = Guesser(Strategy::champion).evaluate(known.grid(), found);
    list_candidates(known.grid(), found);
    return static_cast<int>(kind);
}

// Play `count` games of a recipe; return the number of games won.
EXPORT(play) int play(int strategy, int click, int opening, std::uint64_t seed, std::uint64_t first, int count) {
    Guesser guesser(static_cast<Strategy>(strategy), 1);
    Player player([&](const Grid& known) { return guesser.chosen(known); });
    Puzzle puzzle;
    int won = 0;
    for (int i = 0; i < count; ++i) {
        sample(recipe_of(click, opening, seed), first + static_cast<std::uint64_t>(i), puzzle);
        won += player.play(puzzle).won;
    }
    return won;
}

// Draw a layout that fits, with a mine in `cell` (1), without one (0), or either (-1). Writes its mines to `marks`.
EXPORT(draw) int draw(int cell, int mine, std::uint64_t seed, std::uint64_t stream) {
    Closure known = closure_of(view);
    if (mine >= 0) known.mark(known.grid().from_number(cell), mine != 0);
    return code(draw_layout(known, seed, stream, marks));
}

// Draw two layouts that differ in `cell`, and otherwise only near it as far as possible. Writes their mines to `list`:
// first those of the layout with a safe cell. Returns 1 if the cell is known.
EXPORT(counterexample) int counterexample(int cell) {
    Closure safe = closure_of(view);
    safe.mark(safe.grid().from_number(cell), false);
    CellBytes one, other;
    Fit fit = draw_layout(safe, 0, 0, one);
    if (fit != Fit::ok) return code(fit);
    const int most = std::max(view.rows, view.cols);
    for (int radius = 1; radius <= most; ++radius) {
        Closure mined = closure_of(view);
        const Grid& grid = mined.grid();
        mined.mark(grid.from_number(cell), true);
        for (int i = 0; i < view.rows * view.cols; ++i)
            if (view.cells[i] == kHidden && distance(view.cols, i, cell) > radius)
                mined.mark(grid.from_number(i), one[i] != 0);
        fit = draw_layout(mined, 0, 0, other);
        if (fit != Fit::inconsistent) break;
    }
    list.clear();
    if (fit != Fit::ok) return code(fit);
    list_mines(one);
    list_mines(other);
    return 0;
}

// Write the unavoidable guesses to `list`: for each its cells, and the mines of two layouts that differ only in them.
EXPORT(unavoidable) int unavoidable() {
    std::vector<UnavoidableGuess> guesses;
    const Fit fit = find_unavoidable_guesses(view, kMostLayouts, guesses);
    list.clear();
    for (const UnavoidableGuess& guess : guesses) {
        list_cells(guess.cells);
        for (const CellBytes& layout : guess.layouts) list_mines(layout);
    }
    return code(fit);
}

// Measure the board with the mines of `marks`: 3BV, openings, islands, greedy ZiNi, human ZiNi.
EXPORT(measure) void measure() {
    const Metrics found = MetricsCalculator().board(view.rows, view.cols, marks.data());
    list = {found.bbbv, found.openings, found.islands, found.greedy_zini, found.human_zini};
}

// Open a cell of the board with the mines of `marks`. Returns 1 if it was safe.
EXPORT(open) int open(int cell) { return view.cells[cell] != kHidden || open_cell(view, marks, cell); }

// Open all safe cells of the board with the mines of `marks`.
EXPORT(reveal) void reveal() {
    for (int cell = 0; cell < size(); ++cell)
        if (marks[cell] == 0 && view.cells[cell] == kHidden) open_cell(view, marks, cell);
}

// List the cells that a chord opens, with the flags of `marks`.
EXPORT(chorded) void chorded(int cell) {
    std::vector<int> found;
    list_chorded(view, marks, cell, found);
    list.assign(found.begin(), found.end());
}

// Write the result of a click on each hidden cell to `list`, a `Why`, and the cells where a guess is granted to
// `marks`.
EXPORT(judge) int judge_cells(unsigned rules) {
    std::vector<Why> why;
    const Fit fit = judge(view, rules_of(rules), why);
    list.clear();
    for (std::size_t i = 0; i < why.size(); ++i) {
        list.push_back(static_cast<std::int32_t>(why[i]));
        marks[i] = view.cells[i] == kHidden && (why[i] == Why::first_click || why[i] == Why::forced_guess);
    }
    return code(fit);
}

// Click a cell of a Kaboom game. Writes the deciding layout to `marks` and the `Why` to `list`.
EXPORT(click) int click_cell(unsigned rules, int cell, std::uint64_t seed, std::uint64_t clicks) {
    std::vector<Why> why;
    Fit fit = judge(view, rules_of(rules), why);
    if (fit != Fit::ok) return code(fit);
    list = {static_cast<std::int32_t>(why[cell])};
    fit = click(view, rules_of(rules), why[cell], cell, seed, clicks, marks);
    return code(fit);
}

#endif
