// Tests of the kernel without Python. Prints each failed check; exits with 1 if there is any.
#include <pthread.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "base/bits.hpp"
#include "base/clues.hpp"
#include "base/interrupt.hpp"
#include "base/random.hpp"
#include "base/sampling.hpp"
#include "count/counting.hpp"
#include "explain/path.hpp"
#include "logic/closure.hpp"
#include "logic/enumeration.hpp"
#include "logic/mine_swap.hpp"
#include "logic/reasons.hpp"
#include "logic/solver.hpp"
#include "make/metrics.hpp"
#include "make/puzzle_ids.hpp"
#include "make/screening.hpp"
#include "planes/avx2_board.hpp"
#include "planes/word_board.hpp"
#include "search/play.hpp"

namespace {

int failures = 0;

#define CHECK(condition)                                                         \
    do {                                                                         \
        if (!(condition)) {                                                      \
            std::printf("%s:%d: %s is false\n", __FILE__, __LINE__, #condition); \
            ++failures;                                                          \
        }                                                                        \
    } while (false)

using namespace mines;

void test_bits() {
    CHECK(lowest_bit(std::uint64_t{1} << 63) == 63);
    CHECK(count_bits(0xf0f0f0f0f0f0f0f0u) == 32);
    for (int count = 0; count <= 64; ++count) {
        std::vector<std::uint8_t> cells(static_cast<std::size_t>(count));
        for (int i = 0; i < count; ++i) cells[i] = i % 3 == 0;
        const std::uint64_t bits = pack_bits(cells.data(), count);
        for (int i = 0; i < count; ++i) CHECK((bits >> i & 1) == cells[i]);
        CHECK(count == 64 || bits >> count == 0);
    }
}

#ifdef __SIZEOF_INT128__
using Real = unsigned __int128;

Real real(TwoWords x) { return static_cast<Real>(x.high) << 64 | x.low; }

// Words with few and many bits.
void test_two_words_equal_128_bit_numbers() {
    std::mt19937_64 random(7);
    for (int i = 0; i < 100000; ++i) {
        const auto word = [&] { return i % 2 ? random() : random() >> random() % 64; };
        const TwoWords a{word(), word()}, b{word(), word()};
        const unsigned times = static_cast<unsigned>(word());
        const int by = static_cast<int>(random() % 128);
        CHECK(real(a + b) == real(a) + real(b) && real(a - b) == real(a) - real(b));
        CHECK(real(a << by) == real(a) << by && real(a >> by) == real(a) >> by);
        CHECK(real(a & b) == (real(a) & real(b)) && real(a | b) == (real(a) | real(b)) && real(~a) == ~real(a));
        CHECK(real(a * times) == real(a) * times && (a == b) == (real(a) == real(b)));
        CHECK(real(product_in_halves(a.low, b.low)) == static_cast<Real>(a.low) * b.low);
    }
}
#endif

void test_grid() {
    Grid grid;
    grid.reset(3, 4, 2);
    CHECK(count_bits(grid.mask[grid.at(0, 0)]) == 3 && count_bits(grid.mask[grid.at(1, 1)]) == 8);
    for (Index number = 0; number < 12; ++number) CHECK(grid.number(grid.from_number(number)) == number);
    grid.mark_mine(grid.at(1, 1));
    CHECK(grid.mines_left == 1 && grid.unknown_left == 11 && grid.need[grid.at(0, 0)] == -1);
    grid.state[grid.at(0, 0)] = kOpen;
    std::vector<Index> unconstrained;
    grid.list_unconstrained(unconstrained);
    CHECK(unconstrained.size() == 8);
}

// The first words of numpy.random.Philox, and a board of player/recipe.py.
void test_random_boards() {
    RandomWords words(7, 3);
    CHECK(words.next() == 0x7062734096a622d9u && words.next() == 0x2a689b984de514c3u);
    Puzzle puzzle;
    sample({9, 9, 10, 4 * 9 + 4, true, 7}, 0, puzzle);
    std::vector<int> mines;
    for (int cell = 0; cell < 81; ++cell)
        if (puzzle.mine[cell]) mines.push_back(cell);
    CHECK((mines == std::vector<int>{1, 5, 18, 20, 26, 27, 52, 56, 63, 65}));
    CHECK(room({9, 9, 10, -1, true, 7}) == 72 && room({9, 9, 10, 0, true, 7}) == 77 &&
          room({1, 5, 0, 2, false, 0}) == 4);
}

std::vector<int> clues_of(int rows, int cols, const std::vector<std::uint8_t>& mine) {
    std::vector<int> clues(mine.size());
    for (int cell = 0; cell < rows * cols; ++cell)
        for (int k = 0; k < kNeighbours; ++k) {
            const int row = cell / cols + kRowStep[k], col = cell % cols + kColStep[k];
            if (0 <= row && row < rows && 0 <= col && col < cols) clues[cell] += mine[row * cols + col];
        }
    return clues;
}

// A small board with some open cells, and all layouts that fit it.
struct Position {
    int rows, cols, mines;
    std::vector<int> shown;  // clues; -1 at hidden cells
    std::vector<std::vector<std::uint8_t>> layouts;
};

Position random_position(std::mt19937& random) {
    Position position;
    position.rows = 1 + static_cast<int>(random() % 4);
    position.cols = 2 + static_cast<int>(random() % 3);
    const int size = position.rows * position.cols;
    const unsigned density = random() % 45;
    std::vector<std::uint8_t> mine(static_cast<std::size_t>(size));
    for (std::uint8_t& one : mine) one = random() % 100 < density;
    position.mines = std::accumulate(mine.begin(), mine.end(), 0);
    position.shown = clues_of(position.rows, position.cols, mine);
    for (int cell = 0; cell < size; ++cell)
        if (mine[cell] || random() % 2) position.shown[cell] = -1;
    std::vector<std::uint8_t> layout(mine.size());
    for (unsigned bits = 0; bits < 1u << size; ++bits) {
        if (count_bits(bits) != position.mines) continue;
        for (int cell = 0; cell < size; ++cell) layout[cell] = bits >> cell & 1;
        const std::vector<int> clues = clues_of(position.rows, position.cols, layout);
        bool fits = true;
        for (int cell = 0; cell < size; ++cell)
            fits &= position.shown[cell] < 0 || (!layout[cell] && clues[cell] == position.shown[cell]);
        if (fits) position.layouts.push_back(layout);
    }
    return position;
}

void run_to_the_end(Closure& closure) {
    std::vector<Step> steps;
    for (std::size_t count = 1; count > 0;) closure.next_round(steps, count);
}

void test_closure_and_counting_equal_brute_force() {
    std::mt19937 random(11);
    for (int i = 0; i < 300; ++i) {
        const Position position = random_position(random);
        Closure closure(position.rows, position.cols, position.mines);
        const Grid& grid = closure.grid();
        const int size = position.rows * position.cols;
        for (int cell = 0; cell < size; ++cell)
            if (position.shown[cell] >= 0) closure.open(grid.from_number(cell), position.shown[cell]);
        Counter counter;
        CHECK(counter.count(grid) == Fit::ok);
        const double layouts = static_cast<double>(position.layouts.size());
        CHECK(std::abs(counter.log_layouts() - std::log(layouts)) < 1e-9);
        std::vector<double> mine(grid.state.size());
        counter.probabilities(mine.data());
        std::vector<std::uint8_t> drawn(grid.state.size()), layout(static_cast<std::size_t>(size));
        RandomWords words(1, static_cast<std::uint64_t>(i));
        counter.sample(words, drawn.data());
        std::vector<int> mines(static_cast<std::size_t>(size));
        for (int cell = 0; cell < size; ++cell) {
            layout[cell] = drawn[grid.from_number(cell)];
            for (const auto& one : position.layouts) mines[cell] += one[cell];
            if (position.shown[cell] < 0) CHECK(std::abs(mine[grid.from_number(cell)] - mines[cell] / layouts) < 1e-9);
        }
        CHECK(std::find(position.layouts.begin(), position.layouts.end(), layout) != position.layouts.end());

        run_to_the_end(closure);
        CHECK(!closure.inconsistent());
        for (int cell = 0; cell < size; ++cell) {
            if (position.shown[cell] >= 0) continue;
            const std::uint8_t state = grid.state[grid.from_number(cell)];
            CHECK((state == kSafe) == (mines[cell] == 0));
            CHECK((state == kMine) == (mines[cell] == static_cast<int>(position.layouts.size())));
        }
    }
    Closure impossible(1, 2, 1);
    impossible.open(impossible.grid().at(0, 0), 0);
    run_to_the_end(impossible);
    CHECK(impossible.inconsistent());
}

// The mine numbers of each cell's group, and the mine counts; those of a trellis if `by_trellis`.
struct Values {
    Fit fit;
    std::vector<std::pair<Index, unsigned>> of_cells;
    CountSet counts;
};

Values values_of(const Grid& grid, Index clue, const CountSet& allowed, bool by_trellis) {
    ComponentFinder finder;
    Component component;
    Enumeration enumeration;
    TrellisBuilder builder;
    Trellis trellis;
    CountSweep sweep;
    Values values;
    std::vector<std::uint16_t> of_groups;
    finder.restart(grid);
    if (by_trellis) {
        finder.find(grid, clue, component);
        values.fit = builder.build(component, kMaxStates, trellis);
        if (values.fit != Fit::ok) return values;
        values.counts = sweep.reachable(component, trellis);
        sweep.values(component, trellis, allowed.empty() ? values.counts : allowed, of_groups);
    } else {
        finder.collect(grid, clue, component);
        values.fit = enumeration.run(finder, component, kMaxStates);
        if (values.fit != Fit::ok) return values;
        values.counts = enumeration.counts(component);
        if (!allowed.empty()) enumeration.restrict(component, allowed);
        of_groups = enumeration.values();
    }
    for (std::size_t g = 0; g < component.groups.size(); ++g)
        for (int i = 0; i < component.groups[g].size; ++i)
            values.of_cells.emplace_back(component.cells[component.groups[g].first + i], of_groups[g]);
    std::sort(values.of_cells.begin(), values.of_cells.end());
    return values;
}

// Components of all sizes, some with a false clue.
// Three groups with eight, eight and four clues, a group that links them, and one more group for each clue: more clues
// are active at a time than a key of the walk holds.
void test_enumeration_with_many_active_clues() {
    constexpr int kClues = 20;
    Component component;
    const auto add_group = [&](std::vector<int> clues) {
        Group group{static_cast<int>(component.cells.size()), 1, static_cast<int>(clues.size()), {}};
        std::copy(clues.begin(), clues.end(), group.clues);
        component.groups.push_back(group);
        component.cells.push_back(group.first);
    };
    for (int clue = 0; clue < kClues; ++clue) {
        component.clues.push_back(clue);
        component.needs.push_back(1);
    }
    add_group({0, 1, 2, 3, 4, 5, 6, 7});
    add_group({8, 9, 10, 11, 12, 13, 14, 15});
    add_group({16, 17, 18, 19});
    add_group({0, 8, 16});
    for (int clue = 0; clue < kClues; ++clue) add_group({clue});
    ComponentFinder finder;
    Enumeration enumeration;
    CHECK(enumeration.run(finder, component, kMaxStates) == Fit::ok);
    for (const std::uint16_t values : enumeration.values()) CHECK(values == 3);
    // A mine in the link, or one mine or one for each clue in each of the three groups.
    CHECK((enumeration.counts(component) == CountSet{{3, 3}, {6, 6}, {10, 10}, {13, 13}, {17, 18}, {20, 20}}));
}

void test_enumeration_equals_a_trellis() {
    std::mt19937 random(5);
    std::size_t small = 0, large = 0, inconsistent = 0;
    for (int i = 0; i < 400; ++i) {
        const int side = 4 + static_cast<int>(random() % 20);
        std::vector<std::uint8_t> mine(static_cast<std::size_t>(side * side));
        for (std::uint8_t& one : mine) one = random() % 5 == 0;
        std::vector<int> clues = clues_of(side, side, mine);
        if (i % 8 == 0) ++clues[random() % clues.size()];
        Closure closure(side, side, std::accumulate(mine.begin(), mine.end(), 0));
        const Grid& grid = closure.grid();
        Index clue = -1;
        for (int cell = 0; cell < side * side; ++cell) {
            if (mine[cell] || random() % 4 == 0) continue;
            closure.open(grid.from_number(cell), clues[cell]);
            if (grid.mask[grid.from_number(cell)] != 0) clue = grid.from_number(cell);
        }
        if (clue < 0 || grid.mask[clue] == 0) continue;
        CountSet allowed;
        for (int k = 0; k < 2; ++k) {
            const Values a = values_of(grid, clue, allowed, false), b = values_of(grid, clue, allowed, true);
            CHECK(a.fit == b.fit && a.of_cells == b.of_cells && a.counts == b.counts);
            inconsistent += a.fit == Fit::inconsistent;
            if (a.fit != Fit::ok) break;
            (a.of_cells.size() < 40 ? small : large) += 1;
            allowed = {{a.counts.front().first, a.counts.front().first}};
        }
    }
    CHECK(small > 50 && large > 50 && inconsistent > 5);
}

void test_metrics() {
    Puzzle puzzle;
    sample({9, 9, 10, 4 * 9 + 4, true, 7}, 0, puzzle);
    MetricsCalculator calculator;
    const Metrics metrics = calculator.puzzle(puzzle);
    CHECK(metrics.bbbv == 15 && metrics.openings == 4 && metrics.islands == 3);
    CHECK(metrics.greedy_zini == 14 && metrics.human_zini == 14 && metrics.first_opening == 48);
    const PuzzleIds ids = puzzle_ids({2, 3, 0, {0, 0, 1, 0, 0, 0}});
    CHECK(ids.id == "81592b18e14d7fe88108" && ids.canonical_id == "0f217c0fee35c239007e");
    CHECK(ids.mine_bits == std::vector<std::uint8_t>{0x20});
}

void test_screening_finds_the_solvable_puzzles() {
    const Recipe recipe{9, 9, 10, 4 * 9 + 4, true, 7};
    const FoundPuzzles puzzles = screen(recipe, 0, 20, true);
    std::vector<int> indices;
    for (const FoundPuzzle& one : puzzles.found) indices.push_back(static_cast<int>(one.index));
    CHECK((indices == std::vector<int>{0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16, 17, 19}));
    CHECK(puzzles.too_wide.empty() && puzzles.found[0].solution.steps[1] == 33);
    // Bitboards up to 64 columns and cell by cell beyond: both open the same cells by the same tiers.
    Solver solver(kCountClues);
    for (const int cols : {60, 70}) {
        Puzzle puzzle;
        Solution solution;
        sample({5, cols, 5 * cols / 7, 0, true, 3}, 0, puzzle);
        solver.solve(puzzle, solution);
        Closure closure(5, cols, 5 * cols / 7);
        HiddenBoard board;
        std::vector<std::uint8_t> mine;
        add_border(closure.grid(), puzzle.mine.data(), mine);
        board.set_up(closure.grid(), mine);
        board.open(closure.grid().from_number(0), closure);
        std::vector<Step> steps;
        CHECK(deduce(closure, board, steps) == (solution.verdict == Verdict::solved));
        CHECK(board.opened() == solution.opened);
    }
}

// Games on bit rows reach the same positions as games cell by cell, in boards with and without bit rows.
void test_games_reach_the_same_positions_cell_by_cell() {
    const Recipe recipes[] = {{16, 30, 99, -1, true, 5}, {9, 9, 30, -1, false, 5},   {1, 64, 20, 0, false, 5},
                              {64, 3, 30, -1, false, 5}, {20, 40, 170, -1, true, 5}, {66, 20, 250, -1, true, 5}};
    int guesses = 0;
    for (const Recipe& recipe : recipes) {
        std::vector<Grid> positions, expected;
        const auto guess_first = [](std::vector<Grid>& grids) {
            return Player([&grids](const Grid& grid) {
                grids.push_back(grid);
                return static_cast<Index>(std::find(grid.state.begin(), grid.state.end(), kUnknown) -
                                          grid.state.begin());
            });
        };
        Player fast = guess_first(positions), slow = guess_first(expected);
        for (std::uint64_t i = 0; i < 20; ++i) {
            Puzzle puzzle;
            sample(recipe, i, puzzle);
            const GameOutcome outcome = fast.play(puzzle), other = slow.play(puzzle, [](Index, bool) {});
            CHECK(outcome.won == other.won && outcome.opened == other.opened && outcome.guesses == other.guesses);
            guesses += outcome.guesses;
        }
        CHECK(positions.size() == expected.size());
        for (std::size_t i = 0; i < std::min(positions.size(), expected.size()); ++i) {
            const Grid &grid = positions[i], &same = expected[i];
            CHECK(grid.state == same.state);
            for (Index cell = 0; cell < grid.size(); ++cell) {
                if (grid.state[cell] != kOpen && grid.state[cell] != kUnknown) continue;
                CHECK(grid.mask[cell] == same.mask[cell] && grid.need[cell] == same.need[cell]);
            }
            CHECK(grid.unknown_left == same.unknown_left && grid.mines_left == same.mines_left);
        }
    }
    CHECK(guesses > 100);
}

void test_boards_for_avx2_equal_words() {
    std::mt19937 random(3);
    int decided = 0;
    for (int i = 0; i < 1500; ++i) {
        const bool large = i % 4 == 0;
        const int rows = 1 + static_cast<int>(random() % (large ? 64 : 16));
        const int cols = 1 + static_cast<int>(random() % (large ? 64 : 32));
        const std::unique_ptr<BitBoard> board = new_avx2_board(rows, cols);
        if (board == nullptr) return;
        WordBoard<std::uint64_t> words;
        Puzzle puzzle;
        Recipe recipe{rows, cols, 0, -1, random() % 2 == 0, 4};
        recipe.mines = std::min(room(recipe), rows * cols * static_cast<int>(random() % 30) / 100);
        sample(recipe, static_cast<std::uint64_t>(i), puzzle);
        Snapshot expected{}, seen{};
        const auto agree = [&] {
            words.snapshot(expected);
            board->snapshot(seen);
            for (int r = 1; r <= rows; ++r)
                CHECK(seen.open[r] == expected.open[r] && seen.unknown[r] == expected.unknown[r]);
            CHECK(board->all_open() == words.all_open() && board->opened() == words.opened());
            CHECK(board->mines_seen() == words.mines_seen() && board->first_opening() == words.first_opening());
        };
        words.load(puzzle);
        board->load(puzzle);
        agree();
        // Where both tiers end, reveal a cell; now and then, restore.
        for (int step = 0; step < 40 && !words.all_open(); ++step) {
            words.one_clue();
            board->one_clue();
            agree();
            if (words.all_open()) break;
            const int found = words.two_clues();
            CHECK(board->two_clues() == found);
            agree();
            decided += found;
            if (found > 0) continue;
            if (random() % 4 == 0) {
                words.restore(expected);
                board->restore(expected);
            }
            const int cell = static_cast<int>(random() % static_cast<unsigned>(rows * cols));
            words.reveal(cell / cols, cell % cols);
            board->reveal(cell / cols, cell % cols);
            agree();
        }
    }
    CHECK(decided > 1000);
}

// With their borders, both sizes have as many cells.
void test_a_path_finder_takes_boards_of_several_sizes() {
    PathFinder finder;
    Puzzle puzzle;
    Path path, expected;
    for (std::uint64_t i = 0; i < 20; ++i) {
        for (const auto& [rows, cols] : {std::make_pair(17, 18), std::make_pair(16, 19)}) {
            sample({rows, cols, 40, -1, true, 7}, i, puzzle);
            finder.find(puzzle, path);
            PathFinder().find(puzzle, expected);
            CHECK(path.hash == expected.hash);
            CHECK(path.cells == expected.cells);
        }
    }
}

void test_no_puzzle_with_a_mine_swap_is_solvable() {
    Solver solver(0);
    int swaps = 0;
    for (std::uint64_t index = 0; index < 200; ++index) {
        Puzzle puzzle;
        Solution solution;
        sample({9, 9, 16, 40, true, 5}, index, puzzle);
        if (MineSwapFinder().all(puzzle).empty()) continue;
        ++swaps;
        solver.solve(puzzle, solution);
        CHECK(solution.verdict == Verdict::stuck);
    }
    CHECK(swaps > 20);
}

void test_repair_makes_puzzles_solvable() {
    const Recipe recipe{9, 9, 30, 4 * 9 + 4, true, 7};
    CHECK(screen(recipe, 0, 5, true).found.empty());
    const FoundPuzzles repaired = repair(recipe, 0, 5, 400);
    CHECK(repaired.found.size() == 5);
    Solver solver(0);
    for (const FoundPuzzle& one : repaired.found) {
        Solution solution;
        solver.solve(one.puzzle, solution);
        CHECK(solution.verdict == Verdict::solved);
        CHECK(std::accumulate(one.puzzle.mine.begin(), one.puzzle.mine.end(), 0) == 30);
    }
}

void test_interrupt_check_ends_a_search() {
    struct Interrupted {};
    int calls = 0;
    try {
        const InterruptCheck check([&] {
            if (++calls == 3) throw Interrupted{};
        });
        screen({16, 30, 99, 255, true, 7}, 0, ~std::uint64_t{0}, true);
    } catch (const Interrupted&) {
    }
    CHECK(calls == 3);
    CHECK(InterruptCheck::current_check() == nullptr);
}

// Run a test in a thread with 128 KiB of stack, the default of musl.
void run_on_a_small_stack(void (*test)()) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    CHECK(pthread_attr_setstacksize(&attributes, 128 << 10) == 0);
    const auto run = [](void* argument) -> void* {
        reinterpret_cast<void (*)()>(argument)();
        return nullptr;
    };
    CHECK(pthread_create(&thread, &attributes, run, reinterpret_cast<void*>(test)) == 0);
    CHECK(pthread_join(thread, nullptr) == 0);
    pthread_attr_destroy(&attributes);
}

// Hidden cells and clues alternate in one row. The last clue decides the last cell, and so on: the first needs all
// clues.
void test_smallest_reason_of_a_thousand_clues() {
    constexpr int kClues = 1000;
    Grid grid;
    grid.reset(1, 2 * kClues, kClues / 2);
    std::vector<std::int8_t> truth(grid.state.size(), 0);
    std::vector<Index> clues;
    for (int i = 0; i < kClues; ++i) {
        if (i % 2 == 0) truth[grid.at(0, 2 * i)] = -1;
        const Index clue = grid.at(0, 2 * i + 1);
        grid.mark_safe(clue);
        grid.state[clue] = kOpen;
        clues.push_back(clue);
    }
    SmallestReasons reasons;
    reasons.set_position(grid, clues, {}, truth);
    Index found = 0;
    CHECK(reasons.smallest({grid.at(0, 0)}, false, kClues - 1, found) == kClues);
    CHECK(found == grid.at(0, 0));
}

}  // namespace

int main() {
    test_bits();
#ifdef __SIZEOF_INT128__
    test_two_words_equal_128_bit_numbers();
#endif
    test_grid();
    test_random_boards();
    test_closure_and_counting_equal_brute_force();
    test_enumeration_with_many_active_clues();
    test_enumeration_equals_a_trellis();
    test_metrics();
    test_screening_finds_the_solvable_puzzles();
    test_games_reach_the_same_positions_cell_by_cell();
    test_boards_for_avx2_equal_words();
    test_a_path_finder_takes_boards_of_several_sizes();
    test_no_puzzle_with_a_mine_swap_is_solvable();
    test_repair_makes_puzzles_solvable();
    test_interrupt_check_ends_a_search();
    run_on_a_small_stack(test_smallest_reason_of_a_thousand_clues);
    if (failures != 0) std::printf("%d checks failed\n", failures);
    return failures != 0;
}
