#include "guesser.hpp"
#include "value.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace mines {
namespace {

double param(const char* name, double fallback) {
    const char* text = std::getenv(name);
    return text ? std::atof(text) : fallback;
}
// Differences in probability below this are rounding.
constexpr double kTie = 1e-9;

}  // namespace

Index Guesser::choose(const Grid& grid) {
    candidates_.clear();
    exact_ = false;
    if (position_.look(grid) != Fit::ok) return fallback(grid);
    list_candidates();
    switch (strategy_) {
        case Strategy::safest:
            break;
        case Strategy::progress:
            seek_progress(0.03);
            break;
        case Strategy::champion:
            if (solve_endgame()) return candidates_.front().cell;
            look_ahead(0);
            break;
        case Strategy::lookahead:
            look_ahead(0);
            break;
    }
    return candidates_.front().cell;
}

// One cell for every kind: a group's cells are told apart only by what their clue would say, the open sea's only by how
// many unknown neighbours they have.
void Guesser::list_candidates() {
    const Grid& grid = position_.grid();
    bool seen_sea[kNeighbours + 1] = {};
    for (int row = 0; row < grid.rows; ++row) {
        for (int col = 0; col < grid.cols; ++col) {
            const Index cell = grid.at(row, col);
            if (grid.state[cell] != kUnknown || position_.mine(cell) > 1 - kTie || !position_.in_focus(cell)) continue;
            if (position_.part_of(cell) < 0) {
                bool open_sea = true;
                for (unsigned bits = grid.mask[cell]; bits != 0; bits &= bits - 1)
                    open_sea &= position_.part_of(cell + grid.step[lowest_bit(bits)]) < 0;
                const int neighbours = popcount(grid.mask[cell]);
                if (open_sea && seen_sea[neighbours]) continue;
                if (open_sea) seen_sea[neighbours] = true;
            }
            const double safety = 1 - position_.mine(cell);
            candidates_.push_back({cell, safety, 0, safety});
        }
    }
    sort_by_value();
}

void Guesser::sort_by_value() {
    std::stable_sort(candidates_.begin(), candidates_.end(),
                     [](const Candidate& a, const Candidate& b) { return a.value > b.value + kTie; });
}

void Guesser::seek_progress(double tolerance) {
    const double least = candidates_.front().safety * (1 - tolerance) - kTie;
    std::size_t count = 0;
    while (count < candidates_.size() && candidates_[count].safety >= least) ++count;
    candidates_.resize(count);
    if (count == 1) return;
    for (Candidate& candidate : candidates_) {
        position_.suppose(candidate.cell, prospects_);
        for (const Prospect& prospect : prospects_)
            if (prospect.safe_cells > 0) candidate.progress += prospect.chance;
        candidate.value = candidate.progress;
    }
    sort_by_value();
}

long g_tried = 0, g_failed = 0, g_nodes = 0;

bool Guesser::solve_endgame() {
    static const double limit = param("LIMIT", 500);
    static const double budget = param("BUDGET", 20000);
    if (position_.focus_log_layouts() > std::log(limit) + 1e-6) return false;
    ++g_tried;
    const bool ok = listing_.list(position_, position_.focus(), position_.focus_on_sea(), position_.focus_mines(), static_cast<std::size_t>(limit) + 1, endgame_) && endgame_.solve(static_cast<std::int64_t>(budget));
    g_nodes += endgame_.nodes();
    if (!ok) {
        ++g_failed;
        return false;
    }
    const Index best = endgame_.best();
    const double value = endgame_.wins() / static_cast<double>(endgame_.layouts());
    exact_ = true;
    candidates_.assign(1, {best, 1 - position_.mine(best), 0, value});
    return true;
}

double Guesser::leaf(const Prospect& root, const Prospect& prospect) const {
    return strategy_ == Strategy::champion ? value(root, prospect) : 1 - prospect.least_mine;
}

