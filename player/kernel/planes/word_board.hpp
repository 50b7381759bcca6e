// Deductions of tiers 1 and 2 with one word for each row.
//
// `bitboard.cpp` compiles this file for every processor and `avx2_board.cpp` for AVX2, so nothing has external linkage.
#pragma once

#include <algorithm>

#include "base/bits.hpp"
#include "planes/bitboard.hpp"
#include "planes/pair_rules.hpp"

namespace mines {
namespace {

// The cells and their left and right neighbours.
template <class Word>
Word spread_row(Word word) {
    return word | word << 1 | word >> 1;
}

// A board or a part of one, with this halo, of at most as many columns as the word has bits. Vector instructions
// process more short words at once.
template <class Word, int kAround = 0>
class WordBoard final : public BitBoard {
  public:
    explicit WordBoard(const Part& part) : part_(part), rows_(part.rows + 2 * kAround) {}

    void load(const Puzzle& puzzle) override {
        hide(puzzle);
        decide(puzzle.click / part_.cols + kBorder, Word(Word{1} << puzzle.click % part_.cols), 0);
        open_zeros();
        std::copy_n(known_.open, planes_end(), first_);
    }

    // Set the mines of the part and its halo, and open nothing.
    void hide(const Puzzle& puzzle) {
        // The border stays empty; everything else is overwritten.
        for (Plane* const plane : {&known_.open, &known_.mine, &known_.unknown, &mines_})
            std::fill_n(*plane, planes_end(), Word{0});
        const int height = puzzle.grid->rows, last = rows_ + kBorder - 1;
        for (int r = first_with_cells(); r <= last_with_cells(); ++r) {
            const int row = part_.top + r - kBorder - kAround;
            mines_[r] = mines_of(puzzle, (row + height) % height);
            known_.unknown[r] = static_cast<Word>(part_.inside);
        }
        for (int r = kBorder; r <= last; ++r) add_three(mines_[r], mines_in_three_[0][r], mines_in_three_[1][r]);
        for (int r = kBorder; r < end_of(kBorder, last); ++r) {
            const Number<Word> clue = sum_at(mines_in_three_, r);
            for (int i = 0; i < 4; ++i) clue_[i][r] = clue.bit[i];
        }
        if constexpr (kAround != 0) hide_outer_clues();
        for (int r = kBorder; r < end_of(kBorder, last); ++r) {
            zero_[r] = known_.unknown[r] & ~(mines_[r] | clue_[0][r] | clue_[1][r] | clue_[2][r] | clue_[3][r]);
        }
        // No mine is known and every cell is closed.
        for (Plane* const plane : {&mines_in_three_[0], &mines_in_three_[1]})
            std::fill_n(*plane, planes_end(), Word{0});
        for (int r = kBorder; r <= last; ++r) add_up(r);
        opened_ = marked_ = pairs_ = Span();
    }

    const Part& part() const { return part_; }
    // Rows of the board with the halo.
    int rows() const { return rows_; }
    Word unknown(int row) const { return known_.unknown[row + kBorder]; }
    Word open(int row) const { return known_.open[row + kBorder]; }

    // Decide unknown cells of a row, and return them.
    Word learn(int row, Word safe, Word mines) {
        const Word decided = (safe | mines) & unknown(row);
        if (decided != 0) decide(row + kBorder, safe & decided, mines & decided);
        return decided;
    }

    // Open everything connected to the zeros opened last.
    void open_zeros() {
        if (opened_.empty()) return;
        open_zeros(opened_);
        pairs_.add(opened_);
    }

