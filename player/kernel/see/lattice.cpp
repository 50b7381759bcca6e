#include "see/lattice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "base/interrupt.hpp"

namespace mines {
namespace {

constexpr int kBand = 4;  // pixels that are averaged along an edge
constexpr std::array<int, 3> kFaintest = {3, 9,
                                          24};  // of 255: the least difference of colour at an edge; noise needs more
constexpr int kShortest = 5;                    // lines in a comb
constexpr double kStretch = 1.12;               // the most by which the sides of a cell differ

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
            prepare();
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
        prepare();
    }

    int length, bands;

    std::uint8_t& at(int band, int position) { return strength_[static_cast<std::size_t>(band) * length + position]; }
    std::uint8_t at(int band, int position) const {
        return strength_[static_cast<std::size_t>(band) * length + position];
    }

    // The greatest strength within about a pixel of a place.
    int near(int band, double place) const {
        const int first = std::max(1, static_cast<int>(place - 0.4));
        const int last = std::min(length - 1, static_cast<int>(place + 1.4));
        int most = 0;
        for (int i = first; i <= last; ++i) most = std::max<int>(most, at(band, i));
        return most;
    }
    // The bands that lie within most of a cell from `start` to `end`: the first, and one after the last.
    std::pair<int, int> within(double start, double end) const {
        const double middle = (start + end) / 2, reach = 0.4 * (end - start);
        const int first = static_cast<int>(std::min(std::ceil((middle - reach) / kBand), middle / kBand));
        const int last =
            static_cast<int>(std::max(std::floor((middle + reach) / kBand) - 1, std::floor(middle / kBand)));
        return {std::clamp(first, 0, bands), std::clamp(last + 1, 0, bands)};
    }
    // Whether there is an edge near a place in most bands along the side of a cell.
    bool present(int faintness, double place, double start, double end) const {
        if (place < 1 || place > length - 1) return false;
        const auto [first, last] = within(start, end);
        const auto position = static_cast<std::size_t>(place + 0.5);
        const std::vector<std::uint16_t>& counts = counts_[static_cast<std::size_t>(faintness)];
        const int found =
            static_cast<std::uint16_t>(counts[last * size() + position] - counts[first * size() + position]);
        return found > 0 && 4 * found >= 3 * (last - first);
    }
    // The strength of an edge along the whole side of a cell, at most 40.
    int strength(double place, double start, double end) const {
        if (place < 1 || place > length - 1) return 0;
        const auto [first, last] = within(start, end);
        int least = first < last ? 40 : 0;
        for (int band = first; band < last && least > 0; ++band) least = std::min(least, near(band, place));
        return least;
    }
    // The edges between `start` and `end`, added up over the bands.
    std::vector<double> profile(double start, double end) const {
        const auto first = std::clamp(static_cast<int>(std::ceil(start / kBand)), 0, bands);
        const auto last = std::clamp(static_cast<int>(std::floor(end / kBand)), first, bands);
        std::vector<double> sums(size());
        for (std::size_t i = 0; i < size(); ++i) sums[i] = sums_[last * size() + i] - sums_[first * size() + i];
        return sums;
    }

