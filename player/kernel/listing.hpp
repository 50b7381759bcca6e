// Lists the layouts of a position, or of some parts of it, for the endgame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "endgame.hpp"
#include "position.hpp"

namespace mines {

class Listing {
  public:
    // Hand every layout of these parts, and of the sea if it is `with_sea`, with `mines` mines in all, to `endgame`.
    // False if there are more than `limit`.
    bool list(const Position& position, const std::vector<int>& parts, bool with_sea, int mines, std::size_t limit,
              Endgame& endgame);

  private:
    struct Ways {
        std::vector<std::uint8_t> rows;  // one byte for each cell of the part
        std::vector<int> mines;          // of each row
        int least = 0;
        int most = 0;
        std::size_t first = 0;           // of its cells, among all
        std::size_t cells = 0;
    };

    bool walk(const Part& part, const std::vector<double>& rest, int step, int state, int mines, Ways& ways);
    bool choose(const Part& part, const std::vector<double>& rest, int step, int state, int mines, int left, int from,
                Ways& ways);
    bool combine(std::size_t part, int left);
    bool scatter(std::size_t from, int left);

    std::size_t limit_ = 0;
    std::size_t part_total_ = 0;
    std::vector<Ways> ways_;
    std::vector<int> least_after_, most_after_;
    std::vector<Index> cells_;
    std::vector<std::uint8_t> row_;  // while walking: of the part
    std::vector<std::uint8_t> layout_;
    std::size_t sea_first_ = 0;
    Endgame* endgame_ = nullptr;
};

}  // namespace mines
