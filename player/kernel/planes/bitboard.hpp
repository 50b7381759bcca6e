// Deductions of tiers 1 and 2 on whole rows of a board at once.
//
// A row of each plane (mines, open cells, unknown cells, the four bits of the clues) is one machine word. Shifts align
// neighbours, and full adders count them for all cells of a row. Larger boards, and those whose sides meet, are divided
// into parts of up to 60x60. `Closure` handles the other grids.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/sampling.hpp"

namespace mines {

constexpr int kMaxBitBoardSide = 64;  // rows, and columns
// The rows and columns around a part of a board that belong to other parts, and that it knows as well: as far as two
// clues that share a cell are from each other.
constexpr int kHalo = 2;

// A rectangle of cells of a grid: all of them, without a halo, or a part with one.
struct Part {
    int top = 0, left = 0;
    int rows = 0, cols = 0;
    int halo = 0;
    bool above = false, below = false;  // whether the halo has cells there
    std::uint64_t inside = 0;           // the bits of columns with cells, those of the halo included

    Part() = default;
    explicit Part(const Grid& grid) : Part(grid, 0, 0, grid.rows, grid.cols, 0) {}
    Part(const Grid& grid, int first_row, int first_col, int row_count, int col_count, int around);

    // The bits of its own columns.
    std::uint64_t own() const { return ~std::uint64_t{0} >> (64 - cols) << halo; }
};

// The open and the unknown cells of a part: bit c + part.halo of word r + kHalo is the cell in its row r and column c.
struct Snapshot {
    Part part;
    std::uint64_t open[kMaxBitBoardSide + 2 * kHalo] = {};
    std::uint64_t unknown[kMaxBitBoardSide + 2 * kHalo] = {};
};
using Snapshots = std::vector<Snapshot>;

// A board with known mines, on which deduced safe cells are opened at once. No contradiction can occur.
class BitBoard {
  public:
    virtual ~BitBoard() = default;

    // Set the board, always one of the same size, and open the first click.
    virtual void load(const Puzzle& puzzle) = 0;
    // Mark a mine, or open a safe cell.
    virtual void reveal(int row, int col) = 0;
    // Apply tier 1 until it decides nothing.
    virtual void one_clue() = 0;
    // Run one round of tier 2, after tier 1. Returns the number of cells decided.
    virtual int two_clues() = 0;

    // Whether every safe cell is open.
    virtual bool all_open() const = 0;
    virtual int opened() const = 0;
    // The mines that are known or next to an open cell.
    virtual int mines_seen() const = 0;
    // The number of cells that the first click opened.
    virtual int first_opening() const = 0;
    virtual void snapshot(Snapshots& seen) const = 0;

    // Restore a snapshot taken when tiers 1 and 2 decided nothing.
    virtual void restore(const Snapshots& seen) = 0;
};

// Return a board for squares without holes whose planes of up to 16x32 cells stay in vector registers, or null if the
// processor or the compiler lacks AVX2.
std::unique_ptr<BitBoard> new_avx2_board(const Grid& grid);

// Return the fastest board for a grid, or null if no board fits it.
std::unique_ptr<BitBoard> new_bitboard(const Grid& grid);

}  // namespace mines
