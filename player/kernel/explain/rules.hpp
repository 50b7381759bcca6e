// The rules of a game on a view: opening, chords, and Kaboom's adversary. player/core/game.py and player/play/kaboom.py
// define them. Nothing here keeps a state: each function gets the view.
#pragma once

#include <cstdint>
#include <vector>

#include "explain/view.hpp"

namespace mines {

// Open a hidden cell of a board, with its opening. Return false at a mine, which stays hidden.
bool open_cell(View& view, const CellBytes& mine, int cell);

// Mark the cells that a chord opens: the unflagged hidden cells around an open clue that touches as many flags as it
// shows.
CellBytes chorded(const View& view, const CellBytes& flags, int cell);

// The options of Kaboom.
struct KaboomRules {
    bool opening_start = false;
    bool guess_anywhere = false;
    bool outside_counts = true;
    bool cruelest = false;
    bool unavoidable_early = false;  // for the caller of kaboom_verdicts, who finds unavoidable guesses
};

// Read the options from bits, in the order above.
inline KaboomRules rules_of(unsigned bits) {
    return {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0, (bits & 16) != 0};
}

enum class Why : std::uint8_t { first_click, proven_safe, forced_guess, proven_mine, needless_guess, outside, open };

inline bool survives(Why why) { return why <= Why::forced_guess; }

// Write the result of a click on each cell to `why`, a `Why`.
Fit kaboom_verdicts(const View& view, const KaboomRules& rules, CellBytes& why);

// Click a hidden cell, as `kaboom_verdicts` judged it: draw the deciding layout and, if the click survives, open the
// cell. `seed` and the number of earlier clicks determine the random numbers.
Fit kaboom_click(View& view, const KaboomRules& rules, Why why, int cell, std::uint64_t seed, std::uint64_t clicks,
                 CellBytes& layout);

}  // namespace mines
