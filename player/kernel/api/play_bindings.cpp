// Playing games, rating guesses, and best play.
#include <algorithm>
#include <limits>
#include <memory>
#include <tuple>
#include <utility>
#include <variant>

#include "api/bindings.hpp"
#include "explain/rules.hpp"
#include "search/games.hpp"
#include "search/guesser.hpp"
#include "search/optimal.hpp"
#include "search/play.hpp"
#include "search/rollout.hpp"

namespace mines {
namespace {

constexpr int kMostThreads = 256;
constexpr double kMostSeconds = 86'400;

// Won, opened, guesses, seconds of one game.
using Result = std::tuple<bool, int, int, double>;
// Cell, safety, progress, value.
using Rated = std::tuple<int, double, double, double>;

Strategy strategy_named(const std::string& name) {
    if (name == "safest") return Strategy::safest;
    if (name == "progress") return Strategy::progress;
    if (name == "lookahead") return Strategy::lookahead;
    if (name != "champion")
        throw std::invalid_argument("unknown strategy; the kernel has safest, progress, lookahead, champion");
    return Strategy::champion;
}

// The strategies that finish the games of rollouts.
Strategy base_named(const std::string& name) { return name == "quick" ? Strategy::quick : strategy_named(name); }

int checked_threads(std::int64_t threads) {
    expect(1 <= threads && threads <= kMostThreads, "1 to 256 threads: ", threads);
    return static_cast<int>(threads);
}

RolloutOptions read_options(std::int64_t layouts, double seconds, std::int64_t threads, const std::string& base,
                            std::int64_t most_unknown) {
    expect(1 <= layouts && layouts <= std::numeric_limits<int>::max(), "1 to 2147483647 layouts: ", layouts);
    expect(0 <= seconds && seconds <= kMostSeconds, "0 to 86400 seconds: ", seconds);
    expect(0 <= most_unknown && most_unknown <= std::numeric_limits<int>::max(),
           "0 to 2147483647 cells: ", most_unknown);
    return {static_cast<int>(layouts), seconds, checked_threads(threads), base_named(base),
            static_cast<int>(most_unknown)};
}

// A strategy name, or options of rollouts.
using PlayerChoice = std::variant<std::string, RolloutOptions>;

Choose chooser(const PlayerChoice& player) {
    if (const auto* const name = std::get_if<std::string>(&player)) {
        const auto guesser = std::make_shared<Guesser>(strategy_named(*name), 1);
        return [guesser](const Field& field) { return guesser->chosen(field); };
    }
    const auto rollout = std::make_shared<Rollout>(std::get<RolloutOptions>(player));
    return [rollout, closure = Closure()](const Field& field) mutable {
        closure.reset(field);
        const bool chosen = rollout->choose(closure);
        return chosen ? rollout->trials().front().candidate.cell : -1;
    };
}

// Plays games and times them.
class Series {
  public:
    explicit Series(const PlayerChoice& player) : player_(chooser(player)) {}

    void play(const Puzzle& puzzle) {
        const auto started = std::chrono::steady_clock::now();
        const GameOutcome outcome = player_.play(puzzle);
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - started;
        results_.emplace_back(outcome.won, outcome.opened, outcome.guesses, seconds.count());
    }

    const std::vector<Result>& results() const { return results_; }

  private:
    Player player_;
    std::vector<Result> results_;
};

std::vector<Result> play_boards(const MineMaps& mine_maps, const Numbers& clicks, const NativeGrid& grid,
                                const PlayerChoice& player) {
    Series series(player);
    each_puzzle(mine_maps, clicks, grid, [&](const Puzzle& puzzle) { series.play(puzzle); });
    return series.results();
}

std::vector<Result> play_sampled(const Recipe& recipe, std::uint64_t first, std::uint64_t count,
                                 const PlayerChoice& player) {
    Series series(player);
    each_puzzle(recipe, first, count, [&](const Puzzle& puzzle) { series.play(puzzle); });
    return series.results();
}

// The positions of games before their clicks, in arrays: see kernel_api.PlayedPositions.
class Recorder {
  public:
    Recorder(const std::string& strategy, bool guesses_only)
        : guesser_(strategy_named(strategy), 1), guesses_only_(guesses_only) {}

