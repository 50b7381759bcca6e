#include "search/games.hpp"

#include <algorithm>

#include "base/interrupt.hpp"

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
    int opened = 0;
    const auto open = [&](int next) {
        if (view[next] >= 0) return -1;
        ++opened;
        return int{view[next] = clues[next]};
    };
    flood(cell, zeros_, open, [this](int from, auto visit) { each_around(rows_, cols_, from, visit); });
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
