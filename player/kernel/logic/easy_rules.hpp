// The rules of one clue and of two clues, by the unknown neighbours of each clue and the mines that it needs among
// them. planes/pair_rules.hpp has them for all clues of a board at once.
#pragma once

#include "base/field.hpp"

namespace mines {

// Whether a clue decides its unknown neighbours alone: all are mines if it needs any, and safe otherwise.
inline bool decides_alone(int need, int unknown) { return need == 0 || need == unknown; }

// The unknown neighbours that only one of two clues has.
struct OwnCells {
    unsigned first, second;
};

// The second clue, with the neighbours `b`, is at offset `d` of the first.
inline OwnCells own_cells(unsigned a, unsigned b, int d) {
    return {a & ~unsigned{kShift[d][b]}, b & ~unsigned{kShift[kPairs - 1 - d][a]}};
}

// Return the value of the first clue's own cells, 1 for mines and 0 for safe cells, or -1 if the two clues decide
// nothing; the second clue's own cells have the other value. Neither clue decides cells alone.
//
// Two clues decide something only if one needs as many more mines than the other as it has own cells: these are mines,
// and the mines of the other clue are all shared. If it needs even more, the clues contradict each other.
inline int own_value(int first_need, int second_need, const OwnCells& own) {
    if (second_need - first_need >= popcount(own.second)) return 0;
    return first_need - second_need >= popcount(own.first) ? 1 : -1;
}

// Pass the own cells of two clues that decide something to `decide`, with their values.
template <class Decide>
void each_own(const Field& field, Index first, Index second, const OwnCells& own, int value, Decide decide) {
    for (unsigned bits = own.first; bits != 0; bits &= bits - 1)
        decide(first + field.steps(first)[lowest_bit(bits)], value == 1);
    for (unsigned bits = own.second; bits != 0; bits &= bits - 1)
        decide(second + field.steps(second)[lowest_bit(bits)], value == 0);
}

}  // namespace mines
