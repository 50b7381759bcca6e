#include "make/certifying.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace mines {

Certificate Certifier::certify(const Puzzle& puzzle, int easy_clues) {
    path_.clear();
    path_.hard_only = true;
    finder_.find(puzzle, path_);
    Certificate found;
    found.path = path_.hash[0];
    // The steps of a path use the fewest clues, so the largest number of clues of a step is the number. After a step
    // with the mine count this holds only if the later steps need no more clues and no mine count: the path takes some
    // of the cells that the count decides, and player/logic/effort.py takes all of them.
    int most = easy_clues;
    bool counted = false, shown = true;
    for (std::size_t step = 0; step < path_.tier.size(); ++step) {
        const PathStep made = path_.step(step);
        const std::uint8_t* const unknown = path_.unknown.data() + step * puzzle.mine.size();
        const bool needs_count = made.tier == 4;
        const ClaimedStep claimed{*puzzle.grid, puzzle.mine.data(), unknown,   needs_count,
                                  made.safe,    made.mines,         made.clues};
        // A step without clauses is not proved, because no clauses are not contradictory.
        found.proofs.push_back(proof_clauses(claimed).value_or(Clauses{}));
        const int clues = static_cast<int>(made.clues.size());
        shown = shown && made.smallest && !(counted && (clues > most || needs_count));
        most = std::max(most, clues);
        counted = counted || needs_count;
    }
    if (!path_.solved[0]) found.proofs.emplace_back();
    if (shown) {
        found.clues_at_once = most;
    } else {
        solver_.solve(puzzle, solution_);
        found.clues_at_once = solution_.clues_at_once;
    }
    return found;
}

}  // namespace mines