    void play(const Puzzle& puzzle) {
        view_.assign(puzzle.mine.size(), -1);
        int turn = 0;
        Player player([this](const Field& field) { return guesser_.chosen(field); });
        const Watch watch = [&](Index cell, bool guess) {
            if (guess || !guesses_only_) add(player.closure(), cell, guess, turn);
            ++turn;
        };
        won_.push_back(player.play(puzzle, watch).won);
        positions_.push_back(static_cast<std::int64_t>(turn_.size()));
    }

    nb::tuple tuple() const {
        return nb::make_tuple(bytes(views_), bytes(positions_), bytes(turn_), bytes(cell_), bytes(win_), bytes(won_));
    }

  private:
    template <class Value>
    static nb::bytearray bytes(const std::vector<Value>& data) {
        return nb::bytearray(data.data(), data.size() * sizeof(Value));
    }

    void add(const Closure& closure, Index cell, bool guess, int turn) {
        const Field& field = closure.field();
        field.each_cell([&](Index number, Index i) {
            if (view_[number] < 0 && field.state[i] == kOpen) view_[number] = static_cast<std::int8_t>(closure.clue(i));
        });
        views_.insert(views_.end(), view_.begin(), view_.end());
        turn_.push_back(turn);
        cell_.push_back(field.number(cell));
        double win = std::numeric_limits<double>::quiet_NaN();
        if (guess && guesser_.solved()) {
            guesser_.solved_cells(field, cells_);
            if (static_cast<int>(cells_.size()) == field.unknown_left) win = guesser_.candidates().front().value;
        }
        win_.push_back(win);
    }

    Guesser guesser_;
    bool guesses_only_;
    std::vector<std::int8_t> view_, views_;
    std::vector<std::int64_t> positions_;  // number of positions up to the end of each game
    std::vector<std::int32_t> turn_, cell_;
    std::vector<double> win_;
    std::vector<std::uint8_t> won_;
    std::vector<Index> cells_;
};

nb::tuple record_boards(const MineMaps& mine_maps, const Numbers& clicks, const NativeGrid& grid,
                        const std::string& strategy, bool guesses_only) {
    Recorder recorder(strategy, guesses_only);
    each_puzzle(mine_maps, clicks, grid, [&](const Puzzle& puzzle) { recorder.play(puzzle); });
    return recorder.tuple();
}

nb::tuple record_sampled(const Recipe& recipe, std::uint64_t first, std::uint64_t count, const std::string& strategy,
                         bool guesses_only) {
    Recorder recorder(strategy, guesses_only);
    each_puzzle(recipe, first, count, [&](const Puzzle& puzzle) { recorder.play(puzzle); });
    return recorder.tuple();
}

std::vector<Rated> numbered(const Field& field, const std::vector<Candidate>& candidates) {
    std::vector<Rated> rated;
    for (const Candidate& candidate : candidates)
        rated.emplace_back(field.number(candidate.cell), candidate.safety, candidate.progress, candidate.value);
    return rated;
}

// Rate the cells of a position, best first. The list is empty if no cell may be safe.
std::vector<Rated> rate(const Cells& cells, int mines, const NativeGrid& grid, const AnyArray& known,
                        const std::string& strategy) {
    const Closure closure = read_closure(cells, mines, grid, known);
    Guesser guesser(strategy_named(strategy));
    {
        const KernelCall call;
        if (!guesser.choose(closure.field())) return {};
    }
    return numbered(closure.field(), guesser.candidates());
}

// Cell, safety, value by rollouts, and standard error of the value (-1 without rollouts); best first.
std::vector<Rated> rate_by_rollouts(const Cells& cells, int mines, const NativeGrid& grid, const AnyArray& known,
                                    const RolloutOptions& options) {
    const Closure closure = read_closure(cells, mines, grid, known);
    Rollout rollout(options);
    {
        const KernelCall call;
        if (!rollout.choose(closure)) return {};
    }
    std::vector<Rated> rated;
    for (const Trial& trial : rollout.trials()) {
        const bool tried = trial.layouts > 0;
        rated.emplace_back(closure.field().number(trial.candidate.cell), trial.candidate.safety,
                           tried ? trial.value : trial.candidate.value, tried ? trial.error : -1);
    }
    return rated;
}

// Rollouts of cells of one position in common layouts.
class PositionTrials : public Exclusive {
  public:
    PositionTrials(const Cells& cells, int mines, const NativeGrid& grid, const AnyArray& known,
                   const std::string& base, int threads, std::uint64_t seed)
        : root_(read_closure(cells, mines, grid, known)), trials_(base_named(base), checked_threads(threads)) {
        const KernelCall call;
        ready_ = trials_.set_position(root_, seed);
    }

