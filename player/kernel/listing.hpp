// Lists the layouts of a position, or of some of its components, for the endgame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "endgame.hpp"
#include "position.hpp"

namespace mines {

class Listing {
  public:
    // Pass every layout of these components (and the unconstrained cells if `with_unconstrained`) with `mines` mines in
    // all to `endgame`. Returns false if there are more than `limit`.
    bool list(const Position& position, const std::vector<int>& components, bool with_unconstrained, int mines,
              std::size_t limit, Endgame& endgame);

  private:
    struct Ways {
        std::vector<std::uint8_t> rows;  // one byte for each cell of the component
        std::vector<int> mines;          // of each row
        int least = 0;
        int most = 0;
        std::size_t first = 0;  // index of its first cell among all
        std::size_t cells = 0;
    };

    bool list_paths(const CountedComponent& counted, const std::vector<double>& rest, int step, int state, int mines,
                    Ways& ways);
    bool choose(const CountedComponent& counted, const std::vector<double>& rest, int step, int state, int mines,
                int left, int from, Ways& ways);
    bool combine(std::size_t counted, int left);
    bool place_unconstrained(std::size_t from, int left);

    std::size_t limit_ = 0;
    std::size_t part_total_ = 0;
    std::vector<Ways> ways_;
    std::vector<int> least_after_, most_after_;
    std::vector<Index> cells_;
    std::vector<std::uint8_t> row_;  // the current row of a component
    std::vector<std::uint8_t> layout_;
    std::size_t unconstrained_first_ = 0;
    Endgame* endgame_ = nullptr;
};

}  // namespace mines
