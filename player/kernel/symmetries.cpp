#include "symmetries.hpp"

#include <algorithm>
#include <cstddef>

namespace mines {
namespace {

// Pack eight bytes of 0 or 1 into bits, the first one highest: the multiplication gathers them in the top byte.
std::uint8_t eight_bits(const std::uint8_t* cell) {
    std::uint64_t eight = 0;
    for (int k = 0; k < 8; ++k) eight |= std::uint64_t{cell[k]} << 8 * k;
    return static_cast<std::uint8_t>(eight * 0x8040201008040201u >> 56);
}

}  // namespace

std::vector<std::uint8_t> packed_symmetries(int rows, int cols, const std::uint8_t* mine) {
    const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(rows) * cols;
    const std::ptrdiff_t bytes = (size + 7) / 8;
    std::vector<std::uint8_t> image(static_cast<std::size_t>(8 * bytes));  // zeros after the last cell
    std::vector<std::uint8_t> pack_bits(static_cast<std::size_t>(8 * bytes));
    const auto pack = [&](int symmetry) {
        const std::uint8_t* cell = image.data();
        std::uint8_t* const out = pack_bits.data() + symmetry * bytes;
        for (std::ptrdiff_t i = 0; i < bytes; ++i, cell += 8) out[i] = eight_bits(cell);
    };
    // Build the image whose first cell is `corner`; `right` and `down` are the steps on the board to the next column
    // and row of the image. The image turned by 180 degrees is the same array reversed.
    const auto add = [&](int symmetry, std::ptrdiff_t corner, int right, int down, int width) {
        std::uint8_t* out = image.data();
        for (std::ptrdiff_t i = 0; i < size; i += width, corner += down, out += width)
            for (int col = 0; col < width; ++col) out[col] = mine[corner + col * right] != 0;
        pack(symmetry);
        std::reverse(image.begin(), image.begin() + size);
        pack(symmetry + 2);
    };
    add(0, 0, 1, cols, cols);
    add(1, cols - 1, cols, -1, rows);
    add(4, cols - 1, -1, cols, cols);
    add(5, size - 1, -cols, -1, rows);
    return pack_bits;
}

}  // namespace mines
