// The Python module: types of Python for the operations of engine.hpp. player/kernel_api.py is the only module that
// imports it; the others use its handle `kernel`. player/_kernel.pyi lists the functions.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "api/engine.hpp"
#include "explain/proof_clauses.hpp"
#include "explain/view_solver.hpp"
#include "make/paper.hpp"
#include "search/games.hpp"
#include "search/optimal.hpp"
#include "search/recording.hpp"
#include "search/rollout.hpp"
#include "see/glyphs.hpp"
#include "see/reading.hpp"

namespace mines::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

template <typename Value, int dimensions>
using Array = nb::ndarray<Value, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;
using Cells = Array<const std::int8_t, 2>;     // of a view
using MineMaps = Array<const bool, 3>;         // boards of one grid
using Numbers = Array<const std::int64_t, 1>;  // of cells
using Marks = Array<const std::uint8_t, 2>;    // a `Known` for each cell
using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;

struct NativeGrid {
    GridRef ref;

    const Grid& operator*() const { return *ref; }
    const Grid* operator->() const { return ref.get(); }
};

nb::ft_mutex interrupt_check_mutex;

// Never destroyed, because the interpreter ends first.
nb::object& interrupt_check() {
    static nb::object* const callable = new nb::object();
    return *callable;
}

// Releases the GIL during a computation. About a hundred times a second it checks for Ctrl-C and calls the function of
// `set_interrupt_check`, which ends the computation by raising.
class KernelCall {
  public:
    KernelCall() : pulse_([this] { poll(); }) {}

  private:
    static constexpr std::chrono::milliseconds kPause{10};

    void poll() {
        if (std::chrono::steady_clock::now() < next_) return;
        const nb::gil_scoped_acquire locked;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        nb::object check;
        {
            const nb::ft_lock_guard guard(interrupt_check_mutex);
            check = interrupt_check();
        }
        if (check.is_valid()) check();
        next_ = std::chrono::steady_clock::now() + kPause;
    }

    std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + kPause;
    nb::gil_scoped_release unlocked_;
    InterruptCheck pulse_;
};

// Raise the exception of an operation that failed on a board of this grid.
void check(const Result& result, const Grid* grid = nullptr, int mines = 0) {
    if (result.ok() || result.code == MINES_NONE) return;
    if (result.code == MINES_INVALID) throw std::invalid_argument(result.message);
    const nb::module_ errors = nb::module_::import_("minesweeper.player.core.errors");
    if (result.code == MINES_INCONSISTENT) {
        PyErr_SetNone(errors.attr("InconsistentView").ptr());
    } else {
        const std::string board =
            std::to_string(grid->rows) + "x" + std::to_string(grid->cols) + "/" + std::to_string(mines);
        const std::string text = board + " has a component too wide to count its layouts in memory";
        PyErr_SetString(errors.attr("TooWide").ptr(), text.c_str());
    }
    throw nb::python_error();
}
template <class... Words>
void require(bool holds, const Words&... words) {
    if (!holds) check(expect(holds, words...));
}

// Run an operation on a view without the GIL, and check its result.
template <class Compute>
void run(const View& view, Compute compute) {
    Result result;
    {
        const KernelCall call;
        result = compute();
    }
    check(result, view.grid.get(), view.mines);
}

// Wrap a method of an `Exclusive`: it throws while another call uses the object.
template <class Object, class Returned, class... Arguments>
auto exclusive(Returned (Object::*method)(Arguments...)) {
    return [method](Object& object, Arguments... arguments) {
        require(object.enter(), "one call at a time on an object; use an object for each thread");
        struct Use {
            ~Use() { used.leave(); }
            Object& used;
        };
        const Use use{object};
        return (object.*method)(arguments...);
    };
}

// Arguments.

void check_size(std::size_t rows, std::size_t cols, const Grid& grid) {
    require(rows == static_cast<std::size_t>(grid.rows) && cols == static_cast<std::size_t>(grid.cols),
            "arrays of the size of the grid");
}

// `holes` is empty, or has a byte for each cell.
NativeGrid new_grid(std::int64_t rows, std::int64_t cols, int kind, const nb::bytes& holes) {
    const auto* const first = reinterpret_cast<const std::uint8_t*>(holes.c_str());
    NativeGrid grid;
    check(engine::make_grid(rows, cols, kind, {first, first + holes.size()}, grid.ref));
    return grid;
}

Recipe new_recipe(const NativeGrid& grid, int mines, int click, bool opening, std::uint64_t seed) {
    const Recipe recipe{grid.ref, mines, click, opening, seed};
    check(engine::check(recipe));
    return recipe;
}

View new_view(const Cells& cells, int mines, const NativeGrid& grid) {
    check_size(cells.shape(0), cells.shape(1), *grid);
    View view{grid.ref, mines, {cells.data(), cells.data() + cells.size()}};
    check(engine::check(view));
    return view;
}

// Read an array with a `Known` for each cell.
CellBytes read_marks(const Marks& marks) { return {marks.data(), marks.data() + marks.size()}; }

// Read a map of bool of any strides: the known mines of a view.
CellBytes read_known_mines(const AnyArray& map, const View& view) {
    const auto rows = static_cast<std::size_t>(view.grid->rows), cols = static_cast<std::size_t>(view.grid->cols);
    require(map.dtype() == nb::dtype<bool>() && map.ndim() == 2 && map.shape(0) == rows && map.shape(1) == cols,
            "a " + std::to_string(rows) + "x" + std::to_string(cols) + " array of bool");
    CellBytes known;
    const auto* const first = static_cast<const bool*>(map.data());
    for (std::int64_t row = 0; row < view.grid->rows; ++row)
        for (std::int64_t col = 0; col < view.grid->cols; ++col)
            known.push_back(first[row * map.stride(0) + col * map.stride(1)] ? kKnownMine : kMaybe);
    return known;
}

