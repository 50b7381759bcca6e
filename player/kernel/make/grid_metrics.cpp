#include <algorithm>
#include <cstddef>
#include <queue>
#include <utility>

#include "base/interrupt.hpp"
#include "make/metrics.hpp"

namespace mines {
namespace {

// Cannot be chosen.
constexpr int kUnavailable = -1000;

class GridMetrics {
  public:
    GridMetrics(const Grid& grid, const std::vector<std::uint8_t>& mine) : mine_(mine) {
        near_.resize(mine_.size());
        clue_.assign(mine_.size(), 0);
        // A hole is like a mine that touches nothing.
        grid.each_hole([this](int hole) {
            mine_[hole] = 1;
            ++holes_;
        });
        for (std::size_t cell = 0; cell < mine_.size(); ++cell) {
            grid.each_around(static_cast<int>(cell), [&](int near) { near_[cell].push_back(near); });
            for (const int near : near_[cell]) clue_[cell] += mine_[near];
        }
        openings_of_.resize(mine_.size());
        for (std::size_t cell = 0; cell < mine_.size(); ++cell)
            if (is_zero(static_cast<int>(cell)) && openings_of_[cell].empty()) add_opening(static_cast<int>(cell));
    }

    Metrics measure(int click) {
        Metrics metrics;
        metrics.openings = metrics.bbbv = static_cast<int>(openings_.size());
        for (int cell = 0; cell < cells(); ++cell) {
            metrics.bbbv += is_isolated(cell);
            metrics.buried += mine_[cell] != 0 && std::all_of(near_[cell].begin(), near_[cell].end(),
                                                              [this](int near) { return mine_[near] != 0; });
        }
        metrics.buried -= holes_;
        metrics.islands = count_islands();
        metrics.greedy_zini = zini(false);
        metrics.human_zini = zini(true);
        if (click >= 0)
            metrics.first_opening = is_zero(click) ? static_cast<int>(openings_[openings_of_[click][0]].size()) : 1;
        return metrics;
    }

  private:
    int cells() const { return static_cast<int>(mine_.size()); }
    bool is_zero(int cell) const { return mine_[cell] == 0 && clue_[cell] == 0; }
    bool is_isolated(int cell) const { return mine_[cell] == 0 && openings_of_[cell].empty(); }

    // List the cells that are connected to `start`: its neighbours, and theirs, as far as `spreads` holds.
    template <class Spreads>
    std::vector<int> connected(int start, Spreads spreads) {
        std::vector<int> found{start};
        visited_.resize(mine_.size(), 0);
        visited_[start] = ++visit_;
        for (std::size_t at = 0; at < found.size(); ++at) {
            if (!spreads(found[at])) continue;
            for (const int near : near_[found[at]]) {
                if (visited_[near] == visit_) continue;
                visited_[near] = visit_;
                found.push_back(near);
            }
        }
        return found;
    }

    void add_opening(int start) {
        openings_.push_back(connected(start, [this](int cell) { return is_zero(cell); }));
        for (const int cell : openings_.back()) openings_of_[cell].push_back(static_cast<int>(openings_.size()) - 1);
    }

    int count_islands() {
        int islands = 0;
        std::vector<std::uint8_t> counted(mine_.size(), 0);
        for (int cell = 0; cell < cells(); ++cell) {
            if (!is_isolated(cell) || counted[cell] != 0) continue;
            ++islands;
            for (const int other : connected(cell, [this](int at) { return is_isolated(at); }))
                counted[other] |= is_isolated(other);
        }
        return islands;
    }

    void open(int cell) {
        if (closed_[cell] == 0) return;
        closed_[cell] = 0;
        --unopened_;
        raise(cell, premium_[cell] < kUnavailable / 2 ? 1 - kUnavailable : 1);
    }

    void raise(int cell, int by) {
        premium_[cell] += by;
        if (premium_[cell] >= 0) best_.push({premium_[cell], -cell});
    }

    // Return the first cell with the highest premium of 0 or more, or -1. Entries whose premium has changed since are
    // dropped: a higher premium has an entry of its own, and a lower one gets it here.
    int best_cell() {
        while (!best_.empty()) {
            const auto [premium, opposite] = best_.top();
            if (premium_[-opposite] == premium) return -opposite;
            best_.pop();
            raise(-opposite, 0);
        }
        return -1;
    }

    // Open a closed cell, with its opening.
    void reveal(int cell) {
        if (!is_zero(cell)) {
            open(cell);
            if (is_isolated(cell))
                for (const int near : near_[cell]) --premium_[near];
            return;
        }
        for (const int other : openings_[openings_of_[cell][0]]) {
            open(other);
            --premium_[other];
        }
    }

    // Open a cell if necessary, flag its mines and chord.
    void solve_around(int cell) {
        if (closed_[cell] != 0) {
            reveal(cell);
            ++clicks_;
        }
        for (const int mine : near_[cell]) {
            if (unflagged_[mine] == 0) continue;
            unflagged_[mine] = 0;
            ++clicks_;
            for (const int near : near_[mine]) raise(near, 1);
        }
        ++clicks_;
        for (const int near : near_[cell])
            if (closed_[near] != 0) reveal(near);
    }

    // MetricsCalculator::zini, with a premium of 0 or more where that one has kPays.
    int zini(bool human) {
        premium_.assign(mine_.size(), kUnavailable);
        best_ = {};
        closed_.assign(mine_.size(), 0);
        unopened_ = clicks_ = 0;
        for (int cell = 0; cell < cells(); ++cell) {
            if (mine_[cell] != 0) continue;
            closed_[cell] = 1;
            ++unopened_;
            int gain = static_cast<int>(openings_of_[cell].size());
            for (const int near : near_[cell]) gain += is_isolated(near);
            premium_[cell] = 0;
            raise(cell, gain - 2 - clue_[cell] + (human ? kUnavailable : 0));
        }
        unflagged_ = mine_;
        for (std::size_t i = 0; human && i < openings_.size(); ++i, ++clicks_) reveal(openings_[i][0]);
        for (int next = 0; unopened_ > 0;) {
            check_interrupt();
            const int best = best_cell();
            if (best >= 0) {
                solve_around(best);
                continue;
            }
            do {
                while (closed_[next] == 0 || !(is_zero(next) || is_isolated(next))) ++next;
                reveal(next);
                ++clicks_;
            } while (unopened_ > 0 && premium_[next] < 0);
        }
        return clicks_;
    }

    std::vector<std::uint8_t> mine_;
    int holes_ = 0;
    std::vector<std::vector<int>> near_;  // each cell and its neighbours
    std::vector<int> clue_;               // also at mines, then with itself
    std::vector<std::vector<int>> openings_, openings_of_;
    std::vector<int> visited_;  // by the call of `connected` with this number
    int visit_ = 0;
    // State of the current plan.
    std::vector<int> premium_;
    std::priority_queue<std::pair<int, int>> best_;  // premiums of 0 or more with the opposite of their cell
    std::vector<std::uint8_t> closed_, unflagged_;
    int unopened_ = 0, clicks_ = 0;
};

}  // namespace

Metrics measure_grid(const Puzzle& puzzle) { return GridMetrics(*puzzle.grid, puzzle.mine).measure(puzzle.click); }

}  // namespace mines
