/* Tests of the C library that need threads. Prints each failed check; exits with 1 if there is any. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "minesweeper.h"

enum { ROWS = 9, COLS = 9, SIZE = ROWS * COLS, THREADS = 8, BOARDS = 10 };

static int failures = 0;
static mines_grid* rectangle; /* shared by all threads */

#define CHECK(condition)                                                    \
    do {                                                                    \
        if (!(condition)) {                                                 \
            printf("%s:%d: %s is false\n", __FILE__, __LINE__, #condition); \
            ++failures;                                                     \
        }                                                                   \
    } while (0)

/* What a kernel finds on boards of a recipe, after the first click. */
typedef struct {
    mines_solution solution;
    uint8_t mine[SIZE], known[SIZE], parts[SIZE], layout[SIZE], why[SIZE], given[SIZE], safe[SIZE], mined[SIZE];
    int8_t cells[SIZE];
    double chances[SIZE], log_layouts;
    mines_hint hint;
    mines_candidate best;
    mines_judgement judgement;
    int32_t survived, count, steps, unavoidable;
} Findings;

static mines_result find(mines_kernel* kernel, uint64_t seed, Findings* out) {
    const mines_recipe recipe = {rectangle, 10, SIZE / 2, 1, seed};
    mines_result worst = MINES_OK, results[15];
    int8_t hidden[SIZE];
    memset(out, 0, sizeof *out);
    memset(hidden, MINES_HIDDEN, sizeof hidden);
    results[0] = mines_deal(kernel, &recipe, out->mine, &out->solution);
    results[1] = mines_set_view(kernel, rectangle, recipe.mines, hidden);
    results[2] = mines_open(kernel, out->mine, recipe.click, out->cells, &out->survived);
    results[3] = mines_closure(kernel, out->known);
    results[4] = mines_probabilities(kernel, NULL, out->chances, &out->log_layouts);
    results[5] = mines_find_hint(kernel, NULL, &out->hint, out->parts);
    results[6] = mines_find_path(kernel, &out->steps);
    results[7] = mines_draw_layout(kernel, -1, -1, seed, 0, out->layout);
    results[8] = mines_kaboom_verdicts(kernel, MINES_OUTSIDE_COUNTS, out->why);
    results[9] = mines_rate(kernel, "champion", out->known, &out->best, 1, &out->count);
    results[10] = mines_find_unavoidable(kernel, &out->unavoidable);
    results[11] = mines_solve(kernel, rectangle, out->mine, recipe.click, &out->solution);
    results[12] = mines_find_chain(kernel, NULL, &out->steps);
    results[13] = mines_step(kernel, 0, &out->hint, out->parts, out->given);
    int32_t clicked = 0;
    while (clicked < SIZE - 1 && out->cells[clicked] != MINES_HIDDEN) ++clicked;
    results[14] = mines_judge(kernel, &clicked, 1, out->mine, &out->judgement, out->chances, &out->best, 1, out->safe,
                              out->mined);
    for (int i = 0; i < 15; ++i)
        if (results[i] != MINES_OK) worst = results[i];
    return worst;
}

typedef struct {
    mines_kernel* kernel;
    Findings findings[BOARDS];
    mines_result results[BOARDS];
} Work;

static void* run(void* argument) {
    Work* work = argument;
    for (int i = 0; i < BOARDS; ++i) work->results[i] = find(work->kernel, (uint64_t)i, &work->findings[i]);
    return NULL;
}

static Work works[THREADS + 1];

static void test_eight_threads_with_a_kernel_each_find_the_same(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i <= THREADS; ++i) works[i].kernel = mines_new();
    run(&works[THREADS]);
    for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, run, &works[i]);
    for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; ++i)
        CHECK(memcmp(works[i].findings, works[THREADS].findings, sizeof works[i].findings) == 0);
    for (int i = 0; i < BOARDS; ++i) CHECK(works[THREADS].results[i] == MINES_OK);
    for (int i = 0; i <= THREADS; ++i) CHECK(mines_free(works[i].kernel) == MINES_OK);
}

static void test_two_threads_at_one_kernel_get_an_error_or_a_result(void) {
    pthread_t threads[2];
    mines_kernel* kernel = mines_new();
    works[0].kernel = works[1].kernel = kernel;
    for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, run, &works[i]);
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
    CHECK(mines_free(kernel) == MINES_OK);
}

