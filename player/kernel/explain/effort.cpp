// Solver::clues_at_once: the largest number of clues needed at the same time.
#include <algorithm>

#include "logic/solver.hpp"

namespace mines {

int Solver::clues_at_once(const Puzzle& puzzle, const Solution& solution) {
    int most = solution.easy_clues();
    if (solution.steps[3] + solution.steps[4] == 0) return most;
    if (bitboard_ != nullptr) {
        bitboard_->restore(seen_before_);
        closure_.reset(field().grid(), mines_);
        sync_closure();
        most = easiest_hard_step(first_steps_, first_count_, most);
    } else {
        load(puzzle);
    }
    while (most >= 0 && !one_clue()) {
        if (two_clues() != 0) continue;
        std::size_t count = 0;
        find_hard_steps(nullptr, count);
        most = easiest_hard_step(steps_, count, most);
    }
    return most;
}

// Where two clues decide nothing, reveal one of the easiest cells that clues decide, or all cells of a mine count step.
// Returns the number of clues needed at once so far.
int Solver::easiest_hard_step(const std::vector<Step>& steps, std::size_t count, int most) {
    if (count == 0) return -1;
    if (steps[0].tier == 4) return mine_count_step(steps[0], most);
    most = std::max(most, 3);
    Index easiest = 0;
    int fewest = -1;
    for (std::size_t i = 0; i < count; ++i) {
        std::vector<Index> cells = steps[i].safe;
        cells.insert(cells.end(), steps[i].mines.begin(), steps[i].mines.end());
        reasons_.set_position(field(), steps[i].clues, {}, clues_);
        Index cell = 0;
        const int size = reasons_.smallest(cells, false, most, cell);
        if (size < 0) return -1;
        // In every component, to save time on large boards: a cell that needs no more clues than an earlier one is
        // free.
        if (size == most) reveal(cell);
        if (fewest >= 0 && size >= fewest) continue;
        fewest = size;
        easiest = cell;
    }
    if (fewest > most) reveal(easiest);
    return fewest;
}

int Solver::mine_count_step(const Step& step, int most) {
    std::vector<Index> cells = step.safe;
    cells.insert(cells.end(), step.mines.begin(), step.mines.end());
    std::vector<Index> unconstrained;
    field().list_unconstrained(unconstrained);
    std::vector<Index> clues;
    for (Index cell = 0; cell < field().size(); ++cell)
        if (field().state[cell] == kOpen && field().mask[cell] != 0) clues.push_back(cell);
    reasons_.set_position(field(), clues, unconstrained, clues_);
    Index cell = 0;
    most = reasons_.smallest(cells, true, most, cell);
    for (const Index decided : cells) reveal(decided);
    return most;
}

}  // namespace mines
