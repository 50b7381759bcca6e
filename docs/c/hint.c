/* A hint for a position: the cells that follow, and the clues that prove it. */
#include <minesweeper.h>
#include <stdio.h>

int main(void) {
    const char* rows[] = {"#121#", "#####"}; /* as the player sees it */
    enum { ROWS = 2, COLS = 5, MINES = 2 };
    int8_t cells[ROWS * COLS];
    uint8_t parts[ROWS * COLS];
    double chances[ROWS * COLS], log_layouts;
    mines_hint hint;

    for (int cell = 0; cell < ROWS * COLS; ++cell) {
        const char shown = rows[cell / COLS][cell % COLS];
        cells[cell] = shown == '#' ? MINES_HIDDEN : (int8_t)(shown - '0');
    }
    mines_kernel* kernel = mines_new();
    mines_grid* grid = mines_grid_new(ROWS, COLS, MINES_RECTANGLE, NULL);
    mines_result result = mines_set_view(kernel, grid, MINES, cells);
    if (result == MINES_OK) result = mines_probabilities(kernel, NULL, chances, &log_layouts);
    if (result == MINES_OK) result = mines_find_hint(kernel, NULL, &hint, parts);
    mines_grid_free(grid);
    mines_free(kernel);
    if (result != MINES_OK) {
        fprintf(stderr, "%s\n", mines_error(result));
        return 1;
    }
    for (int cell = 0; cell < ROWS * COLS; ++cell) {
        if (cells[cell] == MINES_HIDDEN)
            printf(" %3.0f%%", 100 * chances[cell]);
        else
            printf("    %d", cells[cell]);
        putchar(" sm*"[parts[cell]]); /* safe, mine, clue of the proof */
        if (cell % COLS == COLS - 1) putchar('\n');
    }
    return 0;
}
