/* Solve positions from standard input: what is certain, the probabilities of mines, and the easiest deduction.
 * A position is a line, ROWS COLS KIND MINES CELLS, with a clue 0 to 8, # for a hidden cell or - for a hole. The
 * result is a line. */
#include <minesweeper.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong(const char* why) {
    fprintf(stderr, "%s; expected lines ROWS COLS KIND MINES CELLS, such as 2 5 0 2 #121######\n", why);
    return 2;
}

static void put_marks(const uint8_t* marks, int size) {
    for (int cell = 0; cell < size; ++cell) putchar('0' + marks[cell]);
}

int main(void) {
    mines_kernel* kernel = mines_new();
    int32_t rows, cols, kind, mines;
    int read;
    while ((read = scanf("%d%d%d%d", &rows, &cols, &kind, &mines)) == 4) {
        if (rows < 1 || cols < 1 || rows > 4000 || cols > 4000) return wrong("invalid size");
        const int size = rows * cols;
        int8_t* cells = malloc((size_t)size);
        uint8_t *known = malloc((size_t)size), *parts = malloc((size_t)size), *holes = malloc((size_t)size);
        double *chances = malloc((size_t)size * sizeof *chances), log_layouts;
        mines_hint hint = {0, 0, 0, 0};
        char shown;
        for (int cell = 0; cell < size; ++cell) {
            if (scanf(" %c", &shown) != 1 || strchr("#-012345678", shown) == NULL) return wrong("invalid cells");
            holes[cell] = shown == '-';
            cells[cell] = shown == '#' ? MINES_HIDDEN : holes[cell] ? 0 : (int8_t)(shown - '0');
        }
        mines_grid* grid = mines_grid_new(rows, cols, kind, holes);
        if (grid == NULL) return wrong("no such grid");
        mines_result result = mines_set_view(kernel, grid, mines, cells);
        if (!result) result = mines_closure(kernel, known);
        if (!result) result = mines_probabilities(kernel, NULL, chances, &log_layouts);
        if (!result) result = mines_find_hint(kernel, NULL, &hint, parts);
        if (result == MINES_INVALID) return wrong(mines_message(kernel));
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
    return read == EOF ? (int)mines_free(kernel) : wrong("invalid line");
}
