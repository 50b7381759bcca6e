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

std::vector<Puzzle> read_puzzles(const MineMaps& mine_maps, const Numbers& clicks, int shape) {
    check_grid(mine_maps.shape(1), mine_maps.shape(2), shape);
    expect(clicks.size() == mine_maps.shape(0), "one first click for each board");
    const std::size_t cells = mine_maps.shape(1) * mine_maps.shape(2);
    std::vector<Puzzle> puzzles(clicks.size());
    for (std::size_t i = 0; i < puzzles.size(); ++i) {
        const bool* const mines = mine_maps.data() + i * cells;
        const std::int64_t click = clicks(i);
        expect(0 <= click && click < static_cast<std::int64_t>(cells) && !mines[click],
               "the first click on a safe cell of the board: ", click);
        puzzles[i] = {static_cast<int>(mine_maps.shape(1)),
                      static_cast<int>(mine_maps.shape(2)),
                      static_cast<int>(click),
                      {mines, mines + cells},
                      shape};
        each_hole(puzzles[i], [&](int hole) {
            expect(!mines[hole] && hole != click, "holes without a mine or the first click: ", hole);
        });
    }
    return puzzles;
}

void read_view(const std::int8_t* cells, std::size_t rows, std::size_t cols, int mines, int shape, View& view) {
    check_grid(rows, cols, shape);
    expect(0 <= mines && mines <= kMaxSide * kMaxSide, "a number of mines, 0 or more: ", mines);
    view.rows = static_cast<int>(rows);
    view.cols = static_cast<int>(cols);
    view.mines = mines;
    view.shape = shape;
    view.cells.assign(cells, cells + rows * cols);
    for (const int clue : view.cells)
        expect(-1 <= clue && clue <= 8, "-1 (hidden) or a clue 0 to 8 in each cell: ", clue);
    each_hole(view, [&view](int hole) { view.cells[hole] = 0; });
}

View read_view(const Cells& cells, int mines, int shape) {
    View view;
    read_view(cells.data(), cells.shape(0), cells.shape(1), mines, shape, view);
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

Closure read_closure(const Cells& cells, int mines, int shape, const AnyArray& known) {
    check_sides(cells.shape(0), cells.shape(1));
    const CellBytes given = read_known_mines(known, cells);
    return closure_of(read_view(cells, mines, shape), given);
}

void check_fit(Fit fit, int rows, int cols, int mines) {
    if (fit == Fit::ok) return;
    const nb::module_ errors = nb::module_::import_("minesweeper.player.core.errors");
    if (fit == Fit::inconsistent) {
        PyErr_SetNone(errors.attr("InconsistentView").ptr());
    } else {
        std::ostringstream text;
        text << rows << "x" << cols << "/" << mines << " has a component too wide to count its layouts in memory";
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
    mines::bind_interrupt_check(module);
    mines::bind_chances(module);
    mines::bind_explain(module);
    mines::bind_logic(module);
    mines::bind_play(module);
    mines::bind_puzzles(module);
}
