// Paper forms: puzzles for print, where nothing opens. player/logic/paper.py defines them.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "base/sampling.hpp"
#include "logic/closure.hpp"

namespace mines {

struct PaperOptions {
    bool easy = false;    // decide every cell by one clue or two
    bool counted = true;  // use the mine count
    int more = 0;         // clues beyond those needed
};

struct PaperForm {
    bool complete = false;                // whether the clues decide every hidden cell
    std::vector<std::int8_t> cells;       // row by row, -1 if hidden
    int revealed = 0;                     // clues outside the first opening
    std::array<std::int64_t, 5> steps{};  // cells decided at each tier
};

class PaperMaker {
  public:
    explicit PaperMaker(const PaperOptions& options) : options_(options) {}
    void make(const Puzzle& puzzle, PaperForm& out);

  private:
    bool decides_all(Closure& closure, bool easy, std::array<std::int64_t, 5>* steps = nullptr);
    void take_back(std::size_t first, std::size_t last, std::size_t depth);

    PaperOptions options_;
    std::vector<std::uint8_t> mine_;   // indexed like the field
    std::vector<std::int8_t> truth_;   // indexed like the field: the clue of every cell, negative at mines
    std::vector<Index> tried_;         // cells outside the first opening, in random order; -1 once taken back
    std::deque<Closure> closures_{1};  // of each depth of `take_back`
    std::vector<Step> steps_{1};
    std::vector<Index> zeros_;
    int buried_ = 0;  // mines that touch no safe cell
};

}  // namespace mines
