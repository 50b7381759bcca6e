// Deductions of tiers 1 and 2 with one word for each row.
//
// `bitboard.cpp` compiles this file for every processor and `avx2_board.cpp` for AVX2, so nothing has external linkage.
#pragma once

#include <algorithm>

#include "base/bits.hpp"
#include "planes/bitboard.hpp"

namespace mines {
namespace {

template <class Word>
Word majority(Word a, Word b, Word c) {
    return (a & b) | (c & (a | b));
}

// The cells and their left and right neighbours.
template <class Word>
Word spread_row(Word word) {
    return word | word << 1 | word >> 1;
}

// Bit c of the result is bit c + kBy of `word`.
template <int kBy, class Word>
Word shifted(Word word) {
    if constexpr (kBy >= 0) return word >> kBy;
    return word << (kBy < 0 ? -kBy : 0);
}

// Compute the bits of the number of cells among three side by side.
template <class Word>
void add_three(Word cells, Word& low, Word& high) {
    const Word left = cells << 1, right = cells >> 1;
    low = left ^ cells ^ right;
    high = majority<Word>(left, cells, right);
}

// Add up the numbers of three adjacent rows.
template <class Word>
void add_nine(const Word* low, const Word* high, Word& s0, Word& s1, Word& s2, Word& s3) {
    s0 = low[-1] ^ low[0] ^ low[1];
    const Word carry = majority<Word>(low[-1], low[0], low[1]);
    const Word twos = high[-1] ^ high[0] ^ high[1];
    const Word fours = majority<Word>(high[-1], high[0], high[1]);
    s1 = twos ^ carry;
    s2 = fours ^ (twos & carry);
    s3 = fours & twos & carry;
}

// Compute where a - b is 1, 2 and 3.
template <class Word>
void differences(const Word* a, const Word* b, Word where, Word& one, Word& two, Word& three) {
    const Word d0 = a[0] ^ b[0];
    Word borrow = ~a[0] & b[0];
    const Word d1 = a[1] ^ b[1] ^ borrow;
    borrow = majority<Word>(~a[1], b[1], borrow);
    const Word d2 = a[2] ^ b[2] ^ borrow;
    borrow = majority<Word>(~a[2], b[2], borrow);
    const Word d3 = a[3] ^ b[3] ^ borrow;
    const Word small = where & ~(d2 | d3);
    one = small & d0 & ~d1;
    two = small & ~d0 & d1;
    three = small & d0 & d1;
}

// A board of at most as many columns as the word has bits. Vector instructions process more short words at once.
template <class Word>
class WordBoard final : public BitBoard {
  public:
    void load(const Puzzle& puzzle) override {
        if (rows_ == puzzle.rows && cols_ == puzzle.cols) {
            // The border stays empty; everything else is overwritten.
            for (Plane* const plane : {&known_.open, &known_.mine}) std::fill_n(*plane, planes_end(), Word{0});
        } else {
            rows_ = puzzle.rows;
            cols_ = puzzle.cols;
            clear();
        }
        const Word inside = static_cast<Word>(~std::uint64_t{0} >> (64 - cols_));
        const int last = rows_ + kBorder - 1;
        const std::uint8_t* cells = puzzle.mine.data();
        for (int r = kBorder; r <= last; ++r, cells += cols_) {
            mines_[r] = static_cast<Word>(pack_bits(cells, cols_));
            known_.unknown[r] = inside;
        }
        for (int r = kBorder; r <= last; ++r) add_three(mines_[r], mines_in_three_[0][r], mines_in_three_[1][r]);
        for (int r = kBorder; r < end_of(kBorder, last); ++r) {
            Word n0, n1, n2, n3;
            add_nine(&mines_in_three_[0][r], &mines_in_three_[1][r], n0, n1, n2, n3);
            clue_[0][r] = n0, clue_[1][r] = n1, clue_[2][r] = n2, clue_[3][r] = n3;
            zero_[r] = known_.unknown[r] & ~(mines_[r] | n0 | n1 | n2 | n3);
        }
        // No mine is known and every cell is closed.
        for (Plane* const plane : {&mines_in_three_[0], &mines_in_three_[1]})
            std::fill_n(*plane, planes_end(), Word{0});
        for (int r = kBorder; r <= last; ++r) add_up(r);
        opened_ = marked_ = pairs_ = Span();
        decide(puzzle.click / cols_ + kBorder, Word(Word{1} << puzzle.click % cols_), 0);
        open_zeros(opened_);
        pairs_.add(opened_);
        std::copy_n(known_.open, planes_end(), first_);
    }

