// Whole puzzles: solving, screening and measuring them.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "bindings.hpp"
#include "exchange.hpp"
#include "images.hpp"
#include "metrics.hpp"
#include "repair.hpp"
#include "solver.hpp"

namespace mines {
namespace {

using NewMaps = Array<std::uint8_t, 3>;  // to be filled

nb::bytes to_bytes(const std::vector<std::uint8_t>& data) { return nb::bytes(data.data(), data.size()); }

// Verdict, cells opened, cells decided at each tier, clues at once, hard steps with the cells unknown before each, and
// the cells unknown at the end.
nb::tuple solution_tuple(const Grid& frame, const Solution& solution) {
    nb::list hard_steps;
    for (const HardRound& round : solution.hard_rounds) {
        const nb::bytes unknown = to_bytes(round.unknown);
        for (const Step& step : round.steps) hard_steps.append(nb::make_tuple(step_tuple(frame, step), unknown));
    }
    const std::int64_t* const steps = solution.steps;
    return nb::make_tuple(static_cast<int>(solution.verdict), solution.opened,
                          nb::make_tuple(steps[1], steps[2], steps[3], steps[4]),
                          solution.clues_at_once < 0 ? nb::none() : nb::object(nb::cast(solution.clues_at_once)),
                          hard_steps, to_bytes(solution.unknown));
}

Grid frame(int rows, int cols) {
    Grid grid;
    grid.measure(rows, cols);
    return grid;
}

nb::list solve(const MineMaps& mine_maps, const Numbers& clicks, bool keep_hard_steps) {
    const std::vector<Puzzle> puzzles = read_puzzles(mine_maps, clicks);
    std::vector<Solution> solutions(puzzles.size());
    {
        Work work;
        Solver solver({false, keep_hard_steps, true});
        for (std::size_t i = 0; i < puzzles.size(); ++i) {
            work.poll();
            solver.solve(puzzles[i], solutions[i]);
        }
    }
    const Grid grid = frame(static_cast<int>(mine_maps.shape(1)), static_cast<int>(mine_maps.shape(2)));
    nb::list solved;
    for (const Solution& solution : solutions) solved.append(solution_tuple(grid, solution));
    return solved;
}

// Mines and safe cells of each exchange.
std::vector<std::pair<std::vector<int>, std::vector<int>>> exchanges(const MineMaps& mine_maps, const Numbers& clicks) {
    std::vector<std::pair<std::vector<int>, std::vector<int>>> found;
    const std::vector<Puzzle> puzzles = read_puzzles(mine_maps, clicks);
    const Work work;
    for (const Puzzle& puzzle : puzzles)
        for (const Exchange& exchange : ExchangeFinder().all(puzzle)) found.emplace_back(exchange.mines, exchange.safe);
    return found;
}

// A solvable puzzle of a recipe.
struct Kept {
    std::uint64_t index;
    Puzzle puzzle;
    Solution solution;
};

// What some candidates of a recipe gave. It stays here until it is asked for, one puzzle at a time: many puzzles are
// only counted.
struct Found {
    Grid grid;  // of a board of the recipe, to number cells
    Measure measuring;
    std::vector<Kept> kept;
    std::vector<std::uint64_t> undecided;  // indices of those too wide to tell

    explicit Found(const Recipe& recipe) : grid(frame(recipe.rows, recipe.cols)) {}

