#include "repair.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "bits.hpp"
#include "grid.hpp"
#include "pulse.hpp"

namespace mines {
namespace {

constexpr std::uint64_t kPurpose = 1;
constexpr std::uint64_t kAgainstTheTrend = 5;
constexpr std::uint64_t kFar = 10;

std::size_t draw(Words& words, const std::vector<int>& cells) { return static_cast<std::size_t>(words.below(cells.size())); }

int count_unknown(const Solution& solution) {
    return std::accumulate(solution.unknown.begin(), solution.unknown.end(), 0);
}

}  // namespace

Verdict Mender::mend(const Recipe& recipe, std::uint64_t index, int most_changes, Puzzle& puzzle, Solution& out) {
    Words words(recipe.seed, index, kPurpose);
    sample(recipe, index, puzzle);
    lay_out(recipe, puzzle);
    trying_.solve(puzzle, tried_);
    look(puzzle, tried_);
    for (int changes = 0; changes < most_changes && tried_.verdict == Verdict::stuck; ++changes) {
        slow_pulse();
        changed_ = puzzle;
        if (!change(words, changed_)) continue;
        trying_.solve_changed(puzzle, changed_, tried_);
        if (tried_.verdict == Verdict::stuck && count_unknown(tried_) > stuck_) continue;
        trying_.take_changed();
        std::swap(puzzle, changed_);
        look(puzzle, tried_);
    }
    if (tried_.verdict != Verdict::solved) return tried_.verdict;
    // The steps of a puzzle are those of one solution from its first click.
    solving_.solve(puzzle, out);
    return out.verdict;
}

void Mender::lay_out(const Recipe& recipe, const Puzzle& puzzle) {
    rows_ = puzzle.rows;
    cols_ = puzzle.cols;
    stride_ = cols_ + 2;
    traits_.assign(static_cast<std::size_t>(rows_ + 2) * stride_, 0);
    near_.assign(traits_.size(), 0);
    const int click = place(puzzle.click);
    traits_[click] |= kFixed;
    if (!recipe.opening) return;
    for (int k = 0; k < kNeighbours; ++k) traits_[click + kRowStep[k] * stride_ + kColStep[k]] |= kFixed;
}

// Take note of where logic stops: which clues are there, and whether mines are denser than elsewhere.
void Mender::look(const Puzzle& puzzle, const Solution& solution) {
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
    for (int row = 0; row < rows_; ++row) {
        const int first = place(row * cols_);
        const std::uint8_t* const here = &traits_[first];
        const std::uint8_t* const above = here - stride_;
        const std::uint8_t* const below = here + stride_;
        std::uint8_t* const near = &near_[first];
        for (int col = 0; col < cols_; ++col)
            near[col] = static_cast<std::uint8_t>(above[col - 1] | above[col] | above[col + 1] | here[col - 1] | here[col + 1] |
                                                  below[col - 1] | below[col] | below[col + 1]);
    }
    list(clues_, [&](int cell) { return (traits_[cell] & kOpened) != 0 && (near_[cell] & kStuck) != 0; });
    std::int64_t free = 0, free_mines = 0, movable = 0, mines = 0;
    for (int row = 0; row < rows_; ++row) {
        const std::uint8_t* const traits = &traits_[place(row * cols_)];
        for (int col = 0; col < cols_; ++col) {
            const bool moves = (traits[col] & kFixed) == 0;
            const bool stuck = moves && (traits[col] & kStuck) != 0;
            const bool mine = (traits[col] & kMined) != 0;
            movable += moves;
            free += stuck;
            mines += mine;
            free_mines += stuck && mine;
        }
    }
    dense_ = free_mines * movable > mines * free;
}

// The numbers of the cells of which something holds, in order.
template <class Holds>
void Mender::list(std::vector<int>& cells, Holds holds) const {
    cells.clear();
    for (int row = 0, number = 0; row < rows_; ++row) {
        int cell = place(row * cols_);
        for (const int end = cell + cols_; cell < end; ++cell, ++number)
            if (holds(cell)) cells.push_back(number);
    }
}

bool Mender::drawn_far(Words& words) const { return words.below(kFar) < 1; }

// Move mines so that logic may get further; false if the drawn change cannot be made.
bool Mender::change(Words& words, Puzzle& puzzle) {
    if (clues_.empty()) return breach(words, puzzle);
    const int number = clues_[draw(words, clues_)];
    const int row = number / cols_;
    const int col = number % cols_;
    const bool fill = dense_ != (words.below(kAgainstTheTrend) == 0);
    turned_.clear();
    for (int k = 0; k < kNeighbours; ++k) {
        const std::uint8_t traits = traits_[place(number) + kRowStep[k] * stride_ + kColStep[k]];
        if ((traits & kStuck) == 0 || (traits & kFixed) != 0 || ((traits & kMined) != 0) == fill) continue;
        turned_.push_back((row + kRowStep[k]) * cols_ + col + kColStep[k]);
    }
    if (turned_.empty()) return false;
    // Cells around the clue that logic has decided may be exchanged too.
    const auto around = [&](int cell) {
        const int r = cell / stride_ - 1 - row;
        const int c = cell % stride_ - 1 - col;
        return -1 <= r && r <= 1 && -1 <= c && c <= 1 && (traits_[cell] & kStuck) != 0;
    };
    const std::uint8_t wanted = fill ? kMined : 0;
    const auto elsewhere = [&](int cell) {
        return (traits_[cell] & (kMined | kFixed)) == wanted && !around(cell);
    };
    list(targets_, [&](int cell) { return (traits_[cell] & kStuck) != 0 && elsewhere(cell); });
    if (targets_.size() < turned_.size() || drawn_far(words)) {
        list(targets_, elsewhere);
        if (targets_.size() < turned_.size()) return false;
    }
    for (const int cell : turned_) puzzle.mine[cell] = fill;
    // Floyd, in Bentley's "Programming Pearls", CACM 30(9), 1987: a target that was drawn has changed already.
    for (std::size_t last = targets_.size() - turned_.size(); last < targets_.size(); ++last) {
        const int drawn = targets_[words.below(last + 1)];
        const bool chosen = (puzzle.mine[drawn] != 0) != fill;
        puzzle.mine[chosen ? targets_[last] : drawn] = !fill;
    }
    return true;
}

// Take a mine out of a wall between open cells and undecided ones that touch none of them.
bool Mender::breach(Words& words, Puzzle& puzzle) {
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

}  // namespace mines
