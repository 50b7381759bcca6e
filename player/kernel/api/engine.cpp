#include "api/engine.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "explain/counterexample.hpp"
#include "logic/solver.hpp"

namespace mines {
namespace {

bool is_cell(const Grid& grid, int cell) { return 0 <= cell && cell < grid.size() && !grid.is_hole(cell); }

bool is_hidden(const View& view, int cell) {
    return 0 <= cell && cell < view.grid->size() && view.cells[cell] == kHidden;
}

// Run a computation if the arguments are valid.
template <class Compute>
Result unless(Result wrong, Compute compute) {
    return wrong.ok() ? Result(compute()) : wrong;
}

}  // namespace

Result expect(bool holds, const std::string& expected) {
    if (holds) return {};
    Result wrong(MINES_INVALID);
    wrong.message = "expected " + expected;
    return wrong;
}

namespace engine {

Result make_grid(std::int64_t rows, std::int64_t cols, int kind, CellBytes holes, GridRef& out) {
    const char* const objection = Grid::objection(rows, cols, kind, holes);
    if (objection == nullptr) {
        out = mines::make_grid(static_cast<int>(rows), static_cast<int>(cols), kind, std::move(holes));
        return {};
    }
    return expect(false, std::string(objection) + ", got " + std::to_string(rows) + "x" + std::to_string(cols) +
                             " of kind " + std::to_string(kind));
}

Result check(const Recipe& recipe, bool any_mines) {
    if (recipe.grid == nullptr) return MINES_INVALID;
    Result wrong = expect(recipe.click == -1 || is_cell(*recipe.grid, recipe.click),
                          "a first click on the board, or -1", recipe.click);
    if (!wrong.ok() || any_mines) return wrong;
    const int most = mines::room(recipe);
    return expect(0 <= recipe.mines && recipe.mines <= most, "0 to " + std::to_string(most) + " mines around the start",
                  recipe.mines);
}

Result check(const Puzzle& puzzle) {
    if (puzzle.grid == nullptr) return MINES_INVALID;
    Result result =
        expect(puzzle.click == -1 || (is_cell(*puzzle.grid, puzzle.click) && puzzle.mine[puzzle.click] == 0),
               "the first click on a safe cell of the board", puzzle.click);
    puzzle.grid->each_hole([&](int hole) {
        if (puzzle.mine[hole] != 0) result = expect(false, "holes without mines", hole);
    });
    return result;
}

Result check(View& view) {
    constexpr int kMost = Grid::kMaxSide * Grid::kMaxSide;
    Result result = expect(0 <= view.mines && view.mines <= kMost, "a number of mines, 0 or more", view.mines);
    for (const int clue : view.cells)
        if (clue < kHidden || clue > 8) result = expect(false, "-1 (hidden) or a clue 0 to 8 in each cell", clue);
    view.grid->each_hole([&view](int hole) { view.cells[hole] = 0; });
    return result;
}

Result check_hidden(const View& view, int cell) { return expect(is_hidden(view, cell), "a hidden cell", cell); }

Result check_known(const View& view, const CellBytes& known) {
    if (!known.empty() && known.size() != view.cells.size()) return expect(false, "marks for each cell of the view");
    for (const std::uint8_t mark : known)
        if (mark > kKnownMine) return expect(false, "0, 1 (safe) or 2 (a mine) in each cell", int{mark});
    return {};
}

Result strategy_named(const std::string& name, Strategy& out) {
    const char* const names[] = {"safest", "progress", "lookahead", "champion"};
    const auto found = std::find(std::begin(names), std::end(names), name);
    out = static_cast<Strategy>(found - std::begin(names));
    return expect(found != std::end(names), "one of the strategies safest, progress, lookahead, champion");
}

Result room(const Recipe& recipe, int& most) {
    return unless(check(recipe, true), [&] {
        most = mines::room(recipe);
        return MINES_OK;
    });
}

Result solve(const Puzzle& puzzle, Solution& out) {
    const Result wrong = puzzle.click < 0 ? expect(false, "a first click", puzzle.click) : check(puzzle);
    return unless(wrong, [&] {
        Solver(kCountClues).solve(puzzle, out);
        return out.verdict == Verdict::solved ? MINES_OK : out.verdict == Verdict::stuck ? MINES_NONE : MINES_TOO_WIDE;
    });
}

Difficulty difficulty(const Puzzle& puzzle, const Solution& solution) {
    const auto mines = static_cast<int>(std::count(puzzle.mine.begin(), puzzle.mine.end(), 1));
    return difficulty_of(solution.steps + 1, solution.clues_at_once, puzzle.grid->cell_count() - mines);
}

Result work(const Puzzle& puzzle, int& out) {
    const Result wrong = puzzle.click < 0 ? expect(false, "a first click", puzzle.click) : check(puzzle);
    return unless(wrong, [&] { return work_of(puzzle, out); });
}

Result measure(const Puzzle& puzzle, Metrics& out) {
    return unless(check(puzzle), [&] {
        out = MetricsCalculator().puzzle(puzzle);
        return MINES_OK;
    });
}

Result reveal(const GridRef& grid, const CellBytes& mine, View& out) {
    return unless(check(Puzzle{grid, -1, mine}), [&] {
        out = hidden_view(grid, 0);
        for (std::size_t cell = 0; cell < mine.size(); ++cell)
            if (mine[cell] == 0 && out.cells[cell] == kHidden) open_cell(out, mine, static_cast<int>(cell));
        return MINES_OK;
    });
}

Result closure(const View& view, CellBytes& known) {
    Closure found = closure_of(view);
    return complete(found, known);
}

Result chances(const View& view, const CellBytes& given, Chances& out) {
    return unless(check_known(view, given), [&] { return find_chances(view, given, out); });
}

// Return a deduction with its premises, or MINES_NONE without a deduction.
Result explained(const View& view, const CellBytes& given, Fit fit, HintStep& out) {
    if (fit != Fit::ok) return fit;
    if (out.hint.tier == 0) return MINES_NONE;
    out.given = given;
    out.sentence = Premises(view, given).sentence(out.hint);
    return {};
}

Result hint(const View& view, const CellBytes& given, HintStep& out) {
    return unless(check_known(view, given),
                  [&] { return explained(view, given, find_hint(view, given, out.hint), out); });
}

Result check_unknown(const View& view, const CellBytes& given, int cell) {
    const Result wrong = check_known(view, given);
    if (!wrong.ok() || !is_hidden(view, cell)) return wrong.ok() ? check_hidden(view, cell) : wrong;
    return expect(given[cell] == kMaybe, "a cell that is not given", cell);
}

Result reason(const View& view, const CellBytes& given, int cell, int most_clues, HintStep& out) {
    return unless(check_unknown(view, given, cell),
                  [&] { return explained(view, given, find_reason(view, given, cell, most_clues, out.hint), out); });
}

Result corrections(const View& view, const CellBytes& given, int cell, const std::vector<int>& chosen,
                   std::vector<std::vector<int>>& out) {
    return unless(check_unknown(view, given, cell), [&] { return find_corrections(view, given, cell, chosen, out); });
}

Result path(const View& view, std::vector<HintStep>& out) {
    std::vector<Hint> hints;
    return unless(list_hints(view, hints), [&] {
        const std::vector<Sentence> said = sentences(view, hints);
        out.clear();
        for (std::size_t i = 0; i < hints.size(); ++i) out.push_back({hints[i], {}, said[i]});
        return MINES_OK;
    });
}

CellBytes known_before(const View& view, const std::vector<HintStep>& steps, std::size_t step) {
    if (!steps[step].given.empty()) return steps[step].given;
    CellBytes known(view.cells.size(), kMaybe);
    // Two clues may give two hints, which rest on the same known cells.
    while (step > 0 && steps[step].hint.clues == steps[step - 1].hint.clues) --step;
    for (std::size_t i = 0; i < step; ++i) {
        for (const int cell : steps[i].hint.safe) known[cell] = kKnownSafe;
        for (const int cell : steps[i].hint.mines) known[cell] = kKnownMine;
    }
    return known;
}

Result chain(const View& view, const CellBytes& flagged, std::vector<HintStep>& out) {
    return unless(check_known(view, flagged), [&] { return find_chain(view, flagged, out); });
}

Result rate(const View& view, const CellBytes& known, Strategy strategy, std::vector<Rated>& out) {
    return unless(check_known(view, known), [&] {
        out = mines::rate(view, known, strategy);
        return MINES_OK;
    });
}

Result evaluate(const View& view, const CellBytes& known, Evaluation& out) {
    return unless(check_known(view, known), [&] {
        out = mines::evaluate(view, known);
        return MINES_OK;
    });
}

Result clue_layouts(const View& view, int cell, double* logs) {
    return unless(check_hidden(view, cell), [&] {
        std::fill_n(logs, 9, -std::numeric_limits<double>::infinity());
        Closure before = closure_of(view);
        before.apply_few_clues();
        Counter counter;
        for (int clue = 0; clue <= 8 && !before.inconsistent(); ++clue) {
            Closure after = before;
            after.open(after.field().from_number(cell), clue);
            const Fit fit = after.inconsistent() ? Fit::inconsistent : counter.count(after.field());
            if (fit == Fit::too_wide) return fit;
            if (fit == Fit::ok) logs[clue] = counter.log_layouts();
        }
        return Fit::ok;
    });
}

Result draw_layout(const View& view, int cell, int mine, std::uint64_t seed, std::uint64_t stream, CellBytes& out) {
    return unless(mine < 0 ? Result() : check_hidden(view, cell), [&] {
        Closure known = closure_of(view);
        if (mine >= 0) known.mark(known.field().from_number(cell), mine != 0);
        return mines::draw_layout(known, seed, stream, out);
    });
}

Result counterexample(const View& view, int cell, CellBytes& safe, CellBytes& mined) {
    return unless(check_hidden(view, cell), [&] { return find_counterexample(view, cell, safe, mined); });
}

Result judge(const View& view, const CellBytes& known, const std::vector<int>& cells, Judgement& out) {
    Result result = expect(!cells.empty(), "one or more hidden cells");
    for (const int cell : cells)
        if (result.ok()) result = check_hidden(view, cell);
    CellBytes found = known;
    if (result.ok()) result = known.empty() ? closure(view, found) : check_known(view, known);
    return unless(result, [&] { return judge_click(view, found, cells, out); });
}

Result review(View& view, const CellBytes& mine, const std::vector<int>& cells, Judgement& out) {
    return unless(judge(view, {}, cells, out), [&] {
        for (const int cell : cells)
            if (view.cells[cell] == kHidden) open_cell(view, mine, cell);
        return MINES_OK;
    });
}

Result open(View& view, const CellBytes& mine, int cell, bool& survived) {
    return unless(expect(0 <= cell && cell < view.grid->size(), "a cell of the board", cell), [&] {
        survived = view.cells[cell] != kHidden || open_cell(view, mine, cell);
        return MINES_OK;
    });
}

Result chord(const View& view, const CellBytes& flags, int cell, std::vector<int>& opened) {
    return unless(expect(0 <= cell && cell < view.grid->size(), "a cell of the board", cell), [&] {
        list_chorded(view, flags, cell, opened);
        return MINES_OK;
    });
}

Result kaboom_click(View& view, unsigned rules, int& why, int cell, std::uint64_t seed, std::uint64_t clicks,
                    CellBytes& layout) {
    Result result = check_hidden(view, cell);
    if (result.ok() && why < 0) {
        std::vector<Why> judged;
        result = kaboom_verdicts(view, rules_of(rules), judged);
        if (result.ok()) why = static_cast<int>(judged[cell]);
    }
    if (result.ok()) result = expect(why <= static_cast<int>(Why::outside), "a verdict", why);
    return unless(result, [&] {
        return mines::kaboom_click(view, rules_of(rules), static_cast<Why>(why), cell, seed, clicks, layout);
    });
}


Result read_picture(const Picture& picture, std::vector<BoardReading>& out) {
    const bool has_pixels = picture.width > 0 && picture.height > 0;
    Result wrong = expect(has_pixels && picture.stride >= 3 * std::ptrdiff_t{picture.width},
                          "a width and height of at least 1, and rows of at least 3 bytes for each pixel");
    if (wrong.ok() && picture.height > kMostPixels / picture.width)
        wrong = expect(false, "a picture of at most " + std::to_string(kMostPixels) + " pixels, got " +
                                  std::to_string(picture.width) + "x" + std::to_string(picture.height));
    return unless(wrong, [&] {
        out = read_boards(picture);
        return out.empty() ? MINES_NONE : MINES_OK;
    });
}

}  // namespace engine
}  // namespace mines
