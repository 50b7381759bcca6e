#include "see/cells.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/interrupt.hpp"

namespace mines {
namespace {

constexpr int kRim = 2;                            // samples between the side of a cell and its inside
constexpr int kInside = kPatch - 2 * kRim;         // samples
constexpr float kFaintestInk = 15;                    // of 255: the least contrast of a glyph
constexpr float kShade = 0.25f;                     // of the contrast of the strongest glyphs
constexpr int kSmallest = 5;                       // samples of a glyph

using Patch = std::array<Rgb, kPatch * kPatch>;

Rgb colour_at(const Picture& picture, double x, double y) {
    x = std::clamp(x - 0.5, 0.0, picture.width - 1.001);
    y = std::clamp(y - 0.5, 0.0, picture.height - 1.001);
    const int col = static_cast<int>(x), row = static_cast<int>(y);
    const auto right = static_cast<float>(x - col), below = static_cast<float>(y - row);
    const int next_col = std::min(col + 1, picture.width - 1), next_row = std::min(row + 1, picture.height - 1);
    const std::uint8_t *const a = picture.at(col, row), *const b = picture.at(next_col, row);
    const std::uint8_t *const c = picture.at(col, next_row), *const d = picture.at(next_col, next_row);
    Rgb out;
    for (int i = 0; i < 3; ++i) {
        const float upper = a[i] + right * (b[i] - a[i]), lower = c[i] + right * (d[i] - c[i]);
        out[i] = upper + below * (lower - upper);
    }
    return out;
}

// Sample a cell; each sample is the mean of several points of large cells.
void sample(const Picture& picture, double left, double top, double across, double down, Patch& patch) {
    const int points = std::max(1, static_cast<int>(std::ceil(std::max(across, down) / kPatch)));
    for (int row = 0; row < kPatch; ++row) {
        for (int col = 0; col < kPatch; ++col) {
            Rgb sum{};
            for (int i = 0; i < points; ++i) {
                for (int j = 0; j < points; ++j) {
                    const Rgb one = colour_at(picture, left + across * (col + (j + 0.5) / points) / kPatch,
                                              top + down * (row + (i + 0.5) / points) / kPatch);
                    for (int c = 0; c < 3; ++c) sum[c] += one[c];
                }
            }
            for (int c = 0; c < 3; ++c) patch[row * kPatch + col][c] = sum[c] / static_cast<float>(points * points);
        }
    }
}

// The median colour of the two corners inside a cell at one side of it: few glyphs reach there.
Rgb median_of_corners(const Patch& patch, int first_row, int second_row, int first_col, int second_col) {
    constexpr int kCorner = 5;
    std::array<float, 2 * kCorner * kCorner> values;
    Rgb out;
    for (int c = 0; c < 3; ++c) {
        int count = 0;
        for (int row = 0; row < kCorner; ++row) {
            for (int col = 0; col < kCorner; ++col) {
                values[count++] = patch[(first_row + row) * kPatch + first_col + col][c];
                values[count++] = patch[(second_row + row) * kPatch + second_col + col][c];
            }
        }
        std::nth_element(values.begin(), values.begin() + count / 2, values.end());
        out[c] = values[count / 2];
    }
    return out;
}

Rgb mean(const Patch& patch, int top, int bottom, int left, int right) {
    Rgb sum{};
    for (int row = top; row < bottom; ++row)
        for (int col = left; col < right; ++col)
            for (int c = 0; c < 3; ++c) sum[c] += patch[row * kPatch + col][c];
    for (float& one : sum) one /= static_cast<float>((bottom - top) * (right - left));
    return sum;
}

float most_different(const Rgb& a, const Rgb& b) {
    return std::max({std::abs(a[0] - b[0]), std::abs(a[1] - b[1]), std::abs(a[2] - b[2])});
}

// Clear what reaches in from the side of a cell, such as a bevel: connected marks near the sides, and their seam. Returns
// whether there was any.
bool clear_rim(const std::array<bool, kInside * kInside>& marks, std::array<float, kInside * kInside>& contrast) {
    bool cleared = false;
    std::array<bool, kInside * kInside> seen{};
    std::vector<int> piece;
    for (int start = 0; start < kInside * kInside; ++start) {
        if (!marks[start] || seen[start]) continue;
        piece.assign(1, start);
        seen[start] = true;
        int depth = 0;
        bool touches = false;
        for (std::size_t i = 0; i < piece.size(); ++i) {
            const int row = piece[i] / kInside, col = piece[i] % kInside;
            const int from_side = std::min({row, col, kInside - 1 - row, kInside - 1 - col});
            depth = std::max(depth, from_side);
            touches |= from_side == 0;
            for (int r = std::max(row - 1, 0); r <= std::min(row + 1, kInside - 1); ++r) {
                for (int c = std::max(col - 1, 0); c <= std::min(col + 1, kInside - 1); ++c) {
                    const int near = r * kInside + c;
                    if (!marks[near] || seen[near]) continue;
                    seen[near] = true;
                    piece.push_back(near);
                }
            }
        }
        if (!touches || depth > 4) continue;
        cleared = true;
        for (const int one : piece) {
            const int row = one / kInside, col = one % kInside;
            for (int r = std::max(row - 1, 0); r <= std::min(row + 1, kInside - 1); ++r)
                for (int c = std::max(col - 1, 0); c <= std::min(col + 1, kInside - 1); ++c)
                    if (!marks[r * kInside + c] || r * kInside + c == one) contrast[r * kInside + c] = 0;
        }
    }
    return cleared;
}

// The ground of a cell, which may change evenly from above to below.
struct Ground {
    Rgb above, below;

