/* libminesweeper: exact Minesweeper logic, probabilities, hints and no-guess boards.
 *
 *     mines_kernel *kernel = mines_new();
 *     mines_grid *grid = mines_grid_new(1, 3, MINES_RECTANGLE, NULL);
 *     if (mines_set_view(kernel, grid, 1, (const int8_t[]){0, 1, MINES_HIDDEN}) == MINES_OK)
 *         mines_closure(kernel, known);
 *     mines_grid_free(grid);
 *     mines_free(kernel);
 *
 * A cell is a number, row * cols + col. Every array of cells has rows * cols elements, row by row, and belongs to the
 * caller. A mine map has 1 for a mine and 0 elsewhere.
 *
 * Functions return a mines_result. If it is not MINES_OK, they have written nothing. No exception leaves a function. A
 * null pointer is an error, except where a function takes null.
 *
 * Threads: different kernels can be used in different threads at once. One kernel takes one call at a time, from any
 * thread. A call during another call of the same kernel returns MINES_BUSY and changes nothing.
 */
#ifndef MINESWEEPER_H
#define MINESWEEPER_H

#include <stdint.h>

#if defined(_WIN32) && defined(MINES_SHARED)
#ifdef MINES_BUILD
#define MINES_API __declspec(dllexport)
#else
#define MINES_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define MINES_API __attribute__((visibility("default")))
#else
#define MINES_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The cells of a board, and which of them touch. A grid never changes: threads can share it. */
typedef struct mines_grid mines_grid;

/* The state of a position and of the last path. */
typedef struct mines_kernel mines_kernel;

typedef enum {
    MINES_OK,
    MINES_INCONSISTENT, /* no layout of the mines fits the view */
    MINES_TOO_WIDE,     /* a part of the position is too wide to enumerate */
    MINES_NONE,         /* there is no such board, hint, step or guess */
    MINES_BUSY,         /* another call uses this kernel */
    MINES_INVALID,      /* an argument is out of range */
    MINES_NO_MEMORY,
    MINES_STOPPED /* the function of mines_on_progress ended the call */
} mines_result;

/* How the cells of a grid touch, its kind: bits to combine, such as MINES_WRAP_ROWS | MINES_WRAP_COLS for a torus.
 * Without any, cells touch by a side or a corner. With MINES_WRAP_ROWS the first row touches the last one; a side that
 * wraps has at least 5 cells. With MINES_HEXAGONS a cell has six neighbours and odd rows lie half a cell to the right;
 * if such rows wrap, their number is even. MINES_LACKING times 8 bits names neighbours that no cell has, in the order up
 * left, up, ..., down right; opposite ones are lacking together. Grids of these kinds, or with holes, have at most
 * 1,000,000 cells. */
enum { MINES_RECTANGLE, MINES_WRAP_ROWS = 1, MINES_WRAP_COLS = 2, MINES_HEXAGONS = 4, MINES_LACKING = 256 };

enum { MINES_HIDDEN = -1 };                                     /* a hidden cell of a view; others are clues 0 to 8 */
enum { MINES_UNKNOWN, MINES_SAFE, MINES_MINE };                 /* what is known of a cell */
enum { MINES_IN_SAFE = 1, MINES_IN_MINES, MINES_IN_CLUES };     /* the part of a cell in a hint; 0 for none */
enum { MINES_NO_VALUE, MINES_ESTIMATE, MINES_WIN_PROBABILITY }; /* the values of mines_evaluate */

/* The options of Kaboom, one bit each. */
enum {
    MINES_OPENING_START = 1,
    MINES_GUESS_ANYWHERE = 2,
    MINES_OUTSIDE_COUNTS = 4,
    MINES_CRUELEST = 8,
    MINES_UNAVOIDABLE_EARLY = 16 /* a cell of an unavoidable guess is granted while other cells are safe, too */
};
/* The verdict of a click: the first one, all cells certain, a guess where no cell is safe, or another, a known mine. */
enum { MINES_FIRST, MINES_CERTAIN, MINES_FORCED, MINES_NEEDLESS, MINES_KNOWN_MINE };
/* The result of a click in Kaboom. The first three survive. */
enum {
    MINES_FIRST_CLICK,
    MINES_PROVEN_SAFE,
    MINES_FORCED_GUESS,
    MINES_PROVEN_MINE,
    MINES_NEEDLESS_GUESS,
    MINES_OUTSIDE,
    MINES_OPEN_CELL /* the cell is open */
};

