// Plays games from the first click to the end: logic first, then a guess.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/sampling.hpp"
#include "logic/closure.hpp"
#include "logic/solver.hpp"
#include "search/guesser.hpp"

namespace mines {

// A random word for a cell that shows a clue. The words of all open cells together, by exclusive or, hash a position.
std::uint64_t hash_cell(Index cell, int clue);

struct GameOutcome {
    bool won = false;
    int opened = 0;  // safe cells
    int guesses = 0;
};

// The board of a game, hidden from the player: it only shows the clues of opened cells.
class HiddenBoard {
  public:
    // Start or continue a game. `mine` has one byte for each place of the field, 1 at mines; `hash` is that of the
    // position.
    void set_up(const Field& field, const std::vector<std::uint8_t>& mine, std::uint64_t hash = 0);

    // Open a cell and its opening, and add the clues to `closure`. Returns false at a mine.
    bool open(Index cell, Closure& closure);

    bool won() const { return to_open_ == 0; }
    int opened() const { return opened_; }

    // Undo everything opened since.
    void rewind();
    // A hash of the open cells and their clues.
    std::uint64_t hash() const { return hash_; }
    static std::uint64_t hash_position(const Field& field, const Closure& closure);

  private:
    std::vector<std::int8_t> clues_;  // indexed like a Field; negative at mines
    std::vector<Index> zeros_;
    int to_open_ = 0;
    int opened_ = 0;
    std::uint64_t hash_ = 0;
    int initial_to_open_ = 0;
    std::uint64_t initial_hash_ = 0;
};

// Called before each cell is opened after the first click; `guess` is true for a cell that the player chose.
using Watch = std::function<void(Index cell, bool guess)>;

// Open all deducible safe cells until nothing follows (returns false) or the game is won. With `watch`, the cells of a
// step are opened in order.
bool deduce(Closure& closure, HiddenBoard& board, std::vector<Step>& steps, const Watch* watch = nullptr);

// Returns the cell to open when logic finds nothing, or -1 if no cell may be safe.
using Choose = std::function<Index(const Field&)>;

// Return the choice of a strategy.
Choose chooser(const Strategy& strategy);

class Player {
  public:
    explicit Player(Choose choose) : choose_(std::move(choose)) {}

    // Play a puzzle. Its click must be safe.
    GameOutcome play(const Puzzle& puzzle);
    // Play it cell by cell. `closure` is the position of the game.
    GameOutcome play(const Puzzle& puzzle, const Watch& watch);
    const Closure& closure() const { return closure_; }

  private:
    Choose choose_;
    Solver solver_{0};
    HiddenBoard board_;
    Closure closure_;
    std::vector<Step> steps_;
    std::vector<std::uint8_t> mine_;
};

}  // namespace mines
