#include "see/lattice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/interrupt.hpp"

namespace mines {
namespace {

constexpr int kBand = 4;        // pixels that are averaged along an edge
constexpr int kFaintest = 3;    // of 255: the least difference of colour at an edge
constexpr int kShortest = 5;    // lines in a comb
constexpr double kStretch = 1.12;  // the most by which the sides of a cell differ

// The edges across one direction. Position i of a band lies between its pixels i - 1 and i.
class Edges {
  public:
    // Find the edges between columns of pixels, or between rows.
    Edges(const Picture& picture, bool between_columns) {
        length = between_columns ? picture.width : picture.height;
        bands = (between_columns ? picture.height : picture.width) / kBand;
        strength_.assign(static_cast<std::size_t>(bands) * length, 0);
        std::vector<int> sums(3 * static_cast<std::size_t>(std::max(picture.width, picture.height)));
        if (between_columns) {
            for (int band = 0; band < bands; ++band) {
                std::fill(sums.begin(), sums.end(), 0);
                for (int y = band * kBand; y < (band + 1) * kBand; ++y) {
                    const std::uint8_t* const row = picture.at(0, y);
                    for (int i = 0; i < 3 * picture.width; ++i) sums[i] += row[i];
                }
                for (int x = 1; x < length; ++x) at(band, x) = difference(&sums[3 * x - 3], &sums[3 * x]);
            }
            keep_peaks();
            return;
        }
        const int used = bands * kBand;
        std::vector<int> above(3 * static_cast<std::size_t>(bands)), below = above;
        for (int y = 0; y < picture.height; ++y) {
            const std::uint8_t* pixel = picture.at(0, y);
            std::fill(below.begin(), below.end(), 0);
            for (int x = 0; x < used; ++x, pixel += 3)
                for (int c = 0; c < 3; ++c) below[3 * (x / kBand) + c] += pixel[c];
            if (y > 0)
                for (int band = 0; band < bands; ++band) at(band, y) = difference(&above[3 * band], &below[3 * band]);
            above.swap(below);
        }
        keep_peaks();
    }

    int length, bands;

    std::uint8_t& at(int band, int position) {
        return strength_[static_cast<std::size_t>(band) * length + position];
    }
    std::uint8_t at(int band, int position) const {
        return strength_[static_cast<std::size_t>(band) * length + position];
    }

    // The greatest strength within about a pixel of a place.
    int near(int band, double place) const {
        const int first = std::max(1, static_cast<int>(std::lround(place - 0.9)));
        const int last = std::min(length - 1, static_cast<int>(std::lround(place + 0.9)));
        int most = 0;
        for (int i = first; i <= last; ++i) most = std::max<int>(most, at(band, i));
        return most;
    }

  private:
    static std::uint8_t difference(const int* before, const int* after) {
        int most = 0;
        for (int c = 0; c < 3; ++c) most = std::max(most, std::abs(after[c] - before[c]));
        return static_cast<std::uint8_t>(most / kBand);
    }
    // Take off what a slow change of colour adds to each edge.
    void keep_peaks() {
        std::vector<std::uint8_t> raw(static_cast<std::size_t>(length));
        for (int band = 0; band < bands; ++band) {
            std::uint8_t* const row = &at(band, 0);
            std::copy(row, row + length, raw.begin());
            for (int i = 3; i + 3 < length; ++i) {
                const int slope = std::min(std::max(raw[i - 3], raw[i - 2]), std::max(raw[i + 2], raw[i + 3]));
                row[i] = static_cast<std::uint8_t>(std::max(0, raw[i] - slope));
            }
        }
    }

