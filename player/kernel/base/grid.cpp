#include "base/grid.hpp"

#include <utility>

namespace mines {
namespace {

using Marks = std::vector<std::uint8_t>;

bool is_marked(std::uint8_t mark) { return mark != 0; }

Marks without_zeros(Marks holes) {
    if (std::none_of(holes.begin(), holes.end(), is_marked)) holes.clear();
    return holes;
}

std::vector<int> other_cells(const Marks& holes) {
    std::vector<int> cells;
    for (std::size_t cell = 0; cell < holes.size(); ++cell)
        if (holes[cell] == 0) cells.push_back(static_cast<int>(cell));
    return cells;
}

}  // namespace

Grid::Grid(int new_rows, int new_cols, int new_kind, Marks new_holes)
    : rows(new_rows),
      cols(new_cols),
      kind(new_kind),
      holes(without_zeros(std::move(new_holes))),
      cells(other_cells(holes)),
      is_rectangle(kind == kSquares && holes.empty()) {}

const char* Grid::objection(std::int64_t rows, std::int64_t cols, int kind, const Marks& holes) {
    if (rows < 1 || rows > kMaxSide || cols < 1 || cols > kMaxSide) return "sides of 1 to 4000 cells";
    const int lacking = kind / kLacking;
    bool is_kind = kind >= 0 && lacking < 255 && kind % kLacking < (lacking == 0 ? 2 : 1) * kHexagons;
    for (int k = 0; k < kNeighbours; ++k) is_kind &= (lacking >> k & 1) == (lacking >> (7 - k) & 1);
    if (!is_kind) return "a kind of 0 to 7, or from 256 on of cells that lack pairs of opposite neighbours";
    if (!holes.empty() && static_cast<std::int64_t>(holes.size()) != rows * cols)
        return "a byte for each cell, 1 for a hole";
    if (kind == kSquares && std::none_of(holes.begin(), holes.end(), is_marked)) return nullptr;
    if (rows * cols > kMostCells) return "at most 1000000 cells on a grid that is no rectangle";
    if (((kind & kWrapRows) != 0 && rows < kShortestWrap) || ((kind & kWrapCols) != 0 && cols < kShortestWrap))
        return "at least 5 cells in sides that meet";
    if ((kind & kHexagons) != 0 && (kind & kWrapRows) != 0 && rows % 2 != 0)
        return "an even number of rows of hexagons that meet";
    if (!holes.empty() && std::all_of(holes.begin(), holes.end(), is_marked))
        return "at least one cell that is no hole";
    return nullptr;
}

const Topology& Grid::topology() const {
    std::call_once(made_, [this] {
        const Places numbers = places();
        topology_.steps.resize(numbers.places());
        topology_.pair_steps.resize(numbers.places());
        topology_.mask.assign(numbers.places(), 0);
        for (int cell = 0; cell < size(); ++cell) {
            const Index i = numbers.from_number(cell);
            const auto step_to = [&](int other) { return other < 0 ? -i : numbers.from_number(other) - i; };
            for (int k = 0; k < kNeighbours; ++k) {
                const int near = neighbour(cell, k);
                topology_.steps[i][k] = step_to(near);
                if (near >= 0) topology_.mask[i] |= static_cast<std::uint8_t>(1 << k);
            }
            for (int d = 0; d < kPairs; ++d)
                topology_.pair_steps[i][d] = step_to(cell_at(cell, pair_row(d), pair_col(d)));
        }
    });
    return topology_;
}

}  // namespace mines
