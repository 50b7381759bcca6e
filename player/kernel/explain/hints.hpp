// The easiest next deduction of a view, in the order of player/why/reasons.py.
#pragma once

#include <vector>

#include "explain/path.hpp"
#include "explain/rules.hpp"

namespace mines {

// Cells that follow in the same way, by number. The reason is for `cell`.
struct Hint {
    int tier = 0;  // 0 if nothing follows
    bool smallest = true;
    int cell = 0;
    bool mine = false;
    std::vector<int> safe;
    std::vector<int> mines;
    std::vector<int> clues;
};

class HintFinder {
  public:
    // Find the easiest next deduction. The cells of `given` count as known; the view and these cells fit some layout.
    Fit easiest(const View& view, const CellBytes& given, Hint& out);

    // Find the steps of the solution path of a view, until its closure is known.
    Fit path(const View& view, std::vector<Hint>& out);

  private:
    bool few_clues(const Grid& grid, const View& view, Hint& out);
    Fit find_path(const View& view, const CellBytes& given, std::size_t most_steps);
    void list_step(std::size_t step, const Grid& grid, std::vector<Hint>& out) const;

    PathFinder finder_;
    Path path_;
};

}  // namespace mines
