// Metrics on grids that are no rectangles, from the neighbours of each cell.
#include <cstddef>
#include <utility>

#include "base/clues.hpp"
#include "make/metrics.hpp"

namespace mines {

// Pass the neighbours of a cell to `visit`, place 0 for a missing one.
template <class Visit>
void MetricsCalculator::each_near(int cell, Visit visit) const {
    for (const int step : topology_->steps[cell]) visit(cell + step);
}

// Add up the marks of each cell and its neighbours.
void MetricsCalculator::sum_around(const std::vector<std::uint8_t>& marks, std::vector<std::uint8_t>& sums) const {
    if (topology_ == nullptr) return sum_squares(marks, stride_, sums);
    sums = marks;
    for (int cell = at(0, 0); cell < at(grid_->rows, 0); ++cell)
        each_near(cell, [&](int near) { sums[cell] = static_cast<std::uint8_t>(sums[cell] + marks[near]); });
}

// Count the groups of marked cells.
int MetricsCalculator::flood_groups(const std::vector<std::uint8_t>& marks) {
    left_ = marks;
    int groups = 0;
    for (std::size_t cell = 0; cell < left_.size(); ++cell) {
        groups += left_[cell];
        flood(
            static_cast<int>(cell), zeros_, [this](int near) { return int{std::exchange(left_[near], 0)} - 1; },
            [this](int from, auto visit) { each_near(from, visit); });
    }
    return groups;
}

// Find the openings, a part for each cell. Every opening of a cell counts.
void MetricsCalculator::flood_openings() {
    joined_.assign(inside_.size(), 0);
    opening_.assign(inside_.size(), -1);  // the last one found that contains the cell
    parts_.clear();
    first_part_.assign(1, 0);
    for (int cell = at(0, 0); cell < at(grid_->rows, 0); ++cell) {
        if (safe_[cell] == 0 || clue_[cell] != 0 || opening_[cell] >= 0) continue;
        const int name = opening_[0] = static_cast<int>(first_part_.size()) - 1;
        const auto open = [this, name](int near) {
            if (std::exchange(opening_[near], name) == name) return -1;
            ++joined_[near];
            parts_.push_back({near, 1, 1});
            return int{clue_[near]};
        };
        flood(cell, zeros_, open, [this](int from, auto visit) { each_near(from, visit); });
        first_part_.push_back(static_cast<int>(parts_.size()));
    }
}

// Change the premiums of a cell and its neighbours.
void MetricsCalculator::raise_around(int cell, int by) {
    const auto raise = [this, by](int near) { premium_[near] = static_cast<std::uint8_t>(premium_[near] + by); };
    raise(cell);
    each_near(cell, raise);
}

void MetricsCalculator::solve_around_on_grid(int cell) {
    clicks_ += (state_[cell] & kClosed) + 1;
    const auto open_zero = [this](int near) {
        if ((state_[near] & kClick) != 0 && isolated_[near] == 0) reveal_opening(opening_[near]);
    };
    open_zero(cell);
    each_near(cell, open_zero);
    const auto solve = [this](int near) {
        const int state = std::exchange(state_[near], std::uint8_t{0});
        if (state == 0) return;
        const int closed = state & kClosed, flag = (state & kUnflagged) != 0, isolated = (state & kClick) != 0;
        clicks_ += flag;
        unopened_ -= closed;
        premium_[near] = static_cast<std::uint8_t>(premium_[near] + closed * (1 + wait_));
        if (flag != isolated) raise_around(near, flag - isolated);
    };
    solve(cell);
    each_near(cell, solve);
    // Nothing else changes premiums of cells more than two away.
    const auto note = [this](int near) {
        for (int level = kPays; near != 0 && level <= premium_[near]; ++level) widen(level, near, near + 1);
    };
    note(cell);
    for (const int step : topology_->pair_steps[cell]) note(cell + step);
}

}  // namespace mines
