// The C interface of the kernel, minesweeper.h: arguments are checked, and results are copied to arrays of the caller.
// index.js of the package minesweeper-kernel calls the same functions in WebAssembly.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "api/minesweeper.h"
#include "base/interrupt.hpp"
#include "explain/chain.hpp"
#include "explain/closed_sets.hpp"
#include "explain/hints.hpp"
#include "explain/rules.hpp"
#include "explain/sentences.hpp"
#include "make/metrics.hpp"
#include "make/screening.hpp"
#include "search/guesser.hpp"
#include "search/play.hpp"

// The position that queries work on, and the results that are read one by one.
struct mines_kernel {
    std::atomic<bool> in_use{false};
    int (*progress)(void*) = nullptr;
    void* context = nullptr;
    mines::View view;
    std::vector<mines::Hint> path;
    std::vector<mines::Sentence> sentences;  // of the path
    std::vector<mines::UnavoidableGuess> guesses;
};

namespace mines {
namespace {

constexpr int kMaxSide = 4000;
constexpr int kMostChanges = 100;    // as in generator/repair.py
constexpr std::uint64_t kBatch = 4;  // boards searched at a time, of which only the first solvable one is used

mines_result result_of(Fit fit) {
    return fit == Fit::ok ? MINES_OK : fit == Fit::inconsistent ? MINES_INCONSISTENT : MINES_TOO_WIDE;
}

#ifdef __cpp_exceptions
struct Stopped {};

template <class Compute>
mines_result guarded(const mines_kernel& kernel, Compute compute) {
    try {
        if (kernel.progress == nullptr) return compute();
        const InterruptCheck pulse([&] {
            if (kernel.progress(kernel.context) != 0) throw Stopped{};
        });
        return compute();
    } catch (const Stopped&) {
        return MINES_STOPPED;
    } catch (const std::bad_alloc&) {
        return MINES_NO_MEMORY;
    }
}
#else
template <class Compute>
mines_result guarded(const mines_kernel&, Compute compute) {
    return compute();
}
#endif

// Run a call of a kernel: `compute(kernel)` returns its result.
template <class Compute>
mines_result call(mines_kernel* kernel, bool valid, Compute compute) noexcept {
    if (kernel == nullptr || !valid) return MINES_INVALID;
    if (kernel->in_use.exchange(true, std::memory_order_acquire)) return MINES_BUSY;
    const mines_result result = guarded(*kernel, [&] { return compute(*kernel); });
    kernel->in_use.store(false, std::memory_order_release);
    return result;
}

// The same for a call that works on the view.
template <class Compute>
mines_result on_view(mines_kernel* kernel, bool valid, Compute compute) noexcept {
    return call(kernel, valid,
                [&](mines_kernel& state) { return state.view.cells.empty() ? MINES_INVALID : compute(state); });
}

bool is_size(int rows, int cols, int shape) {
    return 1 <= rows && rows <= kMaxSide && 1 <= cols && cols <= kMaxSide && is_grid(rows, cols, shape);
}

Recipe recipe_of(const mines_recipe& recipe) {
    return {recipe.rows, recipe.cols, recipe.mines, recipe.click, recipe.opening != 0, recipe.seed, recipe.shape};
}

// Return whether a recipe is valid but for its number of mines.
bool has_start(const mines_recipe* recipe) {
    return recipe != nullptr && is_size(recipe->rows, recipe->cols, recipe->shape) && -1 <= recipe->click &&
           recipe->click < recipe->rows * recipe->cols && (recipe->click < 0 || !is_hole(*recipe, recipe->click));
}

bool is_recipe(const mines_recipe* recipe) {
    return has_start(recipe) && 0 <= recipe->mines && recipe->mines <= room(recipe_of(*recipe));
}

bool is_strategy(int strategy) { return MINES_SAFEST <= strategy && strategy <= MINES_CHAMPION; }

bool is_hidden(const View& view, int cell) {
    return 0 <= cell && cell < static_cast<int>(view.cells.size()) && view.cells[cell] == kHidden;
}

// Return whether `mine` is the mine map of a board.
bool is_board(int rows, int cols, int shape, const std::uint8_t* mine) {
    if (!is_size(rows, cols, shape) || mine == nullptr) return false;
    bool on_cells = true;
    each_hole(Size{rows, cols, shape}, [&](int hole) { on_cells = on_cells && mine[hole] == 0; });
    return on_cells;
}

template <class Value>
void copy(const std::vector<Value>& from, Value* to) {
    std::copy(from.begin(), from.end(), to);
}

// One byte a cell of a board: 1 where `mine` is not 0.
CellBytes marks_of(const std::uint8_t* mine, std::size_t size) {
    CellBytes marks(size);
    std::transform(mine, mine + size, marks.begin(), [](std::uint8_t one) { return one != 0; });
    return marks;
}

CellBytes given_of(const View& view, const std::uint8_t* given) {
    return given == nullptr ? CellBytes() : CellBytes(given, given + view.cells.size());
}

// The difficulty of a solvable board as the number of its word, from 0: player/logic/difficulty.py defines it.
int difficulty(const Solution& solution, int safe_cells) {
    constexpr double kLeast[] = {4, 7, 10, 15};
    const auto& steps = solution.steps;
    const double score = 0.02 * steps[1] + steps[2] + 8 * std::sqrt(steps[3]) + 16 * std::sqrt(steps[4]) +
                         4 * std::max(solution.clues_at_once - 2, 0);
    const double share = score * 100 / std::max(safe_cells, 100);
    return static_cast<int>(std::count_if(std::begin(kLeast), std::end(kLeast), [&](double l) { return l <= share; }));
}

mines_solution solution_of(const Puzzle& puzzle, const Solution& solution, std::uint64_t index) {
    mines_solution out = {index, puzzle.click, {}, solution.clues_at_once, 0};
    std::copy(solution.steps + 1, solution.steps + 5, out.tally);
    const auto mines = static_cast<int>(std::count(puzzle.mine.begin(), puzzle.mine.end(), 1));
    out.difficulty = difficulty(solution, cell_count(puzzle) - mines);
    return out;
}

void copy_hint(const Hint& hint, std::size_t size, mines_hint* out, std::uint8_t* parts) {
    const bool mine = hint.safe.empty();
    *out = {hint.tier, hint.smallest, (mine ? hint.mines : hint.safe).front(), mine};
    std::fill_n(parts, size, std::uint8_t{0});
    for (const int cell : hint.safe) parts[cell] = MINES_IN_SAFE;
    for (const int cell : hint.mines) parts[cell] = MINES_IN_MINES;
    for (const int cell : hint.clues) parts[cell] = MINES_IN_CLUES;
}

// The hint that `copy_hint` has copied; of tier 0 if it is none.
Hint hint_of(const mines_hint& from, const View& view, const std::uint8_t* parts) {
    Hint hint;
    for (int cell = 0; cell < static_cast<int>(view.cells.size()); ++cell) {
        const bool hidden = view.cells[cell] == kHidden;
        if (parts[cell] == MINES_IN_SAFE && hidden) hint.safe.push_back(cell);
        if (parts[cell] == MINES_IN_MINES && hidden) hint.mines.push_back(cell);
        if (parts[cell] == MINES_IN_CLUES && !hidden) hint.clues.push_back(cell);
    }
    const std::size_t clues = hint.clues.size();
    const bool fits = from.tier < 3 ? clues == static_cast<std::size_t>(from.tier) : from.tier == 4 || clues > 0;
    if (fits && from.tier <= 4 && !(hint.safe.empty() && hint.mines.empty())) hint.tier = from.tier;
    return hint;
}

mines_sentence copy_sentence(const Sentence& from) {
    mines_sentence out = {from.name, from.clue, from.other, from.count, from.need, from.mines, from.rest, {}};
    copy(from.places, out.places);
    return out;
}

// The known mines of a view.
Closure known_mines(const View& view, const std::uint8_t* known) {
    CellBytes mines = given_of(view, known);
    for (std::uint8_t& mark : mines) mark = mark == kKnownMine ? mark : std::uint8_t{kMaybe};
    return closure_of(view, mines);
}

void copy_candidates(const Grid& grid, const std::vector<Candidate>& found, mines_candidate* out, int capacity,
                     std::int32_t* count) {
    *count = static_cast<std::int32_t>(found.size());
    const std::size_t written = std::min(found.size(), static_cast<std::size_t>(capacity));
    for (std::size_t i = 0; i < written; ++i)
        out[i] = {grid.number(found[i].cell), found[i].safety, found[i].progress, found[i].value};
}

mines_result draw_counterexample(const View& view, int cell, CellBytes& one, CellBytes& other) {
    Closure safe = closure_of(view);
    safe.mark(safe.grid().from_number(cell), false);
    Fit fit = draw_layout(safe, 0, 0, one);
    if (fit != Fit::ok) return result_of(fit);
    // The cells around `cell` that may change, and those of them that the last step has added.
    CellBytes near(view.cells.size());
    near[cell] = 1;
    std::vector<int> added(1, cell), next;
    do {
        next.clear();
        for (const int from : added)
            each_around(view, from, [&](int to) {
                if (near[to] == 0) next.push_back(to);
                near[to] = 1;
            });
        added.swap(next);
        Closure mined = closure_of(view);
        const Grid& grid = mined.grid();
        mined.mark(grid.from_number(cell), true);
        for (std::size_t i = 0; i < near.size(); ++i)
            if (view.cells[i] == kHidden && near[i] == 0)
                mined.mark(grid.from_number(static_cast<int>(i)), one[i] != 0);
        fit = draw_layout(mined, 0, 0, other);
    } while (fit == Fit::inconsistent && !added.empty());
    return result_of(fit);
}

}  // namespace
}  // namespace mines

