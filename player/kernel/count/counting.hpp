// Exact counting: the number of layouts that fit a view and the mine probability of each cell.
//
// A backward sweep over the trellis of each component counts its layouts by number of mines. Only the mine count
// couples the components and the unconstrained cells. Weighting the mine counts of a component by the layouts of
// everything else, one forward sweep per component gives all probabilities. All sums have positive terms, so relative
// errors stay near rounding.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/field.hpp"
#include "base/random.hpp"
#include "count/counted_component.hpp"
#include "count/coupling.hpp"
#include "logic/trellis.hpp"

namespace mines {

// Counts the layouts of a view.
class Counter {
  public:
    // Count the layouts of `field`. The other methods refer to the last count that returned `ok`.
    Fit count(const Field& field);

    // The natural logarithm of the number of layouts, with any number of mines that the spare cells allow; and of their
    // weight, which is relative to that of a layout without mines in spare cells.
    double log_layouts() const { return log_layouts_; }
    double log_weight() const { return log_weight_; }

    // The exact numbers of layouts of each component, or nothing if a double cannot hold one of them.
    std::optional<std::vector<CountWeights>> exact_weights() const;
    std::size_t unconstrained() const { return unconstrained_.size(); }

    // Write each unknown cell's mine probability to `out`, indexed like the field. Other cells are left unchanged.
    void probabilities(double* out);

    // Draw one layout uniformly: set `out`, indexed like the field, to 1 at mines and to 0 at all other unknown cells.
    void sample(RandomWords& words, std::uint8_t* out);

    // Write one layout in the same way: equal fields give equal layouts, on every machine.
    void example(std::uint8_t* out);

  private:
    template <class Chooser>
    void choose(Chooser& chooser, std::uint8_t* out);
    void collect_logs(const Field& field);
    void choose_tilt();
    bool combine();
    bool combine_tilted();

    int mines_ = 0;
    double tilt_ = 0;       // logarithm of a factor for every mine
    double log_scale_ = 0;  // sum over the components
    double log_layouts_ = 0;
    double log_weight_ = 0;
    ComponentFinder finder_;
    TrellisBuilder builder_;
    std::vector<CountedComponent> components_;  // the first count_ are in use
    std::size_t count_ = 0;
    bool spare_ = false;  // whether there are spare cells

    // Per component and, last, of the spare cells; on large frontiers and with spare cells only.
    struct Tilted {
        int low;
        std::vector<double> logs;  // logarithms of the number of layouts for low, low + 1, ... mines
        CountWeights weights;      // tilted and scaled
        double log_scale = 0;
    };
    std::vector<Tilted> tilts_;
    std::vector<Index> unconstrained_;

    Coupling coupling_;
    std::vector<const CountWeights*> count_weights_;
    std::vector<double> numbers_, weights_;
    std::vector<long double> large_numbers_;
};

}  // namespace mines