    void add(Verdict verdict, std::uint64_t index, const Puzzle& puzzle, const Solution& solution) {
        if (verdict == Verdict::solved) kept.push_back({index, puzzle, solution});
        if (verdict == Verdict::undecided) undecided.push_back(index);
    }
    std::vector<std::uint64_t> indices() const {
        std::vector<std::uint64_t> all;
        for (const Kept& one : kept) all.push_back(one.index);
        return all;
    }
    const Kept& at(std::size_t place) const {
        if (place >= kept.size()) throw nb::index_error();
        return kept[place];
    }
};

// The click and the mines of a puzzle that was kept.
nb::tuple found_puzzle(const Found& found, std::size_t place) {
    const Puzzle& puzzle = found.at(place).puzzle;
    return nb::make_tuple(puzzle.click, to_bytes(puzzle.mine));
}

nb::tuple found_solution(const Found& found, std::size_t place) {
    return solution_tuple(found.grid, found.at(place).solution);
}

std::array<int, 6> measure_one(Measure& measuring, const Puzzle& puzzle) {
    const Metrics found = measuring.board(puzzle.rows, puzzle.cols, puzzle.mine.data());
    const int opened = measuring.first_opening(puzzle.click);
    return {found.bbbv, found.openings, found.islands, found.greedy_zini, found.human_zini, opened};
}

std::array<int, 6> found_measures(Found& found, std::size_t place) {
    const Puzzle& puzzle = found.at(place).puzzle;
    const Work work;
    return measure_one(found.measuring, puzzle);
}

// Those that logic solves.
Found screen(const Recipe& recipe, std::uint64_t start, std::uint64_t stop) {
    Found found(recipe);
    Work work;
    ExchangeFinder exchanges_of;
    Solver solver({true, true, true});
    Puzzle puzzle;
    Solution solution;
    for (std::uint64_t index = start; index < stop; ++index) {
        work.poll();
        sample(recipe, index, puzzle);
        if (exchanges_of.rules_out(puzzle)) continue;
        solver.solve(puzzle, solution);
        found.add(solution.verdict, index, puzzle, solution);
    }
    return found;
}

// Those that can be mended.
Found repair(const Recipe& recipe, std::uint64_t start, std::uint64_t stop, int most_changes) {
    Found found(recipe);
    Work work;
    Mender mender;
    Puzzle puzzle;
    Solution solution;
    for (std::uint64_t index = start; index < stop; ++index) {
        work.poll();
        const Verdict verdict = mender.mend(recipe, index, most_changes, puzzle, solution);
        found.add(verdict, index, puzzle, solution);
    }
    return found;
}

// Fill `maps` with the mines of the boards from `start` on.
void sample_maps(const Recipe& recipe, std::uint64_t start, const NewMaps& maps) {
    expect(maps.shape(1) == static_cast<std::size_t>(recipe.rows) &&
               maps.shape(2) == static_cast<std::size_t>(recipe.cols),
           "maps of the size of the recipe");
    Work work;
    Puzzle puzzle;
    std::uint8_t* out = maps.data();
    for (std::size_t i = 0; i < maps.shape(0); ++i) {
        work.poll();
        sample(recipe, start + i, puzzle);
        out = std::copy(puzzle.mine.begin(), puzzle.mine.end(), out);
    }
}

// 3BV, openings, islands and both ZiNis of each board.
std::vector<std::array<int, 5>> measure(const MineMaps& mine_maps) {
    check_sides(mine_maps.shape(1), mine_maps.shape(2));
    const auto rows = static_cast<int>(mine_maps.shape(1));
    const auto cols = static_cast<int>(mine_maps.shape(2));
    const auto* mines = reinterpret_cast<const std::uint8_t*>(mine_maps.data());
    std::vector<std::array<int, 5>> measured;
    Work work;
    Measure measuring;
    for (std::size_t i = 0; i < mine_maps.shape(0); ++i, mines += static_cast<std::ptrdiff_t>(rows) * cols) {
        work.poll();
        const Metrics found = measuring.board(rows, cols, mines);
        measured.push_back({found.bbbv, found.openings, found.islands, found.greedy_zini, found.human_zini});
    }
    return measured;
}

// The same of the boards of puzzles, and how many cells the first click opens.
std::vector<std::array<int, 6>> measure_puzzles(const MineMaps& mine_maps, const Numbers& clicks) {
    const std::vector<Puzzle> puzzles = read_puzzles(mine_maps, clicks);
    std::vector<std::array<int, 6>> measured;
    Work work;
    Measure measuring;
    for (const Puzzle& puzzle : puzzles) {
        work.poll();
        measured.push_back(measure_one(measuring, puzzle));
    }
    return measured;
}

// The images of a board, packed one after the other; `cells` has a byte for each cell.
nb::bytes images(int rows, int cols, const nb::bytes& cells) {
    check_sides(static_cast<std::size_t>(rows), static_cast<std::size_t>(cols));
    const std::size_t size = static_cast<std::size_t>(rows) * cols;
    expect(cells.size() == size, "a byte for each of ", size, " cells: ", cells.size());
    return to_bytes(packed_images(rows, cols, reinterpret_cast<const std::uint8_t*>(cells.c_str())));
}

Recipe make_recipe(int rows, int cols, int mines, int click, bool opening, std::uint64_t seed) {
    check_sides(static_cast<std::size_t>(rows), static_cast<std::size_t>(cols));
    expect(-1 <= click && click < rows * cols, "a first click on the board, or -1: ", click);
    const Recipe recipe{rows, cols, mines, click, opening, seed};
    const int fits = room(recipe);
    expect(0 <= mines && mines <= fits, "0 to ", fits, " mines around the start: ", mines);
    return recipe;
}

}  // namespace

void bind_puzzles(nb::module_& module) {
    nb::class_<Recipe>(module, "Recipe")
        .def(nb::new_(&make_recipe), "rows"_a, "cols"_a, "mines"_a, "click"_a, "opening"_a, "seed"_a);
    nb::class_<Found>(module, "Found")
        .def_prop_ro("indices", &Found::indices)
        .def_ro("undecided", &Found::undecided)
        .def("puzzle", &found_puzzle, "place"_a)
        .def("solution", &found_solution, "place"_a)
        .def("measures", &found_measures, "place"_a);
    module.def("solve", &solve, "mine_maps"_a.noconvert(), "clicks"_a.noconvert(), "keep_hard_steps"_a);
    module.def("exchanges", &exchanges, "mine_maps"_a.noconvert(), "clicks"_a.noconvert());
    module.def("screen", &screen, "recipe"_a, "start"_a, "stop"_a);
    module.def("repair", &repair, "recipe"_a, "start"_a, "stop"_a, "most_changes"_a);
    module.def("sample_maps", &sample_maps, "recipe"_a, "start"_a, "maps"_a.noconvert());
    module.def("images", &images, "rows"_a, "cols"_a, "cells"_a);
    module.def("measure", &measure, "mine_maps"_a.noconvert());
    module.def("measure_puzzles", &measure_puzzles, "mine_maps"_a.noconvert(), "clicks"_a.noconvert());
}

}  // namespace mines
