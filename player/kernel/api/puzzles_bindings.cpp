// Puzzles: sampling, solving, screening and metrics.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "api/bindings.hpp"
#include "explain/hints.hpp"
#include "explain/proof_clauses.hpp"
#include "logic/mine_swap.hpp"
#include "make/certifying.hpp"
#include "make/metrics.hpp"
#include "make/paper.hpp"
#include "make/puzzle_ids.hpp"
#include "make/screening.hpp"

namespace mines {
namespace {

using NewMaps = Array<std::uint8_t, 3>;  // output
using Numbers7 = std::array<int, 7>;

nb::bytes to_bytes(const std::vector<std::uint8_t>& data) { return nb::bytes(data.data(), data.size()); }

// Verdict, cells decided at each tier, clues at once, cells unknown at the end.
nb::tuple solution_tuple(const Solution& solution) {
    const std::int64_t* const steps = solution.steps;
    return nb::make_tuple(solution.verdict, nb::make_tuple(steps[1], steps[2], steps[3], steps[4]),
                          solution.clues_at_once < 0 ? nb::none() : nb::object(nb::cast(solution.clues_at_once)),
                          to_bytes(solution.unknown));
}

Numbers7 metric_numbers(const Metrics& metrics) {
    return {metrics.bbbv,       metrics.openings, metrics.islands,      metrics.greedy_zini,
            metrics.human_zini, metrics.buried,   metrics.first_opening};
}

nb::list solve(const MineMaps& mine_maps, const Numbers& clicks, const NativeGrid& grid) {
    std::vector<Solution> solutions;
    Solver solver(kCountClues);
    each_puzzle(mine_maps, clicks, grid, [&](const Puzzle& puzzle) { solver.solve(puzzle, solutions.emplace_back()); });
    nb::list solved;
    for (const Solution& solution : solutions) solved.append(solution_tuple(solution));
    return solved;
}

std::string path_text(std::uint64_t hash) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
    return text;
}

// Whether each path solves its puzzle, whether it is too wide, its hash, and its steps.
nb::list path_list(const Paths& paths) {
    nb::list listed;
    for (std::size_t i = 0; i < paths.hash.size(); ++i) {
        nb::list steps;
        for (auto step = static_cast<std::size_t>(paths.steps[i]); step < static_cast<std::size_t>(paths.steps[i + 1]);
             ++step) {
            const auto cells = [&](std::size_t piece) {
                const std::int64_t* const bounds = &paths.bounds[3 * step + piece];
                nb::list numbers;
                for (std::int64_t at = bounds[0]; at < bounds[1]; ++at)
                    numbers.append(paths.cells[static_cast<std::size_t>(at)]);
                return nb::tuple(numbers);
            };
            steps.append(nb::make_tuple(paths.tier[step], paths.smallest[step] != 0, cells(0), cells(1), cells(2)));
        }
        listed.append(nb::make_tuple(paths.solved[i] != 0, paths.too_wide[i] != 0, path_text(paths.hash[i]), steps));
    }
    return listed;
}

nb::list solution_paths(const MineMaps& mine_maps, const Numbers& clicks, const NativeGrid& grid) {
    Paths paths;
    PathFinder finder;
    each_puzzle(mine_maps, clicks, grid, [&](const Puzzle& puzzle) { finder.find(puzzle, paths); });
    return path_list(paths);
}

// `mine` and `unknown` have a byte for each cell.
std::optional<Clauses> clauses_of(const NativeGrid& grid, const nb::bytes& mine, const nb::bytes& unknown, bool counted,
                                  const std::vector<int>& safe, const std::vector<int>& mines,
                                  const std::vector<int>& clues) {
    const auto size = static_cast<std::size_t>(grid->size());
    for (const nb::bytes* const cells : {&mine, &unknown})
        expect(cells->size() == size, "a byte for each of ", size, " cells: ", cells->size());
    for (const std::vector<int>* const cells : {&safe, &mines, &clues})
        for (const int cell : *cells) expect(0 <= cell && cell < grid->size(), "cells of the board: ", cell);
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(mine.c_str());
    const auto* const hidden = reinterpret_cast<const std::uint8_t*>(unknown.c_str());
    const KernelCall call;
    return proof_clauses({*grid, bytes, hidden, counted, safe, mines, clues});
}

// Cells, whether they decide every hidden cell, clues outside the first opening, cells decided at each tier.
nb::list paper_forms(const MineMaps& mine_maps, const Numbers& clicks, const NativeGrid& grid, bool easy, bool counted,
                     int more) {
    std::vector<PaperForm> forms;
    PaperMaker maker({easy, counted, more});
    each_puzzle(mine_maps, clicks, grid, [&](const Puzzle& puzzle) { maker.make(puzzle, forms.emplace_back()); });
    nb::list listed;
    for (const PaperForm& form : forms)
        listed.append(nb::make_tuple(nb::bytes(form.cells.data(), form.cells.size()), form.complete, form.revealed,
                                     nb::make_tuple(form.steps[1], form.steps[2], form.steps[3], form.steps[4])));
    return listed;
}

// The path of a view.
nb::object view_path(const Cells& cells, int mines, const NativeGrid& grid) {
    const View view = read_view(cells, mines, grid);
    Paths path;
    compute_on(view, [&] { return find_view_path(view, {}, std::numeric_limits<std::size_t>::max(), path); });
    return path_list(path)[0];
}

// Mines and safe cells of each swap.
std::vector<std::pair<std::vector<int>, std::vector<int>>> mine_swaps(const MineMaps& mine_maps, const Numbers& clicks,
                                                                      const NativeGrid& grid) {
    std::vector<std::pair<std::vector<int>, std::vector<int>>> found;
    each_puzzle(mine_maps, clicks, grid, [&](const Puzzle& puzzle) {
        for (const MineSwap& swap : MineSwapFinder().all(puzzle)) found.emplace_back(swap.mines, swap.safe);
    });
    return found;
}

std::optional<int> known_clues(int clues_at_once) {
    return clues_at_once < 0 ? std::nullopt : std::optional<int>(clues_at_once);
}

// Certificates of puzzles with the largest number of clues that their easy steps need at once: path, clues at once,
// clauses of each hard step.
nb::list certify(const MineMaps& mine_maps, const Numbers& clicks, const NativeGrid& grid, const Numbers& easy_clues) {
    expect(easy_clues.size() == clicks.size(), "a number of clues for each puzzle");
    std::vector<Certificate> certificates;
    Certifier certifier;
    each_puzzle(mine_maps, clicks, grid, [&](const Puzzle& puzzle) {
        const std::int64_t easy = easy_clues.data()[certificates.size()];
        certificates.push_back(certifier.certify(puzzle, static_cast<int>(easy)));
    });
    nb::list certified;
    for (const Certificate& one : certificates)
        certified.append(nb::make_tuple(path_text(one.path), known_clues(one.clues_at_once), one.proofs));
    return certified;
}

// Find the solvable puzzles of a range. Boards are repaired if `most_changes` is positive.
std::vector<FoundPuzzle> search(const Recipe& recipe, std::uint64_t start, std::uint64_t stop, int most_changes,
                                bool count_clues) {
    const KernelCall call;
    return most_changes > 0 ? repair(recipe, start, stop, most_changes) : screen(recipe, start, stop, count_clues);
}

struct KeptPuzzle {
    const FoundPuzzle* found;
    Certificate certificate;
    Metrics metrics;
    PuzzleIds ids;
};

// The puzzles of a range that a run keeps: a list for each column of `Found` in generator/pipeline.py, and the clauses
// of their certificates. `accepts`, a function of the tally and the clues at once or None, is the rest of the filter.
nb::tuple find(const Recipe& recipe, std::uint64_t start, std::uint64_t stop, int most_changes, bool certified,
               bool count_clues, int min_bbbv, int max_buried, const nb::object& accepts) {
    const std::vector<FoundPuzzle> puzzles = search(recipe, start, stop, most_changes, count_clues);
    std::vector<KeptPuzzle> kept;
    {
        KernelCall call;
        Certifier certifier;
        MetricsCalculator measuring;
        for (const FoundPuzzle& one : puzzles) {
            call.poll();
            const std::int64_t* const steps = one.solution.steps;
            Certificate certificate;
            certificate.clues_at_once = one.solution.clues_at_once;
            if (!accepts.is_none()) {
                const nb::gil_scoped_acquire locked;
                const nb::tuple tally = nb::make_tuple(steps[1], steps[2], steps[3], steps[4]);
                if (!nb::cast<bool>(accepts(tally, known_clues(certificate.clues_at_once)))) continue;
            }
            const Metrics metrics = measuring.puzzle(one.puzzle);
            if (metrics.bbbv < min_bbbv || metrics.buried > max_buried) continue;
            if (certified) certificate = certifier.certify(one.puzzle, steps[2] > 0 ? 2 : steps[1] > 0 ? 1 : 0);
            kept.push_back({&one, std::move(certificate), metrics, puzzle_ids(one.puzzle)});
        }
    }
    const int cols = recipe.grid->cols;
    std::array<nb::list, 20> columns;
    nb::list proofs;
    for (const KeptPuzzle& one : kept) {
        const std::int64_t* const steps = one.found->solution.steps;
        const int click = one.found->puzzle.click;
        auto column = columns.begin();
        const auto add = [&](const auto&... values) { ((column++)->append(values), ...); };
        add(one.found->index, click / cols, click % cols, one.ids.id, one.ids.canonical_id, to_bytes(one.ids.mine_bits),
            steps[1], steps[2], steps[3], steps[4], known_clues(one.certificate.clues_at_once));
        for (const int number : metric_numbers(one.metrics)) add(number);
        if (certified) {
            add(path_text(one.certificate.path), one.certificate.proofs.size());
            proofs.append(one.certificate.proofs);
        } else {
            add(nb::none(), nb::none());
        }
    }
    return nb::make_tuple(columns, proofs);
}

// Index, first click, mines and solution of each solvable puzzle.
nb::list screen_range(const Recipe& recipe, std::uint64_t start, std::uint64_t stop, int most_changes,
                      bool count_clues) {
    nb::list found;
    for (const FoundPuzzle& one : search(recipe, start, stop, most_changes, count_clues))
        found.append(
            nb::make_tuple(one.index, one.puzzle.click, to_bytes(one.puzzle.mine), solution_tuple(one.solution)));
    return found;
}

// Fill `maps` with the mines of the boards from `start` on.
void sample_mine_maps(const Recipe& recipe, std::uint64_t start, const NewMaps& maps) {
    check_size(maps.shape(1), maps.shape(2), {recipe.grid});
    std::uint8_t* out = maps.data();
    each_puzzle(recipe, start, maps.shape(0),
                [&](const Puzzle& puzzle) { out = std::copy(puzzle.mine.begin(), puzzle.mine.end(), out); });
}

// 3BV, openings, islands, both ZiNis and buried mines of each board, and with `clicks` the cells that the first click
// opens, else 0.
std::vector<Numbers7> measure(const MineMaps& mine_maps, const std::optional<Numbers>& clicks, const NativeGrid& grid) {
    check_size(mine_maps.shape(1), mine_maps.shape(2), grid);
    std::vector<Puzzle> puzzles;
    if (clicks) puzzles = read_puzzles(mine_maps, *clicks, grid);
    const auto* mines = reinterpret_cast<const std::uint8_t*>(mine_maps.data());
    std::vector<Numbers7> measured;
    KernelCall call;
    MetricsCalculator measuring;
    for (std::size_t i = 0; i < mine_maps.shape(0); ++i, mines += grid->size()) {
        call.poll();
        measured.push_back(metric_numbers(clicks ? measuring.puzzle(puzzles[i]) : measuring.board(*grid, mines)));
    }
    return measured;
}

// Id, canonical id and packed mines of each puzzle.
nb::list ids(const MineMaps& mine_maps, const Numbers& clicks, const NativeGrid& grid) {
    std::vector<PuzzleIds> found;
    each_puzzle(mine_maps, clicks, grid, [&](const Puzzle& puzzle) { found.push_back(puzzle_ids(puzzle)); });
    nb::list listed;
    for (const PuzzleIds& one : found) listed.append(nb::make_tuple(one.id, one.canonical_id, to_bytes(one.mine_bits)));
    return listed;
}

Recipe make_recipe(const NativeGrid& grid, int mines, int click, bool opening, std::uint64_t seed) {
    const Recipe recipe{grid.ref, mines, click, opening, seed};
    expect(click == -1 || (0 <= click && click < grid->size() && !grid->is_hole(click)),
           "a first click on the board, or -1: ", click);
    const int fits = room(recipe);
    expect(0 <= mines && mines <= fits, "0 to ", fits, " mines around the start: ", mines);
    return recipe;
}

// `holes` is empty, or has a byte for each cell, row by row.
NativeGrid new_grid(std::int64_t rows, std::int64_t cols, int kind, const nb::bytes& holes) {
    const auto* const first = reinterpret_cast<const std::uint8_t*>(holes.c_str());
    std::vector<std::uint8_t> marks(first, first + holes.size());
    const char* const objection = Grid::objection(rows, cols, kind, marks);
    if (objection != nullptr) expect(false, objection, ": ", rows, "x", cols, " of kind ", kind);
    return {make_grid(static_cast<int>(rows), static_cast<int>(cols), kind, std::move(marks))};
}

}  // namespace

