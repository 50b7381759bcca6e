#include "make/metrics.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

#include "base/bits.hpp"
#include "base/clues.hpp"
#include "base/interrupt.hpp"

namespace mines {
namespace {

// Premiums are bytes, so that vector instructions compare many at once. A premium of kPays or more saves clicks. They
// stay within a few dozen of it.
constexpr int kPays = 128;
constexpr int kNever = 50;
// Large boards compare only blocks of premiums of which some were raised. That pays from about this size.
constexpr int kBlock = 1024;
constexpr int kSmall = 4096;

// Return the index of a byte between two places, or the second place. memchr is much faster than std::find.
int find_byte(const std::vector<std::uint8_t>& bytes, std::uint8_t byte, int from, int to) {
    const void* const found = std::memchr(bytes.data() + from, byte, static_cast<std::size_t>(to - from));
    return found == nullptr ? to : static_cast<int>(static_cast<const std::uint8_t*>(found) - bytes.data());
}

std::uint8_t highest(const std::uint8_t* bytes, int count) {
    std::uint8_t best = 0;
#ifdef __GNUC__
#pragma GCC unroll 4
#endif
    for (int i = 0; i < count; ++i) best = std::max(best, bytes[i]);
    return best;
}

int find_byte(const std::vector<std::uint8_t>& bytes, std::uint8_t byte, int from) {
    return find_byte(bytes, byte, from, static_cast<int>(bytes.size()));
}

}  // namespace

Metrics MetricsCalculator::board(int rows, int cols, const std::uint8_t* mine) {
    load(rows, cols, mine);
    find_openings();
    Metrics metrics;
    metrics.buried = count_buried();
    metrics.openings = static_cast<int>(first_.size()) - 2;
    metrics.bbbv = metrics.openings;
    sort_cells();
    for (const std::uint8_t isolated : isolated_) metrics.bbbv += isolated;
    metrics.islands = count_islands();
    find_premiums();
    metrics.greedy_zini = zini(false);
    metrics.human_zini = zini(true);
    return metrics;
}

Metrics MetricsCalculator::puzzle(const Puzzle& puzzle) {
    Metrics metrics = board(puzzle.rows, puzzle.cols, puzzle.mine.data());
    metrics.first_opening = first_opening(puzzle.click);
    return metrics;
}

// Count the cells that a click on a safe cell of the current board opens.
int MetricsCalculator::first_opening(int click) {
    const int start = (click % cols_ + 1) * stride_ + click / cols_ + 1;
    if (clue_[start] != 0) return 1;
    // Its zeros belong to no other opening, but `cells_` may lack some of its rim.
    left_ = inside_;
    int opened = 0;
    for (int at = first_[opening_[start]]; at < first_[opening_[start] + 1]; ++at) {
        if (clue_[cells_[at]] != 0) continue;
        for_marked(left_, cells_[at], [&](int to) {
            left_[to] = 0;
            ++opened;
        });
    }
    return opened;
}

void MetricsCalculator::load(int rows, int cols, const std::uint8_t* mine) {
    if (rows != rows_ || cols != cols_) {
        rows_ = rows;
        cols_ = cols;
        stride_ = rows + 2;
        inside_.assign(static_cast<std::size_t>(stride_) * (cols + 2) + 1, 0);
        for (int col = 0; col < cols; ++col)
            std::fill_n(inside_.begin() + (col + 1) * stride_ + 1, rows, std::uint8_t{1});
        for (int k = 0; k < 9; ++k) steps_[k % 3 * 8 + k / 3] = (k / 3 - 1) * stride_ + k % 3 - 1;
        mine_.assign(inside_.size(), 0);
        safe_ = isolated_ = needed_ = mine_;
    }
    std::uint8_t* const mined = mine_.data();
    const int stride = stride_;
    for (int row = 0; row < rows; ++row)
        for (int col = 0; col < cols; ++col) mined[(col + 1) * stride + row + 1] = mine[row * cols + col] != 0;
    std::transform(inside_.begin(), inside_.end(), mine_.begin(), safe_.begin(), std::bit_xor<>());
    sum_squares(mine_, stride_, clue_);
}

// Visit the cells of a 3x3 square that are marked at the start, by bytes of 0 or 1. Gathering their bits first avoids
// unpredictable branches.
template <class Visit>
void MetricsCalculator::for_marked(const std::vector<std::uint8_t>& marks, int cell, Visit visit) const {
    const auto column = [&marks](int middle) {
        const std::uint8_t* const mark = marks.data() + middle - 1;
        // Compilers read four bytes at once.
        const std::uint32_t four =
            mark[0] | std::uint32_t{mark[1]} << 8 | std::uint32_t{mark[2]} << 16 | std::uint32_t{mark[3]} << 24;
        return four & 0xffffff;
    };
    std::uint32_t bits = column(cell - stride_) | column(cell) << 1 | column(cell + stride_) << 2;
    for (; bits != 0; bits &= bits - 1) visit(cell + steps_[lowest_bit(bits)]);
}

void MetricsCalculator::find_openings() {
    opening_.assign(inside_.size(), 0);
    other_.assign(inside_.size(), 0);
    joined_.assign(inside_.size(), 0);
    cells_.clear();
    first_.assign(2, 0);              // there is no opening 0
    waiting_.resize(inside_.size());  // zeros in no opening yet
    std::transform(safe_.begin(), safe_.end(), clue_.begin(), waiting_.begin(),
                   [](std::uint8_t safe, std::uint8_t clue) { return safe & static_cast<std::uint8_t>(clue == 0); });
    left_ = inside_;  // cells outside the current opening; for zeros, outside all openings
    const int end = static_cast<int>(inside_.size());
    int name = 0;
    for (int start = 0; (start = find_byte(waiting_, 1, start)) != end;) {
        ++name;
        const auto join = [&](int cell) {
            if (opening_[cell] == 0) {
                opening_[cell] = name;
            } else if (other_[cell] == 0) {
                other_[cell] = name;
            } else {
                return;  // rim of more than two openings; other programs count two
            }
            left_[cell] = 0;
            ++joined_[cell];
            cells_.push_back(cell);
            if (waiting_[cell] == 0) return;
            waiting_[cell] = 0;
            fill_.push_back(cell);
        };
        join(start);
        while (!fill_.empty()) {
            const int from = fill_.back();
            fill_.pop_back();
            for_marked(left_, from, join);
        }
        for (auto at = static_cast<std::size_t>(first_.back()); at < cells_.size(); ++at)
            left_[cells_[at]] = clue_[cells_[at]] != 0;
        first_.push_back(static_cast<int>(cells_.size()));
    }
}

int MetricsCalculator::count_buried() {
    sum_squares(safe_, stride_, left_);
    int buried = 0;
    for (std::size_t i = 0; i < mine_.size(); ++i) buried += mine_[i] & (left_[i] == 0);
    return buried;
}

// Plain loops over local pointers, so that compilers vectorize them.
void MetricsCalculator::sort_cells() {
    const std::uint8_t *const safe = safe_.data(), *const joined = joined_.data(), *const clue = clue_.data();
    std::uint8_t *const isolated = isolated_.data(), *const needed = needed_.data();
    const std::size_t size = inside_.size();
    for (std::size_t i = 0; i < size; ++i) isolated[i] = safe[i] & (joined[i] == 0);
    for (std::size_t i = 0; i < size; ++i) needed[i] = safe[i] & ((joined[i] == 0) | (clue[i] == 0));
}

int MetricsCalculator::count_islands() {
    left_ = isolated_;
    int islands = 0;
    const int end = static_cast<int>(left_.size());
    for (int start = 0; (start = find_byte(left_, 1, start)) != end;) {
        ++islands;
        left_[start] = 0;
        fill_.assign(1, start);
        while (!fill_.empty()) {
            const int from = fill_.back();
            fill_.pop_back();
            for_marked(left_, from, [&](int to) {
                left_[to] = 0;
                fill_.push_back(to);
            });
        }
    }
    return islands;
}

// The premium of a cell is the number of clicks saved by flagging its mines and opening the rest of its square with a
// chord: the 3BV left in its square, minus the flags, the chord and the click that opens the cell.
void MetricsCalculator::find_premiums() {
    sum_squares(isolated_, stride_, left_);
    const std::size_t size = inside_.size();
    first_premium_.resize(size);
    std::uint8_t* const premium = first_premium_.data();
    const std::uint8_t *const safe = safe_.data(), *const joined = joined_.data(), *const clue = clue_.data();
    const std::uint8_t* const near = left_.data();
    for (std::size_t i = 0; i < size; ++i) {
        // Read everything unconditionally, so that compilers vectorize the loop.
        const std::uint8_t number = clue[i], is_safe = safe[i];
        const auto parts = static_cast<std::uint8_t>(joined[i] + near[i]);
        const auto gain = static_cast<std::uint8_t>(number == 0 ? 1 : parts);
        const auto worth = static_cast<std::uint8_t>(kPays - 2 + gain - number);
        premium[i] = is_safe != 0 ? worth : static_cast<std::uint8_t>(kPays - kNever);
    }
}

void MetricsCalculator::begin(bool human) {
    // Local, because the bytes written might overlap a member.
    const int wait = wait_ = human ? kNever : 0;
    premium_.resize(first_premium_.size());
    std::transform(first_premium_.begin(), first_premium_.end(), premium_.begin(),
                   [wait](std::uint8_t premium) { return static_cast<std::uint8_t>(premium - wait); });
    closed_ = safe_;
    waiting_ = needed_;
    unflagged_ = mine_;
    unopened_ = std::accumulate(safe_.begin(), safe_.end(), 0);
    clicks_ = 0;
    is_raised_.assign(premium_.size() / kBlock + 1, 0);
    best_.resize(premium_.size() <= kSmall ? 0 : is_raised_.size());
    for (int block = 0; block < static_cast<int>(best_.size()); ++block) find_best_of(block);
}

// Add `by` to the premiums of a 3x3 square, three at a time: they stay far from 0 and 255.
void MetricsCalculator::raise(int cell, int by) {
    constexpr std::uint8_t kOnes[] = {1, 1, 1, 0};
    std::uint32_t ones, three;
    std::memcpy(&ones, kOnes, sizeof ones);
    const std::uint32_t change = ones * static_cast<std::uint32_t>(by);
    const int stride = stride_;
    std::uint8_t* column = &premium_[cell - stride - 1];
    for (int k = 0; k < 3; ++k, column += stride) {
        std::memcpy(&three, column, sizeof three);
        three += change;
        std::memcpy(column, &three, sizeof three);
    }
}

void MetricsCalculator::open(int cell) {
    closed_[cell] = waiting_[cell] = 0;
    --unopened_;
    premium_[cell] = static_cast<std::uint8_t>(premium_[cell] + 1 + wait_);
    is_raised_[static_cast<unsigned>(cell) / kBlock] = 1;
    if (isolated_[cell]) raise(cell, -1);
}

// Open a closed cell.
void MetricsCalculator::reveal(int cell) {
    if (clue_[cell] != 0) {
        open(cell);
        return;
    }
    // Without branches, which processors could not predict. No cell of an opening is isolated.
    const int name = opening_[cell];
    std::uint8_t *const closed = closed_.data(), *const waiting = waiting_.data(), *const premium = premium_.data();
    std::uint8_t* const is_raised = is_raised_.data();
    const int gain = 1 + wait_;
    int opened = 0;
    for (int at = first_[name]; at < first_[name + 1]; ++at) {
        const auto i = static_cast<unsigned>(cells_[at]);
        const int was_closed = closed[i];
        opened += was_closed;
        premium[i] = static_cast<std::uint8_t>(premium[i] + (-was_closed & gain) - 1);
        closed[i] = waiting[i] = 0;
        is_raised[i / kBlock] = 1;
    }
    unopened_ -= opened;
}

// Open a cell if necessary, flag its mines and chord.
void MetricsCalculator::solve_around(int cell) {
    if (closed_[cell]) {
        reveal(cell);
        ++clicks_;
    }
    for_marked(unflagged_, cell, [&](int mine) {
        unflagged_[mine] = 0;
        ++clicks_;
        raise(mine, 1);
        for (int middle = mine - stride_; middle <= mine + stride_; middle += stride_) {
            const auto last = static_cast<unsigned>(middle) + 1;
            is_raised_[(last - 2) / kBlock] = is_raised_[last / kBlock] = 1;
        }
    });
    ++clicks_;
    for_marked(closed_, cell, [&](int near) {
        if (closed_[near]) reveal(near);
    });
}

void MetricsCalculator::find_best_of(int block) {
    const int first = block * kBlock;
    const int count = std::min(kBlock, static_cast<int>(premium_.size()) - first);
    const std::uint8_t* const premium = premium_.data() + first;
    best_[block] = highest(premium, count);
    is_raised_[block] = 0;
}

// Return the first cell with the highest premium, or -1 if none pays.
int MetricsCalculator::best_cell() {
    if (best_.empty()) {
        const std::uint8_t best = highest(premium_.data(), static_cast<int>(premium_.size()));
        return best < kPays ? -1 : find_byte(premium_, best, 0);
    }
    const auto blocks = static_cast<int>(best_.size());
    for (int block = 0; (block = find_byte(is_raised_, 1, block)) < blocks;) find_best_of(block);
    for (;;) {
        std::uint8_t best = kPays - 1;
        for (const std::uint8_t one : best_) best = std::max(best, one);
        if (best < kPays) return -1;
        const int block = find_byte(best_, best, 0);
        const int end = std::min((block + 1) * kBlock, static_cast<int>(premium_.size()));
        const int cell = find_byte(premium_, best, block * kBlock, end);
        if (cell != end) return cell;
        find_best_of(block);
    }
}

// Count the clicks of a plan. The greedy plan takes the highest premium first, and of equal ones the first, column by
// column. The human plan opens all openings first and then chooses among open cells only.
int MetricsCalculator::zini(bool human) {
    begin(human);
    if (human) {
        for (int name = 1; name + 1 < static_cast<int>(first_.size()); ++name) {
            reveal(cells_[first_[name]]);
            ++clicks_;
        }
    }
    int next = 0;
    while (unopened_ > 0) {
        check_interrupt();
        const int best = best_cell();
        if (best >= 0) {
            solve_around(best);
            continue;
        }
        // A click raises no premium but that of its own cell, which may be chosen from now on.
        do {
            next = find_byte(waiting_, 1, next);
            reveal(next);
            ++clicks_;
        } while (unopened_ > 0 && premium_[next] < kPays);
    }
    return clicks_;
}

}  // namespace mines