    void reveal(int row, int col) override {
        const Word cell = Word{1} << col & known_.unknown[row + kBorder];
        const Word mines = mines_[row + kBorder];
        decide(row + kBorder, cell & ~mines, cell & mines);
    }

    void one_clue() override {
        // Only opened cells change the set of clues that need all their closed cells.
        while (!opened_.empty() || !marked_.empty()) {
            marked_.add(apply_clues<true>(opened_));
            pairs_.add(marked_);
            marked_.add(opened_);
            opened_ = apply_clues<false>(marked_);
            marked_ = Span();
            pairs_.add(opened_);
        }
    }

    int two_clues() override {
        if (pairs_.empty()) return 0;
        // Clues next to a change, and the clues above and below that can pair with them.
        const int first = std::max(pairs_.first - 3, kBorder);
        const int last = std::min(pairs_.last + 1, rows_ + kBorder - 1);
        const int most = std::min(last + 2, rows_ + kBorder - 1);
        classify_clues(first, most);
        std::fill(safe_ + first - 1, safe_ + most + 2, Word{0});
        std::fill(mined_ + first - 1, mined_ + most + 2, Word{0});
        find_pairs<0, 1>(first, last);
        find_pairs<0, 2>(first, last);
        find_pairs<1, -2>(first, last);
        find_pairs<1, -1>(first, last);
        find_pairs<1, 0>(first, last);
        find_pairs<1, 1>(first, last);
        find_pairs<1, 2>(first, last);
        find_pairs<2, -1>(first, last);
        find_pairs<2, 0>(first, last);
        find_pairs<2, 1>(first, last);
        pairs_ = Span();
        int decided = 0;
        for (int r = first - 1; r <= most + 1; ++r) {
            const Word safe = safe_[r] & known_.unknown[r];
            const Word mines = mined_[r] & known_.unknown[r];
            if ((safe | mines) == 0) continue;
            decided += count_bits(safe | mines);
            decide(r, safe, mines);
        }
        return decided;
    }

    bool all_open() const override {
        Word left = 0;
        for (int r = kBorder; r < rows_ + kBorder; ++r) left |= known_.unknown[r] & ~mines_[r];
        return left == 0;
    }

    int opened() const override {
        int opened = 0;
        for (int r = kBorder; r < rows_ + kBorder; ++r) opened += count_bits(known_.open[r]);
        return opened;
    }

    int mines_seen() const override {
        int seen = 0;
        for (int r = kBorder; r < rows_ + kBorder; ++r) {
            const Word near = spread_row<Word>(known_.open[r - 1] | known_.open[r] | known_.open[r + 1]);
            seen += count_bits(mines_[r] & (near | known_.mine[r]));
        }
        return seen;
    }

    int first_opening() const override {
        int opened = 0;
        for (int r = kBorder; r < rows_ + kBorder; ++r) opened += count_bits(first_[r]);
        return opened;
    }

    void snapshot(Snapshot& seen) const override {
        for (int r = -1; r <= rows_; ++r) {
            seen.open[r + 1] = known_.open[r + kBorder];
            seen.unknown[r + 1] = known_.unknown[r + kBorder];
        }
    }

    void restore(const Snapshot& seen) override {
        const Word inside = static_cast<Word>(~std::uint64_t{0} >> (64 - cols_));
        for (int r = kBorder; r < rows_ + kBorder; ++r) {
            known_.open[r] = static_cast<Word>(seen.open[r - kBorder + 1]);
            known_.unknown[r] = static_cast<Word>(seen.unknown[r - kBorder + 1]);
            known_.mine[r] = inside & ~(known_.open[r] | known_.unknown[r]);
            add_up(r);
        }
        opened_ = marked_ = pairs_ = Span();
    }

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

    void clear() {
        for (Plane* const plane : {&mines_,
                                   &clue_[0],
                                   &clue_[1],
                                   &clue_[2],
                                   &clue_[3],
                                   &zero_,
                                   &known_.open,
                                   &known_.mine,
                                   &known_.unknown,
                                   &mines_in_three_[0],
                                   &mines_in_three_[1],
                                   &closed_in_three_[0],
                                   &closed_in_three_[1],
                                   &near_,
                                   &need_[0],
                                   &need_[1],
                                   &need_[2],
                                   &slack_[0],
                                   &slack_[1],
                                   &slack_[2],
                                   &zeros_,
                                   &next_zeros_})
            std::fill_n(*plane, planes_end(), Word{0});
    }

    void decide(int row, Word safe, Word mines) {
        known_.open[row] |= safe;
        known_.mine[row] |= mines;
        known_.unknown[row] &= ~(safe | mines);
        add_up(row);
        if (safe != 0) opened_.add({row, row});
        if (mines != 0) marked_.add({row, row});
        pairs_.add({row, row});
    }

