#include "logic/mine_swap.hpp"

#include <algorithm>
#include <string>

#include "base/bits.hpp"
#include "base/field.hpp"
#include "base/interrupt.hpp"

namespace mines {
namespace {

// The shapes up to symmetry, most frequent first: A and B trade places. On expert boards (16x30/99) the first three
// find 60 % of all unsolvable puzzles, all of them 65 %.
const char* const kPictures[] = {
    "AB",        "AB/BA", "AB.AB",   "A.BA/BA.B", "ABA/BAB", "A.B/B.A", "AB.A/B.AB",   "AB/B./.A",
    "AB.A/BA.B", "A.B",   "ABA/..B", "AB./B.A",   "A.B/BA.", "..A/BAB", "A../B../.AB",
};

// Searching for more shapes takes longer than solving.
constexpr std::size_t kFrequent = 3;
// After this number of boards, stop searching unless one board in kRare has a swap.
constexpr int kTrials = 64;
constexpr int kRare = 8;

using Pattern = std::vector<std::string>;

Pattern parse(const std::string& text) {
    Pattern picture(1);
    for (const char c : text) {
        if (c == '/') {
            picture.emplace_back();
        } else {
            picture.back().push_back(c);
        }
    }
    return picture;
}

Pattern transposed(const Pattern& picture) {
    Pattern out(picture[0].size(), std::string(picture.size(), '.'));
    for (std::size_t r = 0; r < picture.size(); ++r)
        for (std::size_t c = 0; c < picture[r].size(); ++c) out[c][r] = picture[r][c];
    return out;
}

// Swapping A and B gives the same shape: make the first letter an A.
Pattern normal(Pattern picture) {
    char first = 0;
    for (const std::string& row : picture)
        for (const char c : row)
            if (first == 0 && c != '.') first = c;
    if (first == 'A') return picture;
    for (std::string& row : picture)
        for (char& c : row) c = c == '.' ? '.' : static_cast<char>('A' + 'B' - c);
    return picture;
}

std::vector<Pattern> all_symmetries(const Pattern& picture) {
    std::vector<Pattern> found;
    for (int symmetry = 0; symmetry < 8; ++symmetry) {
        Pattern turned = (symmetry & 4) != 0 ? transposed(picture) : picture;
        if ((symmetry & 1) != 0) std::reverse(turned.begin(), turned.end());
        if ((symmetry & 2) != 0)
            for (std::string& row : turned) std::reverse(row.begin(), row.end());
        turned = normal(turned);
        if (std::find(found.begin(), found.end(), turned) == found.end()) found.push_back(turned);
    }
    return found;
}

std::vector<SwapShape> make_shapes() {
    std::vector<SwapShape> shapes;
    for (const char* const text : kPictures) {
        for (const Pattern& picture : all_symmetries(parse(text))) {
            const int rows = static_cast<int>(picture.size());
            const int cols = static_cast<int>(picture[0].size());
            const auto at = [&](int r, int c) {
                return 0 <= r && r < rows && 0 <= c && c < cols ? picture[r][c] : '.';
            };
            SwapShape shape;
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
            // Alternate between both ends: at an edge of the board, all solid cells of one side are off the board.
            const std::vector<SwapShape::Place> in_order = shape.solid;
            for (std::size_t i = 0; i < in_order.size(); ++i)
                shape.solid[i] = in_order[i % 2 == 0 ? i / 2 : in_order.size() - 1 - i / 2];
            shapes.push_back(shape);
        }
    }
    return shapes;
}

// A window extends this far to the left and right of its corner.
constexpr int kLeft = 1;
constexpr int kRight = 5;
// Border rows above and below, and rows processed together.
constexpr int kTop = 1;
constexpr int kBelow = 6;
constexpr int kBlockCells = 16;
// This number of solid cells rules out nearly all windows.
constexpr std::size_t kSelective = 4;

int full_blocks(int rows) { return (rows + kBlockCells - 1) / kBlockCells * kBlockCells; }

}  // namespace

const std::vector<SwapShape>& swap_shapes() {
    static const std::vector<SwapShape> shapes = make_shapes();
    return shapes;
}

std::size_t frequent_swap_shapes() {
    static const std::size_t count = [] {
        std::size_t shapes = 0;
        for (std::size_t i = 0; i < kFrequent; ++i) shapes += all_symmetries(parse(kPictures[i])).size();
        return shapes;
    }();
    return count;
}

template <class Word>
void MineSwapFinder::Plane<Word>::resize(int rows) {
    if (shown_ == rows) return;  // The border is empty, and the rest is overwritten.
    shown_ = rows;
    rows_ = static_cast<std::size_t>(kTop + full_blocks(rows) + kBelow);
    words_.assign(rows_ * (kLeft + 1 + kRight), 0);
}

template <class Word>
std::size_t MineSwapFinder::Plane<Word>::at(int row, int col) const {
    return static_cast<std::size_t>(col + kLeft) * rows_ + static_cast<std::size_t>(row + kTop);
}

// Load the columns from `from` on: bit k is column from + k.
template <class Word>
void MineSwapFinder::Strips<Word>::load(const Puzzle& puzzle, int from) {
    const auto& [grid, click, mine] = puzzle;
    const int rows = grid->rows, cols = grid->cols;
    const int shown = std::min(static_cast<int>(8 * sizeof(Word)), cols - from);
    const Word inside = static_cast<Word>(~std::uint64_t{0} >> (64 - shown));
    for (Plane<Word>* const plane : {&mine_, &safe_, &free_}) plane->resize(rows);
    for (int row = 0; row < rows; ++row) {
        const std::uint8_t* const cells = mine.data() + static_cast<std::ptrdiff_t>(row) * cols + from;
        const Word mines = static_cast<Word>(pack_bits(cells, shown));
        *mine_.from(row, 0) = mines;
        *safe_.from(row, 0) = *free_.from(row, 0) = inside & ~mines;
    }
    const int click_at = click % cols - from;
    if (0 <= click_at && click_at < shown) *free_.from(click / cols, 0) &= ~(Word{1} << click_at);
    // Only few windows need the other planes, and they need no other columns.
    const Word* const here = safe_.from(0, 0);
    Word* const left = safe_.from(0, -1);
    for (int row = 0; row < rows; ++row) left[row] = here[row] << 1;
    for (int row = 0; from > 0 && row < rows; ++row)
        left[row] |= mine[static_cast<std::size_t>(row) * cols + from - 1] == 0;
    for (int col = 1; col <= kRight; ++col) {
        Word* const right = safe_.from(0, col);
        for (int row = 0; row < rows; ++row) right[row] = here[row] >> col;
    }
}

template <class Word>
template <class Found>
bool MineSwapFinder::Strips<Word>::search(const Puzzle& puzzle, std::size_t most, Found found) {
    // Corners whose windows end within the word or at the edge of the board.
    const int bits = static_cast<int>(8 * sizeof(Word));
    const int rows = puzzle.grid->rows, cols = puzzle.grid->cols;
    const int strip = cols <= bits ? bits : bits - kRight;
    for (int from = 0; from < cols; from += strip) {
        load(puzzle, from);
        const Word here = static_cast<Word>(~std::uint64_t{0} >> (64 - std::min(strip, cols - from)));
        for (std::size_t s = 0; s < most; ++s) {
            check_interrupt();
            const SwapShape& shape = swap_shapes()[s];
            for (int top = 0; top < rows; top += kBlockCells) {
                const int last = std::min(kBlockCells, rows - top);
                Word corners[kBlockCells] = {};
                std::fill(corners, corners + last, here);
                Word any = here;
                for (std::size_t i = 0; i < shape.solid.size() && any != 0; ++i) {
                    const Word* const safe = safe_.from(top + shape.solid[i].first, shape.solid[i].second);
                    for (int k = 0; k < kBlockCells; ++k) corners[k] &= ~safe[k];
                    if ((i + 1) % kSelective != 0) continue;
                    any = 0;
                    for (int k = 0; k < kBlockCells; ++k) any |= corners[k];
                }
                for (int k = 0; k < last && any != 0; ++k)
                    if (corners[k] != 0 && match(shape, top + k, from, corners[k], found)) return true;
            }
        }
    }
    return false;
}

// The solid cells of these windows are in place: check the cells to swap.
template <class Word>
template <class Found>
bool MineSwapFinder::Strips<Word>::match(const SwapShape& shape, int row, int from, Word corners, Found found) const {
    const auto shown = [row](const Plane<Word>& plane, const SwapShape::Place& place) {
        const auto& [r, c] = place;
        return static_cast<Word>(*plane.from(row + r, 0) >> c);
    };
    for (const bool swapped : {false, true}) {
        Word match = corners;
        for (const auto& place : swapped ? shape.second : shape.first) match &= shown(mine_, place);
        for (const auto& place : swapped ? shape.first : shape.second) match &= shown(free_, place);
        for (; match != 0; match &= match - 1)
            if (found(shape, swapped, row, from + lowest_bit(match))) return true;
    }
    return false;
}

template <class Found>
bool MineSwapFinder::search(const Puzzle& puzzle, std::size_t most, Found found) {
    if (!puzzle.grid->is_rectangle) return false;
    if (puzzle.grid->cols <= 16) return narrow_.search(puzzle, most, found);
    if (puzzle.grid->cols <= 32) return middle_.search(puzzle, most, found);
    return wide_.search(puzzle, most, found);
}

bool MineSwapFinder::has_frequent_swap(const Puzzle& puzzle) {
    if (searched_ >= kTrials && found_ * kRare < searched_) return false;
    ++searched_;
    const bool exists = search(puzzle, frequent_swap_shapes(), [](const SwapShape&, bool, int, int) { return true; });
    found_ += exists;
    return exists;
}

std::vector<MineSwap> MineSwapFinder::all(const Puzzle& puzzle) {
    std::vector<MineSwap> swaps;
    const int cols = puzzle.grid->cols;
    search(puzzle, swap_shapes().size(), [&](const SwapShape& shape, bool swapped, int row, int col) {
        MineSwap swap;
        for (const auto& [r, c] : swapped ? shape.second : shape.first)
            swap.mines.push_back((row + r) * cols + col + c);
        for (const auto& [r, c] : swapped ? shape.first : shape.second) swap.safe.push_back((row + r) * cols + col + c);
        swaps.push_back(swap);
        return false;
    });
    return swaps;
}

}  // namespace mines
