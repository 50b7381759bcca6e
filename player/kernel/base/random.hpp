// Random words determined by (seed, stream, purpose): Philox4x64-10 (Salmon, Moraes, Dror and Shaw, "Parallel random
// numbers: as easy as 1, 2, 3", SC 2011), in the order of numpy.random.Philox.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/bits.hpp"

namespace mines {

class RandomWords {
  public:
    RandomWords(std::uint64_t seed, std::uint64_t stream, std::uint64_t purpose = 0)
        : seed_(seed), stream_(stream), purpose_(purpose) {}

    std::uint64_t next() {
        if (used_ == 4) {
            block();
            used_ = 0;
        }
        return words_[used_++];
    }

    // Return a uniform number below `bound` (Lemire, "Fast random integer generation in an interval", 2019).
    std::uint64_t below(std::uint64_t bound) {
        Wide product = wide_product(next(), bound);
        if (static_cast<std::uint64_t>(product) < bound) {
            const std::uint64_t threshold = (0 - bound) % bound;
            while (static_cast<std::uint64_t>(product) < threshold) product = wide_product(next(), bound);
        }
        return static_cast<std::uint64_t>(product >> 64);
    }

    // Choose `chosen` of `count` items uniformly and pass each to `choose` (Floyd, in Bentley's "Programming Pearls",
    // CACM 30(9), 1987). `item(i)` is the i-th one, an integer; `is_chosen` returns whether it was passed before.
    template <class Item, class IsChosen, class Choose>
    void choose_subset(int count, int chosen, Item item, IsChosen is_chosen, Choose choose) {
        for (int last = count - chosen; last < count;) {
            // One loop for each part of the work: together they need too many registers.
            std::array<int, 64> drawn;
            const int size = std::min(static_cast<int>(drawn.size()), count - last);
            for (int i = 0; i < size; ++i) drawn[i] = static_cast<int>(below(static_cast<std::uint64_t>(last + i) + 1));
            for (int i = 0; i < size; ++i) drawn[i] = item(drawn[i]);
            for (int i = 0; i < size; ++i, ++last) choose(is_chosen(drawn[i]) ? item(last) : drawn[i]);
        }
    }

  private:
    void block() {
        std::uint64_t c0 = ++counter_, c1 = stream_, c2 = purpose_, c3 = 0;
        std::uint64_t k0 = seed_, k1 = 0;
        for (int round = 0; round < 10; ++round) {
            const Wide a = wide_product(0xD2E7470EE14C6C93u, c0);
            const Wide b = wide_product(0xCA5A826395121157u, c2);
            c0 = static_cast<std::uint64_t>(b >> 64) ^ c1 ^ k0;
            c1 = static_cast<std::uint64_t>(b);
            c2 = static_cast<std::uint64_t>(a >> 64) ^ c3 ^ k1;
            c3 = static_cast<std::uint64_t>(a);
            k0 += 0x9E3779B97F4A7C15u;
            k1 += 0xBB67AE8584CAA73Bu;
        }
        words_ = {c0, c1, c2, c3};
    }

    std::uint64_t seed_;
    std::uint64_t stream_;
    std::uint64_t purpose_;
    std::uint64_t counter_ = 0;
    std::array<std::uint64_t, 4> words_{};
    int used_ = 4;
};

}  // namespace mines
