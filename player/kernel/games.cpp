#include "games.hpp"

#include <algorithm>

#include "interrupt.hpp"

namespace mines {
namespace {

constexpr int kMostTries = 1'000'000;
constexpr std::int8_t kMineClue = -9;  // stays negative with eight mines around it

}  // namespace

bool Games::start(std::size_t number, const Recipe& recipe, bool no_guess, std::uint64_t& index, std::int8_t* view) {
    std::int8_t* const clues = clues_.data() + number * cells();
    for (int tries = 0; tries < kMostTries; ++tries, index += count()) {
        check_interrupt();
        sample(recipe, index, puzzle_);
        if (no_guess && !solvable()) continue;
        place_mines(clues);
        std::fill_n(view, cells(), std::int8_t{-1});
        to_open_[number] = rows_ * cols_ - recipe.mines;
        open(number, puzzle_.click, view);
        if (!won(number)) return true;
    }
    return false;
}

int Games::open(std::size_t number, int cell, std::int8_t* view) {
    const std::int8_t* const clues = clues_.data() + number * cells();
    if (clues[cell] < 0) return -1;
    if (view[cell] >= 0) return 0;
    view[cell] = clues[cell];
    int opened = 1;
    if (clues[cell] == 0) {
        flood_.assign(1, {cell / cols_, cell % cols_});
        while (!flood_.empty()) {
            const auto [row, col] = flood_.back();
            flood_.pop_back();
            const int last_row = std::min(row + 1, rows_ - 1), last_col = std::min(col + 1, cols_ - 1);
            for (int r = std::max(row - 1, 0); r <= last_row; ++r) {
                for (int c = std::max(col - 1, 0); c <= last_col; ++c) {
                    const int near = r * cols_ + c;
                    if (view[near] >= 0) continue;
                    view[near] = clues[near];
                    ++opened;
                    if (clues[near] == 0) flood_.emplace_back(r, c);
                }
            }
        }
    }
    to_open_[number] -= opened;
    return opened;
}

// Write the clues of the puzzle, negative at mines.
void Games::place_mines(std::int8_t* clues) {
    std::fill(bordered_.begin(), bordered_.end(), std::int8_t{0});
    const int stride = cols_ + 2;
    const std::uint8_t* mine = puzzle_.mine.data();
    for (int row = 0; row < rows_; ++row) {
        std::int8_t* const line = bordered_.data() + (row + 1) * stride + 1;
        for (int col = 0; col < cols_; ++col) {
            if (*mine++ == 0) continue;
            std::int8_t* const at = line + col;
            for (const int step : {-stride, 0, stride})
                for (int side = -1; side <= 1; ++side) ++at[step + side];
            *at = static_cast<std::int8_t>(*at + kMineClue - 1);
        }
    }
    for (int row = 0; row < rows_; ++row) {
        const std::int8_t* const line = bordered_.data() + (row + 1) * stride + 1;
        clues = std::copy(line, line + cols_, clues);
    }
}

bool Games::solvable() {
    if (finder_.has_frequent_swap(puzzle_)) return false;
    solver_.solve(puzzle_, solution_);
    return solution_.verdict == Verdict::solved;
}

}  // namespace mines
