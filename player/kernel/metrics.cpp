#include "metrics.hpp"

#include <algorithm>

#include "pulse.hpp"

namespace mines {
namespace {

constexpr int kNever = 10000;
constexpr std::size_t kBlock = 64;

}  // namespace

Metrics Measure::board(int rows, int cols, const std::uint8_t* mine) {
    lay_out(rows, cols, mine);
    find_openings();
    Metrics metrics;
    metrics.openings = static_cast<int>(first_.size()) - 2;
    metrics.bbbv = metrics.openings;
    std::uint8_t* const lonely = lonely_.data();
    const std::size_t size = lonely_.size();
    for (std::size_t i = 0; i < size; ++i) lonely[i] = inside_[i] & (mine_[i] ^ 1) & (opening_[i] == 0);
    for (std::size_t i = 0; i < size; ++i) metrics.bbbv += lonely[i];
    metrics.islands = count_islands();
    find_premiums();
    metrics.greedy_zini = zini(false);
    metrics.human_zini = zini(true);
    return metrics;
}

int Measure::first_opening(int click) {
    const int start = (click % cols_ + 1) * stride_ + click / cols_ + 1;
    if (clue_[start] != 0) return 1;
    // Its zeros are in no other opening; of its rim, `cells_` may lack some.
    left_.assign(inside_.size(), 0);
    int opened = 0;
    for (int at = first_[opening_[start]]; at < first_[opening_[start] + 1]; ++at) {
        if (clue_[cells_[at]] != 0) continue;
        for (const int step : steps_) {
            const int to = cells_[at] + step;
            opened += inside_[to] && !left_[to];
            left_[to] = 1;
        }
    }
    return opened;
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
    std::uint8_t* const mined = mine_.data();
    const int stride = stride_;
    for (int row = 0; row < rows; ++row)
        for (int col = 0; col < cols; ++col) mined[(col + 1) * stride + row + 1] = mine[row * cols + col] != 0;
    lonely_.assign(inside_.size(), 0);
    sum_squares(mine_, clue_);
}

// Add up the marks of the square around each cell: columns of three, then three of these. Plain loops over pointers at
// hand, as compilers turn them into wide instructions.
void Measure::sum_squares(const std::vector<std::uint8_t>& marks, std::vector<std::uint8_t>& sums) {
    const std::size_t size = marks.size();
    threes_.resize(size);
    sums.assign(size, 0);
    const std::uint8_t* const mark = marks.data();
    std::uint8_t* const three = threes_.data();
    std::uint8_t* const sum = sums.data();
    for (std::size_t i = 1; i + 1 < size; ++i) three[i] = static_cast<std::uint8_t>(mark[i - 1] + mark[i] + mark[i + 1]);
    const auto stride = static_cast<std::size_t>(stride_);
    for (std::size_t i = stride + 1; i + stride + 1 < size; ++i)
        sum[i] = static_cast<std::uint8_t>(three[i - stride] + three[i] + three[i + stride]);
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
    left_ = lonely_;
    int islands = 0;
    for (int start = 0; start < static_cast<int>(left_.size()); ++start) {
        if (!left_[start]) continue;
        ++islands;
        left_[start] = 0;
        fill_.assign(1, start);
        while (!fill_.empty()) {
            const int from = fill_.back();
            fill_.pop_back();
            for (const int step : steps_) {
                if (!left_[from + step]) continue;
                left_[from + step] = 0;
                fill_.push_back(from + step);
            }
        }
    }
    return islands;
}

// The premium of a cell is what is gained by flagging its mines and opening the rest of its square at once, over opening
// that one by one: the 3BV left in its square, less the flags, less the click on all, less the click that opens it.
void Measure::find_premiums() {
    sum_squares(lonely_, left_);
    first_premium_.assign((inside_.size() + kBlock - 1) / kBlock * kBlock, -kNever);
    safe_ = 0;
    for (std::size_t i = 0; i < inside_.size(); ++i) {
        if (!inside_[i] || mine_[i]) continue;
        ++safe_;
        const int gain = clue_[i] == 0 ? 1 : (opening_[i] != 0) + (other_[i] != 0) + left_[i];
        first_premium_[i] = static_cast<std::int16_t>(gain - clue_[i] - 2);
    }
}

void Measure::begin(bool human) {
    wait_ = human ? kNever : 0;
    premium_ = first_premium_;
    if (human)
        for (std::int16_t& premium : premium_) premium = static_cast<std::int16_t>(premium - kNever);
    open_.assign(inside_.size(), 0);
    flagged_.assign(inside_.size(), 0);
    closed_ = safe_;
    clicks_ = 0;
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

// The first cell of the highest premium, or -1 if none pays. Block by block, as compilers turn plain loops of a fixed
// length into wide instructions.
int Measure::best_cell() const {
    const std::int16_t* const premium = premium_.data();
    std::int16_t best = -1;
    std::size_t in = 0;
    for (std::size_t block = 0; block < premium_.size(); block += kBlock) {
        std::int16_t most = -1;
        for (std::size_t i = 0; i < kBlock; ++i) most = std::max(most, premium[block + i]);
        if (most <= best) continue;
        best = most;
        in = block;
    }
    if (best < 0) return -1;
    return static_cast<int>(std::find(premium_.begin() + static_cast<std::ptrdiff_t>(in), premium_.end(), best) -
                            premium_.begin());
}

// The clicks of the greedy plan: the highest premium first, of equal ones the first, column by column. The human plan
// opens all openings first, and then chooses among open cells only.
int Measure::zini(bool human) {
    begin(human);
    if (human) {
        for (int name = 1; name + 1 < static_cast<int>(first_.size()); ++name) {
            reveal(cells_[first_[name]]);
            ++clicks_;
        }
    }
    int next = 0;  // no lonely closed cell comes before
    while (closed_ > 0) {
        pulse();
        const int best = best_cell();
        if (best >= 0) {
            solve_around(best);
            continue;
        }
        // A click on a cell raises no premium but the cell's own, and only because it may be chosen from now on.
        do {
            while (open_[next] || !(lonely_[next] || (clue_[next] == 0 && inside_[next]))) ++next;
            reveal(next);
            ++clicks_;
        } while (closed_ > 0 && premium_[next] < 0);
    }
    return clicks_;
}

}  // namespace mines
