#include "base/sampling.hpp"

#include <algorithm>

#include "base/random.hpp"

namespace mines {

namespace {

// Numbers the cells outside the start zone. The zone is a run of cells in each of at most three rows.
class Outside {
  public:
    Outside(const Recipe& recipe, int click) {
        const int row = click / recipe.cols;
        const int col = click % recipe.cols;
        const int reach = recipe.opening ? 1 : 0;
        const int first = std::max(col - reach, 0);
        const int length = std::min(col + reach, recipe.cols - 1) - first + 1;
        for (int r = std::max(row - reach, 0); r <= std::min(row + reach, recipe.rows - 1); ++r) {
            // Numbers from here on skip the cells of this run.
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
    RandomWords words(recipe.seed, index);
    const int cells = recipe.rows * recipe.cols;
    puzzle.rows = recipe.rows;
    puzzle.cols = recipe.cols;
    puzzle.click = recipe.click >= 0 ? recipe.click : static_cast<int>(words.below(static_cast<std::uint64_t>(cells)));
    puzzle.mine.assign(static_cast<std::size_t>(cells), 0);
    const Outside outside(recipe, puzzle.click);
    const int allowed = cells - outside.left_out();
    std::uint8_t* const mine = puzzle.mine.data();
    words.choose_subset(
        allowed, recipe.mines, [&](int number) { return outside.cell(number); },
        [mine](int cell) { return mine[cell] != 0; }, [mine](int cell) { mine[cell] = 1; });
}

}  // namespace mines
