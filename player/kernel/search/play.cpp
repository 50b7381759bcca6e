#include "search/play.hpp"

#include <algorithm>
#include <memory>

#include "base/clues.hpp"

namespace mines {

// Zobrist, "A new hashing method with application for game playing" (1970), with mixed instead of stored words (Steele,
// Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
std::uint64_t hash_cell(Index cell, int clue) {
    std::uint64_t word =
        (static_cast<std::uint64_t>(cell) * 16 + static_cast<std::uint64_t>(clue) + 1) * 0x9e3779b97f4a7c15u;
    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9u;
    word = (word ^ word >> 27) * 0x94d049bb133111ebu;
    return word ^ word >> 31;
}

void HiddenBoard::set_up(const Field& field, const std::vector<std::uint8_t>& mine, std::uint64_t hash) {
    count_clues(field, mine, clues_);
    initial_to_open_ = field.unknown_left - field.mines_left;
    initial_hash_ = hash;
    rewind();
}

void HiddenBoard::rewind() {
    to_open_ = initial_to_open_;
    opened_ = 0;
    hash_ = initial_hash_;
}

std::uint64_t HiddenBoard::hash_position(const Field& field, const Closure& closure) {
    int mines = field.mines_left;
    std::uint64_t hash = 0;
    for (Index cell = 0; cell < field.size(); ++cell) {
        if (field.state[cell] == kOpen) hash ^= hash_cell(cell, closure.clue(cell));
        mines += field.state[cell] == kMine;
    }
    // Include the size and the mines.
    return hash ^ hash_cell((field.rows << 20) + (field.cols << 10) + field.grid()->kind, 9) ^ hash_cell(mines, 10);
}

bool HiddenBoard::open(Index cell, Closure& closure) {
    if (clues_[cell] < 0) return false;
    const Field& field = closure.field();
    const auto open = [&](Index next) {
        if (field.state[next] >= kOpen) return -1;
        closure.open(next, clues_[next]);
        ++opened_;
        --to_open_;
        hash_ ^= hash_cell(next, clues_[next]);
        return int{clues_[next]};
    };
    flood(cell, zeros_, open, [&](Index from, auto visit) {
        for (const int step : field.steps(from)) visit(from + step);
    });
    return true;
}

bool deduce(Closure& closure, HiddenBoard& board, std::vector<Step>& steps, const Watch* watch) {
    while (!board.won()) {
        std::size_t count = 0;
        if (closure.next_round(steps, count) != Fit::ok || count == 0) return false;
        for (std::size_t i = 0; i < count; ++i) {
            if (watch != nullptr) std::sort(steps[i].safe.begin(), steps[i].safe.end());
            for (const Index cell : steps[i].safe) {
                if (watch != nullptr && closure.field().state[cell] != kOpen) (*watch)(cell, false);
                board.open(cell, closure);
            }
        }
    }
    return true;
}

GameOutcome Player::play(const Puzzle& puzzle) {
    GameOutcome outcome;
    outcome.won = solver_.start(puzzle);
    while (!outcome.won) {
        const Index cell = choose_(solver_.position());
        // No cell is found if all probabilities of safety round to 0.
        if (cell < 0) break;
        ++outcome.guesses;
        if (!solver_.is_safe(cell)) break;
        outcome.won = solver_.open(puzzle, cell);
    }
    outcome.opened = solver_.opened();
    return outcome;
}

GameOutcome Player::play(const Puzzle& puzzle, const Watch& watch) {
    const auto mines = std::count(puzzle.mine.begin(), puzzle.mine.end(), 1);
    closure_.reset(puzzle.grid, static_cast<int>(mines));
    add_border(closure_.field(), puzzle.mine.data(), mine_);
    board_.set_up(closure_.field(), mine_);
    board_.open(closure_.field().from_number(puzzle.click), closure_);
    GameOutcome outcome;
    while (!deduce(closure_, board_, steps_, &watch)) {
        const Index cell = choose_(closure_.field());
        if (cell < 0) break;
        ++outcome.guesses;
        watch(cell, true);
        if (!board_.open(cell, closure_)) break;
    }
    outcome.won = board_.won();
    outcome.opened = board_.opened();
    return outcome;
}

Choose chooser(const Strategy& strategy) {
    const auto guesser = std::make_shared<Guesser>(strategy, 1);
    return [guesser](const Field& field) { return guesser->chosen(field); };
}

}  // namespace mines
