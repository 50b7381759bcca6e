// The known facts of one game in flat arrays. A border gives every cell eight neighbours.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "base/bits.hpp"

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

// The 24 cells at most two steps away, row by row; the opposite of d is 23 - d. Clues that share a neighbour differ by
// one of these offsets.
constexpr int kPairs = 24;
constexpr int pair_row(int d) { return (d < 12 ? d : d + 1) / 5 - 2; }
constexpr int pair_col(int d) { return (d < 12 ? d : d + 1) % 5 - 2; }

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

// Properties of a grid, as bits to combine: sides that meet, and hexagons. Without any, neighbours touch by a side or a
// corner. A side that wraps has at least kShortestWrap cells; if the rows of hexagons wrap, their number is even. A
// grid with holes adds kShapes times the number of their map to its bits.
enum Shape : std::uint8_t { kRectangle = 0, kWrapRows = 1, kWrapCols = 2, kHexagons = 4, kShapes = 8 };
constexpr int kShortestWrap = 5;
// Other grids than the rectangle need 128 bytes for each cell.
constexpr int kMostCellsOfShape = 1'000'000;

// The holes of a grid: cells of the rectangle that it leaves out. They touch nothing, and are open from the start with
// clue 0, so that logic never meets them.
struct HoleMap {
    int rows, cols;
    std::vector<std::uint8_t> hole;  // one byte a cell, row by row
    std::vector<int> cells;          // the numbers of the other cells
};
constexpr int kMostHoleMaps = 4096;
// The maps in use, from number 1 on; null behind the last. None is freed before the program ends.
extern std::array<std::atomic<const HoleMap*>, kMostHoleMaps> hole_maps;

// Return the shape of a grid without these cells, one byte each; or -1 if no cell is left, or after kMostHoleMaps maps.
int shape_with_holes(int rows, int cols, int shape, const std::uint8_t* hole);

// Return the map of a valid shape, or null without holes.
inline const HoleMap* holes_of(int shape) {
    return shape < kShapes ? nullptr : hole_maps[static_cast<std::size_t>(shape / kShapes - 1)].load();
}

// Return whether a grid of these sides may have this shape.
inline bool is_grid(int rows, int cols, int shape) {
    if (shape == kRectangle) return true;
    if (shape < 0 || shape >= kShapes * (kMostHoleMaps + 1)) return false;
    const HoleMap* const holes = holes_of(shape);
    const bool fits = shape < kShapes || (holes != nullptr && holes->rows == rows && holes->cols == cols);
    const bool wraps =
        ((shape & kWrapRows) == 0 || rows >= kShortestWrap) && ((shape & kWrapCols) == 0 || cols >= kShortestWrap);
    const bool meets = (shape & kHexagons) == 0 || (shape & kWrapRows) == 0 || rows % 2 == 0;
    return fits && wraps && meets && rows <= kMostCellsOfShape / cols;
}

struct Size {
    int rows = 0, cols = 0;
    int shape = kRectangle;  // bits of Shape
};

// Here and below, a board has `rows`, `cols` and `shape`, and its cells are numbered row by row, without a border.
template <class Board>
bool is_hole(const Board& board, int cell) {
    const HoleMap* const holes = holes_of(board.shape);
    return holes != nullptr && holes->hole[cell] != 0;
}

// Return the number of cells without holes.
template <class Board>
int cell_count(const Board& board) {
    const HoleMap* const holes = holes_of(board.shape);
    return holes == nullptr ? board.rows * board.cols : static_cast<int>(holes->cells.size());
}

template <class Board, class Visit>
void each_hole(const Board& board, Visit visit) {
    const HoleMap* const holes = holes_of(board.shape);
    if (holes == nullptr) return;
    for (int cell = 0; cell < board.rows * board.cols; ++cell)
        if (holes->hole[cell] != 0) visit(cell);
}

// Return the number of the cell at an offset of at most two rows and columns, or -1 for a missing one.
template <class Board>
int cell_at(const Board& board, int cell, int down, int right) {
    int row = cell / board.cols + down, col = cell % board.cols + right;
    if ((board.shape & kWrapRows) != 0) row = (row + board.rows) % board.rows;
    if ((board.shape & kWrapCols) != 0) col = (col + board.cols) % board.cols;
    if (row < 0 || row >= board.rows || col < 0 || col >= board.cols) return -1;
    const int found = row * board.cols + col;
    return is_hole(board, cell) || is_hole(board, found) ? -1 : found;
}

