// Playing for Python, used by player/strategies/native.py, which documents.
#include "play_bindings.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "guesser.hpp"
#include "interrupts.hpp"
#include "play.hpp"
#include "sampling.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace mines {
namespace {

// Won, opened, guesses, seconds, luck of one game.
using Result = std::tuple<bool, int, int, double, double>;
// Cell, safety, progress, value.
using Rated = std::tuple<int, double, double, double>;

Strategy strategy_named(const std::string& name) {
    if (name == "safest") return Strategy::safest;
    if (name == "progress") return Strategy::progress;
    if (name == "lookahead") return Strategy::lookahead;
    expect(name == "champion", "safest, progress, lookahead or champion: " + name);
    return Strategy::champion;
}

Result timed(Player& player, int rows, int cols, const Layout& layout) {
    const auto started = std::chrono::steady_clock::now();
    const Outcome outcome = player.play(rows, cols, layout);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - started;
    return {outcome.won, outcome.opened, outcome.guesses, seconds.count(), outcome.luck};
}

std::vector<Result> play_boards(const MineMaps& mine_maps, const Numbers& clicks, const std::string& strategy) {
    const Puzzles puzzles(mine_maps, clicks);
    Player player(strategy_named(strategy));
    std::vector<Result> results;
    nb::gil_scoped_release unlocked;
    Interrupts interrupts;
    Layout layout;
    for (std::size_t i = 0; i < puzzles.count; ++i) {
        interrupts.poll();
        puzzles.read(i, layout);
        results.push_back(timed(player, puzzles.rows, puzzles.cols, layout));
    }
    return results;
}

std::vector<Result> play_sampled(int rows, int cols, int mines, int click, bool opening, std::uint64_t seed,
                                 std::uint64_t first, std::uint64_t count, const std::string& strategy) {
    check_sides(rows, cols);
    expect(-1 <= click && click < rows * cols, "a first click on the board, or -1: " + std::to_string(click));
    const Recipe recipe{rows, cols, mines, click, opening, seed};
    const int fits = room(recipe);
    expect(0 <= mines && mines <= fits, "0 to " + std::to_string(fits) + " mines: " + std::to_string(mines));
    Player player(strategy_named(strategy));
    std::vector<Result> results;
    nb::gil_scoped_release unlocked;
    Interrupts interrupts;
    Layout layout;
    for (std::uint64_t i = 0; i < count; ++i) {
        interrupts.poll();
        sample(recipe, first + i, layout);
        results.push_back(timed(player, rows, cols, layout));
    }
    return results;
}

// A game that shows these cells; `known` marks the hidden cells known to be mines.
Closure closure_of(const Cells& cells, int mines, const Marks& known) {
    check_sides(static_cast<std::int64_t>(cells.shape(0)), static_cast<std::int64_t>(cells.shape(1)));
    expect(known.shape(0) == cells.shape(0) && known.shape(1) == cells.shape(1), "arrays of the same shape");
    const int rows = static_cast<int>(cells.shape(0));
    const int cols = static_cast<int>(cells.shape(1));
    Closure closure(rows, cols, mines);
    const Grid& grid = closure.grid();
    for (int row = 0; row < rows; ++row) {
        for (int col = 0; col < cols; ++col) {
            const int clue = cells(row, col);
            expect(-1 <= clue && clue <= 8, "-1 (hidden) or a clue 0 to 8 in each cell");
            if (clue >= 0) closure.open(grid.at(row, col), clue);
            if (clue < 0 && known(row, col)) closure.settle(grid.at(row, col), true);
        }
    }
    expect(grid.unknown_left > 0, "a hidden cell that is not known to be a mine");
    return closure;
}

std::vector<Rated> numbered(const Grid& grid, const std::vector<Candidate>& candidates) {
    std::vector<Rated> rated;
    for (const Candidate& candidate : candidates)
        rated.emplace_back(grid.number(candidate.cell), candidate.safety, candidate.progress, candidate.value);
    return rated;
}

// Rate the cells of a position. Best first; the first is the choice.
std::vector<Rated> rate(const Cells& cells, int mines, const Marks& known, const std::string& strategy) {
    const Closure closure = closure_of(cells, mines, known);
    Guesser guesser(strategy_named(strategy));
    guesser.choose(closure.grid());
    return numbered(closure.grid(), guesser.candidates());
}

// What every cell is worth, best first, and whether that is exact. No cells if the position cannot be counted.
std::pair<bool, std::vector<Rated>> weigh(const Cells& cells, int mines, const Marks& known) {
    const Closure closure = closure_of(cells, mines, known);
    Guesser guesser(Strategy::champion);
    std::vector<Candidate> weighed;
    const bool exact = guesser.weigh(closure.grid(), weighed) == Weight::exact;
    return {exact, numbered(closure.grid(), weighed)};
}

}  // namespace

void bind_play(nb::module_& module) {
    module.def("play_boards", &play_boards, "mine_maps"_a.noconvert(), "clicks"_a.noconvert(), "strategy"_a);
    module.def("play_sampled", &play_sampled, "rows"_a, "cols"_a, "mines"_a, "click"_a, "opening"_a, "seed"_a,
               "first"_a, "count"_a, "strategy"_a);
    module.def("rate", &rate, "cells"_a.noconvert(), "mines"_a, "known"_a.noconvert(), "strategy"_a);
    module.def("weigh", &weigh, "cells"_a.noconvert(), "mines"_a, "known"_a.noconvert());
}

}  // namespace mines
