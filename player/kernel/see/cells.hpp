// The looks of cells: their ground and border, and the glyph on it, in the terms of the picture itself.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "see/lattice.hpp"

namespace mines {

constexpr int kMapSide = 16;  // a glyph is scaled to fill a square of this side

using Rgb = std::array<float, 3>;

struct Glyph {
    std::array<std::uint8_t, kMapSide * kMapSide> map{};  // contrast to the ground, 255 at the strongest
    float wide = 0, high = 0, across = 0, down = 0;       // its size, and its middle less that of the cell, in cells
    Rgb ink{};                                            // the colour where the contrast is strong
    float contrast = 0;                                   // of 255; 0 without a glyph
    float colours = 0;                                    // 0 for one colour, above for several
    bool is_blank() const { return contrast == 0; }
};

struct CellLook {
    Rgb ground{};
    std::array<Rgb, 4> sides{};     // the strips along the upper, left, right and lower side, less the ground
    std::array<float, 4> relief{};  // how much the pixels of a strip differ from the ground
    std::array<bool, 4> outer{};    // whether a side is one of the board: frames differ from the lines between cells
    Glyph glyph;
};

// The look of the cell with a corner at (left, top).
CellLook look_at(const Picture& picture, double left, double top, double across, double down);
// The looks of all cells of a lattice, row by row.
std::vector<CellLook> looks_of(const Picture& picture, const Lattice& lattice);

// Group cells whose ground and border look alike; neighbours may differ slightly, so light may change over the board.
// Returns a group for each cell, and their number in `groups`.
std::vector<int> group_grounds(const std::vector<CellLook>& looks, int cols, int& groups);
// How much the grounds and borders of two cells differ, of 255.
float ground_difference(const CellLook& a, const CellLook& b);
// How much two glyphs differ: 0 for equal ones, above 1 for unlike ones.
float difference(const Glyph& a, const Glyph& b);

}  // namespace mines