// `clicks` is null for boards without first clicks.
Puzzles read_puzzles(const MineMaps& mine_maps, const Numbers* clicks, const NativeGrid& grid) {
    check_size(mine_maps.shape(1), mine_maps.shape(2), *grid);
    require(clicks == nullptr || clicks->size() == mine_maps.shape(0), "one first click for each board");
    std::vector<Puzzle> puzzles;
    const bool* mines = mine_maps.data();
    for (std::size_t i = 0; i < mine_maps.shape(0); ++i, mines += grid->size()) {
        const std::int64_t click = clicks == nullptr ? -1 : (*clicks)(i);
        require(clicks == nullptr || (0 <= click && click < grid->size()), "the first click on the board", click);
        puzzles.push_back({grid.ref, static_cast<int>(click), {mines, mines + grid->size()}});
        check(engine::check(puzzles.back()));
    }
    return Puzzles(std::move(puzzles));
}

// Pass puzzles to `visit` without the GIL.
template <class Visit>
void each(const Puzzles& puzzles, Visit visit) {
    const KernelCall call;
    puzzles.each(visit);
}

// Results.

template <class Value>
nb::bytes to_bytes(const std::vector<Value>& data) {
    return nb::bytes(data.data(), data.size() * sizeof(Value));
}
nb::object number_or_none(double number) { return std::isnan(number) ? nb::none() : nb::object(nb::float_(number)); }
nb::object natural_or_none(int number) { return number < 0 ? nb::none() : nb::object(nb::int_(number)); }
nb::tuple tally(const std::int64_t* steps) { return nb::make_tuple(steps[1], steps[2], steps[3], steps[4]); }
nb::object path_text(std::uint64_t hash) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
    return nb::str(text);
}

nb::object convert(int cell) { return nb::int_(cell); }
nb::object convert(const CellBytes& marks) { return to_bytes(marks); }
nb::object convert(const std::vector<Why>& why) { return to_bytes(why); }
template <class Value>
nb::object convert(const std::vector<Value>& values);
nb::object convert(const Solution& one) {
    const nb::object clues = natural_or_none(one.clues_at_once);
    return nb::make_tuple(one.verdict, tally(one.steps), clues, to_bytes(one.unknown));
}
// Tier, whether no smaller set of clues exists, safe cells, mines, clues, and the sentence.
nb::object convert(const HintStep& one) {
    const Hint& hint = one.hint;
    const Sentence& says = one.sentence;
    const int count = says.clue < 0 || says.other >= 0 ? 0 : says.mines;
    const std::vector<int> places(says.places.begin(), says.places.begin() + count);
    const auto sentence =
        nb::make_tuple(says.name, says.clue, says.other, says.count, says.need, says.mines, says.rest, convert(places));
    return nb::make_tuple(hint.tier, hint.smallest, convert(hint.safe), convert(hint.mines), convert(hint.clues),
                          sentence);
}
nb::object convert(const Rated& one) { return nb::make_tuple(one.cell, one.safety, one.progress, one.value); }
nb::object convert(const Evaluation& one) {
    return nb::make_tuple(one.kind == EvaluationKind::exact, convert(one.ratings));
}
nb::object convert(const MineSwap& one) { return nb::make_tuple(convert(one.mines), convert(one.safe)); }
nb::object convert(const PuzzleIds& one) { return nb::make_tuple(one.id, one.canonical_id, to_bytes(one.mine_bits)); }
nb::object convert(const FoundPuzzle& one) {
    return nb::make_tuple(one.index, one.puzzle.click, to_bytes(one.puzzle.mine), convert(one.solution));
}
nb::object convert(const Certificate& one) {
    return nb::make_tuple(path_text(one.path), natural_or_none(one.clues_at_once), convert(one.proofs));
}
nb::object convert(const PaperForm& one) {
    return nb::make_tuple(to_bytes(one.cells), one.complete, one.revealed, tally(one.steps.data()));
}
nb::object convert(const UnavoidableGuess& one) {
    return nb::make_tuple(convert(one.cells), convert(one.layouts[0]), convert(one.layouts[1]));
}
nb::object convert(const CountWeights& one) { return nb::make_tuple(one.low, one.numbers); }

// With the names of player/logic/metrics.py.
nb::dict named(const Metrics& metrics) {
    nb::dict measures;
    measures["bbbv"] = metrics.bbbv;
    measures["openings"] = metrics.openings;
    measures["islands"] = metrics.islands;
    measures["greedy_zini"] = metrics.greedy_zini;
    measures["human_zini"] = metrics.human_zini;
    measures["buried"] = metrics.buried;
    if (metrics.first_opening > 0) measures["first_opening"] = metrics.first_opening;
    return measures;
}

nb::object convert(const Metrics& metrics) { return named(metrics); }

// Whether each path solves its puzzle, whether it is too wide, its hash, and its steps.
nb::object convert(const Paths& paths) {
    nb::list list;
    for (std::size_t i = 0; i < paths.hash.size(); ++i) {
        nb::list steps;
        for (auto step = static_cast<std::size_t>(paths.steps[i]); step < static_cast<std::size_t>(paths.steps[i + 1]);
             ++step) {
            const auto cells = [&](std::size_t piece) {
                const std::int64_t* const bounds = &paths.bounds[3 * step + piece];
                return nb::tuple(
                    nb::cast(std::vector<int>(paths.cells.begin() + bounds[0], paths.cells.begin() + bounds[1])));
            };
            steps.append(nb::make_tuple(paths.tier[step], paths.smallest[step] != 0, cells(0), cells(1), cells(2)));
        }
        list.append(nb::make_tuple(paths.solved[i] != 0, paths.too_wide[i] != 0, path_text(paths.hash[i]), steps));
    }
    return list;
}

