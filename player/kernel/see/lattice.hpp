// Lattices: where a picture shows cells of one size in rows and columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mines {

// Pixels of three bytes, red, green and blue; rows are `stride` bytes apart.
struct Picture {
    const std::uint8_t* pixels;
    int width, height;
    std::ptrdiff_t stride;

    const std::uint8_t* at(int x, int y) const { return pixels + y * stride + 3 * static_cast<std::ptrdiff_t>(x); }
};

constexpr int kMostPixels = 40'000'000;                 // of a picture
constexpr int kSmallestPitch = 8, kLargestPitch = 100;  // in pixels; `read_boards` also tries half of the size
constexpr int kMostCellsSeen = 40'000;                  // of a board
constexpr int kFewestCells = 4;                         // in a row or column

// The lines between cells, in pixels: about equally spaced, but programs round each cell, or make some a pixel wider.
using Lines = std::vector<double>;

inline int cells_of(const Lines& lines) { return static_cast<int>(lines.size()) - 1; }
inline double pitch_of(const Lines& lines) { return (lines.back() - lines.front()) / cells_of(lines); }
// The place of a line, or between lines; beyond the first and the last they go on at the mean distance.
inline double line_at(const Lines& lines, double number) {
    if (number <= 0) return lines.front() + number * pitch_of(lines);
    if (number >= cells_of(lines)) return lines.back() + (number - cells_of(lines)) * pitch_of(lines);
    const auto before = static_cast<std::size_t>(number);
    return lines[before] + (number - static_cast<double>(before)) * (lines[before + 1] - lines[before]);
}

struct Lattice {
    Lines x_lines, y_lines;
    bool may_go_on = false;  // there are similar edges beyond it
    bool framed = false;     // found by its frame: there may be no edges between its cells
    int faintness = 0;       // of its edges, see `find_lattices`
    double support = 0;      // sides of cells with an edge in the picture, less those without

    int rows() const { return cells_of(y_lines); }
    int cols() const { return cells_of(x_lines); }
    double left() const { return x_lines.front(); }
    double top() const { return y_lines.front(); }
    double right() const { return x_lines.back(); }
    double bottom() const { return y_lines.back(); }
    double across() const { return pitch_of(x_lines); }
    double down() const { return pitch_of(y_lines); }
    double area() const { return (right() - left()) * (bottom() - top()); }
};

// Whether the lines are those of a board that can be read: in order, and not too many.
bool is_lattice(const Lattice& lattice);
// The share of the smaller lattice that lies within the other.
double overlap(const Lattice& a, const Lattice& b);

// Find the lattices that do not overlap much, best supported first.
std::vector<Lattice> find_lattices(const Picture& picture);
// Find those in frames with parts that are alike, best supported first: a theme may draw no edges between cells.
std::vector<Lattice> find_framed_lattices(const Picture& picture);

}  // namespace mines