    // Count the known mines and the closed cells in threes. An open cell is neither, so it does not count itself.
    void add_up(int row) {
        const Word mine = known_.mine[row];
        add_three<Word>(mine, mines_in_three_[0][row], mines_in_three_[1][row]);
        add_three<Word>(mine | known_.unknown[row], closed_in_three_[0][row], closed_in_three_[1][row]);
    }

    // Open everything connected to the open zeros of these rows, ring by ring, and extend the rows accordingly. Faster
    // than treating zeros as clues that need no more mines.
    void open_zeros(Span& rows) {
        Word any = 0;
        for (int r = rows.first; r <= rows.last; ++r) {
            zeros_[r] = known_.open[r] & zero_[r];
            any |= zeros_[r];
        }
        const auto ring = [&](const Plane& zeros, Plane& next) {
            any = 0;
            rows = {std::max(rows.first - 1, kBorder), std::min(rows.last + 1, rows_ + kBorder - 1)};
            const int end = end_of(rows.first, rows.last);
            for (int r = rows.first; r < end; ++r) {
                const Word opened = spread_row<Word>(zeros[r - 1] | zeros[r] | zeros[r + 1]) & known_.unknown[r];
                known_.open[r] |= opened;
                known_.unknown[r] &= ~opened;
                next[r] = opened & zero_[r];
                any |= opened & zero_[r];
            }
        };
        while (any != 0) {
            ring(zeros_, next_zeros_);
            if (any != 0) ring(next_zeros_, zeros_);
        }
        const int end = end_of(rows.first, rows.last);
        std::fill(zeros_ + rows.first, zeros_ + end, Word{0});
        std::fill(next_zeros_ + rows.first, next_zeros_ + end, Word{0});
        for (int r = rows.first; r < end; ++r) add_up(r);
    }

    // Mark the mines next to clues that need all their closed cells, or open the cells next to clues that need no more
    // mines. Returns the changed rows.
    template <bool kMines>
    Span apply_clues(Span from) {
        if (from.empty()) return from;
        const Plane* const three = kMines ? closed_in_three_ : mines_in_three_;
        const int first = std::max(from.first - 1, kBorder);
        const int last = std::min(from.last + 1, rows_ + kBorder - 1);
        const int end = end_of(first, last);
        for (int r = first; r < end; ++r) {
            Word s0, s1, s2, s3;
            add_nine(&three[0][r], &three[1][r], s0, s1, s2, s3);
            const Word other = (s0 ^ clue_[0][r]) | (s1 ^ clue_[1][r]) | (s2 ^ clue_[2][r]) | (s3 ^ clue_[3][r]);
            near_[r] = spread_row<Word>(known_.open[r] & ~other);
        }
        Word any = 0, zeros = 0;
        const int end_of_near = end_of(first - 1, last + 1);
        for (int r = first - 1; r < end_of_near; ++r) {
            const Word decided = (near_[r - 1] | near_[r] | near_[r + 1]) & known_.unknown[r];
            (kMines ? known_.mine : known_.open)[r] |= decided;
            known_.unknown[r] &= ~decided;
            if constexpr (kMines) {
                add_three<Word>(known_.mine[r], mines_in_three_[0][r], mines_in_three_[1][r]);
            } else {
                add_three<Word>(known_.mine[r] | known_.unknown[r], closed_in_three_[0][r], closed_in_three_[1][r]);
            }
            decided_[r] = decided;
            any |= decided;
            zeros |= decided & zero_[r];
        }
        std::fill(near_ + first, near_ + end, Word{0});
        Span changed;
        if (any == 0) return changed;
        changed = {first - 1, last + 1};
        while (decided_[changed.first] == 0) ++changed.first;
        while (decided_[changed.last] == 0) --changed.last;
        if (zeros != 0) open_zeros(changed);
        return changed;
    }

    // Classify the clues of these rows by the mines they need and by the safe cells around them.
    void classify_clues(int first, int last) {
        for (int r = first; r < end_of(first, last); ++r) {
            const Word clue[4] = {clue_[0][r], clue_[1][r], clue_[2][r], clue_[3][r]};
            Word sum[4];
            add_nine(&mines_in_three_[0][r], &mines_in_three_[1][r], sum[0], sum[1], sum[2], sum[3]);
            differences(clue, sum, known_.open[r], need_[0][r], need_[1][r], need_[2][r]);
            add_nine(&closed_in_three_[0][r], &closed_in_three_[1][r], sum[0], sum[1], sum[2], sum[3]);
            differences(sum, clue, known_.open[r], slack_[0][r], slack_[1][r], slack_[2][r]);
        }
    }

