// What the community measures boards by: 3BV, openings, islands and ZiNi.
#pragma once

#include <cstdint>
#include <vector>

namespace mines {

struct Metrics {
    int bbbv = 0;
    int openings = 0;
    int islands = 0;
    int greedy_zini = 0;
    int human_zini = 0;
};

// Measures boards; keep one for many boards of a size. player/metrics.py says what the numbers mean.
class Measure {
  public:
    // `mine` has one byte for each cell, row by row.
    Metrics board(int rows, int cols, const std::uint8_t* mine);

    // Count the cells that a click on this safe cell of the board last measured opens.
    int first_opening(int click);

  private:
    void lay_out(int rows, int cols, const std::uint8_t* mine);
    int place(int number) const { return (number % cols_ + 1) * stride_ + number / cols_ + 1; }
    void find_openings();
    int count_islands();
    void sum_squares(const std::vector<std::uint8_t>& marks, std::vector<std::uint8_t>& sums);
    void find_premiums();
    int zini(bool human);
    int best_cell() const;
    void begin(bool human);
    void open(int cell);
    void reveal(int cell);
    void solve_around(int cell);

    int rows_ = 0, cols_ = 0, stride_ = 0;
    int steps_[9] = {};                  // to the cells of a square, itself included
    std::vector<std::uint8_t> mine_;     // columns one after another, with a border, as all below
    std::vector<std::uint8_t> inside_;
    std::vector<std::uint8_t> clue_;     // also of mines
    std::vector<std::uint8_t> lonely_;   // safe cells in no opening
    std::vector<int> opening_, other_;   // up to two openings a cell is part of, from 1
    std::vector<int> first_, cells_;     // the cells of each opening
    std::vector<int> fill_;
    std::vector<std::uint8_t> left_, threes_;

    std::vector<std::int16_t> first_premium_;
    int safe_ = 0;  // cells
    std::vector<std::int16_t> premium_;  // while solving
    std::vector<std::uint8_t> open_, flagged_;
    int closed_ = 0;
    int clicks_ = 0;
    int wait_ = 0;  // keeps closed cells from being chosen
};

}  // namespace mines
