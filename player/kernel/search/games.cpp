#include "search/games.hpp"

#include <algorithm>

#include "base/clues.hpp"
#include "base/interrupt.hpp"

namespace mines {
namespace {

constexpr int kMostTries = 1'000'000;

}  // namespace

bool Games::start(std::size_t number, const Recipe& recipe, bool no_guess, std::uint64_t& index, std::int8_t* view) {
    std::int8_t* const clues = clues_.data() + number * cells();
    for (int tries = 0; tries < kMostTries; ++tries, index += count()) {
        check_interrupt();
        sample(recipe, index, puzzle_);
        if (no_guess && !solvable()) continue;
        place_mines(clues);
        std::fill_n(view, cells(), std::int8_t{-1});
        each_hole(board_, [view](int hole) { view[hole] = 0; });
        to_open_[number] = cell_count(board_) - recipe.mines;
        open(number, puzzle_.click, view);
        if (!won(number)) return true;
    }
    return false;
}

int Games::open(std::size_t number, int cell, std::int8_t* view) {
    const std::int8_t* const clues = clues_.data() + number * cells();
    if (clues[cell] < 0) return -1;
    int opened = 0;
    const auto open = [&](int next) {
        if (view[next] >= 0) return -1;
        ++opened;
        return int{view[next] = clues[next]};
    };
    flood(cell, zeros_, open, [this](int from, auto visit) { each_around(board_, from, visit); });
    to_open_[number] -= opened;
    return opened;
}

// Write the clues of the puzzle, negative at mines.
void Games::place_mines(std::int8_t* clues) {
    Grid grid;
    grid.set_size(board_.rows, board_.cols, board_.shape);
    add_border(grid, puzzle_.mine.data(), mine_);
    count_clues(grid, mine_, bordered_);
    for (int row = 0; row < grid.rows; ++row) clues = std::copy_n(&bordered_[grid.at(row, 0)], grid.cols, clues);
}

bool Games::solvable() {
    if (finder_.has_frequent_swap(puzzle_)) return false;
    solver_.solve(puzzle_, solution_);
    return solution_.verdict == Verdict::solved;
}

}  // namespace mines
