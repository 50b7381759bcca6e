// The coupling of components and unconstrained cells through the number of mines.
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

// Fill `weights` with numbers proportional to C(cells, k) * odds^k for k mines, scaled to 1 at the returned number.
int fill_binomial(int cells, double odds, int low, int high, std::vector<double>& weights);

class Coupling {
  public:
    // Couple these components and `unconstrained` cells, in which every mine has weight `odds`, to `mines` mines in
    // all. The weights must outlive this object. Returns false if no layout has this number of mines.
    bool couple(const std::vector<const CountWeights*>& components, int unconstrained, int mines, double odds);

    // The natural logarithm of the total weight of all layouts.
    double log_total() const { return log_total_; }

    // Compute `rest` and `unconstrained_mine`.
    void compute_marginals();

    // Per number of mines in component i: the weight of everything else. Weights times rests sum to 1.
    const std::vector<double>& rest(std::size_t i) const { return complements_[i]; }

    // The mine probability of an unconstrained cell.
    double unconstrained_mine() const { return unconstrained_mine_; }

    // Per number of mines in component i: its weight times that of all later components and the unconstrained cells, if
    // these have `mines` mines together.
    void conditional(std::size_t i, int mines, std::vector<double>& weights) const;

  private:
    std::vector<const CountWeights*> components_;
    int unconstrained_ = 0;
    int mines_ = 0;
    double total_ = 0;
    double log_total_ = 0;
    double unconstrained_mine_ = 0;
    std::vector<CountWeights> tails_;  // weights of components i and later with the unconstrained cells
    std::vector<int> lows_, highs_;    // mines in the components before i
    std::vector<std::vector<double>> complements_;
    std::vector<double> prefix_, next_prefix_;
};

}  // namespace mines
