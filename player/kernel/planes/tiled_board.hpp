// Deductions of tiers 1 and 2 on boards that are larger than words, or whose sides meet. Each part has one word a row,
// and shares its decided cells with the parts around it.
#pragma once

#include <memory>
#include <vector>

#include "base/interrupt.hpp"
#include "planes/word_board.hpp"

namespace mines {
namespace {

// Whether a board needs no parts.
inline bool fits_words(const Grid& grid) {
    return grid.is_rectangle && grid.rows <= kMaxBitBoardSide && grid.cols <= kMaxBitBoardSide;
}

#ifndef MINES_SMALL

class TiledBoard final : public BitBoard {
  public:
    explicit TiledBoard(const Grid& grid) : down_(grid.rows), across_(grid.cols) {
        for (int row = 0; row < down_.count; ++row)
            for (int col = 0; col < across_.count; ++col) tiles_.push_back(make_tile(grid, row, col));
    }

    void load(const Puzzle& puzzle) override {
        safe_cells_ = opened_ = decided_ = 0;
        for (Tile& tile : tiles_) {
            check();
            tile.board->hide(puzzle);
            for (int r = 0; r < tile.board->rows(); ++r) tile.shared[r] = tile.board->unknown(r);
        }
        safe_cells_ = puzzle.grid->size();
        for (const std::uint8_t mine : puzzle.mine) safe_cells_ -= mine;
        reveal(puzzle.click / puzzle.grid->cols, puzzle.click % puzzle.grid->cols);
        settle([](Words& board) { board.open_zeros(); });
        first_opening_ = opened_;
        for (std::size_t i = 0; i < tiles_.size(); ++i) enqueue(static_cast<int>(i));
    }

    void reveal(int row, int col) override {
        const int index = down_.part_of(row) * across_.count + across_.part_of(col);
        Tile& tile = tiles_[index];
        tile.board->reveal(row - tile.board->part().top, col - tile.board->part().left);
        enqueue(index);
        share(tile);
    }

    void one_clue() override {
        settle([](Words& board) { board.one_clue(); });
    }

    int two_clues() override {
        // All parts first: a round uses none of its own deductions.
        const int before = decided_;
        for (std::size_t i = 0; i < tiles_.size(); ++i)
            if (tiles_[i].board->two_clues() != 0) enqueue(static_cast<int>(i));
        const std::vector<int> changed = waiting_;
        for (const int index : changed) share(tiles_[index]);
        return decided_ - before;
    }

    bool all_open() const override { return opened_ == safe_cells_; }
    int opened() const override { return opened_; }
    int first_opening() const override { return first_opening_; }
    int mines_seen() const override {
        int seen = 0;
        for (const Tile& tile : tiles_) seen += tile.board->mines_seen();
        return seen;
    }

    void snapshot(Snapshots& seen) const override {
        seen.resize(tiles_.size());
        for (std::size_t i = 0; i < seen.size(); ++i) tiles_[i].board->snapshot(seen[i]);
    }

    void restore(const Snapshots& seen) override {
        opened_ = decided_ = 0;
        for (std::size_t i = 0; i < tiles_.size(); ++i) {
            Tile& tile = tiles_[i];
            tile.board->restore(seen[i]);
            for (int r = 0; r < tile.board->rows(); ++r) {
                tile.shared[r] = tile.board->unknown(r);
                opened_ += count_own(tile, r, tile.board->open(r));
            }
        }
    }

  private:
    using Words = WordBoard<std::uint64_t, kHalo>;

    // A side divided evenly into parts that have room for their halo: only neighbours have cells in common.
    struct Side {
        explicit Side(int length) : cells(length), count((length - 1) / (kMaxBitBoardSide - 2 * kHalo) + 1) {}
        int start(int part) const { return part * cells / count; }
        int part_of(int cell) const { return ((cell + 1) * count - 1) / cells; }
        int cells, count;
    };

    // Cell (r, c) of a part with its halo is cell (r + down, c + right) of another, or of itself.
    struct Link {
        int tile, down, right;
    };