/* A family of random boards. Equal recipes and indices give equal boards on every machine. */
typedef struct {
    const mines_grid* grid;
    int32_t mines;
    int32_t click;   /* the first click; -1 for a random cell of each board */
    int32_t opening; /* 1: the first click is a zero; 0: it is safe */
    uint64_t seed;
} mines_recipe;

/* How logic solves a board. */
typedef struct {
    uint64_t index; /* of the board in its recipe */
    int32_t click;
    int32_t tally[4];      /* cells decided by one clue, two clues, more clues, the mine count */
    int32_t clues_at_once; /* of the hardest step; -1 if it is too hard to compute */
    int32_t difficulty;    /* 0 easy, 1 medium, 2 hard, 3 expert, 4 fiendish */
    double score;          /* 0 or more, higher is harder */
} mines_solution;

/* Cells that follow in the same way. */
typedef struct {
    int32_t tier;     /* 1 clue, 2 clues, 3 more clues, 4 with the mine count */
    int32_t smallest; /* 1 if no smaller set of clues decides `cell` */
    int32_t cell;     /* one of the cells; the clues are a reason for it */
    int32_t mine;     /* 1 if `cell` is a mine */
} mines_hint;

/* Why cells follow: the name of a template in player/logic/words, and its values. */
typedef struct {
    const char* name;
    int32_t clue, other; /* the clue that touches the cells, and the other one of two; -1 for none */
    int32_t count;       /* unknown cells: around the clue, around both, or of the view */
    int32_t need;        /* mines that the clue needs among its unknown cells */
    int32_t mines;       /* known mines around the clue, mines in the shared cells, or mines left */
    int32_t rest;        /* unknown cells around `clue` alone, or the number of known cells */
    int32_t places[8];   /* the first `mines` are the known mines, if a clue alone decides */
} mines_sentence;

/* A cell considered for a guess. */
typedef struct {
    int32_t cell;
    double safety;   /* the probability that it is safe */
    double progress; /* the probability that it is safe and logic continues; 0 if not computed */
    double value;    /* the criterion of the strategy */
} mines_candidate;

/* The prospects of a guess, with NaN for numbers that are not known. */
typedef struct {
    int32_t cell;
    const char* why; /* the name of a template: why it is worse than the first one, for which this is empty */
    double safety;   /* the probability that it is safe */
    double progress; /* and that logic continues */
    double second;   /* the probability to survive this guess and the next one */
    double win;      /* the probability to win with perfect play */
} mines_prospect;

typedef struct {
    int32_t bbbv, openings, islands, greedy_zini, human_zini;
    int32_t buried;        /* mines that touch no safe cell */
    int32_t first_opening; /* cells that the first click opens; 0 without one */
} mines_metrics;

/* A judged click. Numbers that were not computed are NaN, and cells that do not exist -1. */
typedef struct {
    int32_t verdict;   /* MINES_FIRST, ... */
    int32_t best_cell; /* the first safe cell, otherwise the best guess */
    int32_t uncertain_cell;
    int32_t has_chances, has_layouts, has_step; /* 1 if they were written, and the step can be read by mines_step */
    int32_t evaluation;                         /* the kind of values of all uncertain cells, as of mines_evaluate */
    int32_t candidates;                         /* their number */
    double safety;                              /* the probability that none of the opened cells is a mine */
    double best_safety;
    double loss; /* the value that the click loses */
} mines_judgement;

