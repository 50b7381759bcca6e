// One game by logic, and the clues that force a cell.
#include <utility>

#include "bindings.hpp"
#include "reasons.hpp"

namespace mines {
namespace {

// One game; the calls say what Closure's do, in cell numbers.
class Game {
  public:
    Game(int rows, int cols, int mines) {
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
            expect(grid().state[cell] != kOpen || closure_.clue(cell) == clue,
                   "a clue that does not change: ", clue, " in cell ", cells(i));
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
        whole([&] {
            closure_.one_clue(steps_[0]);
            if (steps_[0].empty() && !closure_.inconsistent()) closure_.two_clues(steps_[0]);
            if (steps_[0].empty() && !closure_.inconsistent()) {
                closure_.more_clues(steps_, count);
            } else {
                count = 1;
            }
        });
        return taken(count);
    }

    nb::object mine_count_round() {
        if (steps_.empty()) steps_.resize(1);
        bool told = false;
        whole([&] { told = closure_.mine_count(steps_[0]); });
        if (!told) return nb::none();
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

    // Work on the game. What was interrupted in the middle has lost claims, and is of no more use.
    template <class Act>
    void whole(Act act) {
        expect(!at_work_, "a game that is not at work elsewhere, and was not interrupted");
        at_work_ = true;
        {
            const Work work;
            act();
        }
        at_work_ = false;
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
    bool at_work_ = false;
};

// Which clues, with the mine count, force a cell of a view? `layout` is one that fits, `known` are hidden cells that
// count as known. Clues are named by the numbers of their cells.
class CountReasons {
  public:
    CountReasons(const Cells& cells, const Marks& layout, const Marks& known, std::int64_t cell) {
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
            if (!hidden(i)) grid_.settle_safe(grid_.from_number(i));
        }
        std::vector<std::uint8_t> seen(grid_.state.size(), 0);
        place_.assign(static_cast<std::size_t>(size), -1);
        for (Index i = 0; i < size; ++i) {
            const Index at = grid_.from_number(i);
            if (cells.data()[i] < 0 || grid_.mask[at] == 0) continue;
            place_[i] = static_cast<int>(clues_.size());
            clues_.push_back(at);
            for (const int step : grid_.step) seen[at + step] = 1;
        }
        std::vector<Index> sea;
        for (Index i = 0; i < size; ++i)
            if (hidden(i) && !seen[grid_.from_number(i)]) sea.push_back(grid_.from_number(i));
        reasons_.look_at(grid_, clues_, sea, truth);
        reasons_.ask(grid_.from_number(static_cast<Index>(cell)), true);
    }

    // Other clues, no fewer than needed, that have to go before the cell can be otherwise. None at all if the chosen
    // ones force it, and no answer if that takes more than so many steps to find out.
    nb::object correction(const Numbers& chosen, std::int64_t effort) {
        std::vector<int> places;
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            expect(0 <= chosen(i) && chosen(i) < static_cast<std::int64_t>(place_.size()) && place_[chosen(i)] >= 0,
                   "a clue with hidden cells: ", chosen(i));
            places.push_back(place_[chosen(i)]);
        }
        std::vector<int> found;
        bool told = false;
        {
            const Work work;
            told = reasons_.correction(places, effort, found);
        }
        if (!told) return nb::none();
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
    nb::class_<Game>(module, "IncrementalClosure")
        .def(nb::init<int, int, int>(), "rows"_a, "cols"_a, "mines"_a)
        .def("learn", &Game::learn, "cells"_a.noconvert(), "clues"_a.noconvert())
        .def("settle", &Game::settle, "cells"_a.noconvert(), "mine"_a)
        .def("local_round", &Game::local_round)
        .def("mine_count_round", &Game::mine_count_round)
        .def("pop_wide_components", &Game::take_wide)
        .def("unconstrained", &Game::sea)
        .def("frontier", &Game::frontier)
        .def_prop_ro("inconsistent", &Game::inconsistent)
        .def_prop_ro("mines_left", &Game::mines_left);
    nb::class_<CountReasons>(module, "Corrections")
        .def(nb::init<const Cells&, const Marks&, const Marks&, std::int64_t>(), "cells"_a.noconvert(),
             "layout"_a.noconvert(), "known"_a.noconvert(), "cell"_a)
        .def("find", &CountReasons::correction, "kept"_a.noconvert(), "effort"_a);
}

}  // namespace mines
