#include "base/clues.hpp"

#include <algorithm>
#include <cstddef>

namespace mines {
namespace {

// Pass each place that has a full square, and the sum of its marks, to `found`. A plain loop over a local pointer, so
// that compilers vectorize it.
template <class Found>
void each_square(const std::uint8_t* mark, std::size_t size, std::size_t stride, Found found) {
    for (std::size_t i = stride + 1; i + stride + 1 < size; ++i) {
        const std::uint8_t *const above = mark + i - stride, *const here = mark + i, *const below = mark + i + stride;
        found(i, static_cast<std::uint8_t>(above[-1] + above[0] + above[1] + here[-1] + here[0] + here[1] + below[-1] +
                                           below[0] + below[1]));
    }
}

}  // namespace

void sum_squares(const std::vector<std::uint8_t>& marks, int stride, std::vector<std::uint8_t>& sums) {
    sums.assign(marks.size(), 0);
    std::uint8_t* const out = sums.data();
    each_square(marks.data(), marks.size(), static_cast<std::size_t>(stride),
                [out](std::size_t i, std::uint8_t sum) { out[i] = sum; });
}

void add_border(const Field& field, const std::uint8_t* cells, std::vector<std::uint8_t>& out) {
    out.assign(field.places(), 0);
    for (int row = 0; row < field.rows; ++row, cells += field.cols)
        std::copy_n(cells, field.cols, out.begin() + field.at(row, 0));
}

void count_clues(const Field& field, const std::vector<std::uint8_t>& mine, std::vector<std::int8_t>& clues) {
    clues.resize(mine.size());
    std::int8_t* const out = clues.data();
    const std::uint8_t* const mined = mine.data();
    if (!field.is_rectangle()) {
        for (std::size_t i = 0; i < mine.size(); ++i) out[i] = static_cast<std::int8_t>(kMineClue * mined[i]);
        field.each_cell([&](Index, Index cell) {
            for (const int step : field.steps(cell))
                out[cell] = static_cast<std::int8_t>(out[cell] + mined[cell + step]);
        });
        return;
    }
    each_square(mined, mine.size(), static_cast<std::size_t>(field.stride), [=](std::size_t i, std::uint8_t sum) {
        out[i] = static_cast<std::int8_t>(sum + (kMineClue - 1) * mined[i]);
    });
}

}  // namespace mines
