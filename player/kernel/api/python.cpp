// The Python module: types of Python for the operations of engine.hpp. player/kernel_api.py is the only module that
// imports it; the others use its handle `kernel`. player/_kernel.pyi lists the functions.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "api/engine.hpp"
#include "explain/proof_clauses.hpp"
#include "explain/view_solver.hpp"
#include "make/paper.hpp"
#include "search/efficient.hpp"
#include "search/games.hpp"
#include "search/optimal.hpp"
#include "search/recording.hpp"
#include "search/rollout.hpp"
#include "see/glyphs.hpp"
#include "see/reading.hpp"

namespace nb = nanobind;

namespace nanobind::detail {

// Cells: bytes in Python, or any array of bytes as an argument.
template <class Byte>
struct bytes_caster {
    NB_TYPE_CASTER(std::vector<Byte>, const_name("bytes"))

    bool from_python(handle from, std::uint8_t flags, cleanup_list* cleanup) noexcept {
        make_caster<ndarray<const Byte, c_contig, device::cpu>> array;
        constexpr auto kConvert = static_cast<std::uint8_t>(cast_flags::convert);
        if (!array.from_python(from, flags & static_cast<std::uint8_t>(~kConvert), cleanup)) return false;
        value.assign(array.value.data(), array.value.data() + array.value.size());
        return true;
    }

    static handle from_cpp(const std::vector<Byte>& cells, rv_policy, cleanup_list*) noexcept {
        const auto* const first = reinterpret_cast<const char*>(cells.data());
        return PyBytes_FromStringAndSize(first, static_cast<Py_ssize_t>(cells.size()));
    }
};
template <>
struct type_caster<std::vector<std::uint8_t>> : bytes_caster<std::uint8_t> {};
template <>
struct type_caster<std::vector<std::int8_t>> : bytes_caster<std::int8_t> {};

}  // namespace nanobind::detail

