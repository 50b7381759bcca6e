// Compares numbers of two words with the compiler's own of 128 bits, on words with few and many bits.
#define MINES_TWO_WORDS
#include "bits.hpp"

#include <cstdio>
#include <random>

using Real = unsigned __int128;
using mines::TwoWords;

Real real(TwoWords x) { return static_cast<Real>(x.high) << 64 | x.low; }

int main() {
    std::mt19937_64 random(7);
    for (int i = 0; i < 100000; ++i) {
        const auto word = [&] { return i % 2 ? random() : random() >> random() % 64; };
        const TwoWords a{word(), word()}, b{word(), word()};
        const unsigned times = static_cast<unsigned>(word());
        const int by = static_cast<int>(random() % 128);
        const bool same = real(a + b) == real(a) + real(b) && real(a - b) == real(a) - real(b) && real(a << by) == real(a) << by &&
                          real(a >> by) == real(a) >> by && real(a & b) == (real(a) & real(b)) && real(a | b) == (real(a) | real(b)) &&
                          real(a * times) == real(a) * times && real(~a) == ~real(a) && (a == b) == (real(a) == real(b)) &&
                          real(mines::wide_product(a.low, b.low)) == static_cast<Real>(a.low) * b.low;
        if (!same) return std::puts("not the same"), 1;
    }
    return 0;
}
