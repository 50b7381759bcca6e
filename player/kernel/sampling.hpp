// Uniform random boards, each fixed by (seed, index), equal to those of player/recipe.py bit for bit.
#pragma once

#include <cstdint>
#include <vector>

namespace mines {

struct Recipe {
    int rows = 0;
    int cols = 0;
    int mines = 0;
    int click = -1;       // a cell number, or -1 for one drawn anew for every board
    bool opening = true;  // keep the neighbours of the click free of mines too
    std::uint64_t seed = 0;
};

// A board and its first click.
struct Puzzle {
    int rows = 0;
    int cols = 0;
    int click = 0;                   // a cell number
    std::vector<std::uint8_t> mine;  // one byte a cell, row by row
};

// The most mines that fit outside the start zone, wherever the click may be.
int room(const Recipe& recipe);

// Draw puzzle `index` of the recipe, whose mines must fit outside the start zone. Reuses the memory of `puzzle`.
void sample(const Recipe& recipe, std::uint64_t index, Puzzle& puzzle);

}  // namespace mines