using namespace mines;

#ifdef __wasm__
// The default prints a message, which takes 20 KB of code.
[[noreturn]] void std::__libcpp_verbose_abort(const char*, ...) noexcept { __builtin_trap(); }
#endif

mines_kernel* mines_new() { return new (std::nothrow) mines_kernel; }

mines_result mines_free(mines_kernel* kernel) {
    const mines_result result = call(kernel, true, [](mines_kernel&) { return MINES_OK; });
    if (result == MINES_OK) delete kernel;
    return result;
}

const char* mines_error(mines_result result) {
    switch (result) {
        case MINES_OK:
            return "no error";
        case MINES_INCONSISTENT:
            return "no layout of the mines fits this view";
        case MINES_TOO_WIDE:
            return "a part of this position is too wide to enumerate";
        case MINES_NONE:
            return "there is no such board, hint, step or guess";
        case MINES_BUSY:
            return "another call uses this kernel; expected a kernel for each thread";
        case MINES_INVALID:
            return "an argument is out of range; minesweeper.h has the ranges";
        case MINES_NO_MEMORY:
            return "out of memory";
        case MINES_STOPPED:
            return "the function of mines_on_progress ended the call";
    }
    return "unknown result";
}

#ifndef __wasm__
#define TEXT(words) #words
#define TEXT_OF(macro) TEXT(macro)
const char* mines_version() { return TEXT_OF(MINES_VERSION); }

