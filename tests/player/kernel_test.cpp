// Tests of parts of the kernel that Python cannot call, each against a slower one. Prints each failed check; exits with
// 1 if there is any.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "base/clues.hpp"
#include "base/random.hpp"
#include "base/sampling.hpp"
#include "count/counting.hpp"
#include "count/outcomes.hpp"
#include "count/position.hpp"
#include "explain/path.hpp"
#include "explain/rules.hpp"
#include "logic/closure.hpp"
#include "logic/enumeration.hpp"
#include "planes/tiled_board.hpp"
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
        CHECK(real(a - b) == real(a) - real(b));
        CHECK(real(a << by) == real(a) << by && real(a >> by) == real(a) >> by);
        CHECK(real(a & b) == (real(a) & real(b)) && real(a | b) == (real(a) | real(b)) && real(~a) == ~real(a));
        CHECK(real(a * times) == real(a) * times && (a == b) == (real(a) == real(b)));
        CHECK(real(product_in_halves(a.low, b.low)) == static_cast<Real>(a.low) * b.low);
    }
}
#endif

std::vector<int> clues_of(int rows, int cols, const std::vector<std::uint8_t>& mine) {
    std::vector<int> clues(mine.size());
    for (int cell = 0; cell < rows * cols; ++cell)
        for (int k = 0; k < kNeighbours; ++k) {
            const int row = cell / cols + kRowStep[k], col = cell % cols + kColStep[k];
            if (0 <= row && row < rows && 0 <= col && col < cols) clues[cell] += mine[row * cols + col];
        }
    return clues;
}

// The mine numbers of each cell's group, and the mine counts; those of a trellis if `by_trellis`.
struct Values {
    Fit fit;
    std::vector<std::pair<Index, unsigned>> of_cells;
    CountSet counts;
};

Values values_of(const Field& field, Index clue, const CountSet& allowed, bool by_trellis) {
    ComponentFinder finder;
    Component component;
    Enumeration enumeration;
    TrellisBuilder builder;
    Trellis trellis;
    CountSweep sweep;
    Values values;
    std::vector<std::uint16_t> of_groups;
    finder.restart(field);
    if (by_trellis) {
        finder.find(field, clue, component);
        values.fit = builder.build(component, kMaxStates, trellis);
        if (values.fit != Fit::ok) return values;
        values.counts = sweep.reachable(component, trellis);
        sweep.values(component, trellis, allowed.empty() ? values.counts : allowed, of_groups);
    } else {
        finder.collect(field, clue, component);
        values.fit = enumeration.run(finder, component, kMaxStates);
        if (values.fit != Fit::ok) return values;
        values.counts = enumeration.counts(component);
        if (!allowed.empty()) enumeration.restrict(component, allowed);
        of_groups = enumeration.values();
    }
    std::set<std::vector<int>> clues;
    for (std::size_t g = 0; g < component.groups.size(); ++g) {
        const Group& group = component.groups[g];
        CHECK(clues.emplace(group.clues, group.clues + group.clue_count).second);
        for (int i = 0; i < group.size; ++i)
            values.of_cells.emplace_back(component.cells[group.first + i], of_groups[g]);
    }
    std::sort(values.of_cells.begin(), values.of_cells.end());
    return values;
}

void add_ones(Component& component, int clues) {
    component.needs.assign(static_cast<std::size_t>(clues), 1);
    component.clues.resize(static_cast<std::size_t>(clues));
    std::iota(component.clues.begin(), component.clues.end(), 0);
}

void add_cell(Component& component, const std::vector<int>& clues) {
    Group group{static_cast<int>(component.cells.size()), 1, static_cast<int>(clues.size()), {}};
    std::copy(clues.begin(), clues.end(), group.clues);
    component.groups.push_back(group);
    component.cells.push_back(group.first);
}

