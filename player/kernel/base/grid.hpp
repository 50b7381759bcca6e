// Grids: the cells of a board, and which of them touch. A grid never changes and is shared by reference.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace mines {

using Index = std::int32_t;  // a cell in the bordered arrays

// Neighbours are numbered row by row, 0 (up left) to 7 (down right); the opposite of k is 7 - k.
constexpr int kNeighbours = 8;
constexpr std::array<int, 8> kRowStep = {-1, -1, -1, 0, 0, 1, 1, 1};
constexpr std::array<int, 8> kColStep = {-1, 0, 1, -1, 1, -1, 0, 1};

// The 24 cells at most two steps away, row by row; the opposite of d is 23 - d. Clues that share a neighbour differ by
// one of these offsets.
constexpr int kPairs = 24;
constexpr int pair_row(int d) { return (d < 12 ? d : d + 1) / 5 - 2; }
constexpr int pair_col(int d) { return (d < 12 ? d : d + 1) % 5 - 2; }

// The numbers of the places of arrays with a border, which gives every cell eight neighbours: two rows above and below,
// and two columns that separate the end of a row from the start of the next.
struct Places {
    int rows = 0;
    int cols = 0;
    int stride = 2;

    Index at(int row, int col) const { return (row + 2) * stride + col + 2; }
    Index from_number(Index cell) const { return at(cell / cols, cell % cols); }
    Index number(Index i) const { return (i / stride - 2) * cols + i % stride - 2; }
    // The number of cells and border places.
    std::size_t places() const { return static_cast<std::size_t>(rows + 4) * static_cast<std::size_t>(stride) + 2; }
};

using Steps = std::array<int, kNeighbours>;  // from a place to its neighbours
using PairSteps = std::array<int, kPairs>;   // from a place to those at most two steps away

// The steps from each place of a grid that is no rectangle. Those of missing cells lead to place 0, in the border.
struct Topology {
    std::vector<Steps> steps;
    std::vector<PairSteps> pair_steps;
    std::vector<std::uint8_t> mask;  // the neighbours that exist
};

// The kinds of grids, as bits to combine: sides that meet, hexagons, and from kLacking on a bit for each neighbour k
// that no cell has. Without any, neighbours touch by a side or a corner.
enum Kind : int { kSquares = 0, kWrapRows = 1, kWrapCols = 2, kHexagons = 4, kLacking = 256 };

// Cells are numbered row by row, `cols` in each. Some may be holes: they touch nothing, and are open from the start
// with clue 0, so that logic never meets them.
class Grid {
  public:
    static constexpr int kMaxSide = 4000;
    // A shorter side cannot meet the opposite one.
    static constexpr int kShortestWrap = 5;
    // Grids that are no rectangle have at most this many cells. A `Topology` takes 128 bytes for each.
    static constexpr int kMostCells = 1'000'000;

    // `holes` is empty, or has one byte for each cell of the rectangle, 1 for a hole. The grid must be possible.
    Grid(int rows, int cols, int kind, std::vector<std::uint8_t> holes);

    // Return the rule that a grid breaks, or null: sides of 1 to kMaxSide; at least kShortestWrap cells in sides that
    // meet, and an even number of rows of hexagons that meet; at most kMostCells on other grids than rectangles; a
    // cell; opposite neighbours that cells have or lack together.
    static const char* objection(std::int64_t rows, std::int64_t cols, int kind,
                                 const std::vector<std::uint8_t>& holes);

    const int rows, cols;
    const int kind;                         // bits of Kind
    const std::vector<std::uint8_t> holes;  // empty without a hole
    const std::vector<int> cells;           // the numbers of the cells that are no holes; empty without a hole
    const bool is_rectangle;                // of squares without holes, whose sides do not meet

    // The number of places of the rectangle, with holes.
    int size() const { return rows * cols; }
    int cell_count() const { return holes.empty() ? size() : static_cast<int>(cells.size()); }
    bool is_hole(int cell) const { return !holes.empty() && holes[cell] != 0; }

    bool operator==(const Grid& other) const {
        return this == &other ||
               (rows == other.rows && cols == other.cols && kind == other.kind && holes == other.holes);
    }

    template <class Visit>
    void each_hole(Visit visit) const {
        for (std::size_t cell = 0; cell < holes.size(); ++cell)
            if (holes[cell] != 0) visit(static_cast<int>(cell));
    }

    // Return the number of the cell at an offset of at most two rows and columns, or -1 for a missing one.
    int cell_at(int cell, int down, int right) const {
        int row = cell / cols + down, col = cell % cols + right;
        if ((kind & kWrapRows) != 0) row = (row + rows) % rows;
        if ((kind & kWrapCols) != 0) col = (col + cols) % cols;
        if (row < 0 || row >= rows || col < 0 || col >= cols) return -1;
        const int found = row * cols + col;
        return is_hole(cell) || is_hole(found) ? -1 : found;
    }

    // Return the number of neighbour k of a cell, -1 for a missing one.
    int neighbour(int cell, int k) const {
        // Odd rows of hexagons lie half a cell to the right.
        const int hexagons = (cell / cols) % 2 != 0 ? 0b00100001 : 0b10000100;
        const int lacking = (kind & kHexagons) != 0 ? hexagons : kind / kLacking;
        return (lacking >> k & 1) != 0 ? -1 : cell_at(cell, kRowStep[k], kColStep[k]);
    }

    // Pass a cell and its neighbours to `visit`, row by row on a rectangle.
    template <class Visit>
    void each_around(int cell, Visit visit) const {
        if (!is_rectangle) {
            visit(cell);
            for (int k = 0; k < kNeighbours; ++k) {
                const int near = neighbour(cell, k);
                if (near >= 0) visit(near);
            }
            return;
        }
        const int width = cols, row = cell / width, col = cell % width;
        const int last_row = std::min(row + 1, rows - 1), last_col = std::min(col + 1, width - 1);
        for (int r = std::max(row - 1, 0); r <= last_row; ++r)
            for (int c = std::max(col - 1, 0); c <= last_col; ++c) visit(r * width + c);
    }

    bool are_neighbours(int a, int b) const {
        bool found = false;
        each_around(a, [&](int near) { found |= near == b; });
        return found && a != b;
    }

    Places places() const { return {rows, cols, cols + 2}; }

    // The tables of a grid that is no rectangle, made on first use, by any thread.
    const Topology& topology() const;

  private:
    mutable std::once_flag made_;
    mutable Topology topology_;
};

using GridRef = std::shared_ptr<const Grid>;

// Make a possible grid.
inline GridRef make_grid(int rows, int cols, int kind = kSquares, std::vector<std::uint8_t> holes = {}) {
    return std::make_shared<const Grid>(rows, cols, kind, std::move(holes));
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

}  // namespace mines