mines_result mines_on_progress(mines_kernel* kernel, int (*progress)(void*), void* context) {
    return call(kernel, true, [&](mines_kernel& state) {
        state.progress = progress;
        state.context = context;
        return MINES_OK;
    });
}
#endif

mines_result mines_add_holes(mines_kernel* kernel, int32_t rows, int32_t cols, int32_t shape, const uint8_t* holes,
                             int32_t* with_holes) {
    const bool valid = is_size(rows, cols, shape) && shape < kShapes && holes != nullptr && with_holes != nullptr;
    return call(kernel, valid, [&](mines_kernel&) {
        const CellBytes marks = marks_of(holes, static_cast<std::size_t>(rows) * cols);
        const int added = shape_with_holes(rows, cols, shape, marks.data());
        if (added < 0) return MINES_INVALID;
        *with_holes = added;
        return MINES_OK;
    });
}

mines_result mines_room(mines_kernel* kernel, const mines_recipe* recipe, int32_t* most) {
    return call(kernel, has_start(recipe) && most != nullptr, [&](mines_kernel&) {
        *most = room(recipe_of(*recipe));
        return MINES_OK;
    });
}

mines_result mines_sample(mines_kernel* kernel, const mines_recipe* recipe, uint64_t index, uint8_t* mine,
                          int32_t* click) {
    return call(kernel, is_recipe(recipe) && mine != nullptr && click != nullptr, [&](mines_kernel&) {
        Puzzle puzzle;
        sample(recipe_of(*recipe), index, puzzle);
        copy(puzzle.mine, mine);
        *click = puzzle.click;
        return MINES_OK;
    });
}

