// Common parts of the Python module: arrays from Python and their checks. player/kernel_api.py is the only module that
// imports it; the others use its handle `kernel`.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/interrupt.hpp"
#include "base/sampling.hpp"
#include "explain/rules.hpp"
#include "logic/closure.hpp"

namespace mines {

namespace nb = nanobind;
using namespace nb::literals;

template <typename Value, int dimensions>
using Array = nb::ndarray<Value, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;

using Cells = Array<const std::int8_t, 2>;  // of a view
using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;
using MineMaps = Array<const bool, 3>;         // boards of one size
using Numbers = Array<const std::int64_t, 1>;  // of cells

// Throw unless `holds`. "a clue 0 to 8: ", 9 makes the message "invalid 9; expected a clue 0 to 8". It is built only on
// failure: this is called for every cell.
template <class... Words>
void expect(bool holds, const Words&... words) {
    if (holds) return;
    std::ostringstream text;
    (text << ... << words);
    const std::string expected = text.str();
    const std::size_t colon = expected.find(": ");
    const std::string cause = colon == std::string::npos ? "" : "invalid " + expected.substr(colon + 2) + "; ";
    throw std::invalid_argument(cause + "expected " + expected.substr(0, colon));
}

// A grid in Python.
struct NativeGrid {
    GridRef ref;

    const Grid& operator*() const { return *ref; }
    const Grid* operator->() const { return ref.get(); }
};

inline void check_size(std::size_t rows, std::size_t cols, const NativeGrid& grid) {
    expect(rows == static_cast<std::size_t>(grid->rows) && cols == static_cast<std::size_t>(grid->cols), "arrays of ",
           grid->rows, "x", grid->cols, " cells: ", rows, "x", cols);
}

// Releases the GIL during a computation. About a hundred times a second it checks for Ctrl-C and calls the function of
// `set_interrupt_check`, which ends the computation by raising.
class KernelCall {
  public:
    KernelCall() : pulse_([this] { poll(); }) {}

    void poll() {
        const auto now = std::chrono::steady_clock::now();
        if (now < next_) return;
        const nb::gil_scoped_acquire locked;
        call_check();
        next_ = std::chrono::steady_clock::now() + kPause;
    }

  private:
    static constexpr std::chrono::milliseconds kPause{10};
    static void call_check();

    std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + kPause;
    nb::gil_scoped_release unlocked_;
    InterruptCheck pulse_;
};

// Base class of objects that their methods change. These methods may release the GIL: bind them with `exclusive`.
class Exclusive {
  public:
    void enter() {
        expect(!in_use_.exchange(true, std::memory_order_acquire),
               "one call at a time on an object; use an object for each thread");
    }
    void leave() { in_use_.store(false, std::memory_order_release); }

  private:
    std::atomic<bool> in_use_{false};
};

// Wrap a method of an `Exclusive`: it throws while another call uses the object.
template <class Object, class Result, class... Arguments>
auto exclusive(Result (Object::*method)(Arguments...)) {
    return [method](Object& object, Arguments... arguments) {
        struct Use {
            explicit Use(Object& object) : used(object) { used.enter(); }
            ~Use() { used.leave(); }
            Object& used;
        };
        const Use use(object);
        return (object.*method)(arguments...);
    };
}

// Convert and check puzzles of one grid.
std::vector<Puzzle> read_puzzles(const MineMaps& mine_maps, const Numbers& clicks, const NativeGrid& grid);

// Pass puzzles to `visit` without the GIL: boards with their first clicks, or those of a recipe from `first` on.
template <class Visit>
void each_puzzle(const MineMaps& mine_maps, const Numbers& clicks, const NativeGrid& grid, Visit visit) {
    const std::vector<Puzzle> puzzles = read_puzzles(mine_maps, clicks, grid);
    KernelCall call;
    for (const Puzzle& puzzle : puzzles) {
        call.poll();
        visit(puzzle);
    }
}
template <class Visit>
void each_puzzle(const Recipe& recipe, std::uint64_t first, std::uint64_t count, Visit visit) {
    Puzzle puzzle;
    KernelCall call;
    for (std::uint64_t i = 0; i < count; ++i) {
        call.poll();
        sample(recipe, first + i, puzzle);
        visit(puzzle);
    }
}

// Convert and check a view, given row by row.
void read_view(const std::int8_t* cells, int mines, const NativeGrid& grid, View& view);
View read_view(const Cells& cells, int mines, const NativeGrid& grid);

// Create a closure of a view. `known`, an array of bool of any strides, marks hidden cells known to be mines.
Closure read_closure(const Cells& cells, int mines, const NativeGrid& grid, const AnyArray& known);

// Throw `InconsistentView` or `TooWide` of player/core/errors.py unless the layouts of the view were counted.
void check_fit(Fit fit, const Grid& grid, int mines);

// Run a computation on a view without the GIL, and check its result as `check_fit` does.
template <class Compute>
void compute_on(const View& view, Compute compute) {
    Fit fit = Fit::ok;
    {
        const KernelCall call;
        fit = compute();
    }
    check_fit(fit, *view.grid, view.mines);
}

void bind_chances(nb::module_& module);
void bind_explain(nb::module_& module);
void bind_logic(nb::module_& module);
void bind_play(nb::module_& module);
void bind_puzzles(nb::module_& module);

}  // namespace mines
