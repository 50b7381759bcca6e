// What a sentence about a deduction says: the name of a template of player/logic/words, and its values.
#pragma once

#include <array>
#include <vector>

#include "explain/hints.hpp"

namespace mines {

// With a range of numbers of mines, `need` and `mines` of a deduction from more clues are its ends.
struct Sentence {
    const char* name = "";
    int clue = -1, other = -1;              // the clue that touches the cells, and the second one of two; -1 for none
    int count = 0;                          // unknown cells: of the clue, shared by both, or of the view
    int need = 0;                           // mines that the clue needs among its unknown cells
    int mines = 0;                          // known mines at the clue, mines in the shared cells, or mines left
    int rest = 0;                           // unknown cells of `clue` alone, or the number of cells known before
    std::array<int, kNeighbours> places{};  // its first `mines` are the known mines at the only clue, ascending
};

// A deduction, the cells that count as known for it, with a `Known` for each cell, and the sentence about it.
struct HintStep {
    Hint hint;
    CellBytes given;
    Sentence sentence;
};

// The cells that count as known, step by step.
class Premises {
  public:
    Premises(const View& view, const CellBytes& given);

    // The sentence about a deduction from these cells; without a name for tier 0.
    Sentence sentence(const Hint& hint) const;

    // Count the cells of a hint as known.
    void learn(const Hint& hint);

  private:
    Sentence of_clue(int clue) const;
    Sentence of_one(int clue) const;
    Sentence of_two(int other, int clue, bool mine) const;
    Sentence of_more(const Hint& hint) const;

    const View& view_;
    CellBytes known_;
    int hidden_, left_, count_ = 0;  // hidden cells and mines that are not known, and known cells
};

// Return the sentences about the hints of `list_hints`, each of which rests on the ones before. Hints of the same two
// clues rest on the same known cells.
std::vector<Sentence> sentences(const View& view, const std::vector<Hint>& hints);

}  // namespace mines
