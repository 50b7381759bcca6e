// What ties the components of a view and its sea together: the number of mines.
#pragma once

#include <cstddef>
#include <vector>

namespace mines {

// Weights for low, low + 1, ... mines.
struct CountWeights {
    int low = 0;
    std::vector<double> numbers;

    int length() const { return static_cast<int>(numbers.size()); }
    int high() const { return low + length() - 1; }
};

class Tie {
  public:
    // Tie these parts and a sea of `sea` cells to `mines` mines in all; every mine in the sea weighs `odds`. The parts must
    // outlive this tie. False if no layout has so many mines.
    bool set(const std::vector<const CountWeights*>& parts, int sea, int mines, double odds);

    // The natural logarithm of the summed weight of all layouts.
    double log_total() const { return log_total_; }

    // Work out `rest` and `sea_share`.
    void share();

    // Per number of mines in part i: the weight of everything else. Weights times rests sum to 1.
    const std::vector<double>& rest(std::size_t i) const { return rests_[i]; }

    // The probability of a mine in each cell of the sea.
    double sea_share() const { return sea_share_; }

    // Per number of mines in part i: its weight and that of all later parts and the sea, given that they share `mines`.
    void given(std::size_t i, int mines, std::vector<double>& weights) const;

  private:
    std::vector<const CountWeights*> parts_;
    int sea_ = 0;
    int mines_ = 0;
    double total_ = 0;
    double log_total_ = 0;
    double sea_share_ = 0;
    std::vector<CountWeights> tails_;  // of parts i and later with the sea, for what those before i can leave them
    std::vector<int> lows_, highs_;    // mines in the parts before i
    std::vector<std::vector<double>> rests_;
    std::vector<double> prefix_, next_prefix_;
};

}  // namespace mines
