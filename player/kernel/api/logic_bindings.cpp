// Incremental closure of a game, and correction sets.
#include <utility>

#include "api/bindings.hpp"
#include "logic/reasons.hpp"

namespace mines {
namespace {

// A `Closure` with cell numbers.
class IncrementalClosure : public Exclusive {
  public:
    IncrementalClosure(int rows, int cols, int mines) {
        check_sides(static_cast<std::size_t>(rows), static_cast<std::size_t>(cols));
        expect(0 <= mines && mines <= rows * cols, "0 to ", rows * cols, " mines: ", mines);
        closure_.reset(rows, cols, mines);
    }

    void learn(const Numbers& cells, const Numbers& clues) {
        expect(cells.size() == clues.size(), "one clue for each cell");
        for (std::size_t i = 0; i < cells.size(); ++i) {
            check_cell(cells(i));
            expect(0 <= clues(i) && clues(i) <= 8, "a clue 0 to 8: ", clues(i));
        }
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const Index cell = grid().from_number(static_cast<Index>(cells(i)));
            const int clue = static_cast<int>(clues(i));
            expect(grid().state[cell] != kOpen || closure_.clue(cell) == clue, "a clue that does not change: ", clue,
                   " in cell ", cells(i));
            closure_.open(cell, clue);
        }
    }

    void mark(const Numbers& cells, bool mine) {
        for (std::size_t i = 0; i < cells.size(); ++i) check_cell(cells(i));
        for (std::size_t i = 0; i < cells.size(); ++i)
            closure_.mark(grid().from_number(static_cast<Index>(cells(i))), mine);
    }

    nb::list local_round() {
        if (steps_.empty()) steps_.resize(1);
        std::size_t count = 0;
        run([&] {
            closure_.one_clue(steps_[0]);
            if (steps_[0].empty() && !closure_.inconsistent()) closure_.two_clues(steps_[0]);
            if (steps_[0].empty() && !closure_.inconsistent()) {
                closure_.more_clues(steps_, count);
            } else {
                count = 1;
            }
        });
        return step_list(count);
    }

    nb::object mine_count_round() {
        if (steps_.empty()) steps_.resize(1);
        bool found_answer = false;
        run([&] { found_answer = closure_.mine_count(steps_[0]); });
        if (!found_answer) return nb::none();
        return step_list(steps_[0].empty() ? 0 : 1);
    }

    nb::list pop_wide_components() {
        nb::list components;
        for (const Index clue : closure_.pop_wide()) components.append(reduced(clue));
        return components;
    }

    nb::tuple unconstrained() {
        std::vector<Index> cells;
        grid().list_unconstrained(cells);
        return numbers(grid(), cells);
    }

    nb::list frontier() {
        nb::list clues;
        for (Index i = 0; i < grid().size(); ++i)
            if (grid().state[i] == kOpen && grid().mask[i] != 0) clues.append(reduced_clue(i));
        return clues;
    }

    bool inconsistent() { return closure_.inconsistent(); }
    int mines_left() { return grid().mines_left; }

  private:
    const Grid& grid() const { return closure_.grid(); }

