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

// Run a call of a kernel if no pointer is null: `compute()` returns its result.
template <class Compute>
mines_result call(mines_kernel* kernel, std::initializer_list<const void*> pointers, Compute compute) noexcept {
    if (kernel == nullptr) return MINES_INVALID;
    if (!kernel->enter()) return MINES_BUSY;
    Result result = expect(std::count(pointers.begin(), pointers.end(), nullptr) == 0, "no null pointer here");
    if (result.ok()) result = guarded(*kernel, [&]() -> Result { return compute(); });
    kernel->message = std::move(result.message);
    kernel->leave();
    return result.code;
}

// The same with what `compute` finds, an Answer, written by `write` if there is any.
template <class Compute, class Write>
mines_result call(mines_kernel* kernel, std::initializer_list<const void*> pointers, Compute compute,
                  Write write) noexcept {
    return call(kernel, pointers, [&]() -> Result {
        auto answer = compute();
        if (answer.ok()) write(std::move(answer.found));
        return answer;
    });
}

// The same for a call that works on the view.
template <class Compute, class Write>
mines_result on_view(mines_kernel* kernel, std::initializer_list<const void*> pointers, Compute compute,
                     Write write) noexcept {
    return call(
        kernel, pointers,
        [&]() -> decltype(compute(kernel->view)) {
            if (kernel->view.grid == nullptr) return expect(false, "mines_set_view before this call");
            return compute(kernel->view);
        },
        write);
}

template <class Value>
void copy(Value from, Value* to) {
    *to = from;
}
template <class Value>
void copy(const std::vector<Value>& from, Value* to) {
    std::copy(from.begin(), from.end(), to);
}

// Write the finding to a number, or to an array.
template <class Value>
auto into(Value* to) {
    return [to](const auto& found) { copy(found, to); };
}

// Keep the list that was found, and write its size.
template <class Item>
auto keep(std::vector<Item>& list, int32_t* size) {
    return [&list, size](std::vector<Item> found) {
        list = std::move(found);
        *size = static_cast<int32_t>(list.size());
    };
}

// Find an item of such a list.
template <class Item>
Answer<const Item*> item(const std::vector<Item>& list, int number) {
    if (number < 0 || static_cast<std::size_t>(number) >= list.size()) return Result(MINES_NONE);
    Answer<const Item*> answer;
    answer.found = &list[static_cast<std::size_t>(number)];
    return answer;
}

