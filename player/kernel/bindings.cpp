// The kernel for Python. player/logic/native.py puts typed functions on top; nothing else imports this module.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "arguments.hpp"
#include "closure.hpp"
#include "counting_bindings.hpp"
#include "exchange.hpp"
#include "interrupts.hpp"
#include "metrics.hpp"
#include "optimal_bindings.hpp"
#include "play_bindings.hpp"
#include "reasons_bindings.hpp"
#include "sampling.hpp"
#include "solver.hpp"

namespace nb = nanobind;

namespace mines {
namespace {

void check_board(std::int64_t rows, std::int64_t cols, std::int64_t mines) {
    check_sides(rows, cols);
    expect(0 <= mines && mines <= rows * cols,
           "0 to " + std::to_string(rows * cols) + " mines: " + std::to_string(mines));
}

nb::bytes pack(const std::vector<std::uint8_t>& bits) {
    std::string packed((bits.size() + 7) / 8, '\0');
    for (std::size_t i = 0; i < bits.size(); ++i)
        if (bits[i]) packed[i / 8] = static_cast<char>(packed[i / 8] | 0x80 >> i % 8);
    return nb::bytes(packed.data(), packed.size());
}

// Numbers of cells, ascending.
nb::tuple numbers(const Grid& grid, std::vector<Index> cells) {
    std::sort(cells.begin(), cells.end());
    nb::list list;
    for (const Index cell : cells) list.append(grid.number(cell));
    return nb::tuple(list);
}

nb::tuple step_tuple(const Grid& grid, const Step& step) {
    return nb::make_tuple(step.tier, numbers(grid, step.safe), numbers(grid, step.mines), numbers(grid, step.clues));
}

// One game; the calls say what Closure's do, in cell numbers.
class Game {
  public:
    Game(int rows, int cols, int mines) {
        check_board(rows, cols, mines);
        closure_.reset(rows, cols, mines);
    }

    void learn(const Numbers& cells, const Numbers& clues) {
        expect(cells.size() == clues.size(), "one clue for each cell");
        for (std::size_t i = 0; i < cells.size(); ++i) {
            check_cell(cells(i));
            expect(0 <= clues(i) && clues(i) <= 8, "a clue 0 to 8: " + std::to_string(clues(i)));
        }
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const Index cell = grid().from_number(static_cast<Index>(cells(i)));
            const int clue = static_cast<int>(clues(i));
            expect(grid().state[cell] != kOpen || closure_.clue(cell) == clue,
                   "a clue that does not change: " + std::to_string(clue) + " in cell " + std::to_string(cells(i)));
            closure_.open(cell, clue);
        }
    }

    void settle(const Numbers& cells, bool mine) {
        for (std::size_t i = 0; i < cells.size(); ++i) check_cell(cells(i));
        for (std::size_t i = 0; i < cells.size(); ++i)
            closure_.settle(grid().from_number(static_cast<Index>(cells(i))), mine);
    }

    nb::list local_round() {
        if (steps_.empty()) steps_.resize(1);
        std::size_t count = 0;
        closure_.one_clue(steps_[0]);
        if (steps_[0].empty() && !closure_.inconsistent()) closure_.two_clues(steps_[0]);
        if (steps_[0].empty() && !closure_.inconsistent()) {
            closure_.more_clues(steps_, count);
        } else {
            count = 1;
        }
        return taken(count);
    }

    nb::object mine_count_round() {
        if (steps_.empty()) steps_.resize(1);
        if (!closure_.mine_count(steps_[0])) return nb::none();
        return taken(steps_[0].empty() ? 0 : 1);
    }

    nb::list take_wide() {
        nb::list components;
        for (const Index clue : closure_.take_wide()) components.append(reduced(clue));
        return components;
    }

    nb::tuple sea() {
        std::vector<Index> cells;
        closure_.sea(cells);
        return numbers(grid(), cells);
    }

    nb::list frontier() const {
        nb::list clues;
        for (Index i = 0; i < grid().size(); ++i)
            if (grid().state[i] == kOpen && grid().mask[i] != 0) clues.append(reduced_clue(i));
        return clues;
    }

    bool inconsistent() const { return closure_.inconsistent(); }
    int mines_left() const { return grid().mines_left; }

  private:
    const Grid& grid() const { return closure_.grid(); }

    void check_cell(std::int64_t cell) const {
        expect(0 <= cell && cell < std::int64_t{grid().rows} * grid().cols,
               "a cell of the board: " + std::to_string(cell));
    }

