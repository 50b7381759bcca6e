// The remaining layouts of a game, when they are few, and the clues of each cell in each of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/field.hpp"

namespace mines {

// Counters for 64 bit positions: bit b of plane k is bit k of the number of words with bit b set.
class BitTally {
  public:
    void add(std::uint64_t word) { carry(word, 0); }
    void add_eight(const std::array<std::uint64_t, 8>& words);

    // The bits set in some word.
    std::uint64_t any() const;
    // The lowest count among these bits.
    int least(std::uint64_t bits) const;
    int of(int bit) const;

  private:
    void carry(std::uint64_t word, std::size_t to) {
        for (; word != 0; ++to) {
            const std::uint64_t carried = planes_[to] & word;
            planes_[to] ^= word;
            word = carried;
        }
    }

    std::array<std::uint64_t, 16> planes_{};
};

class Layouts {
  public:
    using Id = std::uint16_t;
    static constexpr int kClues = 9;
    static constexpr int kMine = kClues;  // the value of a mine; other cells have their clue, 0 to 8

    // Which of 64 cells show a clue in some layout, one bit each.
    struct Shown {
        std::array<std::uint64_t, kClues> clues{};
        std::uint64_t mines = 0;
        std::uint64_t clues_differ = 0;  // cells that show different clues in some layouts
        std::uint64_t various = 0;       // these, and cells that are mines in some layouts only
    };

    // Start with these unknown cells. Their clues must not depend on any other unknown cell.
    void begin(const Field& field, const std::vector<Index>& cells);
    // Add a layout: one byte for each cell, 1 for a mine. At most 65535 distinct layouts.
    void add(const std::uint8_t* mines);
    // Prepare the queries below, after the last layout.
    void finish();

    std::size_t count() const { return count_; }
    std::size_t cells() const { return cells_.size(); }
    Index cell(std::size_t number) const { return cells_[number]; }
    std::uint64_t mines(std::size_t layout) const { return mines_[layout * words_]; }  // of the first 64 cells
    // A random word for each layout; the hash of a set is the sum.
    std::uint64_t hash(Id id) const { return hashes_[id]; }
    // The value of a cell in each layout.
    const std::uint8_t* shown(int cell) const { return shown_.data() + static_cast<std::size_t>(cell) * count_; }

    // Sets of cells consist of 64-bit words.
    std::size_t words() const { return words_; }
    Shown shown_in(const Id* ids, int count, std::size_t word) const;
    // The same for a subset: bit i belongs to `ids[i]`.
    Shown shown_in(const Id* ids, std::uint64_t set, std::size_t word) const;
    BitTally mines_in(const Id* ids, int count, std::size_t word) const;

    // Whether some cell is safe in both layouts and shows different clues.
    bool distinguishable(Id a, Id b) const;

  private:
    using Values = std::array<std::uint64_t, kClues + 1>;  // the cells that have each value, one bit each

    static void add_values(const Values& values, Values& sum);
    static Shown shown_in(const Values& values);

    std::vector<Index> cells_;
    std::vector<std::uint64_t> near_;  // words_ for each cell: its neighbours among these cells, one bit each
    std::size_t words_ = 0;
    std::size_t count_ = 0;
    std::vector<std::uint64_t> hashes_;
    std::vector<std::uint8_t> shown_;   // cell by cell
    std::vector<Values> values_;        // words_ for each layout
    std::vector<std::uint64_t> mines_;  // the same for mines
    // Of the layout added last: counters of the mines next to each cell, as in BitTally.
    std::vector<std::array<std::uint64_t, 4>> near_mines_;
};

}  // namespace mines
