#include "search/games.hpp"

#include <algorithm>

#include "base/clues.hpp"
#include "base/interrupt.hpp"

namespace mines {
namespace {

constexpr int kMostTries = 1'000'000;

}  // namespace

bool Games::start(const Recipe& recipe, bool no_guess, const bool* which, std::int64_t* index, std::int8_t* views,
                  std::uint8_t* statuses) {
    for (std::size_t i = 0; i < count(); ++i) {
        if (!which[i]) continue;
        statuses[i] = kLost;
        auto puzzle = static_cast<std::uint64_t>(index[i]);
        if (!start_one(i, recipe, no_guess, puzzle, views + i * cells())) return false;
        index[i] = static_cast<std::int64_t>(puzzle);
        statuses[i] = kPlaying;
    }
    return true;
}

void Games::open(const std::int64_t* cells_to_open, std::int8_t* views, std::uint8_t* statuses, std::int32_t* opened) {
    for (std::size_t i = 0; i < count(); ++i) {
        opened[i] = 0;
        if (statuses[i] != kPlaying) continue;
        const int found = open_one(i, static_cast<int>(cells_to_open[i]), views + i * cells());
        opened[i] = std::max(found, 0);
        if (found < 0) statuses[i] = kLost;
        if (won(i)) statuses[i] = kWon;
    }
}

bool Games::start_one(std::size_t number, const Recipe& recipe, bool no_guess, std::uint64_t& index,
                      std::int8_t* view) {
    std::int8_t* const clues = clues_.data() + number * cells();
    for (int tries = 0; tries < kMostTries; ++tries, index += count()) {
        check_interrupt();
        sample(recipe, index, puzzle_);
        if (no_guess && !solvable()) continue;
        place_mines(clues);
        std::fill_n(view, cells(), std::int8_t{-1});
        grid_->each_hole([view](int hole) { view[hole] = 0; });
        to_open_[number] = grid_->cell_count() - recipe.mines;
        open_one(number, puzzle_.click, view);
        if (!won(number)) return true;
    }
    return false;
}

// Open a cell, and return the number of cells that this opened, or -1 at a mine.
int Games::open_one(std::size_t number, int cell, std::int8_t* view) {
    const std::int8_t* const clues = clues_.data() + number * cells();
    if (clues[cell] < 0) return -1;
    int opened = 0;
    const auto open = [&](int next) {
        if (view[next] >= 0) return -1;
        ++opened;
        return int{view[next] = clues[next]};
    };
    flood(cell, zeros_, open, [this](int from, auto visit) { grid_->each_around(from, visit); });
    to_open_[number] -= opened;
    return opened;
}

// Write the clues of the puzzle, negative at mines.
void Games::place_mines(std::int8_t* clues) {
    Field field;
    field.set_grid(grid_);
    add_border(field, puzzle_.mine.data(), mine_);
    count_clues(field, mine_, bordered_);
    for (int row = 0; row < field.rows; ++row) clues = std::copy_n(&bordered_[field.at(row, 0)], field.cols, clues);
}

bool Games::solvable() {
    if (finder_.has_frequent_swap(puzzle_)) return false;
    solver_.solve(puzzle_, solution_);
    return solution_.verdict == Verdict::solved;
}

}  // namespace mines
