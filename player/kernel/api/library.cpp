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

struct mines_grid {
    mines::GridRef ref;
};

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

Recipe recipe_of(const mines_recipe& recipe) {
    return {recipe.grid->ref, recipe.mines, recipe.click, recipe.opening != 0, recipe.seed};
}

bool is_cell(const Grid& grid, int cell) { return 0 <= cell && cell < grid.size() && !grid.is_hole(cell); }

// Return whether a recipe is valid but for its number of mines.
bool has_start(const mines_recipe* recipe) {
    if (recipe == nullptr || recipe->grid == nullptr) return false;
    return recipe->click == -1 || is_cell(*recipe->grid->ref, recipe->click);
}

bool is_recipe(const mines_recipe* recipe) {
    return has_start(recipe) && 0 <= recipe->mines && recipe->mines <= room(recipe_of(*recipe));
}

bool is_strategy(int strategy) { return MINES_SAFEST <= strategy && strategy <= MINES_CHAMPION; }

bool is_hidden(const View& view, int cell) {
    return 0 <= cell && cell < static_cast<int>(view.cells.size()) && view.cells[cell] == kHidden;
}

// Return whether `mine` is the mine map of a board.
bool is_board(const mines_grid* grid, const std::uint8_t* mine) {
    if (grid == nullptr || mine == nullptr) return false;
    bool on_cells = true;
    grid->ref->each_hole([&](int hole) { on_cells = on_cells && mine[hole] == 0; });
    return on_cells;
}

template <class Value>
void copy(const std::vector<Value>& from, Value* to) {
    std::copy(from.begin(), from.end(), to);
}

