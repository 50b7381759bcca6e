// Boards for processors with AVX2.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/bits.hpp"
#include "base/interrupt.hpp"
#include "planes/bitboard.hpp"

#if defined(__linux__) && defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>

// Compile only the code of this file for AVX2: other processors run the inline functions of the headers, too.
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,popcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,popcnt")
#endif

#include "planes/tiled_board.hpp"

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

// Add up the 3x3 square around each cell.
template <class Plane>
[[gnu::always_inline]] inline Number<Plane> add_nine(Plane cells) {
    // Move the rows one at a time: there are few registers.
    const Plane left = cells.template shifted<-1>(), right = cells.template shifted<1>();
    const Plane low = left ^ cells ^ right, high = majority(left, cells, right);
    const Plane carry = majority(low.above(), low, low.below());
    const Plane twos = high.above() ^ high ^ high.below(), fours = majority(high.above(), high, high.below());
    const Plane both = twos & carry;
    return {{low.above() ^ low ^ low.below(), twos ^ carry, fours ^ both, fours & both}};
}

template <class Plane>
Small<Plane> below(const Small<Plane>& clues) {
    return {clues.one.below(), clues.two.below(), clues.three.below()};
}
template <class Plane>
Clues<Plane> below(const Clues<Plane>& clues) {
    return {below(clues.need), below(clues.slack)};
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

    explicit RegisterBoard(const Grid& grid) : part_(grid) {}

    void load(const Puzzle& puzzle) override {
        const auto row = static_cast<Row>(~std::uint64_t{0} >> (64 - puzzle.grid->cols));
        Rows mines{}, inside{}, click{};
        for (int r = 0; r < part_.rows; ++r) {
            mines[r] = static_cast<Row>(pack_bits(puzzle.mine.data() + r * puzzle.grid->cols, puzzle.grid->cols));
            inside[r] = row;
        }
        click[puzzle.click / puzzle.grid->cols] = Row{1} << puzzle.click % puzzle.grid->cols;
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
        const Clues<Plane> clues{difference(clue_, add_nine(mine), open_),
                                 difference(add_nine(mine | unknown_), clue_, open_)};
        const Moved unknown{unknown_.above(), unknown_, unknown_.below()};
        safe_ = mined_ = Plane::none();
        find_pairs<0, 1>(unknown, clues, clues);
        find_pairs<0, 2>(unknown, clues, clues);
        const Clues<Plane> one_below = below(clues);
        find_pairs<1, -2>(unknown, clues, one_below);
        find_pairs<1, -1>(unknown, clues, one_below);
        find_pairs<1, 0>(unknown, clues, one_below);
        find_pairs<1, 1>(unknown, clues, one_below);
        find_pairs<1, 2>(unknown, clues, one_below);
        const Clues<Plane> two_below = below(one_below);
        find_pairs<2, -1>(unknown, clues, two_below);
        find_pairs<2, 0>(unknown, clues, two_below);
        find_pairs<2, 1>(unknown, clues, two_below);
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

    void snapshot(Snapshots& seen) const override {
        Rows open, unknown;
        open_.store(open);
        unknown_.store(unknown);
        seen.resize(1);
        seen[0].part = part_;
        for (const int r : {kHalo - 1, kHalo + part_.rows}) seen[0].open[r] = seen[0].unknown[r] = 0;
        for (int r = 0; r < part_.rows; ++r) {
            seen[0].open[r + kHalo] = open[r];
            seen[0].unknown[r + kHalo] = unknown[r];
        }
    }

    void restore(const Snapshots& seen) override {
        Rows open{}, unknown{};
        for (int r = 0; r < part_.rows; ++r) {
            open[r] = static_cast<Row>(seen[0].open[r + kHalo]);
            unknown[r] = static_cast<Row>(seen[0].unknown[r + kHalo]);
        }
        open_ = Plane::load(open);
        unknown_ = Plane::load(unknown);
        changed_ = pairs_changed_ = false;
    }

  private:
    // Cells, each where the one below it, itself and the one above it are.
    struct Moved {
        Plane above, here, below;
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

    // `b` shows the row of B at A.
    template <int kDown, int kRight>
    void find_pairs(const Moved& unknown, const Clues<Plane>& a, const Clues<Plane>& b) {
        Plane forward, backward;
        find_deciding<kDown, kRight, Plane>(unknown.above, unknown.here, unknown.below, a, b, forward, backward);
        if (forward.any()) add_deductions<kDown, kRight>(forward, safe_, mined_);
        if (backward.any()) add_deductions<kDown, kRight>(backward, mined_, safe_);
    }

    const Part part_;
    Number<Plane> clue_;
    Plane mines_, inside_, zero_;
    Plane open_, unknown_, first_;
    Plane safe_, mined_;          // cells decided by pairs of clues
    bool changed_ = false;        // whether some cell changed since tier 1
    bool pairs_changed_ = false;  // whether some cell changed since tier 2
};

BitBoard* make_board(const Grid& grid) {
    if (fits_words(grid) && grid.rows <= 16) {
        if (grid.cols <= 16) return new RegisterBoard<Plane<std::uint16_t, 1>>(grid);
        if (grid.cols <= 32) return new RegisterBoard<Plane<std::uint32_t, 2>>(grid);
    }
    return new_word_board(grid);
}

}  // namespace
}  // namespace mines

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace mines {

std::unique_ptr<BitBoard> new_avx2_board(const Grid& grid) {
    return std::unique_ptr<BitBoard>(__builtin_cpu_supports("avx2") ? make_board(grid) : nullptr);
}

}  // namespace mines

#else

namespace mines {

std::unique_ptr<BitBoard> new_avx2_board(const Grid&) { return nullptr; }

}  // namespace mines

#endif
