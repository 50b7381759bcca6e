#include "make/chord_problem.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace mines {
namespace {

// Sets that merge.
class DisjointSets {
  public:
    explicit DisjointSets(int count) : parent_(static_cast<std::size_t>(count)), count_(count) {
        std::iota(parent_.begin(), parent_.end(), 0);
    }

    int find(int one) {
        while (parent_[one] != one) one = parent_[one] = parent_[parent_[one]];
        return one;
    }
    void merge(int a, int b) {
        a = find(a), b = find(b);
        count_ -= a != b;
        parent_[a] = b;
    }
    int count() const { return count_; }

  private:
    std::vector<int> parent_;
    int count_;
};

// Numbers in order of their first use.
class Numbering {
  public:
    explicit Numbering(std::size_t size) : number_(size, -1) {}

    int operator()(int one) {
        if (number_[one] < 0) number_[one] = count_++;
        return number_[one];
    }
    bool has(int one) const { return number_[one] >= 0; }
    int count() const { return count_; }

  private:
    std::vector<int> number_;
    int count_ = 0;
};

}  // namespace

int ChordProblem::cost(const std::vector<std::uint8_t>& chosen) const {
    std::vector<std::uint8_t> flagged(static_cast<std::size_t>(flags), 0), covered(static_cast<std::size_t>(covers), 0);
    const int count = static_cast<int>(choices.size());
    DisjointSets joined(groups + count);
    int unchosen = 0, clicks = covers;
    for (int i = 0; i < count; ++i) {
        if (chosen[i] == 0) {
            ++unchosen;
            continue;
        }
        ++clicks;
        for (const int flag : choices[i].flags) clicks += flagged[flag] == 0, flagged[flag] = 1;
        for (const int cover : choices[i].covers) clicks -= covered[cover] == 0, covered[cover] = 1;
        for (const int group : choices[i].groups) joined.merge(group, groups + i);
        for (const int near : choices[i].near)
            if (chosen[near] != 0) joined.merge(groups + near, groups + i);
    }
    return clicks + joined.count() - unchosen;
}

ChordBoard::ChordBoard(const Puzzle& puzzle, const ClickRules& rules)
    : rules_(rules), cols_(puzzle.grid->cols), click_(puzzle.click), mine_(puzzle.mine) {
    const Grid& grid = *puzzle.grid;
    near_.resize(mine_.size());
    openings_of_.resize(mine_.size());
    clue_.assign(mine_.size(), 0);
    for (int cell = 0; cell < grid.size(); ++cell)
        grid.each_around(cell, [&](int near) {
            if (near == cell) return;
            near_[cell].push_back(near);
            clue_[cell] += mine_[near];
        });
    grid.each_hole([this](int hole) { mine_[hole] = 1; });
    for (int start = 0; start < grid.size(); ++start) {
        if (!is_safe(start) || clue_[start] != 0 || !openings_of_[start].empty()) continue;
        const int opening = static_cast<int>(zero_of_.size());
        zero_of_.push_back(start);
        std::vector<int> cells{start};
        openings_of_[start].push_back(opening);
        for (std::size_t at = 0; at < cells.size(); ++at) {
            if (clue_[cells[at]] != 0) continue;
            for (const int near : near_[cells[at]]) {
                if (!openings_of_[near].empty() && openings_of_[near].back() == opening) continue;
                openings_of_[near].push_back(opening);
                cells.push_back(near);
            }
        }
    }
    if (!rules.flags) return;
    std::vector<std::uint8_t> chordable(mine_.size(), 0);
    for (int cell = 0; cell < grid.size(); ++cell) chordable[cell] = is_safe(cell) && clue_[cell] != 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (int cell = 0; cell < grid.size(); ++cell) {
            if (chordable[cell] == 0 || may_save(cell, chordable)) continue;
            chordable[cell] = 0;
            changed = true;
        }
    }
    for (int cell = 0; cell < grid.size(); ++cell)
        if (chordable[cell] != 0) chordable_.push_back(cell);
}

bool ChordBoard::share_opening(int a, int b) const {
    return std::any_of(openings_of_[a].begin(), openings_of_[a].end(),
                       [&](int opening) { return includes(openings_of_[b], opening); });
}

bool ChordBoard::touch(int a, int b) const { return includes(near_[a], b); }