// Three groups with eight, eight and four clues, a group that links them, and one more group for each clue: more clues
// are active at a time than a key of the walk holds.
void test_enumeration_with_many_active_clues() {
    constexpr int kClues = 20;
    Component component;
    add_ones(component, kClues);
    add_cell(component, {0, 1, 2, 3, 4, 5, 6, 7});
    add_cell(component, {8, 9, 10, 11, 12, 13, 14, 15});
    add_cell(component, {16, 17, 18, 19});
    add_cell(component, {0, 8, 16});
    for (int clue = 0; clue < kClues; ++clue) add_cell(component, {clue});
    ComponentFinder finder;
    Enumeration enumeration;
    CHECK(enumeration.run(finder, component, kMaxStates) == Fit::ok);
    for (const std::uint16_t values : enumeration.values()) CHECK(values == 3);
    // A mine in the link, or one mine or one for each clue in each of the three groups.
    CHECK((enumeration.counts(component) == CountSet{{3, 3}, {6, 6}, {10, 10}, {13, 13}, {17, 18}, {20, 20}}));
}

// Each clue has a cell before the one that links them all, and a cell after it. The first cells double the states, and
// the last ones halve them.
void test_a_trellis_has_one_state_for_equal_needs() {
    Component component;
    component.width = 8;
    add_ones(component, component.width);
    for (int clue = 0; clue < component.width; ++clue) add_cell(component, {clue});
    add_cell(component, {0, 1, 2, 3, 4, 5, 6, 7});
    for (int clue = 0; clue < component.width; ++clue) add_cell(component, {clue});
    Trellis trellis;
    CHECK(TrellisBuilder().build(component, kMaxStates, trellis) == Fit::ok);
    CHECK(trellis.states.size() == 511 + 511);
}

// Components of all sizes, some with a false clue.
void test_enumeration_equals_a_trellis() {
    std::mt19937 random(5);
    std::size_t small = 0, large = 0, inconsistent = 0;
    for (int i = 0; i < 400; ++i) {
        const int side = 4 + static_cast<int>(random() % 20);
        std::vector<std::uint8_t> mine(static_cast<std::size_t>(side * side));
        for (std::uint8_t& one : mine) one = random() % 5 == 0;
        std::vector<int> clues = clues_of(side, side, mine);
        if (i % 8 == 0) ++clues[random() % clues.size()];
        Closure closure(make_grid(side, side), std::accumulate(mine.begin(), mine.end(), 0));
        const Field& field = closure.field();
        Index clue = -1;
        for (int cell = 0; cell < side * side; ++cell) {
            if (mine[cell] || random() % 4 == 0) continue;
            closure.open(field.from_number(cell), clues[cell]);
            if (field.mask[field.from_number(cell)] != 0) clue = field.from_number(cell);
        }
        if (clue < 0 || field.mask[clue] == 0) continue;
        CountSet allowed;
        for (int k = 0; k < 2; ++k) {
            const Values a = values_of(field, clue, allowed, false), b = values_of(field, clue, allowed, true);
            CHECK(a.fit == b.fit && a.of_cells == b.of_cells && a.counts == b.counts);
            inconsistent += a.fit == Fit::inconsistent;
            if (a.fit != Fit::ok) break;
            (a.of_cells.size() < 40 ? small : large) += 1;
            allowed = {{a.counts.front().first, a.counts.front().first}};
        }
    }
    CHECK(small > 50 && large > 50 && inconsistent > 5);
}

