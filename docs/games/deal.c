/* Make a board when the player clicks. */
#include <minesweeper.h>
#include <stdio.h>

int main(void) {
    enum { ROWS = 16, COLS = 30, MINES = 99, CLICK = 3 * COLS + 20 };
    uint8_t mine[ROWS * COLS]; /* 1 for a mine */
    mines_solution solution;
    mines_kernel* kernel = mines_new();
    mines_grid* grid = mines_grid_new(ROWS, COLS, MINES_RECTANGLE, NULL);
    const mines_recipe recipe = {grid, MINES, CLICK, 1, 7}; /* the click opens a zero; 7 is the seed */
    const mines_result result = mines_deal(kernel, &recipe, mine, &solution);
    for (int cell = 0; result == MINES_OK && cell < ROWS * COLS; ++cell)
        printf(cell % COLS == COLS - 1 ? "%c\n" : "%c", ".*"[mine[cell]]);
    mines_grid_free(grid);
    mines_free(kernel);
    return result;
}