// One byte a cell of a board: 1 where `mine` is not 0.
CellBytes marks_of(const std::uint8_t* mine, const Grid& grid) {
    CellBytes marks(static_cast<std::size_t>(grid.size()));
    std::transform(mine, mine + marks.size(), marks.begin(), [](std::uint8_t one) { return one != 0; });
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
    out.difficulty = difficulty(solution, puzzle.grid->cell_count() - mines);
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

mines_sentence copy_sentence(const Sentence& from) {
    mines_sentence out = {from.name, from.clue, from.other, from.count, from.need, from.mines, from.rest, {}};
    std::copy(from.places.begin(), from.places.end(), out.places);
    return out;
}

// The known mines of a view.
Closure known_mines(const View& view, const std::uint8_t* known) {
    CellBytes mines = given_of(view, known);
    for (std::uint8_t& mark : mines) mark = mark == kKnownMine ? mark : std::uint8_t{kMaybe};
    return closure_of(view, mines);
}

void copy_candidates(const Field& field, const std::vector<Candidate>& found, mines_candidate* out, int capacity,
                     std::int32_t* count) {
    *count = static_cast<std::int32_t>(found.size());
    const std::size_t written = std::min(found.size(), static_cast<std::size_t>(capacity));
    for (std::size_t i = 0; i < written; ++i)
        out[i] = {field.number(found[i].cell), found[i].safety, found[i].progress, found[i].value};
}

mines_result draw_counterexample(const View& view, int cell, CellBytes& one, CellBytes& other) {
    Closure safe = closure_of(view);
    safe.mark(safe.field().from_number(cell), false);
    Fit fit = draw_layout(safe, 0, 0, one);
    if (fit != Fit::ok) return result_of(fit);
    // The cells around `cell` that may change, and those of them that the last step has added.
    CellBytes near(view.cells.size());
    near[cell] = 1;
    std::vector<int> added(1, cell), next;
    do {
        next.clear();
        for (const int from : added)
            view.grid->each_around(from, [&](int to) {
                if (near[to] == 0) next.push_back(to);
                near[to] = 1;
            });
        added.swap(next);
        Closure mined = closure_of(view);
        const Field& field = mined.field();
        mined.mark(field.from_number(cell), true);
        for (std::size_t i = 0; i < near.size(); ++i)
            if (view.cells[i] == kHidden && near[i] == 0)
                mined.mark(field.from_number(static_cast<int>(i)), one[i] != 0);
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

mines_grid* mines_grid_new(int32_t rows, int32_t cols, int32_t kind, const uint8_t* holes) {
    if (Grid::objection(rows, cols, kind, {}) != nullptr) return nullptr;
    CellBytes marks;
    if (holes != nullptr) marks.assign(holes, holes + static_cast<std::ptrdiff_t>(rows) * cols);
    for (uint8_t& mark : marks) mark = mark != 0;
    if (Grid::objection(rows, cols, kind, marks) != nullptr) return nullptr;
    return new (std::nothrow) mines_grid{make_grid(rows, cols, kind, std::move(marks))};
}

void mines_grid_free(mines_grid* grid) { delete grid; }

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

mines_result mines_solve(mines_kernel* kernel, const mines_grid* grid, const uint8_t* mine, int32_t click,
                         mines_solution* solution) {
    const bool valid = is_board(grid, mine) && is_cell(*grid->ref, click) && mine[click] == 0 && solution != nullptr;
    return call(kernel, valid, [&](mines_kernel&) {
        const Puzzle puzzle{grid->ref, click, marks_of(mine, *grid->ref)};
        Solution found;
        Solver(kCountClues).solve(puzzle, found);
        if (found.verdict != Verdict::solved) return found.verdict == Verdict::stuck ? MINES_NONE : MINES_TOO_WIDE;
        *solution = solution_of(puzzle, found, 0);
        return MINES_OK;
    });
}

mines_result mines_measure(mines_kernel* kernel, const mines_grid* grid, const uint8_t* mine, mines_metrics* metrics) {
    return call(kernel, is_board(grid, mine) && metrics != nullptr, [&](mines_kernel&) {
        const Metrics found = MetricsCalculator().board(*grid->ref, marks_of(mine, *grid->ref).data());
        *metrics = {found.bbbv, found.openings, found.islands, found.greedy_zini, found.human_zini};
        return MINES_OK;
    });
}

mines_result mines_reveal(mines_kernel* kernel, const mines_grid* grid, const uint8_t* mine, int8_t* cells) {
    return call(kernel, is_board(grid, mine) && cells != nullptr, [&](mines_kernel&) {
        const CellBytes marks = marks_of(mine, *grid->ref);
        View view{grid->ref, 0, std::vector<std::int8_t>(marks.size(), kHidden)};
        for (std::size_t cell = 0; cell < marks.size(); ++cell)
            if (marks[cell] == 0 && view.cells[cell] == kHidden) open_cell(view, marks, static_cast<int>(cell));
        copy(view.cells, cells);
        return MINES_OK;
    });
}

mines_result mines_play(mines_kernel* kernel, const mines_recipe* recipe, int32_t strategy, uint64_t first,
                        int32_t count, int32_t* won) {
    return call(kernel, is_recipe(recipe) && is_strategy(strategy) && won != nullptr, [&](mines_kernel&) {
        Guesser guesser(static_cast<Strategy>(strategy), 1);
        Player player([&](const Field& known) { return guesser.chosen(known); });
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

mines_result mines_set_view(mines_kernel* kernel, const mines_grid* grid, int32_t mines, const int8_t* cells) {
    bool valid = grid != nullptr && cells != nullptr && 0 <= mines && mines <= grid->ref->size();
    valid = valid &&
            std::all_of(cells, cells + grid->ref->size(), [](int8_t cell) { return kHidden <= cell && cell <= 8; });
    return call(kernel, valid, [&](mines_kernel& state) {
        state.view = {grid->ref, mines, {cells, cells + grid->ref->size()}};
        grid->ref->each_hole([&state](int hole) { state.view.cells[hole] = 0; });
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
        const Field& field = found.field();
        std::vector<double> shares(field.state.size(), 0);
        counter.probabilities(shares.data());
        *log_layouts = counter.log_layouts();
        field.each_cell([&](Index number, Index cell) {
            chances[number] = state.view.cells[number] != kHidden ? std::numeric_limits<double>::quiet_NaN()
                              : field.state[cell] == kMine        ? 1
                                                                  : shares[cell];
        });
        return MINES_OK;
    });
}

mines_result mines_find_hint(mines_kernel* kernel, const uint8_t* given, mines_hint* hint, uint8_t* parts) {
    return on_view(kernel, hint != nullptr && parts != nullptr, [&](mines_kernel& state) {
        Hint found;
        const CellBytes known = given_of(state.view, given);
        const Fit fit = find_hint(state.view, known, found);
        if (fit != Fit::ok) return result_of(fit);
        if (found.tier == 0) return MINES_NONE;
        copy_hint(found, state.view.cells.size(), hint, parts);
        state.sentences.assign(1, Premises(state.view, known).sentence(found));
        state.path.assign(1, std::move(found));
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

mines_result mines_explain(mines_kernel* kernel, int32_t step, mines_sentence* sentence) {
    return on_view(kernel, sentence != nullptr, [&](mines_kernel& state) {
        if (step < 0 || static_cast<std::size_t>(step) >= state.sentences.size()) return MINES_NONE;
        *sentence = copy_sentence(state.sentences[step]);
        return MINES_OK;
    });
}

mines_result mines_rate(mines_kernel* kernel, int32_t strategy, const uint8_t* known, mines_candidate* candidates,
                        int32_t capacity, int32_t* count) {
    const bool valid = is_strategy(strategy) && known != nullptr && candidates != nullptr && capacity >= 0;
    return on_view(kernel, valid && count != nullptr, [&](mines_kernel& state) {
        const Closure marked = known_mines(state.view, known);
        Guesser guesser(static_cast<Strategy>(strategy));
        const bool found = guesser.choose(marked.field());
        copy_candidates(marked.field(), found ? guesser.candidates() : std::vector<Candidate>(), candidates, capacity,
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
        *kind = static_cast<int32_t>(Guesser(Strategy::champion).evaluate(marked.field(), found));
        copy_candidates(marked.field(), found, candidates, capacity, count);
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
        if (mine >= 0) known.mark(known.field().from_number(cell), mine != 0);
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
        *survived = view.cells[cell] != kHidden || open_cell(view, marks_of(mine, *view.grid), cell);
        copy(view.cells, cells);
        return MINES_OK;
    });
}

mines_result mines_chord(mines_kernel* kernel, const uint8_t* flags, int32_t cell, uint8_t* opened) {
    return on_view(kernel, flags != nullptr && opened != nullptr, [&](mines_kernel& state) {
        const std::size_t size = state.view.cells.size();
        if (cell < 0 || static_cast<std::size_t>(cell) >= size) return MINES_INVALID;
        std::vector<int> found;
        list_chorded(state.view, marks_of(flags, *state.view.grid), cell, found);
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
