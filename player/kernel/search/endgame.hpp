// Exact solution of the rest of a game with few layouts: a game tree search for the cell with the highest win
// probability, not only the safest.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/field.hpp"
#include "search/layouts.hpp"

namespace mines {

class Endgame {
  public:
    // Start, then add the layouts one by one: see `Layouts`.
    void begin(const Field& field, const std::vector<Index>& cells) { layouts_.begin(field, cells); }
    void add(const std::uint8_t* mines) { layouts_.add(mines); }

    std::size_t layouts() const { return layouts_.count(); }
    // The mines of a layout among the first 64 cells, one bit each.
    std::uint64_t mines(std::size_t layout) const { return layouts_.mines(layout); }

    // Solve the game over all layouts, each equally likely. Returns false if that takes more than `budget` nodes or 100
    // levels. A selective search tries only the few most promising cells where many layouts are left, and may miss the
    // best by a little.
    bool solve(std::int64_t budget, bool selective);

    // Compute for every cell the number of layouts won by opening it first and then playing perfectly; -1 for cells
    // that are certainly safe or certainly mines. Returns false if that takes more than `budget` nodes.
    bool solve_each(std::int64_t budget, std::vector<int>& wins);

    // After `solve`: the number of layouts that the best play wins, and the cell it opens first.
    int wins() const { return wins_; }
    Index best() const { return layouts_.cell(static_cast<std::size_t>(best_column_)); }
    Index cell(std::size_t column) const { return layouts_.cell(column); }
    std::int64_t nodes() const { return nodes_; }

  private:
    using Id = Layouts::Id;

    struct Entry {
        std::uint64_t key = 0;
        std::uint32_t wins : 31;
        std::uint32_t exact : 1;  // otherwise `wins` is an upper bound
    };
    struct Option {
        int column;
        int safe;
        int clues = 0;
        int upper_bound = 0;
        bool evaluated = false;  // whether upper_bound was computed; it is larger otherwise
    };
    // Per clue: the layouts that show it, and their number.
    using Split = std::array<std::pair<const Id*, int>, Layouts::kClues>;

    // A cell in a small set of layouts, which is a word with one bit for each layout.
    struct Column {
        std::uint64_t mines;
        int kinds;                                        // number of different clues
        std::array<std::uint64_t, Layouts::kClues> sets;  // for each of them, the layouts that show it
    };

    int pair(Id a, Id b) const { return layouts_.distinguishable(a, b) ? 2 : 1; }
    int bound(const Id* ids, int count) const;
    bool same_in_all(int column, const Id* ids, int count) const;
    int upper_bound(const Id* ids, int count, const std::vector<Layouts::Shown>& of_these) const;
    Split split(const Id* ids, int count, int column, std::vector<Id>& out) const;

    void restart(std::int64_t budget, bool selective);
    int win(const Id* ids, int count, int need, int depth);
    void list_cells(const Id* ids, int count, int depth);
    int open_safe(const Id* ids, int count, int need, int depth, bool& exact);
    int guess(const Id* ids, int count, int need, int depth, bool& exact);
    const Option& next_option(const Id* ids, int count, int depth, std::size_t from);
    int win_after(int column, const Id* ids, int count, int need, int depth);
    std::size_t slot(std::uint64_t key) const;
    bool used(std::size_t slot) const { return (used_[slot / 64] >> slot % 64 & 1) != 0; }
    const Entry* known(std::uint64_t key, int need) const;
    void remember(std::uint64_t key, int wins, bool exact);
    bool enter_node(int depth);

    void start_set(const Id* ids, int count);
    const Column& column_of(int cell);
    int win_in_set(std::uint64_t set, int count, int need, int depth);
    int search_set(std::uint64_t set, int count, int need, int depth, std::uint64_t key);
    void list_set_cells(std::uint64_t set, int depth);
    int open_safe_in_set(std::uint64_t set, int count, int need, int depth, bool& exact);
    int guess_in_set(std::uint64_t set, int need, int depth, bool& exact);
    int win_after(const Column& column, std::uint64_t set, int need, int depth);
    int pair(std::uint64_t set) const;

    Layouts layouts_;
    int wins_ = 0;
    int best_column_ = 0;
    std::int64_t nodes_ = 0;
    std::int64_t budget_ = 0;
    bool selective_ = false;
    bool gave_up_ = false;
    std::vector<Entry> table_;
    std::vector<std::uint64_t> used_;  // one bit for each entry: most lookups fail

    // Scratch memory for one level of the tree.
    struct Level {
        std::vector<Layouts::Shown> shown;
        std::vector<int> safe_cells;
        std::vector<Option> options;
        std::vector<Id> ids;
        std::vector<std::pair<std::uint64_t, Id>> signatures;
        std::vector<std::uint64_t> sets;
    };
    void sort_by_signature(const Id* ids, int count, Level& level);

    std::vector<Level> levels_;
    std::vector<std::uint64_t> signatures_;  // used by sort_by_signature
    std::vector<std::size_t> places_;
    // The layouts of the small set.
    const Id* set_ids_ = nullptr;
    int set_size_ = 0;
    std::vector<std::uint64_t> set_hashes_;
    std::vector<Column> columns_;               // per cell
    std::vector<std::uint64_t> columns_known_;  // the cells whose columns are computed, one bit each
};

}  // namespace mines