    struct Tile {
        std::unique_ptr<Words> board;
        std::vector<Link> links;
        std::uint64_t shared[kMaxBitBoardSide] = {};  // the unknown cells when it last shared
        bool waits = false;                           // in `waiting_`
    };

    Tile make_tile(const Grid& grid, int row, int col) const {
        Tile tile;
        const int top = down_.start(row), left = across_.start(col);
        tile.board = std::make_unique<Words>(
            Part(grid, top, left, down_.start(row + 1) - top, across_.start(col + 1) - left, kHalo));
        for (int i = row - 1; i <= row + 1; ++i) {
            for (int j = col - 1; j <= col + 1; ++j) {
                const int over_rows = i < 0 ? -1 : i / down_.count, over_cols = j < 0 ? -1 : j / across_.count;
                if ((i == row && j == col) || (over_rows != 0 && (grid.kind & kWrapRows) == 0) ||
                    (over_cols != 0 && (grid.kind & kWrapCols) == 0))
                    continue;
                const int other_row = i - over_rows * down_.count, other_col = j - over_cols * across_.count;
                tile.links.push_back({other_row * across_.count + other_col,
                                      top - down_.start(other_row) - over_rows * grid.rows,
                                      left - across_.start(other_col) - over_cols * grid.cols});
            }
        }
        return tile;
    }

    // Called for each part, which takes some microseconds.
    void check() {
        if ((++checks_ & 15) == 0) check_interrupt_now();
    }

    void enqueue(int index) {
        if (!tiles_[index].waits) waiting_.push_back(index);
        tiles_[index].waits = true;
    }

    // Run a rule on all parts with news, until nothing follows.
    template <class Rule>
    void settle(Rule rule) {
        while (!waiting_.empty()) {
            check();
            Tile& tile = tiles_[waiting_.back()];
            waiting_.pop_back();
            tile.waits = false;
            rule(*tile.board);
            share(tile);
        }
    }

    // Decide the cells of this part also in those around it.
    void share(Tile& tile) {
        for (int r = 0; r < tile.board->rows(); ++r) {
            const std::uint64_t decided = tile.shared[r] & ~tile.board->unknown(r);
            if (decided == 0) continue;
            tile.shared[r] &= ~decided;
            const std::uint64_t safe = decided & tile.board->open(r);
            count(tile, r, decided, safe);
            for (const Link& link : tile.links) {
                Tile& other = tiles_[link.tile];
                const int row = r + link.down;
                if (row < 0 || row >= other.board->rows()) continue;
                const std::uint64_t opened = moved(safe, link.right);
                const std::uint64_t news = other.board->learn(row, opened, moved(decided & ~safe, link.right));
                if (news == 0) continue;
                other.shared[row] &= ~news;
                count(other, row, news, news & opened);
                enqueue(link.tile);
            }
        }
    }

    void count(const Tile& tile, int row, std::uint64_t decided, std::uint64_t safe) {
        decided_ += count_own(tile, row, decided);
        opened_ += count_own(tile, row, safe);
    }
    static int count_own(const Tile& tile, int row, std::uint64_t cells) {
        const bool own = row >= kHalo && row < kHalo + tile.board->part().rows;
        return own ? count_bits(cells & tile.board->part().own()) : 0;
    }

    static std::uint64_t moved(std::uint64_t cells, int right) {
        if (right <= -64 || right >= 64) return 0;
        return right < 0 ? cells >> -right : cells << right;
    }

    Side down_, across_;
    std::vector<Tile> tiles_;
    std::vector<int> waiting_;
    unsigned checks_ = 0;
    int safe_cells_ = 0, opened_ = 0, decided_ = 0, first_opening_ = 0;
};

#endif

inline BitBoard* new_word_board(const Grid& grid) {
#ifndef MINES_SMALL
    if (!fits_words(grid)) return new TiledBoard(grid);
#endif
    const Part whole(grid);
#ifndef MINES_SMALL
    if (grid.cols <= 16) return new WordBoard<std::uint16_t>(whole);
    if (grid.cols <= 32) return new WordBoard<std::uint32_t>(whole);
#endif
    return new WordBoard<std::uint64_t>(whole);
}

}  // namespace
}  // namespace mines