  private:
    static std::uint8_t difference(const int* before, const int* after) {
        int most = 0;
        for (int c = 0; c < 3; ++c) most = std::max(most, std::abs(after[c] - before[c]));
        return static_cast<std::uint8_t>(most / kBand);
    }
    std::size_t size() const { return static_cast<std::size_t>(length); }
    void prepare() {
        keep_peaks();
        const std::size_t all = (static_cast<std::size_t>(bands) + 1) * size();
        sums_.assign(all, 0);
        for (auto& counts : counts_) counts.assign(all, 0);
        for (int band = 0; band < bands; ++band) {
            const std::uint8_t* const row = &strength_[band * size()];
            const std::size_t before = band * size(), after = before + size();
            for (std::size_t i = 0; i < size(); ++i) {
                const int most = std::max({i > 0 ? row[i - 1] : 0, int{row[i]}, i + 1 < size() ? row[i + 1] : 0});
                sums_[after + i] = sums_[before + i] + std::min<std::uint32_t>(row[i], 40);
                for (std::size_t k = 0; k < kFaintest.size(); ++k)
                    counts_[k][after + i] = static_cast<std::uint16_t>(counts_[k][before + i] + (most >= kFaintest[k]));
            }
        }
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
    // For each place, over the bands before each: the edges of a strength, and the sum of the strengths up to 40.
    std::array<std::vector<std::uint16_t>, kFaintest.size()> counts_;
    std::vector<std::uint32_t> sums_;
};

// Parallel lines at about equal distances.
struct Comb {
    Lines lines;
    double support;  // bands with an edge, over all lines
};

double value(const std::vector<double>& of, double place) {
    const auto i = static_cast<std::ptrdiff_t>(std::floor(place));
    if (i < 0 || i + 1 >= static_cast<std::ptrdiff_t>(of.size())) return 0;
    return of[i] + (of[i + 1] - of[i]) * (place - static_cast<double>(i));
}

// How far lines must move to lie in the middle between cells, at most `wide`.
double off_centre(const std::vector<double>& edges, const Lines& lines, double pitch, double wide) {
    // Fold the profile; lines, gaps and bevels lie around the middle between two cells alike.
    const auto folded = [&](double offset) {
        double sum = 0;
        for (const double line : lines) sum += value(edges, line + offset);
        return sum;
    };
    double base = folded(pitch / 2);
    for (double offset = 0.3; offset < 0.7; offset += 0.1) base = std::min(base, folded(pitch * offset));
    double most = 0, centre = 0;
    for (double shift = -wide; shift <= wide; shift += 0.5) {
        double sum = std::max(0.0, folded(shift) - base);
        for (double k = 0.5; k <= wide; k += 0.5)
            sum += 2 * std::sqrt(std::max(0.0, folded(shift - k) - base) * std::max(0.0, folded(shift + k) - base));
        sum *= 1 - 0.3 * std::abs(shift) / wide;
        if (sum > most) most = sum, centre = shift;
    }
    return centre;
}

// How sharp the edges are when the cells between lines are laid over each other: greatest at the true distance of
// cells. The first and the last line may be those of a frame.
double sharpness(const std::vector<double>& edges, const Lines& lines) {
    double squares = 0;
    const double pitch = pitch_of(lines);
    for (double offset = -pitch / 2; offset < pitch / 2; offset += 0.5) {
        double sum = 0;
        for (std::size_t i = 1; i + 1 < lines.size(); ++i) sum += value(edges, lines[i] + offset);
        squares += sum * sum;
    }
    return squares / pitch;
}

// The lines at equal distances which are nearest to these and the sharpest.
Lines at_equal_distances(const std::vector<double>& edges, const Lines& lines) {
    constexpr double kMost = 0.15;  // pitches by which the first and last line move
    constexpr double kWhole = 0.6;  // pixels by which they may move to the nearest distance of whole pixels
    const int last = cells_of(lines);
    const double pitch = pitch_of(lines), middle = last / 2.0;
    double mean = 0, slope = 0, squares = 0;
    for (int k = 0; k <= last; ++k) {
        mean += lines[k] / (last + 1);
        slope += (k - middle) * lines[k];
        squares += (k - middle) * (k - middle);
    }
    slope /= squares;
    double most = 0;
    Lines out(lines), best(lines);
    const double reach = std::max(1.0, kMost * pitch) / middle, step = 0.25 / middle;
    for (double distance = slope - reach; distance <= slope + reach; distance += step) {
        for (int k = 0; k <= last; ++k) out[k] = mean + distance * (k - middle);
        const double sharp = sharpness(edges, out);
        if (sharp > most) most = sharp, best = out;
    }
    // Most programs draw cells of whole pixels.
    const double whole = std::round(pitch_of(best));
    if (std::abs(pitch_of(best) - whole) * middle < kWhole)
        for (int k = 0; k <= last; ++k) best[k] = mean + whole * (k - middle);
    return best;
}

// Move lines to the middle between cells, all alike and then each a little. Programs that draw cells at equal distances
// are more common than others.
void centre_lines(const std::vector<double>& edges, Lines& lines) {
    constexpr double kNear = 0.4;   // pixels by which a line of equal distances may move
    constexpr double kEqual = 0.9;  // of the sharpness of any lines, which those at equal distances must have
    const double pitch = pitch_of(lines);
    const Lines equal = at_equal_distances(edges, lines);
    const bool is_equal = sharpness(edges, equal) > kEqual * sharpness(edges, lines);
    if (is_equal) lines = equal;
    const double shift = off_centre(edges, lines, pitch, 0.16 * pitch);
    for (double& line : lines) line += shift;
    if (is_equal && std::abs(pitch_of(lines) - std::round(pitch_of(lines))) < 1e-6) return;
    for (double& line : lines) {
        const double off = off_centre(edges, {line}, pitch, std::max(1.0, 0.04 * pitch));
        line += is_equal ? std::clamp(off, -kNear, kNear) : off;
    }
}

// Find combs: in each band the chains of edges at one distance, then the chains of the places that many bands share.
std::vector<Comb> find_combs(const Edges& edges) {
    std::vector<std::vector<int>> peaks(static_cast<std::size_t>(edges.bands));
    for (int band = 0; band < edges.bands; ++band)
        for (int i = 2; i + 2 < edges.length; ++i) {
            const int here = edges.at(band, i);
            if (here >= kFaintest[0] && here >= edges.at(band, i - 1) && here > edges.at(band, i + 1))
                peaks[band].push_back(i);
        }
    std::vector<Comb> combs;
    const auto size = static_cast<std::size_t>(edges.length + 2 * kLargestPitch + 4);
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
            combs.push_back({Lines(places.begin(), places.end()), static_cast<double>(best[end])});
            for (const int place : places)
                for (int i = place - 2; i <= place + 2; ++i)
                    if (i + shift >= 0) shared[i + shift] = 0;
        }
    }
    std::sort(combs.begin(), combs.end(), [](const Comb& a, const Comb& b) { return a.support > b.support; });
    if (combs.size() > 48) combs.resize(48);
    return combs;
}

