// Perfect play asks whether enough layouts can be won: which of several choices wins most of them?
#pragma once

#include <algorithm>
#include <cstddef>

namespace mines {

// Try choices 0, 1, ... in turn: `promise(i)` is as much as choice i and all after it can win, `win(i, need)` what it wins
// if that is at least `need`, else some number that is below `need` but not below the truth. Returns the most that any
// wins, `best(i)` being told of each that is better than those before, if that is at least `need`; else `exact` is false,
// and the number is as of `win`.
template <class Promise, class Win, class Best>
int best_choice(std::size_t count, int need, bool& exact, Promise promise, Win win, Best best) {
    int wins = std::max(need, 1) - 1;
    int most = 1;  // what the choices cannot exceed that were not good enough
    exact = false;
    for (std::size_t i = 0; i < count; ++i) {
        if (promise(i) <= wins) {
            most = std::max(most, promise(i));
            break;
        }
        const int possible = win(i, wins + 1);
        if (possible > wins) {
            wins = possible;
            exact = true;
            best(i);
        } else {
            most = std::max(most, possible);
        }
    }
    return exact ? wins : most;
}

}  // namespace mines