namespace mines::python {
namespace {

using namespace nb::literals;

template <typename Value, int dimensions>
using Array = nb::ndarray<Value, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;

struct NativeGrid {
    GridRef ref;

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

// For functions that compute, in which nothing of Python can be used.
using Computes = nb::call_guard<KernelCall>;

// An exception of player/core/errors.py.
struct Failure {
    const char* type;
    std::string text;
};

void raise(const std::exception_ptr& raised, void*) {
    try {
        std::rethrow_exception(raised);
    } catch (const Failure& failure) {
        const nb::object type = nb::module_::import_("minesweeper.player.core.errors").attr(failure.type);
        if (failure.text.empty()) return PyErr_SetNone(type.ptr());
        PyErr_SetString(type.ptr(), failure.text.c_str());
    }
}

// Throw the failure of an operation on a board of this grid.
void check(const Result& result, const GridRef& grid = nullptr, int mines = 0) {
    if (result.ok() || result.code == MINES_NONE) return;
    if (result.code == MINES_INVALID) throw std::invalid_argument(result.message);
    if (result.code == MINES_INCONSISTENT) throw Failure{"InconsistentView", {}};
    const std::string size = std::to_string(grid->rows) + "x" + std::to_string(grid->cols);
    const std::string board = size + "/" + std::to_string(mines);
    throw Failure{"TooWide", board + " has a component too wide to count its layouts in memory"};
}
void check(const Result& result, const View& view) { check(result, view.grid, view.mines); }

template <class... Words>
void require(bool holds, const Words&... words) {
    if (!holds) check(expect(holds, words...));
}

template <class Values>
void require_shape(const Values& array, std::initializer_list<std::size_t> shape) {
    bool fits = true;
    for (std::size_t i = 0; i < shape.size(); ++i) fits = fits && array.shape(i) == shape.begin()[i];
    if (fits) return;
    std::string text;
    for (const std::size_t size : shape) text += (text.empty() ? "" : "x") + std::to_string(size);
    require(false, "an array of " + text);
}

// One array for each of several boards.
template <class Values>
void require_boards(const Values& array, std::size_t count, const Grid& grid) {
    require_shape(array, {count, static_cast<std::size_t>(grid.rows), static_cast<std::size_t>(grid.cols)});
}

// Return what an operation found.
template <class Found>
Found found(Answer<Found> answer, const View& view = {}) {
    check(answer, view);
    return std::move(answer.found);
}

// Wrap an operation on a view.
template <class Found, class... Given>
auto on_view(Answer<Found> (*operation)(const View&, Given...)) {
    return [operation](const View& view, Given... given) { return found(operation(view, given...), view); };
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

// Run a computation for each puzzle.
template <class Found, class Compute>
std::vector<Found> of_each(const Puzzles& puzzles, Compute compute) {
    std::vector<Found> all;
    puzzles.each([&](const Puzzle& puzzle) { compute(puzzle, all.emplace_back()); });
    return all;
}

// Fields with other types in Python.

template <auto number, class Object>
std::optional<double> number_or_none(const Object& object) {
    return std::isnan(object.*number) ? std::nullopt : std::optional<double>(object.*number);
}
template <auto number, class Object>
std::optional<int> natural_or_none(const Object& object) {
    return object.*number < 0 ? std::nullopt : std::optional<int>(object.*number);
}
template <class Object>
auto tally(const Object& object) {
    return std::make_tuple(object.steps[1], object.steps[2], object.steps[3], object.steps[4]);
}
template <auto list, class Object>
nb::bytearray bytearray_of(const Object& object) {
    return nb::bytearray((object.*list).data(), (object.*list).size() * sizeof((object.*list)[0]));
}
std::string path_text(std::uint64_t hash) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
    return text;
}

// Puzzles.

struct Path {
    bool solved, too_wide;
    std::string hash;
    std::vector<PathStep> steps;
};

std::vector<Path> list_paths(const Paths& paths) {
    std::vector<Path> list;
    for (std::size_t i = 0; i < paths.hash.size(); ++i) {
        list.push_back({paths.solved[i] != 0, paths.too_wide[i] != 0, path_text(paths.hash[i]), {}});
        list.back().steps.reserve(static_cast<std::size_t>(paths.steps[i + 1] - paths.steps[i]));
        for (std::int64_t step = paths.steps[i]; step < paths.steps[i + 1]; ++step)
            list.back().steps.push_back(paths.step(static_cast<std::size_t>(step)));
    }
    return list;
}

// All that is stored of a puzzle but its metrics, in one call: a call for each takes a tenth of the time of a small
// board.
nb::tuple values_of(const KeptPuzzle& one) {
    const Puzzle& puzzle = one.found.puzzle;
    const auto& steps = one.found.solution.steps;
    const auto clues = natural_or_none<&Certificate::clues_at_once>(one.certificate);
    return nb::make_tuple(one.found.index, puzzle.click / puzzle.grid->cols, puzzle.click % puzzle.grid->cols,
                          one.ids.id, one.ids.canonical_id, one.ids.mine_bits, steps[1], steps[2], steps[3], steps[4],
                          clues, path_text(one.certificate.path), one.certificate.proofs.size());
}

std::vector<Path> solution_paths(const Puzzles& puzzles) {
    Paths paths;
    PathFinder finder;
    puzzles.each([&](const Puzzle& puzzle) { finder.find(puzzle, paths); });
    return list_paths(paths);
}

std::optional<Clauses> clauses_of(const NativeGrid& grid, const CellBytes& mine, const CellBytes& unknown, bool counted,
                                  const std::vector<int>& safe, const std::vector<int>& mines,
                                  const std::vector<int>& clues) {
    for (const CellBytes* const cells : {&mine, &unknown})
        require(cells->size() == static_cast<std::size_t>(grid->size()), "a byte for each cell", cells->size());
    for (const std::vector<int>* const cells : {&safe, &mines, &clues})
        for (const int cell : *cells) require(0 <= cell && cell < grid->size(), "cells of the board", cell);
    return proof_clauses({*grid.ref, mine.data(), unknown.data(), counted, safe, mines, clues});
}

std::vector<MineSwap> mine_swaps(const Puzzles& puzzles) {
    std::vector<MineSwap> all;
    puzzles.each([&](const Puzzle& puzzle) {
        for (MineSwap& swap : MineSwapFinder().all(puzzle)) all.push_back(std::move(swap));
    });
    return all;
}

std::vector<Certificate> certify(const Puzzles& puzzles, const std::vector<int>& easy_clues) {
    require(easy_clues.size() == puzzles.count(), "a number of clues for each puzzle", easy_clues.size());
    Certifier certifier;
    const int* easy = easy_clues.data();
    return of_each<Certificate>(puzzles, [&](const Puzzle& one, auto& out) { out = certifier.certify(one, *easy++); });
}

// Fill `maps` with the mines of the boards.
void fill_mine_maps(const Puzzles& puzzles, const Array<std::uint8_t, 3>& maps) {
    require_boards(maps, puzzles.count(), puzzles.grid());
    std::uint8_t* out = maps.data();
    puzzles.each([&](const Puzzle& puzzle) { out = std::copy(puzzle.mine.begin(), puzzle.mine.end(), out); });
}

// Games.

using Chosen = std::variant<std::string, RolloutOptions>;  // a strategy, or options of rollouts

Choose choose_by(const Chosen& player) {
    if (const auto* const options = std::get_if<RolloutOptions>(&player)) return chooser(*options);
    return chooser(*found(engine::strategy(std::get<std::string>(player))));
}

// Won, opened, guesses, seconds of each game.
std::vector<std::tuple<bool, int, int, double>> play(const Puzzles& puzzles, const Chosen& choice) {
    using Clock = std::chrono::steady_clock;
    Player player(choose_by(choice));
    return of_each<std::tuple<bool, int, int, double>>(puzzles, [&](const Puzzle& puzzle, auto& out) {
        const auto started = Clock::now();
        const GameOutcome outcome = player.play(puzzle);
        const double seconds = std::chrono::duration<double>(Clock::now() - started).count();
        out = {outcome.won, outcome.opened, outcome.guesses, seconds};
    });
}

Recording record(const Puzzles& puzzles, const std::string& strategy, bool guesses_only) {
    Recorder recorder(*found(engine::strategy(strategy)), guesses_only);
    puzzles.each([&](const Puzzle& puzzle) { recorder.play(puzzle); });
    return std::move(recorder);
}

// Rollouts of cells of one position in common layouts.
class PositionTrials : public Exclusive {
  public:
    PositionTrials(const View& view, const CellBytes& known, const RolloutOptions& options, std::uint64_t seed)
        : trials_(*options.base, options.threads) {
        check(engine::check_known(view, known));
        root_ = closure_of(view, known);
        ready_ = trials_.set_position(root_, seed);
    }

