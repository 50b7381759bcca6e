// Views: the positions that players see, their deductions, and layouts that fit them.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "count/counting.hpp"
#include "logic/closure.hpp"
#include "logic/trellis.hpp"

namespace mines {

constexpr std::int8_t kHidden = -1;
// A probability or number that does not exist or was not computed.
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The position of a player: one byte a cell, row by row, kHidden or a clue. Holes are 0.
//
// If only a range of the number of mines is known, `mines` is the largest and `spare` the length of the range. That is
// a board with as many spare cells that touch no cell, and `mines` mines in all: logic needs no more. A layout of the
// board with one more mine is `odds` times as likely; the spare cells are weighted accordingly.
struct View {
    GridRef grid;
    int mines = 0;
    std::vector<std::int8_t> cells;
    int spare = 0;
    double odds = 1;
};

// One byte a cell, row by row.
using CellBytes = std::vector<std::uint8_t>;

enum Known : std::uint8_t { kMaybe, kKnownSafe, kKnownMine };

// The view before the first click.
View hidden_view(const GridRef& grid, int mines);
bool all_hidden(const View& view);

// Load the open cells of a view into a closure, and the known cells of `given` if it is not empty.
void load_view(const View& view, const CellBytes& given, Closure& closure);
Closure closure_of(const View& view, const CellBytes& given = {});

// Find all deductions of a closure, or those without the mine count; safe cells are not opened. Write a `Known` for
// each hidden cell to `known`.
Fit complete(Closure& closure, CellBytes& known, bool counted = true);

// Count the layouts that fit a closure. The easy tiers are applied first, which makes the components smaller.
Fit count_layouts(Closure& closure, Counter& counter);

struct Chances {
    std::vector<double> mine;  // the probability of a mine in each cell, NaN in open ones
    double log_layouts = 0;    // the natural logarithm of the number of layouts
};

// Find the probabilities of a view in which the cells of `given` are known. Nothing is written without a count.
Fit find_chances(const View& view, const CellBytes& given, Chances& out);

// Draw `count` of the layouts that fit a closure, uniformly and independently: one byte for each cell of each, row by
// row.
Fit draw_layouts(Closure& closure, std::uint64_t seed, std::uint64_t first_stream, std::size_t count,
                 std::uint8_t* mine);
Fit draw_layout(Closure& closure, std::uint64_t seed, std::uint64_t stream, CellBytes& mine);
// Choose one of them, always the same.
Fit example_layout(Closure& closure, CellBytes& mine);

}  // namespace mines
