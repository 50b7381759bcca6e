// What opening a cell would tell: each clue that it may show, weighted exactly by how likely that is, and what is left
// then.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "grid.hpp"
#include "position.hpp"
#include "window.hpp"

namespace mines {

// One clue that a cell may show when opened, and what is left then.
struct Prospect {
    int clue = 0;
    double chance = 0;      // of a safe cell with this clue
    int safe_cells = 0;     // cells in focus that are certainly safe then
    bool weighed = false;
    double least_mine = 1;  // once weighed: the smallest mine probability of any cell in focus; 0 if logic goes on
};

class Prospects {
  public:
    // Start anew, on a position that stays as it is.
    void begin(const Position& position);

    // Suppose that `cell`, which is in focus, is opened: list what each clue that it may show would tell, by clue. Nothing
    // is listed if the cell is a mine, or if that takes too much memory.
    void suppose(Index cell, std::vector<Prospect>& out);

    // Weigh one of those last listed.
    void weigh(Prospect& prospect);

  private:
    // A part around the cell that is supposed to be open.
    struct Near {
        std::size_t part;
        std::vector<Touched> touched;
        Window window;
    };
    // All parts that have nothing to do with the cell.
    struct Others {
        std::vector<std::uint8_t> affected;          // per part: whether it is not one of them
        CountWeights weights;                        // of all of them, in a scale of their own
        std::vector<CountWeights> without;           // per part: of the others but this one; empty until asked for
        double total = 0;                            // in that scale: the weight of all layouts of the position
        int most_spread = 0;                         // of the mine counts of one part
        int widest_gap = 0;
        bool open = true;                            // whether no group in focus is free of mines in all layouts of its part
    };

    bool look_around(Index cell);
    Near& near_part(std::size_t part);
    void choose_others();
    void multiply_near();
    void multiply_all_but(std::size_t number, Joint& out);
    void weigh_beyond();
    const std::vector<double>& sea_without(int cells);
    double beyond(const CountWeights& others, const std::vector<double>& sea, int mines) const;
    bool count_cannot_bind(int near) const;
    int safe_cells(int near) const;
    void rest_of(std::size_t number, int near, Joint& out);
    void note(Prospect& prospect, double mine, int cells) const;
    void weigh_sea(Prospect& prospect, int near);
    void weigh_others(Prospect& prospect, int near);

    const Position* position_ = nullptr;
    int mines_ = 0;
    // Weights of the sea by its mines, from sea_low_ on: of all of it, and of what is left of it without so many cells.
    int sea_low_ = 0;
    int sea_high_ = 0;
    std::array<std::vector<double>, kNeighbours + 2> sea_;
    std::vector<Others> others_;
    std::size_t others_count_ = 0;  // so many of them are in use

    // Of the cell that is supposed to be open.
    Index cell_ = 0;
    std::vector<Near> near_;
    std::size_t near_count_ = 0;
    int near_sea_ = 0;      // cells of the sea next to it
    int sea_left_ = 0;      // cells of the sea that are neither
    std::size_t rest_ = 0;  // number of the others
    const std::vector<double>* sea_rest_ = nullptr;
    Joint sea_joint_;       // of the cells of the sea next to it
    Joint joint_;           // of these and all parts around it
    std::vector<double> beyond_;      // per number of mines of these: the weight of all else
    std::vector<double> sea_mines_;   // that times the mines in the sea; empty until asked for
    std::array<double, kNeighbours + 1> totals_{};
    // Scratch.
    std::vector<std::uint8_t> affected_;
    Joint product_, joint_of_others_, weights_;
    std::vector<Share> shares_;
    std::vector<double> sea_by_mines_, around_, part_rest_;
};

}  // namespace mines