// Games on bit rows reach the same positions as games cell by cell, in boards with and without bit rows.
void test_games_reach_the_same_positions_cell_by_cell() {
    const Recipe recipes[] = {{make_grid(16, 30), 99, -1, true, 5},  {make_grid(9, 9), 30, -1, false, 5},
                              {make_grid(1, 64), 20, 0, false, 5},   {make_grid(64, 3), 30, -1, false, 5},
                              {make_grid(20, 40), 170, -1, true, 5}, {make_grid(66, 20), 250, -1, true, 5}};
    int guesses = 0;
    for (const Recipe& recipe : recipes) {
        std::vector<Field> positions, expected;
        const auto guess_first = [](std::vector<Field>& fields) {
            return Player([&fields](const Field& field) {
                fields.push_back(field);
                return static_cast<Index>(std::find(field.state.begin(), field.state.end(), kUnknown) -
                                          field.state.begin());
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
            const Field &field = positions[i], &same = expected[i];
            CHECK(field.state == same.state);
            for (Index cell = 0; cell < field.size(); ++cell) {
                if (field.state[cell] != kOpen && field.state[cell] != kUnknown) continue;
                CHECK(field.mask[cell] == same.mask[cell] && field.need[cell] == same.need[cell]);
            }
            CHECK(field.unknown_left == same.unknown_left && field.mines_left == same.mines_left);
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
        const GridRef grid = make_grid(rows, cols);
        const std::unique_ptr<BitBoard> board = new_avx2_board(*grid);
        if (board == nullptr) return;
        WordBoard<std::uint64_t> words{Part(*grid)};
        Puzzle puzzle;
        Recipe recipe{grid, 0, -1, random() % 2 == 0, 4};
        recipe.mines = std::min(room(recipe), rows * cols * static_cast<int>(random() % 30) / 100);
        sample(recipe, static_cast<std::uint64_t>(i), puzzle);
        Snapshots expected, seen;
        const auto agree = [&] {
            words.snapshot(expected);
            board->snapshot(seen);
            for (int r = kHalo; r < rows + kHalo; ++r)
                CHECK(seen[0].open[r] == expected[0].open[r] && seen[0].unknown[r] == expected[0].unknown[r]);
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

// A closure that goes from cell to cell decides the same in each round, also where sides meet.
void test_parts_of_a_board_equal_a_closure() {
    std::mt19937 random(5);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    int decided = 0;
    Closure updated;
    Snapshots seen;
    for (int i = 0; i < 300; ++i) {
        const int most = i % 10 == 0 ? 190 : 70;
        const GridRef grid = make_grid(5 + below(most - 5), 5 + below(most - 5), i % 4);
        Recipe recipe{grid, grid->size() * (5 + below(20)) / 100, -1, random() % 2 == 0, 4};
        Puzzle puzzle;
        sample(recipe, static_cast<std::uint64_t>(i), puzzle);
        const std::unique_ptr<BitBoard> board = i % 3 == 0 ? std::make_unique<TiledBoard>(*grid) : new_bitboard(*grid);
        board->load(puzzle);
        Closure closure(grid, recipe.mines);
        updated.reset(grid, recipe.mines);
        std::vector<std::uint8_t> mine;
        std::vector<std::int8_t> clues;
        add_border(closure.field(), puzzle.mine.data(), mine);
        count_clues(closure.field(), mine, clues);
        const auto reveal = [&](Index cell) {
            if (clues[cell] < 0) return closure.mark(cell, true);
            closure.open(cell, clues[cell]);
        };
        reveal(closure.field().from_number(puzzle.click));
        Step step;
        for (int rounds = below(90); rounds > 0; --rounds) {
            board->one_clue();
            closure.apply_single_clues_opening(clues.data());
            const int found = board->two_clues();
            closure.two_clues(step);
            for (const Index cell : step.safe) reveal(cell);
            CHECK(found == static_cast<int>(step.cell_count()));
            decided += found;
            if (found > 0) continue;
            board->snapshot(seen);
            if (below(4) == 0) {
                board->reveal(below(grid->rows), below(grid->cols));
                board->one_clue();
                board->restore(seen);
            }
            updated.update_from(seen, clues.data());
            const Field &field = closure.field(), &other = updated.field();
            int open = 0;
            field.each_cell([&](Index, Index cell) {
                open += field.state[cell] == kOpen;
                CHECK(field.state[cell] == other.state[cell]);
                if (field.state[cell] == kOpen && field.mask[cell] != 0)
                    CHECK(field.mask[cell] == other.mask[cell] && field.need[cell] == other.need[cell]);
            });
            CHECK(field.unknown_left == other.unknown_left && field.mines_left == other.mines_left);
            CHECK(board->opened() == open && board->all_open() == (open == grid->size() - recipe.mines));
            const int cell = below(grid->size());
            board->reveal(cell / grid->cols, cell % grid->cols);
            if (field.state[field.from_number(cell)] == kUnknown) reveal(field.from_number(cell));
        }
    }
    CHECK(decided > 5000);
}

// With their borders, both sizes have as many cells.
void test_a_path_finder_takes_boards_of_several_sizes() {
    PathFinder finder;
    Puzzle puzzle;
    Paths paths, expected;
    for (std::uint64_t i = 0; i < 20; ++i) {
        for (const auto& [rows, cols] : {std::make_pair(17, 18), std::make_pair(16, 19)}) {
            sample({make_grid(rows, cols), 40, -1, true, 7}, i, puzzle);
            finder.find(puzzle, paths);
            PathFinder().find(puzzle, expected);
        }
    }
    CHECK(paths.hash == expected.hash);
    CHECK(paths.cells == expected.cells);
}

void test_chords_and_openings_on_a_view() {
    const CellBytes mine{1, 0, 1, 0, 0, 0}, none(6, 0);
    View view{make_grid(1, 6), 2, std::vector<std::int8_t>(6, kHidden)};
    CHECK(open_cell(view, mine, 1) && view.cells == std::vector<std::int8_t>({-1, 2, -1, -1, -1, -1}));
    CHECK(open_cell(view, mine, 5) && view.cells == std::vector<std::int8_t>({-1, 2, -1, 1, 0, 0}));
    CHECK(!open_cell(view, mine, 0));
    CHECK(chorded(view, mine, 1) == none && chorded(view, none, 1) == none && chorded(view, mine, 0) == none);
    CHECK(chorded(view, none, 4) == none && chorded(view, none, 3) == none);
    CHECK(chorded(view, {0, 0, 1, 0, 0, 0}, 3) == none);
    const View one{make_grid(1, 3), 1, {kHidden, 1, kHidden}};
    CHECK(chorded(one, {2, 0, 0}, 1) == CellBytes({0, 0, 1}) && chorded(one, {1, 0, 1}, 1) == CellBytes(3, 0));
    CHECK(chorded(one, {0, 1, 0}, 1) == CellBytes(3, 0));
}

bool is_close(double a, double b) { return std::abs(a - b) < 1e-9; }

// Compare a position with the list of all its layouts.
void check_position(const Position& position) {
    const Field& field = position.field();
    const std::vector<Index>& unknown = position.unknown();
    std::vector<int> mines(unknown.size());
    std::set<unsigned> inside, outside;  // parts of layouts in focus, and the others
    unsigned in_focus = 0;
    int layouts = 0;
    for (std::size_t i = 0; i < unknown.size(); ++i) in_focus |= (position.in_focus(unknown[i]) ? 1u : 0u) << i;
    for (unsigned layout = 0; layout < 1u << unknown.size(); ++layout) {
        std::vector<int> around(field.state.size());
        int left = field.mines_left, focus_left = position.focus_mines();
        for (std::size_t i = 0; i < unknown.size(); ++i) {
            if ((layout >> i & 1) == 0) continue;
            --left;
            focus_left -= in_focus >> i & 1;
            for (const int step : field.steps(unknown[i])) ++around[unknown[i] + step];
        }
        if (left != 0) continue;
        bool fits = true;
        for (Index cell = 1; cell < field.size(); ++cell)
            fits &= field.state[cell] != kOpen || around[cell] == field.need[cell];
        if (!fits) continue;
        CHECK(focus_left == 0);
        ++layouts;
        inside.insert(layout & in_focus);
        outside.insert(layout & ~in_focus);
        for (std::size_t i = 0; i < unknown.size(); ++i) mines[i] += layout >> i & 1;
    }
    for (std::size_t i = 0; i < unknown.size(); ++i)
        CHECK(is_close(position.mine(unknown[i]), 1.0 * mines[i] / layouts));
    CHECK(inside.size() * outside.size() == static_cast<std::size_t>(layouts));
    CHECK(is_close(position.focus_log_layouts(), std::log(inside.size())));
}

// Compare the clues that a cell may show with a count of each position after it. Return the outcomes without a count.
int check_outcomes(const Position& before, Index cell, ClueOutcomes& outcomes, Position& after) {
    Counter counter;
    counter.count(before.field());
    const double log_layouts = counter.log_layouts();
    std::vector<ClueOutcome> listed;
    outcomes.list_outcomes(cell, listed);
    double sum = before.mine(cell);
    int uncounted = 0;
    for (ClueOutcome& one : listed) {
        CHECK(after.analyse_after(before, cell, one.clue) == Fit::ok);
        CHECK(counter.count(after.field()) == Fit::ok);
        CHECK(is_close(one.chance, std::exp(counter.log_layouts() - log_layouts)));
        sum += one.chance;
        int safe = 0;
        double least = 1;
        for (const Index other : after.unknown()) {
            if (!before.in_focus(other)) continue;
            safe += after.mine(other) < kCertain;
            least = std::min(least, after.mine(other));
        }
        CHECK(one.safe_cells == safe);
        uncounted += !one.evaluated;
        outcomes.evaluate(one);
        CHECK(one.safe_cells == safe && is_close(one.least_risk, least));
        if (after.unknown().size() < 12) check_position(after);
    }
    CHECK(is_close(sum, 1));
    return uncounted;
}

// Games of random cells on several grids. Now and then a mine becomes known.
void test_positions_and_outcomes_equal_all_layouts() {
    const std::vector<std::uint8_t> holes{0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0};
    const GridRef grids[] = {make_grid(1, 12),
                             make_grid(4, 5),
                             make_grid(5, 5, kWrapRows | kWrapCols),
                             make_grid(4, 5, kHexagons),
                             make_grid(4, 5, kSquares, holes),
                             make_grid(3, 120)};
    std::mt19937 random(11);
    Position position, after;
    ClueOutcomes outcomes;
    int positions = 0, uncounted = 0, large = 0;
    for (int game = 0; game < 120; ++game) {
        const GridRef& grid = grids[game % 6];
        const bool small = grid->size() < 30;
        std::vector<std::uint8_t> mine(static_cast<std::size_t>(grid->size()));
        std::vector<int> order(mine.size());
        for (std::size_t i = 0; i < mine.size(); ++i)
            mine[i] = !grid->is_hole(static_cast<int>(i)) && random() % 10 < 2 + random() % 3;
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), random);
        Field field;
        field.reset(grid, std::accumulate(mine.begin(), mine.end(), 0));
        for (const int number : order) {
            const Index cell = field.from_number(number);
            if (field.state[cell] != kUnknown) continue;
            if (mine[number] && random() % 4 == 0) field.mark_mine(cell);
            if (!mine[number]) {
                field.mark_safe(cell);
                field.state[cell] = kOpen;
                grid->each_around(number, [&](int near) { field.need[cell] += mine[near]; });
            }
            if (field.unknown_left > (small ? 11 : 230) || field.unknown_left == 0) continue;
            if (!small && (random() % 50 != 0)) continue;
            CHECK(position.analyse(field, random() % 2 == 0) == Fit::ok);
            ++positions;
            if (small) check_position(position);
            outcomes.set_position(position);
            for (const Index one : position.unknown()) {
                if (!position.in_focus(one) || position.mine(one) > 1 - kCertain || (!small && random() % 50 != 0))
                    continue;
                uncounted += check_outcomes(position, one, outcomes, after);
                large += !small;
            }
        }
    }
    CHECK(positions > 700 && uncounted > 900 && large > 60);
}

}  // namespace

int main() {
#ifdef __SIZEOF_INT128__
    test_two_words_equal_128_bit_numbers();
#endif
    test_enumeration_with_many_active_clues();
    test_a_trellis_has_one_state_for_equal_needs();
    test_enumeration_equals_a_trellis();
    test_games_reach_the_same_positions_cell_by_cell();
    test_boards_for_avx2_equal_words();
    test_parts_of_a_board_equal_a_closure();
    test_a_path_finder_takes_boards_of_several_sizes();
    test_chords_and_openings_on_a_view();
    test_positions_and_outcomes_equal_all_layouts();
    if (failures != 0) std::printf("%d checks failed\n", failures);
    return failures != 0;
}
