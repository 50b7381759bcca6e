// Exact counting: how many layouts fit a view, and in which share of them each cell is a mine.
//
// Each component is counted by number of mines with one backward sweep over its trellis. The components and the sea (the
// unknown cells that no clue sees) are tied together by the number of mines only: weighting each component's mine counts
// by what the others and the sea can do with the rest, one forward sweep per component gives every cell's probability.
// Sums have positive terms only, so relative errors stay near rounding.
#pragma once

#include <cstdint>
#include <vector>

#include "component.hpp"
#include "grid.hpp"
#include "random.hpp"
#include "sweeps.hpp"
#include "tie.hpp"
#include "trellis.hpp"

namespace mines {

// A component with its counts. Counts are below 2^cells, so small components fit double and need no scaling.
struct CountedComponent {
    Component component;
    Trellis trellis;
    bool large = false;
    StateCounts<double> counts;
    StateCounts<long double> large_counts;  // used instead of `counts` if large

    CountWeights weights;      // number of layouts by number of mines, tilted and scaled on large frontiers
    std::vector<double> logs;  // their logarithms before that, on large frontiers only
    double log_scale = 0;
};

// Counts the layouts of a view. Memory is kept and reused between views.
class Counter {
  public:
    // Count the layouts of `grid`. Everything below refers to the last count that was `ok`.
    Fit count(const Grid& grid);

    // The natural logarithm of the number of layouts.
    double log_layouts() const { return log_layouts_; }

    // Write each unknown cell's probability of being a mine to `out`, indexed like the grid; leave other cells alone.
    void probabilities(double* out);

    // Draw one layout uniformly: `out`, indexed like the grid, gets 1 for a mine and 0 for any other unknown cell.
    void sample(Words& words, std::uint8_t* out);

  private:
    Fit count_component(CountedComponent& part);
    void collect_sea(const Grid& grid);
    void choose_tilt(std::size_t frontier);
    bool combine();

    int mines_ = 0;
    bool tilted_ = false;
    double tilt_ = 0;       // logarithm of a factor per mine
    double log_scale_ = 0;  // sum of the components'
    double log_layouts_ = 0;
    ComponentFinder finder_;
    TrellisBuilder builder_;
    std::vector<CountedComponent> components_;  // only the first count_ are in use
    std::size_t count_ = 0;
    std::vector<Index> sea_;

    Tie tie_;
    std::vector<const CountWeights*> tied_;
    std::vector<double> plain_weights_, plain_numbers_;
    std::vector<long double> large_weights_, large_numbers_;
};

}  // namespace mines
