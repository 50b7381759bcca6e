#include "search/endgame.hpp"

#include <algorithm>
#include <numeric>

#include "base/interrupt.hpp"
#include "search/choices.hpp"

namespace mines {
namespace {

constexpr int kClues = Layouts::kClues;
// From this number of layouts on, cells are tried in the order of their upper bounds, and only a few of them if the
// search is selective.
constexpr int kMany = 50;
constexpr std::size_t kFew = 4;
// Limit on the depth of recursion. A level takes up to 0.6 KiB of stack, and threads may have only 128 KiB.
constexpr int kMostDepth = 100;
constexpr int kMaxSet = 64;  // bits of a word
constexpr std::size_t kTableSize = std::size_t{1} << 16;

}  // namespace

void Endgame::restart(std::int64_t budget, bool selective) {
    budget_ = budget;
    selective_ = selective;
    nodes_ = 0;
    gave_up_ = false;
    best_column_ = 0;
    table_.resize(kTableSize);
    used_.assign(kTableSize / 64, 0);
    if (levels_.empty()) levels_.resize(1);
    layouts_.finish();
    levels_[0].ids.resize(layouts());
    std::iota(levels_[0].ids.begin(), levels_[0].ids.end(), Id{0});
}

bool Endgame::solve(std::int64_t budget, bool selective) {
    restart(budget, selective);
    wins_ = win(levels_[0].ids.data(), static_cast<int>(layouts()), 0, 1);
    return !gave_up_;
}

bool Endgame::solve_each(std::int64_t budget, std::vector<int>& wins) {
    restart(budget, false);
    const int count = static_cast<int>(layouts());
    const Id* const ids = levels_[0].ids.data();
    std::vector<Id> parted;
    wins.assign(layouts_.cells(), -1);
    for (std::size_t word = 0; word < layouts_.words(); ++word) {
        const Layouts::Shown shown = layouts_.shown_in(ids, count, word);
        for (std::uint64_t bits = shown.mines & shown.various; bits != 0; bits &= bits - 1) {
            const int c = static_cast<int>(word * 64) + lowest_bit(bits);
            const Split parts = split(ids, count, c, parted);
            wins[c] = 0;
            for (const auto& [first, size] : parts) wins[c] += win(first, size, 0, 2);
        }
    }
    return !gave_up_;
}

// Return the entry of these layouts in the table, or the entry to overwrite.
std::size_t Endgame::slot(std::uint64_t key) const {
    // Four entries for each key; the last one is overwritten if all are used.
    std::size_t at = key % kTableSize;
    for (int probe = 0; probe < 3; ++probe, at = (at + 1) % kTableSize)
        if (!used(at) || table_[at].key == key) return at;
    return at;
}

// Return the entry of these layouts if it answers whether `need` of them can be won, else null.
const Endgame::Entry* Endgame::known(std::uint64_t key, int need) const {
    const std::size_t at = slot(key);
    if (!used(at)) return nullptr;
    const Entry& known = table_[at];
    const bool answers = known.exact != 0 || static_cast<int>(known.wins) < need;
    return known.key == key && answers ? &known : nullptr;
}

void Endgame::remember(std::uint64_t key, int wins, bool exact) {
    if (gave_up_) return;
    const std::size_t at = slot(key);
    used_[at / 64] |= std::uint64_t{1} << at % 64;
    table_[at] = {key, static_cast<std::uint32_t>(wins), exact ? 1u : 0u};
}

// Count a node and prepare its level; return false beyond the budget or the depth.
bool Endgame::enter_node(int depth) {
    check_interrupt();
    gave_up_ |= ++nodes_ > budget_ || depth > kMostDepth;
    if (levels_.size() <= static_cast<std::size_t>(depth)) levels_.resize(static_cast<std::size_t>(depth) + 8);
    return !gave_up_;
}

// Return an upper bound on the layouts that can be won.
int Endgame::bound(const Id* ids, int count) const { return count == 2 ? pair(ids[0], ids[1]) : count; }

bool Endgame::same_in_all(int column, const Id* ids, int count) const {
    const std::uint8_t* const shown = layouts_.shown(column);
    return std::all_of(ids, ids + count, [&](Id id) { return shown[id] == shown[ids[0]]; });
}

// Return an upper bound on the layouts that can be won, among `of_these`: all if some safe cell distinguishes them,
// else those in which the safest cell is no mine.
int Endgame::upper_bound(const Id* ids, int count, const std::vector<Layouts::Shown>& of_these) const {
    if (count <= 2) return bound(ids, count);
    int least = count;
    for (std::size_t word = 0; word < layouts_.words(); ++word) {
        const BitTally mines = layouts_.mines_in(ids, count, word);
        const std::uint64_t mined = mines.any();
        for (std::uint64_t bits = of_these[word].various & ~mined; bits != 0; bits &= bits - 1)
            if (!same_in_all(static_cast<int>(word * 64) + lowest_bit(bits), ids, count)) return count;
        if (mined != 0) least = std::min(least, mines.least(mined));
    }
    return count - least;
}

// Return the number of layouts that the best play wins if it is at least `need`, else an upper bound below `need`.
int Endgame::win(const Id* ids, int count, int need, int depth) {
    if (count == 2 && depth > 1) return pair(ids[0], ids[1]);
    if (count <= 1 || gave_up_) return count;
    std::uint64_t key = 0;
    for (int i = 0; i < count; ++i) key += layouts_.hash(ids[i]);
    if (const Entry* const answer = known(key, need)) return static_cast<int>(answer->wins);
    // A selective search of many layouts skips cells, which a search of a small set does not.
    if (depth > 1 && count <= kMaxSet && !(selective_ && count >= kMany)) {
        start_set(ids, count);
        return search_set(~std::uint64_t{0} >> (64 - count), count, need, depth, key);
    }
    if (!enter_node(depth)) return 0;
    check_interrupt_now();
    list_cells(ids, count, depth);
    bool exact = true;
    const int wins = levels_[depth].safe_cells.empty() ? guess(ids, count, need, depth, exact)
                                                       : open_safe(ids, count, need, depth, exact);
    remember(key, wins, exact);
    return wins;
}

// List the cells that distinguish some layouts: those that are safe in all, or else those that may be safe.
void Endgame::list_cells(const Id* ids, int count, int depth) {
    Level& level = levels_[depth];
    level.safe_cells.clear();
    level.options.clear();
    level.shown.clear();
    for (std::size_t word = 0; word < layouts_.words(); ++word) {
        level.shown.push_back(layouts_.shown_in(ids, count, word));
        for (std::uint64_t bits = level.shown[word].various & ~level.shown[word].mines; bits != 0; bits &= bits - 1)
            level.safe_cells.push_back(static_cast<int>(word * 64) + lowest_bit(bits));
    }
    if (!level.safe_cells.empty()) return;
    for (std::size_t word = 0; word < layouts_.words(); ++word) {
        const BitTally mines = layouts_.mines_in(ids, count, word);
        BitTally clues;
        for (const std::uint64_t cells : level.shown[word].clues) clues.add(cells);
        for (std::uint64_t bits = level.shown[word].various; bits != 0; bits &= bits - 1) {
            const int bit = lowest_bit(bits);
            level.options.push_back({static_cast<int>(word * 64) + bit, count - mines.of(bit), clues.of(bit)});
        }
    }
}

// Sort layouts by the values they show in all safe cells. Signatures are uniform, so their highest bits place nearly
// all of them correctly.
void Endgame::sort_by_signature(const Id* ids, int count, Level& level) {
    const auto size = static_cast<std::size_t>(count);
    signatures_.assign(size, 0);
    for (const int c : level.safe_cells) {
        const std::uint8_t* const shown = layouts_.shown(c);
        for (std::size_t i = 0; i < size; ++i)
            signatures_[i] = (signatures_[i] ^ std::uint64_t{1} << shown[ids[i]]) * 0x9e3779b97f4a7c15u;
    }
    int shift = 63;
    while (size >> (64 - shift) != 0) --shift;
    places_.assign((std::size_t{1} << (64 - shift)) + 1, 0);
    for (const std::uint64_t signature : signatures_) ++places_[(signature >> shift) + 1];
    std::partial_sum(places_.begin(), places_.end(), places_.begin());
    std::vector<std::pair<std::uint64_t, Id>>& sorted = level.signatures;
    sorted.resize(size);
    for (std::size_t i = 0; i < size; ++i) sorted[places_[signatures_[i] >> shift]++] = {signatures_[i], ids[i]};
    for (std::size_t i = 1; i < size; ++i) {
        const std::pair<std::uint64_t, Id> one = sorted[i];
        std::size_t at = i;
        for (; at > 0 && sorted[at - 1].first > one.first; --at) sorted[at] = sorted[at - 1];
        sorted[at] = one;
    }
    if (level.ids.size() < size) level.ids.resize(size);
    for (std::size_t i = 0; i < size; ++i) level.ids[i] = sorted[i].second;
}

// Opening safe cells has no risk: open all of them at once.
int Endgame::open_safe(const Id* ids, int count, int need, int depth, bool& exact) {
    if (depth == 1) best_column_ = levels_[depth].safe_cells.front();
    sort_by_signature(ids, count, levels_[depth]);
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

// Split the layouts by what the cell shows. Each part grows at both ends, so that a layout need not wait until the one
// before it is stored.
Endgame::Split Endgame::split(const Id* ids, int count, int column, std::vector<Id>& out) const {
    const std::uint8_t* const shown = layouts_.shown(column);
    const auto room = static_cast<std::size_t>(count);
    if (out.size() < 2 * room * (kClues + 1)) out.resize(2 * room * (kClues + 1));
    std::array<Id*, kClues + 1> firsts;
    for (std::size_t v = 0; v < firsts.size(); ++v) firsts[v] = out.data() + (2 * v + 1) * room;
    std::array<Id*, kClues + 1> ends = firsts;
    int i = 0;
    for (; i + 2 <= count; i += 2) {
        *ends[shown[ids[i]]]++ = ids[i];
        *--firsts[shown[ids[i + 1]]] = ids[i + 1];
    }
    if (i < count) *ends[shown[ids[i]]]++ = ids[i];
    Split parts;
    for (std::size_t v = 0; v < parts.size(); ++v) parts[v] = {firsts[v], static_cast<int>(ends[v] - firsts[v])};
    return parts;
}

// Try the cells that may be mines, the most promising first.
int Endgame::guess(const Id* ids, int count, int need, int depth, bool& exact) {
    std::vector<Option>& options = levels_[depth].options;
    for (Option& option : options) {
        option.upper_bound = option.safe;
        option.evaluated = count < kMany || option.safe < need;
    }
    const std::size_t tried = selective_ && count >= kMany ? std::min(options.size(), kFew) : options.size();
    // Deeper levels may reallocate levels_.
    const auto option = [&](std::size_t o) -> const Option& { return levels_[depth].options[o]; };
    return best_choice(
        tried, need, exact, [&](std::size_t o) { return gave_up_ ? 0 : next_option(ids, count, depth, o).upper_bound; },
        [&](std::size_t o, int enough) { return win_after(option(o).column, ids, count, enough, depth); },
        [&](std::size_t o) {
            if (depth == 1) best_column_ = option(o).column;
        });
}

// Move the most promising of options `from` and later to the front. Bounds only decrease when computed, so compute them
// only for options that may come first.
const Endgame::Option& Endgame::next_option(const Id* ids, int count, int depth, std::size_t from) {
    Level& level = levels_[depth];
    const auto first = level.options.begin() + static_cast<std::ptrdiff_t>(from);
    while (true) {
        const auto best = std::min_element(first, level.options.end(), [](const Option& a, const Option& b) {
            return a.upper_bound != b.upper_bound ? a.upper_bound > b.upper_bound
                   : a.safe != b.safe             ? a.safe > b.safe
                   : a.clues != b.clues           ? a.clues > b.clues
                                                  : a.column < b.column;
        });
        if (best->evaluated) {
            std::iter_swap(first, best);
            return *first;
        }
        best->evaluated = true;
        best->upper_bound = 0;
        const Split parts = split(ids, count, best->column, level.ids);
        for (int v = 0; v < kClues; ++v) best->upper_bound += upper_bound(parts[v].first, parts[v].second, level.shown);
    }
}

// Return the value of `win` if this cell is opened first.
int Endgame::win_after(int column, const Id* ids, int count, int need, int depth) {
    const Split parts = split(ids, count, column, levels_[depth].ids);
    int possible = 0;
    std::array<std::pair<int, int>, kClues> by_size;  // size, clue
    std::size_t part_count = 0;
    for (int v = 0; v < kClues; ++v) {
        const auto [first, size] = parts[v];
        possible += bound(first, size);
        if (size > 2) by_size[part_count++] = {size, v};
    }
    return win_parts(by_size.data(), part_count, possible, need,
                     [&](int v, int size, int enough) { return win(parts[v].first, size, enough, depth + 1); });
}

// Start a small set of layouts.
void Endgame::start_set(const Id* ids, int count) {
    set_ids_ = ids;
    set_size_ = count;
    set_hashes_.clear();
    for (int i = 0; i < count; ++i) set_hashes_.push_back(layouts_.hash(ids[i]));
    columns_.resize(layouts_.cells());
    columns_known_.assign(layouts_.words(), 0);
}

// Return the column of a cell, which is computed on first use.
const Endgame::Column& Endgame::column_of(int cell) {
    Column& column = columns_[cell];
    std::uint64_t& known = columns_known_[cell / 64];
    if ((known >> cell % 64 & 1) != 0) return column;
    known |= std::uint64_t{1} << cell % 64;
    const std::uint8_t* const shown = layouts_.shown(cell);
    // Even and odd layouts apart: a layout need not wait until the one before it is stored.
    std::array<std::uint64_t, kClues + 1> even{};
    std::array<std::uint64_t, kClues + 1> odd{};
    int i = 0;
    for (; i + 2 <= set_size_; i += 2) {
        even[shown[set_ids_[i]]] |= std::uint64_t{1} << i;
        odd[shown[set_ids_[i + 1]]] |= std::uint64_t{2} << i;
    }
    if (i < set_size_) even[shown[set_ids_[i]]] |= std::uint64_t{1} << i;
    column.mines = even[Layouts::kMine] | odd[Layouts::kMine];
    column.kinds = 0;
    for (int v = 0; v < kClues; ++v)
        if (const std::uint64_t set = even[v] | odd[v]; set != 0) column.sets[column.kinds++] = set;
    return column;
}

// `pair` for the two layouts in a set.
int Endgame::pair(std::uint64_t set) const {
    return pair(set_ids_[lowest_bit(set)], set_ids_[lowest_bit(set & (set - 1))]);
}

// `win` for a subset.
int Endgame::win_in_set(std::uint64_t set, int count, int need, int depth) {
    if (count == 2) return pair(set);
    if (count <= 1 || gave_up_) return count;
    std::uint64_t key = 0;
    for (std::uint64_t bits = set; bits != 0; bits &= bits - 1) key += set_hashes_[lowest_bit(bits)];
    if (const Entry* const answer = known(key, need)) return static_cast<int>(answer->wins);
    return search_set(set, count, need, depth, key);
}

int Endgame::search_set(std::uint64_t set, int count, int need, int depth, std::uint64_t key) {
    if (!enter_node(depth)) return 0;
    list_set_cells(set, depth);
    bool exact = true;
    int wins = 1;
    if (!levels_[depth].safe_cells.empty()) {
        wins = open_safe_in_set(set, count, need, depth, exact);
    } else if (!levels_[depth].options.empty()) {
        wins = guess_in_set(set, need, depth, exact);
    }
    remember(key, wins, exact);
    return wins;
}

// List the cells that distinguish some layouts: those that are safe in all, or else those that may be safe. A cell that
// shows the same clue wherever it is safe can wait; see list_options in optimal.cpp.
void Endgame::list_set_cells(std::uint64_t set, int depth) {
    std::vector<int>& safe_cells = levels_[depth].safe_cells;
    std::vector<Option>& options = levels_[depth].options;
    safe_cells.clear();
    options.clear();
    for (std::size_t word = 0; word < layouts_.words(); ++word) {
        const Layouts::Shown shown = layouts_.shown_in(set_ids_, set, word);
        const int first = static_cast<int>(word * 64);
        for (std::uint64_t bits = shown.clues_differ & ~shown.mines; bits != 0; bits &= bits - 1)
            safe_cells.push_back(first + lowest_bit(bits));
        if (!safe_cells.empty()) continue;
        for (std::uint64_t bits = shown.clues_differ & shown.mines; bits != 0; bits &= bits - 1) {
            const int cell = first + lowest_bit(bits);
            options.push_back({cell, count_bits(set & ~column_of(cell).mines)});
        }
    }
}

// Split the layouts by all cells that are safe in them.
int Endgame::open_safe_in_set(std::uint64_t set, int count, int need, int depth, bool& exact) {
    std::vector<std::uint64_t>& parts = levels_[depth].sets;
    parts.assign(1, set);
    for (const int c : levels_[depth].safe_cells) {
        const Column& column = column_of(c);
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
    // Deeper levels may reallocate levels_.
    for (std::size_t p = 0; p < levels_[depth].sets.size(); ++p) {
        const std::uint64_t part = levels_[depth].sets[p];
        const int size = count_bits(part);
        const int others = possible - size;
        possible = others + win_in_set(part, size, need - others, depth + 1);
        exact = possible >= need;
        if (!exact) break;
    }
    return possible;
}

int Endgame::guess_in_set(std::uint64_t set, int need, int depth, bool& exact) {
    std::vector<Option>& options = levels_[depth].options;
    std::sort(options.begin(), options.end(), [](const Option& a, const Option& b) {
        return a.safe != b.safe ? a.safe > b.safe : a.column < b.column;
    });
    // Deeper levels may reallocate levels_.
    const auto option = [&](std::size_t o) -> const Option& { return levels_[depth].options[o]; };
    return best_choice(
        options.size(), need, exact, [&](std::size_t o) { return gave_up_ ? 0 : option(o).safe; },
        [&](std::size_t o, int enough) { return win_after(column_of(option(o).column), set, enough, depth); },
        [](std::size_t) {});
}

// Return the value of `win_in_set` if this cell is opened first.
int Endgame::win_after(const Column& column, std::uint64_t set, int need, int depth) {
    std::array<std::pair<int, std::uint64_t>, kClues> parts;
    std::size_t part_count = 0;
    int possible = 0;
    for (int k = 0; k < column.kinds; ++k) {
        const std::uint64_t part = column.sets[k] & set;
        if (part == 0) continue;
        const int size = count_bits(part);
        possible += size == 2 ? pair(part) : size;
        if (size > 2) parts[part_count++] = {size, part};
    }
    return win_parts(parts.data(), part_count, possible, need, [&](std::uint64_t part, int size, int enough) {
        return win_in_set(part, size, enough, depth + 1);
    });
}

}  // namespace mines