/* Create a kernel; null without memory. Free it: MINES_BUSY during a call of it, which frees nothing. */
MINES_API mines_kernel* mines_new(void);
MINES_API mines_result mines_free(mines_kernel* kernel);

/* A sentence for a result; and for the last call of a kernel that returned MINES_INVALID, the cause and the expected
 * form. The next call ends its life. */
MINES_API const char* mines_error(mines_result result);
MINES_API const char* mines_message(const mines_kernel* kernel);

/* Create a grid; null if there is none of these sides and this kind, or no memory. `holes` is null, or marks with 1 the
 * cells that the grid leaves out. Holes are in no opening, have no mine and no neighbours; views show 0 there. Free the
 * grid when no call uses it: a kernel keeps what its view needs. A null pointer is allowed. */
MINES_API mines_grid* mines_grid_new(int32_t rows, int32_t cols, int32_t kind, const uint8_t* holes);
MINES_API void mines_grid_free(mines_grid* grid);

#ifndef __wasm__
/* The version of the library, such as "1.2.3". */
MINES_API const char* mines_version(void);

/* Call a function again and again during every call, in its thread. If it returns 1, the call ends with MINES_STOPPED.
 * Null ends this. `context` is passed to the function. */
MINES_API mines_result mines_on_progress(mines_kernel* kernel, int (*progress)(void* context), void* context);
#endif

/* Boards. `mine` is a mine map of the board. */

/* Write the largest number of mines that fit around the first click of a recipe, whose `mines` are ignored. */
MINES_API mines_result mines_room(mines_kernel* kernel, const mines_recipe* recipe, int32_t* most);
/* Sample board `index` of a recipe and its first click. */
MINES_API mines_result mines_sample(mines_kernel* kernel, const mines_recipe* recipe, uint64_t index, uint8_t* mine,
                                    int32_t* click);
/* Find the first board with an index from `start` to `stop` - 1 that logic solves without a guess. If `repaired` is 1,
 * boards are repaired first: the result is then no longer a uniform sample. MINES_NONE if there is none. */
MINES_API mines_result mines_search(mines_kernel* kernel, const mines_recipe* recipe, uint64_t start, uint64_t stop,
                                    int32_t repaired, uint8_t* mine, mines_solution* solution);
/* Make a board when the player clicks: the first of 20,000 that logic solves without a guess; or else, as on dense boards,
 * the first of 1,000 that are repaired. MINES_NONE if there is none. */
MINES_API mines_result mines_deal(mines_kernel* kernel, const mines_recipe* recipe, uint8_t* mine,
                                  mines_solution* solution);
/* Solve a board from a first click. MINES_NONE if logic gets stuck. */
MINES_API mines_result mines_solve(mines_kernel* kernel, const mines_grid* grid, const uint8_t* mine, int32_t click,
                                   mines_solution* solution);
/* Add up the work to prove the safe cells of such a board: 1 for a cell by one clue, 2 by two clues, 5 by more. */
MINES_API mines_result mines_work(mines_kernel* kernel, const mines_grid* grid, const uint8_t* mine, int32_t click,
                                  int32_t* work);
/* Measure a board; `click` is its first click, or -1 for none. */
MINES_API mines_result mines_measure(mines_kernel* kernel, const mines_grid* grid, const uint8_t* mine, int32_t click,
                                     mines_metrics* metrics);
/* Plan few clicks that clear a board, from a left click on `click` or, with -1, from the best one. The search ends after
 * `most_work` comparisons of states, or with -1 after as many as find good plans. Writes at most `capacity` clicks, each as
 * a kind (0 left, 1 flag, 2 chord) and a cell; their number; and a number of clicks that no plan goes below. */
MINES_API mines_result mines_fewest_clicks(mines_kernel* kernel, const mines_grid* grid, const uint8_t* mine,
                                           int32_t click, int32_t most_work, int32_t* clicks, int32_t capacity,
                                           int32_t* count, int32_t* bound);
