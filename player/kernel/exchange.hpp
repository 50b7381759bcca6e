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
    // is tried.
    bool exists(const Puzzle& puzzle);

    // Every exchange of one of the known shapes.
    std::vector<Exchange> all(const Puzzle& puzzle);

  private:
    using Place = std::pair<int, int>;  // row and column, from the corner of the window

    struct Shape {
        std::vector<Place> first;  // cells that are all mines while the second are all safe, or the other way round
        std::vector<Place> second;
        std::vector<Place> solid;  // cells whose clue would change: must be mines or off the board
    };

    // A board as row masks, shifted by every column of a window.
    class Plane {
      public:
        void lay_out(int rows);
        std::uint64_t& row(int number, int shift) { return words_[at(number, shift)]; }
        const std::uint64_t& row(int number, int shift) const { return words_[at(number, shift)]; }

      private:
        std::size_t at(int number, int shift) const {
            return static_cast<std::size_t>(shift) * rows_ + static_cast<std::size_t>(number);
        }

        std::size_t rows_ = 0;
        std::vector<std::uint64_t> words_;
    };

    static std::vector<Shape> make_shapes();
    static const std::vector<Shape>& shapes();
    static std::size_t frequent();
    void load(const Puzzle& puzzle, int from);
    static const std::uint64_t* row_of(const Plane& plane, const Place& place, int row);
    template <class Found>
    bool look(const Puzzle& puzzle, std::size_t most, Found found);

    template <class Found>
    bool fill(const Shape& shape, int row, int from, std::uint64_t corners, Found found);

    Plane mine_, free_, solid_;
};

}  // namespace mines
