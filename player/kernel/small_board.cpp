#include "small_board.hpp"

#include <algorithm>
#include <tuple>

namespace mines {
namespace {

constexpr std::size_t kMostStates = 10'000'000;

struct ClueOverCells {
    std::uint32_t cells;  // one bit for each of the unknown cells, in the order of the board
    int need;
};

int bit_count(std::uint32_t bits) { return popcount(bits & 255) + popcount(bits >> 8); }

}  // namespace

// Every choice of `mines_left` unknown cells that agrees with all clues, and the known mines.
void SmallBoard::list_layouts(const Grid& grid) {
    std::vector<Index> unknown;
    std::uint32_t known = 0;
    for (Index number = 0; number < grid.rows * grid.cols; ++number) {
        const Index cell = grid.from_number(number);
        if (grid.state[cell] == kUnknown) unknown.push_back(cell);
        if (grid.state[cell] == kMine) known |= 1u << number;
    }
    std::vector<ClueOverCells> clues;
    for (Index number = 0; number < grid.rows * grid.cols; ++number) {
        const Index cell = grid.from_number(number);
        if (grid.state[cell] != kOpen) continue;
        ClueOverCells clue{0, grid.need[cell]};
        for (const int step : grid.step) {
            const auto at = std::find(unknown.begin(), unknown.end(), cell + step);
            if (at != unknown.end()) clue.cells |= 1u << (at - unknown.begin());
        }
        clues.push_back(clue);
    }
    layouts_.clear();
    for (std::uint32_t chosen = 0; chosen < 1u << unknown.size(); ++chosen) {
        if (bit_count(chosen) != grid.mines_left) continue;
        const bool agrees = std::all_of(clues.begin(), clues.end(), [chosen](const ClueOverCells& clue) {
            return bit_count(chosen & clue.cells) == clue.need;
        });
        if (!agrees) continue;
        std::uint32_t layout = known;
        for (std::size_t u = 0; u < unknown.size(); ++u)
            if (chosen >> u & 1) layout |= 1u << grid.number(unknown[u]);
        layouts_.push_back(layout);
    }
}

bool SmallBoard::solve(const Grid& grid) {
    list_layouts(grid);
    if (layouts_.empty()) return false;
    const int mines = bit_count(layouts_.front());
    if (games_ == nullptr || std::tie(rows_, cols_, mines_) != std::tie(grid.rows, grid.cols, mines)) {
        rows_ = grid.rows;
        cols_ = grid.cols;
        mines_ = mines;
        games_ = std::make_unique<Optimal>(rows_, cols_, kMostStates, [] {});
    }
    if (!games_->choose(layouts_)) return false;
    const int number = games_->best();
    const auto safe = std::count_if(layouts_.begin(), layouts_.end(),
                                    [number](std::uint32_t layout) { return (layout >> number & 1) == 0; });
    cell_ = grid.from_number(number);
    safety_ = static_cast<double>(safe) / static_cast<double>(layouts_.size());
    value_ = static_cast<double>(games_->wins()) / static_cast<double>(layouts_.size());
    return true;
}

}  // namespace mines