    std::vector<std::uint8_t> strength_;
};

// Parallel lines at equal distances.
struct Comb {
    double first, pitch;
    int lines;
    double support;  // bands with an edge, over all lines
};

// Fit equal distances to lines.
Comb fit(const std::vector<int>& places, double support) {
    const auto n = static_cast<double>(places.size());
    double mean = 0, slope = 0, spread = 0;
    for (const int place : places) mean += place / n;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const double from_middle = static_cast<double>(i) - (n - 1) / 2;
        slope += from_middle * (places[i] - mean);
        spread += from_middle * from_middle;
    }
    const double pitch = slope / spread;
    return {mean - pitch * (n - 1) / 2, pitch, static_cast<int>(places.size()), support};
}

double value(const std::vector<double>& of, double place) {
    const auto i = static_cast<std::ptrdiff_t>(std::floor(place));
    if (i < 0 || i + 1 >= static_cast<std::ptrdiff_t>(of.size())) return 0;
    return of[i] + (of[i + 1] - of[i]) * (place - static_cast<double>(i));
}

// Fit equally spaced lines to a profile, to a fraction of a pixel.
void refine(const std::vector<double>& edges, double& first, double& pitch, int cells) {
    double best = -1, best_first = first, best_pitch = pitch;
    const double reach = std::min(1.0, 2.0 / cells), middle = first + pitch * cells / 2;
    for (int i = -20; i <= 20; ++i) {
        const double p = pitch + reach * i / 20;
        for (double shift = -2; shift <= 2; shift += 0.25) {
            const double start = middle - p * cells / 2 + shift;
            double sum = 0;
            for (int line = 0; line <= cells; ++line) sum += value(edges, start + line * p);
            if (sum > best) best = sum, best_first = start, best_pitch = p;
        }
    }
    first = best_first;
    pitch = best_pitch;
}

// Move lines to the middle between cells.
void centre_lines(const std::vector<double>& edges, double& first, double pitch, int cells) {
    // Fold the profile; lines, gaps and bevels lie around the middle between two cells alike.
    const auto folded = [&](double offset) {
        double sum = 0;
        for (int line = 0; line <= cells; ++line) sum += value(edges, first + offset + line * pitch);
        return sum;
    };
    double base = folded(pitch / 2);
    for (double offset = 0.3; offset < 0.7; offset += 0.1) base = std::min(base, folded(pitch * offset));
    double most = 0, centre = 0;
    const double wide = 0.16 * pitch;
    for (double shift = -wide; shift <= wide; shift += 0.5) {
        double sum = std::max(0.0, folded(shift) - base);
        for (double k = 0.5; k <= wide; k += 0.5)
            sum += 2 * std::sqrt(std::max(0.0, folded(shift - k) - base) * std::max(0.0, folded(shift + k) - base));
        sum *= 1 - 0.3 * std::abs(shift) / wide;
        if (sum > most) most = sum, centre = shift;
    }
    first += centre;
}

// Return equally spaced lines, each moved to the middle between its own cells.
std::vector<double> exact_lines(const std::vector<double>& edges, double first, double pitch, int cells) {
    std::vector<double> lines;
    for (int line = 0; line <= cells; ++line) {
        lines.push_back(first + line * pitch);
        centre_lines(edges, lines.back(), pitch, 0);
    }
    return lines;
}

// Find combs: in each band the chains of edges at one distance, then the chains of the places that many bands share.
std::vector<Comb> find_combs(const Edges& edges) {
    std::vector<std::vector<int>> peaks(static_cast<std::size_t>(edges.bands));
    for (int band = 0; band < edges.bands; ++band)
        for (int i = 2; i + 2 < edges.length; ++i) {
            const int here = edges.at(band, i);
            if (here >= kFaintest && here >= edges.at(band, i - 1) && here > edges.at(band, i + 1))
                peaks[band].push_back(i);
        }
    std::vector<Comb> combs;
    const auto size = static_cast<std::size_t>(edges.length + 2 * kLargestPitch + 4);
    std::vector<double> counts(static_cast<std::size_t>(edges.length));
    std::vector<int> before(size), after(size), shared(size), best(size), from(size), places;
    for (int pitch = kSmallestPitch; pitch <= kLargestPitch; ++pitch) {
        check_interrupt_now();
        if (pitch * (kShortest - 1) > edges.length) break;
        std::fill(shared.begin(), shared.end(), 0);
        const int shift = pitch + 2;  // so that no index is negative
        for (const std::vector<int>& band : peaks) {
            for (const int i : band) {
                const int* const back = &before[i + shift - pitch];
                before[i + shift] = 1 + std::max({back[-1], back[0], back[1]});
            }
            for (auto i = band.rbegin(); i != band.rend(); ++i) {
                const int* const on = &after[*i + shift + pitch];
                after[*i + shift] = 1 + std::max({on[-1], on[0], on[1]});
            }
            for (const int i : band) {
                if (before[i + shift] + after[i + shift] > kShortest) ++shared[i + shift];
            }
            for (const int i : band) before[i + shift] = after[i + shift] = 0;
        }
        // The strongest chains of shared places.
        for (int found = 0; found < 3; ++found) {
            std::fill(best.begin(), best.end(), 0);
            int end = 0;
            for (int i = shift; i < edges.length + shift; ++i) {
                if (shared[i] < 1) continue;
                from[i] = 0;
                for (const int near : {i - pitch, i - pitch - 1, i - pitch + 1})
                    if (best[near] > best[from[i]]) from[i] = near;
                best[i] = shared[i] + best[from[i]];
                if (best[i] > best[end]) end = i;
            }
            places.clear();
            for (int i = end; i > 0; i = from[i]) places.insert(places.begin(), i - shift);
            if (static_cast<int>(places.size()) < kShortest) break;
            Comb comb = fit(places, best[end]);
            for (int i = 0; i < edges.length; ++i) counts[i] = std::sqrt(shared[i + shift]);
            refine(counts, comb.first, comb.pitch, comb.lines - 1);
            combs.push_back(comb);
            for (const int place : places)
                for (int i = place - 2; i <= place + 2; ++i)
                    if (i + shift >= 0) shared[i + shift] = 0;
        }
    }
    std::sort(combs.begin(), combs.end(), [](const Comb& a, const Comb& b) { return a.support > b.support; });
    if (combs.size() > 48) combs.resize(48);
    return combs;
}

// The sides of cells along one direction: rows of vertical sides, or columns of horizontal ones.
class Sides {
  public:
    Sides(const Edges& edges, int faintest, double first, double pitch, double start, double width)
        : edges_(edges), faintest_(faintest), first_(first), pitch_(pitch), start_(start), width_(width) {}

