#include "exchange.hpp"

#include <algorithm>
#include <string>

#include "bits.hpp"
#include "pulse.hpp"

namespace mines {
namespace {

// The shapes, up to turning and mirroring, most frequent first: A and B trade places. On expert boards (16x30/99) the
// first three find 60 % of all unsolvable puzzles, all of them 65 %.
const char* const kPictures[] = {
    "AB",        "AB/BA", "AB.AB",   "A.BA/BA.B", "ABA/BAB", "A.B/B.A", "AB.A/B.AB",   "AB/B./.A",
    "AB.A/BA.B", "A.B",   "ABA/..B", "AB./B.A",   "A.B/BA.", "..A/BAB", "A../B../.AB",
};

// Looking for more of them takes longer than logic takes to get stuck.
constexpr std::size_t kFrequent = 5;

using Picture = std::vector<std::string>;

Picture read(const std::string& text) {
    Picture picture(1);
    for (const char c : text) {
        if (c == '/') {
            picture.emplace_back();
        } else {
            picture.back().push_back(c);
        }
    }
    return picture;
}

Picture transposed(const Picture& picture) {
    Picture out(picture[0].size(), std::string(picture.size(), '.'));
    for (std::size_t r = 0; r < picture.size(); ++r)
        for (std::size_t c = 0; c < picture[r].size(); ++c) out[c][r] = picture[r][c];
    return out;
}

// A picture means the same with A and B traded: let the first of them be an A.
Picture normal(Picture picture) {
    char first = 0;
    for (const std::string& row : picture)
        for (const char c : row)
            if (first == 0 && c != '.') first = c;
    if (first == 'A') return picture;
    for (std::string& row : picture)
        for (char& c : row) c = c == '.' ? '.' : static_cast<char>('A' + 'B' - c);
    return picture;
}

std::vector<Picture> all_symmetries(const Picture& picture) {
    std::vector<Picture> found;
    for (int symmetry = 0; symmetry < 8; ++symmetry) {
        Picture turned = (symmetry & 4) != 0 ? transposed(picture) : picture;
        if ((symmetry & 1) != 0) std::reverse(turned.begin(), turned.end());
        if ((symmetry & 2) != 0)
            for (std::string& row : turned) std::reverse(row.begin(), row.end());
        turned = normal(turned);
        if (std::find(found.begin(), found.end(), turned) == found.end()) found.push_back(turned);
    }
    return found;
}

// Row masks hold one window's reach of border to the left and to the right of the strip they show.
constexpr int kLeft = 1;
constexpr int kStretch = 6;
constexpr int kStrip = 64 - kLeft - kStretch;
// Rows of border above and below, and how many rows are looked at together.
constexpr int kTop = 1;
constexpr int kBelow = 6;
constexpr int kBlock = 8;

}  // namespace

const std::vector<ExchangeFinder::Shape>& ExchangeFinder::shapes() {
    static const std::vector<Shape> shapes = make_shapes();
    return shapes;
}

// How many shapes the most frequent pictures make.
std::size_t ExchangeFinder::frequent() {
    static const std::size_t count = [] {
        std::size_t shapes = 0;
        for (std::size_t i = 0; i < kFrequent; ++i) shapes += all_symmetries(read(kPictures[i])).size();
        return shapes;
    }();
    return count;
}

std::vector<ExchangeFinder::Shape> ExchangeFinder::make_shapes() {
    std::vector<Shape> shapes;
    for (const char* const text : kPictures) {
        for (const Picture& picture : all_symmetries(read(text))) {
            const int rows = static_cast<int>(picture.size());
            const int cols = static_cast<int>(picture[0].size());
            const auto at = [&](int r, int c) {
                return 0 <= r && r < rows && 0 <= c && c < cols ? picture[r][c] : '.';
            };
            Shape shape;
            for (int r = -1; r <= rows; ++r) {
                for (int c = -1; c <= cols; ++c) {
                    if (at(r, c) == 'A') shape.first.emplace_back(r, c);
                    if (at(r, c) == 'B') shape.second.emplace_back(r, c);
                    if (at(r, c) != '.') continue;
                    int change = 0;
                    for (int dr = -1; dr <= 1; ++dr)
                        for (int dc = -1; dc <= 1; ++dc)
                            change += (at(r + dr, c + dc) == 'A') - (at(r + dr, c + dc) == 'B');
                    if (change != 0) shape.solid.emplace_back(r, c);
                }
            }
            shapes.push_back(shape);
        }
    }
    return shapes;
}

void ExchangeFinder::Plane::lay_out(int rows) {
    rows_ = static_cast<std::size_t>(rows);
    words_.resize(rows_ * (kLeft + kStretch));
}

// Show the columns from `from` on: bit k is column from - kLeft + k.
void ExchangeFinder::load(const Puzzle& puzzle, int from) {
    const auto& [rows, cols, click, mine] = puzzle;
    const int count = kTop + (rows + kBlock - 1) / kBlock * kBlock + kBelow;
    for (Plane* const plane : {&mine_, &free_, &solid_}) plane->lay_out(count);
    const int first = std::max(from - kLeft, 0);
    const int last = std::min(from - kLeft + 64, cols);
    const int shift = first - (from - kLeft);
    const std::uint64_t inside = (last - first == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (last - first)) - 1)
                                 << shift;
    for (int r = 0; r < count; ++r) {
        const int row = r - kTop;
        std::uint64_t mines = 0;
        std::uint64_t safe = 0;
        if (0 <= row && row < rows) {
            const std::uint8_t* const cells = mine.data() + static_cast<std::ptrdiff_t>(row) * cols;
            for (int c = first; c < last; ++c) mines |= std::uint64_t{cells[c]} << (c - first);
            mines <<= shift;
            safe = inside & ~mines;
            if (click / cols == row && first <= click % cols && click % cols < last)
                safe &= ~(std::uint64_t{1} << (click % cols - first + shift));
        }
        const std::uint64_t solid = 0 <= row && row < rows ? mines | ~inside : ~std::uint64_t{0};
        for (int k = 0; k < kLeft + kStretch; ++k) {
            mine_.row(r, k) = mines >> k;
            free_.row(r, k) = safe >> k;
            solid_.row(r, k) = solid >> k;
        }
    }
}

