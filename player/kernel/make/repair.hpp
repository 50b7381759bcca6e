// Repair: moves mines until logic solves a board. The algorithm of generator/repair.py, with the same random numbers in
// the same order, so both produce the same puzzles.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "base/sampling.hpp"
#include "logic/solver.hpp"

namespace mines {

class Repairer {
  public:
    // Repair puzzle `index` of a recipe with at most `most_changes` changes. If the verdict is solved, `puzzle` and
    // `out` are the repaired puzzle and its complete solution; if it is too_wide, another engine must repair it.
    Verdict repair(const Recipe& recipe, std::uint64_t index, int most_changes, Puzzle& puzzle, Solution& out);

  private:
    enum Trait : std::uint8_t { kMined = 1, kStuck = 2, kFixed = 4, kOpened = 8 };

    void load(const Recipe& recipe, const Puzzle& puzzle);
    void update_traits(const Puzzle& puzzle, const Solution& solution);
    bool change(RandomWords& words, Puzzle& puzzle);
    bool open_wall(RandomWords& words, Puzzle& puzzle);
    template <class Holds>
    void list(std::vector<int>& cells, Holds holds) const;
    bool drawn_far(RandomWords& words) const;
    int place(int number) const { return (number / cols_ + 1) * stride_ + number % cols_ + 1; }

    Solver trial_solver_{0};
    Solver final_solver_{kCountClues};
    Puzzle changed_;
    Solution trial_;

    int rows_ = 0;
    int cols_ = 0;
    int stride_ = 0;
    int stuck_ = 0;                     // number of undecided cells
    std::vector<std::uint8_t> traits_;  // of every cell, with a border of one cell
    std::vector<std::uint8_t> near_;    // traits of all its neighbours combined
    bool dense_ = false;                // whether undecided cells have a higher mine density than the board
    std::vector<int> clues_;            // open cells next to undecided ones; these lists hold ascending cell numbers
    std::vector<int> walls_, targets_, changed_cells_;
};

}  // namespace mines
