// The layouts that the rest of a game may have, when they are few, and what each of its cells shows in each of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "grid.hpp"

namespace mines {

// How often each bit is set in some words, for all 64 at once: plane k has bit k of each number.
class BitTally {
  public:
    void add(std::uint64_t word) { carry(word, 0); }
    void add_eight(const std::array<std::uint64_t, 8>& words);

    // The bits that are set in some word.
    std::uint64_t any() const;
    // The smallest number of these bits.
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
    static constexpr int kMine = kClues;  // what a mine shows; other cells show their clue, 0 to 8

    // Which of 64 cells show something in some layout, one bit each.
    struct Shown {
        std::array<std::uint64_t, kClues> clues{};
        std::uint64_t mines = 0;
        std::uint64_t various = 0;  // those that do not show the same in all of them
    };

    // Start anew, on these unknown cells. Their clues must depend on no other unknown cell.
    void begin(const Grid& grid, const std::vector<Index>& cells);
    // Add a layout: one byte for each cell, 1 for a mine. No layout twice; at most 65535 of them.
    void add(const std::uint8_t* mines);
    // Get ready to be asked, when all are added.
    void finish();

    std::size_t count() const { return count_; }
    std::size_t cells() const { return cells_.size(); }
    Index cell(std::size_t number) const { return cells_[number]; }
    // A random word for each layout; a set of layouts is named by their sum.
    std::uint64_t name(Id id) const { return names_[id]; }
    // What a cell shows in each layout.
    const std::uint8_t* shown(int cell) const { return shown_.data() + static_cast<std::size_t>(cell) * count_; }

    // Sets of cells are words, of 64 cells each.
    std::size_t words() const { return words_; }
    Shown shown_in(const Id* ids, int count, std::size_t word) const;
    BitTally mines_in(const Id* ids, int count, std::size_t word) const;

    // Whether some cell that is safe in both shows which of the two it is.
    bool told_apart(Id a, Id b) const;

  private:
    std::vector<Index> cells_;
    std::vector<int> near_first_, near_;  // per cell: its neighbours among the cells
    std::size_t words_ = 0;
    std::size_t count_ = 0;
    std::vector<std::uint64_t> names_;
    std::vector<std::uint8_t> shown_;                       // cell by cell
    std::vector<std::array<std::uint64_t, kClues>> clues_;  // words_ for each layout: the cells that show each clue
    std::vector<std::uint64_t> mines_;                      // and the mines
    std::vector<std::uint8_t> near_mines_;  // of the layout added last: the number of mines next to each cell
};

}  // namespace mines
