// The C library, minesweeper.h: types of C for the operations of engine.hpp. index.js of the package minesweeper-kernel
// calls the same functions in WebAssembly.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <new>
#include <utility>
#include <vector>

#include "api/engine.hpp"
#include "search/play.hpp"

struct mines_grid {
    mines::GridRef ref;
};

// The position that queries work on, and the results that are read one by one.
struct mines_kernel : mines::Exclusive {
    int (*progress)(void*) = nullptr;
    void* context = nullptr;
    std::string message;
    mines::View view;
    std::vector<mines::HintStep> steps;
    std::vector<mines::UnavoidableGuess> guesses;
    std::vector<mines::BoardReading> boards;
};

namespace mines {
namespace {

constexpr std::uint64_t kBatch = 4;  // boards searched at a time, of which only the first solvable one is used

#ifdef __cpp_exceptions
struct Stopped {};

template <class Compute>
Result guarded(const mines_kernel& kernel, Compute compute) {
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
Result guarded(const mines_kernel&, Compute compute) {
    return compute();
}
#endif

// Run a call of a kernel if no pointer is null: `compute(kernel)` returns its result.
template <class Compute>
mines_result call(mines_kernel* kernel, std::initializer_list<const void*> pointers, Compute compute) noexcept {
    if (kernel == nullptr) return MINES_INVALID;
    if (!kernel->enter()) return MINES_BUSY;
    Result result = expect(std::count(pointers.begin(), pointers.end(), nullptr) == 0, "no null pointer here");
    if (result.ok()) result = guarded(*kernel, [&]() -> Result { return compute(*kernel); });
    kernel->message = std::move(result.message);
    kernel->leave();
    return result.code;
}

// The same for a call that works on the view.
template <class Compute>
mines_result on_view(mines_kernel* kernel, std::initializer_list<const void*> pointers, Compute compute) noexcept {
    return call(kernel, pointers, [&](mines_kernel& state) -> Result {
        if (state.view.grid == nullptr) return expect(false, "mines_set_view before this call");
        return compute(state);
    });
}

// Write the results of an operation if there are any.
template <class Write>
Result then(Result result, Write write) {
    if (result.ok()) write();
    return result;
}

Recipe recipe_of(const mines_recipe& recipe) {
    const GridRef grid = recipe.grid == nullptr ? nullptr : recipe.grid->ref;
    return {grid, recipe.mines, recipe.click, recipe.opening != 0, recipe.seed};
}

template <class Value>
void copy(const std::vector<Value>& from, Value* to) {
    std::copy(from.begin(), from.end(), to);
}

// One byte a cell: 1 where `mine` is not 0.
CellBytes marks_of(const std::uint8_t* mine, const Grid& grid) {
    CellBytes marks(static_cast<std::size_t>(grid.size()));
    std::transform(mine, mine + marks.size(), marks.begin(), [](std::uint8_t one) { return one != 0; });
    return marks;
}

Puzzle puzzle_of(const mines_grid* grid, const std::uint8_t* mine, int click) {
    return {grid->ref, click, marks_of(mine, *grid->ref)};
}

CellBytes given_of(const View& view, const std::uint8_t* given) {
    return given == nullptr ? CellBytes() : CellBytes(given, given + view.cells.size());
}

Result known_strategy(int strategy) {
    return expect(MINES_SAFEST <= strategy && strategy <= MINES_CHAMPION, "a strategy", strategy);
}

void copy_solution(const Puzzle& puzzle, const Solution& solution, std::uint64_t index, mines_solution* out) {
    const Difficulty difficulty = engine::difficulty(puzzle, solution);
    *out = {index, puzzle.click, {}, solution.clues_at_once, difficulty.rating, difficulty.score};
    std::copy(solution.steps + 1, solution.steps + 5, out->tally);
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

std::int32_t copy_ratings(const std::vector<Rated>& ratings, mines_candidate* out, int capacity) {
    const std::size_t written = std::min(ratings.size(), static_cast<std::size_t>(std::max(capacity, 0)));
    for (std::size_t i = 0; i < written; ++i)
        out[i] = {ratings[i].cell, ratings[i].safety, ratings[i].progress, ratings[i].value};
    return static_cast<std::int32_t>(ratings.size());
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
    if (kernel == nullptr) return MINES_INVALID;
    if (!kernel->enter()) return MINES_BUSY;
    delete kernel;
    return MINES_OK;
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
            return "an argument is out of range; mines_message tells which";
        case MINES_NO_MEMORY:
            return "out of memory";
        case MINES_STOPPED:
            return "the function of mines_on_progress ended the call";
    }
    return "unknown result";
}

const char* mines_message(const mines_kernel* kernel) { return kernel->message.c_str(); }

#ifndef __wasm__
#define TEXT(words) #words
#define TEXT_OF(macro) TEXT(macro)
const char* mines_version() { return TEXT_OF(MINES_VERSION); }

mines_result mines_on_progress(mines_kernel* kernel, int (*progress)(void*), void* context) {
    return call(kernel, {}, [&](mines_kernel& state) {
        state.progress = progress;
        state.context = context;
        return MINES_OK;
    });
}
#endif

mines_grid* mines_grid_new(int32_t rows, int32_t cols, int32_t kind, const uint8_t* holes) {
    GridRef grid;
    if (!engine::make_grid(rows, cols, kind, {}, grid).ok()) return nullptr;
    if (holes != nullptr && !engine::make_grid(rows, cols, kind, marks_of(holes, *grid), grid).ok()) return nullptr;
    return new (std::nothrow) mines_grid{std::move(grid)};
}

void mines_grid_free(mines_grid* grid) { delete grid; }

mines_result mines_room(mines_kernel* kernel, const mines_recipe* recipe, int32_t* most) {
    return call(kernel, {recipe, most}, [&](mines_kernel&) { return engine::room(recipe_of(*recipe), *most); });
}

mines_result mines_sample(mines_kernel* kernel, const mines_recipe* recipe, uint64_t index, uint8_t* mine,
                          int32_t* click) {
    return call(kernel, {recipe, mine, click}, [&](mines_kernel&) {
        return then(engine::check(recipe_of(*recipe)), [&] {
            Puzzle puzzle;
            sample(recipe_of(*recipe), index, puzzle);
            copy(puzzle.mine, mine);
            *click = puzzle.click;
        });
    });
}

mines_result mines_search(mines_kernel* kernel, const mines_recipe* recipe, uint64_t start, uint64_t stop,
                          int32_t repaired, uint8_t* mine, mines_solution* solution) {
    return call(kernel, {recipe, mine, solution}, [&](mines_kernel&) {
        Result result = engine::check(recipe_of(*recipe));
        std::vector<FoundPuzzle> found;
        for (uint64_t at = start; result.ok() && at < stop && found.empty(); at += std::min(kBatch, stop - at))
            found = search(recipe_of(*recipe), at, at + std::min(kBatch, stop - at), repaired ? kMostChanges : 0, true);
        if (result.ok() && found.empty()) result = MINES_NONE;
        return then(result, [&] {
            copy(found.front().puzzle.mine, mine);
            copy_solution(found.front().puzzle, found.front().solution, found.front().index, solution);
        });
    });
}

mines_result mines_solve(mines_kernel* kernel, const mines_grid* grid, const uint8_t* mine, int32_t click,
                         mines_solution* solution) {
    return call(kernel, {grid, mine, solution}, [&](mines_kernel&) {
        const Puzzle puzzle = puzzle_of(grid, mine, click);
        Solution found;
        return then(engine::solve(puzzle, found), [&] { copy_solution(puzzle, found, 0, solution); });
    });
}

mines_result mines_work(mines_kernel* kernel, const mines_grid* grid, const uint8_t* mine, int32_t click,
                        int32_t* work) {
    return call(kernel, {grid, mine, work},
                [&](mines_kernel&) { return engine::work(puzzle_of(grid, mine, click), *work); });
}

mines_result mines_measure(mines_kernel* kernel, const mines_grid* grid, const uint8_t* mine, int32_t click,
                           mines_metrics* metrics) {
    return call(kernel, {grid, mine, metrics}, [&](mines_kernel&) {
        Metrics found;
        return then(engine::measure(puzzle_of(grid, mine, click), found), [&] {
            *metrics = {found.bbbv,       found.openings, found.islands,      found.greedy_zini,
                        found.human_zini, found.buried,   found.first_opening};
        });
    });
}

mines_result mines_reveal(mines_kernel* kernel, const mines_grid* grid, const uint8_t* mine, int8_t* cells) {
    return call(kernel, {grid, mine, cells}, [&](mines_kernel&) {
        View view;
        return then(engine::reveal(grid->ref, marks_of(mine, *grid->ref), view), [&] { copy(view.cells, cells); });
    });
}

mines_result mines_play(mines_kernel* kernel, const mines_recipe* recipe, int32_t strategy, uint64_t first,
                        int32_t count, int32_t* won) {
    return call(kernel, {recipe, won}, [&](mines_kernel&) {
        const Result valid = engine::check(recipe_of(*recipe));
        return then(valid.ok() ? known_strategy(strategy) : valid, [&] {
            Guesser guesser(static_cast<Strategy>(strategy), 1);
            Player player([&](const Field& known) { return guesser.chosen(known); });
            int total = 0;
            Puzzles(recipe_of(*recipe), first, static_cast<uint64_t>(std::max(count, 0)))
                .each([&](const Puzzle& puzzle) { total += player.play(puzzle).won; });
            *won = total;
        });
    });
}

mines_result mines_set_view(mines_kernel* kernel, const mines_grid* grid, int32_t mines, const int8_t* cells) {
    return call(kernel, {grid, cells}, [&](mines_kernel& state) {
        View view{grid->ref, mines, {cells, cells + grid->ref->size()}};
        return then(engine::check(view), [&] {
            state.view = std::move(view);
            state.steps.clear();
            state.guesses.clear();
        });
    });
}

mines_result mines_closure(mines_kernel* kernel, uint8_t* known) {
    return on_view(kernel, {known}, [&](mines_kernel& state) {
        CellBytes found;
        return then(engine::closure(state.view, found), [&] { copy(found, known); });
    });
}

mines_result mines_probabilities(mines_kernel* kernel, const uint8_t* given, double* chances, double* log_layouts) {
    return on_view(kernel, {chances, log_layouts}, [&](mines_kernel& state) {
        Chances found;
        return then(engine::chances(state.view, given_of(state.view, given), found), [&] {
            copy(found.mine, chances);
            *log_layouts = found.log_layouts;
        });
    });
}

mines_result mines_find_hint(mines_kernel* kernel, const uint8_t* given, mines_hint* hint, uint8_t* parts) {
    return on_view(kernel, {hint, parts}, [&](mines_kernel& state) {
        HintStep found;
        return then(engine::hint(state.view, given_of(state.view, given), found), [&] {
            copy_hint(found.hint, state.view.cells.size(), hint, parts);
            state.steps.assign(1, std::move(found));
        });
    });
}

mines_result mines_find_path(mines_kernel* kernel, int32_t* steps) {
    return on_view(kernel, {steps}, [&](mines_kernel& state) {
        return then(engine::path(state.view, state.steps), [&] { *steps = static_cast<int32_t>(state.steps.size()); });
    });
}

mines_result mines_find_chain(mines_kernel* kernel, const uint8_t* flagged, int32_t* steps) {
    return on_view(kernel, {steps}, [&](mines_kernel& state) {
        return then(engine::chain(state.view, given_of(state.view, flagged), state.steps),
                    [&] { *steps = static_cast<int32_t>(state.steps.size()); });
    });
}

mines_result mines_step(mines_kernel* kernel, int32_t step, mines_hint* hint, uint8_t* parts, uint8_t* given) {
    return on_view(kernel, {hint, parts, given}, [&](mines_kernel& state) -> Result {
        if (step < 0 || static_cast<std::size_t>(step) >= state.steps.size()) return MINES_NONE;
        copy_hint(state.steps[step].hint, state.view.cells.size(), hint, parts);
        copy(engine::known_before(state.view, state.steps, static_cast<std::size_t>(step)), given);
        return MINES_OK;
    });
}

mines_result mines_explain(mines_kernel* kernel, int32_t step, mines_sentence* sentence) {
    return on_view(kernel, {sentence}, [&](mines_kernel& state) -> Result {
        if (step < 0 || static_cast<std::size_t>(step) >= state.steps.size()) return MINES_NONE;
        *sentence = copy_sentence(state.steps[step].sentence);
        return MINES_OK;
    });
}

mines_result mines_rate(mines_kernel* kernel, int32_t strategy, const uint8_t* known, mines_candidate* candidates,
                        int32_t capacity, int32_t* count) {
    return on_view(kernel, {known, candidates, count}, [&](mines_kernel& state) {
        const Result valid = known_strategy(strategy);
        std::vector<Rated> found;
        return then(valid.ok()
                        ? engine::rate(state.view, given_of(state.view, known), static_cast<Strategy>(strategy), found)
                        : valid,
                    [&] { *count = copy_ratings(found, candidates, capacity); });
    });
}

mines_result mines_evaluate(mines_kernel* kernel, const uint8_t* known, mines_candidate* candidates, int32_t capacity,
                            int32_t* count, int32_t* kind) {
    return on_view(kernel, {known, candidates, count, kind}, [&](mines_kernel& state) {
        Evaluation found;
        return then(engine::evaluate(state.view, given_of(state.view, known), found), [&] {
            *kind = static_cast<int32_t>(found.kind);
            *count = copy_ratings(found.ratings, candidates, capacity);
        });
    });
}

mines_result mines_judge(mines_kernel* kernel, const int32_t* cells, int32_t count, const uint8_t* mine,
                         mines_judgement* judgement, double* chances, mines_candidate* candidates, int32_t capacity,
                         uint8_t* safe, uint8_t* mined) {
    return on_view(kernel, {cells, judgement, chances, candidates, safe, mined}, [&](mines_kernel& state) {
        const std::vector<int> clicked(cells, cells + std::max(count, 0));
        View after = state.view;
        Judgement found;
        const Result result = mine == nullptr ? engine::judge(after, {}, clicked, found)
                                              : engine::review(after, marks_of(mine, *after.grid), clicked, found);
        return then(result, [&] {
            state.view = std::move(after);
            state.steps.assign(found.step.hint.tier > 0, found.step);
            *judgement = {static_cast<int32_t>(found.kind),
                          found.best_cell,
                          found.uncertain_cell,
                          !found.chances.empty(),
                          !found.safe_layout.empty(),
                          static_cast<int32_t>(state.steps.size()),
                          static_cast<int32_t>(found.guesses.kind),
                          copy_ratings(found.guesses.ratings, candidates, capacity),
                          found.safety,
                          found.best_safety,
                          found.loss};
            copy(found.chances, chances);
            copy(found.safe_layout, safe);
            copy(found.mined_layout, mined);
        });
    });
}

mines_result mines_find_unavoidable(mines_kernel* kernel, int32_t* count) {
    return on_view(kernel, {count}, [&](mines_kernel& state) {
        return then(find_unavoidable_guesses(state.view, kMostLayouts, state.guesses),
                    [&] { *count = static_cast<int32_t>(state.guesses.size()); });
    });
}

mines_result mines_unavoidable_guess(mines_kernel* kernel, int32_t guess, uint8_t* cells, uint8_t* one,
                                     uint8_t* other) {
    return on_view(kernel, {cells, one, other}, [&](mines_kernel& state) -> Result {
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
    return on_view(kernel, {layout}, [&](mines_kernel& state) {
        CellBytes drawn;
        return then(engine::draw_layout(state.view, cell, mine, seed, stream, drawn), [&] { copy(drawn, layout); });
    });
}

mines_result mines_counterexample(mines_kernel* kernel, int32_t cell, uint8_t* safe, uint8_t* mined) {
    return on_view(kernel, {safe, mined}, [&](mines_kernel& state) {
        CellBytes one, other;
        return then(engine::counterexample(state.view, cell, one, other), [&] {
            copy(one, safe);
            copy(other, mined);
        });
    });
}

mines_result mines_open(mines_kernel* kernel, const uint8_t* mine, int32_t cell, int8_t* cells, int32_t* survived) {
    return on_view(kernel, {mine, cells, survived}, [&](mines_kernel& state) {
        bool safe = false;
        return then(engine::open(state.view, marks_of(mine, *state.view.grid), cell, safe), [&] {
            *survived = safe;
            copy(state.view.cells, cells);
        });
    });
}

mines_result mines_chord(mines_kernel* kernel, const uint8_t* flags, int32_t cell, uint8_t* opened) {
    return on_view(kernel, {flags, opened}, [&](mines_kernel& state) {
        std::vector<int> found;
        return then(engine::chord(state.view, marks_of(flags, *state.view.grid), cell, found), [&] {
            std::fill_n(opened, state.view.cells.size(), uint8_t{0});
            for (const int one : found) opened[one] = 1;
        });
    });
}

mines_result mines_kaboom_verdicts(mines_kernel* kernel, uint32_t rules, uint8_t* why) {
    return on_view(kernel, {why}, [&](mines_kernel& state) {
        std::vector<Why> found;
        return then(kaboom_verdicts(state.view, rules_of(rules), found), [&] {
            for (std::size_t i = 0; i < found.size(); ++i)
                why[i] = state.view.cells[i] == kHidden ? static_cast<uint8_t>(found[i]) : uint8_t{MINES_OPEN_CELL};
        });
    });
}

mines_result mines_kaboom_click(mines_kernel* kernel, uint32_t rules, int32_t cell, uint64_t seed, uint64_t clicks,
                                int8_t* cells, uint8_t* layout, int32_t* why) {
    return on_view(kernel, {cells, layout, why}, [&](mines_kernel& state) {
        CellBytes drawn;
        int judged = -1;
        return then(engine::kaboom_click(state.view, rules, judged, cell, seed, clicks, drawn), [&] {
            copy(drawn, layout);
            copy(state.view.cells, cells);
            *why = judged;
        });
    });
}

mines_result mines_read_picture(mines_kernel* kernel, const uint8_t* pixels, int32_t width, int32_t height,
                                int32_t stride, int32_t* count) {
    return call(kernel, {pixels, count}, [&](mines_kernel& state) {
        return then(engine::read_picture({pixels, width, height, stride}, state.boards),
                    [&] { *count = static_cast<int32_t>(state.boards.size()); });
    });
}

mines_result mines_board_read(mines_kernel* kernel, int32_t board, mines_reading* reading, uint8_t* meanings,
                              uint8_t* doubtful, float* chances) {
    return call(kernel, {reading}, [&](mines_kernel& state) -> Result {
        if (board < 0 || static_cast<std::size_t>(board) >= state.boards.size()) return MINES_NONE;
        const BoardReading& found = state.boards[board];
        const Lattice& at = found.lattice;
        *reading = {at.left, at.top, at.across, at.down, at.rows, at.cols, found.fewest_mines, found.most_mines, found.sure};
        if (meanings != nullptr) copy(found.symbols, meanings);
        if (doubtful != nullptr) {
            std::fill_n(doubtful, found.symbols.size(), uint8_t{0});
            for (const int cell : found.doubtful) doubtful[cell] = 1;
        }
        if (chances != nullptr)
            for (const auto& cell : found.chances) chances = std::copy(cell.begin(), cell.end(), chances);
        return MINES_OK;
    });
}
