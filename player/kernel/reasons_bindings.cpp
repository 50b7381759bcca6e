// Reasons for Python, used by player/logic/native.py, which documents.
#include "reasons_bindings.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "reasons.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace mines {
namespace {

// Which clues, with the mine count, force a cell of a view? `layout` is one that fits, `known` are hidden cells that
// count as known. Clues are named by the numbers of their cells.
class CountReasons {
  public:
    CountReasons(const Cells& cells, const Marks& layout, const Marks& known, std::int64_t cell) {
        const auto rows = static_cast<int>(cells.shape(0));
        const auto cols = static_cast<int>(cells.shape(1));
        check_sides(rows, cols);
        for (const Marks* map : {&layout, &known})
            expect(map->shape(0) == cells.shape(0) && map->shape(1) == cells.shape(1), "maps of the size of the view");
        const Index size = rows * cols;
        const auto hidden = [&](std::int64_t i) { return cells.data()[i] < 0 && !known.data()[i]; };
        expect(0 <= cell && cell < size && hidden(cell), "a hidden cell: " + std::to_string(cell));
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
                   "a clue with hidden cells: " + std::to_string(chosen(i)));
            places.push_back(place_[chosen(i)]);
        }
        std::vector<int> found;
        bool told = false;
        {
            nb::gil_scoped_release release;
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

void bind_reasons(nb::module_& module) {
    nb::class_<CountReasons>(module, "CountReasons")
        .def(nb::init<const Cells&, const Marks&, const Marks&, std::int64_t>(), "cells"_a.noconvert(),
             "layout"_a.noconvert(), "known"_a.noconvert(), "cell"_a)
        .def("correction", &CountReasons::correction, "chosen"_a.noconvert(), "effort"_a);
}

}  // namespace mines
