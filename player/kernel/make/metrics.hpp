// Metrics of boards: 3BV, openings, islands and ZiNi.
#pragma once

#include <cstdint>
#include <vector>

#include "base/sampling.hpp"

namespace mines {

struct Metrics {
    int bbbv = 0;
    int openings = 0;
    int islands = 0;
    int greedy_zini = 0;
    int human_zini = 0;
    int buried = 0;         // mines that touch no safe cell
    int first_opening = 0;  // cells opened by the first click of a puzzle
};

// Computes metrics; player/measure/metrics.py defines them. Its memory is reused for boards of one size.
class MetricsCalculator {
  public:
    // `mine` has one byte for each cell, row by row.
    Metrics board(int rows, int cols, const std::uint8_t* mine);
    // The same with `first_opening` of the puzzle.
    Metrics puzzle(const Puzzle& puzzle);

  private:
    int first_opening(int click);
    void load(int rows, int cols, const std::uint8_t* mine);
    void find_openings();
    int count_buried();
    void sort_cells();
    int count_islands();
    void find_premiums();
    int zini(bool human);
    int best_cell();
    void find_best_of(int block);
    void begin(bool human);
    void open(int cell);
    void reveal(int cell);
    void solve_around(int cell);
    template <class Visit>
    void for_marked(const std::vector<std::uint8_t>& marks, int cell, Visit visit) const;
    void raise(int cell, int by);

    int rows_ = 0, cols_ = 0, stride_ = 0;
    int steps_[19] = {};  // offsets of the cells of a 3x3 square, by their bits in `for_marked`
    // Per cell: columns one after another with a border, and one extra cell at the end.
    std::vector<std::uint8_t> inside_, mine_, safe_;
    std::vector<std::uint8_t> clue_;      // also at mines
    std::vector<std::uint8_t> joined_;    // number of openings that contain a safe cell, up to two
    std::vector<std::uint8_t> isolated_;  // safe cells in no opening
    std::vector<std::uint8_t> needed_;    // isolated cells and zeros, the clicks of any plan without flags
    std::vector<std::uint8_t> left_;
    std::vector<int> opening_, other_;  // the openings that contain a cell, from 1
    std::vector<int> first_, cells_;    // the cells of each opening, a zero first
    std::vector<int> fill_;
    std::vector<std::uint8_t> first_premium_;

    // State of the current plan.
    std::vector<std::uint8_t> premium_;
    std::vector<std::uint8_t> is_raised_;  // per block of cells: whether some premium was raised since `best_cell`
    std::vector<std::uint8_t> best_;       // per block of a large board not raised since: no premium is higher
    std::vector<std::uint8_t> closed_, waiting_;  // closed safe cells, and closed cells of `needed_`
    std::vector<std::uint8_t> unflagged_;         // mines
    int unopened_ = 0;                            // safe cells
    int clicks_ = 0;
    int wait_ = 0;  // subtracted from the premiums of closed cells that may not be chosen
};

}  // namespace mines