static void* call_during_a_call(void* kernel) {
    static Findings findings;
    CHECK(mines_closure(kernel, findings.known) == MINES_BUSY);
    CHECK(mines_set_view(kernel, rectangle, 10, findings.cells) == MINES_BUSY);
    CHECK(mines_on_progress(kernel, NULL, NULL) == MINES_BUSY);
    CHECK(mines_free(kernel) == MINES_BUSY);
    return NULL;
}

static int stop(void* kernel) {
    pthread_t thread;
    pthread_create(&thread, NULL, call_during_a_call, kernel);
    pthread_join(thread, NULL);
    call_during_a_call(kernel);
    return 1;
}

static void test_a_call_during_a_call_is_an_error_and_a_call_can_be_ended(void) {
    mines_grid* large = mines_grid_new(16, 30, MINES_RECTANGLE, NULL);
    const mines_recipe never_solvable = {large, 300, 200, 1, 0};
    static uint8_t mine[480];
    static Findings findings;
    mines_solution solution;
    mines_kernel* kernel = mines_new();
    CHECK(mines_on_progress(kernel, stop, kernel) == MINES_OK);
    CHECK(mines_search(kernel, &never_solvable, 0, UINT64_MAX, 0, mine, &solution) == MINES_STOPPED);
    CHECK(mines_on_progress(kernel, NULL, NULL) == MINES_OK);
    CHECK(find(kernel, 0, &findings) == MINES_OK);
    mines_grid_free(large);
    CHECK(mines_free(kernel) == MINES_OK);
}

