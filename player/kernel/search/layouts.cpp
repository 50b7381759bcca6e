#include "search/layouts.hpp"

#include <algorithm>

#include "base/bits.hpp"
#include "base/random.hpp"

namespace mines {
namespace {

// Add two words to a plane and return the carry.
std::uint64_t sum(std::uint64_t& plane, std::uint64_t a, std::uint64_t b) {
    const std::uint64_t either = plane ^ a;
    const std::uint64_t carried = (plane & a) | (either & b);
    plane = either ^ b;
    return carried;
}

// Add a mine to the counters of these cells, or remove one. Bit b of plane k is bit k of the number next to cell b.
void count_mine(std::uint64_t cells, bool more, std::array<std::uint64_t, 4>& planes) {
    for (std::uint64_t& plane : planes) {
        plane ^= cells;
        cells &= more ? ~plane : plane;
    }
}

}  // namespace

void BitTally::add_eight(const std::array<std::uint64_t, 8>& words) {
    std::array<std::uint64_t, 4> twos;
    std::array<std::uint64_t, 2> fours;
    for (std::size_t i = 0; i < 4; ++i) twos[i] = sum(planes_[0], words[2 * i], words[2 * i + 1]);
    for (std::size_t i = 0; i < 2; ++i) fours[i] = sum(planes_[1], twos[2 * i], twos[2 * i + 1]);
    carry(sum(planes_[2], fours[0], fours[1]), 3);
}

std::uint64_t BitTally::any() const {
    std::uint64_t bits = 0;
    for (const std::uint64_t plane : planes_) bits |= plane;
    return bits;
}

int BitTally::least(std::uint64_t bits) const {
    int number = 0;
    for (std::size_t k = planes_.size(); k-- > 0;) {
        const std::uint64_t without = bits & ~planes_[k];
        if (without != 0) {
            bits = without;
        } else {
            number |= 1 << k;
        }
    }
    return number;
}

int BitTally::of(int bit) const {
    int number = 0;
    for (std::size_t k = 0; k < planes_.size(); ++k) number |= static_cast<int>(planes_[k] >> bit & 1) << k;
    return number;
}

void Layouts::begin(const Field& field, const std::vector<Index>& cells) {
    cells_ = cells;
    words_ = (cells.size() + 63) / 64;
    count_ = 0;
    values_.clear();
    mines_.clear();
    near_mines_.assign(words_, {});
    near_.assign(cells.size() * words_, 0);
    for (std::size_t c = 0; c < cells.size(); ++c) {
        for (const int step : field.steps(cells_[c])) {
            const auto at = std::find(cells_.begin(), cells_.end(), cells_[c] + step);
            if (at == cells_.end()) continue;
            const auto near = static_cast<std::size_t>(at - cells_.begin());
            near_[c * words_ + near / 64] |= std::uint64_t{1} << near % 64;
        }
    }
}

void Layouts::add(const std::uint8_t* mines) {
    for (std::size_t word = 0; word < words_; ++word) {
        const std::size_t first = word * 64;
        // Consecutive layouts differ in few mines.
        const std::uint64_t before = count_ == 0 ? 0 : mines_[(count_ - 1) * words_ + word];
        mines_.push_back(pack_bits(mines + first, static_cast<int>(std::min<std::size_t>(cells_.size() - first, 64))));
        for (std::uint64_t bits = mines_.back() ^ before; bits != 0; bits &= bits - 1) {
            const std::size_t c = first + static_cast<std::size_t>(lowest_bit(bits));
            for (std::size_t near = 0; near < words_; ++near)
                count_mine(near_[c * words_ + near], mines[c] != 0, near_mines_[near]);
        }
    }
    values_.resize(mines_.size());
    for (std::size_t word = 0; word < words_; ++word) {
        Values& values = values_[count_ * words_ + word];
        const auto& [ones, twos, fours, eights] = near_mines_[word];
        values[kMine] = mines_[count_ * words_ + word];
        const std::size_t left = cells_.size() - word * 64;
        const std::uint64_t safe = ~values[kMine] & (left < 64 ? (std::uint64_t{1} << left) - 1 : ~std::uint64_t{0});
        values[8] = safe & eights;
        for (unsigned v = 0; v < 8; ++v)
            values[v] = safe & ~eights & ((v & 4) != 0 ? fours : ~fours) & ((v & 2) != 0 ? twos : ~twos) &
                        ((v & 1) != 0 ? ones : ~ones);
    }
    if (count_ == hashes_.size()) hashes_.push_back(RandomWords(count_, 0).next());
    ++count_;
}

void Layouts::finish() {
    shown_.assign(cells_.size() * count_, static_cast<std::uint8_t>(kMine));
    for (std::size_t at = 0; at < values_.size(); ++at) {
        std::uint8_t* const shown = shown_.data() + at % words_ * 64 * count_ + at / words_;
        for (std::size_t v = 0; v < kClues; ++v)
            for (std::uint64_t bits = values_[at][v]; bits != 0; bits &= bits - 1)
                shown[static_cast<std::size_t>(lowest_bit(bits)) * count_] = static_cast<std::uint8_t>(v);
    }
}

void Layouts::add_values(const Values& values, Values& sum) {
    for (std::size_t v = 0; v < values.size(); ++v) sum[v] |= values[v];
}

Layouts::Shown Layouts::shown_in(const Values& values) {
    Shown shown;
    shown.mines = values[kMine];
    std::uint64_t some = 0;
    for (std::size_t v = 0; v < kClues; ++v) {
        shown.clues[v] = values[v];
        shown.clues_differ |= some & values[v];
        some |= values[v];
    }
    shown.various = shown.clues_differ | (some & shown.mines);
    return shown;
}

Layouts::Shown Layouts::shown_in(const Id* ids, int count, std::size_t word) const {
    Values sum{};
    for (int i = 0; i < count; ++i) add_values(values_[ids[i] * words_ + word], sum);
    return shown_in(sum);
}

Layouts::Shown Layouts::shown_in(const Id* ids, std::uint64_t set, std::size_t word) const {
    Values sum{};
    for (; set != 0; set &= set - 1) add_values(values_[ids[lowest_bit(set)] * words_ + word], sum);
    return shown_in(sum);
}

BitTally Layouts::mines_in(const Id* ids, int count, std::size_t word) const {
    const std::uint64_t* const mines = mines_.data() + word;
    BitTally tally;
    int i = 0;
    for (; i + 8 <= count; i += 8) {
        std::array<std::uint64_t, 8> eight;
        for (int k = 0; k < 8; ++k) eight[k] = mines[ids[i + k] * words_];
        tally.add_eight(eight);
    }
    for (; i < count; ++i) tally.add(mines[ids[i] * words_]);
    return tally;
}

bool Layouts::distinguishable(Id a, Id b) const {
    for (std::size_t word = 0; word < words_; ++word) {
        const std::size_t left = a * words_ + word;
        const std::size_t right = b * words_ + word;
        std::uint64_t shown = 0;
        for (std::size_t v = 0; v < kClues; ++v) shown |= values_[left][v] ^ values_[right][v];
        if ((shown & ~(mines_[left] | mines_[right])) != 0) return true;
    }
    return false;
}

}  // namespace mines