    bool ready() const { return ready_; }

    // Play the cells in layouts from `first` on, one row of each array per layout, for at most `seconds` seconds (0: no
    // limit). Returns the number of rows filled.
    int run(const Numbers& candidates, int first, double seconds, const Array<bool, 2>& safe,
            const Array<double, 2>& value) {
        const Field& field = root_.field();
        std::vector<Index> cells;
        for (std::size_t c = 0; c < candidates.size(); ++c) {
            const std::int64_t cell = candidates(c);
            expect(0 <= cell && cell < field.grid()->size() &&
                       field.state[field.from_number(static_cast<Index>(cell))] == kUnknown,
                   "hidden cells that are not known: ", cell);
            cells.push_back(field.from_number(static_cast<Index>(cell)));
        }
        expect(ready_, "a position whose layouts can be counted");
        expect(first >= 0 && safe.shape(0) == value.shape(0) && safe.shape(0) <= 1'000'000 &&
                   safe.shape(1) == cells.size() && value.shape(1) == cells.size(),
               "a row for each layout and a column for each cell");
        const int count = static_cast<int>(safe.shape(0));
        std::vector<std::uint8_t> all_safe;
        std::vector<double> all_worth;
        const KernelCall call;
        const int played = trials_.run(cells, first, first + count, deadline_after(seconds), all_safe, all_worth);
        std::copy(all_safe.begin(), all_safe.end(), safe.data());
        std::copy(all_worth.begin(), all_worth.end(), value.data());
        return played;
    }

  private:
    Closure root_;
    Trials trials_;
    bool ready_ = false;
};

using Views = Array<std::int8_t, 3>;      // of games
using Statuses = Array<std::uint8_t, 1>;  // each a Status

// Many games in arrays that the caller owns, with an element for each game.
class GameBatch : public Exclusive {
  public:
    GameBatch(const Recipe& recipe, std::size_t count) : games_(recipe.grid, count) {}

    // Start the marked games with puzzles from `index` on. Returns false if one has none.
    bool start(const Recipe& recipe, bool no_guess, const Array<const bool, 1>& which,
               const Array<std::int64_t, 1>& index, const Views& views, const Statuses& statuses) {
        expect(*recipe.grid == games_.grid(), "a recipe of the grid of the games");
        check(views, statuses);
        expect(which.size() == games_.count() && index.size() == games_.count(), "a mark and an index for each game");
        const KernelCall call;
        for (std::size_t i = 0; i < games_.count(); ++i) {
            if (!which(i)) continue;
            statuses(i) = kLost;
            auto puzzle = static_cast<std::uint64_t>(index(i));
            if (!games_.start(i, recipe, no_guess, puzzle, views.data() + i * games_.cells())) return false;
            index(i) = static_cast<std::int64_t>(puzzle);
            statuses(i) = kPlaying;
        }
        return true;
    }

    // Open a cell in each game that is not over, and count the cells that this opened.
    void open(const Numbers& actions, const Views& views, const Statuses& statuses,
              const Array<std::int32_t, 1>& opened) {
        check(views, statuses);
        expect(actions.size() == games_.count() && opened.size() == games_.count(), "an action for each game");
        for (std::size_t i = 0; i < games_.count(); ++i)
            expect(0 <= actions(i) && actions(i) < static_cast<std::int64_t>(games_.cells()), "actions from 0 to ",
                   games_.cells() - 1, ": ", actions(i));
        const KernelCall call;
        for (std::size_t i = 0; i < games_.count(); ++i) {
            opened(i) = 0;
            if (statuses(i) != kPlaying) continue;
            const int found = games_.open(i, static_cast<int>(actions(i)), views.data() + i * games_.cells());
            opened(i) = std::max(found, 0);
            if (found < 0) statuses(i) = kLost;
            if (games_.won(i)) statuses(i) = kWon;
        }
    }

