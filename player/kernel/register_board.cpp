#include "register_board.hpp"

#include <cstdint>

#include "bits.hpp"

#if defined(__linux__) && defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>

// Compile only the code of this file for AVX2: other processors run the inline functions of the headers, too.
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,popcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,popcnt")
#endif

namespace mines {
namespace {

constexpr int kRows = 16;

// One bit for each cell: 16 rows of 32 columns.
struct Plane {
    using Rows = std::uint32_t[kRows];

    __m256i a, b;

    static Plane load(const Rows& rows) {
        const auto* const from = reinterpret_cast<const __m256i*>(rows);
        return {_mm256_loadu_si256(from), _mm256_loadu_si256(from + 1)};
    }
    static Plane none() { return {_mm256_setzero_si256(), _mm256_setzero_si256()}; }
    void store(Rows& rows) const {
        auto* const to = reinterpret_cast<__m256i*>(rows);
        _mm256_storeu_si256(to, a);
        _mm256_storeu_si256(to + 1, b);
    }
    // Bit c of the result is bit c + kBy.
    template <int kBy>
    Plane shifted() const {
        if constexpr (kBy > 0) return {_mm256_srli_epi32(a, kBy), _mm256_srli_epi32(b, kBy)};
        if constexpr (kBy < 0) return {_mm256_slli_epi32(a, -kBy), _mm256_slli_epi32(b, -kBy)};
        return *this;
    }
    // Move every row one row down, so that each cell shows the one above it.
    Plane above() const {
        return {_mm256_alignr_epi8(a, _mm256_permute2x128_si256(a, a, 0x08), 12),
                _mm256_alignr_epi8(b, _mm256_permute2x128_si256(a, b, 0x21), 12)};
    }
    Plane below() const {
        return {_mm256_alignr_epi8(_mm256_permute2x128_si256(a, b, 0x21), a, 4),
                _mm256_alignr_epi8(_mm256_permute2x128_si256(b, b, 0x81), b, 4)};
    }
    Plane without(Plane other) const { return {_mm256_andnot_si256(other.a, a), _mm256_andnot_si256(other.b, b)}; }
    Plane operator&(Plane other) const { return {_mm256_and_si256(a, other.a), _mm256_and_si256(b, other.b)}; }
    Plane operator|(Plane other) const { return {_mm256_or_si256(a, other.a), _mm256_or_si256(b, other.b)}; }
    Plane operator^(Plane other) const { return {_mm256_xor_si256(a, other.a), _mm256_xor_si256(b, other.b)}; }
    bool any() const {
        const __m256i both = _mm256_or_si256(a, b);
        return !_mm256_testz_si256(both, both);
    }
    int count() const {
        Rows rows;
        store(rows);
        int count = 0;
        for (const std::uint32_t row : rows) count += __builtin_popcount(row);
        return count;
    }
};

Plane majority(Plane a, Plane b, Plane c) { return (a & b) | (c & (a | b)); }

// The cells and their eight neighbours.
Plane spread(Plane cells) {
    const Plane three = cells | cells.shifted<-1>() | cells.shifted<1>();
    return three | three.above() | three.below();
}

// The bits of a number per cell.
struct Number {
    Plane bit[4];
};

// Add up the 3x3 square around each cell.
Number add_nine(Plane cells) {
    const Plane left = cells.shifted<-1>(), right = cells.shifted<1>();
    const Plane low = left ^ cells ^ right, high = majority(left, cells, right);
    const Plane carry = majority(low.above(), low, low.below());
    const Plane twos = high.above() ^ high ^ high.below(), fours = majority(high.above(), high, high.below());
    const Plane both = twos & carry;
    return {{low.above() ^ low ^ low.below(), twos ^ carry, fours ^ both, fours & both}};
}

Plane differ(const Number& a, const Number& b) {
    return (a.bit[0] ^ b.bit[0]) | (a.bit[1] ^ b.bit[1]) | (a.bit[2] ^ b.bit[2]) | (a.bit[3] ^ b.bit[3]);
}

// Where a number is 1, 2 and 3.
struct Small {
    Plane one, two, three;

