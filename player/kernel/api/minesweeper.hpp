/* minesweeper.h for C++20: handles that free themselves, and the two calls of a game. Handles convert to the pointers
 * that all functions of the header take. Nothing here throws but std::bad_alloc. */
#ifndef MINESWEEPER_HPP
#define MINESWEEPER_HPP

#include <minesweeper.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace mines {

/* The cells of a board. It converts to false if there is no grid of these sides and this kind. */
class Grid {
  public:
    Grid(int rows, int cols, int kind = MINES_RECTANGLE, const std::uint8_t* holes = nullptr)
        : grid_(mines_grid_new(rows, cols, kind, holes)), size_(rows * cols) {}
    operator const mines_grid*() const { return grid_.get(); }
    int size() const { return size_; }

  private:
    struct Free {
        void operator()(mines_grid* grid) const { mines_grid_free(grid); }
    };
    std::unique_ptr<mines_grid, Free> grid_;
    int size_;
};

/* It takes one call at a time, so each thread has its own. */
class Kernel {
  public:
    operator mines_kernel*() const { return kernel_.get(); }

  private:
    struct Free {
        void operator()(mines_kernel* kernel) const { mines_free(kernel); }
    };
    std::unique_ptr<mines_kernel, Free> kernel_{mines_new()};
};

struct Puzzle {
    std::vector<std::uint8_t> mine; /* 1 for a mine */
    mines_solution solution;
};

/* Make a board of a recipe that logic solves: see mines_deal. Returns nothing if there is none, or mines_on_progress
 * ended the search. */
inline std::optional<Puzzle> deal(const Kernel& kernel, const Grid& grid, const mines_recipe& recipe) {
    Puzzle found{std::vector<std::uint8_t>(grid.size()), {}};
    if (mines_deal(kernel, &recipe, found.mine.data(), &found.solution) != MINES_OK) return std::nullopt;
    return found;
}

struct Hint {
    mines_hint step;
    mines_sentence why;
    std::vector<std::uint8_t> parts; /* of each cell: MINES_IN_SAFE, ..., or 0 */
};

/* Find the easiest deduction of a view; nothing if none follows, or the view is not valid. `given` are cells that count
 * as known, MINES_SAFE or MINES_MINE, or nothing. */
inline std::optional<Hint> find_hint(const Kernel& kernel, const Grid& grid, int mines,
                                     std::span<const std::int8_t> cells, std::span<const std::uint8_t> given = {}) {
    Hint found{{}, {}, std::vector<std::uint8_t>(cells.size())};
    const bool fits = static_cast<int>(cells.size()) == grid.size() && (given.empty() || given.size() == cells.size());
    if (!fits || mines_set_view(kernel, grid, mines, cells.data()) != MINES_OK ||
        mines_find_hint(kernel, given.data(), &found.step, found.parts.data()) != MINES_OK ||
        mines_explain(kernel, 0, &found.why) != MINES_OK)
        return std::nullopt;
    return found;
}

}  // namespace mines
#endif