    // Whether line `line` has an edge along cell `cell`: most of the bands within the middle of the cell have one.
    bool present(int line, int cell) const {
        const double place = first_ + line * pitch_;
        if (place < 1 || place > edges_.length - 1) return false;
        int found = 0, of = 0;
        for (int band = first_band(cell); band <= last_band(cell); ++band) {
            ++of;
            found += edges_.near(band, place) >= faintest_;
        }
        return found > 0 && 4 * found >= 3 * of;
    }

    // The strength of an edge along the whole side of a cell, at most 40.
    int strength(double line, int cell) const {
        const double place = first_ + line * pitch_;
        if (place < 1 || place > edges_.length - 1) return 0;
        int least = 40;
        for (int band = first_band(cell); band <= last_band(cell); ++band)
            least = std::min(least, edges_.near(band, place));
        return least == 40 && first_band(cell) > last_band(cell) ? 0 : least;
    }

  private:
    int first_band(int cell) const {
        const double middle = start_ + (cell + 0.5) * width_;
        return std::max(0, static_cast<int>(std::min(std::ceil((middle - 0.4 * width_) / kBand), middle / kBand)));
    }
    int last_band(int cell) const {
        const double middle = start_ + (cell + 0.5) * width_;
        const double last = std::max(std::floor((middle + 0.4 * width_) / kBand) - 1, std::floor(middle / kBand));
        return std::min(edges_.bands - 1, static_cast<int>(last));
    }

    const Edges& edges_;
    int faintest_;
    double first_, pitch_, start_, width_;
};

// Trim and extend the rows of a lattice to those in which most cells have their left and right sides; `along` says
// whether a row of cells is meant, or a column.
class Extent {
  public:
    Extent(const Edges& x_edges, const Edges& y_edges, int faintest)
        : x_edges_(x_edges), y_edges_(y_edges), faintest_(faintest) {}

    void settle(Lattice& lattice) const {
        for (int round = 0; round < 3; ++round) {
            const Lattice before = lattice;
            lattice.may_go_on = false;
            trim(lattice, true);
            trim(lattice, false);
            if (lattice.rows == before.rows && lattice.cols == before.cols && lattice.left == before.left &&
                lattice.top == before.top)
                break;
        }
        lattice.support = support(lattice);
    }

  private:
    // The share of the sides of a row (or column) that have an edge, less that of places between them.
    double share(const Lattice& lattice, bool row, int number) const {
        const int count = row ? lattice.cols : lattice.rows;
        int found = 0, chance = 0;
        for (const double offset : {0.0, 1.0 / 3, 0.5, 2.0 / 3}) {
            const Sides sides =
                row ? Sides(x_edges_, faintest_, lattice.left + offset * lattice.across, lattice.across, lattice.top, lattice.down)
                    : Sides(y_edges_, faintest_, lattice.top + offset * lattice.down, lattice.down, lattice.left, lattice.across);
            for (int line = 0; line < count + (offset == 0); ++line)
                (offset == 0 ? found : chance) += sides.present(line, number);
        }
        return static_cast<double>(found) / (count + 1) - chance / 3.0 / count;
    }