nb::object convert(const Judgement& found) {
    const char* const kinds[] = {"first click", "certain", "forced guess", "needless guess", "known mine"};
    const bool is_rated = found.guesses.kind != EvaluationKind::none;
    const bool has_layouts = !found.safe_layout.empty();
    nb::dict judged;
    judged["verdict"] = kinds[static_cast<int>(found.kind)];
    judged["safety"] = number_or_none(found.safety);
    judged["best_cell"] = natural_or_none(found.best_cell);
    judged["best_safety"] = number_or_none(found.best_safety);
    judged["chances"] = found.chances.empty() ? nb::none() : nb::object(to_bytes(found.chances));
    judged["evaluation"] = is_rated ? nb::object(convert(found.guesses)) : nb::none();
    judged["loss"] = number_or_none(found.loss);
    judged["uncertain_cell"] = natural_or_none(found.uncertain_cell);
    judged["step"] = found.step.hint.tier > 0 ? nb::object(convert(found.step)) : nb::none();
    judged["layouts"] = has_layouts
                            ? nb::object(nb::make_tuple(to_bytes(found.safe_layout), to_bytes(found.mined_layout)))
                            : nb::none();
    return judged;
}

// The columns of generator/search.py, and the clauses of the certificate.
nb::object convert(const KeptPuzzle& one) {
    const std::int64_t* const steps = one.found.solution.steps;
    const int click = one.found.puzzle.click, cols = one.found.puzzle.grid->cols;
    nb::dict row = named(one.metrics);
    row["sample_index"] = one.found.index;
    row["first_row"] = click / cols;
    row["first_col"] = click % cols;
    row["id"] = one.ids.id;
    row["canonical_id"] = one.ids.canonical_id;
    row["mine_bits"] = to_bytes(one.ids.mine_bits);
    row["steps_1_clue"] = steps[1];
    row["steps_2_clues"] = steps[2];
    row["steps_more_clues"] = steps[3];
    row["steps_mine_count"] = steps[4];
    row["clues_at_once"] = natural_or_none(one.certificate.clues_at_once);
    row["path_hash"] = one.certified ? nb::object(path_text(one.certificate.path)) : nb::none();
    row["proofs"] = one.certified ? nb::object(nb::int_(one.certificate.proofs.size())) : nb::none();
    row["clauses"] = convert(one.certificate.proofs);
    return row;
}

template <class Value>
nb::object convert(const std::vector<Value>& values) {
    nb::list list;
    for (const Value& value : values) list.append(convert(value));
    return list;
}

// Run an operation on a view, and convert its result.
template <class Found, class Compute>
nb::object answer(const View& view, Compute compute) {
    Found found{};
    run(view, [&] { return compute(found); });
    return convert(found);
}

// Run a computation for each of some puzzles, and convert the results.
template <class Found, class Compute>
nb::object answers(const Puzzles& puzzles, Compute compute) {
    std::vector<Found> found;
    {
        const KernelCall call;
        puzzles.each([&](const Puzzle& puzzle) { compute(puzzle, found.emplace_back()); });
    }
    return convert(found);
}

// Puzzles.

nb::object solution_paths(const MineMaps& mine_maps, const Numbers& clicks, const NativeGrid& grid) {
    Paths paths;
    PathFinder finder;
    each(read_puzzles(mine_maps, &clicks, grid), [&](const Puzzle& puzzle) { finder.find(puzzle, paths); });
    return convert(paths);
}

nb::object clauses_of(const NativeGrid& grid, const nb::bytes& mine, const nb::bytes& unknown, bool counted,
                      const std::vector<int>& safe, const std::vector<int>& mines, const std::vector<int>& clues) {
    for (const nb::bytes* const cells : {&mine, &unknown})
        require(cells->size() == static_cast<std::size_t>(grid->size()), "a byte for each cell", cells->size());
    for (const std::vector<int>* const cells : {&safe, &mines, &clues})
        for (const int cell : *cells) require(0 <= cell && cell < grid->size(), "cells of the board", cell);
    const auto bytes = [](const nb::bytes& cells) { return reinterpret_cast<const std::uint8_t*>(cells.c_str()); };
    std::optional<Clauses> clauses;
    {
        const KernelCall call;
        clauses = proof_clauses({*grid, bytes(mine), bytes(unknown), counted, safe, mines, clues});
    }
    return clauses ? convert(*clauses) : nb::none();
}

nb::object certify(const MineMaps& mine_maps, const Numbers& clicks, const NativeGrid& grid,
                   const Numbers& easy_clues) {
    require(easy_clues.size() == clicks.size(), "a number of clues for each puzzle");
    const std::int64_t* easy = easy_clues.data();
    Certifier certifier;
    return answers<Certificate>(read_puzzles(mine_maps, &clicks, grid), [&](const Puzzle& puzzle, Certificate& out) {
        out = certifier.certify(puzzle, static_cast<int>(*easy++));
    });
}

// `accepts`, a function of the tally and the clues at once or None, is a part of the filter.
nb::object find(const Recipe& recipe, std::uint64_t start, std::uint64_t stop, int most_changes, bool certified,
                bool count_clues, int min_bbbv, int max_buried, const nb::object& accepts) {
    FindOptions options{most_changes, certified, count_clues, min_bbbv, max_buried, {}};
    if (!accepts.is_none())
        options.accepts = [&accepts](const Solution& solution) {
            const nb::gil_scoped_acquire locked;
            return nb::cast<bool>(accepts(tally(solution.steps), natural_or_none(solution.clues_at_once)));
        };
    std::vector<KeptPuzzle> kept;
    {
        const KernelCall call;
        kept = mines::find(recipe, start, stop, options);
    }
    return convert(kept);
}

