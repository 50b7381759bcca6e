// Deductions of tiers 1 and 2 on whole rows of a board at once.
//
// A row of each plane (mines, open cells, unknown cells, the four bits of the clues) is one machine word. Shifts align
// neighbours, and full adders count them for all cells of a row. Boards of up to 64x64 fit; `Closure` handles larger
// ones.
#pragma once

#include <cstdint>
#include <memory>

#include "sampling.hpp"

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

    // Set the board and open the first click.
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

// Return the fastest board for this size, or null if the size is too large.
std::unique_ptr<BitBoard> new_bitboard(int rows, int cols);

// A board of at most as many columns as the word has bits. Vector instructions process more short words at once.
template <class Word>
class WordBitBoard final : public BitBoard {
  public:
    void load(const Puzzle& puzzle) override;
    void reveal(int row, int col) override;
    void one_clue() override;
    int two_clues() override;
    bool all_open() const override;
    int opened() const override;
    int mines_seen() const override;
    int first_opening() const override;
    void snapshot(Snapshot& seen) const override;
    void restore(const Snapshot& seen) override;

  private:
    // Rows processed together: one 128-bit vector. Spans of rows are rounded up to a multiple; deductions in the extra
    // rows are valid, and all planes are empty below the board.
    static constexpr int kAtOnce = 16 / sizeof(Word);
    // Empty rows above and below the board, as far as a pair of clues and its neighbours reach.
    static constexpr int kBorder = 4;
    using Plane = Word[kMaxBitBoardSide + 2 * kBorder + 2 * kAtOnce];

    // Rows with changes, from `first` to `last`.
    struct Span {
        int first = kMaxBitBoardSide + kBorder;
        int last = 0;
        bool empty() const { return first > last; }
        void add(Span other) {
            first = other.first < first ? other.first : first;
            last = other.last > last ? other.last : last;
        }
    };

    struct Known {
        Plane open, mine, unknown;
    };

    void clear();
    void decide(int row, Word safe, Word mines);
    void add_up(int row);
    void open_zeros(Span& rows);
    template <bool kMines>
    Span apply_clues(Span from);
    void classify_clues(int first, int last);
    template <int kDown, int kRight>
    void find_pairs(int first, int last);
    void add_deductions(int row, Word a, Word b, int down, Word* only_a, Word* only_b);
    static int end_of(int first, int last) { return first + (last - first + kAtOnce) / kAtOnce * kAtOnce; }
    int planes_end() const { return rows_ + 2 * kBorder + 2 * kAtOnce; }

    int rows_ = 0;
    int cols_ = 0;
    Plane mines_;    // where they are
    Plane clue_[4];  // bits of the clues, meaningless at mines
    Plane zero_;     // safe cells without adjacent mines
    Known known_;
    // Bits of the number of known mines and of closed cells among three cells side by side.
    Plane mines_in_three_[2], closed_in_three_[2];
    Plane first_;           // cells opened by the first click
    Span opened_, marked_;  // rows with cells opened, and with mines marked, since tier 1
    Span pairs_;            // rows changed since tier 2

    // Scratch memory.
    Plane near_;  // cells next to a deciding clue; empty between calls
    Plane decided_;
    Plane need_[3], slack_[3];  // clues that need 1 to 3 mines, and clues with 1 to 3 safe cells
    Plane forward_, backward_;  // pairs of clues that decide cells
    Plane safe_, mined_;        // the cells they decide
    Plane zeros_, next_zeros_;  // zeros in two successive rings of an opening; empty between calls
};

extern template class WordBitBoard<std::uint16_t>;
extern template class WordBitBoard<std::uint32_t>;
extern template class WordBitBoard<std::uint64_t>;

}  // namespace mines
