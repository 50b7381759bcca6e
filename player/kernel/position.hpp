// A position in which logic has nothing more to say: how likely each unknown cell is a mine, and what is to be played now.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "component.hpp"
#include "grid.hpp"
#include "part.hpp"
#include "tie.hpp"
#include "trellis.hpp"

namespace mines {

class Position {
  public:
    // Look at a grid that logic is done with. None if it contradicts itself; too_wide if it cannot be counted here.
    // With `everything` in focus, nothing is left for later.
    Fit look(const Grid& grid, bool everything = false);

    // Look at what another position is once a cell of it has been opened and showed this clue. The two share the parts
    // that it leaves as they are.
    Fit look_on(const Position& before, Index cell, int clue);

    const Grid& grid() const { return grid_; }
    const std::vector<Index>& unknown() const { return unknown_; }  // cells, in order
    const std::vector<Index>& sea() const { return sea_; }          // those of them that no clue sees
    std::size_t parts() const { return parts_.size(); }
    Part& part(std::size_t number) const { return *parts_[number]; }
    // The number of the part that an unknown cell belongs to, or -1 in the sea, and that of its group there.
    int part_of(Index cell) const { return part_of_[cell]; }
    int group_of(Index cell) const { return group_of_[cell]; }
    double mine(Index cell) const { return mine_[cell]; }
    const std::vector<double>& rest(std::size_t part) const { return tie_.rest(part); }

    // Parts whose cells touch no unknown cell outside them, and whose number of mines is certain, have no bearing on
    // the rest of the game, nor the rest on them: their chances multiply. The focus is what is to be played now:
    // everything that hangs together by cells or by the number of mines, or, once nothing else is left, one sealed
    // cluster.
    const std::vector<int>& focus() const { return focus_; }  // numbers of parts
    bool focus_on_sea() const { return focus_on_sea_; }
    bool part_in_focus(std::size_t part) const { return in_focus_[part] != 0; }
    bool in_focus(Index cell) const {
        return part_of_[cell] < 0 ? focus_on_sea_ : part_in_focus(static_cast<std::size_t>(part_of_[cell]));
    }
    int focus_mines() const { return focus_mines_; }
    double focus_log_layouts() const { return focus_log_layouts_; }

  private:
    Fit look_at_parts(bool everything);
    Fit find_parts();
    Fit find_part(Index clue);
    void number_parts();
    void weigh_part(const Part& part, const std::vector<double>& rest);
    void choose_focus();
    void focus_on_everything();
    int only_count(std::size_t part) const;
    int leader(int cluster);

    Grid grid_;
    std::vector<std::shared_ptr<Part>> parts_;  // in the order of their first clues
    // What was found last around each clue, for when it is found again. Large ones are let go.
    std::vector<std::shared_ptr<Part>> known_;
    std::vector<Index> unknown_, sea_;
    std::vector<int> part_of_, group_of_;
    std::vector<double> mine_;
    Tie tie_;
    ComponentFinder finder_;
    TrellisBuilder builder_;
    std::vector<const CountWeights*> tied_;
    std::vector<double> numbers_;
    std::vector<std::uint8_t> affected_;
    std::vector<int> leaders_;  // of clusters of parts; the sea comes after the parts
    std::vector<std::uint8_t> loose_;
    std::vector<int> focus_;
    std::vector<std::uint8_t> in_focus_;
    bool focus_on_sea_ = false;
    int focus_mines_ = 0;
    double focus_log_layouts_ = 0;
};

}  // namespace mines
