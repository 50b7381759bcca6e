#include "search/listing.hpp"

#include <algorithm>

#include "base/interrupt.hpp"

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
        if (!list_paths(counted, position.rest(static_cast<std::size_t>(components[p])), ways)) return false;
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
    component_count_ = components.size();
    layout_.assign(cells_.size(), 0);
    endgame.begin(position.field(), cells_);
    return combine(mines);
}

// Follow every path through the trellis with every choice of cells. Depth first without recursion: the stack may be
// small.
bool Listing::list_paths(const CountedComponent& counted, const std::vector<double>& rest, Ways& ways) {
    const int steps = counted.trellis().steps();
    visits_.assign(static_cast<std::size_t>(steps) + 1, {0, -1, 0});
    for (int step = 0; step >= 0;) {
        check_interrupt();
        if (step < steps) {
            step += choose_next(counted, step) ? 1 : -1;
            continue;
        }
        // Skip mine counts that nothing else can complete.
        const int mines = visits_.back().mines;
        const int k = mines - counted.weights().low;
        if (0 <= k && k < static_cast<int>(rest.size()) && rest[k] > 0) {
            if (ways.mines.size() == limit_) return false;
            ways.rows.insert(ways.rows.end(), row_.begin(), row_.end());
            ways.mines.push_back(mines);
        }
        --step;
    }
    return true;
}

// Choose the next mines of a group, and begin the visit of the state that follows; return false after the last choice.
bool Listing::choose_next(const CountedComponent& counted, int step) {
    const Trellis& trellis = counted.trellis();
    const Group& group = counted.component().groups[step];
    const auto first = row_.begin() + group.first;
    const auto last = first + group.size;
    Visit& here = visits_[step];
    Visit& after = visits_[step + 1];
    if (here.edge >= 0 && std::prev_permutation(first, last)) {
        after.edge = -1;
        return true;
    }
    const Trellis::State& state = trellis.states[here.state];
    while (++here.edge < state.count) {
        const int to = trellis.edges[state.edge + here.edge];
        if (to < 0) continue;
        const int used = state.least + here.edge;
        std::fill(first, last, std::uint8_t{0});
        std::fill_n(first, used, std::uint8_t{1});
        after = {to, -1, here.mines + used};
        return true;
    }
    return false;
}

// Combine the ways of all components.
bool Listing::combine(int mines) {
    left_.assign(component_count_ + 1, mines);
    if (component_count_ > 0) ways_[0].next = 0;
    for (std::size_t p = 0;;) {
        const bool fits = least_after_[p] <= left_[p] && left_[p] <= most_after_[p];
        if (fits && p == component_count_ && !place_unconstrained(left_[p])) return false;
        if (!fits || p == component_count_) {
            do {
                if (p == 0) return true;
                --p;
            } while (ways_[p].next == ways_[p].mines.size());
        }
        Ways& ways = ways_[p];
        std::copy_n(ways.rows.begin() + static_cast<std::ptrdiff_t>(ways.next * ways.cells), ways.cells,
                    layout_.begin() + static_cast<std::ptrdiff_t>(ways.first));
        left_[p + 1] = left_[p] - ways.mines[ways.next];
        ++ways.next;
        if (++p < component_count_) ways_[p].next = 0;
    }
}

bool Listing::place_unconstrained(int mines) {
    const auto first = layout_.begin() + static_cast<std::ptrdiff_t>(unconstrained_first_);
    std::fill(first, layout_.end(), std::uint8_t{0});
    std::fill_n(first, mines, std::uint8_t{1});
    do {
        check_interrupt();
        if (endgame_->layouts() == limit_) return false;
        endgame_->add(layout_.data());
    } while (std::prev_permutation(first, layout_.end()));
    return true;
}

}  // namespace mines