    // After tier 1, clue A needs at least one mine and clue B has at least one safe cell. If these numbers add up to
    // the number of unknown cells that both touch, the shared cells contain all of them: the other cells of A are safe
    // and the other cells of B are mines. Clues that share two or more cells are B below A or to its right, and the
    // reverse.
    template <int kDown, int kRight>
    void find_pairs(int first, int last) {
        Word any = 0;
        for (int r = first; r < end_of(first, last); ++r) {
            const Word* const u = &known_.unknown[r];
            Word two, three = 0, four = 0;
            if constexpr ((kDown == 0 && kRight == 1) || (kDown == 1 && kRight == 0)) {
                Word w, x, y, z;
                if constexpr (kDown == 0) {
                    w = u[-1], x = u[-1] >> 1, y = u[1], z = u[1] >> 1;
                } else {
                    w = u[0] << 1, x = u[0] >> 1, y = u[1] << 1, z = u[1] >> 1;
                }
                const Word p0 = w ^ x, p1 = w & x, q0 = y ^ z, q1 = y & z;
                two = (p0 & q0) | (p1 & ~(q0 | q1)) | (q1 & ~(p0 | p1));
                three = (p1 & q0) | (p0 & q1);
                four = p1 & q1;
            } else if constexpr ((kDown == 0 && kRight == 2) || (kDown == 2 && kRight == 0)) {
                Word x, y, z;
                if constexpr (kDown == 0) {
                    x = u[-1] >> 1, y = u[0] >> 1, z = u[1] >> 1;
                } else {
                    x = u[1] << 1, y = u[1], z = u[1] >> 1;
                }
                three = x & y & z;
                two = majority<Word>(x, y, z) & ~three;
            } else if constexpr (kDown == 2) {
                two = u[1] & shifted<kRight>(u[1]);
            } else if constexpr (kRight == 2 || kRight == -2) {
                two = shifted<kRight / 2>(u[0]) & shifted<kRight / 2>(u[1]);
            } else {
                two = shifted<kRight>(u[0]) & u[1];
            }
            const Word n1 = need_[0][r], n2 = need_[1][r], n3 = need_[2][r];
            const Word s1 = slack_[0][r], s2 = slack_[1][r], s3 = slack_[2][r];
            const Word bn1 = shifted<kRight>(need_[0][r + kDown]), bn2 = shifted<kRight>(need_[1][r + kDown]);
            const Word bs1 = shifted<kRight>(slack_[0][r + kDown]), bs2 = shifted<kRight>(slack_[1][r + kDown]);
            Word forward = two & n1 & bs1;
            Word backward = two & s1 & bn1;
            if constexpr (kDown * kRight == 0) {
                forward |= three & ((n1 & bs2) | (n2 & bs1));
                backward |= three & ((s1 & bn2) | (s2 & bn1));
            }
            if constexpr (kDown + kRight == 1 && kDown * kRight == 0) {
                const Word bn3 = shifted<kRight>(need_[2][r + kDown]), bs3 = shifted<kRight>(slack_[2][r + kDown]);
                forward |= four & ((n1 & bs3) | (n2 & bs2) | (n3 & bs1));
                backward |= four & ((s1 & bn3) | (s2 & bn2) | (s3 & bn1));
            }
            forward_[r] = forward;
            backward_[r] = backward;
            any |= forward | backward;
        }
        if (any == 0) return;
        for (int r = first; r <= last; ++r) {
            for (Word hits = forward_[r]; hits != 0; hits &= hits - 1) {
                const Word a = hits & (~hits + 1);
                add_deductions(r, a, shifted<-kRight>(a), kDown, safe_, mined_);
            }
            for (Word hits = backward_[r]; hits != 0; hits &= hits - 1) {
                const Word a = hits & (~hits + 1);
                add_deductions(r, a, shifted<-kRight>(a), kDown, mined_, safe_);
            }
        }
    }

    // Record the cells that touch only one of two clues; B is `down` rows below A.
    void add_deductions(int row, Word a, Word b, int down, Word* only_a, Word* only_b) {
        for (int r = row - 1; r <= row + down + 1; ++r) {
            const Word near_a = r <= row + 1 ? spread_row(a) : 0;
            const Word near_b = r >= row + down - 1 ? spread_row(b) : 0;
            only_a[r] |= near_a & ~near_b;
            only_b[r] |= near_b & ~near_a;
        }
    }

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

}  // namespace
}  // namespace mines