    nb::tuple reduced_clue(Index clue) const {
        std::vector<Index> cells;
        for (unsigned bits = grid().mask[clue]; bits != 0; bits &= bits - 1)
            cells.push_back(clue + grid().step[lowest_bit(bits)]);
        return nb::make_tuple(grid().number(clue), numbers(grid(), cells), static_cast<int>(grid().need[clue]));
    }

    nb::list reduced(Index clue) {
        closure_.component(clue, component_);
        nb::list clues;
        for (const Index member : component_.clues) clues.append(reduced_clue(member));
        return clues;
    }

    // Nothing follows from a contradiction.
    nb::list taken(std::size_t count) {
        nb::list list;
        if (closure_.inconsistent()) return list;
        for (std::size_t i = 0; i < count; ++i) list.append(step_tuple(grid(), steps_[i]));
        return list;
    }

    Closure closure_;
    Component component_;
    std::vector<Step> steps_;
};

Grid frame(int rows, int cols) {
    Grid grid;
    grid.reset(rows, cols, 0);
    return grid;
}

nb::bytes to_bytes(const std::vector<std::uint8_t>& data) {
    return nb::bytes(reinterpret_cast<const char*>(data.data()), data.size());
}

nb::list hard_steps(const Grid& grid, const Solution& solution) {
    nb::list list;
    for (const HardRound& round : solution.hard_rounds) {
        const nb::bytes unknown = to_bytes(round.unknown);
        for (const Step& step : round.steps) list.append(step_tuple(grid, step) + nb::make_tuple(unknown));
    }
    return list;
}

nb::tuple tally(const Solution& solution) {
    return nb::make_tuple(solution.steps[1], solution.steps[2], solution.steps[3], solution.steps[4]);
}

nb::object at_once(const Solution& solution) {
    return solution.clues_at_once < 0 ? nb::none() : nb::cast(solution.clues_at_once);
}

Layout make_layout(const Marks& mine_map, std::int64_t click) {
    check_board(mine_map.shape(0), mine_map.shape(1), 0);
    check_click(mine_map.data(), mine_map.size(), click);
    return {static_cast<int>(click), {mine_map.data(), mine_map.data() + mine_map.size()}};
}

nb::tuple solve(const Marks& mine_map, std::int64_t click, bool keep_hard_steps) {
    const Layout layout = make_layout(mine_map, click);
    const int rows = static_cast<int>(mine_map.shape(0));
    const int cols = static_cast<int>(mine_map.shape(1));
    Solution solution;
    Solver solver({false, keep_hard_steps, true});
    {
        nb::gil_scoped_release release;
        solver.solve(rows, cols, layout, solution);
    }
    const Grid& grid = solver.grid();
    std::vector<std::uint8_t> undecided;
    undecided.reserve(layout.mine.size());
    for (Index cell = 0; cell < rows * cols; ++cell)
        undecided.push_back(grid.state[grid.from_number(cell)] == kUnknown);
    return nb::make_tuple(static_cast<int>(solution.verdict), solution.opened, tally(solution), at_once(solution),
                          hard_steps(grid, solution), pack(undecided));
}

// Seven numbers for each board: the verdict, the cells opened, the cells decided at each tier, and the clues at once.
std::vector<std::array<std::int64_t, 7>> solve_all(const MineMaps& mine_maps, const Numbers& clicks) {
    const Puzzles puzzles(mine_maps, clicks);
    std::vector<std::array<std::int64_t, 7>> solved;
    nb::gil_scoped_release release;
    Interrupts interrupts;
    Solver solver({false, false, true});
    Solution one;
    Layout layout;
    for (std::size_t i = 0; i < puzzles.count; ++i) {
        interrupts.poll();
        puzzles.read(i, layout);
        solver.solve(puzzles.rows, puzzles.cols, layout, one);
        solved.push_back({static_cast<int>(one.verdict), one.opened, one.steps[1], one.steps[2], one.steps[3],
                          one.steps[4], one.clues_at_once});
    }
    return solved;
}

nb::list exchanges(const Marks& mine_map, std::int64_t click) {
    const Layout layout = make_layout(mine_map, click);
    const int rows = static_cast<int>(mine_map.shape(0));
    const int cols = static_cast<int>(mine_map.shape(1));
    nb::list list;
    for (const Exchange& exchange : ExchangeFinder().all(rows, cols, layout.mine.data(), layout.click))
        list.append(nb::make_tuple(nb::tuple(nb::cast(exchange.mines)), nb::tuple(nb::cast(exchange.safe))));
    return list;
}

Recipe make_recipe(int rows, int cols, int mines, int click, bool opening, std::uint64_t seed) {
    check_board(rows, cols, mines);
    expect(-1 <= click && click < rows * cols, "a first click on the board, or -1: " + std::to_string(click));
    Recipe recipe{rows, cols, mines, click, opening, seed};
    const int fits = room(recipe);
    expect(mines <= fits, "at most " + std::to_string(fits) + " mines around the start: " + std::to_string(mines));
    return recipe;
}

nb::tuple sample_one(int rows, int cols, int mines, int click, bool opening, std::uint64_t seed, std::uint64_t index) {
    Layout layout;
    sample(make_recipe(rows, cols, mines, click, opening, seed), index, layout);
    return nb::make_tuple(layout.click, pack(layout.mine));
}

struct Kept {
    std::uint64_t index;
    Layout layout;
    Solution solution;
};

nb::tuple screen(int rows, int cols, int mines, int click, bool opening, std::uint64_t seed, std::uint64_t start,
                 std::uint64_t stop, std::uint64_t most) {
    const Recipe recipe = make_recipe(rows, cols, mines, click, opening, seed);
    std::vector<Kept> found;
    std::vector<std::uint64_t> undecided;
    std::uint64_t index = start;
    {
        nb::gil_scoped_release release;
        Interrupts interrupts;
        ExchangeFinder exchanges_of;
        Solver solver({true, true, true});
        Layout layout;
        Solution solution;
        for (; index < stop && found.size() < most; ++index) {
            interrupts.poll();
            sample(recipe, index, layout);
            if (exchanges_of.exists(rows, cols, layout.mine.data(), layout.click)) continue;
            solver.solve(rows, cols, layout, solution);
            if (solution.verdict == Verdict::solved) found.push_back({index, layout, solution});
            if (solution.verdict == Verdict::undecided) undecided.push_back(index);
        }
    }
    const Grid grid = frame(rows, cols);
    nb::list kept;
    for (const Kept& one : found)
        kept.append(nb::make_tuple(one.index, one.layout.click, pack(one.layout.mine), tally(one.solution),
                                   at_once(one.solution), hard_steps(grid, one.solution)));
    return nb::make_tuple(index, kept, undecided);
}

// One row of five numbers for each board.
std::vector<std::vector<int>> measure(const MineMaps& mine_maps) {
    const auto rows = static_cast<std::int64_t>(mine_maps.shape(1));
    const auto cols = static_cast<std::int64_t>(mine_maps.shape(2));
    check_board(rows, cols, 0);
    std::vector<std::vector<int>> measured;
    nb::gil_scoped_release release;
    Interrupts interrupts;
    Measure measuring;
    for (std::size_t i = 0; i < mine_maps.shape(0); ++i) {
        interrupts.poll();
        const auto* mines =
            reinterpret_cast<const std::uint8_t*>(mine_maps.data()) + static_cast<std::int64_t>(i) * rows * cols;
        const Metrics found = measuring.board(static_cast<int>(rows), static_cast<int>(cols), mines);
        measured.push_back({found.bbbv, found.openings, found.islands, found.greedy_zini, found.human_zini});
    }
    return measured;
}

}  // namespace
}  // namespace mines