Recipe recipe_of(const mines_recipe* recipe) {
    const GridRef grid = recipe->grid == nullptr ? nullptr : recipe->grid->ref;
    return {grid, recipe->mines, recipe->click, recipe->opening != 0, recipe->seed};
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

void copy_solution(const Puzzle& puzzle, const Solution& solution, std::uint64_t index, mines_solution* out) {
    const Difficulty difficulty = engine::difficulty(puzzle, solution);
    *out = {index, puzzle.click, {}, solution.clues_at_once, difficulty.rating, difficulty.score};
    std::copy(solution.steps + 1, solution.steps + 5, out->tally);
}

void copy_found(const FoundPuzzle& found, std::uint8_t* mine, mines_solution* out) {
    copy(found.puzzle.mine, mine);
    copy_solution(found.puzzle, found.solution, found.index, out);
}

void copy_hint(const Hint& hint, std::size_t size, mines_hint* out, std::uint8_t* parts) {
    const bool mine = hint.safe.empty();
    *out = {hint.tier, hint.smallest, (mine ? hint.mines : hint.safe).front(), mine};
    std::fill_n(parts, size, std::uint8_t{0});
    for (const int cell : hint.safe) parts[cell] = MINES_IN_SAFE;
    for (const int cell : hint.mines) parts[cell] = MINES_IN_MINES;
    for (const int cell : hint.clues) parts[cell] = MINES_IN_CLUES;
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
    return call(kernel, {}, [&] {
        kernel->progress = progress;
        kernel->context = context;
        return MINES_OK;
    });
}
#endif

mines_grid* mines_grid_new(int32_t rows, int32_t cols, int32_t kind, const uint8_t* holes) {
    auto grid = engine::make_grid(rows, cols, kind, {});
    if (grid.ok() && holes != nullptr) grid = engine::make_grid(rows, cols, kind, marks_of(holes, *grid.found));
    return grid.ok() ? new (std::nothrow) mines_grid{std::move(grid.found)} : nullptr;
}

void mines_grid_free(mines_grid* grid) { delete grid; }

mines_result mines_room(mines_kernel* kernel, const mines_recipe* recipe, int32_t* most) {
    return call(kernel, {recipe, most}, [&] { return engine::room(recipe_of(recipe)); }, into(most));
}

mines_result mines_sample(mines_kernel* kernel, const mines_recipe* recipe, uint64_t index, uint8_t* mine,
                          int32_t* click) {
    return call(
        kernel, {recipe, mine, click}, [&] { return engine::sample(recipe_of(recipe), index); },
        [&](const Puzzle& puzzle) {
            copy(puzzle.mine, mine);
            *click = puzzle.click;
        });
}

mines_result mines_search(mines_kernel* kernel, const mines_recipe* recipe, uint64_t start, uint64_t stop,
                          int32_t repaired, uint8_t* mine, mines_solution* solution) {
    return call(
        kernel, {recipe, mine, solution}, [&] { return engine::search(recipe_of(recipe), start, stop, repaired != 0); },
        [&](const FoundPuzzle& found) { copy_found(found, mine, solution); });
}

mines_result mines_deal(mines_kernel* kernel, const mines_recipe* recipe, uint8_t* mine, mines_solution* solution) {
    return call(
        kernel, {recipe, mine, solution}, [&] { return engine::deal(recipe_of(recipe)); },
        [&](const FoundPuzzle& found) { copy_found(found, mine, solution); });
}

mines_result mines_solve(mines_kernel* kernel, const mines_grid* grid, const uint8_t* mine, int32_t click,
                         mines_solution* solution) {
    return call(
        kernel, {grid, mine, solution}, [&] { return engine::solve(puzzle_of(grid, mine, click)); },
        [&](const Solution& found) { copy_solution(puzzle_of(grid, mine, click), found, 0, solution); });
}

mines_result mines_work(mines_kernel* kernel, const mines_grid* grid, const uint8_t* mine, int32_t click,
                        int32_t* work) {
    return call(kernel, {grid, mine, work}, [&] { return engine::work(puzzle_of(grid, mine, click)); }, into(work));
}

mines_result mines_measure(mines_kernel* kernel, const mines_grid* grid, const uint8_t* mine, int32_t click,
                           mines_metrics* metrics) {
    return call(
        kernel, {grid, mine, metrics}, [&] { return engine::measure(puzzle_of(grid, mine, click)); },
        [&](const Metrics& found) {
            *metrics = {found.bbbv,       found.openings, found.islands,      found.greedy_zini,
                        found.human_zini, found.buried,   found.first_opening};
        });
}

mines_result mines_fewest_clicks(mines_kernel* kernel, const mines_grid* grid, const uint8_t* mine, int32_t click,
                                 int32_t most_work, int32_t* clicks, int32_t capacity, int32_t* count, int32_t* bound) {
    return call(
        kernel, {grid, mine, clicks, count, bound},
        [&]() -> Answer<ClickPlan> {
            if (most_work == 0) return expect(false, "most_work above 0, or -1");
            return engine::fewest_clicks(puzzle_of(grid, mine, click), {}, 0, most_work);
        },
        [&](const ClickPlan& found) {
            *count = static_cast<int32_t>(found.clicks.size());
            *bound = found.bound;
            for (int32_t i = 0; i < std::min(*count, capacity); ++i) {
                *clicks++ = static_cast<int32_t>(found.clicks[i].kind);
                *clicks++ = found.clicks[i].cell;
            }
        });
}

mines_result mines_reveal(mines_kernel* kernel, const mines_grid* grid, const uint8_t* mine, int8_t* cells) {
    return call(
        kernel, {grid, mine, cells}, [&] { return engine::reveal(grid->ref, marks_of(mine, *grid->ref)); },
        [&](const View& view) { copy(view.cells, cells); });
}

mines_result mines_play(mines_kernel* kernel, const mines_recipe* recipe, const char* strategy, uint64_t first,
                        int32_t count, int32_t* won) {
    return call(
        kernel, {recipe, strategy, won}, [&] { return engine::play(recipe_of(recipe), strategy, first, count); },
        into(won));
}

mines_result mines_set_view(mines_kernel* kernel, const mines_grid* grid, int32_t mines, const int8_t* cells) {
    return call(kernel, {grid, cells}, [&] {
        View view{grid->ref, mines, {cells, cells + grid->ref->size()}};
        Result valid = engine::check(view);
        if (!valid.ok()) return valid;
        kernel->view = std::move(view);
        kernel->steps.clear();
        kernel->guesses.clear();
        return valid;
    });
}

mines_result mines_set_range(mines_kernel* kernel, int32_t least, double density) {
    return on_view(
        kernel, {},
        [&](View view) -> Answer<View> {
            view.spare = least < 0 ? -1 : view.mines - least;
            view.odds = density / (1 - density);
            Answer<View> checked(engine::check(view));
            checked.found = std::move(view);
            return checked;
        },
        [&](View view) { kernel->view = std::move(view); });
}

mines_result mines_closure(mines_kernel* kernel, uint8_t* known) {
    return on_view(kernel, {known}, engine::closure, into(known));
}

mines_result mines_probabilities(mines_kernel* kernel, const uint8_t* given, double* chances, double* log_layouts) {
    return on_view(
        kernel, {chances, log_layouts}, [&](const View& view) { return engine::chances(view, given_of(view, given)); },
        [&](const Chances& found) {
            copy(found.mine, chances);
            *log_layouts = found.log_layouts;
        });
}

mines_result mines_find_hint(mines_kernel* kernel, const uint8_t* given, mines_hint* hint, uint8_t* parts) {
    return on_view(
        kernel, {hint, parts}, [&](const View& view) { return engine::hint(view, given_of(view, given)); },
        [&](HintStep found) {
            copy_hint(found.hint, kernel->view.cells.size(), hint, parts);
            kernel->steps.assign(1, std::move(found));
        });
}

mines_result mines_find_path(mines_kernel* kernel, int32_t* steps) {
    return on_view(kernel, {steps}, engine::path, keep(kernel->steps, steps));
}

mines_result mines_find_chain(mines_kernel* kernel, const uint8_t* flagged, int32_t* steps) {
    return on_view(
        kernel, {steps}, [&](const View& view) { return engine::chain(view, given_of(view, flagged)); },
        keep(kernel->steps, steps));
}

mines_result mines_step(mines_kernel* kernel, int32_t step, mines_hint* hint, uint8_t* parts, uint8_t* given) {
    return on_view(
        kernel, {hint, parts, given}, [&](const View&) { return item(kernel->steps, step); },
        [&](const HintStep* found) {
            copy_hint(found->hint, kernel->view.cells.size(), hint, parts);
            copy(engine::known_before(kernel->view, kernel->steps, static_cast<std::size_t>(step)), given);
        });
}

mines_result mines_explain(mines_kernel* kernel, int32_t step, mines_sentence* sentence) {
    return on_view(
        kernel, {sentence}, [&](const View&) { return item(kernel->steps, step); },
        [&](const HintStep* found) {
            const Sentence& says = found->sentence;
            *sentence = {says.name, says.clue, says.other, says.count, says.need, says.mines, says.rest, {}};
            std::copy(says.places.begin(), says.places.end(), sentence->places);
        });
}

mines_result mines_rate(mines_kernel* kernel, const char* strategy, const uint8_t* known, mines_candidate* candidates,
                        int32_t capacity, int32_t* count) {
    return on_view(
        kernel, {strategy, known, candidates, count},
        [&](const View& view) { return engine::rate(view, given_of(view, known), strategy); },
        [&](const std::vector<Rated>& found) { *count = copy_ratings(found, candidates, capacity); });
}

mines_result mines_evaluate(mines_kernel* kernel, const uint8_t* known, mines_candidate* candidates, int32_t capacity,
                            int32_t* count, int32_t* kind) {
    return on_view(
        kernel, {known, candidates, count, kind},
        [&](const View& view) { return engine::evaluate(view, given_of(view, known)); },
        [&](const Evaluation& found) {
            *kind = static_cast<int32_t>(found.kind);
            *count = copy_ratings(found.ratings, candidates, capacity);
        });
}

mines_result mines_judge(mines_kernel* kernel, const int32_t* cells, int32_t count, const uint8_t* mine,
                         mines_judgement* judgement, double* chances, mines_candidate* candidates, int32_t capacity,
                         uint8_t* safe, uint8_t* mined) {
    return on_view(
        kernel, {cells, judgement, chances, candidates, safe, mined},
        [&](View& view) {
            const std::vector<int> clicked(cells, cells + std::max(count, 0));
            return mine == nullptr ? engine::judge(view, {}, clicked)
                                   : engine::review(view, marks_of(mine, *view.grid), clicked);
        },
        [&](const Judgement& found) {
            kernel->steps.assign(found.step.hint.tier > 0, found.step);
            *judgement = {static_cast<int32_t>(found.kind),
                          found.best_cell,
                          found.uncertain_cell,
                          !found.chances.empty(),
                          !found.safe_layout.empty(),
                          static_cast<int32_t>(kernel->steps.size()),
                          static_cast<int32_t>(found.guesses.kind),
                          copy_ratings(found.guesses.ratings, candidates, capacity),
                          found.safety,
                          found.best_safety,
                          found.loss};
            copy(found.chances, chances);
            copy(found.safe_layout, safe);
            copy(found.mined_layout, mined);
        });
}

mines_result mines_compare(mines_kernel* kernel, const uint8_t* known, const int32_t* cells, int32_t count,
                           mines_prospect* prospects) {
    return on_view(
        kernel, {cells, prospects},
        [&](const View& view) {
            auto compared = engine::compare(view, given_of(view, known), {cells, cells + std::max(count, 0)});
            if (compared.ok() && compared.found.empty() && count > 0) static_cast<Result&>(compared) = MINES_TOO_WIDE;
            return compared;
        },
        [&](const std::vector<Compared>& found) {
            for (const Compared& one : found)
                *prospects++ = {one.cell, one.why, one.safety, one.progress, one.second, one.win};
        });
}

mines_result mines_find_unavoidable(mines_kernel* kernel, int32_t* count) {
    return on_view(
        kernel, {count}, [](const View& view) { return engine::unavoidable_guesses(view, kMostLayouts); },
        keep(kernel->guesses, count));
}

mines_result mines_unavoidable_guess(mines_kernel* kernel, int32_t guess, uint8_t* cells, uint8_t* one,
                                     uint8_t* other) {
    return on_view(
        kernel, {cells, one, other}, [&](const View&) { return item(kernel->guesses, guess); },
        [&](const UnavoidableGuess* found) {
            std::fill_n(cells, kernel->view.cells.size(), uint8_t{0});
            for (const int cell : found->cells) cells[cell] = 1;
            copy(found->layouts[0], one);
            copy(found->layouts[1], other);
        });
}

mines_result mines_draw_layout(mines_kernel* kernel, int32_t cell, int32_t mine, uint64_t seed, uint64_t stream,
                               uint8_t* layout) {
    return on_view(
        kernel, {layout}, [&](const View& view) { return engine::draw_layout(view, cell, mine, seed, stream); },
        into(layout));
}

mines_result mines_counterexample(mines_kernel* kernel, int32_t cell, uint8_t* safe, uint8_t* mined) {
    return on_view(
        kernel, {safe, mined}, [&](const View& view) { return engine::counterexample(view, cell); },
        [&](const std::pair<CellBytes, CellBytes>& found) {
            copy(found.first, safe);
            copy(found.second, mined);
        });
}

mines_result mines_open(mines_kernel* kernel, const uint8_t* mine, int32_t cell, int8_t* cells, int32_t* survived) {
    return on_view(
        kernel, {mine, cells, survived},
        [&](View& view) { return engine::open(view, marks_of(mine, *view.grid), cell); },
        [&](bool safe) {
            *survived = safe;
            copy(kernel->view.cells, cells);
        });
}

mines_result mines_chord(mines_kernel* kernel, const uint8_t* flags, int32_t cell, uint8_t* opened) {
    return on_view(
        kernel, {flags, opened},
        [&](const View& view) { return engine::chord(view, marks_of(flags, *view.grid), cell); }, into(opened));
}

mines_result mines_kaboom_verdicts(mines_kernel* kernel, uint32_t rules, uint8_t* why) {
    return on_view(kernel, {why}, [&](const View& view) { return engine::kaboom_verdicts(view, rules); }, into(why));
}

mines_result mines_kaboom_click(mines_kernel* kernel, uint32_t rules, int32_t cell, uint64_t seed, uint64_t clicks,
                                int8_t* cells, uint8_t* layout, int32_t* why) {
    return on_view(
        kernel, {cells, layout, why},
        [&](View& view) { return engine::kaboom_click(view, rules, -1, cell, seed, clicks); },
        [&](const KaboomClick& click) {
            copy(click.layout, layout);
            copy(kernel->view.cells, cells);
            *why = static_cast<int32_t>(click.why);
        });
}

mines_result mines_read_picture(mines_kernel* kernel, const uint8_t* pixels, int32_t width, int32_t height,
                                int32_t stride, int32_t* count) {
    return call(
        kernel, {pixels, count}, [&] { return engine::read_picture({pixels, width, height, stride}); },
        keep(kernel->boards, count));
}

mines_result mines_board_read(mines_kernel* kernel, int32_t board, mines_reading* reading, uint8_t* meanings,
                              uint8_t* doubtful, float* chances) {
    return call(
        kernel, {reading}, [&] { return item(kernel->boards, board); },
        [&](const BoardReading* found) {
            const Lattice& at = found->lattice;
            *reading = {at.left(),           at.top(),          at.across(), at.down(), at.rows(), at.cols(),
                        found->fewest_mines, found->most_mines, found->sure};
            if (meanings != nullptr) copy(found->symbols, meanings);
            if (doubtful != nullptr) {
                std::fill_n(doubtful, found->symbols.size(), uint8_t{0});
                for (const int cell : found->doubtful) doubtful[cell] = 1;
            }
            if (chances != nullptr)
                for (const auto& cell : found->chances) chances = std::copy(cell.begin(), cell.end(), chances);
        });
}
