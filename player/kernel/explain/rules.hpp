// The rules of a game on a view: opening, chords, and Kaboom's adversary. player/core/game.py and player/play/kaboom.py
// define them. Nothing here keeps a state: each function gets the view.
#pragma once

#include <cstdint>
#include <vector>

#include "count/counting.hpp"
#include "logic/closure.hpp"
#include "logic/trellis.hpp"

namespace mines {

constexpr std::int8_t kHidden = -1;

// The position of a player: one byte a cell, row by row, kHidden or a clue.
struct View {
    GridRef grid;
    int mines = 0;
    std::vector<std::int8_t> cells;
};

// One byte a cell, row by row.
using CellBytes = std::vector<std::uint8_t>;

enum Known : std::uint8_t { kMaybe, kKnownSafe, kKnownMine };

// Load the open cells of a view into a closure, and the known cells of `given` if it is not empty.
void load_view(const View& view, const CellBytes& given, Closure& closure);
Closure closure_of(const View& view, const CellBytes& given = {});

// Find all deductions of a closure, or those without the mine count; safe cells are not opened. Write a `Known` for
// each hidden cell to `known`.
Fit complete(Closure& closure, CellBytes& known, bool counted = true);

// Count the layouts that fit a closure. The easy tiers are applied first, which makes the components smaller.
Fit count_layouts(Closure& closure, Counter& counter);

// Draw `count` of the layouts that fit a closure, uniformly and independently: one byte for each cell of each, row by
// row.
Fit draw_layouts(Closure& closure, std::uint64_t seed, std::uint64_t first_stream, std::size_t count,
                 std::uint8_t* mine);
Fit draw_layout(Closure& closure, std::uint64_t seed, std::uint64_t stream, CellBytes& mine);

// Open a hidden cell of a board, with its opening. Return false at a mine, which stays hidden.
bool open_cell(View& view, const CellBytes& mine, int cell);

// List the cells that a chord opens: the unflagged hidden cells around an open clue that touches as many flags as it
// shows.
void list_chorded(const View& view, const CellBytes& flags, int cell, std::vector<int>& out);

// The options of Kaboom.
struct KaboomRules {
    bool opening_start = false;
    bool guess_anywhere = false;
    bool outside_counts = true;
    bool cruelest = false;
};

// Read the options from bits, in the order above.
inline KaboomRules rules_of(unsigned bits) {
    return {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0};
}

enum class Why : std::uint8_t { first_click, proven_safe, forced_guess, proven_mine, needless_guess, outside };

inline bool survives(Why why) { return why <= Why::forced_guess; }

// Write the result of a click on each hidden cell to `why`. It is meaningless for open cells.
Fit judge(const View& view, const KaboomRules& rules, std::vector<Why>& why);

// Click a hidden cell, as `judge` judged it: draw the deciding layout and, if the click survives, open the cell. `seed`
// and the number of earlier clicks determine the random numbers.
Fit click(View& view, const KaboomRules& rules, Why why, int cell, std::uint64_t seed, std::uint64_t clicks,
          CellBytes& layout);

}  // namespace mines
