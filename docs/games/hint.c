/* Find the easiest deduction: the cells that follow, and the clues that show why. */
#include <minesweeper.h>
#include <stdio.h>

int main(void) {
    const int8_t cells[10] = {-1, 1, 2, 1, -1, -1, -1, -1, -1, -1}; /* as the player sees them, -1 for a hidden one */
    uint8_t parts[10];
    mines_hint hint;
    mines_sentence why;
    mines_kernel* kernel = mines_new();
    mines_grid* grid = mines_grid_new(2, 5, MINES_RECTANGLE, NULL);
    mines_result result = mines_set_view(kernel, grid, 2, cells);
    if (result == MINES_OK) result = mines_find_hint(kernel, NULL, &hint, parts);
    if (result == MINES_OK) result = mines_explain(kernel, 0, &why);
    for (int cell = 0; result == MINES_OK && cell < 10; ++cell)
        printf(cell % 5 == 4 ? "%c\n" : "%c", ".sm*"[parts[cell]]); /* safe, a mine, a clue */
    if (result == MINES_OK) printf("%s %d %d\n", why.name, why.clue, why.other);
    mines_grid_free(grid);
    mines_free(kernel);
    return result;
}
