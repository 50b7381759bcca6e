#include "listing.hpp"

#include <algorithm>

#include "pulse.hpp"

namespace mines {

bool Listing::list(const Position& position, const std::vector<int>& parts, bool with_sea, int mines, std::size_t limit,
                   Endgame& endgame) {
    limit_ = limit;
    endgame_ = &endgame;
    cells_.clear();
    if (ways_.size() < parts.size()) ways_.resize(parts.size());
    for (std::size_t p = 0; p < parts.size(); ++p) {
        const Part& part = position.part(static_cast<std::size_t>(parts[p]));
        Ways& ways = ways_[p];
        ways.rows.clear();
        ways.mines.clear();
        ways.first = cells_.size();
        ways.cells = part.component().cells.size();
        cells_.insert(cells_.end(), part.component().cells.begin(), part.component().cells.end());
        row_.assign(ways.cells, 0);
        if (!walk(part, position.rest(static_cast<std::size_t>(parts[p])), 0, 0, 0, ways)) return false;
        ways.least = *std::min_element(ways.mines.begin(), ways.mines.end());
        ways.most = *std::max_element(ways.mines.begin(), ways.mines.end());
    }
    sea_first_ = cells_.size();
    if (with_sea) cells_.insert(cells_.end(), position.sea().begin(), position.sea().end());
    least_after_.assign(parts.size() + 1, 0);
    most_after_.assign(parts.size() + 1, static_cast<int>(cells_.size() - sea_first_));
    for (std::size_t p = parts.size(); p-- > 0;) {
        least_after_[p] = least_after_[p + 1] + ways_[p].least;
        most_after_[p] = most_after_[p + 1] + ways_[p].most;
    }
    part_total_ = parts.size();
    layout_.assign(cells_.size(), 0);
    endgame.begin(position.grid(), cells_);
    return combine(0, mines);
}

// Every path through the trellis, and every choice of cells along it.
bool Listing::walk(const Part& part, const std::vector<double>& rest, int step, int state, int mines, Ways& ways) {
    pulse();
    if (step == part.trellis().steps()) {
        // Mine counts that nothing else can complete are left out.
        const int k = mines - part.weights().low;
        if (k < 0 || k >= static_cast<int>(rest.size()) || !(rest[k] > 0)) return true;
        if (ways.mines.size() == limit_) return false;
        ways.rows.insert(ways.rows.end(), row_.begin(), row_.end());
        ways.mines.push_back(mines);
        return true;
    }
    const Trellis::State at = part.trellis().states[state];
    for (int e = 0; e < at.count; ++e) {
        const int to = part.trellis().edges[at.edge + e];
        const int taken = at.least + e;
        if (to >= 0 && !choose(part, rest, step, to, mines + taken, taken, 0, ways)) return false;
    }
    return true;
}

// Put `left` mines on cells of the group from number `from` on, then walk on.
bool Listing::choose(const Part& part, const std::vector<double>& rest, int step, int state, int mines, int left, int from,
                     Ways& ways) {
    if (left == 0) return walk(part, rest, step + 1, state, mines, ways);
    const Group& group = part.component().groups[step];
    for (int c = from; c + left <= group.size; ++c) {
        row_[group.first + c] = 1;
        const bool fits = choose(part, rest, step, state, mines, left - 1, c + 1, ways);
        row_[group.first + c] = 0;
        if (!fits) return false;
    }
    return true;
}

bool Listing::combine(std::size_t part, int left) {
    if (left < least_after_[part] || left > most_after_[part]) return true;
    if (part == part_total_) return scatter(sea_first_, left);
    const Ways& ways = ways_[part];
    for (std::size_t way = 0; way < ways.mines.size(); ++way) {
        std::copy_n(ways.rows.begin() + static_cast<std::ptrdiff_t>(way * ways.cells), ways.cells,
                    layout_.begin() + static_cast<std::ptrdiff_t>(ways.first));
        if (!combine(part + 1, left - ways.mines[way])) return false;
    }
    return true;
}

bool Listing::scatter(std::size_t from, int left) {
    pulse();
    if (left == 0) {
        if (endgame_->layouts() == limit_) return false;
        endgame_->add(layout_.data());
        return true;
    }
    for (std::size_t c = from; c + static_cast<std::size_t>(left) <= cells_.size(); ++c) {
        layout_[c] = 1;
        const bool fits = scatter(c + 1, left - 1);
        layout_[c] = 0;
        if (!fits) return false;
    }
    return true;
}

}  // namespace mines
