// Mine swaps: mines and safe cells that logic can never distinguish.
//
// A swap replaces some mines of a board by as many safe cells in a small window, such that the first click stays safe
// and no clue of a cell that is safe before and after changes. Every cell opened without a guess is safe in both
// layouts and shows the same clue, so the cells that differ are never opened: the puzzle is not solvable.
//
// The shapes known here are those of rectangles. On other grids, no swap is found.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/sampling.hpp"

namespace mines {

struct MineSwap {
    std::vector<int> mines;  // cell numbers: mines before, safe after
    std::vector<int> safe;   // safe before, mines after
};

// The cells of a mine swap in a small window, as (row, column) relative to a corner.
struct SwapShape {
    using Place = std::pair<int, int>;

    std::vector<Place> first;  // all mines while the second are all safe, or the reverse
    std::vector<Place> second;
    std::vector<Place> solid;  // cells whose clue would change: they must be mines or off the board
};

// All shapes, most frequent first.
const std::vector<SwapShape>& swap_shapes();

// The number of shapes at the front of `swap_shapes` that cause most unsolvable puzzles.
std::size_t frequent_swap_shapes();

class MineSwapFinder {
  public:
    // Return whether the puzzle has a swap of one of the most frequent shapes. The search stops paying on boards that
    // rarely have one; it is skipped then, and false returned.
    bool has_frequent_swap(const Puzzle& puzzle);

    // Return every swap of one of the known shapes.
    std::vector<MineSwap> all(const Puzzle& puzzle);

  private:
    // Row masks of a part of a board, shifted by every column of a window.
    template <class Word>
    class Plane {
      public:
        // Allocate for a board with this number of rows.
        void resize(int rows);
        // Rows from this one on; bit k shows column `col` of the window whose corner is bit k.
        Word* from(int row, int col) { return words_.data() + at(row, col); }
        const Word* from(int row, int col) const { return words_.data() + at(row, col); }

      private:
        std::size_t at(int row, int col) const;

        int shown_ = 0;         // rows of the board
        std::size_t rows_ = 0;  // including the border
        std::vector<Word> words_;
    };

    // Strips of a board as wide as a word; wide boards have several. Vector instructions process more short words at
    // once.
    template <class Word>
    class Strips {
      public:
        // Pass all swaps of the first `most` shapes to `found`, until it returns true.
        template <class Found>
        bool search(const Puzzle& puzzle, std::size_t most, Found found);

      private:
        void load(const Puzzle& puzzle, int from);
        template <class Found>
        bool match(const SwapShape& shape, int row, int from, Word corners, Found found) const;

        Plane<Word> mine_, safe_, free_;  // free cells are safe and not the first click
    };

    template <class Found>
    bool search(const Puzzle& puzzle, std::size_t most, Found found);

    std::int64_t searched_ = 0;
    std::int64_t found_ = 0;
    Strips<std::uint16_t> narrow_;
    Strips<std::uint32_t> middle_;
    Strips<std::uint64_t> wide_;
};

}  // namespace mines