    Small below() const { return {one.below(), two.below(), three.below()}; }
};

// Compute where a - b is small.
Small difference(const Number& a, const Number& b, Plane where) {
    const Plane d0 = a.bit[0] ^ b.bit[0];
    Plane borrow = b.bit[0].without(a.bit[0]);
    const auto next = [&](int i) {
        const Plane differing = a.bit[i] ^ b.bit[i];
        const Plane digit = differing ^ borrow;
        borrow = (b.bit[i] & borrow) | (b.bit[i] | borrow).without(a.bit[i]);
        return digit;
    };
    const Plane d1 = next(1), d2 = next(2), d3 = next(3);
    const Plane small = where.without(d2 | d3);
    return {(small & d0).without(d1), (small & d1).without(d0), small & d0 & d1};
}

// Move the cells kDown rows down and kRight columns to the right.
template <int kDown, int kRight>
Plane moved(Plane cells) {
    Plane out = cells.shifted<-kRight>();
    for (int i = 0; i < kDown; ++i) out = out.above();
    for (int i = 0; i > kDown; --i) out = out.below();
    return out;
}

constexpr bool adjacent(int rows, int cols) { return rows >= -1 && rows <= 1 && cols >= -1 && cols <= 1; }

// Add the cells that touch only one of two clues: A, and B that is kDown below and kRight to the right of it. Visits the
// neighbours of each, from (kRow, kCol) on.
template <int kDown, int kRight, int kRow = -1, int kCol = -1>
void add_deductions(Plane a, Plane& only_a, Plane& only_b) {
    if constexpr (!adjacent(kRow - kDown, kCol - kRight)) only_a = only_a | moved<kRow, kCol>(a);
    if constexpr (!adjacent(kRow + kDown, kCol + kRight)) only_b = only_b | moved<kRow + kDown, kCol + kRight>(a);
    if constexpr (kCol < 1) {
        add_deductions<kDown, kRight, kRow, kCol + 1>(a, only_a, only_b);
    } else if constexpr (kRow < 1) {
        add_deductions<kDown, kRight, kRow + 1, -1>(a, only_a, only_b);
    }
}

class RegisterBoard final : public BitBoard {
  public:
    void load(const Puzzle& puzzle) override {
        rows_ = puzzle.rows;
        const auto row = static_cast<std::uint32_t>(~std::uint64_t{0} >> (64 - puzzle.cols));
        Plane::Rows mines{}, inside{}, click{};
        for (int r = 0; r < rows_; ++r) {
            mines[r] = static_cast<std::uint32_t>(pack_bits(puzzle.mine.data() + r * puzzle.cols, puzzle.cols));
            inside[r] = row;
        }
        click[puzzle.click / puzzle.cols] = std::uint32_t{1} << puzzle.click % puzzle.cols;
        mines_ = Plane::load(mines);
        inside_ = Plane::load(inside);
        clue_ = add_nine(mines_);
        zero_ = inside_.without(mines_ | clue_.bit[0] | clue_.bit[1] | clue_.bit[2] | clue_.bit[3]);
        open_ = Plane::load(click);
        unknown_ = inside_.without(open_);
        open_zeros(open_ & zero_, open_, unknown_);
        first_ = open_;
        changed_ = pairs_changed_ = true;
    }

    void reveal(int row, int col) override {
        Plane::Rows cells{};
        cells[row] = std::uint32_t{1} << col;
        const Plane cell = Plane::load(cells) & unknown_;
        unknown_ = unknown_.without(cell);
        open_ = open_ | cell.without(mines_);
        changed_ = pairs_changed_ = true;
    }

    void one_clue() override {
        if (!changed_) return;
        changed_ = false;
        Plane open = open_, unknown = unknown_;
        for (;;) {
            // Clues that need all their closed cells, then clues that need no more mines.
            const Plane marked = spread(open.without(differ(add_nine(inside_.without(open)), clue_))) & unknown;
            unknown = unknown.without(marked);
            const Number mines = add_nine(inside_.without(open | unknown));
            const Plane opened = spread(open.without(differ(mines, clue_))) & unknown;
            if (!(marked | opened).any()) break;
            pairs_changed_ = true;
            open = open | opened;
            unknown = unknown.without(opened);
            open_zeros(opened & zero_, open, unknown);
        }
        open_ = open;
        unknown_ = unknown;
    }

    int two_clues() override {
        if (!pairs_changed_) return 0;
        pairs_changed_ = false;
        const Plane mine = inside_.without(open_ | unknown_);
        Pairs pairs;
        pairs.need = difference(clue_, add_nine(mine), open_);
        pairs.slack = difference(add_nine(mine | unknown_), clue_, open_);
        pairs.above = unknown_.above();
        pairs.below = unknown_.below();
        safe_ = mined_ = Plane::none();
        find_pairs<0, 1>(pairs, pairs.need, pairs.slack);
        find_pairs<0, 2>(pairs, pairs.need, pairs.slack);
        const Small need = pairs.need.below(), slack = pairs.slack.below();
        find_pairs<1, -2>(pairs, need, slack);
        find_pairs<1, -1>(pairs, need, slack);
        find_pairs<1, 0>(pairs, need, slack);
        find_pairs<1, 1>(pairs, need, slack);
        find_pairs<1, 2>(pairs, need, slack);
        const Small need_two_below = need.below(), slack_two_below = slack.below();
        find_pairs<2, -1>(pairs, need_two_below, slack_two_below);
        find_pairs<2, 0>(pairs, need_two_below, slack_two_below);
        find_pairs<2, 1>(pairs, need_two_below, slack_two_below);
        const Plane safe = safe_ & unknown_, decided = (safe_ | mined_) & unknown_;
        if (!decided.any()) return 0;
        open_ = open_ | safe;
        unknown_ = unknown_.without(decided);
        changed_ = pairs_changed_ = true;
        return decided.count();
    }

    bool all_open() const override { return !unknown_.without(mines_).any(); }
    int opened() const override { return open_.count(); }
    int mines_seen() const override { return (mines_ & (spread(open_) | inside_.without(open_ | unknown_))).count(); }
    int first_opening() const override { return first_.count(); }