nb::object screen(const Recipe& recipe, std::uint64_t start, std::uint64_t stop, int most_changes, bool count_clues) {
    std::vector<FoundPuzzle> found;
    {
        const KernelCall call;
        found = mines::search(recipe, start, stop, most_changes, count_clues);
    }
    return convert(found);
}

// Fill `maps` with the mines of the boards from `start` on.
void sample_mine_maps(const Recipe& recipe, std::uint64_t start, const Array<std::uint8_t, 3>& maps) {
    check_size(maps.shape(1), maps.shape(2), *recipe.grid);
    std::uint8_t* out = maps.data();
    each(Puzzles(recipe, start, maps.shape(0)),
         [&](const Puzzle& puzzle) { out = std::copy(puzzle.mine.begin(), puzzle.mine.end(), out); });
}

// A dictionary for each board, with `first_opening` if there are clicks.
nb::object measure(const MineMaps& mine_maps, const nb::object& clicks, const NativeGrid& grid) {
    const Numbers numbers = clicks.is_none() ? Numbers() : nb::cast<Numbers>(clicks, false);
    MetricsCalculator measuring;
    return answers<Metrics>(read_puzzles(mine_maps, clicks.is_none() ? nullptr : &numbers, grid),
                            [&](const Puzzle& puzzle, Metrics& out) { out = measuring.puzzle(puzzle); });
}

// Games.

Strategy strategy_of(const std::string& name) {
    Strategy strategy = Strategy::quick;
    check(engine::strategy_named(name, strategy));
    return strategy;
}

// The strategies that finish the games of rollouts.
Strategy base_of(const std::string& name) { return name == "quick" ? Strategy::quick : strategy_of(name); }

int checked_threads(std::int64_t threads) {
    require(1 <= threads && threads <= 256, "1 to 256 threads", threads);
    return static_cast<int>(threads);
}

RolloutOptions new_options(std::int64_t layouts, double seconds, std::int64_t threads, const std::string& base,
                           std::int64_t most_unknown) {
    constexpr int kMost = std::numeric_limits<int>::max();
    require(1 <= layouts && layouts <= kMost, "1 to 2147483647 layouts", layouts);
    require(0 <= seconds && seconds <= 86'400, "0 to 86400 seconds", seconds);
    require(0 <= most_unknown && most_unknown <= kMost, "0 to 2147483647 cells", most_unknown);
    return {static_cast<int>(layouts), seconds, checked_threads(threads), base_of(base),
            static_cast<int>(most_unknown)};
}

// `player` is the name of a strategy, or options of rollouts.
Choose chooser(const nb::object& player) {
    if (!nb::isinstance<RolloutOptions>(player)) {
        const auto guesser = std::make_shared<Guesser>(strategy_of(nb::cast<std::string>(player)), 1);
        return [guesser](const Field& field) { return guesser->chosen(field); };
    }
    const auto rollout = std::make_shared<Rollout>(nb::cast<RolloutOptions>(player));
    return [rollout, closure = Closure()](const Field& field) mutable {
        closure.reset(field);
        return rollout->choose(closure) ? rollout->trials().front().candidate.cell : -1;
    };
}

// Won, opened, guesses, seconds of each game.
nb::list play(const Puzzles& puzzles, const nb::object& choice) {
    using Clock = std::chrono::steady_clock;
    std::vector<std::pair<GameOutcome, double>> results;
    Player player(chooser(choice));
    each(puzzles, [&](const Puzzle& puzzle) {
        const auto started = Clock::now();
        const GameOutcome outcome = player.play(puzzle);
        results.emplace_back(outcome, std::chrono::duration<double>(Clock::now() - started).count());
    });
    nb::list list;
    for (const auto& [outcome, seconds] : results)
        list.append(nb::make_tuple(outcome.won, outcome.opened, outcome.guesses, seconds));
    return list;
}

// The lists of a Recorder as bytes.
nb::tuple record(const Puzzles& puzzles, const std::string& strategy, bool guesses_only) {
    Recorder recorder(strategy_of(strategy), guesses_only);
    each(puzzles, [&](const Puzzle& puzzle) { recorder.play(puzzle); });
    const auto bytes = [](const auto& data) { return nb::bytearray(data.data(), data.size() * sizeof(data[0])); };
    return nb::make_tuple(bytes(recorder.views), bytes(recorder.ends), bytes(recorder.turn), bytes(recorder.cell),
                          bytes(recorder.win), bytes(recorder.won));
}

// Cell, safety, value by rollouts, and standard error of the value (-1 without rollouts); best first.
nb::list rate_by_rollouts(const View& view, const AnyArray& known, const RolloutOptions& options) {
    const Closure closure = closure_of(view, read_known_mines(known, view));
    Rollout rollout(options);
    bool any = false;
    {
        const KernelCall call;
        any = rollout.choose(closure);
    }
    nb::list list;
    for (const Trial& trial : any ? rollout.trials() : std::vector<Trial>()) {
        const bool tried = trial.layouts > 0;
        list.append(nb::make_tuple(closure.field().number(trial.candidate.cell), trial.candidate.safety,
                                   tried ? trial.value : trial.candidate.value, tried ? trial.error : -1.0));
    }
    return list;
}

// Rollouts of cells of one position in common layouts.
class PositionTrials : public Exclusive {
  public:
    PositionTrials(const View& view, const AnyArray& known, const std::string& base, int threads, std::uint64_t seed)
        : trials_(base_of(base), checked_threads(threads)) {
        root_ = closure_of(view, read_known_mines(known, view));
        const KernelCall call;
        ready_ = trials_.set_position(root_, seed);
    }

    bool ready() const { return ready_; }

    // Play the cells in layouts from `first` on, one row of each array per layout, for at most `seconds` seconds (0: no
    // limit). Returns the number of rows filled.
    int run(const Numbers& candidates, int first, double seconds, const Array<bool, 2>& safe,
            const Array<double, 2>& value) {
        const Field& field = root_.field();
        std::vector<Index> cells;
        for (std::size_t c = 0; c < candidates.size(); ++c) {
            const std::int64_t cell = candidates(c);
            require(0 <= cell && cell < field.grid()->size() &&
                        field.state[field.from_number(static_cast<Index>(cell))] == kUnknown,
                    "hidden cells that are not known", cell);
            cells.push_back(field.from_number(static_cast<Index>(cell)));
        }
        require(ready_, "a position whose layouts can be counted");
        require(first >= 0 && safe.shape(0) == value.shape(0) && safe.shape(0) <= 1'000'000 &&
                    safe.shape(1) == cells.size() && value.shape(1) == cells.size(),
                "a row for each layout and a column for each cell");
        const int count = static_cast<int>(safe.shape(0));
        std::vector<std::uint8_t> all_safe;
        std::vector<double> all_worth;
        const KernelCall call;
        const int played = trials_.run(cells, first, first + count, deadline_after(seconds), all_safe, all_worth);
        std::copy(all_safe.begin(), all_safe.end(), safe.data());
        std::copy(all_worth.begin(), all_worth.end(), value.data());
        return played;
    }

  private:
    Closure root_;
    Trials trials_;
    bool ready_ = false;
};

// Many games in arrays that the caller owns, with an element for each game.
class GameBatch : public Exclusive {
  public:
    using Views = Array<std::int8_t, 3>;
    using Statuses = Array<std::uint8_t, 1>;  // each a Status

    GameBatch(const Recipe& recipe, std::size_t count) : games_(recipe.grid, count) {}

    // Start the marked games with puzzles from `index` on. Returns false if one has none.
    bool start(const Recipe& recipe, bool no_guess, const Array<const bool, 1>& which,
               const Array<std::int64_t, 1>& index, const Views& views, const Statuses& statuses) {
        require(*recipe.grid == games_.grid(), "a recipe of the grid of the games");
        check_arrays(views, statuses, which.size(), index.size());
        const KernelCall call;
        return games_.start(recipe, no_guess, which.data(), index.data(), views.data(), statuses.data());
    }

    // Open a cell in each game that is not over, and count the cells that this opened.
    void open(const Numbers& actions, const Views& views, const Statuses& statuses,
              const Array<std::int32_t, 1>& opened) {
        check_arrays(views, statuses, actions.size(), opened.size());
        for (std::size_t i = 0; i < actions.size(); ++i)
            require(0 <= actions(i) && actions(i) < games_.grid().size(),
                    "actions from 0 to " + std::to_string(games_.grid().size() - 1), actions(i));
        const KernelCall call;
        games_.open(actions.data(), views.data(), statuses.data(), opened.data());
    }

  private:
    void check_arrays(const Views& views, const Statuses& statuses, std::size_t one, std::size_t other) const {
        check_size(views.shape(1), views.shape(2), games_.grid());
        for (const std::size_t size : {views.shape(0), statuses.size(), one, other})
            require(size == games_.count(), "an element for each game", size);
    }

    Games games_;
};

// Solved, wins, states remembered.
nb::tuple best_play(const NativeGrid& grid, const std::vector<std::uint32_t>& layouts, std::size_t most_states) {
    require(grid->size() <= Optimal::kMostCells, "a board of 1 to 32 cells", grid->size());
    require(layouts.size() <= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()), "fewer layouts");
    for (const std::uint32_t layout : layouts)
        require(std::uint64_t{layout} >> grid->size() == 0, "mines on the board", layout);
    Optimal game(*grid, most_states);
    bool solved = false;
    {
        const KernelCall call;
        solved = game.solve(layouts);
    }
    return nb::make_tuple(solved, game.wins(), game.states());
}

