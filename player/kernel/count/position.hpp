// Analysis of a position in which logic finds nothing more: mine probabilities, and the cells to be played now.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/field.hpp"
#include "count/counted_component.hpp"
#include "count/coupling.hpp"
#include "logic/component.hpp"
#include "logic/trellis.hpp"

namespace mines {

// Sums of doubles this close to 0 or 1 count as certain; layouts that rare are never drawn.
constexpr double kCertain = 1e-12;

class Position {
  public:
    // Analyse a field. Returns inconsistent if no layout fits, and too_wide if it cannot be counted. With `everything`,
    // all cells are in focus.
    Fit analyse(const Field& field, bool everything = false);

    // Analyse the position after `before` in which `cell` was opened and showed this clue. Shares the unchanged
    // components.
    Fit analyse_after(const Position& before, Index cell, int clue);

    const Field& field() const { return field_; }
    const std::vector<Index>& unknown() const { return unknown_; }              // cells, in order
    const std::vector<Index>& unconstrained() const { return unconstrained_; }  // those that touch no open cell
    std::size_t component_count() const { return components_.size(); }
    CountedComponent& counted(std::size_t number) const { return *components_[number]; }
    // The index of a cell's component, or -1 for unconstrained cells, and the index of its group there.
    int component_of(Index cell) const { return component_of_[cell]; }
    int group_of(Index cell) const { return group_of_[cell]; }
    double mine(Index cell) const { return mine_[cell]; }
    const std::vector<double>& rest(std::size_t counted) const { return coupling_.rest(counted); }

    // Components whose cells touch no other unknown cell, and whose number of mines is certain, are independent of the
    // rest of the game: their win probabilities multiply. The focus is the part to be played now: everything linked by
    // cells or by the number of mines, or, if nothing else is left, one sealed cluster.
    const std::vector<int>& focus() const { return focus_; }  // component indices
    bool focus_on_unconstrained() const { return focus_on_unconstrained_; }
    bool component_in_focus(std::size_t counted) const { return in_focus_[counted] != 0; }
    bool in_focus(Index cell) const {
        return component_of_[cell] < 0 ? focus_on_unconstrained_
                                       : component_in_focus(static_cast<std::size_t>(component_of_[cell]));
    }
    int focus_mines() const { return focus_mines_; }
    double focus_log_layouts() const { return focus_log_layouts_; }

  private:
    Fit combine_components(bool everything);
    Fit find_component(Index clue);
    void number_components();
    void choose_focus(bool everything);
    int only_count(std::size_t counted) const;
    int leader(int cluster);

    Field field_;
    std::vector<std::shared_ptr<CountedComponent>> components_;  // ordered by their first clues
    // The last component found around each clue, for reuse. Large ones are not kept.
    std::vector<std::shared_ptr<CountedComponent>> known_;
    std::vector<Index> unknown_, unconstrained_;
    std::vector<int> component_of_, group_of_;
    std::vector<double> mine_;
    Coupling coupling_;
    ComponentFinder finder_;
    TrellisBuilder builder_;
    std::vector<const CountWeights*> count_weights_;
    std::vector<double> numbers_;
    std::vector<std::uint8_t> affected_;
    std::vector<int> leaders_;  // union-find over components; the unconstrained cells come last
    std::vector<std::uint8_t> loose_;
    std::vector<int> focus_;
    std::vector<std::uint8_t> in_focus_;
    bool focus_on_unconstrained_ = false;
    int focus_mines_ = 0;
    double focus_log_layouts_ = 0;
};

}  // namespace mines