/* Write the clues of a board, MINES_HIDDEN for mines. */
MINES_API mines_result mines_reveal(mines_kernel* kernel, const mines_grid* grid, const uint8_t* mine, int8_t* cells);
/* Play `count` boards from `first` on with a strategy: "safest", "progress", "lookahead" or "champion", the strongest
 * last; or "quick", which finishes games in rollouts. */
MINES_API mines_result mines_play(mines_kernel* kernel, const mines_recipe* recipe, const char* strategy,
                                  uint64_t first, int32_t count, int32_t* won);

/* Positions. Set the view that the functions below work on: the cells, and the number of mines on the board. */
MINES_API mines_result mines_set_view(mines_kernel* kernel, const mines_grid* grid, int32_t mines, const int8_t* cells);
/* Let the board of this view have any number of mines from `least` to the one given, each hidden cell being a mine with
 * probability `density`, between 0 and 1. What follows then holds for every such number; probabilities are weighted.
 * Only deductions, reasons, probabilities and layouts know this: all other functions return MINES_INVALID. */
MINES_API mines_result mines_set_range(mines_kernel* kernel, int32_t least, double density);

/* Write what follows from the clues and the mine count: MINES_UNKNOWN, MINES_SAFE or MINES_MINE for each cell. */
MINES_API mines_result mines_closure(mines_kernel* kernel, uint8_t* known);
/* Write the probability of a mine in each hidden cell, NaN for open ones, and the natural logarithm of the number of
 * layouts. `given` are cells that count as known, or null. */
MINES_API mines_result mines_probabilities(mines_kernel* kernel, const uint8_t* given, double* chances,
                                           double* log_layouts);
/* Find the easiest deduction and the part of each cell in it. MINES_NONE if nothing follows. `given` as above. */
MINES_API mines_result mines_find_hint(mines_kernel* kernel, const uint8_t* given, mines_hint* hint, uint8_t* parts);
/* Find all deductions in order, each from the earlier ones, without opening cells. */
MINES_API mines_result mines_find_path(mines_kernel* kernel, int32_t* steps);
/* Find the shortest chain of deductions to a safe cell: those of the mines that it rests on, then its own. `flagged`
 * are mines that need no step, or null. No steps if no cell is safe. */
MINES_API mines_result mines_find_chain(mines_kernel* kernel, const uint8_t* flagged, int32_t* steps);
/* Read a step of the path or chain that was found last, from 0, and the cells that count as known for it. */
MINES_API mines_result mines_step(mines_kernel* kernel, int32_t step, mines_hint* hint, uint8_t* parts, uint8_t* given);
/* Say why the cells of such a step follow, or those of the last hint, which is step 0. */
MINES_API mines_result mines_explain(mines_kernel* kernel, int32_t step, mines_sentence* sentence);

/* Where no cell is safe, rate the cells that a strategy considers, best first. `known` is the closure. Writes at most
 * `capacity` candidates, and their number. */
MINES_API mines_result mines_rate(mines_kernel* kernel, const char* strategy, const uint8_t* known,
                                  mines_candidate* candidates, int32_t capacity, int32_t* count);
/* The same for all uncertain cells. `kind` tells what their values are. */
MINES_API mines_result mines_evaluate(mines_kernel* kernel, const uint8_t* known, mines_candidate* candidates,
                                      int32_t capacity, int32_t* count, int32_t* kind);
/* Compare `count` guesses, of which the first is the best. Writes as many; MINES_TOO_WIDE if they cannot be counted. */
MINES_API mines_result mines_compare(mines_kernel* kernel, const uint8_t* known, const int32_t* cells, int32_t count,
                                     mines_prospect* prospects);
/* Find the unavoidable guesses; and read one of them, from 0: 1 for its cells, and the mine maps of two layouts that
 * differ only there. */
MINES_API mines_result mines_find_unavoidable(mines_kernel* kernel, int32_t* count);
MINES_API mines_result mines_unavoidable_guess(mines_kernel* kernel, int32_t guess, uint8_t* cells, uint8_t* one,
                                               uint8_t* other);