// Positions.

// A `Closure` with cell numbers.
class IncrementalClosure : public Exclusive {
  public:
    IncrementalClosure(const NativeGrid& grid, int mines) : grid_(grid.ref), mines_(mines) {
        require(0 <= mines && mines <= grid->size(), "a number of mines that fit on the board", mines);
        closure_.reset(grid_, mines);
    }

    void learn(const Numbers& cells, const Numbers& clues) {
        require(cells.size() == clues.size(), "one clue for each cell");
        for (std::size_t i = 0; i < cells.size(); ++i) {
            require(0 <= cells(i) && cells(i) < grid_->size(), "a cell of the board", cells(i));
            require(0 <= clues(i) && clues(i) <= 8, "a clue 0 to 8", clues(i));
        }
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const Index cell = closure_.field().from_number(static_cast<Index>(cells(i)));
            const int clue = static_cast<int>(clues(i));
            require(closure_.field().state[cell] != kOpen || closure_.clue(cell) == clue, "a clue that does not change",
                    clue);
            closure_.open(cell, clue);
        }
    }

    // The next round of deductions, by the easiest tier that decides any cell; empty if nothing more follows. An
    // interrupted round loses deductions, so the closure cannot be used afterwards.
    nb::list advance() {
        std::size_t count = 0;
        Fit fit = Fit::ok;
        require(!interrupted_, "a closure that was not interrupted");
        interrupted_ = true;
        {
            const KernelCall call;
            fit = closure_.next_round(steps_, count);
        }
        interrupted_ = false;
        check(fit, grid_.get(), mines_);
        nb::list list;
        for (std::size_t i = 0; i < count; ++i)
            list.append(nb::make_tuple(steps_[i].tier, numbers(steps_[i].safe), numbers(steps_[i].mines),
                                       numbers(steps_[i].clues)));
        return list;
    }

  private:
    // Cell numbers, ascending.
    nb::tuple numbers(std::vector<Index> cells) const {
        std::sort(cells.begin(), cells.end());
        for (Index& cell : cells) cell = closure_.field().number(cell);
        return nb::tuple(convert(cells));
    }

    GridRef grid_;
    int mines_;
    Closure closure_;
    std::vector<Step> steps_;
    bool interrupted_ = false;
};

