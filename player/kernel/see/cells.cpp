#include "see/cells.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/interrupt.hpp"

namespace mines {
namespace {

constexpr int kLeastSide = 24, kMostSide = 96;  // samples along the side of a cell
constexpr float kFaintestInk = 15;              // of 255: the least contrast of a glyph
constexpr float kShade = 0.25f;                 // of the contrast of the strongest glyphs
constexpr int kSmallest = 6;                    // samples of a glyph
constexpr float kClose = 10;                    // of 255: colours that differ less are alike

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

float most_different(const Rgb& a, const Rgb& b) {
    return std::max({std::abs(a[0] - b[0]), std::abs(a[1] - b[1]), std::abs(a[2] - b[2])});
}

// The samples of a cell: about one for each pixel.
class Patch {
  public:
    Patch(const Picture& picture, double left, double top, double across, double down)
        : side(std::clamp(static_cast<int>(std::lround(std::max(across, down))), kLeastSide, kMostSide)),
          rim(scaled(2)),
          inside(side - 2 * rim),
          samples_(static_cast<std::size_t>(side) * side) {
        for (int row = 0; row < side; ++row)
            for (int col = 0; col < side; ++col)
                samples_[row * side + col] =
                    colour_at(picture, left + across * (col + 0.5) / side, top + down * (row + 0.5) / side);
    }

    const int side;
    const int rim;     // samples between the side of a cell and its inside
    const int inside;  // samples along the side of the inside

    // A length given in 24ths of a cell, in samples.
    int scaled(double length) const { return static_cast<int>(std::lround(length * side / 24)); }
    const Rgb& at(int row, int col) const { return samples_[row * side + col]; }
    const Rgb& within(int row, int col) const { return at(row + rim, col + rim); }

