// Find the easiest deduction: the cells that follow, and the clues that show why.
#include <array>
#include <cstdio>
#include <minesweeper.hpp>

int main() {
    const std::array<int8_t, 10> cells{-1, 1, 2, 1, -1, -1, -1, -1, -1, -1}; // as the player sees them, -1 for hidden
    const mines::Grid grid(2, 5);
    mines::Kernel kernel;
    const auto hint = mines::find_hint(kernel, grid, 2, cells);
    if (!hint) return 1;
    for (int cell = 0; cell < grid.size(); ++cell)
        std::printf(cell % 5 == 4 ? "%c\n" : "%c", ".sm*"[hint->parts[cell]]); // safe, a mine, a clue
    std::printf("%s %d %d\n", hint->why.name, hint->why.clue, hint->why.other);
}