    void snapshot(Snapshot& seen) const override {
        Plane::Rows open, unknown;
        open_.store(open);
        unknown_.store(unknown);
        seen.open[0] = seen.unknown[0] = seen.open[rows_ + 1] = seen.unknown[rows_ + 1] = 0;
        for (int r = 0; r < rows_; ++r) {
            seen.open[r + 1] = open[r];
            seen.unknown[r + 1] = unknown[r];
        }
    }

    void restore(const Snapshot& seen) override {
        Plane::Rows open{}, unknown{};
        for (int r = 0; r < rows_; ++r) {
            open[r] = static_cast<std::uint32_t>(seen.open[r + 1]);
            unknown[r] = static_cast<std::uint32_t>(seen.unknown[r + 1]);
        }
        open_ = Plane::load(open);
        unknown_ = Plane::load(unknown);
        changed_ = pairs_changed_ = false;
    }

  private:
    struct Pairs {
        Small need, slack;    // clues that need 1 to 3 mines, and clues with 1 to 3 safe cells
        Plane above, below;  // the unknown cells, moved
    };

    // Open everything connected to these open zeros, ring by ring.
    void open_zeros(Plane zeros, Plane& open, Plane& unknown) const {
        while (zeros.any()) {
            const Plane opened = spread(zeros) & unknown;
            open = open | opened;
            unknown = unknown.without(opened);
            zeros = opened & zero_;
        }
    }

    // The pairs of `WordBitBoard::find_pairs`. `need` and `slack` show the row of B, kDown rows below.
    template <int kDown, int kRight>
    void find_pairs(const Pairs& pairs, const Small& need, const Small& slack) {
        // Where A and B share two, three and four unknown cells.
        Plane two, three = Plane::none(), four = Plane::none();
        if constexpr (kDown + kRight == 1 && kDown * kRight == 0) {
            const Plane w = kDown == 0 ? pairs.above : unknown_.shifted<-1>();
            const Plane x = kDown == 0 ? pairs.above.shifted<1>() : unknown_.shifted<1>();
            const Plane y = kDown == 0 ? pairs.below : pairs.below.shifted<-1>();
            const Plane z = pairs.below.shifted<1>();
            const Plane p0 = w ^ x, p1 = w & x, q0 = y ^ z, q1 = y & z;
            two = (p0 & q0) | p1.without(q0 | q1) | q1.without(p0 | p1);
            three = (p1 & q0) | (p0 & q1);
            four = p1 & q1;
        } else if constexpr (kDown * kRight == 0) {
            const Plane x = kDown == 0 ? pairs.above.shifted<1>() : pairs.below.shifted<-1>();
            const Plane y = kDown == 0 ? unknown_.shifted<1>() : pairs.below;
            const Plane z = pairs.below.shifted<1>();
            three = x & y & z;
            two = majority(x, y, z).without(three);
        } else if constexpr (kDown == 2) {
            two = pairs.below & pairs.below.shifted<kRight>();
        } else if constexpr (kRight == 2 || kRight == -2) {
            two = unknown_.shifted<kRight / 2>() & pairs.below.shifted<kRight / 2>();
        } else {
            two = unknown_.shifted<kRight>() & pairs.below;
        }
        const Small &n = pairs.need, &s = pairs.slack;
        const Plane bn1 = need.one.shifted<kRight>(), bn2 = need.two.shifted<kRight>();
        const Plane bs1 = slack.one.shifted<kRight>(), bs2 = slack.two.shifted<kRight>();
        Plane forward = two & n.one & bs1, backward = two & s.one & bn1;
        if constexpr (kDown * kRight == 0) {
            forward = forward | (three & ((n.one & bs2) | (n.two & bs1)));
            backward = backward | (three & ((s.one & bn2) | (s.two & bn1)));
        }
        if constexpr (kDown + kRight == 1 && kDown * kRight == 0) {
            const Plane bn3 = need.three.shifted<kRight>(), bs3 = slack.three.shifted<kRight>();
            forward = forward | (four & ((n.one & bs3) | (n.two & bs2) | (n.three & bs1)));
            backward = backward | (four & ((s.one & bn3) | (s.two & bn2) | (s.three & bn1)));
        }
        if (forward.any()) add_deductions<kDown, kRight>(forward, safe_, mined_);
        if (backward.any()) add_deductions<kDown, kRight>(backward, mined_, safe_);
    }

    int rows_ = 0;
    Number clue_;
    Plane mines_, inside_, zero_;
    Plane open_, unknown_, first_;
    Plane safe_, mined_;           // cells decided by pairs of clues
    bool changed_ = false;         // whether some cell changed since tier 1
    bool pairs_changed_ = false;   // whether some cell changed since tier 2
};

BitBoard* make_board() { return new RegisterBoard; }

}  // namespace
}  // namespace mines

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace mines {

std::unique_ptr<BitBoard> new_register_board() {
    return std::unique_ptr<BitBoard>(__builtin_cpu_supports("avx2") ? make_board() : nullptr);
}

}  // namespace mines

#else

namespace mines {

std::unique_ptr<BitBoard> new_register_board() { return nullptr; }

}  // namespace mines

#endif