// Return the number of neighbour k of a cell, -1 for a missing one.
template <class Board>
int neighbour(const Board& board, int cell, int k) {
    // Odd rows of hexagons lie half a cell to the right.
    const int apart = (cell / board.cols) % 2 != 0 ? -1 : 1;
    const bool missing = (board.shape & kHexagons) != 0 && kRowStep[k] != 0 && kColStep[k] == apart;
    return missing ? -1 : cell_at(board, cell, kRowStep[k], kColStep[k]);
}

// Pass a cell and its neighbours to `visit`, row by row on a rectangle.
template <class Board, class Visit>
void each_around(const Board& board, int cell, Visit visit) {
    if (board.shape != kRectangle) {
        visit(cell);
        for (int k = 0; k < kNeighbours; ++k) {
            const int near = neighbour(board, cell, k);
            if (near >= 0) visit(near);
        }
        return;
    }
    const int row = cell / board.cols, col = cell % board.cols;
    const int last_row = std::min(row + 1, board.rows - 1), last_col = std::min(col + 1, board.cols - 1);
    for (int r = std::max(row - 1, 0); r <= last_row; ++r)
        for (int c = std::max(col - 1, 0); c <= last_col; ++c) visit(r * board.cols + c);
}

template <class Board>
bool are_neighbours(const Board& board, int a, int b) {
    bool found = false;
    each_around(board, a, [&](int near) { found |= near == b; });
    return found && a != b;
}

// Open a cell and, if its clue is 0, its opening. `open(cell)` opens a closed cell and returns its clue; for other
// cells it returns -1. `neighbours(cell, visit)` passes each neighbour to `visit`. `zeros` is scratch memory.
template <class Open, class Neighbours>
void flood(int cell, std::vector<int>& zeros, Open open, Neighbours neighbours) {
    if (open(cell) != 0) return;
    zeros.assign(1, cell);
    while (!zeros.empty()) {
        const int zero = zeros.back();
        zeros.pop_back();
        neighbours(zero, [&](int near) {
            if (open(near) == 0) zeros.push_back(near);
        });
    }
}

struct Grid {
    using Steps = std::array<int, kNeighbours>;  // offsets of the neighbours
    using PairSteps = std::array<int, kPairs>;   // offsets of the cells at most two steps away
    // The steps from each place of a grid that is no rectangle. Those of missing cells lead to place 0, a wall.
    struct Topology {
        std::vector<Steps> steps;
        std::vector<PairSteps> pair_steps;
        std::vector<std::uint8_t> mask;  // the neighbours that exist
    };

    int rows = 0;
    int cols = 0;
    int shape = kRectangle;  // bits of Shape
    int stride = 0;
    int mines_left = 0;               // mines not known yet
    int unknown_left = 0;             // cells not known yet
    std::vector<std::uint8_t> state;  // State of every cell
    std::vector<std::uint8_t> mask;   // the unknown neighbours of every cell, one bit each
    std::vector<std::int8_t> need;    // clue (0 while the cell is closed) minus known mines around the cell

    const Steps& steps(Index i) const { return topology_ == nullptr ? steps_ : topology_->steps[i]; }
    const PairSteps& pair_steps(Index i) const { return topology_ == nullptr ? pair_steps_ : topology_->pair_steps[i]; }

    // Set the size and the numbering of cells, without any arrays.
    void set_size(int new_rows, int new_cols, int new_shape = kRectangle);

    // Set the size and hide every cell.
    void reset(int new_rows, int new_cols, int mines, int new_shape = kRectangle);

    Index at(int row, int col) const { return (row + 2) * stride + col + 2; }
    Index from_number(Index cell) const { return at(cell / cols, cell % cols); }
    Index number(Index i) const { return (i / stride - 2) * cols + i % stride - 2; }
    Index size() const { return static_cast<Index>(state.size()); }
    // The number of places of a grid of this size: its cells and the border.
    std::size_t places() const { return static_cast<std::size_t>(rows + 4) * static_cast<std::size_t>(stride) + 2; }

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
        for (int k = 0; k < kNeighbours; ++k) mask[i + step[k]] &= static_cast<std::uint8_t>(~(1u << (7 - k)));
    }
    void mark_mine(Index i) {
        const Steps& step = steps(i);
        state[i] = kMine;
        --unknown_left;
        --mines_left;
        for (int k = 0; k < kNeighbours; ++k) {
            mask[i + step[k]] &= static_cast<std::uint8_t>(~(1u << (7 - k)));
            --need[i + step[k]];
        }
    }

  private:
    Steps steps_{};
    PairSteps pair_steps_{};
    std::shared_ptr<const Topology> topology_;  // none for a rectangle
};

}  // namespace mines
