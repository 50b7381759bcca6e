// A position in which logic has nothing more to say: how likely each unknown cell is a mine, and what opening one would
// tell, weighted exactly by how likely each clue is.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "component.hpp"
#include "grid.hpp"
#include "sweeps.hpp"
#include "tie.hpp"
#include "trellis.hpp"

namespace mines {

// A component with all that is known of it on its own.
struct Part {
    Component component;
    Trellis trellis;
    SuffixCounts<double> counts;
    CountWeights weights;
    // Per group, and per number of mines in the component: the group's expected mines, times weights.
    std::vector<double> expected;
};

// One clue that a cell may show when opened, and what is left then.
struct Prospect {
    int clue = 0;
    double chance = 0;      // of a safe cell with this clue
    double least_mine = 1;  // the smallest mine probability of any cell that is still unknown; 0 if logic goes on
    int safe_cells = 0;     // cells that are certainly safe then
};

class Position {
  public:
    // Look at a grid that logic is done with. None if it contradicts itself; too_wide if it cannot be counted here.
    // With `everything` in focus, nothing is left for later.
    Fit look(const Grid& grid, bool everything = false);

    const Grid& grid() const { return grid_; }
    const std::vector<Index>& sea() const { return sea_; }
    const Part& part(std::size_t number) const { return *parts_[number]; }
    // The number of the part that an unknown cell belongs to, or -1 in the sea.
    int part_of(Index cell) const { return part_of_[cell]; }
    double mine(Index cell) const { return mine_[cell]; }
    const std::vector<double>& rest(std::size_t part) const { return tie_.rest(part); }

    // Parts whose cells touch no unknown cell outside them, and whose number of mines is certain, have no bearing on
    // the rest of the game, nor the rest on them: their chances multiply. The focus is what is to be played now:
    // everything that hangs together by cells or by the number of mines, or, once nothing else is left, one sealed
    // cluster.
    const std::vector<int>& focus() const { return focus_; }  // numbers of parts
    bool focus_on_sea() const { return focus_on_sea_; }
    bool in_focus(Index cell) const { return part_of_[cell] < 0 ? focus_on_sea_ : in_focus_[part_of_[cell]] != 0; }
    int focus_mines() const { return focus_mines_; }
    double focus_log_layouts() const { return focus_log_layouts_; }

    // Suppose that `cell`, which is in focus, is opened: list what each clue that it may show would tell about the
    // focus.
    void suppose(Index cell, std::vector<Prospect>& out);

  private:
    Fit build(Part& part);
    Fit find_parts();
    void weigh_part(Part& part, const std::vector<double>& rest);
    int mark_affected(Index cell);
    bool rebuild_affected(Index cell);
    Prospect prospect(int clue, int new_sea);
    Part& spare(std::size_t number);
    void choose_focus();
    void focus_on_everything();
    int only_count(std::size_t part) const;
    int leader(int cluster);

    Grid grid_;
    std::vector<std::unique_ptr<Part>> parts_, spares_;
    std::size_t count_ = 0;
    std::vector<Index> sea_;
    std::vector<int> part_of_;
    std::vector<double> mine_;
    Tie tie_, supposed_tie_;
    ComponentFinder finder_;
    TrellisBuilder builder_;
    std::vector<const CountWeights*> tied_;
    std::vector<double> unit_, numbers_;
    std::vector<std::uint8_t> affected_;
    std::size_t made_ = 0;  // parts in spares_ that stand for those affected
    std::vector<int> leaders_;  // of clusters of parts; the sea comes after the parts
    std::vector<std::uint8_t> loose_;
    std::vector<int> focus_;
    std::vector<std::uint8_t> in_focus_;
    bool focus_on_sea_ = false;
    int focus_mines_ = 0;
    double focus_log_layouts_ = 0;
};

}  // namespace mines