// Solve views of one grid; the marks are zero before. Returns the numbers of those with a component too wide for the
// closure to be complete.
std::vector<std::size_t> solve_views(const Array<const std::int8_t, 3>& views,
                                     const Array<const std::int32_t, 1>& mines, const NativeGrid& grid,
                                     const Array<bool, 3>& safe, const Array<bool, 3>& mine,
                                     const Array<std::uint8_t, 3>& tiers, const Array<double, 1>& log_layouts,
                                     const nb::object& chances) {
    check_size(views.shape(1), views.shape(2), *grid);
    const auto is_alike = [&](const auto& map) {
        return map.shape(0) == views.shape(0) && map.shape(1) == views.shape(1) && map.shape(2) == views.shape(2);
    };
    const auto shares = chances.is_none() ? Array<double, 3>() : nb::cast<Array<double, 3>>(chances, false);
    require(is_alike(safe) && is_alike(mine) && is_alike(tiers) && (chances.is_none() || is_alike(shares)),
            "maps of the size of the views");
    require(mines.size() == views.shape(0) && log_layouts.size() == views.shape(0), "a number for each view");
    const std::string room = "mines from 0 to " + std::to_string(grid->size());
    for (std::size_t i = 0; i < mines.size(); ++i) require(0 <= mines(i) && mines(i) <= grid->size(), room, mines(i));
    const auto size = static_cast<std::size_t>(grid->size());
    std::vector<std::size_t> incomplete;
    View view{grid.ref, 0, {}};
    ViewSolver solver;
    const KernelCall call;
    for (std::size_t i = 0, at = 0; i < views.shape(0); ++i, at += size) {
        check_interrupt_now();
        view.mines = mines(i);
        view.cells.assign(views.data() + at, views.data() + at + size);
        const Result result = engine::check(view);
        if (!result.ok()) throw std::invalid_argument(result.message);
        double* const to = chances.is_none() ? nullptr : shares.data() + at;
        if (!solver.solve(view, {safe.data() + at, mine.data() + at, tiers.data() + at, to, &log_layouts(i)}))
            incomplete.push_back(i);
    }
    return incomplete;
}

// The mines left, the number of unconstrained cells, and of each component the least mines of its layouts with the
// exact numbers of layouts from there on; or none if a double cannot hold one of them.
nb::object exact_counts(const View& view) {
    Counter counter;
    int left = 0;
    run(view, [&] {
        Closure closure = closure_of(view);
        const Fit fit = count_layouts(closure, counter);
        left = closure.field().mines_left;
        return fit;
    });
    const auto weights = counter.exact_weights();
    return weights ? nb::object(nb::make_tuple(left, counter.unconstrained(), convert(*weights))) : nb::none();
}

// Fill `layouts` with uniform random layouts: 1 for a mine, 0 for any other cell.
void sample_layouts(const View& view, std::uint64_t seed, const Array<std::uint8_t, 3>& layouts) {
    check_size(layouts.shape(1), layouts.shape(2), *view.grid);
    run(view, [&] {
        Closure closure = closure_of(view);
        return draw_layouts(closure, seed, 0, layouts.shape(0), layouts.data());
    });
}

// Two layouts, with a byte for each cell.
nb::tuple counterexample(const View& view, int cell) {
    CellBytes safe, mined;
    run(view, [&] { return engine::counterexample(view, cell, safe, mined); });
    return nb::make_tuple(to_bytes(safe), to_bytes(mined));
}

// Judge the clicks of a game on a board, each of which opens some cells.
nb::list review(const MineMaps& mine_map, const NativeGrid& grid, const std::vector<std::vector<int>>& clicks) {
    require(mine_map.shape(0) == 1, "one board", mine_map.shape(0));
    CellBytes mine;
    each(read_puzzles(mine_map, nullptr, grid), [&mine](const Puzzle& puzzle) { mine = puzzle.mine; });
    View view = hidden_view(grid.ref, static_cast<int>(std::count(mine.begin(), mine.end(), 1)));
    nb::list judged;
    for (const std::vector<int>& cells : clicks)
        judged.append(answer<Judgement>(view, [&](Judgement& out) { return engine::review(view, mine, cells, out); }));
    return judged;
}

// Pictures.

nb::bytes bytes_of(const void* first, std::size_t size) { return nb::bytes(static_cast<const char*>(first), size); }

nb::list read_picture(const Array<const std::uint8_t, 3>& pixels) {
    require(pixels.shape(2) == 3 && pixels.shape(0) < 1u << 24 && pixels.shape(1) < 1u << 24,
            "an array of height x width x 3 bytes");
    const auto width = static_cast<int>(pixels.shape(1));
    std::vector<BoardReading> found;
    Result result;
    {
        const KernelCall call;
        result = engine::read_picture({pixels.data(), width, static_cast<int>(pixels.shape(0)), 3 * width}, found);
    }
    check(result);
    nb::list boards;
    for (const BoardReading& one : found) {
        const Lattice& at = one.lattice;
        boards.append(nb::make_tuple(nb::make_tuple(at.left, at.top, at.across, at.down), at.rows, at.cols,
                                     bytes_of(one.symbols.data(), one.symbols.size()),
                                     bytes_of(one.chances.data(), one.chances.size() * sizeof(one.chances[0])),
                                     one.doubtful, one.fewest_mines, one.most_mines));
    }
    return boards;
}