    bool ready() const { return ready_; }

    // Play the cells in layouts from `first` on, one row of each array per layout, for at most `seconds` seconds (0: no
    // limit). Returns the number of rows filled.
    int run(const std::vector<int>& candidates, int first, double seconds, const Array<bool, 2>& safe,
            const Array<double, 2>& value) {
        const Field& field = root_.field();
        std::vector<Index> cells;
        for (const int cell : candidates) {
            require(0 <= cell && cell < field.grid()->size() && field.state[field.from_number(cell)] == kUnknown,
                    "hidden cells that are not known", cell);
            cells.push_back(field.from_number(cell));
        }
        require(ready_, "a position whose layouts can be counted");
        require(first >= 0 && safe.shape(0) <= 1'000'000, "up to 1000000 layouts, from 0 on", first);
        require_shape(safe, {safe.shape(0), cells.size()});
        require_shape(value, {safe.shape(0), cells.size()});
        const int count = static_cast<int>(safe.shape(0));
        std::vector<std::uint8_t> all_safe;
        std::vector<double> all_worth;
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
    using Numbers = Array<const std::int64_t, 1>;

    GameBatch(const Recipe& recipe, std::size_t count) : games_(recipe.grid, count) {}

    // Start the marked games with puzzles from `index` on. Returns false if one has none.
    bool start(const Recipe& recipe, bool no_guess, const Array<const bool, 1>& which,
               const Array<std::int64_t, 1>& index, const Views& views, const Statuses& statuses) {
        require(*recipe.grid == games_.grid(), "a recipe of the grid of the games");
        check_arrays(views, statuses, which, index);
        return games_.start(recipe, no_guess, which.data(), index.data(), views.data(), statuses.data());
    }

    // Open a cell in each game that is not over, and count the cells that this opened.
    void open(const Numbers& actions, const Views& views, const Statuses& statuses,
              const Array<std::int32_t, 1>& opened) {
        check_arrays(views, statuses, actions, opened);
        const std::string range = "actions from 0 to " + std::to_string(games_.grid().size() - 1);
        for (std::size_t i = 0; i < actions.size(); ++i)
            require(0 <= actions(i) && actions(i) < games_.grid().size(), range, actions(i));
        games_.open(actions.data(), views.data(), statuses.data(), opened.data());
    }

  private:
    template <class... More>
    void check_arrays(const Views& views, const More&... more) const {
        require_boards(views, games_.count(), games_.grid());
        (require_shape(more, {games_.count()}), ...);
    }

    Games games_;
};

// Solved, wins, states remembered.
std::tuple<bool, std::int64_t, std::size_t> best_play(const NativeGrid& grid, const std::vector<std::uint32_t>& layouts,
                                                      std::size_t most_states) {
    require(grid->size() <= Optimal::kMostCells, "a board of 1 to 32 cells", grid->size());
    require(layouts.size() <= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()), "fewer layouts");
    for (const std::uint32_t layout : layouts)
        require(std::uint64_t{layout} >> grid->size() == 0, "mines on the board", layout);
    Optimal game(*grid.ref, most_states);
    const bool solved = game.solve(layouts);
    return {solved, game.wins(), game.states()};
}

// Positions.

View new_view(const Array<const std::int8_t, 2>& cells, int mines, const NativeGrid& grid, int spare, double odds) {
    require_shape(cells, {static_cast<std::size_t>(grid->rows), static_cast<std::size_t>(grid->cols)});
    View view{grid.ref, mines, {cells.data(), cells.data() + cells.size()}, spare, odds};
    check(engine::check(view));
    return view;
}

// A `Closure` with cell numbers.
class IncrementalClosure : public Exclusive {
  public:
    IncrementalClosure(const NativeGrid& grid, int mines) : grid_(grid.ref), mines_(mines) {
        require(0 <= mines && mines <= grid->size(), "a number of mines that fit on the board", mines);
        closure_.reset(grid_, mines);
    }