// Trims and extends a lattice to the rows and columns in which most cells have their sides.
class Extent {
  public:
    Extent(const Edges& x_edges, const Edges& y_edges, int faintness)
        : x_edges_(x_edges), y_edges_(y_edges), faintness_(faintness) {}

    // Returns false if nothing is left.
    bool settle(Lattice& lattice) const {
        lattice.faintness = faintness_;
        for (int round = 0; round < 3; ++round) {
            const Lattice before = lattice;
            lattice.may_go_on = false;
            if (!trim(lattice, true) || !trim(lattice, false)) return false;
            if (lattice.y_lines == before.y_lines && lattice.x_lines == before.x_lines) break;
        }
        lattice.support = support(lattice);
        return lattice.support > 0;
    }

    // Whether the lines between columns (or rows) go on in a part of a cell at the end of the picture.
    bool is_cut(const Lattice& lattice, bool columns) const {
        const Lines& lines = columns ? lattice.x_lines : lattice.y_lines;
        const Lines& others = columns ? lattice.y_lines : lattice.x_lines;
        const Edges& edges = columns ? x_edges_ : y_edges_;
        const double end = (columns ? y_edges_ : x_edges_).length, pitch = pitch_of(others);
        const auto goes_on = [&](double from, double to) {
            if (to - from < 6 || to - from > pitch) return false;
            const auto found = std::count_if(lines.begin(), lines.end(),
                                             [&](double line) { return edges.present(faintness_, line, from, to); });
            return 2 * found > cells_of(lines);
        };
        return goes_on(0, others.front()) || goes_on(others.back(), end);
    }

  private:
    // Whether line `line` (or a place between two) has an edge along cell `cell`, for lines between columns or rows.
    bool present(const Lattice& lattice, bool between_columns, double line, int cell) const {
        const Lines& lines = between_columns ? lattice.x_lines : lattice.y_lines;
        const Lines& cells = between_columns ? lattice.y_lines : lattice.x_lines;
        const Edges& edges = between_columns ? x_edges_ : y_edges_;
        return edges.present(faintness_, line_at(lines, line), line_at(cells, cell), line_at(cells, cell + 1));
    }

    // The share of the sides of a row (or column) that have an edge, less that of places between them.
    double share(const Lattice& lattice, bool row, int number) const {
        const int count = row ? lattice.cols() : lattice.rows();
        int found = 0, chance = 0;
        for (int line = 0; line <= count; ++line) {
            found += present(lattice, row, line, number);
            for (const double offset : {1.0 / 3, 0.5, 2.0 / 3})
                chance += line < count && present(lattice, row, line + offset, number);
        }
        return static_cast<double>(found) / (count + 1) - chance / 3.0 / count;
    }

    // The share of the cells along a line that have an edge there.
    double along(const Lattice& lattice, bool row, int line) const {
        const int count = row ? lattice.cols() : lattice.rows();
        int found = 0;
        for (int cell = 0; cell < count; ++cell) found += present(lattice, !row, line, cell);
        return static_cast<double>(found) / count;
    }

