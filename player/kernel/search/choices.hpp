// Choice of the best option in a search with bounds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

namespace mines {

// Try choices 0, 1, ... in turn. `upper_bound(i)` bounds the wins of choice i and all later ones. `win(i, need)`
// returns the wins of choice i if they are at least `need`, else an upper bound below `need`. `best(i)` is called for
// each choice that beats all earlier ones. Returns the most wins, with `exact` true, if they are at least `need`; else
// an upper bound.
template <class Promise, class Win, class Best>
int best_choice(std::size_t count, int need, bool& exact, Promise upper_bound, Win win, Best best) {
    int wins = std::max(need, 1) - 1;
    int most = 1;  // upper bound on the choices that were not good enough
    exact = false;
    for (std::size_t i = 0; i < count; ++i) {
        if (upper_bound(i) <= wins) {
            most = std::max(most, upper_bound(i));
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

// Return the value of a choice after which the layouts fall into parts. Each of the `count` parts is a number of
// layouts and the first argument of `win(part, size, need)`. `possible` bounds the wins of all parts, and counts these
// whole.
template <class Part, class Win>
int win_parts(std::pair<int, Part>* parts, std::size_t count, int possible, int need, Win win) {
    // The largest parts can reduce the bound most.
    std::sort(parts, parts + count, std::greater<>());
    for (std::size_t p = 0; p < count && possible >= need; ++p) {
        const auto [size, part] = parts[p];
        const int others = possible - size;
        possible = others + win(part, size, need - others);
    }
    return possible;
}

}  // namespace mines