    // The share of the cells along a line that have an edge there.
    double along(const Lattice& lattice, bool row, int line) const {
        const Sides sides = row ? Sides(y_edges_, faintest_, lattice.top, lattice.down, lattice.left, lattice.across)
                                : Sides(x_edges_, faintest_, lattice.left, lattice.across, lattice.top, lattice.down);
        const int count = row ? lattice.cols : lattice.rows;
        int found = 0;
        for (int cell = 0; cell < count; ++cell) found += sides.present(line, cell);
        return static_cast<double>(found) / count;
    }

    void trim(Lattice& lattice, bool row) const {
        constexpr double kEnough = 0.35, kFew = 0.12, kFrame = 0.8;
        int& count = row ? lattice.rows : lattice.cols;
        double& start = row ? lattice.top : lattice.left;
        const double pitch = row ? lattice.down : lattice.across;
        constexpr int kReach = 64;
        const int length = row ? y_edges_.length : x_edges_.length;
        const int low = std::max(-kReach, static_cast<int>(std::ceil((-start - 1) / pitch)));
        const int high = std::min(count + kReach, static_cast<int>(std::floor((length - start + 1) / pitch)));
        // The longest run of rows with enough edges; up to two poor rows may lie between.
        int best_from = 0, best_to = 0, from = 0, to = low - 9, good = 0, best_good = 0, all = 0;
        for (int i = low; i < high; ++i) {
            if (share(lattice, row, i) < kEnough) continue;
            if (i - to > 2) from = i, good = 0;
            to = i + 1;
            ++good, ++all;
            if (to - from > best_to - best_from) best_from = from, best_to = to, best_good = good;
        }
        if (all - best_good > 1) lattice.may_go_on = true;
        // An open row may have few edges, but then the board ends with a line.
        if (best_to > best_from) {
            const int first = best_from - 1, last = best_to;
            if (first >= low && share(lattice, row, first) >= kFew && along(lattice, row, first) >= kFrame) --best_from;
            if (last < high && share(lattice, row, last) >= kFew && along(lattice, row, last + 1) >= kFrame) ++best_to;
        }
        count = best_to - best_from;
        start += best_from * pitch;
    }

    // Count the sides with an edge, less what places between the lines have by chance. Return 0 if the edges lie on
    // every second or third line: the cells are larger then.
    double support(const Lattice& lattice) const {
        double sum = 0, sides_in_all = 0;
        bool multiple = false;
        for (const bool between_columns : {true, false}) {
            const int lines = 1 + (between_columns ? lattice.cols : lattice.rows);
            const int cells = between_columns ? lattice.rows : lattice.cols;
            const auto found_at = [&](int line, double offset) {
                const Sides sides =
                    between_columns
                        ? Sides(x_edges_, faintest_, lattice.left + offset * lattice.across, lattice.across, lattice.top, lattice.down)
                        : Sides(y_edges_, faintest_, lattice.top + offset * lattice.down, lattice.down, lattice.left, lattice.across);
                int found = 0;
                for (int cell = 0; cell < cells; ++cell) found += sides.present(line, cell);
                return found;
            };
            std::vector<int> found(static_cast<std::size_t>(lines));
            int all = 0, chance = 0;
            for (int line = 0; line < lines; ++line) {
                all += found[line] = found_at(line, 0);
                if (line + 1 < lines) chance += found_at(line, 1.0 / 3) + found_at(line, 0.5) + found_at(line, 2.0 / 3);
            }
            sum += all - chance / 3.0 - 0.3 * (lines * cells - all);
            sides_in_all += lines * cells;
            for (const int step : {2, 3}) {
                for (int first = 0; first < step; ++first) {
                    int on = 0, count = 0;
                    for (int line = first; line < lines; line += step) on += found[line], ++count;
                    multiple |= (all - on) * count < 0.6 * on * (lines - count);
                }
            }
        }
        return multiple ? 0 : sum * std::max(0.0, sum / sides_in_all);
    }

