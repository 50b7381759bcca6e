// The layouts of a component with one more cell known to be safe, by the clue that this cell would show.
//
// The neighbours of the opened cell belong to few steps of the component's trellis: the window. Paths to its start and
// from its end are those of all layouts. Only inside the window are paths distinguished by the number of mines next to
// the opened cell. This gives all values of the clue at once, without a new trellis for any of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/field.hpp"
#include "count/counted_component.hpp"

namespace mines {

// Numbers of ways to place mines, by the number of near mines (next to the opened cell), 0 to `most`, and by the number
// of all mines.
struct Joint {
    int most = 0;
    int low = 0;  // for low, low + 1, ... mines
    int length = 0;
    std::vector<double> numbers;
    unsigned near = 0;  // bit n: some way has n near mines

    void reset(int new_most, int new_low, int new_length) {
        most = new_most;
        low = new_low;
        length = new_length;
        near = 0;
        numbers.assign(static_cast<std::size_t>(most + 1) * static_cast<std::size_t>(length), 0);
    }
    double* of(int mines_near) { return numbers.data() + static_cast<std::size_t>(mines_near) * length; }
    const double* of(int mines_near) const { return numbers.data() + static_cast<std::size_t>(mines_near) * length; }
    int high() const { return low + length - 1; }
};

// Combine the ways of two independent sets of cells.
void multiply(const Joint& a, const Joint& b, Joint& out);

// A group with cells next to the opened cell, which itself is not counted.
struct TouchedGroup {
    int group;
    int near = 0;  // next to the opened cell
    int far = 0;
};

// Cells with the same mine probability.
struct CellRisk {
    double mine;
    int cells;
};

class Window {
  public:
    // Analyse a component after `prepare_before`. `touched` are its groups with the opened cell or neighbours of it, in
    // order, with at most 9 cells in all. Returns false if that takes too much memory.
    bool build(const CountedComponent& counted, const std::vector<TouchedGroup>& touched);

    // The ways to fill the component.
    const Joint& joint() const { return joint_; }

    // Count the cells that are safe in every layout with one of these numbers of near mines (one bit each). Only for
    // components with few groups.
    int safe_cells(unsigned near) const;

    // Append the mine probability of each group or part of a group to `out`. `weights`, laid out like the joint ways,
    // is the weight of everything else. Ways times weights sum to 1.
    void compute_risks(const Joint& weights, std::vector<CellRisk>& out);

  private:
    // Groups outside the window, and parts of the groups inside, that have a mine on some path.
    struct Mined {
        CountedComponent::Groups groups{0};
        std::uint32_t pieces = 0;  // bit i: near cells of touched_[i]; bit 16 + i: its far cells

        void add(const Mined& other) {
            groups |= other.groups;
            pieces |= other.pieces;
        }
    };
    // An edge of the trellis with a split of its mines.
    struct Way {
        int from;  // state
        int to;
        int mines;
        int near;  // near mines among them
        double ways;
        Mined mined;
    };

    template <class Found>
    void each_way(int group, Found found) const;
    void start();
    void join_after();
    void compute_risks_inside(std::vector<CellRisk>& out);
    void compute_risks_before(std::vector<CellRisk>& out);

    // Index of a state of the window and a number of near mines.
    std::size_t slot(int state, int near) const {
        return static_cast<std::size_t>(state - first_state_) * static_cast<std::size_t>(joint_.most + 1) +
               static_cast<std::size_t>(near);
    }
    const TouchedGroup* touched(int group) const;

    const CountedComponent* counted_ = nullptr;
    std::vector<TouchedGroup> touched_;
    int first_ = 0;  // the groups of the window
    int end_ = 0;
    int first_state_ = 0;
    std::vector<std::size_t> places_;  // per slot: index of its first number
    std::vector<double> ways_;         // ways to get there, laid out like `before` of the state
    std::vector<Mined> mined_;         // per slot
    std::vector<unsigned> near_;       // per state: bit n: some way there has n near mines
    Joint joint_;
    std::array<Mined, kNeighbours + 1> mined_of_;  // per number of near mines, in the whole component
    // Weights: of everything else after the window, inside it, and before it.
    std::vector<double> after_, inside_, before_;
};

}  // namespace mines