static void test_arguments_out_of_range_are_errors(void) {
    mines_kernel* kernel = mines_new();
    mines_recipe recipe = {rectangle, SIZE - 9, SIZE / 2, 1, 0};
    mines_solution solution;
    mines_hint hint;
    mines_sentence sentence;
    mines_candidate candidate;
    mines_metrics metrics;
    uint8_t marks[SIZE] = {0};
    int8_t cells[SIZE];
    int32_t number;
    memset(cells, MINES_HIDDEN, sizeof cells);
    CHECK(mines_free(NULL) == MINES_INVALID);
    CHECK(mines_closure(kernel, marks) == MINES_INVALID); /* no view yet */
    CHECK(mines_set_view(kernel, NULL, 0, cells) == MINES_INVALID);
    CHECK(strcmp(mines_message(kernel), "expected no null pointer here") == 0);
    CHECK(mines_set_view(kernel, rectangle, -1, cells) == MINES_INVALID);
    CHECK(mines_set_view(kernel, rectangle, 10, NULL) == MINES_INVALID);
    CHECK(mines_set_view(kernel, rectangle, -1, cells) == MINES_INVALID);
    CHECK(strcmp(mines_message(kernel), "invalid -1; expected a number of mines, 0 or more") == 0);
    for (int wrong = -2; wrong <= 9; wrong += 11) {
        cells[SIZE - 1] = (int8_t)wrong;
        CHECK(mines_set_view(kernel, rectangle, 10, cells) == MINES_INVALID);
    }
    cells[SIZE - 1] = 0;
    CHECK(mines_set_view(kernel, rectangle, 10, cells) == MINES_OK);
    CHECK(mines_set_range(kernel, 11, 0.2) == MINES_INVALID);
    CHECK(mines_set_range(kernel, -1, 0.2) == MINES_INVALID);
    CHECK(mines_set_range(kernel, 5, 0) == MINES_INVALID);
    CHECK(mines_set_range(kernel, 5, 1) == MINES_INVALID);
    CHECK(mines_set_range(kernel, 5, 0.2) == MINES_OK);
    CHECK(mines_find_unavoidable(kernel, &number) == MINES_INVALID);
    CHECK(mines_set_view(kernel, rectangle, 10, cells) == MINES_OK);
    CHECK(mines_closure(kernel, NULL) == MINES_INVALID);
    CHECK(mines_rate(kernel, "chess", marks, &candidate, 1, &number) == MINES_INVALID);
    for (int cell = -1; cell <= SIZE; cell += SIZE + 1) {
        CHECK(mines_open(kernel, marks, cell, cells, &number) == MINES_INVALID);
        CHECK(mines_chord(kernel, marks, cell, marks) == MINES_INVALID);
        CHECK(mines_counterexample(kernel, cell, marks, marks) == MINES_INVALID);
        CHECK(mines_kaboom_click(kernel, 0, cell, 0, 0, cells, marks, &number) == MINES_INVALID);
        CHECK(mines_draw_layout(kernel, cell, 1, 0, 0, marks) == MINES_INVALID);
        CHECK(mines_solve(kernel, rectangle, marks, cell, &solution) == MINES_INVALID);
    }
    CHECK(mines_kaboom_click(kernel, 0, SIZE - 1, 0, 0, cells, marks, &number) == MINES_INVALID); /* open */
    CHECK(mines_step(kernel, 0, &hint, marks, marks) == MINES_NONE);
    CHECK(mines_explain(kernel, 0, &sentence) == MINES_NONE);
    CHECK(mines_explain(kernel, 0, NULL) == MINES_INVALID);
    CHECK(mines_find_chain(kernel, NULL, NULL) == MINES_INVALID);
    CHECK(mines_unavoidable_guess(kernel, 0, marks, marks, marks) == MINES_NONE);
    CHECK(mines_sample(kernel, &recipe, 0, marks, &number) == MINES_OK);
    ++recipe.mines;
    CHECK(mines_sample(kernel, &recipe, 0, marks, &number) == MINES_INVALID);
    CHECK(mines_room(kernel, &recipe, &number) == MINES_OK && number == SIZE - 9);
    mines_grid* const hexagons = mines_grid_new(ROWS, COLS, MINES_HEXAGONS, NULL);
    recipe.grid = hexagons;
    CHECK(mines_sample(kernel, &recipe, 0, marks, &number) == MINES_OK);
    CHECK(mines_room(kernel, &recipe, &number) == MINES_OK && number == SIZE - 7);
    CHECK(mines_sample(kernel, NULL, 0, marks, &number) == MINES_INVALID);
    recipe.grid = NULL;
    CHECK(mines_sample(kernel, &recipe, 0, marks, &number) == MINES_INVALID);
    memset(marks, 0, sizeof marks);
    marks[SIZE / 2] = 1;
    mines_grid* const with_hole = mines_grid_new(ROWS, COLS, MINES_HEXAGONS, marks);
    recipe.grid = with_hole;
    CHECK(mines_sample(kernel, &recipe, 0, marks, &number) == MINES_INVALID); /* the first click is a hole */
    recipe.click = 0;
    CHECK(mines_room(kernel, &recipe, &number) == MINES_OK && number == SIZE - 1 - 3);
    CHECK(mines_measure(kernel, with_hole, marks, -1, &metrics) == MINES_INVALID); /* a mine in the hole */
    mines_grid_free(hexagons);
    mines_grid_free(with_hole);
    CHECK(strstr(mines_error(MINES_INVALID), "out of range") != NULL);
    CHECK(mines_version()[0] != '\0');
    CHECK(mines_free(kernel) == MINES_OK);
}

static void test_impossible_grids_are_null(void) {
    uint8_t marks[SIZE];
    memset(marks, 1, sizeof marks);
    CHECK(mines_grid_new(0, COLS, MINES_RECTANGLE, NULL) == NULL);
    CHECK(mines_grid_new(ROWS, 4001, MINES_RECTANGLE, NULL) == NULL);
    CHECK(mines_grid_new(4, COLS, MINES_WRAP_ROWS, NULL) == NULL);
    CHECK(mines_grid_new(ROWS, 4, MINES_WRAP_COLS, NULL) == NULL);
    CHECK(mines_grid_new(ROWS, COLS, MINES_HEXAGONS | MINES_WRAP_ROWS, NULL) == NULL);
    CHECK(mines_grid_new(ROWS, COLS, 8, NULL) == NULL);
    CHECK(mines_grid_new(ROWS, COLS, MINES_HEXAGONS, marks) == NULL); /* no cell is left */
    mines_grid_free(NULL);
}

