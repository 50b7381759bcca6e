#include "base/sampling.hpp"

#include <algorithm>

#include "base/random.hpp"

namespace mines {

namespace {

// Numbers the cells outside the start zone of a rectangle, a run of cells in each of at most three rows.
class Outside {
  public:
    Outside(const Recipe& recipe, int click) {
        const int rows = recipe.grid->rows, cols = recipe.grid->cols;
        const int row = click / cols, col = click % cols;
        const int reach = recipe.opening ? 1 : 0;
        const int first = std::max(col - reach, 0);
        const int length = std::min(col + reach, cols - 1) - first + 1;
        for (int r = std::max(row - reach, 0); r <= std::min(row + reach, rows - 1); ++r) {
            // Numbers from here on skip the cells of this run.
            from_[runs_] = r * cols + first - runs_ * length;
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
    OutsideOnGrid(const Recipe& recipe, int click) : cells_(recipe.grid->cells), zone_{number_of(click)} {
        if (!recipe.opening) return;
        recipe.grid->each_around(click, [&](int near) {
            if (near != click) zone_.push_back(number_of(near));
        });
        std::sort(zone_.begin(), zone_.end());
    }

    int left_out() const { return static_cast<int>(zone_.size()); }

    int cell(int number) const {
        for (const int left_out : zone_) number += number >= left_out;
        return cells_.empty() ? number : cells_[number];
    }

  private:
    int number_of(int cell) const {
        if (cells_.empty()) return cell;
        return static_cast<int>(std::lower_bound(cells_.begin(), cells_.end(), cell) - cells_.begin());
    }

    const std::vector<int>& cells_;  // empty without holes
    std::vector<int> zone_;
};

// Pass the numbers of the cells outside the start zone to `use`.
template <class Use>
void use_outside(const Recipe& recipe, int click, Use use) {
    if (recipe.grid->is_rectangle) {
        use(Outside(recipe, click));
    } else {
        use(OutsideOnGrid(recipe, click));
    }
}

}  // namespace

int room(const Recipe& recipe) {
    const Grid& grid = *recipe.grid;
    int most = 0;
    const auto look_at = [&](int click) {
        int zone = 0;
        grid.each_around(click, [&zone](int) { ++zone; });
        most = std::max(most, recipe.opening ? zone : 1);
    };
    if (recipe.click >= 0) look_at(recipe.click);
    // Without holes, one of the first cells has the largest start zone: an inner one on a rectangle.
    const int first = grid.holes.empty() ? 2 : std::max(grid.rows, grid.cols);
    for (int row = 0; recipe.click < 0 && row < std::min(first, grid.rows); ++row)
        for (int col = 0; col < std::min(first, grid.cols); ++col) look_at(row * grid.cols + col);
    return grid.cell_count() - most;
}

void sample(const Recipe& recipe, std::uint64_t index, Puzzle& puzzle) {
    RandomWords words(recipe.seed, index);
    const Grid& grid = *recipe.grid;
    const int cells = grid.cell_count();
    if (puzzle.grid != recipe.grid) puzzle.grid = recipe.grid;
    puzzle.click = recipe.click;
    if (puzzle.click < 0) {
        puzzle.click = static_cast<int>(words.below(static_cast<std::uint64_t>(cells)));
        if (!grid.cells.empty()) puzzle.click = grid.cells[puzzle.click];
    }
    puzzle.mine.assign(static_cast<std::size_t>(grid.size()), 0);
    std::uint8_t* const mine = puzzle.mine.data();
    use_outside(recipe, puzzle.click, [&](const auto& outside) {
        words.choose_subset(
            cells - outside.left_out(), recipe.mines, [&](int number) { return outside.cell(number); },
            [mine](int cell) { return mine[cell] != 0; }, [mine](int cell) { mine[cell] = 1; });
    });
}

}  // namespace mines
