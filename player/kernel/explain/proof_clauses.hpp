// The clauses that prove a step of a solution: generator/certify.py describes them, player/logic/clauses.py the
// encoding. They come from the board alone and share nothing with the engine that found the step.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/grid.hpp"

namespace mines {

using Clauses = std::vector<std::vector<int>>;

// Cells are numbered row by row. `mine` and `unknown` have one byte for each cell.
struct ClaimedStep {
    const Grid& grid;
    const std::uint8_t* mine;
    const std::uint8_t* unknown;
    bool counted;                         // whether the step uses the mine count
    std::vector<int> safe, mines, clues;  // a counted step without clues uses all
};

// Return clauses that have a model unless the step follows, or nothing if a clue was not open, or a claimed cell was
// decided or touches no clue.
std::optional<Clauses> proof_clauses(const ClaimedStep& step);

}  // namespace mines