/* Views that nobody checks: the sanitizers look for errors in memory. */
static void test_random_views_and_marks_give_results_or_errors(void) {
    mines_kernel* kernel = mines_new();
    uint64_t random = 7;
    int consistent = 0;
    for (int i = 0; i < 600; ++i) {
        int8_t cells[SIZE], after[SIZE];
        uint8_t given[SIZE], marks[4][SIZE];
        double chances[SIZE], log_layouts;
        mines_hint hint;
        mines_candidate candidates[SIZE];
        mines_judgement judgement;
        int32_t numbers[4];
        const char* const strategies[] = {"quick", "safest", "progress", "lookahead", "champion"};
        const int rows = 1 + i % ROWS, cols = 1 + i / ROWS % COLS, size = rows * cols;
        const uint64_t open = 1 + i % 7;
        int32_t kind = i % 8;
        if (rows < 5 || (rows % 2 != 0 && (kind & MINES_HEXAGONS) != 0)) kind &= ~MINES_WRAP_ROWS;
        if (cols < 5) kind &= ~MINES_WRAP_COLS;
        for (int cell = 0; cell < size; ++cell) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            cells[cell] = random >> 40 & 7 ? MINES_HIDDEN : (int8_t)((random >> 50) % (1 + open));
            given[cell] = (random >> 20 & 15) < open ? (uint8_t)(random >> 33 & 3) : 0;
        }
        for (int cell = 0; cell < size; ++cell) marks[0][cell] = i % 3 == 0 && cells[cell] == 0;
        mines_grid* grid = mines_grid_new(rows, cols, kind, marks[0]);
        if (grid == NULL) grid = mines_grid_new(rows, cols, kind, NULL); /* every cell is a hole */
        CHECK(mines_set_view(kernel, grid, size / (1 + i % 5), cells) == MINES_OK);
        if (i % 7 == 0) {
            const mines_result expected = i % 4 <= size / (1 + i % 5) ? MINES_OK : MINES_INVALID;
            CHECK(mines_set_range(kernel, i % 4, 0.01 + i / 1000.0) == expected);
        }
        consistent += mines_closure(kernel, marks[0]) == MINES_OK;
        mines_probabilities(kernel, given, chances, &log_layouts);
        mines_find_hint(kernel, given, &hint, marks[1]);
        mines_find_path(kernel, &numbers[0]);
        mines_rate(kernel, strategies[i % 5], given, candidates, SIZE, &numbers[1]);
        mines_evaluate(kernel, given, candidates, 1, &numbers[2], &numbers[3]);
        mines_find_unavoidable(kernel, &numbers[0]);
        mines_counterexample(kernel, size / 2, marks[1], marks[2]);
        mines_draw_layout(kernel, size / 2, i % 2, random, 0, marks[1]);
        mines_chord(kernel, given, size / 2, marks[3]);
        const int32_t clicked[2] = {size / 2, size - 1};
        mines_judge(kernel, clicked, 1 + i % 2, i % 4 == 0 ? given : NULL, &judgement, chances, candidates, SIZE,
                    marks[1], marks[2]);
        mines_find_chain(kernel, given, &numbers[0]);
        mines_step(kernel, 0, &hint, marks[1], marks[2]);
        mines_work(kernel, grid, marks[0], size / 2, &numbers[1]);
        mines_kaboom_verdicts(kernel, (uint32_t)random, marks[2]);
        mines_kaboom_click(kernel, (uint32_t)random, size / 2, random, 1, after, marks[2], &numbers[0]);
        mines_grid_free(grid); /* the kernel keeps what it needs */
        mines_open(kernel, given, size - 1, after, &numbers[0]);
    }
    CHECK(consistent > 30 && consistent < 570);
    CHECK(mines_free(kernel) == MINES_OK);
}

int main(void) {
    rectangle = mines_grid_new(ROWS, COLS, MINES_RECTANGLE, NULL);
    test_eight_threads_with_a_kernel_each_find_the_same();
    test_two_threads_at_one_kernel_get_an_error_or_a_result();
    test_a_call_during_a_call_is_an_error_and_a_call_can_be_ended();
    test_arguments_out_of_range_are_errors();
    test_impossible_grids_are_null();
    test_random_views_and_marks_give_results_or_errors();
    mines_grid_free(rectangle);
    return failures != 0;
}
