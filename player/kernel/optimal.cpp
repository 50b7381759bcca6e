#include "optimal.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "bits.hpp"
#include "choices.hpp"

namespace mines {
namespace {

constexpr unsigned kMineCode = 1u << 9;
constexpr unsigned kHiddenDigit = 15;
constexpr std::size_t kLanes = 16;
constexpr std::size_t kFirstTableSize = std::size_t{1} << 12;

int bit_count(std::uint32_t bits) {
    int count = 0;
    for (; bits != 0; bits &= bits - 1) ++count;
    return count;
}

}  // namespace

Optimal::Optimal(int rows, int cols, std::size_t most_states, std::function<void()> poll)
    : cells_(rows * cols),
      stride_((static_cast<std::size_t>(cells_) + kLanes - 1) / kLanes * kLanes),
      most_states_(most_states),
      poll_(std::move(poll)),
      table_(kFirstTableSize) {
    for (int cell = 0; cell < cells_; ++cell) {
        std::uint32_t near = 0;
        for (int other = 0; other < cells_; ++other)
            if (other != cell && std::abs(other / cols - cell / cols) <= 1 && std::abs(other % cols - cell % cols) <= 1)
                near |= std::uint32_t{1} << other;
        near_.push_back(near);
    }
    for (int symmetry = 0; symmetry < (rows == cols ? 8 : 4); ++symmetry) {
        std::vector<int> goes;
        for (int cell = 0; cell < cells_; ++cell) {
            int r = cell / cols, c = cell % cols;
            if (symmetry & 1) r = rows - 1 - r;
            if (symmetry & 2) c = cols - 1 - c;
            if (symmetry & 4) std::swap(r, c);
            goes.push_back(r * cols + c);
        }
        symmetries_.push_back(goes);
    }
}

void Optimal::load(const std::vector<std::uint32_t>& layouts) {
    codes_.assign(layouts.size() * stride_, 0);
    for (std::size_t i = 0; i < layouts.size(); ++i)
        for (int cell = 0; cell < cells_; ++cell)
            codes_[i * stride_ + static_cast<std::size_t>(cell)] = static_cast<Code>(
                layouts[i] >> cell & 1 ? kMineCode
                                       : 1u << bit_count(layouts[i] & near_[static_cast<std::size_t>(cell)]));
    all_.resize(layouts.size());
    for (std::size_t i = 0; i < all_.size(); ++i) all_[i] = static_cast<Id>(i);
    given_up_ = false;
}

bool Optimal::solve(const std::vector<std::uint32_t>& layouts) {
    load(layouts);
    wins_ = win(all_.data(), static_cast<int>(all_.size()), 0, 0);
    return !given_up_;
}

bool Optimal::choose(const std::vector<std::uint32_t>& layouts) {
    load(layouts);
    const int count = static_cast<int>(all_.size());
    if (levels_.empty()) levels_.resize(1);
    survey(all_.data(), count, 0);
    list_options(count, 0);
    const std::vector<int>& free = levels_[0].free;
    const std::vector<std::int32_t>& mines = levels_[0].mines;
    if (!free.empty()) {
        best_ = free.front();
        wins_ = open_free(all_.data(), count, 0, 0);
    } else if (!levels_[0].options.empty()) {
        bool exact = false;
        wins_ = guess(all_.data(), count, 0, 0, exact);
    } else {
        // Nothing tells the layouts apart: one of them is won, by any cell that may be a mine and need not be.
        wins_ = 1;
        best_ = 0;
        for (int cell = 0; cell < cells_; ++cell) {
            const std::int32_t here = mines[static_cast<std::size_t>(cell)],
                               least = mines[static_cast<std::size_t>(best_)];
            if (here > 0 && (here < least || least == 0)) best_ = cell;
        }
    }
    return !given_up_;
}

// Two layouts are both won if some cell is safe in both and tells them apart.
int Optimal::pair(Id a, Id b) const {
    const Code* left = row(a);
    const Code* right = row(b);
    for (std::size_t c = 0; c < stride_; ++c)
        if (left[c] != right[c] && ((left[c] | right[c]) & kMineCode) == 0) return 2;
    return 1;
}

// What every cell shows in these layouts, in how many it is a mine, and which cells are safe in all and tell some
// apart.
void Optimal::survey(const Id* ids, int count, std::size_t depth) {
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
    std::vector<int>& free = levels_[depth].free;
    free.clear();
    for (int cell = 0; cell < cells_; ++cell) {
        const unsigned all = seen[static_cast<std::size_t>(cell)];
        if ((all & kMineCode) == 0 && (all & (all - 1)) != 0) free.push_back(cell);
    }
}

// The cells worth guessing.
//
// A cell that shows the same clue wherever it is safe tells nothing, and can wait. Let a plan that wins two layouts
// or more open it first: it must tell those layouts apart by another cell, and the same plan that starts with that
// cell, and opens the ones that tell nothing at its end, wins the same layouts. A plan that wins one is no better
// than opening any cell. So such cells are left out; if there are no others, no two layouts can be told apart.
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

// In how many of these layouts the best play wins, if that is at least `need`; otherwise some number that is below
// `need` but not below the truth.
//
// All cells that are safe in every layout are opened first. Nothing is lost by that: whoever opens such a cell can go
// on as if it were hidden, and open what the other plan would have opened, seeing the same. And once no such cell can
// tell the layouts apart, the state is named by its open cells and their clues: those are the cells that are safe in
// every layout, so two ways to the same layouts meet in the same name.
int Optimal::win(const Id* ids, int count, int need, std::size_t depth) {
    if (count == 2) return pair(ids[0], ids[1]);
    if (count < 2 || given_up_) return count;
    if (levels_.size() <= depth) levels_.resize(depth + 8);
    survey(ids, count, depth);
    if (!levels_[depth].free.empty()) return open_free(ids, count, need, depth);

    const Key name = key(levels_[depth].seen);
    const Entry& known = find(name);
    if (known.key == name && (known.exact || known.wins < need)) return known.wins;
    if ((++visited_ & 1023) == 0) poll_();

    list_options(count, depth);
    bool exact = true;
    const int wins = levels_[depth].options.empty() ? 1 : guess(ids, count, need, depth, exact);
    if (!given_up_) remember(name, wins, exact);
    return wins;
}

int Optimal::open_free(const Id* ids, int count, int need, std::size_t depth) {
    auto& signatures = levels_[depth].signatures;
    signatures.clear();
    for (int i = 0; i < count; ++i) {
        // At most 16 clues of 4 bits make a name; the cells beyond are opened in the next call.
        std::uint64_t signature = 0;
        const std::vector<int>& free = levels_[depth].free;
        for (std::size_t f = 0; f < std::min<std::size_t>(free.size(), 16); ++f)
            signature = signature << 4 | static_cast<unsigned>(lowest_bit(row(ids[i])[free[f]]));
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
    std::sort(parts.begin(), parts.end(), std::greater<>());
    int possible = count;
    for (const auto& [size, from] : parts) {
        possible -= size - win(levels_[depth].ids.data() + from, size, need - (possible - size), depth + 1);
        if (possible < need) break;
    }
    return possible;
}

int Optimal::guess(const Id* ids, int count, int need, std::size_t depth, bool& exact) {
    std::vector<Option>& options = levels_[depth].options;
    std::sort(options.begin(), options.end(), [](const Option& a, const Option& b) {
        return a.safe != b.safe ? a.safe > b.safe : a.cell < b.cell;
    });
    // Deeper levels may move this one.
    const auto option = [&](std::size_t o) -> const Option& { return levels_[depth].options[o]; };
    return best_choice(
        options.size(), need, exact, [&](std::size_t o) { return option(o).safe; },
        [&](std::size_t o, int enough) { return win_after(option(o).cell, ids, count, enough, depth); },
        [&](std::size_t o) {
            if (depth == 0) best_ = option(o).cell;
        });
}

// What `win` says of these layouts if this cell is opened first.
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
    // The larger a part, the more it may fall short.
    std::sort(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(part_count), std::greater<>());
    for (std::size_t p = 0; p < part_count && possible >= need; ++p) {
        const auto [size, from] = parts[p];
        const int others = possible - size;
        possible = others + win(levels_[depth].ids.data() + from, size, need - others, depth + 1);
    }
    return possible;
}

// Write the layouts to `out` in the order of what the cell shows; returns where those of each code start.
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

// The smallest among the symmetries of the open clues, one hexadecimal digit a cell.
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

// The place of a key, or the empty one where it belongs. No key is zero: some cell is hidden.
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
        given_up_ = true;
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
