// Repair: moves mines until logic solves a board. The algorithm of generator/repair.py, with the same random numbers in
// the same order, so both produce the same puzzles.
#include <algorithm>
#include <cstddef>
#include <numeric>

#include "base/bits.hpp"
#include "base/field.hpp"
#include "base/interrupt.hpp"
#include "base/random.hpp"
#include "make/screening.hpp"

namespace mines {
namespace {

constexpr std::uint64_t kPurpose = 1;
constexpr std::uint64_t kAgainstTheTrend = 5;
constexpr std::uint64_t kFar = 10;
// Changes rarely solve boards with a larger share of mines than `kDense`, in percent, or `kThin` on large boards.
// Boards with the share `kThin` are repaired fast, and mines are added to them in up to `kTries` tries for each cell.
constexpr int kDense = 46, kThin = 38, kLarge = 480;
constexpr int kTries = 10;

std::size_t draw(RandomWords& words, const std::vector<int>& cells) {
    return static_cast<std::size_t>(words.below(cells.size()));
}

int count_unknown(const Solution& solution) {
    return std::accumulate(solution.unknown.begin(), solution.unknown.end(), 0);
}

class Repairer {
  public:
    // Repair puzzle `index` of a recipe with at most `most_changes` changes. If the verdict is solved, `puzzle` and
    // `out` are the repaired puzzle and its complete solution; if it is too_wide, another engine must repair it.
    Verdict repair(const Recipe& recipe, std::uint64_t index, int most_changes, Puzzle& puzzle, Solution& out);

  private:
    enum Trait : std::uint8_t { kMined = 1, kStuck = 2, kFixed = 4, kOpened = 8, kAround = 16 };

    void load(const Recipe& recipe, const Puzzle& puzzle);
    void find_near();
    void update_traits(const Puzzle& puzzle, const Solution& solution);
    void make_changes(RandomWords& words, int most_changes, Puzzle& puzzle);
    void add_mines(RandomWords& words, int missing, Puzzle& puzzle);
    bool change(RandomWords& words, Puzzle& puzzle);
    bool open_wall(RandomWords& words, Puzzle& puzzle);
    template <class Holds>
    void list(std::vector<int>& cells, Holds holds) const;
    bool drawn_far(RandomWords& words) const;
    int place(int number) const { return (number / cols_ + 1) * stride_ + number % cols_ + 1; }

    Solver trial_solver_{0};
    Solver quick_solver_{kStopEarly};
    Solver final_solver_{kCountClues};
    Puzzle changed_;
    Solution trial_;

