// What the community measures boards by: 3BV, openings, islands and ZiNi.
#pragma once

#include <cstdint>
#include <vector>

#include "sampling.hpp"

namespace mines {

struct Metrics {
    int bbbv = 0;
    int openings = 0;
    int islands = 0;
    int greedy_zini = 0;
    int human_zini = 0;
    int first_opening = 0;  // cells opened by the first click of a puzzle
};

// Measures boards; keep one for many boards of a size. player/metrics.py says what the numbers mean.
class Measure {
  public:
    // `mine` has one byte for each cell, row by row.
    Metrics board(int rows, int cols, const std::uint8_t* mine);
    // The same with `first_opening`.
    Metrics puzzle(const Puzzle& puzzle);

  private:
    int first_opening(int click);
    void lay_out(int rows, int cols, const std::uint8_t* mine);
    void find_openings();
    void sort_cells();
    int count_islands();
    void sum_squares(const std::vector<std::uint8_t>& marks, std::vector<std::uint8_t>& sums);
    void find_premiums();
    int zini(bool human);
    int best_cell() const;
    void begin(bool human);
    void open(int cell);
    void reveal(int cell);
    void solve_around(int cell);
    template <class Visit>
    void for_marked(const std::vector<std::uint8_t>& marks, int cell, Visit visit) const;
    void raise(int cell, int by);

    int rows_ = 0, cols_ = 0, stride_ = 0;
    int steps_[19] = {};  // to the cells of a square, by their bits in `for_marked`
    // By cells: columns one after another, with a border, and a cell after the last that makes reading simpler.
    std::vector<std::uint8_t> inside_, mine_, safe_;
    std::vector<std::uint8_t> clue_;    // also of mines
    std::vector<std::uint8_t> joined_;  // how many openings a safe cell is part of, up to two
    std::vector<std::uint8_t> lonely_;  // safe cells in no opening
    std::vector<std::uint8_t> needed_;  // lonely cells and zeros, the clicks of any plan without a flag
    std::vector<std::uint8_t> left_, threes_;
    std::vector<int> opening_, other_;  // the openings a cell is part of, from 1
    std::vector<int> first_, cells_;    // the cells of each opening, a zero first
    std::vector<int> fill_;
    std::vector<std::uint8_t> first_premium_;

    // While a plan is made.
    std::vector<std::uint8_t> premium_;
    std::vector<std::uint8_t> closed_, waiting_;  // safe cells, and `needed_` cells, that are not open
    std::vector<std::uint8_t> unflagged_;         // mines
    int unopened_ = 0;                            // safe cells
    int clicks_ = 0;
    int wait_ = 0;  // keeps closed cells from being chosen
};

}  // namespace mines
