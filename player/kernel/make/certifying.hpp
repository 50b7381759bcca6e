// Certificates of puzzles: generator/certify.py defines them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/sampling.hpp"
#include "explain/path.hpp"
#include "explain/proof_clauses.hpp"
#include "logic/solver.hpp"

namespace mines {

struct Certificate {
    std::uint64_t path = 0;       // hash of the solution path
    int clues_at_once = -1;       // as in `Solution`
    std::vector<Clauses> proofs;  // of the steps of more than two clues: each must be contradictory
};

class Certifier {
  public:
    // Certify a solvable puzzle. `easy_clues` is the largest number of clues that a step of tier 1 or 2 needs at once.
    Certificate certify(const Puzzle& puzzle, int easy_clues);

  private:
    PathFinder finder_;
    Paths path_;
    Solver solver_{kCountClues};
    Solution solution_;
};

}  // namespace mines
