// Metrics of boards: 3BV, openings, islands and ZiNi.
#pragma once

#include <cstdint>
#include <utility>
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

// Their names in Python.
inline constexpr std::pair<const char*, int Metrics::*> kMetrics[] = {
    {"bbbv", &Metrics::bbbv},
    {"openings", &Metrics::openings},
    {"islands", &Metrics::islands},
    {"greedy_zini", &Metrics::greedy_zini},
    {"human_zini", &Metrics::human_zini},
    {"buried", &Metrics::buried},
    {"first_opening", &Metrics::first_opening},
};

// Compute the metrics of a puzzle on any grid from the neighbours of each cell. Of equal premiums, the first counts,
// row by row.
Metrics measure_grid(const Puzzle& puzzle);

// Computes metrics; player/logic/metrics.py defines them. Its memory is reused for boards of one size.
class MetricsCalculator {
  public:
    // Without `first_opening` if the click of the puzzle is -1.
    Metrics puzzle(const Puzzle& puzzle);

  private:
    // Up to eight cells of an opening, with a byte of 1 for each of them from a place on. `joins` lacks those that two
    // earlier openings contain.
    struct Part {
        int at;
        std::uint64_t cells, joins;
    };
    struct Range {
        int from, to;
    };

    int at(int row, int col) const { return (col + 2) * stride_ + row + 2; }
    Metrics measure_rectangle(const Puzzle& puzzle);
    void load(int rows, int cols, const std::uint8_t* mine);
    int find_groups(const std::vector<std::uint8_t>& marks);
    void find_openings();
    int count_buried();
    void sort_cells();
    void find_premiums();
    int zini(bool human);
    void begin(bool human);
    int best_cell();
    void widen(int premium, int from, int to);
    void reveal(int cell);
    void reveal_opening(int name);
    void solve_around(int cell);

    int rows_ = 0, cols_ = 0, stride_ = 0;
    // Per cell: columns one after another with a border, and more cells up to a multiple of 64.
    std::vector<std::uint8_t> inside_, mine_, safe_;
    std::vector<std::uint8_t> room_;      // number of cells in the square
    std::vector<std::uint8_t> clue_;      // number of mines in the square
    std::vector<std::uint8_t> joined_;    // number of openings that contain a safe cell, up to two
    std::vector<std::uint8_t> isolated_;  // safe cells in no opening
    std::vector<std::uint8_t> left_;      // scratch memory
    std::vector<int> opening_;            // of zeros: their opening, from 0
    std::vector<std::uint8_t> first_premium_, first_state_;
    // Of `find_groups`: the begin and the end of each run of cells in a column, and the first run of its group or a run
    // between them.
    std::vector<int> ends_, group_;
    std::vector<int> first_run_;   // of each opening
    std::vector<int> next_run_;    // of each run: the next one of its opening, or -1
    std::vector<int> first_part_;  // of each opening, and the number of parts
    std::vector<Part> parts_;      // of all openings, and more memory

    // State of the current plan.
    std::vector<std::uint8_t> premium_, state_;
    int highest_ = 0;        // no premium is higher
    Range ranges_[16] = {};  // of each premium that pays: cells with at least this premium are in this range
    int unopened_ = 0;       // safe cells
    int clicks_ = 0;
    int wait_ = 0;  // subtracted from the premiums of closed cells that may not be chosen
};

}  // namespace mines
