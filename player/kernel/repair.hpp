// Mending a board until logic solves it: the loop of generator/repair.py, which says what is done and why. The same
// random numbers are drawn in the same order, so the same puzzles come out.
#pragma once

#include <cstdint>
#include <vector>

#include "random.hpp"
#include "sampling.hpp"
#include "solver.hpp"

namespace mines {

class Mender {
  public:
    // Mend puzzle `index` of a recipe by at most so many changes. If the verdict is that it is solved, `puzzle` and
    // `out` are the mended puzzle and its solution, as a whole; if it is too wide, another engine has to mend it.
    Verdict mend(const Recipe& recipe, std::uint64_t index, int most_changes, Puzzle& puzzle, Solution& out);

  private:
    enum Trait : std::uint8_t { kMined = 1, kStuck = 2, kFixed = 4, kOpened = 8 };

    void lay_out(const Recipe& recipe, const Puzzle& puzzle);
    void look(const Puzzle& puzzle, const Solution& solution);
    bool change(Words& words, Puzzle& puzzle);
    bool breach(Words& words, Puzzle& puzzle);
    template <class Holds>
    void list(std::vector<int>& cells, Holds holds) const;
    bool drawn_far(Words& words) const;
    int place(int number) const { return (number / cols_ + 1) * stride_ + number % cols_ + 1; }

    Solver trying_{{false, false, false, true}};
    Solver solving_{{false, true, true, false}};
    Puzzle changed_;
    Solution tried_;

    int rows_ = 0;
    int cols_ = 0;
    int stride_ = 0;
    int stuck_ = 0;                     // how many cells are undecided
    std::vector<std::uint8_t> traits_;  // of every cell, with a border of one cell
    std::vector<std::uint8_t> near_;    // of its neighbours, taken together
    bool dense_ = false;                // whether there are more mines to a cell among these
    std::vector<int> clues_;            // open cells next to undecided ones; numbers, ascending, as those below
    std::vector<int> walls_, targets_, turned_;
};

}  // namespace mines
