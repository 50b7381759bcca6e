#include "endgame.hpp"

#include <algorithm>
#include <functional>

#include "choices.hpp"
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
constexpr int kHandful = 64;  // as many layouts as a word has bits
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
    bits_.resize(cells_.size() * count_);
    for (std::size_t i = 0; i < count_; ++i)
        for (std::size_t c = 0; c < cells_.size(); ++c)
            bits_[c * count_ + i] = static_cast<std::uint8_t>(lowest_bit(row(static_cast<Id>(i))[c]));
    levels_[0].ids.resize(count_);
    for (std::size_t i = 0; i < count_; ++i) levels_[0].ids[i] = static_cast<Id>(i);
}

bool Endgame::solve(std::int64_t budget, bool selective) {
    restart(budget, selective);
    wins_ = win(levels_[0].ids.data(), static_cast<int>(count_), 0, 1);
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
        for (int v = 0; v < kMineBit; ++v) wins[c] += win(parted.data() + first[v], first[v + 1] - first[v], 0, 2);
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

// What is known of these layouts, if that answers the question whether `need` of them can be won; else null.
const Endgame::Entry* Endgame::known(std::uint64_t key, int need) {
    const Entry& known = entry(key);
    const bool answers = known.exact != 0 || static_cast<int>(known.wins) < need;
    return known.stamp == stamp_ && known.key == key && answers ? &known : nullptr;
}

void Endgame::remember(std::uint64_t key, int wins, bool exact) {
    if (!given_up_) entry(key) = {key, stamp_, static_cast<std::uint32_t>(wins), exact ? 1u : 0u};
}

// Get ready for one more node; false if there have been too many.
bool Endgame::spend_node(int depth) {
    slow_pulse();
    given_up_ |= ++nodes_ > budget_;
    if (levels_.size() <= static_cast<std::size_t>(depth)) levels_.resize(static_cast<std::size_t>(depth) + 8);
    return !given_up_;
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

// In how many of these layouts the best play wins, if that is at least `need`; otherwise some number that is below
// `need` but not below the truth.
int Endgame::win(const Id* ids, int count, int need, int depth) {
    if (count == 2 && depth > 1) return pair(ids[0], ids[1]);
    if (count <= 1 || given_up_) return count;
    std::uint64_t key = 0;
    for (int i = 0; i < count; ++i) key += names_[ids[i]];
    if (const Entry* const answer = known(key, need)) return static_cast<int>(answer->wins);
    // A selective search of many layouts does not look at all cells, as one of a handful does.
    if (depth > 1 && count <= kHandful && !(selective_ && count >= kMany)) {
        take_handful(ids, count);
        return search_handful(~std::uint64_t{0} >> (64 - count), count, need, depth, key);
    }
    if (!spend_node(depth)) return 0;
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
    bool exact = true;
    const int wins = free.empty() ? guess(ids, count, need, depth, exact) : open_free(ids, count, need, depth, exact);
    remember(key, wins, exact);
    return wins;
}

// Safe cells cost nothing: open all of them at once.
int Endgame::open_free(const Id* ids, int count, int need, int depth, bool& exact) {
    const std::vector<int>& columns = levels_[depth].free;
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
    int possible = count;
    for (int from = 0; from < count;) {
        int to = from + 1;
        while (to < count && levels_[depth].signatures[to].first == levels_[depth].signatures[from].first) ++to;
        const int others = possible - (to - from);
        possible = others + win(levels_[depth].ids.data() + from, to - from, need - others, depth + 1);
        exact = possible >= need;
        if (!exact) break;
        from = to;
    }
    return possible;
}

// The layouts in order of what the cell shows.
Endgame::Split Endgame::split(const Id* ids, int count, int column, std::vector<Id>& out) const {
    const std::uint8_t* const bits = bits_of(column);
    Split first{};
    for (int i = 0; i < count; ++i) ++first[bits[ids[i]] + 1];
    for (int code = 0; code <= kMineBit; ++code) first[code + 1] += first[code];
    Split next = first;
    out.resize(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) out[next[bits[ids[i]]]++] = ids[i];
    return first;
}

// Try the cells that may be mines, the most promising first.
int Endgame::guess(const Id* ids, int count, int need, int depth, bool& exact) {
    std::vector<Option>& options = levels_[depth].options;
    for (Option& option : options) {
        option.promise = option.safe;
        if (count < kMany || option.safe < need) continue;
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
    // Deeper levels may move this one.
    const auto option = [&](std::size_t o) -> const Option& { return levels_[depth].options[o]; };
    return best_choice(
        options.size(), need, exact, [&](std::size_t o) { return given_up_ ? 0 : option(o).promise; },
        [&](std::size_t o, int enough) { return win_after(option(o).column, ids, count, enough, depth); },
        [&](std::size_t o) {
            if (depth == 1) best_column_ = option(o).column;
        });
}

// What `win` says of these layouts if this cell is opened first.
int Endgame::win_after(int column, const Id* ids, int count, int need, int depth) {
    const Split first = split(ids, count, column, levels_[depth].ids);
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
    for (int p = 0; p < part_count && possible >= need; ++p) {
        const auto [size, v] = parts[p];
        const int others = possible - size;
        possible = others + win(levels_[depth].ids.data() + first[v], size, need - others, depth + 1);
    }
    return possible;
}

// From here on, a handful of layouts: what each cell shows in them, by sets of layouts.
void Endgame::take_handful(const Id* ids, int count) {
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - count);
    handful_names_.clear();
    for (int i = 0; i < count; ++i) handful_names_.push_back(names_[ids[i]]);
    columns_.clear();
    for (std::size_t c = 0; c < cells_.size(); ++c) {
        std::array<std::uint64_t, kMineBit + 1> sets{};
        const std::uint8_t* const bits = bits_of(static_cast<int>(c));
        for (int i = 0; i < count; ++i) sets[bits[ids[i]]] |= std::uint64_t{1} << i;
        Column column{sets[kMineBit], 0, {}};
        for (int v = 0; v < kMineBit; ++v)
            if (sets[v] != 0) column.sets[column.kinds++] = sets[v];
        if (column.mines != all && column.sets[0] != all) columns_.push_back(column);
    }
}

// As `pair`, of the two layouts in a set.
int Endgame::pair(std::uint64_t set) const {
    for (const Column& column : columns_) {
        if ((column.mines & set) != 0) continue;
        int k = 0;
        while ((column.sets[k] & set) == 0) ++k;
        if ((column.sets[k] & set) != set) return 2;
    }
    return 1;
}

// As `win`.
int Endgame::win_handful(std::uint64_t set, int count, int need, int depth) {
    if (count == 2) return pair(set);
    if (count <= 1 || given_up_) return count;
    std::uint64_t key = 0;
    for (std::uint64_t bits = set; bits != 0; bits &= bits - 1) key += handful_names_[lowest_bit(bits)];
    if (const Entry* const answer = known(key, need)) return static_cast<int>(answer->wins);
    return search_handful(set, count, need, depth, key);
}

int Endgame::search_handful(std::uint64_t set, int count, int need, int depth, std::uint64_t key) {
    if (!spend_node(depth)) return 0;
    survey_handful(set, depth);
    bool exact = true;
    int wins = 1;
    if (!levels_[depth].free.empty()) {
        wins = open_free_handful(set, count, need, depth, exact);
    } else if (!levels_[depth].options.empty()) {
        wins = guess_handful(set, need, depth, exact);
    }
    remember(key, wins, exact);
    return wins;
}

// List the cells that tell some layouts apart: those that are safe in all, or else those that may be. A cell that shows
// the same clue wherever it is safe can wait; see list_options in optimal.cpp.
void Endgame::survey_handful(std::uint64_t set, int depth) {
    std::vector<int>& free = levels_[depth].free;
    std::vector<Option>& options = levels_[depth].options;
    free.clear();
    options.clear();
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        const Column& column = columns_[c];
        const std::uint64_t safe = set & ~column.mines;
        if (safe == 0) continue;
        int k = 0;
        while ((column.sets[k] & set) == 0) ++k;
        if ((column.sets[k] & set) == safe) continue;
        if (safe == set) {
            free.push_back(static_cast<int>(c));
        } else if (free.empty()) {
            options.push_back({static_cast<int>(c), count_bits(safe), 0, 0});
        }
    }
}

// Part the layouts by all cells that are safe in them.
int Endgame::open_free_handful(std::uint64_t set, int count, int need, int depth, bool& exact) {
    std::vector<std::uint64_t>& parts = levels_[depth].sets;
    parts.assign(1, set);
    for (const int c : levels_[depth].free) {
        const Column& column = columns_[c];
        for (std::size_t p = 0, last = parts.size(); p < last; ++p) {
            std::uint64_t left = parts[p];
            bool first = true;
            for (int k = 0; left != 0; ++k) {
                const std::uint64_t part = column.sets[k] & left;
                if (part == 0) continue;
                left &= ~part;
                if (first) {
                    parts[p] = part;
                } else {
                    parts.push_back(part);
                }
                first = false;
            }
        }
    }
    int possible = count;
    // Deeper levels may move this one.
    for (std::size_t p = 0; p < levels_[depth].sets.size(); ++p) {
        const std::uint64_t part = levels_[depth].sets[p];
        const int size = count_bits(part);
        const int others = possible - size;
        possible = others + win_handful(part, size, need - others, depth + 1);
        exact = possible >= need;
        if (!exact) break;
    }
    return possible;
}

int Endgame::guess_handful(std::uint64_t set, int need, int depth, bool& exact) {
    std::vector<Option>& options = levels_[depth].options;
    std::sort(options.begin(), options.end(), [](const Option& a, const Option& b) {
        return a.safe != b.safe ? a.safe > b.safe : a.column < b.column;
    });
    // Deeper levels may move this one.
    const auto option = [&](std::size_t o) -> const Option& { return levels_[depth].options[o]; };
    return best_choice(
        options.size(), need, exact, [&](std::size_t o) { return given_up_ ? 0 : option(o).safe; },
        [&](std::size_t o, int enough) { return win_after(columns_[option(o).column], set, enough, depth); },
        [](std::size_t) {});
}

// What `win_handful` says of these layouts if this cell is opened first.
int Endgame::win_after(const Column& column, std::uint64_t set, int need, int depth) {
    std::array<std::pair<int, std::uint64_t>, kMineBit> parts;
    std::size_t part_count = 0;
    int possible = 0;
    for (int k = 0; k < column.kinds; ++k) {
        const std::uint64_t part = column.sets[k] & set;
        if (part == 0) continue;
        const int size = count_bits(part);
        possible += size == 2 ? pair(part) : size;
        if (size > 2) parts[part_count++] = {size, part};
    }
    // The larger a part, the more it may fall short.
    std::sort(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(part_count), std::greater<>());
    for (std::size_t p = 0; p < part_count && possible >= need; ++p) {
        const auto [size, part] = parts[p];
        const int others = possible - size;
        possible = others + win_handful(part, size, need - others, depth + 1);
    }
    return possible;
}

}  // namespace mines