void Guesser::look_ahead(double) {
    static const double cut = param("CUT", 0.9);
    static const int width = static_cast<int>(param("WIDTH", 0));
    static const double near = param("NEAR", 0.97);
    double best = 0;
    std::size_t count = 0;
    for (; count < candidates_.size(); ++count) {
        Candidate& candidate = candidates_[count];
        if (candidate.safety <= best || candidate.safety < cut * candidates_.front().safety) break;  // the value is at most the safety
        position_.suppose(candidate.cell, prospects_);
        candidate.value = 0;
        for (const Prospect& prospect : prospects_) {
            if (prospect.safe_cells > 0) candidate.progress += prospect.chance;
            candidate.value += prospect.chance * leaf(position_.outlook(), prospect);
        }
        best = std::max(best, candidate.value);
    }
    candidates_.resize(count);
    sort_by_value();
    if (strategy_ != Strategy::champion || width < 2) return;
    std::size_t few = 0;
    while (few < candidates_.size() && few < static_cast<std::size_t>(width) && candidates_[few].value > near * candidates_[0].value) ++few;
    if (few < 2) return;
    candidates_.resize(few);
    for (Candidate& candidate : candidates_) {
        position_.suppose(candidate.cell, prospects_);
        candidate.value = 0;
        for (const Prospect& prospect : prospects_) {
            double after = leaf(position_.outlook(), prospect);
            if (prospect.safe_cells == 0 && prospect.chance > 0.002) {
                Grid grid = position_.grid();
                grid.settle_safe(candidate.cell);
                grid.state[candidate.cell] = kOpen;
                grid.need[candidate.cell] = static_cast<std::int8_t>(grid.need[candidate.cell] + prospect.clue);
                if (deeper_.look(grid) == Fit::ok) after = best_reply();
            }
            candidate.value += prospect.chance * after;
        }
    }
    sort_by_value();
}

double Guesser::best_reply() {
    static const double cut = param("CUT2", 0.93);
    static const int most = static_cast<int>(param("MOST2", 6));
    replies_.clear();
    const Grid& grid = deeper_.grid();
    double safest = 0;
    for (int row = 0; row < grid.rows; ++row)
        for (int col = 0; col < grid.cols; ++col) {
            const Index cell = grid.at(row, col);
            if (grid.state[cell] == kUnknown && deeper_.in_focus(cell)) safest = std::max(safest, 1 - deeper_.mine(cell));
        }
    bool seen_sea[9] = {};
    for (int row = 0; row < grid.rows; ++row)
        for (int col = 0; col < grid.cols; ++col) {
            const Index cell = grid.at(row, col);
            if (grid.state[cell] != kUnknown || !deeper_.in_focus(cell) || 1 - deeper_.mine(cell) < cut * safest) continue;
            if (deeper_.part_of(cell) < 0) { bool& seen = seen_sea[popcount(grid.mask[cell])]; if (seen) continue; seen = true; }
            replies_.push_back({cell, 1 - deeper_.mine(cell), 0, 0});
        }
    std::stable_sort(replies_.begin(), replies_.end(), [](const Candidate& a, const Candidate& b) { return a.safety > b.safety + kTie; });
    if (replies_.size() > static_cast<std::size_t>(most)) replies_.resize(static_cast<std::size_t>(most));
    double best = 0;
    for (const Candidate& reply : replies_) {
        if (reply.safety <= best) break;
        deeper_.suppose(reply.cell, deeper_prospects_);
        double sum = 0;
        for (const Prospect& prospect : deeper_prospects_) sum += prospect.chance * leaf(deeper_.outlook(), prospect);
        best = std::max(best, sum);
    }
    return best;
}

// Where the position cannot be counted, trust the clues one at a time.
Index Guesser::fallback(const Grid& grid) {
    double best = 2;
    Index choice = 0;
    for (int row = 0; row < grid.rows; ++row) {
        for (int col = 0; col < grid.cols; ++col) {
            const Index cell = grid.at(row, col);
            if (grid.state[cell] != kUnknown) continue;
            double risk = -1;
            for (const int step : grid.step) {
                const Index clue = cell + step;
                if (grid.state[clue] == kOpen) risk = std::max(risk, static_cast<double>(grid.need[clue]) / popcount(grid.mask[clue]));
            }
            if (risk < 0) risk = static_cast<double>(grid.mines_left) / grid.unknown_left;
            if (risk < best) {
                best = risk;
                choice = cell;
            }
        }
    }
    candidates_.push_back({choice, 1 - best, 0, 1 - best});
    return choice;
}

}  // namespace mines
