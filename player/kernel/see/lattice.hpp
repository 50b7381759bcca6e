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

constexpr int kMostPixels = 40'000'000;  // of a picture
constexpr int kSmallestPitch = 8, kLargestPitch = 100;  // in pixels
constexpr int kFewestCells = 4;                         // in a row or column

// Cell (row, col) has its corner at about (left + col * across, top + row * down).
struct Lattice {
    double left = 0, top = 0;
    double across = 0, down = 0;  // the pitch
    int rows = 0, cols = 0;
    std::vector<double> x_lines, y_lines;  // exact: programs may round each cell, or make some a pixel wider
    bool may_go_on = false;  // there are similar edges beyond it
    double support = 0;      // sides of cells with an edge in the picture, less those without

    double right() const { return left + cols * across; }
    double bottom() const { return top + rows * down; }
    double area() const { return rows * down * cols * across; }
};

// Find the lattices that do not overlap much, best supported first.
std::vector<Lattice> find_lattices(const Picture& picture);

}  // namespace mines
