// What is known of one game, in flat arrays with a border, so that every cell has all its neighbours.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "bits.hpp"

namespace mines {

using Index = std::int32_t;  // a cell in the bordered arrays

enum State : std::uint8_t {
    kUnknown,  // may be a mine
    kSafe,     // known to be safe, not opened yet
    kMine,     // known to be a mine
    kOpen,     // shows a clue
    kWall,     // border
};

// Neighbours are numbered row by row, 0 (up left) to 7 (down right); the opposite of k is 7 - k.
constexpr int kNeighbours = 8;
constexpr std::array<int, 8> kRowStep = {-1, -1, -1, 0, 0, 1, 1, 1};
constexpr std::array<int, 8> kColStep = {-1, 0, 1, -1, 1, -1, 0, 1};

// The 24 cells at most two steps away, row by row; the opposite of d is 23 - d. Clues that share a neighbour are one of
// these apart.
constexpr int kPairs = 24;
constexpr int pair_row(int d) { return (d < 12 ? d : d + 1) / 5 - 2; }
constexpr int pair_col(int d) { return (d < 12 ? d : d + 1) % 5 - 2; }

using ShiftTable = std::array<std::array<std::uint8_t, 256>, kPairs>;

// kShift[d][m]: the neighbours m of the cell at offset d, numbered as neighbours of this cell; others are dropped.
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

// Of a mask of neighbours. A table, since portable builds cannot count on an instruction.
inline int popcount(unsigned mask) { return kBitCount[mask]; }

struct Grid {
    int rows = 0;
    int cols = 0;
    int stride = 0;
    int mines_left = 0;               // mines not yet known
    int unknown_left = 0;             // cells not yet known
    std::vector<std::uint8_t> state;  // State of every cell
    std::vector<std::uint8_t> mask;   // the unknown neighbours of every cell, one bit each
    std::vector<std::int8_t> need;    // clue minus known mines around it; without the clue while the cell is not open
    std::array<int, kNeighbours> step{};  // from a cell to its neighbours
    std::array<int, kPairs> pair_step{};  // from a cell to the cells two steps away

    // Have this size, and say how its cells are numbered, but know of none.
    void measure(int new_rows, int new_cols);

    // Forget everything and lay out a hidden board of this size.
    void reset(int new_rows, int new_cols, int mines);

    Index at(int row, int col) const { return (row + 2) * stride + col + 2; }
    Index from_number(Index cell) const { return at(cell / cols, cell % cols); }
    Index number(Index i) const { return (i / stride - 2) * cols + i % stride - 2; }
    Index size() const { return static_cast<Index>(state.size()); }

    // Note that an unknown cell is safe or a mine; masks and needs around it follow.
    void settle_safe(Index i) {
        state[i] = kSafe;
        --unknown_left;
        for (int k = 0; k < kNeighbours; ++k) mask[i + step[k]] &= static_cast<std::uint8_t>(~(1u << (7 - k)));
    }
    // Note that a cell is not known any more; its clue, if it had one, is gone from its need already.
    void unsettle(Index i) {
        const bool mine = state[i] == kMine;
        state[i] = kUnknown;
        ++unknown_left;
        mines_left += mine;
        for (int k = 0; k < kNeighbours; ++k) {
            if (state[i + step[k]] != kWall) mask[i + step[k]] |= static_cast<std::uint8_t>(1u << (7 - k));
            need[i + step[k]] = static_cast<std::int8_t>(need[i + step[k]] + mine);
        }
    }
    void settle_mine(Index i) {
        state[i] = kMine;
        --unknown_left;
        --mines_left;
        for (int k = 0; k < kNeighbours; ++k) {
            mask[i + step[k]] &= static_cast<std::uint8_t>(~(1u << (7 - k)));
            --need[i + step[k]];
        }
    }
};

}  // namespace mines
