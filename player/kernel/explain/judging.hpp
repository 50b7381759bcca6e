// Judgements of clicks: the cells that a player opens, compared with the deductions of the view and with all guesses.
#pragma once

#include <vector>

#include "explain/chain.hpp"
#include "search/rollout.hpp"

namespace mines {

enum class ClickKind : std::uint8_t { first_click, certain, forced_guess, needless_guess, known_mine };

// A cell considered for a guess, by its number; see Candidate.
struct Rated {
    int cell;
    double safety, progress, value;
};

// The cells of a position compared, best first, by values of a kind. Values and safeties are rounded to nine digits, so
// that equally good cells have equal ones.
struct Evaluation {
    EvaluationKind kind = EvaluationKind::none;
    std::vector<Rated> ratings;
};

// Numbers that were not computed are NaN, and cells that do not exist -1.
struct Judgement {
    ClickKind kind = ClickKind::first_click;
    double safety = 0;   // the probability that none of the cells is a mine
    int best_cell = -1;  // the first safe cell, otherwise the best guess
    double best_safety = 0;
    std::vector<double> chances;  // of a mine in each cell, NaN in open ones; empty if they cannot be counted
    Evaluation guesses;           // where no cell is safe: all uncertain cells
    double loss = 0;              // the value that the click loses: 0 if it is certain, NaN where no value is known
    int uncertain_cell = -1;      // the first known mine, otherwise the first cell that is not known to be safe
    HintStep step;                // of a needless guess: the last one of the chain to a safe cell
    CellBytes safe_layout, mined_layout;  // of a forced guess: the counterexample of `uncertain_cell`
};

// The prospects of the guess of a cell, and the name of a template that says why it is worse than the first one.
struct Compared : Prospect {
    const char* why = "";
};

// Compare guesses; the first one is the best. Empty if the position cannot be counted.
std::vector<Compared> compare(const View& view, const CellBytes& known, const std::vector<int>& cells);

// Rate the cells that a strategy considers where no safe cell is known, best first. `known` has a `Known` for each
// cell.
std::vector<Rated> rate(const View& view, const CellBytes& known, const Strategy& strategy);
// The same with the values of rollouts.
std::vector<Rated> rate_by_rollouts(const View& view, const CellBytes& known, const RolloutOptions& options);

// Compare all uncertain cells there.
Evaluation evaluate(const View& view, const CellBytes& known);

// Judge a click that opens one or more hidden cells. `known` is the closure of the view.
Fit judge_click(const View& view, const CellBytes& known, const std::vector<int>& cells, Judgement& out);

}  // namespace mines
