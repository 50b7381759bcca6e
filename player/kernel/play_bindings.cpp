// Playing: whole games, what a guess is worth, and the best possible play.
#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "bindings.hpp"
#include "guesser.hpp"
#include "optimal.hpp"
#include "play.hpp"

namespace mines {
namespace {

// Won, opened, guesses, seconds of one game.
using Result = std::tuple<bool, int, int, double>;
// Cell, safety, progress, value.
using Rated = std::tuple<int, double, double, double>;

Strategy strategy_named(const std::string& name) {
    if (name == "safest") return Strategy::safest;
    if (name == "progress") return Strategy::progress;
    if (name == "lookahead") return Strategy::lookahead;
    expect(name == "champion", "safest, progress, lookahead or champion: " + name);
    return Strategy::champion;
}

// Play so many games; `deal(i)` is the puzzle of each.
template <class Deal>
std::vector<Result> play(const std::string& strategy, std::uint64_t count, Deal deal) {
    Player player(strategy_named(strategy));
    std::vector<Result> results;
    nb::gil_scoped_release unlocked;
    Interrupts interrupts;
    for (std::uint64_t i = 0; i < count; ++i) {
        interrupts.poll();
        const Puzzle& puzzle = deal(i);
        const auto started = std::chrono::steady_clock::now();
        const Outcome outcome = player.play(puzzle);
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - started;
        results.emplace_back(outcome.won, outcome.opened, outcome.guesses, seconds.count());
    }
    return results;
}

std::vector<Result> play_boards(const MineMaps& mine_maps, const Numbers& clicks, const std::string& strategy) {
    const std::vector<Puzzle> puzzles = read_puzzles(mine_maps, clicks);
    return play(strategy, puzzles.size(), [&](std::uint64_t i) -> const Puzzle& { return puzzles[i]; });
}

std::vector<Result> play_sampled(const Recipe& recipe, std::uint64_t first, std::uint64_t count,
                                 const std::string& strategy) {
    Puzzle puzzle;
    return play(strategy, count, [&](std::uint64_t i) -> const Puzzle& {
        sample(recipe, first + i, puzzle);
        return puzzle;
    });
}

std::vector<Rated> numbered(const Grid& grid, const std::vector<Candidate>& candidates) {
    std::vector<Rated> rated;
    for (const Candidate& candidate : candidates)
        rated.emplace_back(grid.number(candidate.cell), candidate.safety, candidate.progress, candidate.value);
    return rated;
}

// Rate the cells of a position. Best first; the first is the choice. None if no cell may be safe.
std::vector<Rated> rate(const Cells& cells, int mines, const Marks& known, const std::string& strategy) {
    const Closure closure = read_view(cells, mines, &known);
    Guesser guesser(strategy_named(strategy));
    if (!guesser.choose(closure.grid())) return {};
    return numbered(closure.grid(), guesser.candidates());
}

// What every cell is worth, best first, and whether that is exact. No cells if the position cannot be counted.
std::pair<bool, std::vector<Rated>> weigh(const Cells& cells, int mines, const Marks& known) {
    const Closure closure = read_view(cells, mines, &known);
    Guesser guesser(Strategy::champion);
    std::vector<Candidate> weighed;
    const bool exact = guesser.weigh(closure.grid(), weighed) == Weight::exact;
    return {exact, numbered(closure.grid(), weighed)};
}

// Solved, wins, states remembered.
std::tuple<bool, std::int64_t, std::size_t> optimal(int rows, int cols, const std::vector<std::uint32_t>& layouts,
                                                    std::size_t most_states) {
    expect(rows >= 1 && cols >= 1 && rows <= Optimal::kMostCells && cols <= Optimal::kMostCells / rows,
           "a board of 1 to 32 cells: " + std::to_string(rows) + "x" + std::to_string(cols));
    expect(layouts.size() <= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()), "fewer layouts");
    for (const std::uint32_t layout : layouts)
        expect(std::uint64_t{layout} >> rows * cols == 0, "mines on the board: " + std::to_string(layout));
    const nb::gil_scoped_release unlocked;
    Interrupts interrupts;
    Optimal game(rows, cols, most_states, [&interrupts] { interrupts.poll(); });
    const bool solved = game.solve(layouts);
    return {solved, game.wins(), game.states()};
}

}  // namespace

void bind_play(nb::module_& module) {
    module.def("play", &play_boards, "mine_maps"_a.noconvert(), "clicks"_a.noconvert(), "strategy"_a);
    module.def("play_sampled", &play_sampled, "recipe"_a, "first"_a, "count"_a, "strategy"_a);
    module.def("rate", &rate, "cells"_a.noconvert(), "mines"_a, "known"_a.noconvert(), "strategy"_a);
    module.def("weigh", &weigh, "cells"_a.noconvert(), "mines"_a, "known"_a.noconvert());
    module.def("optimal", &optimal, "rows"_a, "cols"_a, "layouts"_a, "most_states"_a);
}

}  // namespace mines
