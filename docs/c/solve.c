/* Solve positions from standard input: what is certain, the probabilities of mines, and the easiest deduction.
 * A position is a line, ROWS COLS KIND MINES CELLS, with a clue 0 to 8, # for a hidden cell or - for a hole. The
 * result is a line. */
#include <minesweeper.h>
#include <stdio.h>
#include <stdlib.h>

static void put_marks(const uint8_t* marks, int size) {
    for (int cell = 0; cell < size; ++cell) putchar('0' + marks[cell]);
}

int main(void) {
    mines_kernel* kernel = mines_new();
    int32_t rows, cols, kind, mines;
    while (scanf("%d%d%d%d", &rows, &cols, &kind, &mines) == 4) {
        const int size = rows * cols;
        int8_t* cells = malloc((size_t)size);
        uint8_t *known = malloc((size_t)size), *parts = malloc((size_t)size), *holes = malloc((size_t)size);
        double *chances = malloc((size_t)size * sizeof *chances), log_layouts;
        mines_hint hint = {0, 0, 0, 0};
        char shown;
        for (int cell = 0; cell < size && scanf(" %c", &shown) == 1; ++cell) {
            holes[cell] = shown == '-';
            cells[cell] = shown == '#' ? MINES_HIDDEN : holes[cell] ? 0 : (int8_t)(shown - '0');
        }
        mines_grid* grid = mines_grid_new(rows, cols, kind, holes);
        mines_result result = mines_set_view(kernel, grid, mines, cells);
        if (!result) result = mines_closure(kernel, known);
        if (!result) result = mines_probabilities(kernel, NULL, chances, &log_layouts);
        if (!result) result = mines_find_hint(kernel, NULL, &hint, parts);
        if (!result || result == MINES_NONE) {
            put_marks(known, size);
            printf(" %.12f %d ", log_layouts, hint.tier);
            if (hint.tier) put_marks(parts, size);
            for (int cell = 0; cell < size; ++cell)
                if (cells[cell] == MINES_HIDDEN) printf(" %.12f", chances[cell]);
            putchar('\n');
        } else {
            puts(mines_error(result));
        }
        mines_grid_free(grid);
        free(cells), free(known), free(parts), free(holes), free(chances);
    }
    return mines_free(kernel);
}
