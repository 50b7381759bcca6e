// The known facts of one game in flat arrays with a border.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "base/bits.hpp"
#include "base/grid.hpp"

namespace mines {

enum State : std::uint8_t {
    kUnknown,  // may be a mine
    kSafe,     // known to be safe, not opened yet
    kMine,     // known to be a mine
    kOpen,     // shows a clue
    kWall,     // border
};

using ShiftTable = std::array<std::array<std::uint8_t, 256>, kPairs>;

// kShift[d][m] renumbers the neighbours m of the cell at offset d as neighbours of this cell, and drops those that are
// not.
constexpr ShiftTable make_shift_table() {
    ShiftTable table{};
    for (int d = 0; d < kPairs; ++d) {
        for (int k = 0; k < kNeighbours; ++k) {
            for (int j = 0; j < kNeighbours; ++j) {
                if (pair_row(d) + kRowStep[k] != kRowStep[j] || pair_col(d) + kColStep[k] != kColStep[j]) continue;
                for (int m = 0; m < 256; ++m) {
                    if (m >> k & 1) table[d][m] = static_cast<std::uint8_t>(table[d][m] | 1 << j);
                }
            }
        }
    }
    return table;
}
inline constexpr ShiftTable kShift = make_shift_table();

constexpr std::array<std::uint8_t, 256> make_bit_counts() {
    std::array<std::uint8_t, 256> counts{};
    for (int m = 1; m < 256; ++m) counts[m] = static_cast<std::uint8_t>(counts[m >> 1] + (m & 1));
    return counts;
}
inline constexpr std::array<std::uint8_t, 256> kBitCount = make_bit_counts();

// Count the neighbours in a mask by table, since portable builds have no popcnt instruction.
inline int popcount(unsigned mask) { return kBitCount[mask]; }

// Return the distance of two cells of a rectangle in moves of a king. Cells are numbered row by row, `cols` in each.
inline int distance(int cols, int a, int b) {
    return std::max(std::abs(a / cols - b / cols), std::abs(a % cols - b % cols));
}

struct Field : Places {
    int mines_left = 0;               // mines not known yet, those in spare cells included
    int unknown_left = 0;             // cells not known yet, spare cells included
    int spare = 0;                    // cells off the board that may be mines too: it has up to this number fewer
    double odds = 1;                  // weight of a layout for each of its mines, when layouts are counted
    std::vector<std::uint8_t> state;  // State of every cell
    std::vector<std::uint8_t> mask;   // the unknown neighbours of every cell, one bit each
    std::vector<std::int8_t> need;    // clue (0 while the cell is closed) minus known mines around the cell

    const GridRef& grid() const { return grid_; }
    bool is_rectangle() const { return topology_ == nullptr; }

    const Steps& steps(Index i) const { return topology_ == nullptr ? steps_ : topology_->steps[i]; }
    const PairSteps& pair_steps(Index i) const { return topology_ == nullptr ? pair_steps_ : topology_->pair_steps[i]; }

    // Set the grid and the numbering of cells, without any arrays.
    void set_grid(const GridRef& grid);

    // Set the grid and hide every cell.
    void reset(const GridRef& grid, int mines, int spare_cells = 0, double mine_odds = 1);

    Index size() const { return static_cast<Index>(state.size()); }

    // Pass the number and the place of each cell to `visit`, row by row.
    template <class Visit>
    void each_cell(Visit visit) const {
        Index number = 0;
        for (int row = 0; row < rows; ++row)
            for (Index cell = at(row, 0); cell < at(row, cols); ++cell) visit(number++, cell);
    }

    // Write one byte for each cell, row by row: 1 in this state, 0 in any other.
    void mark_cells(State marked, std::uint8_t* out) const {
        for (int row = 0; row < rows; ++row) {
            const std::uint8_t* const from = &state[at(row, 0)];
            out = std::transform(from, from + cols, out, [marked](std::uint8_t one) { return one == marked; });
        }
    }

    // Append the unknown cells that touch no open cell.
    void list_unconstrained(std::vector<Index>& out) const;

    // Mark an unknown cell as safe or as a mine, and update the masks and needs around it.
    void mark_safe(Index i) {
        const Steps& step = steps(i);
        state[i] = kSafe;
        --unknown_left;
        // A local pointer, because writing a byte could change the pointers of the vectors.
        std::uint8_t* const masks = &mask[i];
        for (int k = 0; k < kNeighbours; ++k) masks[step[k]] &= static_cast<std::uint8_t>(~(1u << (7 - k)));
    }
    void mark_mine(Index i) {
        const Steps& step = steps(i);
        state[i] = kMine;
        --unknown_left;
        --mines_left;
        std::uint8_t* const masks = &mask[i];
        std::int8_t* const needs = &need[i];
        for (int k = 0; k < kNeighbours; ++k) {
            masks[step[k]] &= static_cast<std::uint8_t>(~(1u << (7 - k)));
            --needs[step[k]];
        }
    }

  private:
    GridRef grid_;
    const Topology* topology_ = nullptr;  // of the grid; none for a rectangle
    Steps steps_{};
    PairSteps pair_steps_{};
};

}  // namespace mines