    Rgb at(int row) const {
        const float share = std::clamp((static_cast<float>(row) - 2) / (kInside - 5), 0.0f, 1.0f);
        Rgb out;
        for (int c = 0; c < 3; ++c) out[c] = above[c] + share * (below[c] - above[c]);
        return out;
    }
};

// Find what most samples inside a cell are close to: an even change between the corners, or one colour.
Ground find_ground(const Patch& patch) {
    constexpr float kClose = 10;
    constexpr int kEnd = kPatch - kRim, kFar = kEnd - 5;
    Rgb above = median_of_corners(patch, kRim, kRim, kRim, kFar);
    Rgb below = median_of_corners(patch, kFar, kFar, kRim, kFar);
    const Rgb before = median_of_corners(patch, kRim, kFar, kRim, kRim);
    const Rgb after = median_of_corners(patch, kRim, kFar, kFar, kFar);
    for (int c = 0; c < 3; ++c) {
        std::array<float, 4> all = {above[c], below[c], before[c], after[c]};
        std::sort(all.begin(), all.end());
        const float middle = (all[1] + all[2]) / 2, up = above[c] - middle, on = middle - below[c];
        const bool is_even = up * on > 0 && std::abs(up - on) <= 0.5f * std::max(std::abs(up), std::abs(on));
        if (!is_even) above[c] = below[c] = middle;
    }
    const auto close_to = [&](const Ground& ground) {
        int count = 0;
        for (int row = 0; row < kInside; ++row) {
            const Rgb here = ground.at(row);
            for (int col = 0; col < kInside; ++col)
                count += most_different(patch[(row + kRim) * kPatch + col + kRim], here) < kClose;
        }
        return count;
    };
    Ground best{above, below};
    float most = 1.15f * static_cast<float>(close_to(best));
    for (int i = 0; i < kInside * kInside; i += 11) {
        const Rgb& colour = patch[(i / kInside + kRim) * kPatch + i % kInside + kRim];
        const auto count = static_cast<float>(close_to({colour, colour}));
        if (count > most) most = count, best = {colour, colour};
    }
    return best;
}

// Read the glyph of a cell.
void read_glyph(const Patch& patch, const Ground& ground, Glyph& glyph) {
    std::array<float, kInside * kInside> contrast;
    for (int row = 0; row < kInside; ++row) {
        const Rgb here = ground.at(row);
        for (int col = 0; col < kInside; ++col)
            contrast[row * kInside + col] = most_different(patch[(row + kRim) * kPatch + col + kRim], here);
    }
    std::array<bool, kInside * kInside> marks;
    float most = 0;
    // A strong rim hides a faint glyph until it is cleared.
    for (int round = 0; round < 3; ++round) {
        most = *std::max_element(contrast.begin(), contrast.end());
        for (int i = 0; i < kInside * kInside; ++i) marks[i] = contrast[i] > std::max(kFaintestInk, 0.25f * most);
        if (!clear_rim(marks, contrast)) break;
    }
    most = *std::max_element(contrast.begin(), contrast.end());
    if (most < kFaintestInk) return;
    int count = 0, top = kInside, bottom = 0, left = kInside, right = 0;
    Rgb ink{};
    float inked = 0;
    for (int i = 0; i < kInside * kInside; ++i) {
        if (contrast[i] <= std::max(kFaintestInk, 0.35f * most)) continue;
        ++count;
        const int row = i / kInside, col = i % kInside;
        top = std::min(top, row), bottom = std::max(bottom, row + 1);
        left = std::min(left, col), right = std::max(right, col + 1);
        if (contrast[i] < 0.75f * most) continue;
        inked += 1;
        for (int c = 0; c < 3; ++c) ink[c] += patch[(row + kRim) * kPatch + col + kRim][c];
    }
    if (count < kSmallest) return;
    for (int c = 0; c < 3; ++c) glyph.ink[c] = ink[c] / inked;
    glyph.contrast = most;
    glyph.wide = static_cast<float>(right - left) / kPatch;
    glyph.high = static_cast<float>(bottom - top) / kPatch;
    glyph.across = (static_cast<float>(left + right) / 2 + kRim) / kPatch - 0.5f;
    glyph.down = (static_cast<float>(top + bottom) / 2 + kRim) / kPatch - 0.5f;
    // Scale the longer side to the side of the map.
    const float scale = static_cast<float>(std::max(right - left, bottom - top)) / kMapSide;
    const float middle_x = static_cast<float>(left + right) / 2, middle_y = static_cast<float>(top + bottom) / 2;
    const auto at = [&](int row, int col) {
        if (row < top || row >= bottom || col < left || col >= right) return 0.0f;
        return contrast[row * kInside + col];
    };
    for (int row = 0; row < kMapSide; ++row) {
        for (int col = 0; col < kMapSide; ++col) {
            const float x = middle_x + (static_cast<float>(col) + 0.5f - kMapSide / 2.0f) * scale - 0.5f;
            const float y = middle_y + (static_cast<float>(row) + 0.5f - kMapSide / 2.0f) * scale - 0.5f;
            const int i = static_cast<int>(std::floor(y)), j = static_cast<int>(std::floor(x));
            const float lower = y - static_cast<float>(i), further = x - static_cast<float>(j);
            const float value = (1 - lower) * ((1 - further) * at(i, j) + further * at(i, j + 1)) +
                                lower * ((1 - further) * at(i + 1, j) + further * at(i + 1, j + 1));
            glyph.map[row * kMapSide + col] =
                static_cast<std::uint8_t>(std::lround(std::min(1.0f, value / most) * 255));
        }
    }
}

// The colours of a ground and of its sides, as a vector.
std::array<float, 15> ground_of(const CellLook& look) {
    std::array<float, 15> out;
    for (int c = 0; c < 3; ++c) {
        out[c] = look.ground[c];
        for (int side = 0; side < 4; ++side) out[3 + 3 * side + c] = look.sides[side][c] / 2;
    }
    return out;
}

// Split a group into two numbered `group` and `next` if it clearly has two parts: a chain of slight differences may
// have joined them. Returns whether it was split.
bool split(const std::vector<CellLook>& looks, std::vector<int>& group, int number, int next) {
    constexpr float kApart = 5;  // distance of the means, in standard deviations
    std::vector<int> cells;
    for (std::size_t cell = 0; cell < group.size(); ++cell)
        if (group[cell] == number) cells.push_back(static_cast<int>(cell));
    if (cells.size() < 4) return false;
    const auto distance = [](const std::array<float, 15>& a, const std::array<float, 15>& b) {
        float sum = 0;
        for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
        return sum;
    };
    std::vector<std::array<float, 15>> points;
    for (const int cell : cells) points.push_back(ground_of(looks[cell]));
    const auto farthest = [&](const std::array<float, 15>& from) {
        return *std::max_element(points.begin(), points.end(), [&](const auto& a, const auto& b) {
            return distance(a, from) < distance(b, from);
        });
    };
    std::array<float, 15> one = farthest(points[0]), other = farthest(one);
    std::vector<bool> second(points.size());
    float scatter = 0;
    std::size_t count = 0;
    for (int round = 0; round < 6; ++round) {
        std::array<float, 15> sums[2] = {};
        float sizes[2] = {0, 0};
        scatter = 0;
        for (std::size_t i = 0; i < points.size(); ++i) {
            second[i] = distance(points[i], other) < distance(points[i], one);
            scatter += std::min(distance(points[i], other), distance(points[i], one));
            sizes[second[i]] += 1;
            for (std::size_t k = 0; k < one.size(); ++k) sums[second[i]][k] += points[i][k];
        }
        count = static_cast<std::size_t>(sizes[1]);
        if (count == 0 || count == points.size()) return false;
        for (std::size_t k = 0; k < one.size(); ++k) one[k] = sums[0][k] / sizes[0], other[k] = sums[1][k] / sizes[1];
    }
    const float deviation = std::sqrt(scatter / static_cast<float>(points.size()));
    if (distance(one, other) < kApart * kApart * std::max(1.5f, deviation) * std::max(1.5f, deviation)) return false;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (second[i]) group[cells[i]] = next;
    return true;
}

}  // namespace

CellLook look_at(const Picture& picture, double left, double top, double across, double down) {
    Patch patch;
    sample(picture, left, top, across, down, patch);
    CellLook look;
    const Ground ground = find_ground(patch);
    for (int c = 0; c < 3; ++c) look.ground[c] = (ground.above[c] + ground.below[c]) / 2;
    constexpr int kDeep = 3;
    look.sides = {mean(patch, 0, kDeep, kDeep, kPatch - kDeep), mean(patch, kDeep, kPatch - kDeep, 0, kDeep),
                  mean(patch, kDeep, kPatch - kDeep, kPatch - kDeep, kPatch),
                  mean(patch, kPatch - kDeep, kPatch, kDeep, kPatch - kDeep)};
    for (Rgb& side : look.sides)
        for (int c = 0; c < 3; ++c) side[c] -= look.ground[c];
    read_glyph(patch, ground, look.glyph);
    return look;
}

std::vector<CellLook> looks_of(const Picture& picture, const Lattice& lattice) {
    std::vector<CellLook> looks;
    looks.reserve(static_cast<std::size_t>(lattice.rows) * lattice.cols);
    for (int row = 0; row < lattice.rows; ++row) {
        check_interrupt_now();
        for (int col = 0; col < lattice.cols; ++col)
            looks.push_back(look_at(picture, lattice.x_lines[col], lattice.y_lines[row],
                                    lattice.x_lines[col + 1] - lattice.x_lines[col],
                                    lattice.y_lines[row + 1] - lattice.y_lines[row]));
    }
    // Beside strong glyphs, faint ones are shades of the ground.
    std::vector<float> contrasts;
    for (const CellLook& look : looks) contrasts.push_back(look.glyph.contrast);
    std::nth_element(contrasts.begin(), contrasts.begin() + 2, contrasts.end(), std::greater<>());
    for (CellLook& look : looks)
        if (look.glyph.contrast < kShade * contrasts[2]) look.glyph = {};
    return looks;
}

float ground_difference(const CellLook& a, const CellLook& b) {
    float most = most_different(a.ground, b.ground);
    float sides = 0;
    for (int i = 0; i < 4; ++i) sides += std::max(0.0f, most_different(a.sides[i], b.sides[i]) - 4);
    return most + sides / 4;
}

std::vector<int> group_grounds(const std::vector<CellLook>& looks, int cols, int& groups) {
    constexpr float kAlike = 9;
    constexpr int kMostGroups = 30;
    const int cells = static_cast<int>(looks.size());
    std::vector<int> parent(looks.size());
    const auto root = [&](int cell) {
        while (parent[cell] != cell) cell = parent[cell] = parent[parent[cell]];
        return cell;
    };
    for (float alike = kAlike; alike <= 2 * kAlike; alike *= 1.4f) {
        std::iota(parent.begin(), parent.end(), 0);
        for (int cell = 0; cell < cells; ++cell) {
            // Cells up to two apart.
            for (const int step : {1, 2, cols - 1, cols, cols + 1, cols + 2, cols - 2, 2 * cols}) {
                const int near = cell + step;
                if (near >= cells || std::abs(near % cols - cell % cols) > 2) continue;
                if (ground_difference(looks[cell], looks[near]) < alike) parent[root(cell)] = root(near);
            }
        }
        // Join groups that lie apart and look alike: each is compared by its mean.
        std::vector<int> roots;
        std::vector<CellLook> means;
        std::vector<int> sizes;
        std::vector<int> number(looks.size(), -1);
        for (int cell = 0; cell < cells; ++cell) {
            const int top = root(cell);
            if (number[top] < 0) {
                number[top] = static_cast<int>(roots.size());
                roots.push_back(top);
                means.push_back(CellLook{});
                sizes.push_back(0);
            }
            CellLook& sum = means[number[top]];
            ++sizes[number[top]];
            for (int c = 0; c < 3; ++c) {
                sum.ground[c] += looks[cell].ground[c];
                for (int side = 0; side < 4; ++side) sum.sides[side][c] += looks[cell].sides[side][c];
            }
        }
        for (std::size_t i = 0; i < roots.size(); ++i) {
            const auto size = static_cast<float>(sizes[i]);
            for (int c = 0; c < 3; ++c) {
                means[i].ground[c] /= size;
                for (int side = 0; side < 4; ++side) means[i].sides[side][c] /= size;
            }
            for (std::size_t j = 0; j < i; ++j)
                if (ground_difference(means[i], means[j]) < alike) parent[root(roots[i])] = root(roots[j]);
        }
        groups = 0;
        for (int cell = 0; cell < cells; ++cell) groups += root(cell) == cell;
        if (groups <= kMostGroups) break;
    }
    std::vector<int> group(looks.size()), numbers(looks.size(), -1);
    int next = 0;
    for (int cell = 0; cell < cells; ++cell) {
        int& one = numbers[root(cell)];
        if (one < 0) one = next++;
        group[cell] = one;
    }
    groups = next;
    for (int number = 0; number < groups && groups < 2 * kMostGroups; ++number)
        while (split(looks, group, number, groups)) ++groups;
    return group;
}

float difference(const Glyph& a, const Glyph& b) {
    float apart = 0, ink = 1;
    for (std::size_t i = 0; i < a.map.size(); ++i) {
        apart += std::abs(static_cast<float>(a.map[i]) - static_cast<float>(b.map[i]));
        ink += std::max(a.map[i], b.map[i]);
    }
    const float size = std::max(std::abs(a.wide - b.wide), std::abs(a.high - b.high));
    return apart / ink + 2 * size + most_different(a.ink, b.ink) / 128;
}

}  // namespace mines
