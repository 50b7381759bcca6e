#include "search/small_board.hpp"

#include <algorithm>
#include <tuple>

namespace mines {
namespace {

constexpr std::size_t kMostStates = 10'000'000;
// The work grows with the layouts, and faster with the cells. Boards of up to 16 cells never have too many.
constexpr int kMostCells = 25;
constexpr std::size_t most_layouts(int cells) { return cells <= 16 ? 20'000 : cells <= 20 ? 15'000 : 4'000; }
// Choices of mines to check against the clues.
constexpr double kMostChoices = 200'000;

struct ClueOverCells {
    std::uint32_t cells;  // one bit for each unknown cell, in the order of the board
    int need;
};

double choices(int cells, int mines) {
    double ways = 1;
    for (int i = 0; i < mines; ++i) ways *= static_cast<double>(cells - i) / (i + 1);
    return ways;
}

// The next larger number with the same number of bits (Warren, "Hacker's Delight", 2-1); `bits` must not be 0.
std::uint64_t next_choice(std::uint64_t bits) {
    const std::uint64_t lowest = bits & (~bits + 1);
    const std::uint64_t carried = bits + lowest;
    return carried | ((bits ^ carried) >> (2 + lowest_bit(bits)));
}

}  // namespace

// List every choice of `mines_left` unknown cells that agrees with all clues, plus the known mines. Returns false if
// there are too many.
bool SmallBoard::list_layouts(const Grid& grid) {
    std::vector<Index> unknown;
    std::uint32_t known = 0;
    for (Index number = 0; number < grid.rows * grid.cols; ++number) {
        const Index cell = grid.from_number(number);
        if (grid.state[cell] == kUnknown) unknown.push_back(cell);
        if (grid.state[cell] == kMine) known |= 1u << number;
    }
    const int cells = static_cast<int>(unknown.size());
    if (grid.mines_left < 0 || grid.mines_left > cells || choices(cells, grid.mines_left) > kMostChoices) return false;
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
    std::uint64_t next = (std::uint64_t{1} << grid.mines_left) - 1;
    for (bool more = true; more; more = next >> cells == 0) {
        const auto chosen = static_cast<std::uint32_t>(next);
        next = chosen == 0 ? std::uint64_t{1} << cells : next_choice(next);
        const bool agrees = std::all_of(clues.begin(), clues.end(), [chosen](const ClueOverCells& clue) {
            return count_bits(chosen & clue.cells) == clue.need;
        });
        if (!agrees) continue;
        if (layouts_.size() == most_layouts(grid.rows * grid.cols)) return false;
        std::uint32_t layout = known;
        for (std::size_t u = 0; u < unknown.size(); ++u)
            if (chosen >> u & 1) layout |= 1u << grid.number(unknown[u]);
        layouts_.push_back(layout);
    }
    return !layouts_.empty();
}

bool SmallBoard::solve(const Grid& grid) {
    if (grid.rows * grid.cols > kMostCells || !list_layouts(grid)) return false;
    const int mines = count_bits(layouts_.front());
    if (games_ == nullptr || std::tie(rows_, cols_, mines_) != std::tie(grid.rows, grid.cols, mines)) {
        rows_ = grid.rows;
        cols_ = grid.cols;
        mines_ = mines;
        games_ = std::make_unique<Optimal>(rows_, cols_, kMostStates);
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
