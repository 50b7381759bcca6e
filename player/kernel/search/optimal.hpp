// Best play on a small board: an exact search over all states of knowledge of the player. Independent of Endgame, so
// that each can verify the other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/grid.hpp"

namespace mines {

class Optimal {
  public:
    static constexpr int kMostCells = 32;

    Optimal(const Grid& grid, std::size_t most_states);

    // Solve the game in which each of these layouts is equally likely (bit i: cell i, row by row, is a mine). The
    // layouts are distinct, have equally many mines and number at most 2^31 - 1. Returns false if more than
    // `most_states` states would be stored.
    bool solve(const std::vector<std::uint32_t>& layouts);

    // Solve it and find a cell that best play opens next. There must be a layout.
    bool choose(const std::vector<std::uint32_t>& layouts);

    // After `solve` or `choose`: the number of layouts that best play wins.
    std::int64_t wins() const { return wins_; }
    // After `choose`: the number of the cell, row by row.
    int best() const { return best_; }
    // States stored since construction. Later calls with the same number of mines reuse them.
    std::size_t states() const { return used_; }

  private:
    using Id = std::uint32_t;
    using Code = std::uint16_t;  // bit v: shows clue v; bit kMineBit: a mine
    static constexpr int kMineBit = 9;
    using Split = std::array<int, kMineBit + 2>;  // index of the first layout of each code, and the end

    struct Key {
        std::uint64_t low = 0;
        std::uint64_t high = 0;
        bool operator==(const Key& other) const { return low == other.low && high == other.high; }
        bool operator<(const Key& other) const { return high != other.high ? high < other.high : low < other.low; }
    };
    struct Entry {
        Key key;
        std::int32_t wins = 0;
        bool exact = false;  // otherwise `wins` is an upper bound
    };
    struct Option {
        int cell;
        int safe;
    };
    struct Level {
        std::vector<Code> seen;
        std::vector<std::int32_t> mines;
        std::vector<int> safe_cells;
        std::vector<Option> options;
        std::vector<Id> ids;
        std::vector<std::pair<std::uint64_t, Id>> signatures;
    };

    const Code* row(Id id) const { return codes_.data() + static_cast<std::size_t>(id) * stride_; }
    int pair(Id a, Id b) const;
    int bound(const Id* ids, int count) const { return count == 2 ? pair(ids[0], ids[1]) : count; }
    bool keeps_neighbours(const std::vector<int>& goes) const;
    void load(const std::vector<std::uint32_t>& layouts);
    void list_cells(const Id* ids, int count, std::size_t depth);
    void list_options(int count, std::size_t depth);
    int win(const Id* ids, int count, int need, std::size_t depth);
    int open_safe(const Id* ids, int count, int need, std::size_t depth);
    int guess(const Id* ids, int count, int need, std::size_t depth, bool& exact);
    int win_after(int cell, const Id* ids, int count, int need, std::size_t depth);
    Split split(int cell, const Id* ids, int count, std::vector<Id>& out) const;
    Key key(const std::vector<Code>& seen) const;
    Entry& find(const Key& key);
    void remember(const Key& key, int wins, bool exact);

    int cells_;
    std::size_t stride_;
    std::size_t most_states_;
    std::vector<std::uint32_t> near_;           // per cell: itself and its neighbours, or nothing
    std::vector<std::vector<int>> symmetries_;  // per symmetry: the image of each cell
    std::vector<Code> codes_;
    std::vector<Id> all_;  // the layouts
    std::vector<Level> levels_;
    std::vector<Entry> table_;
    std::size_t used_ = 0;
    std::int64_t wins_ = 0;
    int best_ = 0;
    bool gave_up_ = false;
};

}  // namespace mines
