#include "endgame.hpp"

#include <algorithm>
#include <functional>

#include "pulse.hpp"
#include "random.hpp"

namespace mines {
namespace {

constexpr unsigned kMineCode = 1u << 9;
constexpr std::size_t kLanes = 16;
// With so many layouts, cells are tried in the order of their promise, and only a few of them if the search is
// selective.
constexpr int kMany = 50;
constexpr std::size_t kFew = 4;
constexpr std::size_t kTableSize = std::size_t{1} << 16;

bool same_in_all(unsigned seen) { return (seen & (seen - 1)) == 0; }

}  // namespace

void Endgame::begin(const Grid& grid, const std::vector<Index>& cells) {
    grid_ = &grid;
    cells_ = cells;
    stride_ = (cells.size() + kLanes - 1) / kLanes * kLanes;
    count_ = 0;
    codes_.clear();
    near_first_.assign(1, 0);
    near_.clear();
    for (const Index cell : cells_) {
        for (const int step : grid.step) {
            const auto at = std::find(cells_.begin(), cells_.end(), cell + step);
            if (at != cells_.end()) near_.push_back(static_cast<int>(at - cells_.begin()));
        }
        near_first_.push_back(static_cast<int>(near_.size()));
    }
}

void Endgame::add(const std::uint8_t* mines) {
    codes_.resize((count_ + 1) * stride_, 0);
    Code* codes = codes_.data() + count_ * stride_;
    for (std::size_t c = 0; c < cells_.size(); ++c) {
        int clue = 0;
        for (int i = near_first_[c]; i < near_first_[c + 1]; ++i) clue += mines[near_[i]];
        codes[c] = static_cast<Code>(mines[c] ? kMineCode : 1u << clue);
    }
    if (count_ == names_.size()) names_.push_back(Words(count_, 0).next());
    ++count_;
}

void Endgame::restart(std::int64_t budget, bool selective) {
    budget_ = budget;
    selective_ = selective;
    nodes_ = 0;
    given_up_ = false;
    best_column_ = 0;
    if (table_.empty()) table_.resize(kTableSize);
    if (++stamp_ == 0) {
        std::fill(table_.begin(), table_.end(), Entry{});
        stamp_ = 1;
    }
    if (levels_.empty()) levels_.resize(1);
    levels_[0].ids.resize(count_);
    for (std::size_t i = 0; i < count_; ++i) levels_[0].ids[i] = static_cast<Id>(i);
}

bool Endgame::solve(std::int64_t budget, bool selective) {
    restart(budget, selective);
    wins_ = win(levels_[0].ids.data(), static_cast<int>(count_), 1);
    return !given_up_;
}

bool Endgame::solve_each(std::int64_t budget, std::vector<int>& wins) {
    restart(budget, false);
    const int count = static_cast<int>(count_);
    std::vector<Code> seen;
    std::vector<std::uint16_t> mines;
    std::vector<Id> parted;
    tally(levels_[0].ids.data(), count, seen, mines);
    wins.assign(cells_.size(), -1);
    for (std::size_t c = 0; c < cells_.size(); ++c) {
        if (mines[c] == 0 || mines[c] == count) continue;
        const Split first = split(levels_[0].ids.data(), count, static_cast<int>(c), parted);
        wins[c] = 0;
        for (int v = 0; v < kMineBit; ++v) wins[c] += win(parted.data() + first[v], first[v + 1] - first[v], 2);
    }
    return !given_up_;
}

Endgame::Entry& Endgame::entry(std::uint64_t key) {
    // Four places for each key; the last one is given up if all are taken.
    std::size_t at = key & (kTableSize - 1);
    for (int probe = 0; probe < 3; ++probe, at = (at + 1) & (kTableSize - 1))
        if (table_[at].stamp != stamp_ || table_[at].key == key) return table_[at];
    return table_[at];
}

// Two layouts are both won if some cell is safe in both and tells them apart.
int Endgame::pair(Id a, Id b) const {
    const Code* left = row(a);
    const Code* right = row(b);
    unsigned apart = 0;
    for (std::size_t c = 0; c < stride_; ++c)
        apart |=
            static_cast<unsigned>(left[c] != right[c]) & static_cast<unsigned>(((left[c] | right[c]) & kMineCode) == 0);
    return apart ? 2 : 1;
}

// No more of these layouts can be won.
int Endgame::bound(const Id* ids, int count) const { return count == 2 ? pair(ids[0], ids[1]) : count; }

// At most so many of these layouts can be won: all if some safe cell tells them apart, else those in which the safest
// cell is no mine.
int Endgame::promise(const Id* ids, int count) {
    if (count <= 2) return bound(ids, count);
    tally(ids, count, promise_seen_, promise_mines_);
    int least = count;
    for (std::size_t c = 0; c < cells_.size(); ++c) {
        if (same_in_all(promise_seen_[c])) continue;
        least = std::min(least, static_cast<int>(promise_mines_[c]));
    }
    return count - least;
}

// What every cell shows in these layouts, and in how many it is a mine.
void Endgame::tally(const Id* ids, int count, std::vector<Code>& seen, std::vector<std::uint16_t>& mines) const {
    seen.assign(stride_, 0);
    mines.assign(stride_, 0);
    for (int i = 0; i < count; ++i) {
        const Code* codes = row(ids[i]);
        for (std::size_t c = 0; c < stride_; ++c) {
            seen[c] = static_cast<Code>(seen[c] | codes[c]);
            mines[c] = static_cast<std::uint16_t>(mines[c] + (codes[c] >> kMineBit));
        }
    }
}

// In how many of these layouts the best play wins.
int Endgame::win(const Id* ids, int count, int depth) {
    if (count == 2 && depth > 1) return pair(ids[0], ids[1]);
    if (count <= 1 || given_up_) return count;
    std::uint64_t key = 0;
    for (int i = 0; i < count; ++i) key += names_[ids[i]];
    {
        const Entry& known = entry(key);
        if (known.stamp == stamp_ && known.key == key) return known.wins;
    }
    slow_pulse();
    if (++nodes_ > budget_) {
        given_up_ = true;
        return 0;
    }
    if (levels_.size() <= static_cast<std::size_t>(depth)) levels_.resize(static_cast<std::size_t>(depth) + 8);

    std::vector<Code>& seen = levels_[depth].seen;
    std::vector<std::uint16_t>& mines = levels_[depth].mines;
    tally(ids, count, seen, mines);
    std::vector<int>& free = levels_[depth].free;
    std::vector<Option>& options = levels_[depth].options;
    free.clear();
    options.clear();
    for (std::size_t c = 0; c < cells_.size(); ++c) {
        if (same_in_all(seen[c])) continue;
        // There are nine clues, 0 to 8, one more than `popcount` counts.
        const int clues = popcount(seen[c] & 255) + (seen[c] >> 8 & 1);
        if ((seen[c] & kMineCode) == 0) {
            free.push_back(static_cast<int>(c));
        } else {
            options.push_back({static_cast<int>(c), count - mines[c], clues, 0});
        }
    }
    const int wins = free.empty() ? guess(ids, count, depth, options) : open_free(ids, count, depth, free);
    if (!given_up_) entry(key) = {key, stamp_, wins};
    return wins;
}

// Safe cells cost nothing: open all of them at once.
int Endgame::open_free(const Id* ids, int count, int depth, const std::vector<int>& columns) {
    if (depth == 1) best_column_ = columns[0];
    auto& signatures = levels_[depth].signatures;
    signatures.clear();
    for (int i = 0; i < count; ++i) {
        std::uint64_t signature = 0;
        const Code* codes = row(ids[i]);
        for (const int c : columns) signature = (signature ^ codes[c]) * 0x9e3779b97f4a7c15u;
        signatures.emplace_back(signature, ids[i]);
    }
    std::sort(signatures.begin(), signatures.end());
    levels_[depth].ids.resize(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) levels_[depth].ids[i] = signatures[i].second;
    int wins = 0;
    for (int from = 0; from < count;) {
        int to = from + 1;
        while (to < count && levels_[depth].signatures[to].first == levels_[depth].signatures[from].first) ++to;
        wins += win(levels_[depth].ids.data() + from, to - from, depth + 1);
        from = to;
    }
    return wins;
}

// The layouts in order of what the cell shows.
Endgame::Split Endgame::split(const Id* ids, int count, int column, std::vector<Id>& out) const {
    Split first{};
    for (int i = 0; i < count; ++i) ++first[lowest_bit(row(ids[i])[column]) + 1];
    for (int code = 0; code <= kMineBit; ++code) first[code + 1] += first[code];
    Split next = first;
    out.resize(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) out[next[lowest_bit(row(ids[i])[column])]++] = ids[i];
    return first;
}

// Try the cells that may be mines, the most promising first.
int Endgame::guess(const Id* ids, int count, int depth, std::vector<Option>& options) {
    for (Option& option : options) {
        option.promise = option.safe;
        if (count < kMany) continue;
        const Split first = split(ids, count, option.column, levels_[depth].ids);
        option.promise = 0;
        for (int v = 0; v < kMineBit; ++v)
            option.promise += promise(levels_[depth].ids.data() + first[v], first[v + 1] - first[v]);
    }
    std::sort(options.begin(), options.end(), [](const Option& a, const Option& b) {
        return a.promise != b.promise ? a.promise > b.promise
               : a.safe != b.safe     ? a.safe > b.safe
               : a.clues != b.clues   ? a.clues > b.clues
                                      : a.column < b.column;
    });
    if (selective_ && count >= kMany && options.size() > kFew) options.resize(kFew);
    int best = 0;
    for (std::size_t o = 0; o < levels_[depth].options.size(); ++o) {
        const Option option = levels_[depth].options[o];
        if (option.promise <= best || given_up_) break;
        const Split first = split(ids, count, option.column, levels_[depth].ids);
        int possible = 0;
        std::array<std::pair<int, int>, kMineBit> parts;  // size, clue
        int part_count = 0;
        for (int v = 0; v < kMineBit; ++v) {
            const int size = first[v + 1] - first[v];
            possible += bound(levels_[depth].ids.data() + first[v], size);
            if (size > 2) parts[part_count++] = {size, v};
        }
        // The larger a part, the more it may fall short.
        std::sort(parts.begin(), parts.begin() + part_count, std::greater<>());
        for (int p = 0; p < part_count && possible > best; ++p) {
            const auto [size, v] = parts[p];
            possible -= size - win(levels_[depth].ids.data() + first[v], size, depth + 1);
        }
        if (possible > best) {
            best = possible;
            if (depth == 1) best_column_ = option.column;
        }
    }
    return best;
}

}  // namespace mines