NB_MODULE(_kernel, module) {
    using namespace nb::literals;
    using mines::Game;
    nb::class_<Game>(module, "Game")
        .def(nb::init<int, int, int>(), "rows"_a, "cols"_a, "mines"_a)
        .def("learn", &Game::learn, "cells"_a.noconvert(), "clues"_a.noconvert())
        .def("settle", &Game::settle, "cells"_a.noconvert(), "mine"_a)
        .def("local_round", &Game::local_round)
        .def("mine_count_round", &Game::mine_count_round)
        .def("take_wide", &Game::take_wide)
        .def("sea", &Game::sea)
        .def("frontier", &Game::frontier)
        .def_prop_ro("inconsistent", &Game::inconsistent)
        .def_prop_ro("mines_left", &Game::mines_left);
    module.def("solve", &mines::solve, "mine_map"_a.noconvert(), "click"_a, "keep_hard_steps"_a);
    module.def("solve_all", &mines::solve_all, "mine_maps"_a.noconvert(), "clicks"_a.noconvert());
    module.def("exchanges", &mines::exchanges, "mine_map"_a.noconvert(), "click"_a);
    module.def("sample", &mines::sample_one, "rows"_a, "cols"_a, "mines"_a, "click"_a, "opening"_a, "seed"_a,
               "index"_a);
    module.def("screen", &mines::screen, "rows"_a, "cols"_a, "mines"_a, "click"_a, "opening"_a, "seed"_a, "start"_a,
               "stop"_a, "most"_a);
    module.def("measure", &mines::measure, "mine_maps"_a.noconvert());
    mines::bind_counting(module);
    mines::bind_optimal(module);
    mines::bind_play(module);
    mines::bind_reasons(module);
}
