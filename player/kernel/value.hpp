#pragma once
#include "position.hpp"
#include <vector>
namespace mines {
constexpr int kFeatures = 26;
void features(const Prospect& r, const Prospect& p, float* f);
double value(const Prospect& r, const Prospect& p);
}
