#include "api/engine.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include "explain/counterexample.hpp"
#include "logic/solver.hpp"
#include "search/play.hpp"

namespace mines {
namespace {

constexpr std::uint64_t kBatch = 4;  // boards searched at a time, of which only the first solvable one is used

bool is_cell(const Grid& grid, int cell) { return 0 <= cell && cell < grid.size() && !grid.is_hole(cell); }

bool is_hidden(const View& view, int cell) {
    return 0 <= cell && cell < view.grid->size() && view.cells[cell] == kHidden;
}

int count_mines(const Puzzle& puzzle) {
    return static_cast<int>(std::count(puzzle.mine.begin(), puzzle.mine.end(), 1));
}

// Run a computation if the arguments are valid. It fills the finding, and may return a result.
template <class Found, class Compute>
Answer<Found> answer(Result valid, Compute compute) {
    Answer<Found> answer(std::move(valid));
    if (!answer.ok()) return answer;
    if constexpr (std::is_void_v<decltype(compute(answer.found))>) {
        compute(answer.found);
    } else {
        static_cast<Result&>(answer) = compute(answer.found);
    }
    return answer;
}

// Return the first result that is not MINES_OK.
Result both(Result one, Result other) { return one.ok() ? other : one; }

}  // namespace

Result expect(bool holds, const std::string& expected) {
    if (holds) return {};
    Result wrong(MINES_INVALID);
    wrong.message = "expected " + expected;
    return wrong;
}

namespace engine {

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
    const std::vector<std::uint8_t>& mine = puzzle.mine;
    if (mine.size() != static_cast<std::size_t>(puzzle.grid->size())) return expect(false, "a byte for each cell");
    for (const std::uint8_t one : mine)
        if (one > 1) return expect(false, "0, or 1 for a mine, in each cell", int{one});
    Result result = expect(puzzle.click == -1 || (is_cell(*puzzle.grid, puzzle.click) && mine[puzzle.click] == 0),
                           "the first click on a safe cell of the board", puzzle.click);
    puzzle.grid->each_hole([&](int hole) {
        if (mine[hole] != 0) result = expect(false, "holes without mines", hole);
    });
    return result;
}

Result check(View& view) {
    constexpr int kMost = Grid::kMaxSide * Grid::kMaxSide;
    Result result = expect(0 <= view.mines && view.mines <= kMost, "a number of mines, 0 or more", view.mines);
    if (result.ok() && (view.spare < 0 || view.spare > view.mines || !(view.odds > 0 && view.odds < 1e300)))
        result = expect(false, "a least number of mines, and a density above 0 and below 1", view.mines - view.spare);
    for (const int clue : view.cells)
        if (clue < kHidden || clue > 8) result = expect(false, "-1 (hidden) or a clue 0 to 8 in each cell", clue);
    view.grid->each_hole([&view](int hole) { view.cells[hole] = 0; });
    return result;
}

Result check_counted(const View& view) { return expect(view.spare == 0, "a view with one number of mines"); }

Result check_seconds(double seconds) {
    return expect(0 <= seconds && seconds <= 86'400, "0 to 86400 seconds", seconds);
}

Result check(const RolloutOptions& options) {
    if (options.layouts < 1) return expect(false, "1 or more layouts", options.layouts);
    const Result wrong = check_seconds(options.seconds);
    if (!wrong.ok()) return wrong;
    if (options.threads < 1 || options.threads > 256) return expect(false, "1 to 256 threads", options.threads);
    return expect(0 <= options.most_unknown, "0 or more cells", options.most_unknown);
}

Result check_clicked(const Puzzle& puzzle) {
    return puzzle.click < 0 ? expect(false, "a first click", puzzle.click) : check(puzzle);
}

Result check_cell(const View& view, int cell) {
    return expect(0 <= cell && cell < view.grid->size(), "a cell of the board", cell);
}

Result check_hidden(const View& view, int cell) { return expect(is_hidden(view, cell), "a hidden cell", cell); }

Result check_known(const View& view, const CellBytes& known) {
    if (!known.empty() && known.size() != view.cells.size()) return expect(false, "marks for each cell of the view");
    for (const std::uint8_t mark : known)
        if (mark > kKnownMine) return expect(false, "0, 1 (safe) or 2 (a mine) in each cell", int{mark});
    return {};
}

Result check_ratable(const View& view, const CellBytes& known) {
    return both(check_counted(view), check_known(view, known));
}

Result check_unknown(const View& view, const CellBytes& given, int cell) {
    const Result wrong = both(check_known(view, given), check_hidden(view, cell));
    return wrong.ok() ? expect(given.empty() || given[cell] == kMaybe, "a cell that is not given", cell) : wrong;
}

Answer<const Strategy*> strategy(const std::string& name) {
    Answer<const Strategy*> answer;
    answer.found = Guesser::find(name);
    if (answer.found != nullptr) return answer;
    answer.code = MINES_INVALID;
    answer.message = "unknown strategy '" + name + "'; expected ";
    for (const Strategy& one : Guesser::all()) answer.message += one.name + std::string(", ");
    answer.message.resize(answer.message.size() - 2);
    return answer;
}

Answer<GridRef> make_grid(std::int64_t rows, std::int64_t cols, int kind, CellBytes holes) {
    const char* const objection = Grid::objection(rows, cols, kind, holes);
    if (objection != nullptr)
        return expect(false, std::string(objection) + ", got " + std::to_string(rows) + "x" + std::to_string(cols) +
                                 " of kind " + std::to_string(kind));
    return answer<GridRef>({}, [&](GridRef& out) {
        out = mines::make_grid(static_cast<int>(rows), static_cast<int>(cols), kind, std::move(holes));
    });
}

Answer<Puzzles> list_puzzles(const GridRef& grid, const CellBytes& mine, const std::vector<int>& clicks) {
    const auto size = static_cast<std::size_t>(grid->size());
    Result valid = expect(mine.size() == size * clicks.size(), "a mine map and a first click for each puzzle");
    std::vector<Puzzle> list;
    for (std::size_t i = 0; i < clicks.size() && valid.ok(); ++i) {
        const auto first = mine.begin() + static_cast<std::ptrdiff_t>(i * size);
        list.push_back({grid, clicks[i], {first, first + static_cast<std::ptrdiff_t>(size)}});
        valid = check_clicked(list.back());
    }
    return answer<Puzzles>(std::move(valid), [&](Puzzles& out) { out = Puzzles(grid, std::move(list)); });
}

Answer<int> room(const Recipe& recipe) {
    return answer<int>(check(recipe, true), [&](int& out) { out = mines::room(recipe); });
}

Answer<Puzzle> sample(const Recipe& recipe, std::uint64_t index) {
    return answer<Puzzle>(check(recipe), [&](Puzzle& out) { mines::sample(recipe, index, out); });
}

Answer<FoundPuzzle> search(const Recipe& recipe, std::uint64_t start, std::uint64_t stop, bool repaired) {
    return answer<FoundPuzzle>(check(recipe), [&](FoundPuzzle& out) {
        for (std::uint64_t at = start; at < stop; at += std::min(kBatch, stop - at)) {
            auto found = mines::search(recipe, at, at + std::min(kBatch, stop - at), repaired ? kMostChanges : 0, true);
            if (found.empty()) continue;
            out = std::move(found.front());
            return MINES_OK;
        }
        return MINES_NONE;
    });
}

Answer<FoundPuzzle> deal(const Recipe& recipe) {
    Answer<FoundPuzzle> found = search(recipe, 0, 20'000, false);
    return found.code == MINES_NONE ? search(recipe, 0, 1000, true) : found;
}

Answer<Solution> solve(const Puzzle& puzzle) {
    return answer<Solution>(check_clicked(puzzle), [&](Solution& out) {
        Solver(kCountClues).solve(puzzle, out);
        return out.verdict == Verdict::solved ? MINES_OK : out.verdict == Verdict::stuck ? MINES_NONE : MINES_TOO_WIDE;
    });
}

Difficulty difficulty(const Puzzle& puzzle, const Solution& solution) {
    const int safe_cells = puzzle.grid->cell_count() - count_mines(puzzle);
    return difficulty_of(solution.steps + 1, solution.clues_at_once, safe_cells);
}

Answer<int> work(const Puzzle& puzzle) {
    return answer<int>(check_clicked(puzzle), [&](int& out) { return work_of(puzzle, out); });
}

Answer<Metrics> measure(const Puzzle& puzzle) {
    return answer<Metrics>(check(puzzle), [&](Metrics& out) { out = MetricsCalculator().puzzle(puzzle); });
}

Answer<ClickPlan> fewest_clicks(const Puzzle& puzzle, const ClickRules& rules, double seconds, std::int64_t most_work) {
    const Result limits =
        both(check_seconds(seconds), expect(most_work >= kUsualWork, "-1 or more comparisons", most_work));
    return answer<ClickPlan>(both(check(puzzle), limits),
                             [&](ClickPlan& out) { out = mines::fewest_clicks(puzzle, rules, seconds, most_work); });
}

Answer<View> reveal(const GridRef& grid, const CellBytes& mine) {
    return answer<View>(check(Puzzle{grid, -1, mine}), [&](View& out) {
        out = hidden_view(grid, 0);
        for (std::size_t cell = 0; cell < mine.size(); ++cell)
            if (mine[cell] == 0 && out.cells[cell] == kHidden) open_cell(out, mine, static_cast<int>(cell));
    });
}

Answer<int> play(const Recipe& recipe, const std::string& strategy, std::uint64_t first, int count) {
    const Answer<const Strategy*> named = engine::strategy(strategy);
    return answer<int>(both(check(recipe), named), [&](int& won) {
        Player player(chooser(*named.found));
        Puzzles(recipe, first, static_cast<std::uint64_t>(std::max(count, 0))).each([&](const Puzzle& puzzle) {
            won += player.play(puzzle).won;
        });
    });
}

Answer<CellBytes> closure(const View& view) {
    return answer<CellBytes>({}, [&](CellBytes& known) {
        Closure found = closure_of(view);
        return complete(found, known);
    });
}

Answer<Chances> chances(const View& view, const CellBytes& given) {
    return answer<Chances>(check_known(view, given), [&](Chances& out) { return find_chances(view, given, out); });
}

// Explain a deduction, or return MINES_NONE without one.
Result explain(const View& view, const CellBytes& given, Fit fit, HintStep& out) {
    if (fit != Fit::ok) return fit;
    if (out.hint.tier == 0) return MINES_NONE;
    out.given = given;
    out.sentence = Premises(view, given).sentence(out.hint);
    return {};
}

Answer<HintStep> hint(const View& view, const CellBytes& given) {
    return answer<HintStep>(check_known(view, given),
                            [&](HintStep& out) { return explain(view, given, find_hint(view, given, out.hint), out); });
}

Answer<HintStep> reason(const View& view, const CellBytes& given, int cell, int most_clues) {
    return answer<HintStep>(check_unknown(view, given, cell), [&](HintStep& out) {
        return explain(view, given, find_reason(view, given, cell, most_clues, out.hint), out);
    });
}

Answer<std::vector<std::vector<int>>> corrections(const View& view, const CellBytes& given, int cell,
                                                  const std::vector<int>& chosen) {
    return answer<std::vector<std::vector<int>>>(
        check_unknown(view, given, cell), [&](auto& out) { return find_corrections(view, given, cell, chosen, out); });
}

Answer<std::vector<HintStep>> path(const View& view) {
    std::vector<Hint> hints;
    return answer<std::vector<HintStep>>(list_hints(view, hints), [&](std::vector<HintStep>& out) {
        const std::vector<Sentence> said = sentences(view, hints);
        for (std::size_t i = 0; i < hints.size(); ++i) out.push_back({hints[i], {}, said[i]});
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

Answer<std::vector<HintStep>> chain(const View& view, const CellBytes& flagged) {
    return answer<std::vector<HintStep>>(check_known(view, flagged),
                                         [&](auto& out) { return find_chain(view, flagged, out); });
}

Answer<Paths> whole_path(const View& view) {
    const auto all = std::numeric_limits<std::size_t>::max();
    return answer<Paths>({}, [&](Paths& out) { return find_view_path(view, {}, all, out); });
}

Answer<std::vector<UnavoidableGuess>> unavoidable_guesses(const View& view, std::size_t most_layouts) {
    return answer<std::vector<UnavoidableGuess>>(
        both(check_counted(view), expect(most_layouts <= 100'000, "at most 100000 layouts", most_layouts)),
        [&](auto& out) { return find_unavoidable_guesses(view, most_layouts, out); });
}

Answer<std::vector<Rated>> rate(const View& view, const CellBytes& known, const std::string& strategy) {
    const Answer<const Strategy*> named = engine::strategy(strategy);
    return answer<std::vector<Rated>>(both(check_ratable(view, known), named),
                                      [&](auto& out) { out = mines::rate(view, known, *named.found); });
}

Answer<std::vector<Rated>> rate_by_rollouts(const View& view, const CellBytes& known, const RolloutOptions& options) {
    return answer<std::vector<Rated>>(check_ratable(view, known),
                                      [&](auto& out) { out = mines::rate_by_rollouts(view, known, options); });
}

Answer<Evaluation> evaluate(const View& view, const CellBytes& known) {
    return answer<Evaluation>(check_ratable(view, known), [&](Evaluation& out) { out = mines::evaluate(view, known); });
}

Answer<std::vector<Compared>> compare(const View& view, const CellBytes& known, const std::vector<int>& cells) {
    Result valid = check_ratable(view, known);
    for (const int cell : cells) valid = both(std::move(valid), check_hidden(view, cell));
    return answer<std::vector<Compared>>(std::move(valid),
                                         [&](auto& out) { out = mines::compare(view, known, cells); });
}

Answer<ClueLogs> clue_layouts(const View& view, int cell) {
    return answer<ClueLogs>(check_hidden(view, cell), [&](ClueLogs& logs) {
        logs.fill(-std::numeric_limits<double>::infinity());
        Closure before = closure_of(view);
        before.apply_few_clues();
        Counter counter;
        for (int clue = 0; clue <= kNeighbours && !before.inconsistent(); ++clue) {
            Closure after = before;
            after.open(after.field().from_number(cell), clue);
            const Fit fit = after.inconsistent() ? Fit::inconsistent : counter.count(after.field());
            if (fit == Fit::too_wide) return fit;
            if (fit == Fit::ok) logs[clue] = counter.log_weight();
        }
        return Fit::ok;
    });
}

Answer<CellBytes> draw_layout(const View& view, int cell, int mine, std::uint64_t seed, std::uint64_t stream) {
    return answer<CellBytes>(mine < 0 ? Result() : check_hidden(view, cell), [&](CellBytes& out) {
        Closure known = closure_of(view);
        if (mine >= 0) known.mark(known.field().from_number(cell), mine != 0);
        return mines::draw_layout(known, seed, stream, out);
    });
}

Answer<std::pair<CellBytes, CellBytes>> counterexample(const View& view, int cell) {
    return answer<std::pair<CellBytes, CellBytes>>(both(check_counted(view), check_hidden(view, cell)), [&](auto& out) {
        return find_counterexample(view, cell, out.first, out.second);
    });
}

Answer<Judgement> judge(const View& view, const CellBytes& known, const std::vector<int>& cells) {
    Result valid = both(expect(!cells.empty(), "one or more hidden cells"), check_ratable(view, known));
    for (const int cell : cells) valid = both(std::move(valid), check_hidden(view, cell));
    return answer<Judgement>(std::move(valid), [&](Judgement& out) -> Result {
        const Answer<CellBytes> found = known.empty() ? closure(view) : Answer<CellBytes>();
        if (!found.ok()) return found;
        return judge_click(view, known.empty() ? found.found : known, cells, out);
    });
}

Answer<Judgement> review(View& view, const CellBytes& mine, const std::vector<int>& cells) {
    Answer<Judgement> judged = judge(view, {}, cells);
    for (const int cell : cells)
        if (judged.ok() && view.cells[cell] == kHidden) open_cell(view, mine, cell);
    return judged;
}

Answer<bool> open(View& view, const CellBytes& mine, int cell) {
    return answer<bool>(check_cell(view, cell),
                        [&](bool& safe) { safe = view.cells[cell] != kHidden || open_cell(view, mine, cell); });
}

Answer<CellBytes> chord(const View& view, const CellBytes& flags, int cell) {
    return answer<CellBytes>(check_cell(view, cell), [&](CellBytes& out) { out = chorded(view, flags, cell); });
}

Answer<CellBytes> kaboom_verdicts(const View& view, unsigned rules) {
    return answer<CellBytes>(check_counted(view), [&](CellBytes& out) {
        const Fit fit = mines::kaboom_verdicts(view, rules_of(rules), out);
        std::vector<UnavoidableGuess> guesses;
        // Without a proof that a guess is unavoidable, it is not granted early.
        if (fit == Fit::ok && rules_of(rules).unavoidable_early) find_unavoidable_guesses(view, kMostLayouts, guesses);
        for (const UnavoidableGuess& guess : guesses)
            for (const int cell : guess.cells) out[cell] = static_cast<std::uint8_t>(Why::forced_guess);
        return fit;
    });
}

Answer<KaboomClick> kaboom_click(View& view, unsigned rules, int why, int cell, std::uint64_t seed,
                                 std::uint64_t clicks) {
    const Result wrong = both(check_counted(view), check_hidden(view, cell));
    Result valid = both(wrong, expect(why < MINES_OPEN_CELL, "a verdict", why));
    return answer<KaboomClick>(std::move(valid), [&](KaboomClick& out) -> Result {
        out.why = static_cast<Why>(why);
        if (why < 0) {
            const Answer<CellBytes> judged = kaboom_verdicts(view, rules);
            if (!judged.ok()) return judged;
            out.why = static_cast<Why>(judged.found[cell]);
        }
        return mines::kaboom_click(view, rules_of(rules), out.why, cell, seed, clicks, out.layout);
    });
}

Answer<std::vector<BoardReading>> read_picture(const Picture& picture, const Lattice* known) {
    const std::int64_t width = picture.width, height = picture.height;
    Result valid = both(
        expect(width > 0 && height > 0 && picture.stride >= 3 * width,
               "a width and height of at least 1, and rows of at least 3 bytes for each pixel"),
        expect(width * height <= kMostPixels, "at most " + std::to_string(kMostPixels) + " pixels", width * height));
    if (known)
        valid = both(valid,
                     expect(is_lattice(*known), "lines from left to right, from top to bottom, of at least 4 cells"));
    return answer<std::vector<BoardReading>>(std::move(valid), [&](std::vector<BoardReading>& out) -> Result {
        BoardReading one;
        if (!known)
            out = read_boards(picture);
        else if (read_board(picture, *known, true, one))
            out.push_back(std::move(one));
        return out.empty() ? MINES_NONE : MINES_OK;
    });
}

}  // namespace engine
}  // namespace mines
