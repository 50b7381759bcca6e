// What a glyph may mean, by its shape: a small network, trained by scripts/dev/glyphs.py on glyphs that it draws.
#pragma once

#include <array>

#include "see/cells.hpp"

namespace mines {

// The meanings of a cell: clues 0 to 8, and these.
enum Symbol : std::uint8_t { kCovered = 9, kFlag, kShownMine, kQuestion };
constexpr int kSymbols = 13;

// The outputs of the network: clues 1 to 8, flag, mine, question mark, and any other glyph.
constexpr int kShapes = 12;
constexpr int kFeatures = kMapSide * kMapSide + 5;

std::array<float, kFeatures> features_of(const Glyph& glyph);
// The probability of each shape.
std::array<float, kShapes> shapes_of(const Glyph& glyph);

}  // namespace mines
