// Possible unavoidable guesses: mine swaps (mine_swap.hpp) of hidden cells, which no further clue can distinguish. The
// risk of opening such a cell has to be taken sooner or later, so a player loses nothing by taking it now.
//
// The probability of a swap is exact if all its cells lie in one component. Components and unconstrained cells are
// treated as independent of each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/field.hpp"
#include "count/position.hpp"

namespace mines {

class UnavoidableGuesses {
  public:
    // Set the position, which must not change.
    void set_position(const Position& position);

    // The expected number of swaps of hidden cells in which the cell is a mine, at most its mine probability.
    double mine(Index cell);

    // The expected number of swaps that exist only because the cell, outside of them, is a mine; limited as above.
    double enabling_mine(Index cell);

  private:
    // The cells of a swap, relative to the first of them.
    struct Shape {
        std::vector<int> first, second, solid;
    };
    // A cell that must be a mine, or safe.
    struct Pin {
        Index cell;
        bool mine;
    };
    // The numbers of such cells in a group.
    struct PinnedGroup {
        int group;
        int mines;
        int safe;
    };

    void load_shapes(const Field& field);
    double probability(std::size_t shape, Index at);
    bool pin_cells(const Shape& shape, Index at);
    bool pin(Index cell, bool mine);
    double probability_of_pins();
    double probability_in(std::size_t component);

    const Position* position_ = nullptr;
    int stride_ = 0;
    bool is_rectangle_ = true;
    std::vector<Shape> shapes_;
    std::vector<double> known_;  // per shape and first cell: the probability of the swap, or -1
    std::vector<Pin> pins_;      // in components
    double unconstrained_ = 1;   // probability of the other pins
    double most_ = 1;            // upper bound on the probability of `pins_`
    std::vector<PinnedGroup> pinned_groups_;
    std::vector<double> ways_;
};

}  // namespace mines
