#include "see/glyphs.hpp"

#include <algorithm>
#include <cmath>

namespace mines {
namespace {
#include "see/glyph_table.hpp"
}

std::array<float, kFeatures> features_of(const Glyph& glyph) {
    std::array<float, kFeatures> out{};
    for (std::size_t i = 0; i < glyph.map.size(); ++i) out[i] = static_cast<float>(glyph.map[i]) / 255;
    out[kFeatures - 5] = 2 * glyph.wide;
    out[kFeatures - 4] = 2 * glyph.high;
    out[kFeatures - 3] = 4 * glyph.across;
    out[kFeatures - 2] = 4 * glyph.down;
    out[kFeatures - 1] = 4 * glyph.colours;
    return out;
}

std::array<float, kShapes> shapes_of(const Glyph& glyph) {
    const std::array<float, kFeatures> features = features_of(glyph);
    std::array<float, kShapes> out;
    std::copy(std::begin(kBiases), std::end(kBiases), out.begin());
    for (int unit = 0; unit < kUnits; ++unit) {
        float sum = 0;
        for (int i = 0; i < kFeatures; ++i) sum += features[i] * static_cast<float>(kUnitWeights[unit][i] - kZero);
        sum = sum * kScales[unit] + kOffsets[unit];
        if (sum <= 0) continue;
        for (int shape = 0; shape < kShapes; ++shape) out[shape] += sum * kOut[unit][shape];
    }
    const float most = *std::max_element(out.begin(), out.end());
    float total = 0;
    for (float& one : out) total += one = std::exp(one - most);
    for (float& one : out) one /= total;
    return out;
}

}  // namespace mines