    void reveal(int row, int col) override {
        const int r = row + kAround;
        const Word cell = Word{1} << (col + kAround), mines = mines_[r + kBorder];
        learn(r, cell & ~mines, cell & mines);
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

    int opened() const override { return count(known_.open); }

    int mines_seen() const override {
        int seen = 0;
        const Word own = static_cast<Word>(part_.own());
        for (int r = kAround + kBorder; r < kAround + part_.rows + kBorder; ++r) {
            const Word near = spread_row<Word>(known_.open[r - 1] | known_.open[r] | known_.open[r + 1]);
            seen += count_bits(own & mines_[r] & (near | known_.mine[r]));
        }
        return seen;
    }

    int first_opening() const override { return count(first_); }

    void snapshot(Snapshots& seen) const override {
        seen.resize(1);
        snapshot(seen[0]);
    }
    void snapshot(Snapshot& seen) const {
        constexpr int kEdge = kAround == 0 ? 1 : 0;  // the empty rows around a whole board
        const int rows = rows_ + 2 * kEdge, from = kBorder - kEdge, to = kHalo - kAround - kEdge;
        seen.part = part_;
        std::copy_n(known_.open + from, rows, seen.open + to);
        std::copy_n(known_.unknown + from, rows, seen.unknown + to);
    }

    void restore(const Snapshots& seen) override { restore(seen[0]); }
    void restore(const Snapshot& seen) {
        const Word inside = static_cast<Word>(part_.inside);
        for (int r = first_with_cells(); r <= last_with_cells(); ++r) {
            const int from = r - kBorder + kHalo - kAround;
            known_.open[r] = static_cast<Word>(seen.open[from]);
            known_.unknown[r] = static_cast<Word>(seen.unknown[from]);
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

    int count(const Plane& cells) const {
        int count = 0;
        for (int r = kBorder; r < rows_ + kBorder; ++r) count += count_bits(cells[r]);
        return count;
    }

    // The mines of a row of the grid in the columns of the part.
    Word mines_of(const Puzzle& puzzle, int row) const {
        const int width = puzzle.grid->cols;
        const std::uint8_t* const cells = puzzle.mine.data() + row * width;
        std::uint64_t mines = pack_bits(cells + part_.left, part_.cols) << kAround;
        for (int i = 0; i < 2 * kAround; ++i) {
            const int bit = i < kAround ? i : i + part_.cols;
            mines |= std::uint64_t{cells[(part_.left + bit - kAround + width) % width]} << bit;
        }
        return static_cast<Word>(mines & part_.inside);
    }

    // The outer cells of the halo have neighbours elsewhere. Their clue becomes 12, which fits no rule.
    void hide_outer_clues() {
        const Word outer = Word{1} | static_cast<Word>(Word{1} << (part_.cols + 2 * kAround - 1));
        for (int r = kBorder; r < rows_ + kBorder; ++r) {
            const Word hidden = r == kBorder || r == rows_ + kBorder - 1 ? static_cast<Word>(~Word{0}) : outer;
            for (int i = 0; i < 4; ++i)
                clue_[i][r] = i < 2 ? clue_[i][r] & static_cast<Word>(~hidden) : clue_[i][r] | hidden;
        }
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
            near_[r] = spread_row<Word>(known_.open[r] & ~differ<Word>(sum_at(three, r), clue_at(r)));
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

    // The number of cells around each cell of a row, from those of three side by side.
    static Number<Word> sum_at(const Plane* three, int r) {
        const Word *const low = &three[0][r], *const high = &three[1][r];
        return add_nine<Word>(low[-1], low[0], low[1], high[-1], high[0], high[1]);
    }
    Number<Word> clue_at(int r) const { return {{clue_[0][r], clue_[1][r], clue_[2][r], clue_[3][r]}}; }

    // Classify the clues of these rows by the mines they need and by the safe cells around them.
    void classify_clues(int first, int last) {
        for (int r = first; r < end_of(first, last); ++r) {
            const Number<Word> clue = clue_at(r);
            const Small<Word> need = difference<Word>(clue, sum_at(mines_in_three_, r), known_.open[r]);
            const Small<Word> slack = difference<Word>(sum_at(closed_in_three_, r), clue, known_.open[r]);
            need_[0][r] = need.one, need_[1][r] = need.two, need_[2][r] = need.three;
            slack_[0][r] = slack.one, slack_[1][r] = slack.two, slack_[2][r] = slack.three;
        }
    }
    Clues<Word> clues_at(int r) const {
        return {{need_[0][r], need_[1][r], need_[2][r]}, {slack_[0][r], slack_[1][r], slack_[2][r]}};
    }

    template <int kDown, int kRight>
    void find_pairs(int first, int last) {
        Word any = 0;
        for (int r = first; r < end_of(first, last); ++r) {
            const Word* const u = &known_.unknown[r];
            Word forward, backward;
            find_deciding<kDown, kRight, Word>(u[-1], u[0], u[1], clues_at(r), clues_at(r + kDown), forward, backward);
            forward_[r] = forward;
            backward_[r] = backward;
            any |= forward | backward;
        }
        if (any == 0) return;
        for (int r = first; r <= last; ++r) {
            for (Word hits = forward_[r]; hits != 0; hits &= hits - 1) {
                const Word a = hits & (~hits + 1);
                add_deductions(r, a, shifted<-kRight, Word>(a), kDown, safe_, mined_);
            }
            for (Word hits = backward_[r]; hits != 0; hits &= hits - 1) {
                const Word a = hits & (~hits + 1);
                add_deductions(r, a, shifted<-kRight, Word>(a), kDown, mined_, safe_);
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

    // The rows with cells: the halo may have none.
    int first_with_cells() const { return kBorder + (part_.above ? 0 : kAround); }
    int last_with_cells() const { return rows_ + kBorder - 1 - (part_.below ? 0 : kAround); }
    static int end_of(int first, int last) { return first + (last - first + kAtOnce) / kAtOnce * kAtOnce; }
    int planes_end() const { return rows_ + 2 * kBorder + 2 * kAtOnce; }

    const Part part_;
    const int rows_;   // with the halo
    Plane mines_{};    // where they are
    Plane clue_[4]{};  // bits of the clues, meaningless at mines
    Plane zero_{};     // safe cells without adjacent mines
    Known known_{};
    // Bits of the number of known mines and of closed cells among three cells side by side.
    Plane mines_in_three_[2]{}, closed_in_three_[2]{};
    Plane first_{};         // cells opened by the first click
    Span opened_, marked_;  // rows with cells opened, and with mines marked, since tier 1
    Span pairs_;            // rows changed since tier 2

    // Scratch memory.
    Plane near_{};  // cells next to a deciding clue; empty between calls
    Plane decided_{};
    Plane need_[3]{}, slack_[3]{};  // clues that need 1 to 3 mines, and clues with 1 to 3 safe cells
    Plane forward_{}, backward_{};  // pairs of clues that decide cells
    Plane safe_{}, mined_{};        // the cells they decide
    Plane zeros_{}, next_zeros_{};  // zeros in two successive rings of an opening; empty between calls
};

}  // namespace
}  // namespace mines
