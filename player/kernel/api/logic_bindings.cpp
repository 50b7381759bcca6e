// Incremental closure of a game.
#include <algorithm>
#include <utility>

#include "api/bindings.hpp"

namespace mines {
namespace {

// A `Closure` with cell numbers.
class IncrementalClosure : public Exclusive {
  public:
    IncrementalClosure(const NativeGrid& grid, int mines) : mines_(mines) {
        expect(0 <= mines && mines <= grid->size(), "0 to ", grid->size(), " mines: ", mines);
        closure_.reset(grid.ref, mines);
    }

    void learn(const Numbers& cells, const Numbers& clues) {
        expect(cells.size() == clues.size(), "one clue for each cell");
        for (std::size_t i = 0; i < cells.size(); ++i) {
            check_cell(cells(i));
            expect(0 <= clues(i) && clues(i) <= 8, "a clue 0 to 8: ", clues(i));
        }
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const Index cell = field().from_number(static_cast<Index>(cells(i)));
            const int clue = static_cast<int>(clues(i));
            expect(field().state[cell] != kOpen || closure_.clue(cell) == clue, "a clue that does not change: ", clue,
                   " in cell ", cells(i));
            closure_.open(cell, clue);
        }
    }

    // The next round of deductions, by the easiest tier that decides any cell; empty if nothing more follows. An
    // interrupted round loses deductions, so the closure cannot be used afterwards.
    nb::list advance() {
        std::size_t count = 0;
        Fit fit = Fit::ok;
        expect(!interrupted_, "a closure that was not interrupted");
        interrupted_ = true;
        {
            const KernelCall call;
            fit = closure_.next_round(steps_, count);
        }
        interrupted_ = false;
        check_fit(fit, *field().grid(), mines_);
        nb::list list;
        for (std::size_t i = 0; i < count; ++i) list.append(step_tuple(steps_[i]));
        return list;
    }

  private:
    const Field& field() const { return closure_.field(); }

    // Cell numbers, ascending.
    nb::tuple numbers(std::vector<Index> cells) const {
        std::sort(cells.begin(), cells.end());
        nb::list list;
        for (const Index cell : cells) list.append(field().number(cell));
        return nb::tuple(list);
    }

    // Tier, safe, mines, clues.
    nb::tuple step_tuple(const Step& step) const {
        return nb::make_tuple(step.tier, numbers(step.safe), numbers(step.mines), numbers(step.clues));
    }

    void check_cell(std::int64_t cell) const {
        expect(0 <= cell && cell < field().grid()->size(), "a cell of the board: ", cell);
    }

    int mines_;
    Closure closure_;
    std::vector<Step> steps_;
    bool interrupted_ = false;
};

}  // namespace

void bind_logic(nb::module_& module) {
    nb::class_<IncrementalClosure>(module, "IncrementalClosure")
        .def(nb::init<const NativeGrid&, int>(), "grid"_a, "mines"_a)
        .def("learn", exclusive(&IncrementalClosure::learn), "cells"_a.noconvert(), "clues"_a.noconvert())
        .def("advance", exclusive(&IncrementalClosure::advance));
}

}  // namespace mines
