// Lists the layouts of a position, or of some of its components, for the endgame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "count/position.hpp"
#include "search/endgame.hpp"

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
        std::size_t next = 0;  // the row that `combine` tries next
    };

    // A state of a path through the trellis: its edge in use (-1: none yet), and the mines of the groups before it.
    struct Visit {
        int state, edge, mines;
    };

    bool list_paths(const CountedComponent& counted, const std::vector<double>& rest, Ways& ways);
    bool choose_next(const CountedComponent& counted, int step);
    bool combine(int mines);
    bool place_unconstrained(int mines);

    std::size_t limit_ = 0;
    std::size_t component_count_ = 0;
    std::vector<Ways> ways_;
    std::vector<int> least_after_, most_after_;
    std::vector<Index> cells_;
    std::vector<Visit> visits_;
    std::vector<int> left_;          // mines for each component and all after it
    std::vector<std::uint8_t> row_;  // the current row of a component
    std::vector<std::uint8_t> layout_;
    std::size_t unconstrained_first_ = 0;
    Endgame* endgame_ = nullptr;
};

}  // namespace mines
