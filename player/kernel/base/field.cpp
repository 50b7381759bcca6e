#include "base/field.hpp"

#include <algorithm>
#include <utility>

namespace mines {

void Field::reset(const GridRef& grid, int mines, int spare_cells, double mine_odds) {
    set_grid(grid);
    mines_left = mines;
    spare = spare_cells;
    odds = mine_odds;
    unknown_left = rows * cols + spare;
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
    grid_->each_hole([this](int cell) {
        state[from_number(cell)] = kOpen;
        --unknown_left;
    });
}

void Field::list_unconstrained(std::vector<Index>& out) const {
    std::vector<std::uint8_t> listed(state.size());
    each_cell([&](Index, Index cell) { listed[cell] = state[cell] == kUnknown; });
    each_cell([&](Index, Index cell) {
        if (state[cell] != kOpen || mask[cell] == 0) return;
        const Steps& step = steps(cell);
        for (unsigned bits = mask[cell]; bits != 0; bits &= bits - 1) listed[cell + step[lowest_bit(bits)]] = 0;
    });
    each_cell([&](Index, Index cell) {
        if (listed[cell] != 0) out.push_back(cell);
    });
}

void Field::set_grid(const GridRef& grid) {
    if (grid == grid_) return;
    grid_ = grid;
    static_cast<Places&>(*this) = grid->places();
    for (int k = 0; k < kNeighbours; ++k) steps_[k] = kRowStep[k] * stride + kColStep[k];
    for (int d = 0; d < kPairs; ++d) pair_steps_[d] = pair_row(d) * stride + pair_col(d);
    topology_ = grid->is_rectangle ? nullptr : &grid->topology();
}

}  // namespace mines
