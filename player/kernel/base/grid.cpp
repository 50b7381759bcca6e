#include "base/grid.hpp"

#include <algorithm>
#include <utility>

namespace mines {

std::array<std::atomic<const HoleMap*>, kMostHoleMaps> hole_maps{};

int shape_with_holes(int rows, int cols, int shape, const std::uint8_t* hole) {
    const int size = rows * cols;
    auto map = std::make_unique<HoleMap>(HoleMap{rows, cols, {hole, hole + size}, {}});
    for (int cell = 0; cell < size; ++cell)
        if (hole[cell] == 0) map->cells.push_back(cell);
    if (static_cast<int>(map->cells.size()) == size) return shape;
    if (map->cells.empty()) return -1;
    for (int number = 0; number < kMostHoleMaps; ++number) {
        const HoleMap* known = nullptr;
        if (hole_maps[number].compare_exchange_strong(known, map.get())) known = map.release();
        if (known->rows == rows && known->cols == cols && std::equal(hole, hole + size, known->hole.begin()))
            return shape + kShapes * (number + 1);
    }
    return -1;
}

namespace {

Grid::Topology make_topology(const Grid& grid) {
    Grid::Topology topology;
    topology.steps.resize(grid.places());
    topology.pair_steps.resize(grid.places());
    topology.mask.assign(grid.places(), 0);
    grid.each_cell([&](Index number, Index i) {
        const auto step_to = [&](int other) { return other < 0 ? -i : grid.from_number(other) - i; };
        for (int k = 0; k < kNeighbours; ++k) {
            const int near = neighbour(grid, number, k);
            topology.steps[i][k] = step_to(near);
            if (near >= 0) topology.mask[i] |= static_cast<std::uint8_t>(1 << k);
        }
        for (int d = 0; d < kPairs; ++d)
            topology.pair_steps[i][d] = step_to(cell_at(grid, number, pair_row(d), pair_col(d)));
    });
    return topology;
}

}  // namespace

void Grid::reset(int new_rows, int new_cols, int mines, int new_shape) {
    set_size(new_rows, new_cols, new_shape);
    mines_left = mines;
    unknown_left = rows * cols;
    state.assign(places(), kUnknown);
    mask.assign(places(), 0xff);
    need.assign(places(), 0);
    for (const auto& [from, to] : {std::make_pair(0, at(0, 0)), std::make_pair(at(rows, 0), size())}) {
        std::fill(state.begin() + from, state.begin() + to, std::uint8_t{kWall});
        std::fill(mask.begin() + from, mask.begin() + to, std::uint8_t{0});
    }
    // Clear the neighbours that lie off the board.
    constexpr unsigned kAbove = 0x07, kBelow = 0xe0, kLeft = 0x29, kRight = 0x94;
    const auto cut = [this](Index cell, unsigned neighbours) { mask[cell] &= static_cast<std::uint8_t>(~neighbours); };
    for (int col = 0; col < cols; ++col) {
        cut(at(0, col), kAbove);
        cut(at(rows - 1, col), kBelow);
    }
    for (Index first = at(0, 0); first < at(rows, 0); first += stride) {
        cut(first, kLeft);
        cut(first + cols - 1, kRight);
        state[first + cols] = state[first + cols + 1] = kWall;
        mask[first + cols] = mask[first + cols + 1] = 0;
    }
    if (topology_ == nullptr) return;
    mask = topology_->mask;
    each_hole(*this, [this](int cell) {
        state[from_number(cell)] = kOpen;
        --unknown_left;
    });
}

void Grid::list_unconstrained(std::vector<Index>& out) const {
    const std::uint8_t* const cell = state.data();
    for (Index first = at(0, 0); first < at(rows, 0); first += stride) {
        for (Index i = first; i < first + cols; ++i) {
            if (cell[i] != kUnknown) continue;
            bool open = false;  // without early exit, which would cost mispredicted branches
            for (const int by : steps(i)) open |= cell[i + by] == kOpen;
            if (!open) out.push_back(i);
        }
    }
}

void Grid::set_size(int new_rows, int new_cols, int new_shape) {
    if (new_rows == rows && new_cols == cols && new_shape == shape && stride > 0) return;
    rows = new_rows;
    cols = new_cols;
    shape = new_shape;
    // Two border columns separate the end of a row from the start of the next.
    stride = cols + 2;
    for (int k = 0; k < kNeighbours; ++k) steps_[k] = kRowStep[k] * stride + kColStep[k];
    for (int d = 0; d < kPairs; ++d) pair_steps_[d] = pair_row(d) * stride + pair_col(d);
    topology_ = shape == kRectangle ? nullptr : std::make_shared<const Topology>(make_topology(*this));
}

}  // namespace mines