mines_result mines_search(mines_kernel* kernel, const mines_recipe* recipe, uint64_t start, uint64_t stop,
                          int32_t repaired, uint8_t* mine, mines_solution* solution) {
    return call(kernel, is_recipe(recipe) && mine != nullptr && solution != nullptr, [&](mines_kernel&) {
        std::vector<FoundPuzzle> found;
        for (uint64_t at = start; at < stop && found.empty(); at += std::min(kBatch, stop - at)) {
            const uint64_t end = at + std::min(kBatch, stop - at);
            found = repaired != 0 ? repair(recipe_of(*recipe), at, end, kMostChanges)
                                  : screen(recipe_of(*recipe), at, end, true);
        }
        if (found.empty()) return MINES_NONE;
        const FoundPuzzle& first = found.front();
        copy(first.puzzle.mine, mine);
        *solution = solution_of(first.puzzle, first.solution, first.index);
        return MINES_OK;
    });
}

mines_result mines_solve(mines_kernel* kernel, int32_t rows, int32_t cols, int32_t shape, const uint8_t* mine,
                         int32_t click, mines_solution* solution) {
    const bool valid = is_board(rows, cols, shape, mine) && 0 <= click && click < rows * cols && mine[click] == 0 &&
                       !is_hole(Size{rows, cols, shape}, click) && solution != nullptr;
    return call(kernel, valid, [&](mines_kernel&) {
        const Puzzle puzzle{rows, cols, click, marks_of(mine, static_cast<std::size_t>(rows) * cols), shape};
        Solution found;
        Solver(kCountClues).solve(puzzle, found);
        if (found.verdict != Verdict::solved) return found.verdict == Verdict::stuck ? MINES_NONE : MINES_TOO_WIDE;
        *solution = solution_of(puzzle, found, 0);
        return MINES_OK;
    });
}

mines_result mines_measure(mines_kernel* kernel, int32_t rows, int32_t cols, int32_t shape, const uint8_t* mine,
                           mines_metrics* metrics) {
    return call(kernel, is_board(rows, cols, shape, mine) && metrics != nullptr, [&](mines_kernel&) {
        const CellBytes marks = marks_of(mine, static_cast<std::size_t>(rows) * cols);
        const Metrics found = MetricsCalculator().board({rows, cols, shape}, marks.data());
        *metrics = {found.bbbv, found.openings, found.islands, found.greedy_zini, found.human_zini};
        return MINES_OK;
    });
}

mines_result mines_reveal(mines_kernel* kernel, int32_t rows, int32_t cols, int32_t shape, const uint8_t* mine,
                          int8_t* cells) {
    return call(kernel, is_board(rows, cols, shape, mine) && cells != nullptr, [&](mines_kernel&) {
        const std::size_t size = static_cast<std::size_t>(rows) * cols;
        const CellBytes marks = marks_of(mine, size);
        View view{rows, cols, 0, std::vector<std::int8_t>(size, kHidden), shape};
        for (std::size_t cell = 0; cell < size; ++cell)
            if (marks[cell] == 0 && view.cells[cell] == kHidden) open_cell(view, marks, static_cast<int>(cell));
        copy(view.cells, cells);
        return MINES_OK;
    });
}

