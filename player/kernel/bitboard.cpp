#include "bitboard.hpp"

#include <algorithm>

#include "bits.hpp"
#include "register_board.hpp"

namespace mines {
namespace {

template <class Word>
Word majority(Word a, Word b, Word c) {
    return (a & b) | (c & (a | b));
}

// The cells and their left and right neighbours.
template <class Word>
Word spread(Word word) {
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

}  // namespace

template <class Word>
void WordBitBoard<Word>::clear() {
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

template <class Word>
void WordBitBoard<Word>::load(const Puzzle& puzzle) {
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
    for (Plane* const plane : {&mines_in_three_[0], &mines_in_three_[1]}) std::fill_n(*plane, planes_end(), Word{0});
    for (int r = kBorder; r <= last; ++r) add_up(r);
    opened_ = marked_ = pairs_ = Span();
    decide(puzzle.click / cols_ + kBorder, Word(Word{1} << puzzle.click % cols_), 0);
    open_zeros(opened_);
    pairs_.add(opened_);
    std::copy_n(known_.open, planes_end(), first_);
}

template <class Word>
void WordBitBoard<Word>::decide(int row, Word safe, Word mines) {
    known_.open[row] |= safe;
    known_.mine[row] |= mines;
    known_.unknown[row] &= ~(safe | mines);
    add_up(row);
    if (safe != 0) opened_.add({row, row});
    if (mines != 0) marked_.add({row, row});
    pairs_.add({row, row});
}

template <class Word>
void WordBitBoard<Word>::reveal(int row, int col) {
    const Word cell = Word{1} << col & known_.unknown[row + kBorder];
    const Word mines = mines_[row + kBorder];
    decide(row + kBorder, cell & ~mines, cell & mines);
}

// Count the known mines and the closed cells in threes. An open cell is neither, so it does not count itself.
template <class Word>
void WordBitBoard<Word>::add_up(int row) {
    const Word mine = known_.mine[row];
    add_three<Word>(mine, mines_in_three_[0][row], mines_in_three_[1][row]);
    add_three<Word>(mine | known_.unknown[row], closed_in_three_[0][row], closed_in_three_[1][row]);
}

// Open everything connected to the open zeros of these rows, ring by ring, and extend the rows accordingly. Faster than
// treating zeros as clues that need no more mines.
template <class Word>
void WordBitBoard<Word>::open_zeros(Span& rows) {
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
            const Word opened = spread<Word>(zeros[r - 1] | zeros[r] | zeros[r + 1]) & known_.unknown[r];
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
template <class Word>
template <bool kMines>
typename WordBitBoard<Word>::Span WordBitBoard<Word>::apply_clues(Span from) {
    if (from.empty()) return from;
    const Plane* const three = kMines ? closed_in_three_ : mines_in_three_;
    const int first = std::max(from.first - 1, kBorder);
    const int last = std::min(from.last + 1, rows_ + kBorder - 1);
    const int end = end_of(first, last);
    for (int r = first; r < end; ++r) {
        Word s0, s1, s2, s3;
        add_nine(&three[0][r], &three[1][r], s0, s1, s2, s3);
        const Word other = (s0 ^ clue_[0][r]) | (s1 ^ clue_[1][r]) | (s2 ^ clue_[2][r]) | (s3 ^ clue_[3][r]);
        near_[r] = spread<Word>(known_.open[r] & ~other);
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

template <class Word>
void WordBitBoard<Word>::one_clue() {
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

// Classify the clues of these rows by the mines they need and by the safe cells around them.
template <class Word>
void WordBitBoard<Word>::classify_clues(int first, int last) {
    for (int r = first; r < end_of(first, last); ++r) {
        const Word clue[4] = {clue_[0][r], clue_[1][r], clue_[2][r], clue_[3][r]};
        Word sum[4];
        add_nine(&mines_in_three_[0][r], &mines_in_three_[1][r], sum[0], sum[1], sum[2], sum[3]);
        differences(clue, sum, known_.open[r], need_[0][r], need_[1][r], need_[2][r]);
        add_nine(&closed_in_three_[0][r], &closed_in_three_[1][r], sum[0], sum[1], sum[2], sum[3]);
        differences(sum, clue, known_.open[r], slack_[0][r], slack_[1][r], slack_[2][r]);
    }
}

// After tier 1, clue A needs at least one mine and clue B has at least one safe cell. If these numbers add up to the
// number of unknown cells that both touch, the shared cells contain all of them: the other cells of A are safe and the
// other cells of B are mines. Clues that share two or more cells are B below A or to its right, and the reverse.
template <class Word>
template <int kDown, int kRight>
void WordBitBoard<Word>::find_pairs(int first, int last) {
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
template <class Word>
void WordBitBoard<Word>::add_deductions(int row, Word a, Word b, int down, Word* only_a, Word* only_b) {
    for (int r = row - 1; r <= row + down + 1; ++r) {
        const Word near_a = r <= row + 1 ? spread(a) : 0;
        const Word near_b = r >= row + down - 1 ? spread(b) : 0;
        only_a[r] |= near_a & ~near_b;
        only_b[r] |= near_b & ~near_a;
    }
}

template <class Word>
int WordBitBoard<Word>::two_clues() {
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

template <class Word>
bool WordBitBoard<Word>::all_open() const {
    Word left = 0;
    for (int r = kBorder; r < rows_ + kBorder; ++r) left |= known_.unknown[r] & ~mines_[r];
    return left == 0;
}

template <class Word>
int WordBitBoard<Word>::opened() const {
    int opened = 0;
    for (int r = kBorder; r < rows_ + kBorder; ++r) opened += count_bits(known_.open[r]);
    return opened;
}

template <class Word>
int WordBitBoard<Word>::mines_seen() const {
    int seen = 0;
    for (int r = kBorder; r < rows_ + kBorder; ++r) {
        const Word near = spread<Word>(known_.open[r - 1] | known_.open[r] | known_.open[r + 1]);
        seen += count_bits(mines_[r] & (near | known_.mine[r]));
    }
    return seen;
}

template <class Word>
int WordBitBoard<Word>::first_opening() const {
    int opened = 0;
    for (int r = kBorder; r < rows_ + kBorder; ++r) opened += count_bits(first_[r]);
    return opened;
}

template <class Word>
void WordBitBoard<Word>::snapshot(Snapshot& seen) const {
    for (int r = -1; r <= rows_; ++r) {
        seen.open[r + 1] = known_.open[r + kBorder];
        seen.unknown[r + 1] = known_.unknown[r + kBorder];
    }
}

template <class Word>
void WordBitBoard<Word>::restore(const Snapshot& seen) {
    const Word inside = static_cast<Word>(~std::uint64_t{0} >> (64 - cols_));
    for (int r = kBorder; r < rows_ + kBorder; ++r) {
        known_.open[r] = static_cast<Word>(seen.open[r - kBorder + 1]);
        known_.unknown[r] = static_cast<Word>(seen.unknown[r - kBorder + 1]);
        known_.mine[r] = inside & ~(known_.open[r] | known_.unknown[r]);
        add_up(r);
    }
    opened_ = marked_ = pairs_ = Span();
}

std::unique_ptr<BitBoard> new_bitboard(int rows, int cols) {
    if (rows > kMaxBitBoardSide || cols > kMaxBitBoardSide) return nullptr;
    if (std::unique_ptr<BitBoard> board = new_register_board(rows, cols)) return board;
    if (cols <= 16) return std::make_unique<WordBitBoard<std::uint16_t>>();
    if (cols <= 32) return std::make_unique<WordBitBoard<std::uint32_t>>();
    return std::make_unique<WordBitBoard<std::uint64_t>>();
}

template class WordBitBoard<std::uint16_t>;
template class WordBitBoard<std::uint32_t>;
template class WordBitBoard<std::uint64_t>;

}  // namespace mines
