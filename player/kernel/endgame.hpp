// The rest of a game, solved: when few layouts are left, the game tree over them tells which cell to open for the best
// chance of winning, not only of surviving.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "grid.hpp"
#include "layouts.hpp"

namespace mines {

class Endgame {
  public:
    // Start anew, and be told of the layouts one by one: see `Layouts`.
    void begin(const Grid& grid, const std::vector<Index>& cells) { layouts_.begin(grid, cells); }
    void add(const std::uint8_t* mines) { layouts_.add(mines); }

    std::size_t layouts() const { return layouts_.count(); }

    // Solve the game over all layouts, each equally likely. False if that takes more than `budget` nodes. A selective
    // search tries only the few most promising cells where many layouts are left; it may miss the best by a little.
    bool solve(std::int64_t budget, bool selective);

    // Find for every cell in how many layouts play wins that opens this cell first and then goes on perfectly; -1 where
    // that is certainly safe or certainly a mine. False if it takes more than `budget` nodes.
    bool solve_each(std::int64_t budget, std::vector<int>& wins);

    // After `solve`: in how many layouts the best play wins, and the cell it opens first.
    int wins() const { return wins_; }
    Index best() const { return layouts_.cell(static_cast<std::size_t>(best_column_)); }
    Index cell(std::size_t column) const { return layouts_.cell(column); }
    std::int64_t nodes() const { return nodes_; }

  private:
    using Id = Layouts::Id;

    struct Entry {
        std::uint64_t key = 0;
        std::uint32_t wins : 31;
        std::uint32_t exact : 1;  // else `wins` is only known not to be less than the truth
    };
    struct Option {
        int column;
        int safe;
        int clues = 0;
        int promise = 0;
        bool weighed = false;  // whether the promise was worked out; else it is not more than this
    };
    // Per clue: the layouts in which it is shown, and how many they are.
    using Split = std::array<std::pair<const Id*, int>, Layouts::kClues>;

    // A cell in a handful of layouts; a set of them is a word, one bit each.
    struct Column {
        std::uint64_t mines;
        int kinds;                                        // so many clues
        std::array<std::uint64_t, Layouts::kClues> sets;  // for each of them, the layouts in which it is shown
    };

    int pair(Id a, Id b) const { return layouts_.told_apart(a, b) ? 2 : 1; }
    int bound(const Id* ids, int count) const;
    bool same_in_all(int column, const Id* ids, int count) const;
    int promise(const Id* ids, int count, const std::vector<Layouts::Shown>& of_these) const;
    Split split(const Id* ids, int count, int column, std::vector<Id>& out) const;

    void restart(std::int64_t budget, bool selective);
    int win(const Id* ids, int count, int need, int depth);
    void survey(const Id* ids, int count, int depth);
    int open_free(const Id* ids, int count, int need, int depth, bool& exact);
    int guess(const Id* ids, int count, int need, int depth, bool& exact);
    const Option& next_option(const Id* ids, int count, int depth, std::size_t from);
    int win_after(int column, const Id* ids, int count, int need, int depth);
    std::size_t place(std::uint64_t key) const;
    bool taken(std::size_t place) const { return (taken_[place / 64] >> place % 64 & 1) != 0; }
    const Entry* known(std::uint64_t key, int need) const;
    void remember(std::uint64_t key, int wins, bool exact);
    bool spend_node(int depth);

    void take_handful(const Id* ids, int count);
    void complete_handful();
    void add_columns(std::size_t word, std::uint64_t cells);
    int win_handful(std::uint64_t set, int count, int need, int depth);
    int search_handful(std::uint64_t set, int count, int need, int depth, std::uint64_t key);
    void survey_handful(std::uint64_t set, int depth);
    int open_free_handful(std::uint64_t set, int count, int need, int depth, bool& exact);
    int guess_handful(std::uint64_t set, int need, int depth, bool& exact);
    int win_after(const Column& column, std::uint64_t set, int need, int depth);
    int pair(std::uint64_t set) const;

    Layouts layouts_;
    int wins_ = 0;
    int best_column_ = 0;
    std::int64_t nodes_ = 0;
    std::int64_t budget_ = 0;
    bool selective_ = false;
    bool given_up_ = false;
    std::vector<Entry> table_;
    std::vector<std::uint64_t> taken_;  // one bit for each place: most that is asked for is not there

    // Scratch for one level of the tree.
    struct Level {
        std::vector<Layouts::Shown> shown;
        std::vector<int> free;
        std::vector<Option> options;
        std::vector<Id> ids;
        std::vector<std::pair<std::uint64_t, Id>> signatures;
        std::vector<std::uint64_t> sets;
    };
    void sort_by_signature(const Id* ids, int count, Level& level);

    std::vector<Level> levels_;
    std::vector<std::uint64_t> signatures_;  // while sorting
    std::vector<std::size_t> places_;
    // Of the handful: its layouts, and the cells that are not the same in all of them.
    const Id* handful_ = nullptr;
    int handful_count_ = 0;
    std::vector<std::uint64_t> handful_names_;
    std::vector<Column> columns_;
    std::vector<std::uint64_t> handful_rest_;  // cells of which there is no column yet, one bit each
};

}  // namespace mines
