#include "make/metrics.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "base/bits.hpp"
#include "base/clues.hpp"
#include "base/interrupt.hpp"

namespace mines {
namespace {

// The premium of a cell that may not be chosen is lower by this.
constexpr int kNever = 50;

// Bytes of 0 or 1 are processed by eight.
constexpr std::uint64_t kOnes = 0x0101010101010101;
constexpr std::uint64_t kThree = 0x010101;

// Read the bytes one by one, the first one lowest, because compilers turn that into one instruction.
std::uint64_t read_eight(const std::uint8_t* c) {
    const std::uint64_t low = c[0] | std::uint32_t{c[1]} << 8 | std::uint32_t{c[2]} << 16 | std::uint32_t{c[3]} << 24;
    const std::uint64_t high = c[4] | std::uint32_t{c[5]} << 8 | std::uint32_t{c[6]} << 16 | std::uint32_t{c[7]} << 24;
    return low | high << 32;
}

void write_eight(std::uint64_t eight, std::uint8_t* bytes) {
    for (int k = 0; k < 8; ++k) bytes[k] = static_cast<std::uint8_t>(eight >> 8 * k);
}

// Return `count` bytes of 1, the lowest ones.
std::uint64_t low_ones(int count) { return kOnes >> 8 * (8 - count); }

// Add up eight bytes.
int sum_eight(std::uint64_t eight) { return static_cast<int>(eight * kOnes >> 56); }

// Count the bytes of 1 in an array of a multiple of eight bytes.
int count_marks(const std::vector<std::uint8_t>& marks) {
    int count = 0;
    for (std::size_t i = 0; i < marks.size(); i += 8) count += sum_eight(read_eight(&marks[i]));
    return count;
}

// Return the index of a byte between two places, or the second place. memchr is much faster than std::find.
int find_byte(const std::vector<std::uint8_t>& bytes, int byte, int from, int to) {
    const void* const found = std::memchr(bytes.data() + from, byte, static_cast<std::size_t>(to - from));
    return found == nullptr ? to : static_cast<int>(static_cast<const std::uint8_t*>(found) - bytes.data());
}

}  // namespace

Metrics MetricsCalculator::puzzle(const Puzzle& puzzle) {
    Metrics metrics;
    load(puzzle);
    find_openings();
    metrics.buried = count_buried();
    metrics.openings = static_cast<int>(first_part_.size()) - 1;
    sort_cells();
    metrics.bbbv = metrics.openings + count_marks(isolated_);
    metrics.islands = find_groups(isolated_);
    find_premiums();
    metrics.greedy_zini = zini(false);
    metrics.human_zini = zini(true);
    if (puzzle.click < 0) return metrics;
    const int start = at(puzzle.click / grid_->cols, puzzle.click % grid_->cols);
    metrics.first_opening = 1;
    if (clue_[start] != 0) return metrics;
    metrics.first_opening = 0;
    const int name = opening_[start];
    for (int part = first_part_[name]; part < first_part_[name + 1]; ++part)
        metrics.first_opening += sum_eight(parts_[part].cells);
    return metrics;
}

void MetricsCalculator::load(const Puzzle& puzzle) {
    if (puzzle.grid != grid_) set_grid(puzzle.grid);
    const std::uint8_t* mine = puzzle.mine.data();
    std::uint8_t* const mined = mine_.data();
    const int rows = grid_->rows, cols = grid_->cols, right = right_;
    for (int row = 0; row < rows; ++row) {
        std::uint8_t* to = mined + at(row, 0);
        for (int col = 0; col < cols; ++col, to += right) *to = *mine++ != 0;
    }
    std::transform(inside_.begin(), inside_.end(), mine_.begin(), safe_.begin(), std::bit_xor<>());
    sum_around(mine_, clue_);
}

void MetricsCalculator::set_grid(const GridRef& grid) {
    grid_ = grid;
    topology_ = grid->is_rectangle ? nullptr : &grid->topology();
    const int rows = grid->rows, cols = grid->cols;
    stride_ = 2 + (grid->is_rectangle ? rows : cols);
    down_ = grid->is_rectangle ? 1 : stride_;
    right_ = grid->is_rectangle ? stride_ : 1;
    inside_.assign(static_cast<std::size_t>((at(rows, cols) + stride_ + 10) / 64 + 1) * 64, 0);
    for (int cell = 0; cell < grid->size(); ++cell) inside_[at(cell / cols, cell % cols)] = !grid->is_hole(cell);
    sum_around(inside_, room_);
    mine_.assign(inside_.size(), 0);
    safe_ = isolated_ = left_ = first_state_ = mine_;
    opening_.resize(inside_.size());
}

// List the runs of marked cells in columns and join adjacent ones to groups. Returns the number of groups.
int MetricsCalculator::find_groups(const std::vector<std::uint8_t>& marks) {
    if (topology_ != nullptr) return flood_groups(marks);
    ends_.resize(marks.size());
    int* const ends = ends_.data();
    int count = 0;
    std::uint64_t last = 0;
    for (std::size_t from = 0; from < marks.size(); from += 64) {
        const std::uint64_t bits = pack_bits(marks.data() + from, 64);
        for (std::uint64_t left = bits ^ (bits << 1 | last); left != 0; left &= left - 1)
            ends[count++] = static_cast<int>(from) + lowest_bit(left);
        last = bits >> 63;
    }
    const int runs = count / 2;
    group_.resize(static_cast<std::size_t>(runs));
    int* const group = group_.data();
    int groups = runs, near = 0;
    for (int run = 0; run < runs; ++run) {
        const int begin = ends[2 * run] - stride_, end = ends[2 * run + 1] - stride_;
        while (ends[2 * near + 1] < begin) ++near;
        int first = group[run] = run;
        for (int other = near; ends[2 * other] <= end; ++other) {
            int one = group[other];
            while (group[one] != one) one = group[one] = group[group[one]];
            groups -= one != first;
            group[std::max(one, first)] = std::min(one, first);
            first = std::min(one, first);
        }
    }
    return groups;
}

// Find the openings, in the order of their first zeros, and their cells. Of a cell of more than two openings, only the
// first two count, as in other programs.
void MetricsCalculator::find_openings() {
    if (topology_ != nullptr) return flood_openings();
    // Mark the zeros.
    std::transform(safe_.begin(), safe_.end(), clue_.begin(), left_.begin(),
                   [](std::uint8_t safe, std::uint8_t clue) { return safe & static_cast<std::uint8_t>(clue == 0); });
    const int openings = find_groups(left_), runs = static_cast<int>(group_.size());
    int named = 0, most_parts = 1;
    for (int run = 0; run < runs; ++run) {
        const int begin = ends_[2 * run], end = ends_[2 * run + 1];
        int& group = group_[run];  // the first run of an opening, until now
        group = group == run ? named++ : group_[group];
        std::fill(opening_.begin() + begin, opening_.begin() + end, group);
        most_parts += 3 * ((end - begin + 9) / 8);
    }
    // Chain the runs of each opening.
    first_run_.assign(static_cast<std::size_t>(openings), -1);
    next_run_.resize(group_.size());
    for (int run = runs - 1; run >= 0; --run) next_run_[run] = std::exchange(first_run_[group_[run]], run);

    joined_.assign(inside_.size(), 0);
    left_ = inside_;  // cells outside the current opening
    first_part_.assign(1, 0);
    parts_.resize(std::max(parts_.size(), static_cast<std::size_t>(most_parts)));
    std::uint8_t *const all_left = left_.data(), *const all_joined = joined_.data();
    int parts = 0;
    for (int name = 0; name < openings; ++name) {
        for (int run = first_run_[name]; run >= 0; run = next_run_[run]) {
            const int end = ends_[2 * run + 1] + 1;
            for (int at = ends_[2 * run] - 1; at < end; at += 8) {
                const std::uint64_t ones = low_ones(std::min(8, end - at));
                for (const int place : {at - stride_, at, at + stride_}) {
                    const std::uint64_t left = read_eight(all_left + place), joined = read_eight(all_joined + place);
                    const std::uint64_t cells = ones & left, joins = cells & ~(joined >> 1);
                    write_eight(left ^ cells, all_left + place);
                    write_eight(joined + joins, all_joined + place);
                    parts_[parts] = {place, cells, joins};
                    parts += cells != 0;
                }
            }
        }
        for (int part = first_part_.back(); part < parts; ++part) {
            std::uint8_t* const left = all_left + parts_[part].at;
            write_eight(read_eight(left) | parts_[part].cells, left);
        }
        first_part_.push_back(parts);
    }
}

int MetricsCalculator::count_buried() {
    const std::uint8_t *const mine = mine_.data(), *const clue = clue_.data(), *const room = room_.data();
    std::uint8_t* const buried = left_.data();
    const std::size_t size = inside_.size();
    for (std::size_t i = 0; i < size; ++i) buried[i] = mine[i] & (clue[i] == room[i]);
    return count_marks(left_);
}

// Plain loops over local pointers, so that compilers vectorize them.
void MetricsCalculator::sort_cells() {
    const std::uint8_t *const safe = safe_.data(), *const joined = joined_.data(), *const clue = clue_.data();
    const std::uint8_t* const mine = mine_.data();
    std::uint8_t *const isolated = isolated_.data(), *const state = first_state_.data();
    const std::size_t size = inside_.size();
    for (std::size_t i = 0; i < size; ++i) isolated[i] = safe[i] & (joined[i] == 0);
    for (std::size_t i = 0; i < size; ++i) {
        const int clicks = isolated[i] | (safe[i] & (clue[i] == 0));
        state[i] = static_cast<std::uint8_t>(safe[i] * kClosed + mine[i] * kUnflagged + clicks * kClick);
    }
}

// The premium of a cell is the number of clicks saved by flagging its mines and opening the rest of its square with a
// chord: the 3BV left in its square, minus the flags, the chord and the click that opens the cell.
void MetricsCalculator::find_premiums() {
    sum_around(isolated_, left_);
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
    state_ = first_state_;
    unopened_ = count_marks(safe_);
    clicks_ = 0;
    highest_ = 0;
    for (Range& range : ranges_) range = {0, 0};
}

// Open a closed cell.
void MetricsCalculator::reveal(int cell) {
    if (clue_[cell] == 0) return reveal_opening(opening_[cell]);
    state_[cell] = 0;
    --unopened_;
    premium_[cell] = static_cast<std::uint8_t>(premium_[cell] + 1 + wait_);
    if (isolated_[cell] == 0) return;
    if (topology_ != nullptr) return raise_around(cell, -1);
    std::uint8_t* const middle = &premium_[cell - 1];
    for (std::uint8_t* const top : {middle - stride_, middle, middle + stride_})
        write_eight(read_eight(top) - kThree, top);
}

void MetricsCalculator::reveal_opening(int name) {
    std::uint8_t *const states = state_.data(), *const premiums = premium_.data();
    const auto gain = static_cast<std::uint64_t>(1 + wait_);
    int opened = 0;
    for (int part = first_part_[name]; part < first_part_[name + 1]; ++part) {
        const auto [at, cells, joins] = parts_[part];
        const std::uint64_t state = read_eight(states + at), closed = state & cells;
        opened += sum_eight(closed);
        write_eight(state & ~(cells * 0xff), states + at);
        write_eight(read_eight(premiums + at) + closed * gain - joins, premiums + at);
    }
    unopened_ -= opened;
}

// Open a cell if necessary, flag its mines and chord.
void MetricsCalculator::solve_around(int cell) {
    if (topology_ != nullptr) return solve_around_on_grid(cell);
    const int stride = stride_;
    clicks_ += (state_[cell] & kClosed) + 1;
    for (int top = cell - stride - 1; wait_ == 0 && top <= cell + stride - 1; top += stride) {
        const auto zeros = [&] { return read_eight(&state_[top]) >> 2 & ~read_eight(&isolated_[top]) & kThree; };
        while (zeros() != 0) reveal_opening(opening_[top + lowest_bit(zeros()) / 8]);
    }
    // Nothing else changes premiums of cells more than two away: those of five columns of five cells.
    const int first = cell - 2 * stride - 2;
    std::uint8_t *const premium = &premium_[first], *const states = &state_[first + 1];
    const auto gain = static_cast<std::uint64_t>(1 + wait_);
    std::uint64_t flags = 0, opened = 0, columns[5];
    for (int k = 0; k < 5; ++k) columns[k] = read_eight(premium + k * stride);
    const auto solve_column = [&](int k) {
        const std::uint64_t state = read_eight(states + k * stride);
        std::memset(states + k * stride, 0, 3);
        const std::uint64_t closed = state & kThree, flag = state >> 1 & kThree, isolated = state >> 2 & kThree;
        const std::uint64_t change = (flag - isolated) * kThree;
        columns[k - 1] += change;
        columns[k] += change + (closed * gain << 8);
        columns[k + 1] += change;
        flags += flag;
        opened += closed;
    };
    solve_column(1);
    solve_column(2);
    solve_column(3);
    clicks_ += sum_eight(flags);
    unopened_ -= sum_eight(opened);
    for (int k = 0; k < 5; ++k) write_eight(columns[k], premium + k * stride);
    // Subtract one from all premiums in turn, until none has the bit of kPays.
    for (int level = kPays;; ++level) {
        const std::uint64_t any = columns[0] | columns[1] | columns[2] | columns[3] | columns[4];
        if ((any & kPays * kOnes) == 0) break;
        widen(level, first, first + 4 * stride + 5);
        for (std::uint64_t& column : columns) column -= kOnes;
    }
}

// Take note that some cells from one place up to another have at least this premium.
void MetricsCalculator::widen(int premium, int from, int to) {
    highest_ = std::max(highest_, premium);
    Range& range = ranges_[premium - kPays];
    range = range.from == range.to ? Range{from, to} : Range{std::min(range.from, from), std::max(range.to, to)};
}

// Return the first cell with the highest premium, or -1 if none pays.
int MetricsCalculator::best_cell() {
    for (; highest_ >= kPays; --highest_) {
        Range& range = ranges_[highest_ - kPays];
        range.from = find_byte(premium_, highest_, range.from, range.to);
        if (range.from < range.to) return range.from;
    }
    return -1;
}

// Count the clicks of a plan. The greedy plan takes the highest premium first, and of equal ones the first, column by
// column. The human plan opens all openings first and then chooses among open cells only.
int MetricsCalculator::zini(bool human) {
    begin(human);
    if (human) {
        clicks_ = static_cast<int>(first_part_.size()) - 1;
        for (int name = 0; name < clicks_; ++name) reveal_opening(name);
    }
    const int size = static_cast<int>(premium_.size());
    std::uint8_t best = 0;
    for (const std::uint8_t premium : premium_) best = std::max(best, premium);
    for (int premium = kPays; premium <= best; ++premium) widen(premium, at(0, 0), size);
    int next = -1;
    InterruptCheck* const current_check = InterruptCheck::current_check();
    while (unopened_ > 0) {
        check_interrupt(current_check);
        const int cell = best_cell();
        if (cell >= 0) {
            solve_around(cell);
            continue;
        }
        // A click raises no premium but that of its own cell, which may be chosen from now on.
        do {
            next = find_byte(state_, kClosed + kClick, next + 1, size);
            reveal(next);
            ++clicks_;
        } while (unopened_ > 0 && premium_[next] < kPays);
        for (int premium = kPays; premium <= premium_[next]; ++premium) widen(premium, next, next + 1);
    }
    return clicks_;
}

}  // namespace mines
