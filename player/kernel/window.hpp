// The layouts of a part in which one more cell is safe, by what a clue there would count.
//
// The cells next to the opened one lie in few steps of the part's trellis: the window. Ways to get to its start, and from
// its end on, are those of all layouts. Only inside it are the states kept apart by the mines next to the opened cell that
// were met so far. So all values of the clue are had at once, and no trellis is built for any of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "grid.hpp"
#include "part.hpp"

namespace mines {

// Ways to lay mines, by the number of them that are near, from 0 to `most`, and the number of all of them.
struct Joint {
    int most = 0;
    int low = 0;     // for low, low + 1, ... mines
    int length = 0;
    std::vector<double> numbers;
    unsigned near = 0;  // bit n: there are ways with n mines near

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

// Ways for two that have nothing to do with each other.
void multiply(const Joint& a, const Joint& b, Joint& out);

// The cells of a group that a window tells apart; the opened one is in neither.
struct Touched {
    int group;
    int near = 0;  // next to the opened cell
    int far = 0;
};

// Cells that are mines with the same chance.
struct Share {
    double mine;
    int cells;
};

class Window {
  public:
    // Look at a part that was studied. `touched` are its groups that have the opened cell or some next to it, in order; of
    // at most 9 cells in all. False if that takes too much memory.
    bool look(const Part& part, const std::vector<Touched>& touched);

    // The ways to fill the part.
    const Joint& joint() const { return joint_; }

    // How many cells have no mine in any layout that has one of these numbers of mines near (one bit each). Only of parts
    // with few groups.
    int safe_cells(unsigned near) const;

    // Add to `out` how likely the cells of each group, or piece of one, are mines. `weights`, in the places of the joint
    // ways, are those of everything else; ways times weights sum to 1.
    void weigh(const Joint& weights, std::vector<Share>& out);

  private:
    // Groups that the window does not touch, and pieces of those it does, that have a mine on some way.
    struct Mined {
        Part::Groups groups{0};
        std::uint32_t pieces = 0;  // bit i: near cells of touched_[i]; bit 16 + i: far ones

        void add(const Mined& other) {
            groups |= other.groups;
            pieces |= other.pieces;
        }
    };
    // One step on: what a group takes.
    struct Way {
        int from;  // state
        int to;
        int mines;
        int near;  // mines of them
        double ways;
        Mined mined;
    };

    template <class Found>
    void each_way(int group, Found found) const;
    void start();
    void meet();
    void weigh_inside(std::vector<Share>& out);
    void weigh_before(std::vector<Share>& out);

    // Of a state of the window and a number of mines near.
    std::size_t slot(int state, int near) const {
        return static_cast<std::size_t>(state - first_state_) * static_cast<std::size_t>(joint_.most + 1) +
               static_cast<std::size_t>(near);
    }
    const Touched* touched(int group) const;

    const Part* part_ = nullptr;
    std::vector<Touched> touched_;
    int first_ = 0;  // the groups of the window
    int end_ = 0;
    int first_state_ = 0;
    std::vector<std::size_t> places_;  // per slot: where its numbers start
    std::vector<double> ways_;         // to get there, in the order of the ways before the state
    std::vector<Mined> mined_;         // per slot
    std::vector<unsigned> near_;       // per state: bit n: there are ways there with n mines near
    Joint joint_;
    std::array<Mined, kNeighbours + 1> mined_of_;  // per number of mines near, in the whole part
    // Weights: of everything else in the places of the ways after, in the window, and before.
    std::vector<double> after_, inside_, before_;
};

}  // namespace mines
