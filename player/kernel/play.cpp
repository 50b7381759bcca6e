#include "play.hpp"

#include <algorithm>

namespace mines {

void Dealer::deal(const Puzzle& puzzle) {
    const int cells = puzzle.rows * puzzle.cols;
    Grid frame;
    frame.reset(puzzle.rows, puzzle.cols, 0);
    clues_.assign(frame.state.size(), 0);
    to_open_ = cells;
    opened_ = 0;
    for (Index cell = 0; cell < cells; ++cell) {
        if (!puzzle.mine[cell]) continue;
        --to_open_;
        for (const int step : frame.step) ++clues_[frame.from_number(cell) + step];
    }
    for (Index cell = 0; cell < cells; ++cell)
        if (puzzle.mine[cell]) clues_[frame.from_number(cell)] = -1;
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
        if (clues_[from] != 0) continue;
        for (const int step : grid.step)
            if (grid.state[from + step] != kWall) flood_.push_back(from + step);
    }
    return true;
}

// Open everything that logic knows to be safe, until nothing follows or the game is won.
bool Player::deduce(Dealer& dealer) {
    if (steps_.empty()) steps_.resize(1);
    while (!dealer.won()) {
        std::size_t count = 1;
        closure_.one_clue(steps_[0]);
        if (steps_[0].empty()) closure_.two_clues(steps_[0]);
        if (steps_[0].empty()) closure_.more_clues(steps_, count);
        if (count == 0) {
            if (!closure_.mine_count(steps_[0]) || steps_[0].empty()) return false;
            count = 1;
        }
        for (std::size_t i = 0; i < count; ++i)
            for (const Index cell : steps_[i].safe) dealer.open(cell, closure_);
    }
    return true;
}

Outcome Player::play(const Puzzle& puzzle) {
    const auto mines = std::count(puzzle.mine.begin(), puzzle.mine.end(), 1);
    closure_.reset(puzzle.rows, puzzle.cols, static_cast<int>(mines));
    dealer_.deal(puzzle);
    dealer_.open(closure_.grid().from_number(puzzle.click), closure_);
    Outcome outcome;
    while (!deduce(dealer_)) {
        // A board has a cell that is safe; one whose chance is rounded away is not found.
        if (!guesser_.choose(closure_.grid())) break;
        ++outcome.guesses;
        if (!dealer_.open(guesser_.candidates().front().cell, closure_)) break;
    }
    outcome.won = dealer_.won();
    outcome.opened = dealer_.opened();
    return outcome;
}

}  // namespace mines
