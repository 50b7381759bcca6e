#include "planes/avx2_board.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/bits.hpp"

#if defined(__linux__) && defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>

// Compile only the code of this file for AVX2: other processors run the inline functions of the headers, too.
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,popcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,popcnt")
#endif

#include "planes/word_board.hpp"

namespace mines {
namespace {

// One bit for each cell: one word a row, 32 bytes a vector.
template <class Word, int kVectors>
struct Plane {
    static constexpr int kRows = kVectors * 32 / static_cast<int>(sizeof(Word));
    using Row = Word;
    using Rows = Word[kRows];

    __m256i v[kVectors];

    static Plane load(const Rows& rows) {
        return each([&](int i) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows) + i); });
    }
    static Plane none() {
        const __m256i zero = _mm256_setzero_si256();
        return each([&](int) { return zero; });
    }
    void store(Rows& rows) const {
        for (int i = 0; i < kVectors; ++i) _mm256_storeu_si256(reinterpret_cast<__m256i*>(rows) + i, v[i]);
    }
    // Bit c of the result is bit c + kBy.
    template <int kBy>
    Plane shifted() const {
        return each([&](int i) {
            if constexpr (sizeof(Word) == 2)
                return kBy > 0 ? _mm256_srli_epi16(v[i], kBy) : _mm256_slli_epi16(v[i], -kBy);
            if constexpr (sizeof(Word) == 4)
                return kBy > 0 ? _mm256_srli_epi32(v[i], kBy) : _mm256_slli_epi32(v[i], -kBy);
            return kBy > 0 ? _mm256_srli_epi64(v[i], kBy) : _mm256_slli_epi64(v[i], -kBy);
        });
    }
    // Move every row one row down, so that each cell shows the one above it.
    Plane above() const {
        return each([&](int i) {
            const __m256i low = i == 0 ? _mm256_permute2x128_si256(v[0], v[0], 0x08)
                                       : _mm256_permute2x128_si256(v[i == 0 ? 0 : i - 1], v[i], 0x21);
            return _mm256_alignr_epi8(v[i], low, 16 - sizeof(Word));
        });
    }
    Plane below() const {
        return each([&](int i) {
            const __m256i high = i == kVectors - 1 ? _mm256_permute2x128_si256(v[i], v[i], 0x81)
                                                   : _mm256_permute2x128_si256(v[i], v[(i + 1) % kVectors], 0x21);
            return _mm256_alignr_epi8(high, v[i], sizeof(Word));
        });
    }
    Plane without(Plane other) const {
        return each([&](int i) { return _mm256_andnot_si256(other.v[i], v[i]); });
    }
    Plane operator&(Plane other) const {
        return each([&](int i) { return _mm256_and_si256(v[i], other.v[i]); });
    }
    Plane operator|(Plane other) const {
        return each([&](int i) { return _mm256_or_si256(v[i], other.v[i]); });
    }
    Plane operator^(Plane other) const {
        return each([&](int i) { return _mm256_xor_si256(v[i], other.v[i]); });
    }
    bool any() const {
        __m256i some = v[0];
        for (int i = 1; i < kVectors; ++i) some = _mm256_or_si256(some, v[i]);
        return !_mm256_testz_si256(some, some);
    }
    int count() const {
        std::uint64_t words[4 * kVectors];
        std::memcpy(words, v, sizeof(v));
        int count = 0;
        for (const std::uint64_t word : words) count += __builtin_popcountll(word);
        return count;
    }

  private:
    // Without loops and memory: compilers keep the vectors in registers.
    template <class Make>
    [[gnu::always_inline]] static Plane each(Make make) {
        if constexpr (kVectors == 1) return {{make(0)}};
        if constexpr (kVectors == 2) return {{make(0), make(1)}};
    }
};

// The cells and their eight neighbours.
template <class Plane>
Plane spread(Plane cells) {
    const Plane three = cells | cells.template shifted<-1>() | cells.template shifted<1>();
    return three | three.above() | three.below();
}

// The bits of a number per cell.
template <class Plane>
struct Number {
    Plane bit[4];
};

// Add up the 3x3 square around each cell.
template <class Plane>
[[gnu::always_inline]] inline Number<Plane> add_nine(Plane cells) {
    const Plane left = cells.template shifted<-1>(), right = cells.template shifted<1>();
    const Plane low = left ^ cells ^ right, high = majority(left, cells, right);
    const Plane carry = majority(low.above(), low, low.below());
    const Plane twos = high.above() ^ high ^ high.below(), fours = majority(high.above(), high, high.below());
    const Plane both = twos & carry;
    return {{low.above() ^ low ^ low.below(), twos ^ carry, fours ^ both, fours & both}};
}

