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

// Computes metrics; player/logic/metrics.py defines them. Its memory is reused for boards of one grid.
class MetricsCalculator {
  public:
    // Without `first_opening` if the click of the puzzle is -1.
    Metrics puzzle(const Puzzle& puzzle);

  private:
    // Premiums are bytes, so that vector instructions compare many at once. A premium of kPays or more saves clicks.
    // They stay within a few dozen of it.
    static constexpr int kPays = 128;

    // Bits of the state of a cell in a plan.
    static constexpr int kClosed = 1;     // a closed safe cell
    static constexpr int kUnflagged = 2;  // a mine without a flag
    static constexpr int kClick = 4;      // a closed isolated cell or zero, the clicks of any plan without flags

    // Up to eight cells of an opening, with a byte of 1 for each of them from a place on. `joins` lacks those that two
    // earlier openings contain.
    struct Part {
        int at;
        std::uint64_t cells, joins;
    };
    struct Range {
        int from, to;
    };

    int at(int row, int col) const { return 2 * stride_ + 2 + row * down_ + col * right_; }
    void load(const Puzzle& puzzle);
    void set_grid(const GridRef& grid);
    void sum_around(const std::vector<std::uint8_t>& marks, std::vector<std::uint8_t>& sums) const;
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

    // The same on grids that are no rectangles, in grid_metrics.cpp.
    template <class Visit>
    void each_near(int cell, Visit visit) const;
    int flood_groups(const std::vector<std::uint8_t>& marks);
    void flood_openings();
    void raise_around(int cell, int by);
    void solve_around_on_grid(int cell);

    GridRef grid_;
    const Topology* topology_ = nullptr;     // of the grid; none for a rectangle
    int stride_ = 0, down_ = 0, right_ = 0;  // steps to the next line, row and column
    std::vector<int> zeros_;                 // scratch memory
    // Per cell: columns of a rectangle, or rows of another grid, one after another with a border, and more cells up to
    // a multiple of 64.
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