    void learn(const std::vector<std::int64_t>& cells, const std::vector<std::int64_t>& clues) {
        require(cells.size() == clues.size(), "one clue for each cell");
        for (const std::int64_t cell : cells) require(0 <= cell && cell < grid_->size(), "a cell of the board", cell);
        for (const std::int64_t clue : clues) require(0 <= clue && clue <= 8, "a clue 0 to 8", clue);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const Index cell = closure_.field().from_number(static_cast<Index>(cells[i]));
            const int clue = static_cast<int>(clues[i]);
            require(closure_.field().state[cell] != kOpen || closure_.clue(cell) == clue, "a clue that does not change",
                    clue);
            closure_.open(cell, clue);
        }
    }

    // The next round of deductions, by the easiest tier that decides any cell; empty if nothing more follows. An
    // interrupted round loses deductions, so the closure cannot be used afterwards.
    std::vector<Step> advance() {
        std::size_t count = 0;
        require(!interrupted_, "a closure that was not interrupted");
        interrupted_ = true;
        const Fit fit = closure_.next_round(steps_, count);
        interrupted_ = false;
        check(fit, grid_, mines_);
        std::vector<Step> numbered(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(count));
        for (Step& step : numbered)
            for (std::vector<Index>* const cells : {&step.safe, &step.mines, &step.clues}) {
                std::sort(cells->begin(), cells->end());
                for (Index& cell : *cells) cell = closure_.field().number(cell);
            }
        return numbered;
    }

  private:
    GridRef grid_;
    int mines_;
    Closure closure_;
    std::vector<Step> steps_;
    bool interrupted_ = false;
};

// Threads keep the memory of views of up to this number of cells.
constexpr std::size_t kKeptCells = 10'000;

// Solve views of one grid; the marks are zero before. Returns the numbers of those with a component too wide for the
// closure to be complete.
std::vector<std::size_t> solve_views(const Array<const std::int8_t, 3>& views,
                                     const Array<const std::int32_t, 1>& mines, const NativeGrid& grid,
                                     const Array<bool, 3>& safe, const Array<bool, 3>& mine,
                                     const Array<std::uint8_t, 3>& tiers, const Array<double, 1>& log_layouts,
                                     const Array<double, 3>& chances, int spare, double odds) {
    const std::size_t count = views.shape(0);
    const auto require_alike = [&](const auto&... maps) { (require_boards(maps, count, *grid.ref), ...); };
    require_alike(views, safe, mine, tiers);
    if (chances.is_valid()) require_alike(chances);
    require_shape(mines, {count});
    require_shape(log_layouts, {count});
    const std::string room = "mines from 0 to " + std::to_string(grid->size());
    for (std::size_t i = 0; i < count; ++i) require(0 <= mines(i) && mines(i) <= grid->size(), room, mines(i));
    const auto size = static_cast<std::size_t>(grid->size());
    std::vector<std::size_t> incomplete;
    View view{grid.ref, 0, {}, spare, odds};
    // New memory would take longer than solving a small view.
    static thread_local ViewSolver kept;
    ViewSolver fresh, &solver = size <= kKeptCells ? kept : fresh;
    for (std::size_t i = 0, at = 0; i < count; ++i, at += size) {
        check_interrupt_now();
        view.mines = mines(i);
        view.cells.assign(views.data() + at, views.data() + at + size);
        check(engine::check(view));
        double* const to = chances.is_valid() ? chances.data() + at : nullptr;
        if (!solver.solve(view, {safe.data() + at, mine.data() + at, tiers.data() + at, to, &log_layouts(i)}))
            incomplete.push_back(i);
    }
    return incomplete;
}

EfficientClick click_on(const View& view, const Array<const bool, 2>& safe, const Array<const bool, 2>& mine,
                        const Array<const double, 2>& chances, const std::vector<int>& flags) {
    const auto rows = static_cast<std::size_t>(view.grid->rows), cols = static_cast<std::size_t>(view.grid->cols);
    require_shape(safe, {rows, cols});
    require_shape(mine, {rows, cols});
    require_shape(chances, {rows, cols});
    std::vector<std::uint8_t> flagged(view.cells.size());
    for (const int cell : flags) {
        require(0 <= cell && cell < view.grid->size(), "cells of the board", cell);
        flagged[static_cast<std::size_t>(cell)] = 1;
    }
    return efficient_click({view.grid, view.cells.data(), safe.data(), mine.data(), chances.data()}, flagged);
}

// The mines left, the number of unconstrained cells, and of each component the least mines of its layouts with the
// exact numbers of layouts from there on; or none if a double cannot hold one of them.
std::optional<std::tuple<int, std::size_t, std::vector<CountWeights>>> exact_counts(const View& view) {
    Counter counter;
    Closure closure = closure_of(view);
    check(count_layouts(closure, counter), view);
    auto weights = counter.exact_weights();
    if (!weights) return std::nullopt;
    return std::make_tuple(closure.field().mines_left, counter.unconstrained(), std::move(*weights));
}

// Fill `layouts` with uniform random layouts: 1 for a mine, 0 for any other cell.
void sample_layouts(const View& view, std::uint64_t seed, const Array<std::uint8_t, 3>& layouts) {
    require_boards(layouts, layouts.shape(0), *view.grid);
    Closure closure = closure_of(view);
    check(draw_layouts(closure, seed, 0, layouts.shape(0), layouts.data()), view);
}

// Pictures.

std::vector<BoardReading> read_picture(const Array<const std::uint8_t, 3>& pixels, const Lines& x_lines,
                                       const Lines& y_lines) {
    constexpr std::size_t kMostSide = 1 << 24;
    require(pixels.shape(2) == 3 && pixels.shape(0) < kMostSide && pixels.shape(1) < kMostSide,
            "an array of height x width x 3 bytes");
    const auto height = static_cast<int>(pixels.shape(0)), width = static_cast<int>(pixels.shape(1));
    const Lattice known{x_lines, y_lines};
    return found(engine::read_picture({pixels.data(), width, height, 3 * width}, x_lines.empty() ? nullptr : &known));
}

std::vector<std::array<float, kFeatures>> glyph_features(const Array<const std::uint8_t, 4>& cells) {
    require(cells.shape(1) == cells.shape(2) && cells.shape(3) == 3 && cells.shape(1) < 1 << 10, "square cells");
    const auto side = static_cast<int>(cells.shape(1));
    std::vector<std::array<float, kFeatures>> features(cells.shape(0));
    for (std::size_t i = 0; i < features.size(); ++i) {
        const Glyph glyph = look_at({&cells(i, 0, 0, 0), side, side, 3 * side}, 0, 0, side, side).glyph;
        if (!glyph.is_blank()) features[i] = features_of(glyph);
    }
    return features;
}

}  // namespace
}  // namespace mines::python

