#include "metrics.hpp"

#include <algorithm>

namespace mines {
namespace {

constexpr int kNever = 10000;

}  // namespace

Metrics Measure::board(int rows, int cols, const std::uint8_t* mine) {
    lay_out(rows, cols, mine);
    find_openings();
    Metrics metrics;
    metrics.openings = static_cast<int>(first_.size()) - 2;
    metrics.bbbv = metrics.openings;
    for (std::size_t i = 0; i < mine_.size(); ++i) metrics.bbbv += inside_[i] && !mine_[i] && opening_[i] == 0;
    metrics.islands = count_islands();
    metrics.greedy_zini = zini(false);
    metrics.human_zini = zini(true);
    return metrics;
}

void Measure::lay_out(int rows, int cols, const std::uint8_t* mine) {
    if (rows != rows_ || cols != cols_) {
        rows_ = rows;
        cols_ = cols;
        stride_ = rows + 2;
        inside_.assign(static_cast<std::size_t>(stride_) * (cols + 2), 0);
        for (int col = 0; col < cols; ++col)
            std::fill_n(inside_.begin() + (col + 1) * stride_ + 1, rows, std::uint8_t{1});
        for (int k = 0; k < 9; ++k) steps_[k] = (k / 3 - 1) * stride_ + k % 3 - 1;
    }
    mine_.assign(inside_.size(), 0);
    for (int row = 0; row < rows; ++row)
        for (int col = 0; col < cols; ++col) mine_[(col + 1) * stride_ + row + 1] = mine[row * cols + col] != 0;
    clue_.assign(inside_.size(), 0);
    for (int i = stride_ + 1; i < static_cast<int>(inside_.size()) - stride_ - 1; ++i)
        for (const int step : steps_) clue_[i] = static_cast<std::int8_t>(clue_[i] + mine_[i + step]);
}

void Measure::find_openings() {
    opening_.assign(inside_.size(), 0);
    other_.assign(inside_.size(), 0);
    cells_.clear();
    first_.assign(2, 0);  // there is no opening 0
    int name = 0;
    for (int start = 0; start < static_cast<int>(inside_.size()); ++start) {
        if (!inside_[start] || clue_[start] != 0 || opening_[start] != 0) continue;
        opening_[start] = ++name;
        cells_.push_back(start);
        fill_.assign(1, start);
        while (!fill_.empty()) {
            const int from = fill_.back();
            fill_.pop_back();
            for (const int step : steps_) {
                const int to = from + step;
                if (!inside_[to] || opening_[to] == name || other_[to] == name) continue;
                if (opening_[to] == 0) {
                    opening_[to] = name;
                } else if (other_[to] == 0) {
                    other_[to] = name;
                } else {
                    continue;  // the rim of more than two openings; the community's programs count two
                }
                cells_.push_back(to);
                if (clue_[to] == 0) fill_.push_back(to);
            }
        }
        first_.push_back(static_cast<int>(cells_.size()));
    }
}

int Measure::count_islands() {
    const auto lonely = [this](int i) { return inside_[i] && !mine_[i] && opening_[i] == 0; };
    seen_.assign(inside_.size(), 0);
    int islands = 0;
    for (int start = 0; start < static_cast<int>(inside_.size()); ++start) {
        if (!lonely(start) || seen_[start]) continue;
        ++islands;
        seen_[start] = 1;
        fill_.assign(1, start);
        while (!fill_.empty()) {
            const int from = fill_.back();
            fill_.pop_back();
            for (const int step : steps_) {
                if (!lonely(from + step) || seen_[from + step]) continue;
                seen_[from + step] = 1;
                fill_.push_back(from + step);
            }
        }
    }
    return islands;
}

// The premium of a cell is what is gained by flagging its mines and opening the rest of its square at once, over opening
// that one by one: the 3BV left in its square, less the flags, less the click on all, less the click that opens it.
void Measure::begin(bool human) {
    wait_ = human ? kNever : 0;
    const int size = static_cast<int>(inside_.size());
    premium_.assign(inside_.size(), -kNever);
    open_.assign(inside_.size(), 0);
    flagged_.assign(inside_.size(), 0);
    closed_ = 0;
    clicks_ = 0;
    for (int i = 0; i < size; ++i) {
        if (!inside_[i] || mine_[i]) continue;
        ++closed_;
        int gain = 1;
        if (clue_[i] != 0) {
            gain = (opening_[i] != 0) + (other_[i] != 0);
            for (const int step : steps_) gain += inside_[i + step] && !mine_[i + step] && opening_[i + step] == 0;
        }
        premium_[i] = static_cast<std::int16_t>(gain - clue_[i] - 2 - wait_);
    }
}

void Measure::open(int cell) {
    open_[cell] = 1;
    --closed_;
    premium_[cell] = static_cast<std::int16_t>(premium_[cell] + 1 + wait_);
    if (opening_[cell] == 0)
        for (const int step : steps_) --premium_[cell + step];
}

void Measure::reveal(int cell) {
    if (open_[cell] || mine_[cell] || !inside_[cell]) return;
    if (clue_[cell] != 0) {
        open(cell);
        return;
    }
    const int name = opening_[cell];
    for (int at = first_[name]; at < first_[name + 1]; ++at) {
        const int i = cells_[at];
        if (!open_[i]) open(i);
        --premium_[i];
    }
}

// Open a cell if it is not, flag its mines, and open the rest of its square with one click.
void Measure::solve_around(int cell) {
    if (!open_[cell]) {
        reveal(cell);
        ++clicks_;
    }
    for (const int step : steps_) {
        const int mine = cell + step;
        if (!mine_[mine] || flagged_[mine]) continue;
        flagged_[mine] = 1;
        ++clicks_;
        for (const int on : steps_) ++premium_[mine + on];
    }
    ++clicks_;
    for (const int step : steps_) reveal(cell + step);
}

// The clicks of the greedy plan: the highest premium first, of equal ones the first, column by column. The human plan
// opens all openings first, and then chooses among open cells only.
int Measure::zini(bool human) {
    begin(human);
    const int size = static_cast<int>(inside_.size());
    if (human) {
        for (int name = 1; name + 1 < static_cast<int>(first_.size()); ++name) {
            reveal(cells_[first_[name]]);
            ++clicks_;
        }
    }
    int next = 0;  // no lonely closed cell comes before
    while (closed_ > 0) {
        std::int16_t best = -1;  // a plain loop: compilers turn it into wide instructions
        for (const std::int16_t premium : premium_) best = premium > best ? premium : best;
        if (best >= 0) {
            solve_around(static_cast<int>(std::find(premium_.begin(), premium_.end(), best) - premium_.begin()));
            continue;
        }
        while (next < size && (!inside_[next] || open_[next] || mine_[next] || (clue_[next] != 0 && opening_[next] != 0)))
            ++next;
        reveal(next);
        ++clicks_;
    }
    return clicks_;
}

}  // namespace mines