template <class Plane>
Plane differ(const Number<Plane>& a, const Number<Plane>& b) {
    return (a.bit[0] ^ b.bit[0]) | (a.bit[1] ^ b.bit[1]) | (a.bit[2] ^ b.bit[2]) | (a.bit[3] ^ b.bit[3]);
}

// Where a number is 1, 2 and 3.
template <class Plane>
struct Small {
    Plane one, two, three;

    Small below() const { return {one.below(), two.below(), three.below()}; }
};

// Compute where a - b is small.
template <class Plane>
[[gnu::always_inline]] inline Small<Plane> difference(const Number<Plane>& a, const Number<Plane>& b, Plane where) {
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
template <int kDown, int kRight, class Plane>
Plane moved(Plane cells) {
    Plane out = cells.template shifted<-kRight>();
    for (int i = 0; i < kDown; ++i) out = out.above();
    for (int i = 0; i > kDown; --i) out = out.below();
    return out;
}

constexpr bool adjacent(int rows, int cols) { return rows >= -1 && rows <= 1 && cols >= -1 && cols <= 1; }

// Add the cells that touch only one of two clues: A, and B that is kDown below and kRight to the right of it. Visits
// the neighbours of each, from (kRow, kCol) on.
template <int kDown, int kRight, int kRow = -1, int kCol = -1, class Plane>
void add_deductions(Plane a, Plane& only_a, Plane& only_b) {
    if constexpr (!adjacent(kRow - kDown, kCol - kRight)) only_a = only_a | moved<kRow, kCol>(a);
    if constexpr (!adjacent(kRow + kDown, kCol + kRight)) only_b = only_b | moved<kRow + kDown, kCol + kRight>(a);
    if constexpr (kCol < 1) {
        add_deductions<kDown, kRight, kRow, kCol + 1>(a, only_a, only_b);
    } else if constexpr (kRow < 1) {
        add_deductions<kDown, kRight, kRow + 1, -1>(a, only_a, only_b);
    }
}

template <class Plane>
class RegisterBoard final : public BitBoard {
  public:
    using Row = typename Plane::Row;
    using Rows = typename Plane::Rows;

    void load(const Puzzle& puzzle) override {
        rows_ = puzzle.rows;
        const auto row = static_cast<Row>(~std::uint64_t{0} >> (64 - puzzle.cols));
        Rows mines{}, inside{}, click{};
        for (int r = 0; r < rows_; ++r) {
            mines[r] = static_cast<Row>(pack_bits(puzzle.mine.data() + r * puzzle.cols, puzzle.cols));
            inside[r] = row;
        }
        click[puzzle.click / puzzle.cols] = Row{1} << puzzle.click % puzzle.cols;
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
        Rows cells{};
        cells[row] = Row{1} << col;
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
            const Number<Plane> mines = add_nine(inside_.without(open | unknown));
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
        const Small<Plane> need = pairs.need.below(), slack = pairs.slack.below();
        find_pairs<1, -2>(pairs, need, slack);
        find_pairs<1, -1>(pairs, need, slack);
        find_pairs<1, 0>(pairs, need, slack);
        find_pairs<1, 1>(pairs, need, slack);
        find_pairs<1, 2>(pairs, need, slack);
        const Small<Plane> need_two_below = need.below(), slack_two_below = slack.below();
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
        Rows open, unknown;
        open_.store(open);
        unknown_.store(unknown);
        seen.open[0] = seen.unknown[0] = seen.open[rows_ + 1] = seen.unknown[rows_ + 1] = 0;
        for (int r = 0; r < rows_; ++r) {
            seen.open[r + 1] = open[r];
            seen.unknown[r + 1] = unknown[r];
        }
    }

    void restore(const Snapshot& seen) override {
        Rows open{}, unknown{};
        for (int r = 0; r < rows_; ++r) {
            open[r] = static_cast<Row>(seen.open[r + 1]);
            unknown[r] = static_cast<Row>(seen.unknown[r + 1]);
        }
        open_ = Plane::load(open);
        unknown_ = Plane::load(unknown);
        changed_ = pairs_changed_ = false;
    }

  private:
    struct Pairs {
        Small<Plane> need, slack;  // clues that need 1 to 3 mines, and clues with 1 to 3 safe cells
        Plane above, below;        // the unknown cells, moved
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

    // The pairs of `WordBoard::find_pairs`. `need` and `slack` show the row of B, kDown rows below.
    template <int kDown, int kRight>
    void find_pairs(const Pairs& pairs, const Small<Plane>& need, const Small<Plane>& slack) {
        // Where A and B share two, three and four unknown cells.
        Plane two, three = Plane::none(), four = Plane::none();
        if constexpr (kDown + kRight == 1 && kDown * kRight == 0) {
            const Plane w = kDown == 0 ? pairs.above : unknown_.template shifted<-1>();
            const Plane x = kDown == 0 ? pairs.above.template shifted<1>() : unknown_.template shifted<1>();
            const Plane y = kDown == 0 ? pairs.below : pairs.below.template shifted<-1>();
            const Plane z = pairs.below.template shifted<1>();
            const Plane p0 = w ^ x, p1 = w & x, q0 = y ^ z, q1 = y & z;
            two = (p0 & q0) | p1.without(q0 | q1) | q1.without(p0 | p1);
            three = (p1 & q0) | (p0 & q1);
            four = p1 & q1;
        } else if constexpr (kDown * kRight == 0) {
            const Plane x = kDown == 0 ? pairs.above.template shifted<1>() : pairs.below.template shifted<-1>();
            const Plane y = kDown == 0 ? unknown_.template shifted<1>() : pairs.below;
            const Plane z = pairs.below.template shifted<1>();
            three = x & y & z;
            two = majority(x, y, z).without(three);
        } else if constexpr (kDown == 2) {
            two = pairs.below & pairs.below.template shifted<kRight>();
        } else if constexpr (kRight == 2 || kRight == -2) {
            two = unknown_.template shifted<kRight / 2>() & pairs.below.template shifted<kRight / 2>();
        } else {
            two = unknown_.template shifted<kRight>() & pairs.below;
        }
        const Small<Plane>&n = pairs.need, &s = pairs.slack;
        const Plane bn1 = need.one.template shifted<kRight>(), bn2 = need.two.template shifted<kRight>();
        const Plane bs1 = slack.one.template shifted<kRight>(), bs2 = slack.two.template shifted<kRight>();
        Plane forward = two & n.one & bs1, backward = two & s.one & bn1;
        if constexpr (kDown * kRight == 0) {
            forward = forward | (three & ((n.one & bs2) | (n.two & bs1)));
            backward = backward | (three & ((s.one & bn2) | (s.two & bn1)));
        }
        if constexpr (kDown + kRight == 1 && kDown * kRight == 0) {
            const Plane bn3 = need.three.template shifted<kRight>(), bs3 = slack.three.template shifted<kRight>();
            forward = forward | (four & ((n.one & bs3) | (n.two & bs2) | (n.three & bs1)));
            backward = backward | (four & ((s.one & bn3) | (s.two & bn2) | (s.three & bn1)));
        }
        if (forward.any()) add_deductions<kDown, kRight>(forward, safe_, mined_);
        if (backward.any()) add_deductions<kDown, kRight>(backward, mined_, safe_);
    }

    int rows_ = 0;
    Number<Plane> clue_;
    Plane mines_, inside_, zero_;
    Plane open_, unknown_, first_;
    Plane safe_, mined_;          // cells decided by pairs of clues
    bool changed_ = false;        // whether some cell changed since tier 1
    bool pairs_changed_ = false;  // whether some cell changed since tier 2
};

BitBoard* make_board(int rows, int cols) {
    if (rows <= 16 && cols <= 16) return new RegisterBoard<Plane<std::uint16_t, 1>>;
    if (rows <= 16 && cols <= 32) return new RegisterBoard<Plane<std::uint32_t, 2>>;
    if (cols <= 16) return new WordBoard<std::uint16_t>;
    if (cols <= 32) return new WordBoard<std::uint32_t>;
    return new WordBoard<std::uint64_t>;
}

}  // namespace
}  // namespace mines

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace mines {

std::unique_ptr<BitBoard> new_avx2_board(int rows, int cols) {
    return std::unique_ptr<BitBoard>(__builtin_cpu_supports("avx2") ? make_board(rows, cols) : nullptr);
}

}  // namespace mines

#else

namespace mines {

std::unique_ptr<BitBoard> new_avx2_board(int, int) { return nullptr; }

}  // namespace mines

#endif
