#include "play.hpp"

#include <algorithm>

namespace mines {
namespace {

// Zobrist, "A new hashing method with application for game playing" (1970), with words that are mixed, not stored
// (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
std::uint64_t name_of(Index cell, int clue) {
    std::uint64_t word = (static_cast<std::uint64_t>(cell) * 16 + static_cast<std::uint64_t>(clue) + 1) * 0x9e3779b97f4a7c15u;
    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9u;
    word = (word ^ word >> 27) * 0x94d049bb133111ebu;
    return word ^ word >> 31;
}

}  // namespace

void Dealer::deal(const Grid& grid, const Puzzle& puzzle) {
    clues_.assign(grid.state.size(), 0);
    to_open_ = grid.unknown_left - grid.mines_left;
    opened_ = 0;
    const std::uint8_t* mine = puzzle.mine.data();
    for (int row = 0; row < grid.rows; ++row) {
        const Index first = grid.at(row, 0);
        for (Index cell = first; cell < first + grid.cols; ++cell)
            if (*mine++ != 0) lay_mine(grid, cell);
    }
}

void Dealer::deal(const Grid& grid, const std::vector<std::uint8_t>& mine, std::uint64_t name) {
    clues_.assign(grid.state.size(), 0);
    dealt_to_open_ = grid.unknown_left;
    for (Index cell = 0; cell < grid.size(); ++cell) {
        if (!mine[cell]) continue;
        if (grid.state[cell] == kUnknown) --dealt_to_open_;
        lay_mine(grid, cell);
    }
    dealt_name_ = name;
    rewind();
}

void Dealer::rewind() {
    to_open_ = dealt_to_open_;
    opened_ = 0;
    name_ = dealt_name_;
}

std::uint64_t Dealer::name_position(const Grid& grid, const Closure& closure) {
    int mines = grid.mines_left;
    std::uint64_t name = 0;
    for (Index cell = 0; cell < grid.size(); ++cell) {
        if (grid.state[cell] == kOpen) name ^= name_of(cell, closure.clue(cell));
        mines += grid.state[cell] == kMine;
    }
    // Boards of another size or with other mines have other names.
    return name ^ name_of((grid.rows << 20) + (grid.cols << 10), 9) ^ name_of(mines, 10);
}

bool Dealer::open(Index cell, Closure& closure) {
    if (clues_[cell] < 0) return false;
    const Grid& grid = closure.grid();
    flood_.assign(1, cell);
    while (!flood_.empty()) {
        const Index from = flood_.back();
        flood_.pop_back();
        if (grid.state[from] == kOpen) continue;
        closure.open(from, clues_[from]);
        ++opened_;
        --to_open_;
        name_ ^= name_of(from, clues_[from]);
        if (clues_[from] != 0) continue;
        for (const int step : grid.step)
            if (grid.state[from + step] != kWall) flood_.push_back(from + step);
    }
    return true;
}

bool deduce(Closure& closure, Dealer& dealer, std::vector<Step>& steps) {
    if (steps.empty()) steps.resize(1);
    while (!dealer.won()) {
        std::size_t count = 1;
        closure.one_clue(steps[0]);
        if (steps[0].empty()) closure.two_clues(steps[0]);
        if (steps[0].empty()) closure.more_clues(steps, count);
        if (count == 0) {
            if (!closure.mine_count(steps[0]) || steps[0].empty()) return false;
            count = 1;
        }
        for (std::size_t i = 0; i < count; ++i)
            for (const Index cell : steps[i].safe) dealer.open(cell, closure);
    }
    return true;
}

Outcome Player::play(const Puzzle& puzzle) {
    const auto mines = std::count(puzzle.mine.begin(), puzzle.mine.end(), 1);
    closure_.reset(puzzle.rows, puzzle.cols, static_cast<int>(mines));
    dealer_.deal(closure_.grid(), puzzle);
    dealer_.open(closure_.grid().from_number(puzzle.click), closure_);
    Outcome outcome;
    while (!deduce(closure_, dealer_, steps_)) {
        const Index cell = choose_(closure_);
        // A board has a cell that is safe; one whose chance is rounded away is not found.
        if (cell < 0) break;
        ++outcome.guesses;
        if (!dealer_.open(cell, closure_)) break;
    }
    outcome.won = dealer_.won();
    outcome.opened = dealer_.opened();
    return outcome;
}

}  // namespace mines