    const Edges &x_edges_, &y_edges_;
    const int faintest_;
};

// The edges of one direction within a lattice, added up over its bands.
std::vector<double> profile(const Edges& edges, double start, double end) {
    std::vector<double> sums(static_cast<std::size_t>(edges.length), 0.0);
    for (int band = static_cast<int>(std::ceil(start / kBand)); (band + 1) * kBand <= end && band < edges.bands; ++band)
        for (int i = 1; i < edges.length; ++i) sums[i] += std::min<int>(edges.at(band, i), 40);
    return sums;
}

double overlap(const Lattice& a, const Lattice& b) {
    const double wide = std::min(a.right(), b.right()) - std::max(a.left, b.left);
    const double high = std::min(a.bottom(), b.bottom()) - std::max(a.top, b.top);
    return wide <= 0 || high <= 0 ? 0 : wide * high / std::min(a.area(), b.area());
}

// Keep the first lattices, but only `each` for a place, and at most `most`.
void keep_best(std::vector<Lattice>& found, int each, std::size_t most) {
    std::vector<Lattice> best;
    for (const Lattice& one : found) {
        const auto over = std::count_if(best.begin(), best.end(), [&](const Lattice& b) { return overlap(b, one) > 0.5; });
        if (over < each && best.size() < most) best.push_back(one);
    }
    found.swap(best);
}

}  // namespace

std::vector<Lattice> find_lattices(const Picture& picture) {
    const Edges x_edges(picture, true), y_edges(picture, false);
    const std::vector<Comb> columns = find_combs(x_edges), rows = find_combs(y_edges);
    // Pictures with noise need edges that stand out.
    const auto settle = [&](Lattice& lattice) {
        const Lattice rough = lattice;
        lattice.rows = lattice.cols = 0, lattice.support = 0;
        for (const int faintest : {kFaintest, 3 * kFaintest, 8 * kFaintest}) {
            Lattice one = rough;
            Extent(x_edges, y_edges, faintest).settle(one);
            if (one.rows >= kFewestCells && one.cols >= kFewestCells && one.support > lattice.support) lattice = one;
        }
    };
    const auto by_support = [](const Lattice& a, const Lattice& b) { return a.support > b.support; };
    std::vector<Lattice> found;
    for (const Comb& across : columns) {
        for (const Comb& down : rows) {
            if (across.pitch > kStretch * down.pitch || down.pitch > kStretch * across.pitch) continue;
            check_interrupt();
            Lattice one{across.first, down.first, across.pitch, down.pitch, down.lines - 1, across.lines - 1, {}, {}, false, 0};
            const Sides x_sides(x_edges, 0, one.left, one.across, one.top, one.down);
            const Sides y_sides(y_edges, 0, one.top, one.down, one.left, one.across);
            for (int row = 0; row < one.rows; ++row) {
                for (int col = 0; col < one.cols; ++col) {
                    const int side = x_sides.strength(col, row), inside = x_sides.strength(col + 0.5, row);
                    const int upper = y_sides.strength(row, col), within = y_sides.strength(row + 0.5, col);
                    one.support += std::sqrt(std::max(0, side - inside) * std::max(0, upper - within));
                }
            }
            if (one.support > 0) found.push_back(one);
        }
    }
    std::stable_sort(found.begin(), found.end(), by_support);
    keep_best(found, 6, 24);
    for (Lattice& one : found) settle(one);
    found.erase(std::remove_if(found.begin(), found.end(), [](const Lattice& one) { return one.rows == 0; }), found.end());
    std::stable_sort(found.begin(), found.end(), by_support);
    keep_best(found, 2, 8);
    for (Lattice& one : found) {
        // What the rough fit missed.
        for (int round = 0; round < 2; ++round) {
            const std::vector<double> x_profile = profile(x_edges, one.top, one.bottom());
            const std::vector<double> y_profile = profile(y_edges, one.left, one.right());
            refine(x_profile, one.left, one.across, one.cols);
            refine(y_profile, one.top, one.down, one.rows);
            if (round == 0) settle(one);
            if (one.rows == 0) break;
        }
    }
    std::stable_sort(found.begin(), found.end(), by_support);
    std::vector<Lattice> kept;
    for (Lattice& one : found) {
        if (one.rows == 0) continue;
        if (std::any_of(kept.begin(), kept.end(), [&](const Lattice& k) { return overlap(k, one) > 0.2; })) continue;
        const std::vector<double> x_profile = profile(x_edges, one.top, one.bottom());
        const std::vector<double> y_profile = profile(y_edges, one.left, one.right());
        centre_lines(x_profile, one.left, one.across, one.cols);
        centre_lines(y_profile, one.top, one.down, one.rows);
        one.x_lines = exact_lines(x_profile, one.left, one.across, one.cols);
        one.y_lines = exact_lines(y_profile, one.top, one.down, one.rows);
        kept.push_back(one);
        if (kept.size() == 8) break;
    }
    return kept;
}

}  // namespace mines
