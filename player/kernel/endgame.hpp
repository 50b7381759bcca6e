// The rest of a game, solved: when few layouts are left, the game tree over them tells which cell to open for the best
// chance of winning, not only of surviving.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "grid.hpp"

namespace mines {

class Endgame {
  public:
    // Start anew, on these unknown cells. Their clues must depend on no other unknown cell.
    void begin(const Grid& grid, const std::vector<Index>& cells);

    // Add a layout: one byte for each cell, 1 for a mine. No layout twice; at most 65535 of them.
    void add(const std::uint8_t* mines);

    std::size_t layouts() const { return count_; }

    // Solve the game over all layouts, each equally likely. False if that takes more than `budget` nodes. A selective
    // search tries only the few most promising cells where many layouts are left; it may miss the best by a little.
    bool solve(std::int64_t budget, bool selective);

    // Find for every cell in how many layouts play wins that opens this cell first and then goes on perfectly; -1 where
    // that is certainly safe or certainly a mine. False if it takes more than `budget` nodes.
    bool solve_each(std::int64_t budget, std::vector<int>& wins);

    // After `solve`: in how many layouts the best play wins, and the cell it opens first.
    int wins() const { return wins_; }
    Index best() const { return cells_[best_column_]; }
    Index cell(std::size_t column) const { return cells_[column]; }
    std::int64_t nodes() const { return nodes_; }

  private:
    using Id = std::uint16_t;
    using Code = std::uint16_t;  // bit v: shows clue v; bit 9: a mine

    struct Entry {
        std::uint64_t key = 0;
        std::uint32_t stamp = 0;
        std::uint32_t wins : 31;
        std::uint32_t exact : 1;  // else `wins` is only known not to be less than the truth
    };
    struct Option {
        int column;
        int safe;
        int clues;
        int promise;
    };
    static constexpr int kMineBit = 9;
    using Split = std::array<int, kMineBit + 2>;  // where the layouts of each code start, and where the last end

    // A cell in a handful of layouts; a set of them is a word, one bit each.
    struct Column {
        std::uint64_t mines;
        int kinds;                                 // so many clues
        std::array<std::uint64_t, kMineBit> sets;  // for each of them, the layouts in which it is shown
    };

    const std::uint8_t* bits_of(int column) const { return bits_.data() + static_cast<std::size_t>(column) * count_; }
    const Code* row(Id id) const { return codes_.data() + static_cast<std::size_t>(id) * stride_; }
    int pair(Id a, Id b) const;
    int bound(const Id* ids, int count) const;
    int promise(const Id* ids, int count);
    void tally(const Id* ids, int count, std::vector<Code>& seen, std::vector<std::uint16_t>& mines) const;
    Split split(const Id* ids, int count, int column, std::vector<Id>& out) const;

    void restart(std::int64_t budget, bool selective);
    int win(const Id* ids, int count, int need, int depth);
    int open_free(const Id* ids, int count, int need, int depth, bool& exact);
    int guess(const Id* ids, int count, int need, int depth, bool& exact);
    int win_after(int column, const Id* ids, int count, int need, int depth);
    Entry& entry(std::uint64_t key);
    const Entry* known(std::uint64_t key, int need);
    void remember(std::uint64_t key, int wins, bool exact);
    bool spend_node(int depth);

    void take_handful(const Id* ids, int count);
    int win_handful(std::uint64_t set, int count, int need, int depth);
    int search_handful(std::uint64_t set, int count, int need, int depth, std::uint64_t key);
    void survey_handful(std::uint64_t set, int depth);
    int open_free_handful(std::uint64_t set, int count, int need, int depth, bool& exact);
    int guess_handful(std::uint64_t set, int need, int depth, bool& exact);
    int win_after(const Column& column, std::uint64_t set, int need, int depth);
    int pair(std::uint64_t set) const;

    const Grid* grid_ = nullptr;
    std::vector<Index> cells_;
    std::vector<int> near_first_, near_;  // per cell: its neighbours among the cells
    std::size_t stride_ = 0;              // codes in a row
    std::size_t count_ = 0;
    std::vector<Code> codes_;
    std::vector<std::uint8_t> bits_;      // the numbers of the codes' bits, column by column
    std::vector<std::uint64_t> names_;  // a random word per layout; a set of layouts is named by their sum
    int wins_ = 0;
    int best_column_ = 0;
    std::int64_t nodes_ = 0;
    std::int64_t budget_ = 0;
    bool selective_ = false;
    bool given_up_ = false;
    std::vector<Code> promise_seen_;
    std::vector<std::uint16_t> promise_mines_;
    std::vector<Entry> table_;
    std::uint32_t stamp_ = 0;

    // Scratch for one level of the tree.
    struct Level {
        std::vector<Code> seen;
        std::vector<std::uint16_t> mines;
        std::vector<int> free;
        std::vector<Option> options;
        std::vector<Id> ids;
        std::vector<std::pair<std::uint64_t, Id>> signatures;
        std::vector<std::uint64_t> sets;
    };
    std::vector<Level> levels_;
    std::vector<Column> columns_;  // of the handful: cells that are not the same in all of them
    std::vector<std::uint64_t> handful_names_;
};

}  // namespace mines