    GridRef grid_;
    int rows_ = 0, cols_ = 0, stride_ = 0;
    int stuck_ = 0;                     // number of undecided cells
    std::vector<std::uint8_t> traits_;  // of every cell, with a border of one cell
    std::vector<std::uint8_t> near_;    // traits of all its neighbours combined
    bool dense_ = false;                // whether undecided cells have a higher mine density than the board
    std::vector<int> clues_;            // open cells next to undecided ones; these lists hold ascending cell numbers
    std::vector<int> walls_, targets_, changed_cells_;
    std::vector<int> around_;  // undecided cells around the clue of a change
};

Verdict Repairer::repair(const Recipe& recipe, std::uint64_t index, int most_changes, Puzzle& puzzle, Solution& out) {
    RandomWords words(recipe.seed, index, kPurpose);
    const int cells = recipe.grid->cell_count();
    const auto share = [cells](int percent) { return static_cast<int>(std::int64_t{cells} * percent / 100); };
    Recipe first = recipe;
    if (recipe.mines > share(cells > kLarge ? kThin : kDense)) {
        first.mines = share(kThin);
        most_changes *= std::max(1, cells / kLarge);
    }
    sample(first, index, puzzle);
    load(recipe, puzzle);
    make_changes(words, most_changes, puzzle);
    if (trial_.verdict == Verdict::solved) add_mines(words, recipe.mines - first.mines, puzzle);
    if (trial_.verdict != Verdict::solved) return trial_.verdict;
    // The stored steps are those of one solution from the first click.
    final_solver_.solve(puzzle, out);
    return out.verdict;
}

// Move mines until logic solves the board.
void Repairer::make_changes(RandomWords& words, int most_changes, Puzzle& puzzle) {
    trial_solver_.solve(puzzle, trial_);
    update_traits(puzzle, trial_);
    for (int changes = 0; changes < most_changes && trial_.verdict == Verdict::stuck; ++changes) {
        check_interrupt_now();
        changed_ = puzzle;
        if (!change(words, changed_)) continue;
        trial_solver_.solve(changed_, trial_);
        if (trial_.verdict == Verdict::stuck && count_unknown(trial_) > stuck_) continue;
        std::swap(puzzle, changed_);
        update_traits(puzzle, trial_);
    }
}

// Add mines to a solvable board, one at a time, each in a random cell where the board stays solvable.
void Repairer::add_mines(RandomWords& words, int missing, Puzzle& puzzle) {
    const std::size_t cells = puzzle.mine.size();
    for (std::size_t tries = kTries * cells; missing > 0 && tries > 0; --tries) {
        check_interrupt_now();
        const auto cell = static_cast<int>(words.below(cells));
        if (puzzle.mine[cell] != 0 || (traits_[place(cell)] & kFixed) != 0) continue;
        puzzle.mine[cell] = 1;
        quick_solver_.solve(puzzle, trial_);
        puzzle.mine[cell] = trial_.verdict == Verdict::solved;
        missing -= puzzle.mine[cell];
    }
    trial_.verdict = missing > 0 ? Verdict::stuck : Verdict::solved;
}

void Repairer::load(const Recipe& recipe, const Puzzle& puzzle) {
    grid_ = puzzle.grid;
    rows_ = grid_->rows;
    cols_ = grid_->cols;
    stride_ = cols_ + 2;
    traits_.assign(static_cast<std::size_t>(rows_ + 2) * stride_, 0);
    near_.assign(traits_.size(), 0);
    traits_[place(puzzle.click)] |= kFixed;
    if (recipe.opening) grid_->each_around(puzzle.click, [&](int near) { traits_[place(near)] |= kFixed; });
    grid_->each_hole([&](int hole) { traits_[place(hole)] |= kFixed; });
}

// Record where logic stops: its clues, and the mine density there.
void Repairer::update_traits(const Puzzle& puzzle, const Solution& solution) {
    stuck_ = count_unknown(solution);
    int number = 0;
    for (int row = 0; row < rows_; ++row) {
        std::uint8_t* const traits = &traits_[place(row * cols_)];
        for (int col = 0; col < cols_; ++col, ++number) {
            const bool mine = puzzle.mine[number] != 0;
            const bool stuck = !solution.unknown.empty() && solution.unknown[number] != 0;
            const int what = stuck ? (mine ? kMined | kStuck : kStuck) : (mine ? kMined : kOpened);
            traits[col] = static_cast<std::uint8_t>((traits[col] & kFixed) | what);
        }
    }
    find_near();
    list(clues_, [&](int cell) { return (traits_[cell] & kOpened) != 0 && (near_[cell] & kStuck) != 0; });
    std::int64_t safe_cells = 0, free_mines = 0, movable = 0, mines = 0;
    for (int row = 0; row < rows_; ++row) {
        const std::uint8_t* const traits = &traits_[place(row * cols_)];
        for (int col = 0; col < cols_; ++col) {
            const bool moves = (traits[col] & kFixed) == 0;
            const bool stuck = moves && (traits[col] & kStuck) != 0;
            const bool mine = (traits[col] & kMined) != 0;
            movable += moves;
            safe_cells += stuck;
            mines += mine;
            free_mines += stuck && mine;
        }
    }
    dense_ = free_mines * movable > mines * safe_cells;
}

// Combine the traits of the neighbours of each cell.
void Repairer::find_near() {
    if (!grid_->is_rectangle) {
        for (int cell = 0; cell < rows_ * cols_; ++cell) {
            std::uint8_t& near = near_[place(cell)];
            near = 0;
            grid_->each_around(cell, [&](int other) { near |= other == cell ? 0 : traits_[place(other)]; });
        }
        return;
    }
    for (int row = 0; row < rows_; ++row) {
        const int first = place(row * cols_);
        const std::uint8_t* const here = &traits_[first];
        const std::uint8_t* const above = here - stride_;
        const std::uint8_t* const below = here + stride_;
        std::uint8_t* const near = &near_[first];
        for (int col = 0; col < cols_; ++col)
            near[col] = static_cast<std::uint8_t>(above[col - 1] | above[col] | above[col + 1] | here[col - 1] |
                                                  here[col + 1] | below[col - 1] | below[col] | below[col + 1]);
    }
}

// List the numbers of the cells that satisfy a condition, in order.
template <class Holds>
void Repairer::list(std::vector<int>& cells, Holds holds) const {
    // Write every number and count those that stay: processors could not predict a branch.
    cells.resize(static_cast<std::size_t>(rows_) * cols_);
    std::size_t count = 0;
    for (int row = 0, number = 0; row < rows_; ++row) {
        int cell = place(row * cols_);
        for (const int end = cell + cols_; cell < end; ++cell, ++number) {
            cells[count] = number;
            count += holds(cell);
        }
    }
    cells.resize(count);
}

bool Repairer::drawn_far(RandomWords& words) const { return words.below(kFar) < 1; }

// Draw a change that may let logic continue; return false if it is impossible.
bool Repairer::change(RandomWords& words, Puzzle& puzzle) {
    if (clues_.empty()) return open_wall(words, puzzle);
    const int number = clues_[draw(words, clues_)];
    const bool fill = dense_ != (words.below(kAgainstTheTrend) == 0);
    changed_cells_.clear();
    around_.clear();
    grid_->each_around(number, [&](int near) {
        const std::uint8_t traits = traits_[place(near)];
        if ((traits & kStuck) == 0) return;
        around_.push_back(near);
        if ((traits & kFixed) == 0 && ((traits & kMined) != 0) != fill) changed_cells_.push_back(near);
    });
    if (changed_cells_.empty()) return false;
    const std::uint8_t wanted = fill ? kMined : 0;
    const auto elsewhere = [&](int cell) { return (traits_[cell] & (kMined | kFixed | kAround)) == wanted; };
    for (const int near : around_) traits_[place(near)] |= kAround;
    list(targets_, [&](int cell) { return (traits_[cell] & kStuck) != 0 && elsewhere(cell); });
    if (targets_.size() < changed_cells_.size() || drawn_far(words)) list(targets_, elsewhere);
    for (const int near : around_) traits_[place(near)] &= static_cast<std::uint8_t>(~kAround);
    if (targets_.size() < changed_cells_.size()) return false;
    for (const int cell : changed_cells_) puzzle.mine[cell] = fill;
    words.choose_subset(
        static_cast<int>(targets_.size()), static_cast<int>(changed_cells_.size()), [&](int i) { return targets_[i]; },
        [&](int cell) { return (puzzle.mine[cell] != 0) != fill; }, [&](int cell) { puzzle.mine[cell] = !fill; });
    return true;
}

// Remove a mine from a wall between open cells and undecided ones that touch no open cell.
bool Repairer::open_wall(RandomWords& words, Puzzle& puzzle) {
    list(walls_, [&](int cell) {
        constexpr std::uint8_t kBoth = kStuck | kOpened;
        return (traits_[cell] & (kMined | kStuck | kFixed)) == kMined && (near_[cell] & kBoth) == kBoth;
    });
    list(targets_, [&](int cell) { return (traits_[cell] & (kMined | kStuck | kFixed)) == kStuck; });
    if (targets_.empty() || drawn_far(words))
        list(targets_, [&](int cell) { return (traits_[cell] & (kMined | kFixed)) == 0; });
    if (walls_.empty() || targets_.empty()) return false;
    puzzle.mine[walls_[draw(words, walls_)]] = 0;
    puzzle.mine[targets_[draw(words, targets_)]] = 1;
    return true;
}

}  // namespace

std::vector<FoundPuzzle> repair(const Recipe& recipe, std::uint64_t start, std::uint64_t stop, int most_changes) {
    Repairer repairer;
    return find_puzzles(start, stop, [&](std::uint64_t index, Puzzle& puzzle, Solution& solution) {
        return repairer.repair(recipe, index, most_changes, puzzle, solution);
    });
}

}  // namespace mines