    void check_cell(std::int64_t cell) const {
        expect(0 <= cell && cell < std::int64_t{grid().rows} * grid().cols, "a cell of the board: ", cell);
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

    // Run a deduction. An interrupted one loses deductions, so the closure cannot be used afterwards.
    template <class Action>
    void run(Action action) {
        expect(!interrupted_, "a closure that was not interrupted");
        interrupted_ = true;
        {
            const KernelCall call;
            action();
        }
        interrupted_ = false;
    }

    // Nothing follows from a contradiction.
    nb::list step_list(std::size_t count) {
        nb::list list;
        if (closure_.inconsistent()) return list;
        for (std::size_t i = 0; i < count; ++i) list.append(step_tuple(grid(), steps_[i]));
        return list;
    }

    Closure closure_;
    Component component_;
    std::vector<Step> steps_;
    bool interrupted_ = false;
};

// Correction sets of a cell, with the mine count. `layout` fits the view; `known` marks hidden cells that count as
// known. Clues are named by their cell numbers.
class Corrections : public Exclusive {
  public:
    Corrections(const Cells& cells, const Marks& layout, const Marks& known, std::int64_t cell) {
        const auto rows = static_cast<int>(cells.shape(0));
        const auto cols = static_cast<int>(cells.shape(1));
        check_sides(cells.shape(0), cells.shape(1));
        check_shape(layout, cells);
        check_shape(known, cells);
        const Index size = rows * cols;
        const auto hidden = [&](std::int64_t i) { return cells.data()[i] < 0 && !known.data()[i]; };
        expect(0 <= cell && cell < size && hidden(cell), "a hidden cell: ", cell);
        grid_.reset(rows, cols, 0);
        std::vector<std::int8_t> truth(grid_.state.size(), 0);
        for (Index i = 0; i < size; ++i) {
            truth[grid_.from_number(i)] = static_cast<std::int8_t>(layout.data()[i] ? -1 : 0);
            if (hidden(i)) continue;
            grid_.mark_safe(grid_.from_number(i));
            if (cells.data()[i] >= 0) grid_.state[grid_.from_number(i)] = kOpen;
        }
        place_.assign(static_cast<std::size_t>(size), -1);
        for (Index i = 0; i < size; ++i) {
            const Index at = grid_.from_number(i);
            if (cells.data()[i] < 0 || grid_.mask[at] == 0) continue;
            place_[i] = static_cast<int>(clues_.size());
            clues_.push_back(at);
        }
        std::vector<Index> unconstrained;
        grid_.list_unconstrained(unconstrained);
        reasons_.set_position(grid_, clues_, unconstrained, truth);
        reasons_.set_target(grid_.from_number(static_cast<Index>(cell)), true);
    }

    // Return a minimal set of other clues to remove so that the cell may have the other value; empty if the chosen
    // clues force the cell, None if that takes more than `effort` steps.
    nb::object find_correction(const Numbers& chosen, std::int64_t effort) {
        std::vector<int> places;
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            expect(0 <= chosen(i) && chosen(i) < static_cast<std::int64_t>(place_.size()) && place_[chosen(i)] >= 0,
                   "a clue with hidden cells: ", chosen(i));
            places.push_back(place_[chosen(i)]);
        }
        std::vector<int> found;
        bool found_answer = false;
        {
            const KernelCall call;
            found_answer = reasons_.find_correction(places, effort, found);
        }
        if (!found_answer) return nb::none();
        nb::list list;
        for (const int place : found) list.append(grid_.number(clues_[static_cast<std::size_t>(place)]));
        return nb::tuple(list);
    }

  private:
    Grid grid_;
    std::vector<Index> clues_;
    std::vector<int> place_;
    SmallestReasons reasons_;
};

}  // namespace

void bind_logic(nb::module_& module) {
    nb::class_<IncrementalClosure>(module, "IncrementalClosure")
        .def(nb::init<int, int, int>(), "rows"_a, "cols"_a, "mines"_a)
        .def("learn", exclusive(&IncrementalClosure::learn), "cells"_a.noconvert(), "clues"_a.noconvert())
        .def("mark", exclusive(&IncrementalClosure::mark), "cells"_a.noconvert(), "mine"_a)
        .def("local_round", exclusive(&IncrementalClosure::local_round))
        .def("mine_count_round", exclusive(&IncrementalClosure::mine_count_round))
        .def("pop_wide_components", exclusive(&IncrementalClosure::pop_wide_components))
        .def("unconstrained", exclusive(&IncrementalClosure::unconstrained))
        .def("frontier", exclusive(&IncrementalClosure::frontier))
        .def_prop_ro("inconsistent", exclusive(&IncrementalClosure::inconsistent))
        .def_prop_ro("mines_left", exclusive(&IncrementalClosure::mines_left));
    nb::class_<Corrections>(module, "Corrections")
        .def(nb::init<const Cells&, const Marks&, const Marks&, std::int64_t>(), "cells"_a.noconvert(),
             "layout"_a.noconvert(), "known"_a.noconvert(), "cell"_a)
        .def("find", exclusive(&Corrections::find_correction), "kept"_a.noconvert(), "effort"_a);
}

}  // namespace mines
