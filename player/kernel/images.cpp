#include "images.hpp"

#include <algorithm>
#include <cstddef>

namespace mines {
namespace {

// Eight bytes of 0 or 1 as bits, the first one highest. In the product, byte k has its bit k places below the top, and
// nothing else comes so far.
std::uint8_t eight_bits(const std::uint8_t* cell) {
    std::uint64_t eight = 0;
    for (int k = 0; k < 8; ++k) eight |= std::uint64_t{cell[k]} << 8 * k;
    return static_cast<std::uint8_t>(eight * 0x8040201008040201u >> 56);
}

}  // namespace

std::vector<std::uint8_t> packed_images(int rows, int cols, const std::uint8_t* mine) {
    const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(rows) * cols;
    const std::ptrdiff_t bytes = (size + 7) / 8;
    std::vector<std::uint8_t> image(static_cast<std::size_t>(8 * bytes));  // zeros after its last cell
    std::vector<std::uint8_t> packed(static_cast<std::size_t>(8 * bytes));
    const auto pack = [&](int symmetry) {
        const std::uint8_t* cell = image.data();
        std::uint8_t* const out = packed.data() + symmetry * bytes;
        for (std::ptrdiff_t i = 0; i < bytes; ++i, cell += 8) out[i] = eight_bits(cell);
    };
    // In an image, the cell of the board at its corner, and how far from one it is to those right of and below it. Two
    // more turns are the same cells the other way round.
    const auto lay = [&](int symmetry, std::ptrdiff_t corner, int right, int down, int width) {
        std::uint8_t* out = image.data();
        for (std::ptrdiff_t i = 0; i < size; i += width, corner += down, out += width)
            for (int col = 0; col < width; ++col) out[col] = mine[corner + col * right] != 0;
        pack(symmetry);
        std::reverse(image.begin(), image.begin() + size);
        pack(symmetry + 2);
    };
    lay(0, 0, 1, cols, cols);
    lay(1, cols - 1, cols, -1, rows);
    lay(4, cols - 1, -1, cols, cols);
    lay(5, size - 1, -cols, -1, rows);
    return packed;
}

}  // namespace mines
