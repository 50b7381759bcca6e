// The possible outcomes of opening a cell: each clue with its exact probability, and the position that it leaves.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/field.hpp"
#include "count/position.hpp"
#include "count/window.hpp"

namespace mines {

// A clue that an opened cell may show.
struct ClueOutcome {
    int clue = 0;
    double chance = 0;   // probability that the cell is safe and shows this clue
    int safe_cells = 0;  // certainly safe cells in focus afterwards
    bool evaluated = false;
    double least_risk = 1;  // once evaluated: the lowest mine probability in focus; 0 if logic finds a safe cell
    double most = 1;        // for strategies: an upper bound on the value afterwards
};

class ClueOutcomes {
  public:
    // Set the position, which must not change.
    void set_position(const Position& position);

    // List the possible clues of `cell`, which must be in focus. The list is empty if the cell is a mine or this takes
    // too much memory.
    void list_outcomes(Index cell, std::vector<ClueOutcome>& out);

    // Evaluate an outcome of the last list.
    void evaluate(ClueOutcome& outcome);

  private:
    // A component around the opened cell.
    struct Near {
        std::size_t counted;
        std::vector<TouchedGroup> touched;
        Window window;
    };
    // All components not around the opened cell.
    struct Others {
        std::vector<std::uint8_t> affected;  // per component: whether it is around the cell
        CountWeights weights;                // of all of them, scaled
        std::vector<CountWeights> without;   // per component: of the others without this one; empty until needed
        double total = 0;                    // weight of all layouts of the position, on the same scale
        int most_spread = 0;                 // most mines minus fewest mines, of one component
        int widest_gap = 0;
        bool open = true;  // whether no group in focus is safe in all layouts of its component
    };

    bool collect_touched(Index cell);
    Near& near_component(std::size_t counted);
    void choose_others();
    void multiply_near();
    void multiply_all_but(std::size_t number, Joint& out);
    void compute_beyond();
    const std::vector<double>& unconstrained_without(int cells);
    double beyond(const CountWeights& others, const std::vector<double>& unconstrained, int mines) const;
    bool count_cannot_bind(int near) const;
    int safe_cells(int near) const;
    void rest_of(std::size_t number, int near, Joint& out);
    void record(ClueOutcome& outcome, double mine, int cells) const;
    void evaluate_unconstrained(ClueOutcome& outcome, int near);
    void evaluate_others(ClueOutcome& outcome, int near);

    const Position* position_ = nullptr;
    int mines_ = 0;
    // Weights of the unconstrained cells by number of mines, from unconstrained_low_ on: of all of them, and with 1 to
    // 9 of them known to be safe.
    int unconstrained_low_ = 0;
    int unconstrained_high_ = 0;
    std::array<std::vector<double>, kNeighbours + 2> unconstrained_;
    std::vector<Others> others_;
    std::size_t others_count_ = 0;  // number of elements in use

    // The current cell.
    Index cell_ = 0;
    std::vector<Near> near_;
    std::size_t near_count_ = 0;
    int near_unconstrained_ = 0;  // unconstrained neighbours
    int far_unconstrained_ = 0;   // all other unconstrained cells
    std::size_t rest_ = 0;        // index in others_
    const std::vector<double>* far_unconstrained_weights_ = nullptr;
    Joint unconstrained_joint_;                // of the unconstrained neighbours
    Joint joint_;                              // of these and the components around the cell
    std::vector<double> beyond_;               // per number of mines of joint_: the weight of everything else
    std::vector<double> unconstrained_mines_;  // the same times the mines in unconstrained cells; empty until needed
    std::array<double, kNeighbours + 1> totals_{};
    // Scratch.
    std::vector<std::uint8_t> affected_;
    Joint product_, joint_of_others_, weights_;
    std::vector<CellRisk> risks_;
    std::vector<double> unconstrained_by_mines_, around_, part_rest_;
};

}  // namespace mines
