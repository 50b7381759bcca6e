#include "api/bindings.hpp"

#include <algorithm>

namespace mines {
namespace {

nb::ft_mutex interrupt_check_mutex;

// Never destroyed, because the interpreter ends first.
nb::object& interrupt_check() {
    static nb::object* const callable = new nb::object();
    return *callable;
}

}  // namespace

void KernelCall::call_check() {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    nb::object check;
    {
        const nb::ft_lock_guard guard(interrupt_check_mutex);
        check = interrupt_check();
    }
    if (check.is_valid()) check();
}

std::vector<Puzzle> read_puzzles(const MineMaps& mine_maps, const Numbers& clicks, const NativeGrid& grid) {
    check_size(mine_maps.shape(1), mine_maps.shape(2), grid);
    expect(clicks.size() == mine_maps.shape(0), "one first click for each board");
    const std::size_t cells = mine_maps.shape(1) * mine_maps.shape(2);
    std::vector<Puzzle> puzzles(clicks.size());
    for (std::size_t i = 0; i < puzzles.size(); ++i) {
        const bool* const mines = mine_maps.data() + i * cells;
        const std::int64_t click = clicks(i);
        expect(0 <= click && click < static_cast<std::int64_t>(cells) && !mines[click],
               "the first click on a safe cell of the board: ", click);
        puzzles[i] = {grid.ref, static_cast<int>(click), {mines, mines + cells}};
        grid->each_hole([&](int hole) {
            expect(!mines[hole] && hole != click, "holes without a mine or the first click: ", hole);
        });
    }
    return puzzles;
}

void read_view(const std::int8_t* cells, int mines, const NativeGrid& grid, View& view) {
    expect(0 <= mines && mines <= Grid::kMaxSide * Grid::kMaxSide, "a number of mines, 0 or more: ", mines);
    view.grid = grid.ref;
    view.mines = mines;
    view.cells.assign(cells, cells + grid->size());
    for (const int clue : view.cells)
        expect(-1 <= clue && clue <= 8, "-1 (hidden) or a clue 0 to 8 in each cell: ", clue);
    grid->each_hole([&view](int hole) { view.cells[hole] = 0; });
}

View read_view(const Cells& cells, int mines, const NativeGrid& grid) {
    View view;
    check_size(cells.shape(0), cells.shape(1), grid);
    read_view(cells.data(), mines, grid, view);
    return view;
}

namespace {

// Copy a map of bool, row by row.
CellBytes read_known_mines(const AnyArray& map, const Cells& cells) {
    const std::size_t rows = cells.shape(0), cols = cells.shape(1);
    expect(map.dtype() == nb::dtype<bool>() && map.ndim() == 2 && map.shape(0) == rows && map.shape(1) == cols, "a ",
           rows, "x", cols, " array of bool");
    CellBytes known;
    known.reserve(rows * cols);
    const auto* const first = static_cast<const bool*>(map.data());
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t col = 0; col < cols; ++col)
            known.push_back(
                first[static_cast<std::int64_t>(row) * map.stride(0) + static_cast<std::int64_t>(col) * map.stride(1)]
                    ? kKnownMine
                    : kMaybe);
    return known;
}

}  // namespace

Closure read_closure(const Cells& cells, int mines, const NativeGrid& grid, const AnyArray& known) {
    check_size(cells.shape(0), cells.shape(1), grid);
    const CellBytes given = read_known_mines(known, cells);
    return closure_of(read_view(cells, mines, grid), given);
}

void check_fit(Fit fit, const Grid& grid, int mines) {
    if (fit == Fit::ok) return;
    const nb::module_ errors = nb::module_::import_("minesweeper.player.core.errors");
    if (fit == Fit::inconsistent) {
        PyErr_SetNone(errors.attr("InconsistentView").ptr());
    } else {
        std::ostringstream text;
        text << grid.rows << "x" << grid.cols << "/" << mines
             << " has a component too wide to count its layouts in memory";
        PyErr_SetString(errors.attr("TooWide").ptr(), text.str().c_str());
    }
    throw nb::python_error();
}

// Set the function called during computations.
void bind_interrupt_check(nb::module_& module) {
    module.def(
        "set_interrupt_check",
        [](nb::callable callable) {
            const nb::ft_lock_guard guard(interrupt_check_mutex);
            interrupt_check() = std::move(callable);
        },
        "callable"_a);
}

}  // namespace mines

NB_MODULE(_kernel, module) {
    mines::nb::set_leak_warnings(false);  // Caches of Python keep grids until the process ends.
    mines::bind_interrupt_check(module);
    mines::bind_chances(module);
    mines::bind_explain(module);
    mines::bind_logic(module);
    mines::bind_play(module);
    mines::bind_puzzles(module);
}