    bool trim(Lattice& lattice, bool row) const {
        constexpr double kEnough = 0.35, kFew = 0.12, kFrame = 0.8;
        constexpr int kReach = 64;
        Lines& lines = row ? lattice.y_lines : lattice.x_lines;
        const Edges& edges = row ? y_edges_ : x_edges_;
        const double pitch = pitch_of(lines);
        const int before = std::clamp(static_cast<int>((lines.front() + 1) / pitch), 0, kReach);
        const int after = std::clamp(static_cast<int>((edges.length + 1 - lines.back()) / pitch), 0, kReach);
        const Lines known = lines;
        lines.clear();
        for (int line = -before; line <= cells_of(known) + after; ++line) lines.push_back(line_at(known, line));
        // The longest run of rows with enough edges; up to two poor rows may lie between.
        const int rows = cells_of(lines);
        int best_from = 0, best_to = 0, from = 0, to = -9, good = 0, best_good = 0, all = 0;
        for (int i = 0; i < rows; ++i) {
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
            if (first >= 0 && share(lattice, row, first) >= kFew && along(lattice, row, first) >= kFrame) --best_from;
            if (last < rows && share(lattice, row, last) >= kFew && along(lattice, row, last + 1) >= kFrame) ++best_to;
        }
        if (best_to - best_from < kFewestCells) return false;
        lines = Lines(lines.begin() + best_from, lines.begin() + best_to + 1);
        return true;
    }

