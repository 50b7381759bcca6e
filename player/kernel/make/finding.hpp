// The puzzles of a recipe that a run keeps, with everything that is stored of them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "make/certifying.hpp"
#include "make/difficulty.hpp"
#include "make/metrics.hpp"
#include "make/puzzle_ids.hpp"
#include "make/screening.hpp"

namespace mines {

struct FindOptions {
    int most_changes = 0;    // repair boards with up to this many changes; 0 to screen them
    bool certified = false;  // prove the hard steps
    bool count_clues = true;
    int min_bbbv = 0;
    int max_buried = 0;
    std::function<bool(const Solution&)> accepts;  // the rest of the filter; may be empty
};

struct KeptPuzzle {
    FoundPuzzle found;
    Certificate certificate;  // without proofs and path unless certified
    Metrics metrics;
    PuzzleIds ids;
};

// List the solvable puzzles of a range, without measures.
std::vector<FoundPuzzle> search(const Recipe& recipe, std::uint64_t start, std::uint64_t stop, int most_changes,
                                bool count_clues);

// List those that the filter accepts.
std::vector<KeptPuzzle> find(const Recipe& recipe, std::uint64_t start, std::uint64_t stop, const FindOptions& options);

}  // namespace mines