void bind_puzzles(nb::module_& module) {
    nb::enum_<Verdict>(module, "Verdict")
        .value("SOLVED", Verdict::solved)
        .value("STUCK", Verdict::stuck)
        .value("TOO_WIDE", Verdict::too_wide);
    nb::class_<NativeGrid>(module, "Grid").def(nb::new_(&new_grid), "rows"_a, "cols"_a, "kind"_a, "holes"_a);
    nb::class_<Recipe>(module, "Recipe")
        .def(nb::new_(&make_recipe), "grid"_a, "mines"_a, "click"_a, "opening"_a, "seed"_a);
    module.def("solve", &solve, "mine_maps"_a.noconvert(), "clicks"_a.noconvert(), "grid"_a);
    module.def("solution_paths", &solution_paths, "mine_maps"_a.noconvert(), "clicks"_a.noconvert(), "grid"_a);
    module.def("proof_clauses", &clauses_of, "grid"_a, "mine"_a, "unknown"_a, "counted"_a, "safe"_a, "mines"_a,
               "clues"_a);
    module.def("paper_forms", &paper_forms, "mine_maps"_a.noconvert(), "clicks"_a.noconvert(), "grid"_a, "easy"_a,
               "counted"_a, "more"_a);
    module.def("view_path", &view_path, "cells"_a.noconvert(), "mines"_a, "grid"_a);
    module.def("mine_swaps", &mine_swaps, "mine_maps"_a.noconvert(), "clicks"_a.noconvert(), "grid"_a);
    module.def("certify", &certify, "mine_maps"_a.noconvert(), "clicks"_a.noconvert(), "grid"_a,
               "easy_clues"_a.noconvert());
    module.def("find", &find, "recipe"_a, "start"_a, "stop"_a, "most_changes"_a, "certified"_a, "count_clues"_a,
               "min_bbbv"_a, "max_buried"_a, "accepts"_a.none());
    module.def("screen", &screen_range, "recipe"_a, "start"_a, "stop"_a, "most_changes"_a, "count_clues"_a);
    module.def("sample_mine_maps", &sample_mine_maps, "recipe"_a, "start"_a, "maps"_a.noconvert());
    module.def("puzzle_ids", &ids, "mine_maps"_a.noconvert(), "clicks"_a.noconvert(), "grid"_a);
    module.def("measure", &measure, "mine_maps"_a.noconvert(), "clicks"_a.noconvert().none(), "grid"_a);
}

}  // namespace mines