  private:
    void check(const Views& views, const Statuses& statuses) const {
        expect(views.shape(0) == games_.count() && views.shape(1) == static_cast<std::size_t>(games_.grid().rows) &&
                   views.shape(2) == static_cast<std::size_t>(games_.grid().cols),
               "a view for each game");
        expect(statuses.size() == games_.count(), "a status for each game");
    }

    Games games_;
};

// Evaluate every cell, best first; true if the values are exact. The list is empty if the position cannot be counted.
std::pair<bool, std::vector<Rated>> evaluate(const Cells& cells, int mines, const NativeGrid& grid,
                                             const AnyArray& known) {
    const Closure closure = read_closure(cells, mines, grid, known);
    Guesser guesser(Strategy::champion);
    std::vector<Candidate> evaluated;
    bool exact = false;
    {
        const KernelCall call;
        exact = guesser.evaluate(closure.field(), evaluated) == EvaluationKind::exact;
    }
    return {exact, numbered(closure.field(), evaluated)};
}

// Solved, wins, states remembered.
std::tuple<bool, std::int64_t, std::size_t> optimal(const NativeGrid& grid, const std::vector<std::uint32_t>& layouts,
                                                    std::size_t most_states) {
    expect(grid->size() <= Optimal::kMostCells, "a board of 1 to 32 cells: ", grid->rows, "x", grid->cols);
    expect(layouts.size() <= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()), "fewer layouts");
    for (const std::uint32_t layout : layouts)
        expect(std::uint64_t{layout} >> grid->size() == 0, "mines on the board: ", layout);
    const KernelCall call;
    Optimal game(*grid, most_states);
    const bool solved = game.solve(layouts);
    return {solved, game.wins(), game.states()};
}

}  // namespace

void bind_play(nb::module_& module) {
    module.def("play", &play_boards, "mine_maps"_a.noconvert(), "clicks"_a.noconvert(), "grid"_a, "player"_a);
    module.def("play_sampled", &play_sampled, "recipe"_a, "first"_a, "count"_a, "player"_a);
    module.def("record", &record_boards, "mine_maps"_a.noconvert(), "clicks"_a.noconvert(), "grid"_a, "strategy"_a,
               "guesses_only"_a);
    module.def("record_sampled", &record_sampled, "recipe"_a, "first"_a, "count"_a, "strategy"_a, "guesses_only"_a);
    module.def("rate", &rate, "cells"_a.noconvert(), "mines"_a, "grid"_a, "known"_a.noconvert(), "strategy"_a);
    nb::class_<RolloutOptions>(module, "RolloutOptions")
        .def(nb::new_(&read_options), "layouts"_a, "seconds"_a, "threads"_a, "base"_a, "most_unknown"_a);
    module.def("rate_by_rollouts", &rate_by_rollouts, "cells"_a.noconvert(), "mines"_a, "grid"_a, "known"_a.noconvert(),
               "options"_a);
    nb::class_<PositionTrials>(module, "Trials")
        .def(nb::init<const Cells&, int, const NativeGrid&, const AnyArray&, const std::string&, int, std::uint64_t>(),
             "cells"_a.noconvert(), "mines"_a, "grid"_a, "known"_a.noconvert(), "base"_a, "threads"_a, "seed"_a)
        .def_prop_ro("ready", &PositionTrials::ready)
        .def("run", exclusive(&PositionTrials::run), "candidates"_a.noconvert(), "first"_a, "seconds"_a,
             "safe"_a.noconvert(), "value"_a.noconvert());
    nb::class_<GameBatch>(module, "Games")
        .def(nb::init<const Recipe&, std::size_t>(), "recipe"_a, "count"_a)
        .def("start", exclusive(&GameBatch::start), "recipe"_a, "no_guess"_a, "which"_a.noconvert(),
             "index"_a.noconvert(), "views"_a.noconvert(), "statuses"_a.noconvert())
        .def("open", exclusive(&GameBatch::open), "actions"_a.noconvert(), "views"_a.noconvert(),
             "statuses"_a.noconvert(), "opened"_a.noconvert());
    module.def("evaluate", &evaluate, "cells"_a.noconvert(), "mines"_a, "grid"_a, "known"_a.noconvert());
    module.def("best_play", &optimal, "grid"_a, "layouts"_a, "most_states"_a);
}

}  // namespace mines