// Return whether a chord saves a click for some choice of the others. It joins the groups of some chorded neighbours,
// and covers the isolated cells that they do not cover. All flags count as set, except those of no other chord.
bool ChordBoard::may_save(int cell, const std::vector<std::uint8_t>& chordable) const {
    std::vector<int> others, isolated;
    int flags = 0;
    for (const int near : near_[cell]) {
        if (chordable[near] != 0 && !share_opening(cell, near)) others.push_back(near);
        if (is_isolated(near) && near != click_) isolated.push_back(near);
        if (!is_safe(near) && rules_.count_flags)
            flags += std::none_of(near_[near].begin(), near_[near].end(),
                                  [&](int other) { return other != cell && chordable[other] != 0; });
    }
    for (unsigned set = 0; set < 1u << others.size(); ++set) {
        std::vector<int> joined;
        bool apart = true;
        for (std::size_t i = 0; i < others.size(); ++i) {
            if ((set >> i & 1) == 0) continue;
            for (const int other : joined)
                apart = apart && !touch(others[i], other) && !share_opening(others[i], other);
            joined.push_back(others[i]);
        }
        if (!apart) continue;
        const int groups = static_cast<int>(openings_of_[cell].size() + joined.size());
        int saved = cell == click_ ? groups : std::max(groups - 1, 0);
        for (const int one : isolated)
            saved += std::none_of(joined.begin(), joined.end(),
                                  [&](int other) { return other == one || touch(other, one); });
        if (saved > 1 + flags) return true;
    }
    return false;
}

ChordProblem ChordBoard::problem(const std::vector<std::uint8_t>& chorded, const std::vector<int>& free) const {
    const int cells = static_cast<int>(mine_.size());
    DisjointSets joined(cells + static_cast<int>(zero_of_.size()));
    for (int cell = 0; cell < cells; ++cell) {
        if (chorded[cell] == 0) continue;
        for (const int opening : openings_of_[cell]) joined.merge(cell, cells + opening);
        for (const int near : near_[cell])
            if (chorded[near] != 0) joined.merge(cell, near);
    }
    Numbering flags(mine_.size()), covers(mine_.size()), groups(mine_.size() + zero_of_.size()), choices(mine_.size());
    for (const int cell : free) choices(cell);
    const auto next_to_chord = [&](int cell) {
        return std::any_of(near_[cell].begin(), near_[cell].end(), [&](int near) { return chorded[near] != 0; });
    };
    ChordProblem problem;
    for (const int cell : free) {
        ChordChoice one{cell, {}, {}, {}, {}};
        const auto connect = [&](int group) {
            group = groups(joined.find(group));
            if (!includes(one.groups, group)) one.groups.push_back(group);
        };
        for (const int opening : openings_of_[cell]) connect(cells + opening);
        // The first click costs a left click of its own unless the cell is chorded.
        if (cell == click_ || (is_isolated(cell) && !next_to_chord(cell))) one.covers.push_back(covers(cell));
        for (const int near : near_[cell]) {
            if (chorded[near] != 0) connect(near);
            if (choices.has(near)) one.near.push_back(choices(near));
            if (!is_safe(near)) {
                if (rules_.count_flags && !next_to_chord(near)) one.flags.push_back(flags(near));
            } else if (is_isolated(near) && near != click_ && chorded[near] == 0 && !next_to_chord(near)) {
                one.covers.push_back(covers(near));
            }
        }
        problem.choices.push_back(std::move(one));
    }
    problem.flags = flags.count(), problem.covers = covers.count(), problem.groups = groups.count();
    return problem;
}

ClickPlan ChordBoard::plan(const std::vector<std::uint8_t>& chorded) const {
    ClickPlan plan;
    std::vector<std::uint8_t> open(mine_.size(), 0), flagged(mine_.size(), 0);
    std::vector<int> zeros, waiting;  // chorded cells that are open
    const auto click = [&](Button kind, int cell) {
        plan.clicks.push_back({kind, cell});
        plan.count += kind != Button::flag || rules_.count_flags;
    };
    const auto reveal = [&](int start) {
        const auto open_one = [&](int cell) {
            if (open[cell] != 0 || !is_safe(cell)) return -1;
            open[cell] = 1;
            if (chorded[cell] != 0) waiting.push_back(cell);
            return clue_[cell];
        };
        flood(start, zeros, open_one, [this](int cell, auto visit) {
            for (const int near : near_[cell]) visit(near);
        });
    };
    const auto left = [&](int cell) {
        if (open[cell] != 0) return;
        click(Button::left, cell);
        reveal(cell);
        for (std::size_t at = 0; at < waiting.size(); ++at) {
            for (const int near : near_[waiting[at]]) {
                if (is_safe(near) || flagged[near] != 0) continue;
                flagged[near] = 1;
                click(Button::flag, near);
            }
            click(Button::chord, waiting[at]);
            for (const int near : near_[waiting[at]]) reveal(near);
        }
        waiting.clear();
    };
    if (click_ >= 0) left(click_);
    for (const int zero : zero_of_) left(zero);
    for (const bool groups : {true, false})
        for (int cell = 0; cell < static_cast<int>(mine_.size()); ++cell)
            if (is_safe(cell) && (chorded[cell] != 0 || !groups)) left(cell);
    return plan;
}

}  // namespace mines
