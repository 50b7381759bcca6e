// The rules of one clue and of two clues for many cells at once. `Bits` has one bit for each cell: a row of a board as
// a machine word, or a whole board in vector registers.
//
// Every board compiles this file for its processor, so nothing has external linkage.
#pragma once

#include <type_traits>

// In calls, compilers would pass whole boards through memory.
#ifdef __GNUC__
#define MINES_INLINE [[gnu::always_inline]] inline
#else
#define MINES_INLINE inline
#endif

namespace mines {
namespace {

template <class Bits>
MINES_INLINE Bits without(Bits a, Bits b) {
    if constexpr (std::is_integral_v<Bits>)
        return static_cast<Bits>(a & ~b);
    else
        return a.without(b);
}

// Cell c of the result is the cell `kBy` columns to the right of c.
template <int kBy, class Bits>
MINES_INLINE Bits shifted(Bits cells) {
    if constexpr (!std::is_integral_v<Bits>)
        return cells.template shifted<kBy>();
    else if constexpr (kBy >= 0)
        return static_cast<Bits>(cells >> kBy);
    else
        return static_cast<Bits>(cells << -kBy);
}

template <class Bits>
MINES_INLINE Bits majority(Bits a, Bits b, Bits c) {
    return (a & b) | (c & (a | b));
}

// A number for each cell, by its bits.
template <class Bits>
struct Number {
    Bits bit[4];
};

// Compute the bits of the number of cells among three side by side.
template <class Bits>
MINES_INLINE void add_three(Bits cells, Bits& low, Bits& high) {
    const Bits left = shifted<-1, Bits>(cells), right = shifted<1, Bits>(cells);
    low = left ^ cells ^ right;
    high = majority<Bits>(left, cells, right);
}

// Add up the numbers of three adjacent rows: the cells of the 3x3 square around each cell.
template <class Bits>
MINES_INLINE Number<Bits> add_nine(Bits low_above, Bits low, Bits low_below, Bits high_above, Bits high,
                                   Bits high_below) {
    const Bits carry = majority<Bits>(low_above, low, low_below);
    const Bits twos = high_above ^ high ^ high_below;
    const Bits fours = majority<Bits>(high_above, high, high_below);
    const Bits both = twos & carry;
    const Bits ones = low_above ^ low ^ low_below, second = twos ^ carry, third = fours ^ both, fourth = fours & both;
    return {{ones, second, third, fourth}};
}

// Where two numbers differ. A clue decides its cells alone where it equals the number of closed cells around it, which
// are mines, or that of known mines, and the other cells are safe.
template <class Bits>
MINES_INLINE Bits differ(const Number<Bits>& a, const Number<Bits>& b) {
    return (a.bit[0] ^ b.bit[0]) | (a.bit[1] ^ b.bit[1]) | (a.bit[2] ^ b.bit[2]) | (a.bit[3] ^ b.bit[3]);
}

// Where a number is 1, 2 and 3.
template <class Bits>
struct Small {
    Bits one, two, three;
};

// Compute where a - b is small.
template <class Bits>
MINES_INLINE Small<Bits> difference(const Number<Bits>& a, const Number<Bits>& b, Bits where) {
    const Bits d0 = a.bit[0] ^ b.bit[0];
    Bits borrow = without<Bits>(b.bit[0], a.bit[0]);
    const auto next = [&](int i) -> Bits {
        const Bits digit = a.bit[i] ^ b.bit[i] ^ borrow;
        borrow = (b.bit[i] & borrow) | without<Bits>(b.bit[i] | borrow, a.bit[i]);
        return digit;
    };
    const Bits d1 = next(1), d2 = next(2), d3 = next(3);
    const Bits small = without<Bits>(where, d2 | d3);
    const Bits odd = small & d0;
    return {without<Bits>(odd, d1), without<Bits>(small & d1, d0), Bits(odd & d1)};
}

// The mines that clues need, and the safe cells that they have, beyond those known.
template <class Bits>
struct Clues {
    Small<Bits> need, slack;
};

// Find the pairs of clues that decide cells, when no single clue does. Clue B is `kDown` rows below clue A and `kRight`
// columns to its right. `above`, `here` and `below` are the unknown cells in the row above A, in its row and in the row
// below; `b` is in the row of B.
//
// Clue A needs at least one mine and clue B has at least one safe cell. If these numbers add up to the number of
// unknown cells that both touch, the shared cells contain all of them: the other cells of A are safe and the other
// cells of B are mines. `forward` is where this holds, at A, and `backward` where it holds with A and B exchanged.
// Clues that share fewer than two cells decide nothing.
template <int kDown, int kRight, class Bits>
MINES_INLINE void find_deciding(const Bits& above, const Bits& here, const Bits& below, const Clues<Bits>& a,
                                const Clues<Bits>& b, Bits& forward, Bits& backward) {
    constexpr bool kAdjacent = kDown + kRight == 1 && kDown * kRight == 0;
    constexpr bool kSameLine = kDown * kRight == 0;
    // Where both touch two, three and four unknown cells.
    Bits two = here, three = here, four = here;
    if constexpr (kAdjacent) {
        const Bits w = kDown == 0 ? above : shifted<-1, Bits>(here);
        const Bits x = kDown == 0 ? shifted<1, Bits>(above) : shifted<1, Bits>(here);
        const Bits y = kDown == 0 ? below : shifted<-1, Bits>(below);
        const Bits z = shifted<1, Bits>(below);
        const Bits p0 = w ^ x, p1 = w & x, q0 = y ^ z, q1 = y & z;
        two = (p0 & q0) | without<Bits>(p1, q0 | q1) | without<Bits>(q1, p0 | p1);
        three = (p1 & q0) | (p0 & q1);
        four = p1 & q1;
    } else if constexpr (kSameLine) {
        const Bits x = kDown == 0 ? shifted<1, Bits>(above) : shifted<-1, Bits>(below);
        const Bits y = kDown == 0 ? shifted<1, Bits>(here) : below;
        const Bits z = shifted<1, Bits>(below);
        three = x & y & z;
        two = without<Bits>(majority<Bits>(x, y, z), three);
    } else if constexpr (kDown == 2) {
        two = below & shifted<kRight, Bits>(below);
    } else if constexpr (kRight == 2 || kRight == -2) {
        two = shifted<kRight / 2, Bits>(here) & shifted<kRight / 2, Bits>(below);
    } else {
        two = shifted<kRight, Bits>(here) & below;
    }
    const auto moved = [](const Bits& bits) -> Bits { return shifted<kRight, Bits>(bits); };
    const Bits need1 = moved(b.need.one), need2 = moved(b.need.two);
    const Bits slack1 = moved(b.slack.one), slack2 = moved(b.slack.two);
    forward = two & a.need.one & slack1;
    backward = two & a.slack.one & need1;
    if constexpr (kSameLine) {
        forward = forward | (three & ((a.need.one & slack2) | (a.need.two & slack1)));
        backward = backward | (three & ((a.slack.one & need2) | (a.slack.two & need1)));
    }
    if constexpr (kAdjacent) {
        const Bits need3 = moved(b.need.three), slack3 = moved(b.slack.three);
        forward = forward | (four & ((a.need.one & slack3) | (a.need.two & slack2) | (a.need.three & slack1)));
        backward = backward | (four & ((a.slack.one & need3) | (a.slack.two & need2) | (a.slack.three & need1)));
    }
}

}  // namespace
}  // namespace mines
