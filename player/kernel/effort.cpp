// The second half of Solver: how many clues at once a puzzle takes.
#include <algorithm>

#include "solver.hpp"

namespace mines {

int Solver::clues_at_once(const Solution& solution) {
    int most = solution.steps[2] != 0 ? 2 : solution.steps[1] != 0 ? 1 : 0;
    if (solution.steps[3] + solution.steps[4] == 0) return most;
    if (rows_ != nullptr) {
        rows_->go_back(seen_before_);
        closure_.reset(grid().rows, grid().cols, mines_);
    } else {
        closure_.forget(unknown_before_);
        opened_ = opened_before_;
    }
    while (most >= 0 && !one_clue())
        if (two_clues() == 0) most = easiest_hard_step(most);
    return most;
}

// Where two clues decide nothing: take one of the easiest cells that clues decide; or, if none is, all that the mine
// count does. Returns how many clues were needed at once so far.
int Solver::easiest_hard_step(int most) {
    follow_rows();
    std::size_t count = 0;
    closure_.find_more_clues(steps_, count, nullptr);
    if (count == 0) return mine_count_step(most);
    most = std::max(most, 3);
    Index easiest = 0;
    int fewest = -1;
    for (std::size_t i = 0; i < count; ++i) {
        std::vector<Index> cells = steps_[i].safe;
        cells.insert(cells.end(), steps_[i].mines.begin(), steps_[i].mines.end());
        reasons_.look_at(grid(), steps_[i].clues, {}, clues_);
        Index cell = 0;
        const int size = reasons_.smallest(cells, false, most, cell);
        if (size < 0) return -1;
        // In every component, as boards may be large: what takes no more than was needed before is free.
        if (size == most) know(cell);
        if (fewest >= 0 && size >= fewest) continue;
        fewest = size;
        easiest = cell;
    }
    if (fewest > most) know(easiest);
    return fewest;
}

int Solver::mine_count_step(int most) {
    if (!closure_.find_mine_count(steps_[0]) || steps_[0].empty()) return -1;
    std::vector<Index> cells = steps_[0].safe;
    cells.insert(cells.end(), steps_[0].mines.begin(), steps_[0].mines.end());
    std::vector<Index> sea;
    closure_.sea(sea);
    std::vector<Index> clues;
    for (Index cell = 0; cell < grid().size(); ++cell)
        if (grid().state[cell] == kOpen && grid().mask[cell] != 0) clues.push_back(cell);
    reasons_.look_at(grid(), clues, sea, clues_);
    Index cell = 0;
    most = reasons_.smallest(cells, true, most, cell);
    for (const Index decided : cells) know(decided);
    return most;
}

}  // namespace mines
