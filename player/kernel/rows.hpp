// What single clues and pairs of clues decide, on whole rows of a board at once.
//
// A row of each plane (mines, open cells, unknown cells, the four bits of the clues) is one machine word, so shifts bring
// neighbours together and full adders count them for all cells of a row. Boards of up to 64x64 fit; Closure is for all.
#pragma once

#include <cstdint>

#include "sampling.hpp"

namespace mines {

constexpr int kMostInRows = 64;  // rows, and columns

// Which cells are open and which are unknown, bit c of word r + 1 for the cell in row r and column c.
struct Seen {
    std::uint64_t open[kMostInRows + 2];
    std::uint64_t unknown[kMostInRows + 2];
};

// A board of which the mines are at hand: what turns out to be safe is opened at once. Nothing contradicts itself here.
class Rows {
  public:
    virtual ~Rows() = default;
    static bool fit(const Puzzle& puzzle) { return puzzle.rows <= kMostInRows && puzzle.cols <= kMostInRows; }

    // Start anew, with all cells unknown but the first click.
    virtual void lay_out(const Puzzle& puzzle) = 0;
    // Take note that a cell was decided.
    virtual void know(int row, int col) = 0;
    // All that tier 1 decides.
    virtual void one_clue() = 0;
    // One round at tier 2, when tier 1 gives nothing. Returns how many cells were decided.
    virtual int two_clues() = 0;

    // Whether every safe cell is open.
    virtual bool all_open() const = 0;
    virtual int opened() const = 0;
    // The mines that are known, or that an open clue sees.
    virtual int mines_seen() const = 0;
    // The number of cells that the first click opens.
    virtual int first_opening() const = 0;
    virtual void look(Seen& seen) const = 0;

    // Know what was seen at a time when the easier tiers gave nothing.
    virtual void go_back(const Seen& seen) = 0;
};

// Boards of as many columns as a word has bits. Short words are quicker, as more of them are worked on at one time.
template <class Word>
class WordRows final : public Rows {
  public:
    void lay_out(const Puzzle& puzzle) override;
    void know(int row, int col) override;
    void one_clue() override;
    int two_clues() override;
    bool all_open() const override;
    int opened() const override;
    int mines_seen() const override;
    int first_opening() const override;
    void look(Seen& seen) const override;
    void go_back(const Seen& seen) override;

  private:
    // So many rows are worked on together: as many as a vector of 128 bits, which all processors have, has words. Work on a
    // span of rows goes past its end until nothing is left over: what is found out there is as true, and below the board
    // all planes are empty.
    static constexpr int kAtOnce = 16 / sizeof(Word);
    // Rows of border, always empty, above and below: as far as a pair of clues reaches, and its neighbours.
    static constexpr int kBorder = 4;
    using Plane = Word[kMostInRows + 2 * kBorder + 2 * kAtOnce];

    // Rows with something new, from `first` to `last`.
    struct Span {
        int first = kMostInRows + kBorder;
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
    Span follow(Span from);
    void weigh(int first, int last);
    template <int kDown, int kRight>
    void look_at_pairs(int first, int last);
    void claim(int row, Word a, Word b, int down, Word* only_a, Word* only_b);
    static int end_of(int first, int last) { return first + (last - first + kAtOnce) / kAtOnce * kAtOnce; }
    int planes_end() const { return rows_ + 2 * kBorder + 2 * kAtOnce; }

    int rows_ = 0;
    int cols_ = 0;
    Plane mines_;        // where they are
    Plane clue_[4];      // bits of the clues; mines have some too
    Plane zero_;         // safe cells next to no mine
    Known known_;
    // Of what is known: bits of the numbers of known mines and of closed cells in three cells side by side.
    Plane three_mines_[2], three_closed_[2];
    Plane first_;           // what the first click opened
    Span opened_, marked_;  // what changed since tier 1: cells that were opened, and that turned out to be mines
    Span pairs_;            // what changed since tier 2

    // Scratch memory.
    Plane near_;                   // next to clues that decide something alone; empty but while it is used
    Plane decided_;
    Plane need_[3], slack_[3];     // clues that need 1 to 3 mines, and that leave 1 to 3 cells safe
    Plane forward_, backward_;     // pairs that decide something
    Plane safe_, mined_;           // what they decide
    Plane zeros_, next_zeros_;     // opened in one ring of an opening and in the next; empty but while they are used
};

extern template class WordRows<std::uint16_t>;
extern template class WordRows<std::uint32_t>;
extern template class WordRows<std::uint64_t>;

}  // namespace mines
