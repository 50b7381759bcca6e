// Reasons, unavoidable guesses, and the verdicts and layouts of Kaboom.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "api/bindings.hpp"
#include "explain/chain.hpp"
#include "explain/closed_sets.hpp"
#include "explain/hints.hpp"
#include "explain/sentences.hpp"

namespace mines {
namespace {

using Bytes = Array<const std::uint8_t, 2>;  // a `Known` for each cell

// Tier, whether no smaller set of clues exists, safe cells, mines, clues, and the sentence.
nb::tuple hint_tuple(const Hint& hint, const Sentence& says) {
    const int count = says.clue < 0 || says.other >= 0 ? 0 : says.mines;
    const std::vector<int> places(says.places.begin(), says.places.begin() + count);
    const auto sentence =
        nb::make_tuple(says.name, says.clue, says.other, says.count, says.need, says.mines, says.rest, places);
    return nb::make_tuple(hint.tier, hint.smallest, hint.safe, hint.mines, hint.clues, sentence);
}

CellBytes known_cells(const Bytes& given, const Cells& cells) {
    expect(given.shape(0) == cells.shape(0) && given.shape(1) == cells.shape(1), "maps of the size of the view");
    for (std::size_t i = 0; i < given.size(); ++i)
        expect(given.data()[i] <= kKnownMine, "0, 1 (safe) or 2 (a mine) in each cell: ", int{given.data()[i]});
    return {given.data(), given.data() + given.size()};
}

void check_hidden(const View& view, int cell) {
    expect(0 <= cell && static_cast<std::size_t>(cell) < view.cells.size() && view.cells[cell] == kHidden,
           "a hidden cell: ", cell);
}

void check_unknown(const View& view, const CellBytes& known, int cell) {
    check_hidden(view, cell);
    expect(known[cell] == kMaybe, "a cell that is not given: ", cell);
}

nb::tuple easiest_hint(const Cells& cells, int mines, const NativeGrid& grid, const Bytes& given) {
    const View view = read_view(cells, mines, grid);
    const CellBytes known = known_cells(given, cells);
    Hint hint;
    compute_on(view, [&] { return find_hint(view, known, hint); });
    return hint_tuple(hint, Premises(view, known).sentence(hint));
}

nb::list hint_tuples(const std::vector<Hint>& hints, const std::vector<Sentence>& says) {
    nb::list list;
    for (std::size_t at = 0; at < hints.size(); ++at) list.append(hint_tuple(hints[at], says[at]));
    return list;
}

nb::list path_hints(const Cells& cells, int mines, const NativeGrid& grid) {
    const View view = read_view(cells, mines, grid);
    std::vector<Hint> hints;
    compute_on(view, [&] { return list_hints(view, hints); });
    return hint_tuples(hints, sentences(view, hints));
}

nb::list chain_hints(const Cells& cells, int mines, const NativeGrid& grid, const Bytes& flags) {
    const View view = read_view(cells, mines, grid);
    const CellBytes flagged = known_cells(flags, cells);
    std::vector<Hint> hints;
    std::vector<Sentence> says;
    compute_on(view, [&] { return find_chain(view, flagged, hints, says); });
    return hint_tuples(hints, says);
}

nb::tuple reason(const Cells& cells, int mines, const NativeGrid& grid, const Bytes& given, int cell, int most_clues) {
    const View view = read_view(cells, mines, grid);
    const CellBytes known = known_cells(given, cells);
    check_unknown(view, known, cell);
    Hint hint;
    compute_on(view, [&] { return find_reason(view, known, cell, most_clues, hint); });
    return hint_tuple(hint, Premises(view, known).sentence(hint));
}

std::vector<std::vector<int>> corrections(const Cells& cells, int mines, const NativeGrid& grid, const Bytes& given,
                                          int cell, const std::vector<int>& chosen) {
    const View view = read_view(cells, mines, grid);
    const CellBytes known = known_cells(given, cells);
    check_unknown(view, known, cell);
    std::vector<std::vector<int>> found;
    compute_on(view, [&] { return find_corrections(view, known, cell, chosen, found); });
    return found;
}

// Cells of each guess, and two layouts with a byte for each cell.
nb::list unavoidable_guesses(const Cells& cells, int mines, const NativeGrid& grid, std::size_t most_layouts) {
    const View view = read_view(cells, mines, grid);
    std::vector<UnavoidableGuess> guesses;
    compute_on(view, [&] { return find_unavoidable_guesses(view, most_layouts, guesses); });
    nb::list list;
    const auto bytes = [](const CellBytes& layout) { return nb::bytes(layout.data(), layout.size()); };
    for (const UnavoidableGuess& guess : guesses)
        list.append(nb::make_tuple(guess.cells, bytes(guess.layouts[0]), bytes(guess.layouts[1])));
    return list;
}

// A `Why` for each cell, meaningless for open ones.
nb::bytes kaboom_verdicts(const Cells& cells, int mines, const NativeGrid& grid, unsigned rules) {
    const View view = read_view(cells, mines, grid);
    std::vector<Why> why;
    compute_on(view, [&] { return judge(view, rules_of(rules), why); });
    return nb::bytes(why.data(), why.size());
}

// The layout that decides a click in Kaboom on a cell that was judged `why`: a byte for each cell.
nb::bytes kaboom_layout(const Cells& cells, int mines, const NativeGrid& grid, unsigned rules, int why, int cell,
                        std::uint64_t seed, std::uint64_t clicks) {
    View view = read_view(cells, mines, grid);
    check_hidden(view, cell);
    expect(0 <= why && why <= static_cast<int>(Why::outside), "a verdict: ", why);
    CellBytes drawn;
    compute_on(view, [&] { return click(view, rules_of(rules), static_cast<Why>(why), cell, seed, clicks, drawn); });
    return nb::bytes(drawn.data(), drawn.size());
}

}  // namespace

void bind_explain(nb::module_& module) {
    module.def("easiest_hint", &easiest_hint, "cells"_a.noconvert(), "mines"_a, "grid"_a, "given"_a.noconvert());
    module.def("path_hints", &path_hints, "cells"_a.noconvert(), "mines"_a, "grid"_a);
    module.def("chain_hints", &chain_hints, "cells"_a.noconvert(), "mines"_a, "grid"_a, "flags"_a.noconvert());
    module.def("reason", &reason, "cells"_a.noconvert(), "mines"_a, "grid"_a, "given"_a.noconvert(), "cell"_a,
               "most_clues"_a);
    module.def("corrections", &corrections, "cells"_a.noconvert(), "mines"_a, "grid"_a, "given"_a.noconvert(), "cell"_a,
               "chosen"_a);
    module.def("unavoidable_guesses", &unavoidable_guesses, "cells"_a.noconvert(), "mines"_a, "grid"_a,
               "most_layouts"_a);
    module.def("kaboom_verdicts", &kaboom_verdicts, "cells"_a.noconvert(), "mines"_a, "grid"_a, "rules"_a);
    module.def("kaboom_layout", &kaboom_layout, "cells"_a.noconvert(), "mines"_a, "grid"_a, "rules"_a, "why"_a,
               "cell"_a, "seed"_a, "clicks"_a);
}

}  // namespace mines
