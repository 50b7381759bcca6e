#include "sampling.hpp"

#include <algorithm>

#include "random.hpp"

namespace mines {

namespace {

// Numbers the cells outside the start zone, which is at most one run of cells in each of three rows.
class Outside {
  public:
    Outside(const Recipe& recipe, int click) {
        const int row = click / recipe.cols;
        const int col = click % recipe.cols;
        const int reach = recipe.opening ? 1 : 0;
        const int first = std::max(col - reach, 0);
        const int length = std::min(col + reach, recipe.cols - 1) - first + 1;
        for (int r = std::max(row - reach, 0); r <= std::min(row + reach, recipe.rows - 1); ++r) {
            // Cells from this run on have as many lower numbers as cells were left out before them.
            from_[runs_] = r * recipe.cols + first - runs_ * length;
            ++runs_;
        }
        length_ = length;
    }

    int left_out() const { return runs_ * length_; }

    int cell(int number) const {
        int cell = number;
        for (int run = 0; run < 3; ++run) cell += number >= from_[run] ? length_ : 0;
        return cell;
    }

  private:
    int from_[3] = {INT32_MAX, INT32_MAX, INT32_MAX};
    int runs_ = 0;
    int length_ = 0;
};

}  // namespace

int room(const Recipe& recipe) {
    // An inner cell has the largest start zone.
    const int inner = std::min(1, recipe.rows - 1) * recipe.cols + std::min(1, recipe.cols - 1);
    return recipe.rows * recipe.cols - Outside(recipe, recipe.click >= 0 ? recipe.click : inner).left_out();
}

void sample(const Recipe& recipe, std::uint64_t index, Puzzle& puzzle) {
    Words words(recipe.seed, index);
    const int cells = recipe.rows * recipe.cols;
    puzzle.rows = recipe.rows;
    puzzle.cols = recipe.cols;
    puzzle.click = recipe.click >= 0 ? recipe.click : static_cast<int>(words.below(static_cast<std::uint64_t>(cells)));
    puzzle.mine.assign(static_cast<std::size_t>(cells), 0);
    const Outside outside(recipe, puzzle.click);
    const int allowed = cells - outside.left_out();
    // Floyd, in Bentley's "Programming Pearls", CACM 30(9), 1987.
    for (int last = allowed - recipe.mines; last < allowed; ++last) {
        const int drawn = outside.cell(static_cast<int>(words.below(static_cast<std::uint64_t>(last) + 1)));
        puzzle.mine[puzzle.mine[drawn] ? outside.cell(last) : drawn] = 1;
    }
}

}  // namespace mines