nb::bytes glyph_features(const Array<const std::uint8_t, 4>& cells) {
    require(cells.shape(1) == cells.shape(2) && cells.shape(3) == 3 && cells.shape(1) < 1u << 10, "square cells");
    const auto side = static_cast<int>(cells.shape(1));
    std::vector<std::array<float, kFeatures>> out(cells.shape(0));
    for (std::size_t i = 0; i < out.size(); ++i) {
        const Glyph glyph = look_at({&cells(i, 0, 0, 0), side, side, 3 * side}, 0, 0, side, side).glyph;
        if (!glyph.is_blank()) out[i] = features_of(glyph);
    }
    return bytes_of(out.data(), out.size() * sizeof(out[0]));
}

}  // namespace
}  // namespace mines::python

NB_MODULE(_kernel, module) {
    using namespace mines;
    using namespace mines::python;
    nb::set_leak_warnings(false);  // Caches of Python keep grids until the process ends.
    module.def(
        "set_interrupt_check",
        [](nb::callable callable) {
            const nb::ft_lock_guard guard(interrupt_check_mutex);
            interrupt_check() = std::move(callable);
        },
        "callable"_a);
    nb::enum_<Verdict>(module, "Verdict")
        .value("SOLVED", Verdict::solved)
        .value("STUCK", Verdict::stuck)
        .value("TOO_WIDE", Verdict::too_wide);
    nb::class_<NativeGrid>(module, "Grid").def(nb::new_(&new_grid), "rows"_a, "cols"_a, "kind"_a, "holes"_a);
    nb::class_<Recipe>(module, "Recipe")
        .def(nb::new_(&new_recipe), "grid"_a, "mines"_a, "click"_a, "opening"_a, "seed"_a);
    nb::class_<RolloutOptions>(module, "RolloutOptions")
        .def(nb::new_(&new_options), "layouts"_a, "seconds"_a, "threads"_a, "base"_a, "most_unknown"_a);

    nb::class_<View>(module, "View").def(nb::new_(&new_view), "cells"_a.noconvert(), "mines"_a, "grid"_a);

    const auto on_puzzles = [&module](const char* name, auto function, const auto&... more) {
        module.def(name, function, "mine_maps"_a.noconvert(), "clicks"_a.noconvert(), "grid"_a, more...);
    };
    on_puzzles("solve", [](const MineMaps& maps, const Numbers& clicks, const NativeGrid& grid) {
        return answers<Solution>(read_puzzles(maps, &clicks, grid),
                                 [solver = Solver(kCountClues)](auto&... one) mutable { solver.solve(one...); });
    });
    on_puzzles("solution_paths", &solution_paths);
    on_puzzles(
        "paper_forms",
        [](const MineMaps& maps, const Numbers& clicks, const NativeGrid& grid, bool easy, bool counted, int more) {
            PaperMaker maker({easy, counted, more});
            return answers<PaperForm>(read_puzzles(maps, &clicks, grid), [&](auto&... one) { maker.make(one...); });
        },
        "easy"_a, "counted"_a, "more"_a);
    on_puzzles("mine_swaps", [](const MineMaps& maps, const Numbers& clicks, const NativeGrid& grid) {
        std::vector<MineSwap> found;
        each(read_puzzles(maps, &clicks, grid), [&](const Puzzle& puzzle) {
            for (const MineSwap& swap : MineSwapFinder().all(puzzle)) found.push_back(swap);
        });
        return convert(found);
    });
    on_puzzles("certify", &certify, "easy_clues"_a.noconvert());
    on_puzzles("puzzle_ids", [](const MineMaps& maps, const Numbers& clicks, const NativeGrid& grid) {
        return answers<PuzzleIds>(read_puzzles(maps, &clicks, grid),
                                  [](const Puzzle& puzzle, PuzzleIds& out) { out = puzzle_ids(puzzle); });
    });
    module.def("measure", &measure, "mine_maps"_a.noconvert(), "clicks"_a.none(), "grid"_a);
    on_puzzles(
        "play",
        [](const MineMaps& maps, const Numbers& clicks, const NativeGrid& grid, const nb::object& player) {
            return play(read_puzzles(maps, &clicks, grid), player);
        },
        "player"_a);
    on_puzzles(
        "record",
        [](const MineMaps& maps, const Numbers& clicks, const NativeGrid& grid, const std::string& strategy,
           bool guesses_only) { return record(read_puzzles(maps, &clicks, grid), strategy, guesses_only); },
        "strategy"_a, "guesses_only"_a);
    module.def(
        "play_sampled",
        [](const Recipe& recipe, std::uint64_t first, std::uint64_t count, const nb::object& player) {
            return play(Puzzles(recipe, first, count), player);
        },
        "recipe"_a, "first"_a, "count"_a, "player"_a);
    module.def(
        "record_sampled",
        [](const Recipe& recipe, std::uint64_t first, std::uint64_t count, const std::string& strategy,
           bool guesses_only) { return record(Puzzles(recipe, first, count), strategy, guesses_only); },
        "recipe"_a, "first"_a, "count"_a, "strategy"_a, "guesses_only"_a);
    module.def("proof_clauses", &clauses_of, "grid"_a, "mine"_a, "unknown"_a, "counted"_a, "safe"_a, "mines"_a,
               "clues"_a);
    module.def("find", &python::find, "recipe"_a, "start"_a, "stop"_a, "most_changes"_a, "certified"_a, "count_clues"_a,
               "min_bbbv"_a, "max_buried"_a, "accepts"_a.none());
    module.def("screen", &python::screen, "recipe"_a, "start"_a, "stop"_a, "most_changes"_a, "count_clues"_a);
    module.def("sample_mine_maps", &sample_mine_maps, "recipe"_a, "start"_a, "maps"_a.noconvert());
    module.def("best_play", &best_play, "grid"_a, "layouts"_a, "most_states"_a);

    const auto on_view = [&module](const char* name, auto function, const auto&... more) {
        module.def(name, function, "view"_a, more...);
    };
    on_view(
        "rate",
        [](const View& view, const AnyArray& known, const std::string& strategy) {
            return answer<std::vector<Rated>>(
                view, [&, mines = read_known_mines(known, view), chosen = strategy_of(strategy)](auto& out) {
                    return engine::rate(view, mines, chosen, out);
                });
        },
        "known"_a.noconvert(), "strategy"_a);
    on_view("rate_by_rollouts", &rate_by_rollouts, "known"_a.noconvert(), "options"_a);
    on_view(
        "evaluate",
        [](const View& view, const AnyArray& known) {
            return answer<Evaluation>(view, [&, mines = read_known_mines(known, view)](Evaluation& out) {
                return engine::evaluate(view, mines, out);
            });
        },
        "known"_a.noconvert());
    on_view("exact_counts", &exact_counts);
    on_view(
        "clue_layouts",
        [](const View& view, int row, int col) {
            std::vector<double> logs(9);
            run(view, [&] { return engine::clue_layouts(view, row * view.grid->cols + col, logs.data()); });
            return logs;
        },
        "row"_a, "col"_a);
    on_view("sample_layouts", &sample_layouts, "seed"_a, "layouts"_a.noconvert());
    on_view("view_path", [](const View& view) {
        const auto all = std::numeric_limits<std::size_t>::max();
        return nb::object(answer<Paths>(view, [&](Paths& out) { return find_view_path(view, {}, all, out); })[0]);
    });
    on_view(
        "easiest_hint",
        [](const View& view, const Marks& given) {
            return answer<HintStep>(view, [&](HintStep& out) { return engine::hint(view, read_marks(given), out); });
        },
        "given"_a.noconvert());
    on_view("path_hints", [](const View& view) {
        return answer<std::vector<HintStep>>(view, [&](auto& out) { return engine::path(view, out); });
    });
    on_view(
        "chain_hints",
        [](const View& view, const Marks& flagged) {
            return answer<std::vector<HintStep>>(
                view, [&](auto& out) { return engine::chain(view, read_marks(flagged), out); });
        },
        "flagged"_a.noconvert());
    on_view(
        "reason",
        [](const View& view, const Marks& given, int cell, int most) {
            return answer<HintStep>(
                view, [&](HintStep& out) { return engine::reason(view, read_marks(given), cell, most, out); });
        },
        "given"_a.noconvert(), "cell"_a, "most_clues"_a);
    on_view(
        "corrections",
        [](const View& view, const Marks& given, int cell, const std::vector<int>& chosen) {
            return answer<std::vector<std::vector<int>>>(
                view, [&](auto& out) { return engine::corrections(view, read_marks(given), cell, chosen, out); });
        },
        "given"_a.noconvert(), "cell"_a, "chosen"_a);
    on_view("counterexample", &counterexample, "cell"_a);
    on_view(
        "judge",
        [](const View& view, const Marks& known, const std::vector<int>& cells) {
            return answer<Judgement>(
                view, [&](Judgement& out) { return engine::judge(view, read_marks(known), cells, out); });
        },
        "known"_a.noconvert(), "cells"_a);
    on_view(
        "unavoidable_guesses",
        [](const View& view, std::size_t most_layouts) {
            return answer<std::vector<UnavoidableGuess>>(
                view, [&](auto& out) { return find_unavoidable_guesses(view, most_layouts, out); });
        },
        "most_layouts"_a);
    on_view(
        "kaboom_verdicts",
        [](const View& view, unsigned rules) {
            return answer<std::vector<Why>>(view,
                                            [&](auto& out) { return kaboom_verdicts(view, rules_of(rules), out); });
        },
        "rules"_a);
    on_view(
        "kaboom_layout",
        [](View view, unsigned rules, int why, int cell, std::uint64_t seed, std::uint64_t clicks) {
            return answer<CellBytes>(
                view, [&](CellBytes& out) { return engine::kaboom_click(view, rules, why, cell, seed, clicks, out); });
        },
        "rules"_a, "why"_a, "cell"_a, "seed"_a, "clicks"_a);
    module.def("review", &review, "mine_map"_a.noconvert(), "grid"_a, "clicks"_a);
    module.def("solve_views", &solve_views, "views"_a.noconvert(), "mines"_a.noconvert(), "grid"_a,
               "safe"_a.noconvert(), "mine"_a.noconvert(), "tiers"_a.noconvert(), "log_layouts"_a.noconvert(),
               "chances"_a.none());

    module.def("read_picture", &read_picture, "pixels"_a.noconvert());
    module.def("glyph_features", &glyph_features, "cells"_a.noconvert());

    nb::class_<IncrementalClosure>(module, "IncrementalClosure")
        .def(nb::init<const NativeGrid&, int>(), "grid"_a, "mines"_a)
        .def("learn", exclusive(&IncrementalClosure::learn), "cells"_a.noconvert(), "clues"_a.noconvert())
        .def("advance", exclusive(&IncrementalClosure::advance));
    nb::class_<PositionTrials>(module, "Trials")
        .def(nb::init<const View&, const AnyArray&, const std::string&, int, std::uint64_t>(), "view"_a,
             "known"_a.noconvert(), "base"_a, "threads"_a, "seed"_a)
        .def_prop_ro("ready", &PositionTrials::ready)
        .def("run", exclusive(&PositionTrials::run), "candidates"_a.noconvert(), "first"_a, "seconds"_a,
             "safe"_a.noconvert(), "value"_a.noconvert());
    nb::class_<GameBatch>(module, "Games")
        .def(nb::init<const Recipe&, std::size_t>(), "recipe"_a, "count"_a)
        .def("start", exclusive(&GameBatch::start), "recipe"_a, "no_guess"_a, "which"_a.noconvert(),
             "index"_a.noconvert(), "views"_a.noconvert(), "statuses"_a.noconvert())
        .def("open", exclusive(&GameBatch::open), "actions"_a.noconvert(), "views"_a.noconvert(),
             "statuses"_a.noconvert(), "opened"_a.noconvert());
}