    // Count the sides with an edge, less what places between the lines have by chance. Return 0 if the edges lie on
    // every second or third line: the cells are larger then.
    double support(const Lattice& lattice) const {
        double sum = 0, sides_in_all = 0;
        bool multiple = false;
        for (const bool between_columns : {true, false}) {
            const int lines = 1 + (between_columns ? lattice.cols() : lattice.rows());
            const int cells = between_columns ? lattice.rows() : lattice.cols();
            const auto found_at = [&](double line) {
                int found = 0;
                for (int cell = 0; cell < cells; ++cell) found += present(lattice, between_columns, line, cell);
                return found;
            };
            std::vector<int> found(static_cast<std::size_t>(lines));
            int all = 0, chance = 0;
            for (int line = 0; line < lines; ++line) {
                all += found[line] = found_at(line);
                if (line + 1 < lines)
                    chance += found_at(line + 1.0 / 3) + found_at(line + 0.5) + found_at(line + 2.0 / 3);
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
    const int faintness_;
};

bool by_support(const Lattice& a, const Lattice& b) { return a.support > b.support; }

// Keep the first lattices, but only `each` for a place, and at most `most`.
void keep_best(std::vector<Lattice>& found, int each, std::size_t most) {
    std::vector<Lattice> best;
    for (const Lattice& one : found) {
        const auto over =
            std::count_if(best.begin(), best.end(), [&](const Lattice& b) { return overlap(b, one) > 0.5; });
        if (over < each && best.size() < most) best.push_back(one);
    }
    found.swap(best);
}

// A long edge between columns (or rows): its place, and where it starts and ends.
struct Side {
    int place, start, end;
};

constexpr int kCorner = 26;  // pixels by which the sides of a frame miss its corners, or are longer

std::vector<Side> long_sides(const Edges& edges) {
    constexpr int kLeast = kFewestCells * kSmallestPitch / kBand;  // bands
    constexpr int kGap = 1, kClear = kFaintest[1];
    constexpr std::size_t kMost = 400;
    std::vector<Side> sides;
    for (int i = 1; i + 1 < edges.length; ++i) {
        int start = 0, end = -kGap - 1, before = 0, here = 0, after = 0;
        for (int band = 0; band <= edges.bands + kGap; ++band) {
            const bool inside = band < edges.bands;
            if (inside && std::max({edges.at(band, i - 1), edges.at(band, i), edges.at(band, i + 1)}) >= kClear) {
                if (band > end + kGap) start = band, before = here = after = 0;
                end = band + 1;
                before += edges.at(band, i - 1), here += edges.at(band, i), after += edges.at(band, i + 1);
            } else if (band == end + kGap && end - start >= kLeast && here >= before && here > after) {
                sides.push_back({i, start * kBand, end * kBand});
            }
        }
    }
    std::stable_sort(sides.begin(), sides.end(),
                     [](const Side& a, const Side& b) { return a.end - a.start > b.end - b.start; });
    if (sides.size() > kMost) sides.resize(kMost);
    return sides;
}

// How well `cells` equal parts of a profile explain it: the variance of the mean part to that within the places of the
// parts, each for a degree of freedom. Greatest at the true number; 0 if the parts are unlike.
double likeness(const std::vector<double>& profile, double start, double end, int cells) {
    constexpr double kLeast = 0.3;  // of the variance
    const double pitch = (end - start) / cells;
    const int places = static_cast<int>(pitch);
    double all = 0, squares = 0, explained = 0;
    for (int place = 2; place + 2 < places; ++place) {
        double sum = 0;
        for (int cell = 0; cell < cells; ++cell) {
            const double here = value(profile, start + cell * pitch + place);
            sum += here, squares += here * here;
        }
        all += sum, explained += sum * sum / cells;
    }
    const double free = places - 5, mean = free > 0 ? all * all / (cells * (free + 1)) : 0;
    if (free < 1 || explained - mean <= kLeast * (squares - mean)) return 0;
    return (explained - mean) / free / ((squares - explained + 1) / ((free + 1) * (cells - 1)));
}

// Whether the picture beyond a frame looks like the parts of the frame.
bool goes_on(const std::vector<double>& profile, const Lines& lines) {
    constexpr double kAlike = 0.6;  // correlation
    const int cells = cells_of(lines), places = static_cast<int>(pitch_of(lines));
    const auto profile_of = [&](int cell) {
        std::vector<double> out;
        for (int place = 2; place + 2 < places; ++place) out.push_back(value(profile, line_at(lines, cell) + place));
        const double mean = std::accumulate(out.begin(), out.end(), 0.0) / static_cast<double>(out.size());
        for (double& one : out) one -= mean;
        return out;
    };
    const auto product = [](const std::vector<double>& a, const std::vector<double>& b) {
        return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
    };
    std::vector<double> usual(static_cast<std::size_t>(std::max(0, places - 4)));
    for (int cell = 0; cell < cells; ++cell) {
        const std::vector<double> one = profile_of(cell);
        for (std::size_t i = 0; i < usual.size(); ++i) usual[i] += one[i];
    }
    for (const int cell : {-1, cells}) {
        const std::vector<double> one = profile_of(cell);
        if (product(one, usual) > kAlike * std::sqrt(product(one, one) * product(usual, usual) + 1)) return true;
    }
    return false;
}

// Cut a frame into the cells of one size that are most alike.
bool cut_frame(const Edges& x_edges, const Edges& y_edges, double left, double top, double right, double bottom,
               Lattice& best) {
    constexpr double kThick = 6;  // pixels of a frame
    constexpr int kFewest = 8;    // cells in a row or column: fewer can be alike by chance
    constexpr int kNarrow = 12;   // pixels of a cell: smaller ones may be a texture
    constexpr int kLong = 4;      // rows for a column, or the reverse: longer ones are parts
    const std::vector<double> across = x_edges.profile(top + kCorner, bottom - kCorner);
    const std::vector<double> down = y_edges.profile(left + kCorner, right - kCorner);
    const auto lines_of = [&](double start, double end, int cells) {
        double pitch = (end - start) / cells;
        if (std::abs(std::round(pitch) - pitch) * cells < kThick) pitch = std::round(pitch);
        Lines lines;
        for (int k = 0; k <= cells; ++k) lines.push_back((start + end - pitch * cells) / 2 + pitch * k);
        return lines;
    };
    for (int cols = kFewest; (right - left) / cols >= kNarrow; ++cols) {
        const double pitch = (right - left) / cols;
        const int rows = static_cast<int>(std::lround((bottom - top) / pitch));
        if (pitch > kLargestPitch || rows < kFewest || rows > kLong * cols || cols > kLong * rows) continue;
        if (std::abs((bottom - top) / rows - pitch) > kThick * (1.0 / rows + 1.0 / cols)) continue;
        const double support = std::min(likeness(across, left, right, cols), likeness(down, top, bottom, rows));
        if (support > best.support)
            best = {lines_of(left, right, cols), lines_of(top, bottom, rows), false, true, 0, support};
    }
    return best.support > 0 && !goes_on(across, best.x_lines) && !goes_on(down, best.y_lines);
}

}  // namespace

bool is_lattice(const Lattice& lattice) {
    for (const Lines& lines : {lattice.x_lines, lattice.y_lines})
        if (lines.size() <= kFewestCells || !std::is_sorted(lines.begin(), lines.end())) return false;
    return lattice.x_lines.size() * lattice.y_lines.size() <= kMostCellsSeen;
}

double overlap(const Lattice& a, const Lattice& b) {
    const double wide = std::min(a.right(), b.right()) - std::max(a.left(), b.left());
    const double high = std::min(a.bottom(), b.bottom()) - std::max(a.top(), b.top());
    return wide <= 0 || high <= 0 ? 0 : wide * high / std::min(a.area(), b.area());
}

std::vector<Lattice> find_lattices(const Picture& picture) {
    const Edges x_edges(picture, true), y_edges(picture, false);
    const std::vector<Comb> columns = find_combs(x_edges), rows = find_combs(y_edges);
    std::vector<Lattice> found;
    for (const Comb& across : columns) {
        for (const Comb& down : rows) {
            Lattice one{across.lines, down.lines};
            if (one.across() > kStretch * one.down() || one.down() > kStretch * one.across()) continue;
            check_interrupt();
            for (int row = 0; row < one.rows(); ++row) {
                const double top = one.y_lines[row], bottom = one.y_lines[row + 1];
                for (int col = 0; col < one.cols(); ++col) {
                    const double left = one.x_lines[col], right = one.x_lines[col + 1];
                    const int side = x_edges.strength(left, top, bottom);
                    const int upper = side > 0 ? y_edges.strength(top, left, right) : 0;
                    if (upper == 0) continue;
                    const int inside = x_edges.strength((left + right) / 2, top, bottom);
                    const int within = y_edges.strength((top + bottom) / 2, left, right);
                    one.support += std::sqrt(std::max(0, side - inside) * std::max(0, upper - within));
                }
            }
            one.support *= one.support / (one.rows() * one.cols());
            if (one.support > 0) found.push_back(one);
        }
    }
    std::stable_sort(found.begin(), found.end(), by_support);
    keep_best(found, 6, 24);
    std::vector<Lattice> settled;
    for (const Lattice& rough : found) {
        Lattice best;
        for (int faintness = 0; faintness < static_cast<int>(kFaintest.size()); ++faintness) {
            Lattice one = rough;
            if (Extent(x_edges, y_edges, faintness).settle(one) && one.support > best.support) best = one;
        }
        if (best.support > 0) settled.push_back(best);
    }
    std::stable_sort(settled.begin(), settled.end(), by_support);
    keep_best(settled, 1, 8);
    for (Lattice& one : settled) {
        centre_lines(x_edges.profile(one.top(), one.bottom()), one.x_lines);
        centre_lines(y_edges.profile(one.left(), one.right()), one.y_lines);
        const Extent extent(x_edges, y_edges, one.faintness);
        one.may_go_on |= extent.is_cut(one, true) || extent.is_cut(one, false);
    }
    return settled;
}

std::vector<Lattice> find_framed_lattices(const Picture& picture) {
    const Edges x_edges(picture, true), y_edges(picture, false);
    const std::vector<Side> uprights = long_sides(x_edges), levels = long_sides(y_edges);
    constexpr int kMostFrames = 500;
    std::vector<Lattice> found;
    int frames = 0;
    for (const Side& left : uprights) {
        for (const Side& right : uprights) {
            if (frames >= kMostFrames) break;
            if (right.place - left.place < kFewestCells * kSmallestPitch) continue;
            if (std::abs(left.start - right.start) > kCorner || std::abs(left.end - right.end) > kCorner) continue;
            std::vector<int> tops, bottoms;
            for (const Side& level : levels) {
                if (level.start > left.place + kCorner || level.end < right.place - kCorner) continue;
                if (std::abs(level.place - left.start) <= kCorner) tops.push_back(level.place);
                if (std::abs(level.place - left.end) <= kCorner) bottoms.push_back(level.place);
            }
            for (const int top : tops)
                for (const int bottom : bottoms) {
                    check_interrupt();
                    if (++frames > kMostFrames) break;
                    Lattice one;
                    if (cut_frame(x_edges, y_edges, left.place, top, right.place, bottom, one)) found.push_back(one);
                }
        }
    }
    std::stable_sort(found.begin(), found.end(), by_support);
    keep_best(found, 1, 8);
    return found;
}

}  // namespace mines