  private:
    std::vector<Rgb> samples_;
};

// The median colour of the two corners inside a cell at one side of it: few glyphs reach there.
Rgb median_of_corners(const Patch& patch, int first_row, int second_row, int first_col, int second_col) {
    const int corner = patch.scaled(5);
    std::vector<float> values;
    Rgb out;
    for (int c = 0; c < 3; ++c) {
        values.clear();
        for (int row = 0; row < corner; ++row) {
            for (int col = 0; col < corner; ++col) {
                values.push_back(patch.within(first_row + row, first_col + col)[c]);
                values.push_back(patch.within(second_row + row, second_col + col)[c]);
            }
        }
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
        std::nth_element(values.begin(), middle, values.end());
        out[c] = *middle;
    }
    return out;
}

// Find the ground by the samples near the sides of a cell, where few glyphs reach: the colour of the corners, or one
// that more of them are close to. Returns how much of the contrast is texture.
float find_ground(const Patch& patch, Rgb& best) {
    struct Sample {
        Rgb colour;
        std::size_t side;  // which it is near
    };
    std::vector<Sample> samples;
    const int depth = patch.scaled(4.5), step = std::max(1, patch.side / 24);
    for (int row = 0; row < patch.inside; row += step) {
        for (int col = 0; col < patch.inside; col += step) {
            const std::array<int, 4> far = {row, col, patch.inside - 1 - col, patch.inside - 1 - row};
            const auto nearest = std::min_element(far.begin(), far.end());
            if (*nearest >= depth) continue;
            samples.push_back({patch.within(row, col), static_cast<std::size_t>(nearest - far.begin())});
        }
    }
    const int end = patch.inside - patch.scaled(5);
    const std::array<Rgb, 4> corners = {
        median_of_corners(patch, 0, 0, 0, end), median_of_corners(patch, end, end, 0, end),
        median_of_corners(patch, 0, end, 0, 0), median_of_corners(patch, 0, end, end, end)};
    for (int c = 0; c < 3; ++c) {
        std::array<float, 4> all;
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = corners[i][c];
        std::sort(all.begin(), all.end());
        best[c] = (all[1] + all[2]) / 2;
    }
    // A bevel has two colours on opposite sides; the ground is near all.
    const auto close_to = [&](const Rgb& ground) {
        std::array<int, 4> counts{};
        for (const Sample& one : samples) counts[one.side] += most_different(one.colour, ground) < kClose;
        return std::min(counts[0], counts[3]) + std::min(counts[1], counts[2]);
    };
    double most = 1.15 * close_to(best);
    for (std::size_t i = 0; i < samples.size() && most < 0.45 * static_cast<double>(samples.size()); i += 7) {
        const double count = close_to(samples[i].colour);
        if (count > most) most = count, best = samples[i].colour;
    }
    std::vector<float> apart;
    for (const Sample& one : samples) {
        const float here = most_different(one.colour, best);
        if (here < kClose) apart.push_back(here);
    }
    const auto most_of_them = apart.begin() + static_cast<std::ptrdiff_t>(apart.size() * 3 / 5);
    std::nth_element(apart.begin(), most_of_them, apart.end());
    return apart.empty() ? 0 : *most_of_them;
}

// Clear what reaches in from the side of a cell, such as a bevel: connected marks near the sides, and their seam.
// Returns whether there was any.
bool clear_rim(const Patch& patch, const std::vector<char>& marks, std::vector<float>& contrast) {
    const int size = patch.inside;
    bool cleared = false;
    std::vector<char> seen(marks.size(), 0);
    std::vector<int> piece;
    const auto each_near = [&](int one, const auto& visit) {
        const int row = one / size, col = one % size;
        for (int r = std::max(row - 1, 0); r <= std::min(row + 1, size - 1); ++r)
            for (int c = std::max(col - 1, 0); c <= std::min(col + 1, size - 1); ++c) visit(r * size + c);
    };
    for (int start = 0; start < size * size; ++start) {
        if (!marks[start] || seen[start]) continue;
        piece.assign(1, start);
        seen[start] = 1;
        int depth = 0;
        bool touches = false;
        for (std::size_t i = 0; i < piece.size(); ++i) {
            const int row = piece[i] / size, col = piece[i] % size;
            const int from_side = std::min({row, col, size - 1 - row, size - 1 - col});
            depth = std::max(depth, from_side);
            touches |= from_side == 0;
            each_near(piece[i], [&](int near) {
                if (marks[near] && !seen[near]) seen[near] = 1, piece.push_back(near);
            });
        }
        if (!touches || depth > patch.scaled(4)) continue;
        cleared = true;
        for (const int one : piece)
            each_near(one, [&](int near) {
                if (!marks[near] || near == one) contrast[near] = 0;
            });
    }
    return cleared;
}

// Read the glyph of a cell.
void read_glyph(const Patch& patch, const Rgb& ground, float texture, Glyph& glyph) {
    const int size = patch.inside;
    std::vector<float> contrast(static_cast<std::size_t>(size) * size);
    for (int row = 0; row < size; ++row)
        for (int col = 0; col < size; ++col)
            contrast[row * size + col] =
                std::max(0.0f, most_different(patch.within(row, col), ground) - 1.5f * texture);
    std::vector<char> marks(contrast.size());
    float most = 0;
    // A strong rim hides a faint glyph until it is cleared.
    for (int round = 0; round < 3; ++round) {
        most = *std::max_element(contrast.begin(), contrast.end());
        if (most < kFaintestInk) return;
        for (std::size_t i = 0; i < marks.size(); ++i) marks[i] = contrast[i] > std::max(kFaintestInk, 0.25f * most);
        if (!clear_rim(patch, marks, contrast)) break;
    }
    most = *std::max_element(contrast.begin(), contrast.end());
    if (most < kFaintestInk) return;
    int count = 0, top = size, bottom = 0, left = size, right = 0;
    Rgb ink{}, hue{};
    float inked = 0, weight = 0;
    for (int row = 0; row < size; ++row) {
        for (int col = 0; col < size; ++col) {
            const float here = contrast[row * size + col];
            if (here <= std::max(kFaintestInk, 0.35f * most)) continue;
            ++count;
            top = std::min(top, row), bottom = std::max(bottom, row + 1);
            left = std::min(left, col), right = std::max(right, col + 1);
            Rgb apart = patch.within(row, col);
            float length = 0;
            for (int c = 0; c < 3; ++c) apart[c] -= ground[c], length += apart[c] * apart[c];
            for (int c = 0; c < 3; ++c) hue[c] += apart[c] / std::sqrt(length);
            weight += 1;
            if (here < 0.75f * most) continue;
            inked += 1;
            for (int c = 0; c < 3; ++c) ink[c] += patch.within(row, col)[c];
        }
    }
    if (count < kSmallest) return;
    for (int c = 0; c < 3; ++c) glyph.ink[c] = ink[c] / inked;
    const auto side = static_cast<float>(patch.side);
    const float middle_x = static_cast<float>(left + right) / 2, middle_y = static_cast<float>(top + bottom) / 2;
    glyph.contrast = most;
    glyph.colours = 1 - std::sqrt(hue[0] * hue[0] + hue[1] * hue[1] + hue[2] * hue[2]) / weight;
    glyph.wide = static_cast<float>(right - left) / side;
    glyph.high = static_cast<float>(bottom - top) / side;
    glyph.across = (middle_x + static_cast<float>(patch.rim)) / side - 0.5f;
    glyph.down = (middle_y + static_cast<float>(patch.rim)) / side - 0.5f;
    // Scale the longer side to the side of the map; each entry is the mean of several points.
    const float scale = static_cast<float>(std::max(right - left, bottom - top)) / kMapSide;
    const int points = static_cast<int>(std::ceil(scale));
    const auto at = [&](int row, int col) {
        if (row < top || row >= bottom || col < left || col >= right) return 0.0f;
        return contrast[row * size + col];
    };
    for (int row = 0; row < kMapSide; ++row) {
        for (int col = 0; col < kMapSide; ++col) {
            float sum = 0;
            for (int point = 0; point < points * points; ++point) {
                const float down = (static_cast<float>(point / points) + 0.5f) / static_cast<float>(points);
                const float across = (static_cast<float>(point % points) + 0.5f) / static_cast<float>(points);
                const float x = middle_x + (static_cast<float>(col) + across - kMapSide / 2.0f) * scale - 0.5f;
                const float y = middle_y + (static_cast<float>(row) + down - kMapSide / 2.0f) * scale - 0.5f;
                const int i = static_cast<int>(std::floor(y)), j = static_cast<int>(std::floor(x));
                const float lower = y - static_cast<float>(i), further = x - static_cast<float>(j);
                sum += (1 - lower) * ((1 - further) * at(i, j) + further * at(i, j + 1)) +
                       lower * ((1 - further) * at(i + 1, j) + further * at(i + 1, j + 1));
            }
            const float value = sum / static_cast<float>(points * points) / most;
            glyph.map[row * kMapSide + col] = static_cast<std::uint8_t>(std::lround(std::min(1.0f, value) * 255));
        }
    }
}

// The mean ground and sides of cells; sides of the board do not count, unless there is no other.
CellLook mean_ground(const std::vector<CellLook>& looks, const std::vector<int>& cells) {
    CellLook mean;
    std::array<float, 4> counts{};
    for (const int cell : cells) {
        for (int c = 0; c < 3; ++c) mean.ground[c] += looks[cell].ground[c] / static_cast<float>(cells.size());
        for (int side = 0; side < 4; ++side) {
            if (looks[cell].outer[side]) continue;
            counts[side] += 1;
            mean.relief[side] += looks[cell].relief[side];
            for (int c = 0; c < 3; ++c) mean.sides[side][c] += looks[cell].sides[side][c];
        }
    }
    for (int side = 0; side < 4; ++side) {
        mean.outer[side] = counts[side] == 0;
        mean.relief[side] /= std::max(1.0f, counts[side]);
        for (float& one : mean.sides[side]) one /= std::max(1.0f, counts[side]);
    }
    return mean;
}

// The colours of a ground and of its sides, as a vector; sides of the board are like the `usual` ones.
std::array<float, 15> ground_of(const CellLook& look, const CellLook& usual) {
    std::array<float, 15> out;
    for (int c = 0; c < 3; ++c) {
        out[c] = look.ground[c];
        for (int side = 0; side < 4; ++side)
            out[3 + 3 * side + c] = (look.outer[side] ? usual : look).sides[side][c] / 2;
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
    const CellLook usual = mean_ground(looks, cells);
    std::vector<std::array<float, 15>> points;
    for (const int cell : cells) points.push_back(ground_of(looks[cell], usual));
    const auto farthest = [&](const std::array<float, 15>& from) {
        return *std::max_element(points.begin(), points.end(),
                                 [&](const auto& a, const auto& b) { return distance(a, from) < distance(b, from); });
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
    const Patch patch(picture, left, top, across, down);
    CellLook look;
    const float texture = find_ground(patch, look.ground);
    const int deep = patch.scaled(3), end = patch.side - deep;
    const std::array<std::array<int, 4>, 4> strips = {
        {{0, deep, deep, end}, {deep, end, 0, deep}, {deep, end, end, patch.side}, {end, patch.side, deep, end}}};
    for (std::size_t i = 0; i < strips.size(); ++i) {
        const auto [top_row, bottom_row, first, last] = strips[i];
        const auto samples = static_cast<float>((bottom_row - top_row) * (last - first));
        for (int row = top_row; row < bottom_row; ++row) {
            for (int col = first; col < last; ++col) {
                look.relief[i] += most_different(patch.at(row, col), look.ground) / samples;
                for (int c = 0; c < 3; ++c) look.sides[i][c] += (patch.at(row, col)[c] - look.ground[c]) / samples;
            }
        }
    }
    read_glyph(patch, look.ground, texture, look.glyph);
    return look;
}

std::vector<CellLook> looks_of(const Picture& picture, const Lattice& lattice) {
    std::vector<CellLook> looks;
    looks.reserve(static_cast<std::size_t>(lattice.rows()) * lattice.cols());
    for (int row = 0; row < lattice.rows(); ++row) {
        check_interrupt_now();
        for (int col = 0; col < lattice.cols(); ++col)
            looks.push_back(look_at(picture, lattice.x_lines[col], lattice.y_lines[row],
                                    lattice.x_lines[col + 1] - lattice.x_lines[col],
                                    lattice.y_lines[row + 1] - lattice.y_lines[row]));
        for (int col = 0; col < lattice.cols(); ++col)
            looks[looks.size() - lattice.cols() + col].outer = {row == 0, col == 0, col + 1 == lattice.cols(),
                                                                row + 1 == lattice.rows()};
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
    float sides = 0, count = 0;
    for (int i = 0; i < 4; ++i) {
        if (a.outer[i] || b.outer[i]) continue;
        sides +=
            std::max(0.0f, std::max(most_different(a.sides[i], b.sides[i]), std::abs(a.relief[i] - b.relief[i])) - 4);
        count += 1;
    }
    return most + sides / std::max(1.0f, count);
}

std::vector<int> group_grounds(const std::vector<CellLook>& looks, int cols, int& groups) {
    constexpr float kAlike = 9;
    constexpr int kFewGroups = 3, kMostGroups = 30;  // at a slight difference, and at a usual one
    const int cells = static_cast<int>(looks.size());
    std::vector<int> parent(looks.size());
    const auto root = [&](int cell) {
        while (parent[cell] != cell) cell = parent[cell] = parent[parent[cell]];
        return cell;
    };
    for (float alike = kAlike / 3; alike <= 2 * kAlike; alike *= 1.4f) {
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
        std::vector<std::vector<int>> members;
        std::vector<int> number(looks.size(), -1);
        for (int cell = 0; cell < cells; ++cell) {
            int& one = number[root(cell)];
            if (one < 0) one = static_cast<int>(members.size()), members.emplace_back();
            members[one].push_back(cell);
        }
        std::vector<CellLook> means;
        for (const std::vector<int>& group : members) {
            means.push_back(mean_ground(looks, group));
            for (std::size_t other = 0; other + 1 < means.size(); ++other)
                if (ground_difference(means.back(), means[other]) < alike)
                    parent[root(group[0])] = root(members[other][0]);
        }
        groups = 0;
        for (int cell = 0; cell < cells; ++cell) groups += root(cell) == cell;
        if (groups <= (alike < kAlike ? kFewGroups : kMostGroups)) break;
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