/* Draw a layout that fits, uniformly: with a mine in `cell` (1), without one (0), or any (-1). */
MINES_API mines_result mines_draw_layout(mines_kernel* kernel, int32_t cell, int32_t mine, uint64_t seed,
                                         uint64_t stream, uint8_t* layout);
/* Find two layouts that differ in a hidden cell, and otherwise as near to it as possible: it is safe in the first and a
 * mine in the second. Equal views give equal layouts. MINES_INCONSISTENT if the cell is known. */
MINES_API mines_result mines_counterexample(mines_kernel* kernel, int32_t cell, uint8_t* safe, uint8_t* mined);

/* Judge a click that opens `count` hidden cells. Writes the probability of a mine in each cell, all uncertain cells
 * where no cell is safe, best first, but at most `capacity`, and for a forced guess the counterexample of
 * `uncertain_cell`: the first known mine or the first cell that is not known to be safe. For a needless guess, the only
 * step is the deduction that would have given a safe cell. With the mine map of the board, the kernel then opens the
 * cells: to review a game, set its hidden view and judge one click after the other. Without it, `mine` is null. */
MINES_API mines_result mines_judge(mines_kernel* kernel, const int32_t* cells, int32_t count, const uint8_t* mine,
                                   mines_judgement* judgement, double* chances, mines_candidate* candidates,
                                   int32_t capacity, uint8_t* safe, uint8_t* mined);

/* The rules of the game. Open a cell of the board, with its opening. Writes the cells of the new view, which the kernel
 * keeps, and whether the cell was safe. */
MINES_API mines_result mines_open(mines_kernel* kernel, const uint8_t* mine, int32_t cell, int8_t* cells,
                                  int32_t* survived);
/* Write 1 for the cells that a chord on an open cell opens. `flags` has 1 for flagged cells. */
MINES_API mines_result mines_chord(mines_kernel* kernel, const uint8_t* flags, int32_t cell, uint8_t* opened);

/* Kaboom, with `rules` of bits. Write the result of a click on each cell. */
MINES_API mines_result mines_kaboom_verdicts(mines_kernel* kernel, uint32_t rules, uint8_t* why);
/* Click a hidden cell. Writes the cells of the new view, which the kernel keeps, the layout that decided, and the
 * result. `seed` and the number of clicks so far determine the layout. */
MINES_API mines_result mines_kaboom_click(mines_kernel* kernel, uint32_t rules, int32_t cell, uint64_t seed,
                                          uint64_t clicks, int8_t* cells, uint8_t* layout, int32_t* why);

/* Pictures. A board that a picture shows: cell (row, col) has its corner at (left + col * across, top + row * down), in
 * pixels. `sure` is 0 if cells are doubtful. From `fewest_mines` to `most_mines` fit the clues. */
typedef struct mines_reading {
    double left, top, across, down;
    int32_t rows, cols;
    int32_t fewest_mines, most_mines;
    int32_t sure;
} mines_reading;
/* The meanings of a cell in a picture: clues 0 to 8, and these. */
#define MINES_SEEN_HIDDEN 9
#define MINES_SEEN_FLAG 10
#define MINES_SEEN_MINE 11
#define MINES_SEEN_QUESTION 12
#define MINES_SEEN_MEANINGS 13
/* Find the boards in a picture of 3 bytes a pixel (red, green, blue), whose rows are `stride` bytes apart. Writes their
 * number, largest first. MINES_NONE without a board. */
MINES_API mines_result mines_read_picture(mines_kernel* kernel, const uint8_t* pixels, int32_t width, int32_t height,
                                          int32_t stride, int32_t* count);
/* Read one of them, from 0. The other pointers may be null: the most probable meaning of each cell, 1 for the doubtful
 * ones, and MINES_SEEN_MEANINGS probabilities for each. */
MINES_API mines_result mines_board_read(mines_kernel* kernel, int32_t board, mines_reading* reading, uint8_t* meanings,
                                        uint8_t* doubtful, float* chances);

#ifdef __cplusplus
}
#endif
#endif
