// Plans of clicks that clear a known board: few clicks, and a bound that no plan goes below.
#pragma once

#include <cstdint>
#include <vector>

#include "base/sampling.hpp"

namespace mines {

enum class Button : std::uint8_t { left, flag, chord };

struct PlannedClick {
    Button kind;
    int cell;
};

struct ClickRules {
    bool flags = true;        // otherwise without chords, too
    bool count_flags = true;  // as clicks
};

struct ClickPlan {
    std::vector<PlannedClick> clicks;  // in an order that can be played
    int count = 0;                     // clicks that count
    int bound = 0;                     // no plan has fewer: the plan is proved if this is `count`
};

constexpr std::int64_t kUsualWork = -1;  // as many comparisons as find good plans on a board of the size

// Find a plan that starts with a left click on the first click of the puzzle, or anywhere if that is -1. The search
// ends with a proof, after `seconds`, or after `most_work` comparisons of states (0: no limit; or kUsualWork). Without
// a limit in seconds the plan is the same on every machine.
ClickPlan fewest_clicks(const Puzzle& puzzle, const ClickRules& rules, double seconds, std::int64_t most_work);

}  // namespace mines
