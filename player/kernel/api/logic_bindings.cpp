// Incremental closure of a game.
#include <utility>

#include "api/bindings.hpp"

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
}

}  // namespace mines
