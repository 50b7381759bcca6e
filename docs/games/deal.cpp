// Make a board when the player clicks.
#include <cstdio>
#include <minesweeper.hpp>

int main() {
    const mines::Grid grid(16, 30);
    mines::Kernel kernel;
    const mines_recipe recipe{grid, 99, 3 * 30 + 20, 1, 7}; // 99 mines; the click opens a zero; 7 is the seed
    const auto board = mines::deal(kernel, grid, recipe);
    if (!board) return 1;
    for (int cell = 0; cell < grid.size(); ++cell)
        std::printf(cell % 30 == 29 ? "%c\n" : "%c", ".*"[board->mine[cell]]);
}
