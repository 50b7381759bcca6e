#include "listing.hpp"

#include <algorithm>

#include "interrupt.hpp"

namespace mines {

bool Listing::list(const Position& position, const std::vector<int>& components, bool with_unconstrained, int mines,
                   std::size_t limit, Endgame& endgame) {
    limit_ = limit;
    endgame_ = &endgame;
    cells_.clear();
    if (ways_.size() < components.size()) ways_.resize(components.size());
    for (std::size_t p = 0; p < components.size(); ++p) {
        const CountedComponent& counted = position.counted(static_cast<std::size_t>(components[p]));
        Ways& ways = ways_[p];
        ways.rows.clear();
        ways.mines.clear();
        ways.first = cells_.size();
        ways.cells = counted.component().cells.size();
        cells_.insert(cells_.end(), counted.component().cells.begin(), counted.component().cells.end());
        row_.assign(ways.cells, 0);
        if (!list_paths(counted, position.rest(static_cast<std::size_t>(components[p])), 0, 0, 0, ways)) return false;
        ways.least = *std::min_element(ways.mines.begin(), ways.mines.end());
        ways.most = *std::max_element(ways.mines.begin(), ways.mines.end());
    }
    unconstrained_first_ = cells_.size();
    if (with_unconstrained)
        cells_.insert(cells_.end(), position.unconstrained().begin(), position.unconstrained().end());
    least_after_.assign(components.size() + 1, 0);
    most_after_.assign(components.size() + 1, static_cast<int>(cells_.size() - unconstrained_first_));
    for (std::size_t p = components.size(); p-- > 0;) {
        least_after_[p] = least_after_[p + 1] + ways_[p].least;
        most_after_[p] = most_after_[p + 1] + ways_[p].most;
    }
    part_total_ = components.size();
    layout_.assign(cells_.size(), 0);
    endgame.begin(position.grid(), cells_);
    return combine(0, mines);
}

// Follow every path through the trellis with every choice of cells.
bool Listing::list_paths(const CountedComponent& counted, const std::vector<double>& rest, int step, int state,
                         int mines, Ways& ways) {
    check_interrupt();
    if (step == counted.trellis().steps()) {
        // Skip mine counts that nothing else can complete.
        const int k = mines - counted.weights().low;
        if (k < 0 || k >= static_cast<int>(rest.size()) || !(rest[k] > 0)) return true;
        if (ways.mines.size() == limit_) return false;
        ways.rows.insert(ways.rows.end(), row_.begin(), row_.end());
        ways.mines.push_back(mines);
        return true;
    }
    const Trellis::State at = counted.trellis().states[state];
    for (int e = 0; e < at.count; ++e) {
        const int to = counted.trellis().edges[at.edge + e];
        const int used = at.least + e;
        if (to >= 0 && !choose(counted, rest, step, to, mines + used, used, 0, ways)) return false;
    }
    return true;
}

// Put `left` mines on cells of the group from index `from` on, then continue with the next group.
bool Listing::choose(const CountedComponent& counted, const std::vector<double>& rest, int step, int state, int mines,
                     int left, int from, Ways& ways) {
    if (left == 0) return list_paths(counted, rest, step + 1, state, mines, ways);
    const Group& group = counted.component().groups[step];
    for (int c = from; c + left <= group.size; ++c) {
        row_[group.first + c] = 1;
        const bool fits = choose(counted, rest, step, state, mines, left - 1, c + 1, ways);
        row_[group.first + c] = 0;
        if (!fits) return false;
    }
    return true;
}

bool Listing::combine(std::size_t counted, int left) {
    if (left < least_after_[counted] || left > most_after_[counted]) return true;
    if (counted == part_total_) return place_unconstrained(unconstrained_first_, left);
    const Ways& ways = ways_[counted];
    for (std::size_t way = 0; way < ways.mines.size(); ++way) {
        std::copy_n(ways.rows.begin() + static_cast<std::ptrdiff_t>(way * ways.cells), ways.cells,
                    layout_.begin() + static_cast<std::ptrdiff_t>(ways.first));
        if (!combine(counted + 1, left - ways.mines[way])) return false;
    }
    return true;
}

bool Listing::place_unconstrained(std::size_t from, int left) {
    check_interrupt();
    if (left == 0) {
        if (endgame_->layouts() == limit_) return false;
        endgame_->add(layout_.data());
        return true;
    }
    for (std::size_t c = from; c + static_cast<std::size_t>(left) <= cells_.size(); ++c) {
        layout_[c] = 1;
        const bool fits = place_unconstrained(c + 1, left - 1);
        layout_[c] = 0;
        if (!fits) return false;
    }
    return true;
}

}  // namespace mines