NB_MODULE(_kernel, module) {
    using namespace mines;
    using namespace mines::python;
    nb::set_leak_warnings(false);  // Caches of Python keep grids until the process ends.
    nb::register_exception_translator(&mines::python::raise);
    module.def("strategies", [] {
        std::vector<std::string> names;
        for (const Strategy& one : Guesser::all()) names.push_back(one.name);
        return names;
    });
    module.def(
        "set_interrupt_check",
        [](nb::callable callable) {
            const nb::ft_lock_guard guard(interrupt_check_mutex);
            interrupt_check() = std::move(callable);
        },
        "callable"_a);

    // Results.
    nb::enum_<Verdict>(module, "Verdict")
        .value("SOLVED", Verdict::solved)
        .value("STUCK", Verdict::stuck)
        .value("TOO_WIDE", Verdict::too_wide);
    nb::class_<Solution>(module, "Solution")
        .def_ro("verdict", &Solution::verdict)
        .def_prop_ro("tally", &tally<Solution>)
        .def_prop_ro("clues_at_once", &natural_or_none<&Solution::clues_at_once, Solution>)
        .def_ro("unknown", &Solution::unknown);
    nb::class_<Puzzle>(module, "Puzzle").def_ro("click", &Puzzle::click).def_ro("mine", &Puzzle::mine);
    nb::class_<FoundPuzzle>(module, "FoundPuzzle")
        .def_ro("index", &FoundPuzzle::index)
        .def_ro("puzzle", &FoundPuzzle::puzzle)
        .def_ro("solution", &FoundPuzzle::solution);
    nb::class_<Metrics> metrics(module, "Metrics");
    for (const auto& [name, member] : kMetrics) metrics.def_ro(name, member);
    nb::class_<ClickPlan>(module, "ClickPlan")
        .def_prop_ro("clicks",
                     [](const ClickPlan& plan) {
                         std::vector<std::pair<int, int>> clicks;
                         for (const PlannedClick& one : plan.clicks)
                             clicks.emplace_back(static_cast<int>(one.kind), one.cell);
                         return clicks;
                     })
        .def_ro("count", &ClickPlan::count)
        .def_ro("bound", &ClickPlan::bound);
    nb::class_<PuzzleIds>(module, "PuzzleIds")
        .def_ro("id", &PuzzleIds::id)
        .def_ro("canonical_id", &PuzzleIds::canonical_id)
        .def_ro("mine_bits", &PuzzleIds::mine_bits);
    nb::class_<Certificate>(module, "Certificate")
        .def_prop_ro("path", [](const Certificate& one) { return path_text(one.path); })
        .def_prop_ro("clues_at_once", &natural_or_none<&Certificate::clues_at_once, Certificate>)
        .def_ro("proofs", &Certificate::proofs);
    nb::class_<KeptPuzzle>(module, "KeptPuzzle")
        .def_prop_ro("values", &values_of)
        .def_ro("metrics", &KeptPuzzle::metrics)
        .def_prop_ro("proofs", [](const KeptPuzzle& one) { return one.certificate.proofs; });
    nb::class_<MineSwap>(module, "MineSwap").def_ro("mines", &MineSwap::mines).def_ro("safe", &MineSwap::safe);
    nb::class_<PaperForm>(module, "PaperForm")
        .def_ro("cells", &PaperForm::cells)
        .def_ro("complete", &PaperForm::complete)
        .def_ro("revealed", &PaperForm::revealed)
        .def_prop_ro("tally", &tally<PaperForm>);
    nb::class_<Recording>(module, "Recording")
        .def_prop_ro("views", &bytearray_of<&Recording::views, Recording>)
        .def_prop_ro("ends", &bytearray_of<&Recording::ends, Recording>)
        .def_prop_ro("turn", &bytearray_of<&Recording::turn, Recording>)
        .def_prop_ro("cell", &bytearray_of<&Recording::cell, Recording>)
        .def_prop_ro("win", &bytearray_of<&Recording::win, Recording>)
        .def_prop_ro("won", &bytearray_of<&Recording::won, Recording>);
    nb::class_<Step>(module, "Step")
        .def_ro("tier", &Step::tier)
        .def_ro("safe", &Step::safe)
        .def_ro("mines", &Step::mines)
        .def_ro("clues", &Step::clues);
    nb::class_<PathStep, Step>(module, "PathStep").def_ro("smallest", &PathStep::smallest);
    nb::class_<Path>(module, "Path")
        .def_ro("solved", &Path::solved)
        .def_ro("too_wide", &Path::too_wide)
        .def_ro("hash", &Path::hash)
        .def_prop_ro("steps", [](const Path& one) {
            // Tuples take less time than objects and, for the garbage collector, than lists.
            const auto cells = [](const std::vector<Index>& list) { return nb::tuple(nb::cast(list)); };
            nb::list steps;
            for (const PathStep& step : one.steps)
                steps.append(
                    nb::make_tuple(step.tier, step.smallest, cells(step.safe), cells(step.mines), cells(step.clues)));
            return steps;
        });
    nb::class_<Sentence>(module, "Sentence")
        .def_ro("name", &Sentence::name)
        .def_ro("clue", &Sentence::clue)
        .def_ro("other", &Sentence::other)
        .def_ro("count", &Sentence::count)
        .def_ro("need", &Sentence::need)
        .def_ro("mines", &Sentence::mines)
        .def_ro("rest", &Sentence::rest)
        .def_prop_ro("places", [](const Sentence& one) {
            const bool alone = one.clue >= 0 && one.other < 0;
            return std::vector<int>(one.places.begin(), one.places.begin() + (alone ? one.mines : 0));
        });
    nb::class_<HintStep>(module, "HintStep")
        .def_ro("hint", &HintStep::hint)
        .def_ro("given", &HintStep::given)
        .def_ro("sentence", &HintStep::sentence);
    nb::class_<Rated>(module, "Rated")
        .def_ro("cell", &Rated::cell)
        .def_ro("safety", &Rated::safety)
        .def_ro("progress", &Rated::progress)
        .def_ro("value", &Rated::value);
    nb::class_<Compared>(module, "Compared")
        .def_ro("cell", &Compared::cell)
        .def_ro("why", &Compared::why)
        .def_ro("safety", &Compared::safety)
        .def_ro("progress", &Compared::progress)
        .def_ro("second", &Compared::second)
        .def_ro("win", &Compared::win);
    nb::class_<Evaluation>(module, "Evaluation")
        .def_prop_ro("kind", [](const Evaluation& one) { return static_cast<int>(one.kind); })
        .def_ro("ratings", &Evaluation::ratings);
    nb::class_<EfficientClick>(module, "EfficientClick")
        .def_ro("place", &EfficientClick::place)
        .def_ro("chord", &EfficientClick::chord)
        .def_ro("flags", &EfficientClick::flags)
        .def_ro("opens", &EfficientClick::opens);
    nb::class_<Judgement>(module, "Judgement")
        .def_prop_ro("verdict", [](const Judgement& one) { return static_cast<int>(one.kind); })
        .def_prop_ro("safety", &number_or_none<&Judgement::safety, Judgement>)
        .def_prop_ro("best_cell", &natural_or_none<&Judgement::best_cell, Judgement>)
        .def_prop_ro("best_safety", &number_or_none<&Judgement::best_safety, Judgement>)
        .def_ro("chances", &Judgement::chances)
        .def_ro("guesses", &Judgement::guesses)
        .def_prop_ro("loss", &number_or_none<&Judgement::loss, Judgement>)
        .def_prop_ro("uncertain_cell", &natural_or_none<&Judgement::uncertain_cell, Judgement>)
        .def_ro("step", &Judgement::step)
        .def_ro("safe_layout", &Judgement::safe_layout)
        .def_ro("mined_layout", &Judgement::mined_layout);
    nb::class_<UnavoidableGuess>(module, "UnavoidableGuess")
        .def_ro("cells", &UnavoidableGuess::cells)
        .def_prop_ro("layouts",
                     [](const UnavoidableGuess& one) { return std::make_pair(one.layouts[0], one.layouts[1]); });
    nb::class_<CountWeights>(module, "CountWeights")
        .def_ro("low", &CountWeights::low)
        .def_ro("numbers", &CountWeights::numbers);

    // Grids, boards and recipes.
    nb::class_<NativeGrid>(module, "Grid")
        .def(nb::new_([](std::int64_t rows, std::int64_t cols, int kind, CellBytes holes) {
                 return NativeGrid{found(engine::make_grid(rows, cols, kind, std::move(holes)))};
             }),
             "rows"_a, "cols"_a, "kind"_a, "holes"_a)
        .def(
            "measure",
            [](const NativeGrid& grid, const CellBytes& mine) { return found(engine::measure({grid.ref, -1, mine})); },
            "mine"_a, Computes())
        .def(
            "fewest_clicks",
            [](const NativeGrid& grid, const CellBytes& mine, int click, bool flags, bool count_flags, double seconds,
               std::int64_t most_work) {
                const ClickRules rules{flags, count_flags};
                return found(engine::fewest_clicks({grid.ref, click, mine}, rules, seconds, most_work));
            },
            "mine"_a, "click"_a, "flags"_a, "count_flags"_a, "seconds"_a, "most_work"_a, Computes())
        .def("proof_clauses", &clauses_of, "mine"_a, "unknown"_a, "counted"_a, "safe"_a, "mines"_a, "clues"_a,
             Computes())
        .def("best_play", &best_play, "layouts"_a, "most_states"_a, Computes());
    nb::class_<Recipe>(module, "Recipe")
        .def(nb::new_([](const NativeGrid& grid, int mines, int click, bool opening, std::uint64_t seed) {
                 const Recipe recipe{grid.ref, mines, click, opening, seed};
                 check(engine::check(recipe));
                 return recipe;
             }),
             "grid"_a, "mines"_a, "click"_a, "opening"_a, "seed"_a)
        .def(
            "find",
            [](const Recipe& recipe, std::uint64_t start, std::uint64_t stop, int most_changes, bool certified,
               bool count_clues, int min_bbbv, int max_buried, const std::function<bool(const Solution&)>& accepts) {
                const FindOptions options{most_changes, certified, count_clues, min_bbbv, max_buried, accepts};
                return mines::find(recipe, start, stop, options);
            },
            "start"_a, "stop"_a, "most_changes"_a, "certified"_a, "count_clues"_a, "min_bbbv"_a, "max_buried"_a,
            "accepts"_a.none(), Computes())
        .def("screen", &mines::search, "start"_a, "stop"_a, "most_changes"_a, "count_clues"_a, Computes());

    nb::class_<RolloutOptions>(module, "RolloutOptions")
        .def(nb::new_([](int layouts, double seconds, int threads, const std::string& base, int most_unknown) {
                 const Strategy* const strategy = found(engine::strategy(base));
                 const RolloutOptions options{layouts, seconds, threads, strategy, most_unknown};
                 check(engine::check(options));
                 return options;
             }),
             "layouts"_a, "seconds"_a, "threads"_a, "base"_a, "most_unknown"_a);
    nb::class_<Puzzles>(module, "Puzzles")
        .def(nb::new_([](const NativeGrid& grid, const CellBytes& mine, const std::vector<int>& clicks) {
                 return found(engine::list_puzzles(grid.ref, mine, clicks));
             }),
             "grid"_a, "mine"_a, "clicks"_a)
        .def(nb::new_([](const Recipe& recipe, std::uint64_t first, std::uint64_t count) {
                 return Puzzles(recipe, first, count);
             }),
             "recipe"_a, "first"_a, "count"_a)
        .def("__len__", &Puzzles::count)
        .def(
            "solve",
            [](const Puzzles& puzzles) {
                Solver solver(kCountClues);
                return of_each<Solution>(puzzles, [&](auto&... one) { solver.solve(one...); });
            },
            Computes())
        .def("paths", &solution_paths, Computes())
        .def(
            "paper_forms",
            [](const Puzzles& puzzles, bool easy, bool counted, int more) {
                PaperMaker maker({easy, counted, more});
                return of_each<PaperForm>(puzzles, [&](auto&... one) { maker.make(one...); });
            },
            "easy"_a, "counted"_a, "more"_a, Computes())
        .def("mine_swaps", &mine_swaps, Computes())
        .def("certify", &certify, "easy_clues"_a, Computes())
        .def(
            "ids",
            [](const Puzzles& puzzles) {
                return of_each<PuzzleIds>(puzzles, [](const Puzzle& one, auto& out) { out = puzzle_ids(one); });
            },
            Computes())
        .def(
            "measure",
            [](const Puzzles& puzzles) {
                MetricsCalculator measuring;
                return of_each<Metrics>(puzzles, [&](const Puzzle& one, auto& out) { out = measuring.puzzle(one); });
            },
            Computes())
        .def("fill", &fill_mine_maps, "maps"_a.noconvert(), Computes())
        .def("play", &play, "player"_a, Computes())
        .def("record", &record, "strategy"_a, "guesses_only"_a, Computes());

    nb::class_<View>(module, "View")
        .def(nb::new_(&new_view), "cells"_a.noconvert(), "mines"_a, "grid"_a, "spare"_a = 0, "odds"_a = 1.0)
        .def("rate", on_view(&engine::rate), "known"_a, "strategy"_a, Computes())
        .def("rate_by_rollouts", on_view(&engine::rate_by_rollouts), "known"_a, "options"_a, Computes())
        .def("evaluate", on_view(&engine::evaluate), "known"_a, Computes())
        .def("compare", on_view(&engine::compare), "known"_a, "cells"_a, Computes())
        .def("exact_counts", &exact_counts, Computes())
        .def("efficient_click", &click_on, "safe"_a.noconvert(), "mine"_a.noconvert(), "chances"_a.noconvert(),
             "flags"_a, Computes())
        .def("clue_layouts", on_view(&engine::clue_layouts), "cell"_a, Computes())
        .def("sample_layouts", &sample_layouts, "seed"_a, "layouts"_a.noconvert(), Computes())
        .def(
            "path",
            [](const View& view) { return std::move(list_paths(found(engine::whole_path(view), view)).front()); },
            Computes())
        .def("hint", on_view(&engine::hint), "given"_a, Computes())
        .def("hints", on_view(&engine::path), Computes())
        .def("chain", on_view(&engine::chain), "flagged"_a, Computes())
        .def("reason", on_view(&engine::reason), "given"_a, "cell"_a, "most_clues"_a, Computes())
        .def("corrections", on_view(&engine::corrections), "given"_a, "cell"_a, "chosen"_a, Computes())
        .def("counterexample", on_view(&engine::counterexample), "cell"_a, Computes())
        .def("judge", on_view(&engine::judge), "known"_a, "cells"_a, Computes())
        .def("unavoidable_guesses", on_view(&engine::unavoidable_guesses), "most_layouts"_a, Computes())
        .def("kaboom_verdicts", on_view(&engine::kaboom_verdicts), "rules"_a, Computes())
        .def(
            "kaboom_layout",
            [](View view, unsigned rules, int why, int cell, std::uint64_t seed, std::uint64_t clicks) {
                return found(engine::kaboom_click(view, rules, why, cell, seed, clicks), view).layout;
            },
            "rules"_a, "why"_a, "cell"_a, "seed"_a, "clicks"_a, Computes());
    module.def("solve_views", &solve_views, "views"_a.noconvert(), "mines"_a.noconvert(), "grid"_a,
               "safe"_a.noconvert(), "mine"_a.noconvert(), "tiers"_a.noconvert(), "log_layouts"_a.noconvert(),
               "chances"_a.noconvert().none(), "spare"_a = 0, "odds"_a = 1.0, Computes());

    nb::class_<IncrementalClosure>(module, "IncrementalClosure")
        .def(nb::init<const NativeGrid&, int>(), "grid"_a, "mines"_a)
        .def("learn", exclusive(&IncrementalClosure::learn), "cells"_a, "clues"_a)
        .def("advance", exclusive(&IncrementalClosure::advance), Computes());
    nb::class_<PositionTrials>(module, "Trials")
        .def(nb::init<const View&, const CellBytes&, const RolloutOptions&, std::uint64_t>(), "view"_a, "known"_a,
             "options"_a, "seed"_a, Computes())
        .def_prop_ro("ready", &PositionTrials::ready)
        .def("run", exclusive(&PositionTrials::run), "candidates"_a, "first"_a, "seconds"_a, "safe"_a.noconvert(),
             "value"_a.noconvert(), Computes());
    nb::class_<GameBatch>(module, "Games")
        .def(nb::init<const Recipe&, std::size_t>(), "recipe"_a, "count"_a)
        .def("start", exclusive(&GameBatch::start), "recipe"_a, "no_guess"_a, "which"_a.noconvert(),
             "index"_a.noconvert(), "views"_a.noconvert(), "statuses"_a.noconvert(), Computes())
        .def("open", exclusive(&GameBatch::open), "actions"_a.noconvert(), "views"_a.noconvert(),
             "statuses"_a.noconvert(), "opened"_a.noconvert(), Computes());

    nb::class_<BoardReading>(module, "BoardReading")
        .def_prop_ro("x_lines", [](const BoardReading& one) { return one.lattice.x_lines; })
        .def_prop_ro("y_lines", [](const BoardReading& one) { return one.lattice.y_lines; })
        .def_ro("meanings", &BoardReading::symbols)
        .def_prop_ro("chances", &bytearray_of<&BoardReading::chances, BoardReading>)
        .def_ro("doubtful", &BoardReading::doubtful)
        .def_ro("fewest_mines", &BoardReading::fewest_mines)
        .def_ro("most_mines", &BoardReading::most_mines);
    module.def("read_picture", &read_picture, "pixels"_a.noconvert(), "x_lines"_a = Lines(), "y_lines"_a = Lines(),
               Computes());
    module.def("glyph_features", &glyph_features, "cells"_a.noconvert(), Computes());
}