mines_result mines_play(mines_kernel* kernel, const mines_recipe* recipe, int32_t strategy, uint64_t first,
                        int32_t count, int32_t* won) {
    return call(kernel, is_recipe(recipe) && is_strategy(strategy) && won != nullptr, [&](mines_kernel&) {
        Guesser guesser(static_cast<Strategy>(strategy), 1);
        Player player([&](const Grid& known) { return guesser.chosen(known); });
        Puzzle puzzle;
        int total = 0;
        for (int i = 0; i < count; ++i) {
            check_interrupt_now();
            sample(recipe_of(*recipe), first + static_cast<uint64_t>(i), puzzle);
            total += player.play(puzzle).won;
        }
        *won = total;
        return MINES_OK;
    });
}

mines_result mines_set_view(mines_kernel* kernel, int32_t rows, int32_t cols, int32_t shape, int32_t mines,
                            const int8_t* cells) {
    bool valid = is_size(rows, cols, shape) && 0 <= mines && mines <= rows * cols && cells != nullptr;
    valid = valid && std::all_of(cells, cells + static_cast<std::ptrdiff_t>(rows) * cols,
                                 [](int8_t cell) { return kHidden <= cell && cell <= 8; });
    return call(kernel, valid, [&](mines_kernel& state) {
        std::vector<std::int8_t> copied(cells, cells + static_cast<std::ptrdiff_t>(rows) * cols);
        state.view = {rows, cols, mines, std::move(copied), shape};
        each_hole(state.view, [&state](int hole) { state.view.cells[hole] = 0; });
        state.path.clear();
        state.sentences.clear();
        state.guesses.clear();
        return MINES_OK;
    });
}

mines_result mines_closure(mines_kernel* kernel, uint8_t* known) {
    return on_view(kernel, known != nullptr, [&](mines_kernel& state) {
        Closure closure = closure_of(state.view);
        CellBytes found;
        const Fit fit = complete(closure, found);
        if (fit == Fit::ok) copy(found, known);
        return result_of(fit);
    });
}

mines_result mines_probabilities(mines_kernel* kernel, const uint8_t* given, double* chances, double* log_layouts) {
    return on_view(kernel, chances != nullptr && log_layouts != nullptr, [&](mines_kernel& state) {
        Closure found = closure_of(state.view, given_of(state.view, given));
        Counter counter;
        const Fit fit = count_layouts(found, counter);
        if (fit != Fit::ok) return result_of(fit);
        const Grid& grid = found.grid();
        std::vector<double> shares(grid.state.size(), 0);
        counter.probabilities(shares.data());
        *log_layouts = counter.log_layouts();
        grid.each_cell([&](Index number, Index cell) {
            chances[number] = state.view.cells[number] != kHidden ? std::numeric_limits<double>::quiet_NaN()
                              : grid.state[cell] == kMine         ? 1
                                                                  : shares[cell];
        });
        return MINES_OK;
    });
}

mines_result mines_find_hint(mines_kernel* kernel, const uint8_t* given, mines_hint* hint, uint8_t* parts) {
    return on_view(kernel, hint != nullptr && parts != nullptr, [&](mines_kernel& state) {
        Hint found;
        const Fit fit = find_hint(state.view, given_of(state.view, given), found);
        if (fit != Fit::ok) return result_of(fit);
        if (found.tier == 0) return MINES_NONE;
        copy_hint(found, state.view.cells.size(), hint, parts);
        return MINES_OK;
    });
}

mines_result mines_find_path(mines_kernel* kernel, int32_t* steps) {
    return on_view(kernel, steps != nullptr, [&](mines_kernel& state) {
        state.path.clear();
        state.sentences.clear();
        const Fit fit = list_hints(state.view, state.path);
        if (fit != Fit::ok) return result_of(fit);
        state.sentences = sentences(state.view, state.path);
        *steps = static_cast<int32_t>(state.path.size());
        return MINES_OK;
    });
}

