// Decides what the cells of a board show: the most probable meanings for which a layout of mines exists.
#pragma once

#include <array>
#include <vector>

#include "base/grid.hpp"
#include "see/glyphs.hpp"

namespace mines {

constexpr double kImpossible = -20;  // the logarithm of the probability of a meaning that is never assigned

inline bool is_clue(int symbol) { return 1 <= symbol && symbol <= 8; }
inline bool is_closed(int symbol) { return symbol == kCovered || symbol == kFlag || symbol == kQuestion; }

// Cells that look alike, and the logarithm of the probability of each meaning by their look.
struct LookAlike {
    std::vector<int> cells;
    int ground = 0;      // the group of their ground; closed and open cells rarely share one
    int kind = 0;        // of the glyph: groups of one kind have a like glyph
    bool plain = false;  // without a glyph
    bool exact = false;  // several cells with the same glyph, on a board that draws each meaning in equal pixels
    std::array<double, kSymbols> logs{};
};

struct Decision {
    bool found = false;
    bool complete = true;               // all assignments that matter were compared
    std::vector<std::uint8_t> symbols;  // the most probable meaning of each cell
    // The probability of each meaning of each cell.
    std::vector<std::array<float, kSymbols>> chances;
    double evidence = 0;  // the logarithm of the probability of the clues, where that of usual ones is 0
    int fewest_mines = 0, most_mines = 0;    // of the layouts that fit
    std::vector<std::uint8_t> broken_cells;  // 1 for clues that break a rule, if no assignment fits all
};

// `logic` false leaves each group its own best meaning, to measure what logic adds.
Decision decide(const GridRef& grid, const std::vector<LookAlike>& groups, bool logic = true);

}  // namespace mines
