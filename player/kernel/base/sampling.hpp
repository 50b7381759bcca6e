// Uniform random boards, determined by (seed, index) and identical to those of player/core/recipe.py.
#pragma once

#include <cstdint>
#include <vector>

#include "base/grid.hpp"

namespace mines {

struct Recipe {
    GridRef grid;
    int mines = 0;
    int click = -1;       // a cell number, or -1 for a random click on every board
    bool opening = true;  // keep the neighbours of the click free of mines, too
    std::uint64_t seed = 0;
};

// A board and its first click.
struct Puzzle {
    GridRef grid;
    int click = 0;                   // a cell number
    std::vector<std::uint8_t> mine;  // one byte a cell, row by row
};

// Return the number of cells outside the start zone, which limits the mines of every board.
int room(const Recipe& recipe);

// Draw puzzle `index` of the recipe. The mines must fit outside the start zone.
void sample(const Recipe& recipe, std::uint64_t index, Puzzle& puzzle);

}  // namespace mines
