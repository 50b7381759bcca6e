// Deductions of tiers 1 and 2 on whole rows of a board at once.
//
// A row of each plane (mines, open cells, unknown cells, the four bits of the clues) is one machine word. Shifts align
// neighbours, and full adders count them for all cells of a row. Boards of up to 64x64 fit; `Closure` handles larger
// ones.
#pragma once

#include <cstdint>
#include <memory>

#include "base/sampling.hpp"

namespace mines {

constexpr int kMaxBitBoardSide = 64;  // rows, and columns

// The open and the unknown cells: bit c of word r + 1 is the cell in row r and column c.
struct Snapshot {
    std::uint64_t open[kMaxBitBoardSide + 2];
    std::uint64_t unknown[kMaxBitBoardSide + 2];
};

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
    virtual void snapshot(Snapshot& seen) const = 0;

    // Restore a snapshot taken when tiers 1 and 2 decided nothing.
    virtual void restore(const Snapshot& seen) = 0;
};

// Return a board of at most kMaxBitBoardSide rows and columns whose planes of up to 16x32 cells stay in vector
// registers, or null if the processor or the compiler lacks AVX2.
std::unique_ptr<BitBoard> new_avx2_board(int rows, int cols);

// Return the fastest board for this size, or null if the size is too large.
std::unique_ptr<BitBoard> new_bitboard(int rows, int cols);

}  // namespace mines
