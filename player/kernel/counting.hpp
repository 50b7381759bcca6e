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
#include "trellis.hpp"

namespace mines {

// What a count may cost before it is called too wide.
struct CountLimits {
    int states = 4'000'000;            // per component
    std::int64_t numbers = 64'000'000;  // per component: states times mine counts
};

// Suffix counts of a trellis: for every state, in how many ways the rest can be filled, by number of mines.
template <class Real>
struct SuffixCounts {
    struct Range {
        std::int64_t first;  // its numbers are numbers[first .. first + length), for low, low + 1, ... mines
        int low;
        int length;
    };

    std::vector<Range> ranges;  // per state
    std::vector<Real> numbers;

    const Real* of(int state) const { return numbers.data() + ranges[state].first; }
};

// A component with its counts. Counts are below 2^cells, so small components fit double and need no scaling.
struct CountedComponent {
    Component component;
    Trellis trellis;
    bool large = false;
    SuffixCounts<double> counts;
    SuffixCounts<long double> large_counts;  // used instead of `counts` if large

    int low = 0;                  // least number of mines
    std::vector<double> weights;  // number of layouts for low, low + 1, ... mines, tilted and scaled on large frontiers
    std::vector<double> logs;     // their logarithms before that, on large frontiers only
    double log_scale = 0;
    std::vector<double> rest;     // weight of everything else, given that this component has low, low + 1, ... mines
};

// Counts the layouts of a view. Memory is kept and reused between views.
class Counter {
  public:
    // Count the layouts of `grid`. Everything below refers to the last count that was `ok`.
    Fit count(const Grid& grid, const CountLimits& limits);

    // The natural logarithm of the number of layouts.
    double log_layouts() const { return log_layouts_; }

    // Write each unknown cell's probability of being a mine to `out`, indexed like the grid; leave other cells alone.
    void probabilities(double* out);

    // Draw one layout uniformly: `out`, indexed like the grid, gets 1 for a mine and 0 for any other unknown cell.
    void sample(Words& words, std::uint8_t* out);

  private:
    Fit count_component(CountedComponent& part, const CountLimits& limits);
    void collect_sea(const Grid& grid);
    void choose_tilt(std::size_t frontier);
    bool combine();

    int mines_ = 0;
    bool tilted_ = false;
    double tilt_ = 0;       // logarithm of a factor per mine
    double log_scale_ = 0;  // sum of the components'
    double total_ = 0;
    double log_layouts_ = 0;
    ComponentFinder finder_;
    TrellisBuilder builder_;
    std::vector<CountedComponent> components_;  // only the first count_ are in use
    std::size_t count_ = 0;
    std::vector<Index> sea_;

    // Weights by number of mines, of some components and the sea together.
    struct Tail {
        int low;
        std::vector<double> weights;
    };
    std::vector<Tail> tails_;         // components i and later
    std::vector<int> lows_, highs_;   // mines in the components before i
    std::vector<double> prefix_, next_prefix_, plain_weights_, plain_numbers_;
    std::vector<long double> large_weights_, large_numbers_;
};

}  // namespace mines
