// Bit counting, and 128-bit numbers for compilers without them.
#pragma once

#include <cstdint>

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#define MINES_MSVC 1
#endif

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace mines {

// Return the index of the lowest set bit. The word must not be 0.
inline int lowest_bit(std::uint32_t word) {
#ifdef MINES_MSVC
    unsigned long at;
    _BitScanForward(&at, word);
    return static_cast<int>(at);
#else
    return __builtin_ctz(word);
#endif
}

inline int lowest_bit(std::uint16_t word) { return lowest_bit(std::uint32_t{word}); }

inline int lowest_bit(std::uint64_t word) {
#ifdef MINES_MSVC
    unsigned long at;
    _BitScanForward64(&at, word);
    return static_cast<int>(at);
#else
    return __builtin_ctzll(word);
#endif
}

inline int count_bits(std::uint64_t word) {
#if defined(MINES_MSVC) || (defined(__x86_64__) && !defined(__POPCNT__))
    // Avoid the popcnt instruction, which not every processor has: without it, compilers call a function.
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return static_cast<int>(word * 0x0101010101010101u >> 56);
#else
    return __builtin_popcountll(word);
#endif
}

// Pack eight bytes of 0 or 1 into bits, the first one lowest or highest: the multiplication gathers their bits in the
// top byte. The bytes are combined explicitly because compilers turn that into one load on little-endian processors.
template <bool first_lowest = true>
std::uint64_t pack_eight(const std::uint8_t* c) {
    const std::uint64_t low = c[0] | std::uint32_t{c[1]} << 8 | std::uint32_t{c[2]} << 16 | std::uint32_t{c[3]} << 24;
    const std::uint64_t high = c[4] | std::uint32_t{c[5]} << 8 | std::uint32_t{c[6]} << 16 | std::uint32_t{c[7]} << 24;
    return (low | high << 32) * (first_lowest ? 0x0102040810204080u : 0x8040201008040201u) >> 56;
}

// Pack up to 64 bytes of 0 or 1 into bits, the first one lowest.
inline std::uint64_t pack_bits(const std::uint8_t* cells, int count) {
    const auto eight = [cells](int from) { return pack_eight(cells + from) << from; };
    std::uint64_t bits = 0;
    int from = 0;
#ifdef __SSE2__
    const auto sixteen = [cells](int at) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(cells + at));
        return static_cast<std::uint64_t>(_mm_movemask_epi8(_mm_slli_epi16(bytes, 7))) << at;
    };
    for (; from + 16 <= count; from += 16) bits |= sixteen(from);
    if (from > 0 && from < count) return bits | sixteen(count - 16);
#endif
    for (; from + 8 <= count; from += 8) bits |= eight(from);
    if (from > 0 && from < count) return bits | eight(count - 8);
    for (; from < count; ++from) bits |= std::uint64_t{cells[from]} << from;
    return bits;
}

// The operations of an unsigned 128-bit number that the kernel needs.
struct TwoWords {
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    constexpr TwoWords() = default;
    constexpr TwoWords(std::uint64_t word) : low(word) {}
    constexpr TwoWords(std::uint64_t low_word, std::uint64_t high_word) : low(low_word), high(high_word) {}
    explicit constexpr operator std::uint64_t() const { return low; }
    explicit constexpr operator int() const { return static_cast<int>(low); }
};

constexpr bool operator==(TwoWords a, TwoWords b) { return a.low == b.low && a.high == b.high; }
constexpr TwoWords operator~(TwoWords a) { return {~a.low, ~a.high}; }
constexpr TwoWords operator&(TwoWords a, TwoWords b) { return {a.low & b.low, a.high & b.high}; }
constexpr TwoWords operator|(TwoWords a, TwoWords b) { return {a.low | b.low, a.high | b.high}; }
constexpr TwoWords operator<<(TwoWords a, int by) {
    if (by == 0) return a;
    if (by >= 64) return {0, a.low << (by - 64)};
    return {a.low << by, a.high << by | a.low >> (64 - by)};
}
constexpr TwoWords operator>>(TwoWords a, int by) {
    if (by == 0) return a;
    if (by >= 64) return {a.high >> (by - 64), 0};
    return {a.low >> by | a.high << (64 - by), a.high >> by};
}
constexpr TwoWords operator-(TwoWords a, TwoWords b) { return {a.low - b.low, a.high - b.high - (a.low < b.low)}; }
constexpr TwoWords operator*(TwoWords a, unsigned times) {
    const std::uint64_t half = 0xffffffffu;
    const std::uint64_t middle = (a.low >> 32) * times + ((a.low & half) * times >> 32);
    return {a.low * times, a.high * times + (middle >> 32)};
}
constexpr TwoWords& operator|=(TwoWords& a, TwoWords b) { return a = a | b; }
constexpr TwoWords& operator-=(TwoWords& a, TwoWords b) { return a = a - b; }

// Multiply two words by schoolbook multiplication of their halves.
constexpr TwoWords product_in_halves(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t half = 0xffffffffu;
    const std::uint64_t low = (a & half) * (b & half);
    const std::uint64_t left = (a >> 32) * (b & half) + (low >> 32);
    const std::uint64_t right = (a & half) * (b >> 32) + (left & half);
    return {a * b, (a >> 32) * (b >> 32) + (left >> 32) + (right >> 32)};
}

#if defined(__SIZEOF_INT128__) && !defined(MINES_TWO_WORDS)
using Wide = unsigned __int128;

inline Wide wide_product(std::uint64_t a, std::uint64_t b) { return static_cast<Wide>(a) * b; }
#else
using Wide = TwoWords;

inline Wide wide_product(std::uint64_t a, std::uint64_t b) {
#if defined(MINES_MSVC) && defined(_M_X64)
    Wide product;
    product.low = _umul128(a, b, &product.high);
    return product;
#elif defined(MINES_MSVC) && defined(_M_ARM64)
    return {a * b, __umulh(a, b)};
#else
    return product_in_halves(a, b);
#endif
}
#endif

}  // namespace mines
