#include "base/sampling.hpp"

#include <algorithm>

#include "base/grid.hpp"
#include "base/random.hpp"

namespace mines {

namespace {

// Numbers the cells outside the start zone of a rectangle, a run of cells in each of at most three rows.
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

// The same on any grid, more slowly. Holes have no number.
class OutsideOnGrid {
  public:
    OutsideOnGrid(const Recipe& recipe, int click) : holes_(holes_of(recipe.shape)), zone_{number_of(click)} {
        if (!recipe.opening) return;
        each_around(recipe, click, [&](int near) {
            if (near != click) zone_.push_back(number_of(near));
        });
        std::sort(zone_.begin(), zone_.end());
    }

    int left_out() const { return static_cast<int>(zone_.size()); }

    int cell(int number) const {
        for (const int left_out : zone_) number += number >= left_out;
        return holes_ == nullptr ? number : holes_->cells[number];
    }

  private:
    int number_of(int cell) const {
        if (holes_ == nullptr) return cell;
        const std::vector<int>& cells = holes_->cells;
        return static_cast<int>(std::lower_bound(cells.begin(), cells.end(), cell) - cells.begin());
    }

    const HoleMap* holes_;
    std::vector<int> zone_;
};

// Pass the numbers of the cells outside the start zone to `use`.
template <class Use>
void use_outside(const Recipe& recipe, int click, Use use) {
    if (recipe.shape == kRectangle) {
        use(Outside(recipe, click));
    } else {
        use(OutsideOnGrid(recipe, click));
    }
}

}  // namespace

int room(const Recipe& recipe) {
    int most = 0;
    const auto look_at = [&](int click) {
        int zone = 0;
        each_around(recipe, click, [&zone](int) { ++zone; });
        most = std::max(most, recipe.opening ? zone : 1);
    };
    if (recipe.click >= 0) look_at(recipe.click);
    // Without holes, one of the first cells has the largest start zone: an inner one on a rectangle.
    const int first = recipe.shape < kShapes ? 2 : std::max(recipe.rows, recipe.cols);
    for (int row = 0; recipe.click < 0 && row < std::min(first, recipe.rows); ++row)
        for (int col = 0; col < std::min(first, recipe.cols); ++col) look_at(row * recipe.cols + col);
    return cell_count(recipe) - most;
}

void sample(const Recipe& recipe, std::uint64_t index, Puzzle& puzzle) {
    RandomWords words(recipe.seed, index);
    const int cells = cell_count(recipe);
    puzzle.rows = recipe.rows;
    puzzle.cols = recipe.cols;
    puzzle.shape = recipe.shape;
    puzzle.click = recipe.click;
    if (puzzle.click < 0) {
        puzzle.click = static_cast<int>(words.below(static_cast<std::uint64_t>(cells)));
        if (recipe.shape >= kShapes) puzzle.click = holes_of(recipe.shape)->cells[puzzle.click];
    }
    puzzle.mine.assign(static_cast<std::size_t>(recipe.rows) * recipe.cols, 0);
    std::uint8_t* const mine = puzzle.mine.data();
    use_outside(recipe, puzzle.click, [&](const auto& outside) {
        words.choose_subset(
            cells - outside.left_out(), recipe.mines, [&](int number) { return outside.cell(number); },
            [mine](int cell) { return mine[cell] != 0; }, [mine](int cell) { mine[cell] = 1; });
    });
}

}  // namespace mines
