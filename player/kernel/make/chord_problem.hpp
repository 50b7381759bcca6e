// The clicks of a known board as a choice of cells to chord.
//
// Chords decide all other clicks. A set of chorded cells costs one click for each of them, one for each flag they need,
// and left clicks: connect chorded cells that touch, and each opening with the chorded cells at its border. The first
// cell that opens in a connected group opens all others, in either direction: a chord opens its neighbours, and an
// opening its border. So each group costs one left click, also an opening alone. So does each isolated cell (one in no
// opening) that is neither chorded nor next to a chorded cell.
#pragma once

#include <algorithm>
#include <vector>

#include "make/fewest_clicks.hpp"

namespace mines {

inline bool includes(const std::vector<int>& list, int one) {
    return std::find(list.begin(), list.end(), one) != list.end();
}

// A cell that may be chorded. Flags, covers and groups are numbers.
struct ChordChoice {
    int cell;
    std::vector<int> flags;   // that its chord needs
    std::vector<int> covers;  // left clicks that it saves: those of isolated cells, itself included
    std::vector<int> groups;  // that it connects
    std::vector<int> near;    // choices that touch it
};

// The choices for some cells of a board, if all others are decided. Flags and covers that no choice has are left out.
struct ChordProblem {
    std::vector<ChordChoice> choices;
    int flags = 0, covers = 0, groups = 0;

    // Count the clicks of a choice, less those that no choice changes.
    int cost(const std::vector<std::uint8_t>& chosen) const;
};

class ChordBoard {
  public:
    ChordBoard(const Puzzle& puzzle, const ClickRules& rules);

    // The cells where a chord can save clicks, row by row.
    const std::vector<int>& chordable() const { return chordable_; }
    const std::vector<int>& near(int cell) const { return near_[cell]; }
    // Return the problem of the `free` cells, where other cells are chorded or not; free ones are not `chorded`.
    ChordProblem problem(const std::vector<std::uint8_t>& chorded, const std::vector<int>& free) const;
    // Put the clicks for a set of chorded cells in order.
    ClickPlan plan(const std::vector<std::uint8_t>& chorded) const;
    int cols() const { return cols_; }

  private:
    bool is_safe(int cell) const { return mine_[cell] == 0; }
    bool is_isolated(int cell) const { return is_safe(cell) && openings_of_[cell].empty(); }
    bool share_opening(int a, int b) const;
    bool touch(int a, int b) const;
    bool may_save(int cell, const std::vector<std::uint8_t>& chordable) const;

    ClickRules rules_;
    int cols_, click_;
    std::vector<std::uint8_t> mine_;      // 1 in holes, too
    std::vector<std::vector<int>> near_;  // without the cell
    std::vector<int> clue_;
    std::vector<int> zero_of_;  // a zero of each opening
    std::vector<std::vector<int>> openings_of_;
    std::vector<int> chordable_;
};

}  // namespace mines
