#include "search/optimal.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/bits.hpp"
#include "base/interrupt.hpp"
#include "search/choices.hpp"

namespace mines {
namespace {

constexpr unsigned kMineCode = 1u << 9;
constexpr unsigned kHiddenDigit = 15;
constexpr std::size_t kLayoutLanes = 16;
constexpr std::size_t kFirstTableSize = std::size_t{1} << 12;

}  // namespace

Optimal::Optimal(const Grid& grid, std::size_t most_states)
    : cells_(grid.size()),
      stride_((static_cast<std::size_t>(cells_) + kLayoutLanes - 1) / kLayoutLanes * kLayoutLanes),
      most_states_(most_states),
      table_(kFirstTableSize) {
    for (int cell = 0; cell < cells_; ++cell) {
        std::uint32_t near = grid.is_hole(cell) ? 0 : std::uint32_t{1} << cell;
        for (int other = 0; other < cells_; ++other)
            if (grid.are_neighbours(other, cell)) near |= std::uint32_t{1} << other;
        near_.push_back(near);
    }
    const int rows = grid.rows, cols = grid.cols;
    for (int symmetry = 0; symmetry < (rows == cols ? 8 : 4); ++symmetry) {
        std::vector<int> goes;
        for (int cell = 0; cell < cells_; ++cell) {
            int r = cell / cols, c = cell % cols;
            if (symmetry & 1) r = rows - 1 - r;
            if (symmetry & 2) c = cols - 1 - c;
            if (symmetry & 4) std::swap(r, c);
            goes.push_back(r * cols + c);
        }
        if (keeps_neighbours(goes)) symmetries_.push_back(goes);
    }
}

// Return whether a symmetry of the rectangle is one of the grid, too.
bool Optimal::keeps_neighbours(const std::vector<int>& goes) const {
    for (int one = 0; one < cells_; ++one) {
        for (int other = 0; other < cells_; ++other) {
            const auto touch = [this](int a, int b) { return near_[static_cast<std::size_t>(a)] >> b & 1; };
            if (touch(one, other) != touch(goes[static_cast<std::size_t>(one)], goes[static_cast<std::size_t>(other)]))
                return false;
        }
    }
    return true;
}

void Optimal::load(const std::vector<std::uint32_t>& layouts) {
    codes_.assign(layouts.size() * stride_, 0);
    for (std::size_t i = 0; i < layouts.size(); ++i)
        for (int cell = 0; cell < cells_; ++cell)
            codes_[i * stride_ + static_cast<std::size_t>(cell)] = static_cast<Code>(
                layouts[i] >> cell & 1 ? kMineCode
                                       : 1u << count_bits(layouts[i] & near_[static_cast<std::size_t>(cell)]));
    all_.resize(layouts.size());
    for (std::size_t i = 0; i < all_.size(); ++i) all_[i] = static_cast<Id>(i);
    gave_up_ = false;
}

bool Optimal::solve(const std::vector<std::uint32_t>& layouts) {
    load(layouts);
    wins_ = win(all_.data(), static_cast<int>(all_.size()), 0, 0);
    return !gave_up_;
}

bool Optimal::choose(const std::vector<std::uint32_t>& layouts) {
    load(layouts);
    const int count = static_cast<int>(all_.size());
    if (levels_.empty()) levels_.resize(1);
    list_cells(all_.data(), count, 0);
    list_options(count, 0);
    const std::vector<int>& safe_cells = levels_[0].safe_cells;
    const std::vector<std::int32_t>& mines = levels_[0].mines;
    if (!safe_cells.empty()) {
        best_ = safe_cells.front();
        wins_ = open_safe(all_.data(), count, 0, 0);
    } else if (!levels_[0].options.empty()) {
        bool exact = false;
        wins_ = guess(all_.data(), count, 0, 0, exact);
    } else {
        // Nothing distinguishes the layouts: any cell that may be a mine but need not be wins one of them.
        wins_ = 1;
        best_ = 0;
        for (int cell = 0; cell < cells_; ++cell) {
            const std::int32_t here = mines[static_cast<std::size_t>(cell)],
                               least = mines[static_cast<std::size_t>(best_)];
            if (here > 0 && (here < least || least == 0)) best_ = cell;
        }
    }
    return !gave_up_;
}

// Both layouts are won if some cell is safe in both and shows different clues.
int Optimal::pair(Id a, Id b) const {
    const Code* left = row(a);
    const Code* right = row(b);
    for (std::size_t c = 0; c < stride_; ++c)
        if (left[c] != right[c] && ((left[c] | right[c]) & kMineCode) == 0) return 2;
    return 1;
}

// Collect what every cell shows in these layouts, the number of layouts in which it is a mine, and the cells that are
// safe in all and differ in some.
void Optimal::list_cells(const Id* ids, int count, std::size_t depth) {
    std::vector<Code>& seen = levels_[depth].seen;
    std::vector<std::int32_t>& mines = levels_[depth].mines;
    seen.assign(stride_, 0);
    mines.assign(stride_, 0);
    for (int i = 0; i < count; ++i) {
        const Code* codes = row(ids[i]);
        for (std::size_t c = 0; c < stride_; ++c) {
            seen[c] = static_cast<Code>(seen[c] | codes[c]);
            mines[c] += codes[c] >> kMineBit;
        }
    }
    std::vector<int>& safe_cells = levels_[depth].safe_cells;
    safe_cells.clear();
    for (int cell = 0; cell < cells_; ++cell) {
        const unsigned all = seen[static_cast<std::size_t>(cell)];
        if ((all & kMineCode) == 0 && (all & (all - 1)) != 0) safe_cells.push_back(cell);
    }
}

// List the cells worth guessing.
//
// A cell that shows the same clue wherever it is safe gives no information and can wait. Consider a plan that opens it
// first and wins two layouts or more: it must distinguish those layouts by another cell. The same plan starting with
// that other cell, with the uninformative cells opened last, wins the same layouts. A plan that wins one layout is no
// better than opening any cell. So such cells are left out; if there are no others, no two layouts can be
// distinguished.
void Optimal::list_options(int count, std::size_t depth) {
    const std::vector<Code>& seen = levels_[depth].seen;
    const std::vector<std::int32_t>& mines = levels_[depth].mines;
    std::vector<Option>& options = levels_[depth].options;
    options.clear();
    for (int cell = 0; cell < cells_; ++cell) {
        const auto c = static_cast<std::size_t>(cell);
        const unsigned clues = seen[c] & (kMineCode - 1);
        if ((seen[c] & kMineCode) != 0 && (clues & (clues - 1)) != 0) options.push_back({cell, count - mines[c]});
    }
}

// Return the number of layouts that best play wins if it is at least `need`, else an upper bound below `need`.
//
// First open all cells that are safe in every layout. Nothing is lost: the player can continue as if such a cell were
// still hidden. When no such cell distinguishes the layouts, the open cells and their clues identify the state: the
// open cells are those safe in every layout, so different paths to the same layouts get the same key.
int Optimal::win(const Id* ids, int count, int need, std::size_t depth) {
    if (count == 2) return pair(ids[0], ids[1]);
    if (count < 2 || gave_up_) return count;
    check_interrupt();
    if (levels_.size() <= depth) levels_.resize(depth + 8);
    list_cells(ids, count, depth);
    if (!levels_[depth].safe_cells.empty()) return open_safe(ids, count, need, depth);

    const Key name = key(levels_[depth].seen);
    const Entry& known = find(name);
    if (known.key == name && (known.exact || known.wins < need)) return known.wins;
    list_options(count, depth);
    bool exact = true;
    const int wins = levels_[depth].options.empty() ? 1 : guess(ids, count, need, depth, exact);
    if (!gave_up_) remember(name, wins, exact);
    return wins;
}

int Optimal::open_safe(const Id* ids, int count, int need, std::size_t depth) {
    auto& signatures = levels_[depth].signatures;
    signatures.clear();
    for (int i = 0; i < count; ++i) {
        // A signature holds at most 16 clues of 4 bits; the next call opens the remaining cells.
        std::uint64_t signature = 0;
        const std::vector<int>& safe_cells = levels_[depth].safe_cells;
        for (std::size_t f = 0; f < std::min<std::size_t>(safe_cells.size(), 16); ++f)
            signature = signature << 4 | static_cast<unsigned>(lowest_bit(row(ids[i])[safe_cells[f]]));
        signatures.emplace_back(signature, ids[i]);
    }
    std::sort(signatures.begin(), signatures.end());
    std::vector<Id>& split = levels_[depth].ids;
    split.resize(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) split[static_cast<std::size_t>(i)] = signatures[static_cast<std::size_t>(i)].second;
    std::vector<std::pair<int, int>> parts;  // size, first
    for (int from = 0, to = 0; from < count; from = to) {
        const std::uint64_t signature = signatures[static_cast<std::size_t>(from)].first;
        while (to < count && signatures[static_cast<std::size_t>(to)].first == signature) ++to;
        parts.emplace_back(to - from, from);
    }
    return win_parts(parts.data(), parts.size(), count, need, [&](int from, int size, int enough) {
        return win(levels_[depth].ids.data() + from, size, enough, depth + 1);
    });
}

int Optimal::guess(const Id* ids, int count, int need, std::size_t depth, bool& exact) {
    std::vector<Option>& options = levels_[depth].options;
    std::sort(options.begin(), options.end(),
              [](const Option& a, const Option& b) { return a.safe != b.safe ? a.safe > b.safe : a.cell < b.cell; });
    // Deeper levels may reallocate levels_.
    const auto option = [&](std::size_t o) -> const Option& { return levels_[depth].options[o]; };
    return best_choice(
        options.size(), need, exact, [&](std::size_t o) { return option(o).safe; },
        [&](std::size_t o, int enough) { return win_after(option(o).cell, ids, count, enough, depth); },
        [&](std::size_t o) {
            if (depth == 0) best_ = option(o).cell;
        });
}

// Return the value of `win` if this cell is opened first.
int Optimal::win_after(int cell, const Id* ids, int count, int need, std::size_t depth) {
    const Split first = split(cell, ids, count, levels_[depth].ids);
    int possible = 0;
    std::array<std::pair<int, int>, kMineBit> parts;  // size, first
    std::size_t part_count = 0;
    for (std::size_t v = 0; v < kMineBit; ++v) {
        const int size = first[v + 1] - first[v];
        if (size == 0) continue;
        possible += bound(levels_[depth].ids.data() + first[v], size);
        if (size > 2) parts[part_count++] = {size, first[v]};
    }
    return win_parts(parts.data(), part_count, possible, need, [&](int from, int size, int enough) {
        return win(levels_[depth].ids.data() + from, size, enough, depth + 1);
    });
}

// Write the layouts to `out`, sorted by what the cell shows; return the index of the first layout of each code.
Optimal::Split Optimal::split(int cell, const Id* ids, int count, std::vector<Id>& out) const {
    const auto code = [&](int i) { return static_cast<std::size_t>(lowest_bit(row(ids[i])[cell])); };
    Split first{};
    for (int i = 0; i < count; ++i) ++first[code(i) + 1];
    for (std::size_t v = 0; v <= kMineBit; ++v) first[v + 1] += first[v];
    Split next = first;
    out.resize(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) out[static_cast<std::size_t>(next[code(i)]++)] = ids[i];
    return first;
}

// The least of the symmetric images of the open clues, one hexadecimal digit a cell.
Optimal::Key Optimal::key(const std::vector<Code>& seen) const {
    std::array<std::uint64_t, kMostCells> digits{};
    for (std::size_t c = 0; c < static_cast<std::size_t>(cells_); ++c)
        digits[c] = seen[c] & kMineCode ? kHiddenDigit : static_cast<unsigned>(lowest_bit(seen[c]));
    Key least{~std::uint64_t{0}, ~std::uint64_t{0}};
    for (const std::vector<int>& goes : symmetries_) {
        Key turned;
        for (std::size_t c = 0; c < static_cast<std::size_t>(cells_); ++c) {
            const int to = goes[c];
            (to < 16 ? turned.low : turned.high) |= digits[c] << to % 16 * 4;
        }
        least = std::min(least, turned);
    }
    return least;
}

// Return the entry of a key, or the empty entry to fill. No key is zero, since some cell is hidden.
Optimal::Entry& Optimal::find(const Key& key) {
    std::uint64_t hash = (key.low ^ (key.high * 0x9e3779b97f4a7c15u)) * 0xd6e8feb86659fd93u;
    hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93u;
    std::size_t at = (hash ^ hash >> 32) & (table_.size() - 1);
    while (!(table_[at].key == key) && !(table_[at].key == Key{})) at = (at + 1) & (table_.size() - 1);
    return table_[at];
}

void Optimal::remember(const Key& key, int wins, bool exact) {
    Entry& entry = find(key);
    const bool fresh = entry.key == Key{};
    if (fresh && used_ >= most_states_) {
        gave_up_ = true;
        return;
    }
    entry = {key, wins, exact};
    if (!fresh || ++used_ * 3 < table_.size() * 2) return;
    std::vector<Entry> old(table_.size() * 2);
    old.swap(table_);
    for (const Entry& one : old)
        if (!(one.key == Key{})) find(one.key) = one;
}

}  // namespace mines
