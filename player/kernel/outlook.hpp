// A quick guess at the chance to win after a guess, for what it explains of the luck of rollouts.
#pragma once

#include <array>

#include "guesser.hpp"

namespace mines {

constexpr int kFeatures = 14;

// What tells of the chance to win after the last choice of a guesser, which must have counted the position.
std::array<double, kFeatures> features(const Guesser& guesser);

// About the chance to win if the cell chosen is safe: a logistic function of the features. Weights that are off bias
// no rollout, they only leave it more luck.
double outlook(const Guesser& guesser);

}  // namespace mines