mines_result mines_find_chain(mines_kernel* kernel, const uint8_t* flags, int32_t* steps) {
    return on_view(kernel, steps != nullptr, [&](mines_kernel& state) {
        const Fit fit = find_chain(state.view, given_of(state.view, flags), state.path, state.sentences);
        if (fit == Fit::ok) *steps = static_cast<int32_t>(state.path.size());
        return result_of(fit);
    });
}

mines_result mines_path_step(mines_kernel* kernel, int32_t step, mines_hint* hint, uint8_t* parts) {
    return on_view(kernel, hint != nullptr && parts != nullptr, [&](mines_kernel& state) {
        if (step < 0 || static_cast<std::size_t>(step) >= state.path.size()) return MINES_NONE;
        copy_hint(state.path[step], state.view.cells.size(), hint, parts);
        return MINES_OK;
    });
}

mines_result mines_explain_step(mines_kernel* kernel, int32_t step, mines_sentence* sentence) {
    return on_view(kernel, sentence != nullptr, [&](mines_kernel& state) {
        if (step < 0 || static_cast<std::size_t>(step) >= state.sentences.size()) return MINES_NONE;
        *sentence = copy_sentence(state.sentences[step]);
        return MINES_OK;
    });
}

mines_result mines_explain_hint(mines_kernel* kernel, const uint8_t* given, const mines_hint* hint,
                                const uint8_t* parts, mines_sentence* sentence) {
    const bool valid = hint != nullptr && parts != nullptr && sentence != nullptr;
    return on_view(kernel, valid, [&](mines_kernel& state) {
        const Hint found = hint_of(*hint, state.view, parts);
        if (found.tier == 0) return MINES_INVALID;
        *sentence = copy_sentence(Premises(state.view, given_of(state.view, given)).sentence(found));
        return MINES_OK;
    });
}

mines_result mines_rate(mines_kernel* kernel, int32_t strategy, const uint8_t* known, mines_candidate* candidates,
                        int32_t capacity, int32_t* count) {
    const bool valid = is_strategy(strategy) && known != nullptr && candidates != nullptr && capacity >= 0;
    return on_view(kernel, valid && count != nullptr, [&](mines_kernel& state) {
        const Closure marked = known_mines(state.view, known);
        Guesser guesser(static_cast<Strategy>(strategy));
        const bool found = guesser.choose(marked.grid());
        copy_candidates(marked.grid(), found ? guesser.candidates() : std::vector<Candidate>(), candidates, capacity,
                        count);
        return MINES_OK;
    });
}

mines_result mines_evaluate(mines_kernel* kernel, const uint8_t* known, mines_candidate* candidates, int32_t capacity,
                            int32_t* count, int32_t* kind) {
    const bool valid = known != nullptr && candidates != nullptr && capacity >= 0 && count != nullptr;
    return on_view(kernel, valid && kind != nullptr, [&](mines_kernel& state) {
        const Closure marked = known_mines(state.view, known);
        std::vector<Candidate> found;
        *kind = static_cast<int32_t>(Guesser(Strategy::champion).evaluate(marked.grid(), found));
        copy_candidates(marked.grid(), found, candidates, capacity, count);
        return MINES_OK;
    });
}

mines_result mines_find_unavoidable(mines_kernel* kernel, int32_t* count) {
    return on_view(kernel, count != nullptr, [&](mines_kernel& state) {
        const Fit fit = find_unavoidable_guesses(state.view, kMostLayouts, state.guesses);
        if (fit == Fit::ok) *count = static_cast<int32_t>(state.guesses.size());
        return result_of(fit);
    });
}

mines_result mines_unavoidable_guess(mines_kernel* kernel, int32_t guess, uint8_t* cells, uint8_t* one,
                                     uint8_t* other) {
    return on_view(kernel, cells != nullptr && one != nullptr && other != nullptr, [&](mines_kernel& state) {
        if (guess < 0 || static_cast<std::size_t>(guess) >= state.guesses.size()) return MINES_NONE;
        const UnavoidableGuess& found = state.guesses[guess];
        std::fill_n(cells, state.view.cells.size(), uint8_t{0});
        for (const int cell : found.cells) cells[cell] = 1;
        copy(found.layouts[0], one);
        copy(found.layouts[1], other);
        return MINES_OK;
    });
}

