// Games of a strategy as positions in flat lists, for data sets.
#pragma once

#include <cstdint>
#include <vector>

#include "search/guesser.hpp"
#include "search/play.hpp"

namespace mines {

// Positions before clicks. All lists but `ends` and `won` have an element for each position, `views` one for each cell
// of each.
struct Recording {
    std::vector<std::int8_t> views;
    std::vector<std::int64_t> ends;  // the number of positions up to the end of each game
    std::vector<std::int32_t> turn;  // the number of earlier clicks
    std::vector<std::int32_t> cell;  // opened next
    std::vector<double> win;         // the exact probability to win before a guess; NaN if it is not known
    std::vector<std::uint8_t> won;   // of each game
};

// Plays puzzles of one grid, and records them.
class Recorder : public Recording {
  public:
    // With `guesses_only`, only the positions before guesses are listed.
    Recorder(const Strategy& strategy, bool guesses_only) : guesser_(strategy, 1), guesses_only_(guesses_only) {}

    void play(const Puzzle& puzzle);

  private:
    void add(const Closure& closure, Index opened, bool guess, int turns);

    Guesser guesser_;
    bool guesses_only_;
    std::vector<std::int8_t> view_;
    std::vector<Index> cells_;
};

}  // namespace mines
