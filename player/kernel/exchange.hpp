// Exchanges: mines and safe cells that can trade places unnoticed, so that no logic ever tells them apart.
//
// An exchange replaces some mines of a board by as many safe cells in a small window, such that no clue of any cell
// that is safe both before and after changes, and the first click stays safe. Whatever is opened without a guess is
// safe in both layouts and looks the same in both, so the cells that differ are never opened: the puzzle is not
// solvable.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sampling.hpp"

namespace mines {

struct Exchange {
    std::vector<int> mines;  // cell numbers: mines before, safe after
    std::vector<int> safe;   // safe before, mines after
};

class ExchangeFinder {
  public:
    // Whether a puzzle has an exchange of one of the most frequent shapes, those that are worth looking for before logic
    // is tried. Of boards that rarely have one, as the first that it was asked about tell, it is not looked for.
    bool rules_out(const Puzzle& puzzle);

    // Every exchange of one of the known shapes.
    std::vector<Exchange> all(const Puzzle& puzzle);

  private:
    using Place = std::pair<int, int>;  // row and column, from the corner of the window

    struct Shape {
        std::vector<Place> first;  // cells that are all mines while the second are all safe, or the other way round
        std::vector<Place> second;
        std::vector<Place> solid;  // cells whose clue would change: must be mines or off the board
    };

    // Row masks of a part of a board, shifted by every column of a window.
    template <class Word>
    class Plane {
      public:
        // Make room for a board of so many rows.
        void lay_out(int rows);
        // Rows from this one on in which bit k shows column `col` of the window whose corner is bit k.
        Word* from(int row, int col) { return words_.data() + at(row, col); }
        const Word* from(int row, int col) const { return words_.data() + at(row, col); }

      private:
        std::size_t at(int row, int col) const;

        int shown_ = 0;         // rows of the board
        std::size_t rows_ = 0;  // and the border
        std::vector<Word> words_;
    };

    // Strips of a board of as many columns as a word has bits; several of wide boards. Short words are quicker.
    template <class Word>
    class Strips {
      public:
        // Tell `found` of all exchanges of the first `most` shapes, until it returns true.
        template <class Found>
        bool look(const Puzzle& puzzle, std::size_t most, Found found);

      private:
        void load(const Puzzle& puzzle, int from);
        template <class Found>
        bool fill(const Shape& shape, int row, int from, Word corners, Found found) const;

        Plane<Word> mine_, safe_, free_;  // free cells are safe, and not the first click
    };

    static std::vector<Shape> make_shapes();
    static const std::vector<Shape>& shapes();
    static std::size_t frequent();
    template <class Found>
    bool look(const Puzzle& puzzle, std::size_t most, Found found);

    std::int64_t looked_ = 0;
    std::int64_t found_ = 0;
    Strips<std::uint16_t> narrow_;
    Strips<std::uint32_t> middle_;
    Strips<std::uint64_t> wide_;
};

}  // namespace mines