mines_result mines_draw_layout(mines_kernel* kernel, int32_t cell, int32_t mine, uint64_t seed, uint64_t stream,
                               uint8_t* layout) {
    return on_view(kernel, layout != nullptr, [&](mines_kernel& state) {
        if (mine >= 0 && !is_hidden(state.view, cell)) return MINES_INVALID;
        Closure known = closure_of(state.view);
        if (mine >= 0) known.mark(known.grid().from_number(cell), mine != 0);
        CellBytes drawn;
        const Fit fit = draw_layout(known, seed, stream, drawn);
        if (fit == Fit::ok) copy(drawn, layout);
        return result_of(fit);
    });
}

mines_result mines_counterexample(mines_kernel* kernel, int32_t cell, uint8_t* safe, uint8_t* mined) {
    return on_view(kernel, safe != nullptr && mined != nullptr, [&](mines_kernel& state) {
        if (!is_hidden(state.view, cell)) return MINES_INVALID;
        CellBytes one, other;
        const mines_result result = draw_counterexample(state.view, cell, one, other);
        if (result != MINES_OK) return result;
        copy(one, safe);
        copy(other, mined);
        return MINES_OK;
    });
}

mines_result mines_open(mines_kernel* kernel, const uint8_t* mine, int32_t cell, int8_t* cells, int32_t* survived) {
    return on_view(kernel, mine != nullptr && cells != nullptr && survived != nullptr, [&](mines_kernel& state) {
        View& view = state.view;
        if (cell < 0 || static_cast<std::size_t>(cell) >= view.cells.size()) return MINES_INVALID;
        *survived = view.cells[cell] != kHidden || open_cell(view, marks_of(mine, view.cells.size()), cell);
        copy(view.cells, cells);
        return MINES_OK;
    });
}

mines_result mines_chord(mines_kernel* kernel, const uint8_t* flags, int32_t cell, uint8_t* opened) {
    return on_view(kernel, flags != nullptr && opened != nullptr, [&](mines_kernel& state) {
        const std::size_t size = state.view.cells.size();
        if (cell < 0 || static_cast<std::size_t>(cell) >= size) return MINES_INVALID;
        std::vector<int> found;
        list_chorded(state.view, marks_of(flags, size), cell, found);
        std::fill_n(opened, size, uint8_t{0});
        for (const int one : found) opened[one] = 1;
        return MINES_OK;
    });
}

mines_result mines_judge(mines_kernel* kernel, uint32_t rules, uint8_t* why) {
    return on_view(kernel, why != nullptr, [&](mines_kernel& state) {
        std::vector<Why> found;
        const Fit fit = judge(state.view, rules_of(rules), found);
        if (fit != Fit::ok) return result_of(fit);
        for (std::size_t i = 0; i < found.size(); ++i)
            why[i] = state.view.cells[i] == kHidden ? static_cast<uint8_t>(found[i]) : uint8_t{MINES_OPEN_CELL};
        return MINES_OK;
    });
}

mines_result mines_click(mines_kernel* kernel, uint32_t rules, int32_t cell, uint64_t seed, uint64_t clicks,
                         int8_t* cells, uint8_t* layout, int32_t* why) {
    return on_view(kernel, cells != nullptr && layout != nullptr && why != nullptr, [&](mines_kernel& state) {
        if (!is_hidden(state.view, cell)) return MINES_INVALID;
        std::vector<Why> judged;
        Fit fit = judge(state.view, rules_of(rules), judged);
        if (fit != Fit::ok) return result_of(fit);
        CellBytes drawn;
        fit = click(state.view, rules_of(rules), judged[cell], cell, seed, clicks, drawn);
        if (fit != Fit::ok) return result_of(fit);
        copy(drawn, layout);
        copy(state.view.cells, cells);
        *why = static_cast<int32_t>(judged[cell]);
        return MINES_OK;
    });
}