// Rows from `row` on in which bit k shows this place of the window whose corner is bit k + kLeft of the row.
const std::uint64_t* ExchangeFinder::row_of(const Plane& plane, const Place& place, int row) {
    return &plane.row(row + kTop + place.first, place.second + kLeft);
}

template <class Found>
bool ExchangeFinder::look(const Puzzle& puzzle, std::size_t most, Found found) {
    for (int from = 0; from < puzzle.cols; from += kStrip) {
        load(puzzle, from);
        const std::uint64_t here = (std::uint64_t{1} << std::min(kStrip, puzzle.cols - from)) - 1;
        for (std::size_t s = 0; s < most; ++s) {
            pulse();
            const Shape& shape = shapes()[s];
            for (int top = 0; top < puzzle.rows; top += kBlock) {
                std::uint64_t corners[kBlock];
                std::fill(corners, corners + kBlock, here);
                for (const Place& place : shape.solid) {
                    const std::uint64_t* const plane = row_of(solid_, place, top);
                    for (int k = 0; k < kBlock; ++k) corners[k] &= plane[k];
                }
                for (int k = 0; k < kBlock; ++k) {
                    if (corners[k] != 0 && fill(shape, top + k, from, corners[k], found)) return true;
                }
            }
        }
    }
    return false;
}

// At these corners of windows in a row, all solid cells are in place: look at the cells to trade.
template <class Found>
bool ExchangeFinder::fill(const Shape& shape, int row, int from, std::uint64_t corners, Found found) {
    for (const bool swapped : {false, true}) {
        std::uint64_t match = corners;
        for (const Place& place : swapped ? shape.second : shape.first) match &= *row_of(mine_, place, row);
        for (const Place& place : swapped ? shape.first : shape.second) match &= *row_of(free_, place, row);
        for (; match != 0; match &= match - 1)
            if (found(shape, swapped, row, from + lowest_bit(match))) return true;
    }
    return false;
}

bool ExchangeFinder::exists(const Puzzle& puzzle) {
    return look(puzzle, frequent(), [](const Shape&, bool, int, int) { return true; });
}

std::vector<Exchange> ExchangeFinder::all(const Puzzle& puzzle) {
    std::vector<Exchange> exchanges;
    look(puzzle, shapes().size(), [&](const Shape& shape, bool swapped, int row, int col) {
        Exchange exchange;
        for (const auto& [r, c] : swapped ? shape.second : shape.first)
            exchange.mines.push_back((row + r) * puzzle.cols + col + c);
        for (const auto& [r, c] : swapped ? shape.first : shape.second)
            exchange.safe.push_back((row + r) * puzzle.cols + col + c);
        exchanges.push_back(exchange);
        return false;
    });
    return exchanges;
}

}  // namespace mines
