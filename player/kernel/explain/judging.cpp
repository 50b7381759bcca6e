#include "explain/judging.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "explain/counterexample.hpp"

namespace mines {
namespace {

constexpr double kDigits = 1e9;

double rounded(double probability) { return std::nearbyint(probability * kDigits) / kDigits; }

bool contains(const CellBytes& known, Known mark) { return std::find(known.begin(), known.end(), mark) != known.end(); }

// The view with its known mines only: strategies read no more.
Closure known_mines(const View& view, CellBytes known) {
    for (std::uint8_t& mark : known) mark = mark == kKnownMine ? mark : std::uint8_t{kMaybe};
    return closure_of(view, known);
}

// Return the probability that no cell is a mine, by the number of layouts in which all are safe.
double safety_of(const View& view, const CellBytes& known, const std::vector<int>& cells, const Chances& counted) {
    CellBytes given = known;
    int unsafe = 0;
    double mine = 0;
    for (const int cell : cells) {
        if (known[cell] == kKnownMine) return 0;
        unsafe += given[cell] == kMaybe;
        mine += given[cell] == kMaybe ? counted.mine[cell] : 0;
        given[cell] = kKnownSafe;
    }
    if (unsafe < 2) return 1 - mine;
    Chances all_safe;
    const Fit fit = find_chances(view, given, all_safe);
    return fit == Fit::ok ? std::exp(all_safe.log_layouts - counted.log_layouts) : 0;
}

ClickKind kind_of(const View& view, const CellBytes& known, const std::vector<int>& cells) {
    const auto is = [&known](Known mark) { return [&known, mark](int cell) { return known[cell] == mark; }; };
    if (all_hidden(view)) return ClickKind::first_click;
    if (std::any_of(cells.begin(), cells.end(), is(kKnownMine))) return ClickKind::known_mine;
    if (std::all_of(cells.begin(), cells.end(), is(kKnownSafe))) return ClickKind::certain;
    return contains(known, kKnownSafe) ? ClickKind::needless_guess : ClickKind::forced_guess;
}

// Return the value that a click loses, NaN if it is not known.
double loss_of(ClickKind kind, const std::vector<int>& cells, const std::vector<Rated>& guesses) {
    if (kind == ClickKind::certain) return 0;
    if (guesses.empty()) return kNaN;
    if (kind == ClickKind::known_mine) return guesses.front().value;
    if (kind != ClickKind::forced_guess || cells.size() > 1) return kNaN;
    const auto chosen =
        std::find_if(guesses.begin(), guesses.end(), [&](const Rated& one) { return one.cell == cells[0]; });
    return chosen == guesses.end() ? kNaN : guesses.front().value - chosen->value;
}

// Number candidates by cells.
std::vector<Rated> numbered(const Field& field, const std::vector<Candidate>& candidates) {
    std::vector<Rated> rated;
    for (const Candidate& one : candidates)
        rated.push_back({field.number(one.cell), one.safety, one.progress, one.value});
    return rated;
}

// The first criterion by which a guess is worse than the best one. Unknown numbers are never less.
const char* why_worse(const Prospect& best, const Prospect& other) {
    const auto less = [](double a, double b) { return a < b - 1 / kDigits; };
    if (less(other.win, best.win)) return "guess.win";
    if (less(other.safety, best.safety)) return "guess.safety";
    if (less(other.progress, best.progress)) return "guess.progress";
    if (less(other.second, best.second)) return "guess.second";
    return less(best.safety, other.safety) || less(best.second, other.second) ? "guess.further" : "guess.equal";
}

}  // namespace

std::vector<Rated> rate(const View& view, const CellBytes& known, const Strategy& strategy) {
    const Closure closure = known_mines(view, known);
    Guesser guesser(strategy);
    if (!guesser.choose(closure.field())) return {};
    return numbered(closure.field(), guesser.candidates());
}

std::vector<Compared> compare(const View& view, const CellBytes& known, const std::vector<int>& cells) {
    const Closure closure = known_mines(view, known);
    const Field& field = closure.field();
    std::vector<Index> places;
    for (const int cell : cells) places.push_back(field.from_number(cell));
    std::vector<Compared> compared;
    for (const Prospect& one : Guesser("lookahead").prospects(field, places)) {
        compared.push_back({one});
        compared.back().cell = field.number(one.cell);
        if (compared.size() > 1) compared.back().why = why_worse(compared.front(), one);
    }
    return compared;
}

std::vector<Rated> rate_by_rollouts(const View& view, const CellBytes& known, const RolloutOptions& options) {
    const Closure closure = known_mines(view, known);
    Rollout rollout(options);
    if (!rollout.choose(closure)) return {};
    std::vector<Candidate> candidates;
    for (const Trial& trial : rollout.trials()) {
        candidates.push_back(trial.candidate);
        if (trial.layouts > 0) candidates.back().value = trial.value;
    }
    return numbered(closure.field(), candidates);
}

Evaluation evaluate(const View& view, const CellBytes& known) {
    const Closure closure = known_mines(view, known);
    std::vector<Candidate> found;
    Evaluation evaluation;
    evaluation.kind = Guesser("champion").evaluate(closure.field(), found);
    evaluation.ratings = numbered(closure.field(), found);
    for (Rated& one : evaluation.ratings) {
        one.safety = rounded(one.safety);
        one.value = rounded(one.value);
    }
    std::sort(evaluation.ratings.begin(), evaluation.ratings.end(), [](const Rated& a, const Rated& b) {
        return a.value != b.value ? a.value > b.value : a.safety != b.safety ? a.safety > b.safety : a.cell < b.cell;
    });
    return evaluation;
}

Fit judge_click(const View& view, const CellBytes& known, const std::vector<int>& cells, Judgement& out) {
    out = {};
    out.kind = kind_of(view, known, cells);
    Chances counted;
    const Fit fit = find_chances(view, known, counted);
    if (fit == Fit::inconsistent) return fit;
    const auto first_safe = std::find(known.begin(), known.end(), kKnownSafe);
    if (first_safe != known.end()) {
        out.best_cell = static_cast<int>(first_safe - known.begin());
    } else {
        const std::vector<Rated> best = rate(view, known, *Guesser::find("champion"));
        if (!best.empty()) out.best_cell = best.front().cell;
        if (out.kind != ClickKind::first_click) out.guesses = evaluate(view, known);
    }
    out.safety = fit == Fit::ok ? safety_of(view, known, cells, counted) : kNaN;
    out.best_safety = fit == Fit::ok && out.best_cell >= 0 ? 1 - counted.mine[out.best_cell] : kNaN;
    out.chances = std::move(counted.mine);
    out.loss = loss_of(out.kind, cells, out.guesses.ratings);
    if (out.kind == ClickKind::first_click || out.kind == ClickKind::certain) return Fit::ok;
    const Known doubt = out.kind == ClickKind::known_mine ? kKnownMine : kMaybe;
    out.uncertain_cell = *std::find_if(cells.begin(), cells.end(), [&](int cell) { return known[cell] == doubt; });
    if (out.kind == ClickKind::needless_guess) {
        std::vector<HintStep> chain;
        find_chain(view, {}, chain);
        if (!chain.empty()) out.step = std::move(chain.back());
    } else if (out.kind == ClickKind::forced_guess) {
        if (find_counterexample(view, out.uncertain_cell, out.safe_layout, out.mined_layout) != Fit::ok)
            out.safe_layout.clear();
    }
    return Fit::ok;
}

}  // namespace mines
