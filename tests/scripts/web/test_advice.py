"""Help of the engine in the browser: it is correct, and it follows from the view."""

from collections.abc import Iterator
from itertools import combinations
from random import Random
from typing import Any

import numpy as np
import pytest
from conftest import Advise

from minesweeper import Grid, InconsistentView, Recipe, analyse, closure, probabilities, read_position, solve
from minesweeper.player.core.board import HIDDEN, Board, Puzzle, View, cells_of
from minesweeper.player.core.game import Game, Status
from minesweeper.player.play.kaboom import Kaboom, Rules, Why

# In the first row the middle cell is safe, its neighbours are mines, and the ends are safe.
PUZZLE = Puzzle(Board.from_text(".*.*.\n.....\n....."), (2, 0))
WIDE = View.from_text("\n".join(("#" * 100, *["#1" * 50, "#" * 100] * 14)), 900)


def position_of(view: View, flags: Any = (), rules: dict[str, Any] | None = None) -> dict[str, Any]:
    rows, cols = view.cells.shape
    size = {"rows": rows, "cols": cols, "mines": view.mines, "cells": view.lines}
    return size | {"flags": [list(cell) for cell in flags], "rules": rules}


def games(seeds: range) -> Iterator[View]:
    """Yield views of random games in which certain cells, and sometimes others, are opened."""
    for seed in seeds:
        random = Random(seed)
        name = ("9x9/10", "16x16/40", "16x30/99")[seed % 3]
        puzzle = Recipe(name, seed=seed).puzzle(0)
        game = Game(puzzle)
        while game.status is Status.PLAYING:
            yield game.view
            known = closure(game.view)
            safe = cells_of(
                known.safe_map if known.safe_map.any() else (game.view.cells == HIDDEN) & ~puzzle.board.mine_map
            )
            for cell in random.sample(safe, min(len(safe), 5)):
                game.open(cell)


def test_hints_and_chances_are_those_of_logic(advise: Advise) -> None:
    guesses = 0
    for view in games(range(6)):
        known = closure(view, "sat")
        position = position_of(view, cells_of(known.mine_map)[::2])
        hint, answer = advise("hint", position), advise("chances", position)
        expected = probabilities(view)
        found = np.array(answer["chances"], dtype=float)
        np.testing.assert_allclose(found, expected.chances, atol=1e-6)
        assert set(map(tuple, np.argwhere(found == 0).tolist())) == set(cells_of(known.safe_map))
        assert set(map(tuple, np.argwhere(found == 1).tolist())) == set(cells_of(known.mine_map))
        may = advise("may-guess", position)
        certain = advise("certain", position)
        assert certain["safe"] == [list(cell) for cell in cells_of(known.safe_map)]
        assert certain["mines"] == [list(cell) for cell in cells_of(known.mine_map)]
        assert may["allowed"] == (not known.safe_map.any())
        if hint["found"]:
            assert all(known.safe_map[tuple(cell)] for cell in hint["safe"])
            assert all(known.mine_map[tuple(cell)] for cell in hint["mines"])
            assert not {tuple(cell) for cell in hint["mines"]} & {tuple(cell) for cell in position["flags"]}
        if known.safe_map.any():
            assert (answer["best"], certain["guess"]) == (None, None)
            continue
        guesses += 1
        guess = certain["guess"]
        row, col = answer["best"]
        assert [row, col] == list(solve(view).best or ()) == guess["cell"]
        assert guess["mine_probability"] == answer["chances"][row][col]
        first, second = (Board.from_cells(view.grid, map(tuple, mines)) for mines in guess["layouts"])
        for board in (first, second):
            shown = view.cells != HIDDEN
            assert board.mines == view.mines
            assert (board.clues[shown] == view.cells[shown]).all()
        assert first.mine_map[row, col] != second.mine_map[row, col]
    assert guesses


def test_a_hint_names_the_cells_and_the_clues_and_says_why(advise: Advise) -> None:
    hint = advise("hint", position_of(PUZZLE.view))
    assert (hint["tier"], hint["tier_name"], hint["reason"]["mine_count"]) == (2, "2 clues", False)
    assert [0, 2] in hint["safe"]
    assert len(hint["reason"]["clues"]) == 2
    for clue in hint["reason"]["clues"]:
        assert str(tuple(clue)) in hint["words"][0]


def test_the_page_and_analyse_give_the_same_hint(advise: Advise) -> None:
    """The page showed the way to a safe cell, here (2, 13), and `analyse` the easiest step, that (3, 13) is a mine."""
    expert = Recipe("expert", seed=7).puzzle(0).view
    assert [step.cell for step in analyse(expert).chain] == [(3, 13), (2, 13)]
    for view in (expert, *games(range(6))):
        hint = advise("hint", position_of(view))
        *mines, safe = analyse(view).chain
        assert hint["found"] == bool(safe.safe)
        if hint["found"]:
            assert hint["words"] == [safe.in_words(), *(f"since {step.in_words()}" for step in mines)]


def test_wrong_flags_are_found_by_logic_alone(advise: Advise) -> None:
    safe, mine = cells_of(closure(PUZZLE.view).safe_map)[0], cells_of(closure(PUZZLE.view).mine_map)[0]
    answer = advise("check-flags", position_of(PUZZLE.view, [safe, mine]))
    assert (answer["wrong"], answer["unproven"]) == ([list(safe)], [])
    assert answer["words"] == "Certain to be wrong: 1 of 2 flags."
    assert advise("check-flags", position_of(PUZZLE.view))["words"] == "There are no flags to check."


def test_a_loss_is_explained_from_the_view_before_it(advise: Advise) -> None:
    position = position_of(PUZZLE.view)
    known_mine = advise("explain", position, cell=[0, 1])
    assert known_mine["reason"]["clues"]
    assert "(0, 1)" in known_mine["words"]
    assert all(not PUZZLE.board.mine_map[tuple(cell)] for cell in known_mine["hint"]["safe"])
    # A single clue with hidden neighbours: nothing is certain.
    forced = advise("explain", position_of(View.from_text("1#\n##", 1)), cell=[0, 1])
    assert (forced["words"], forced["safe"], forced["hint"]) == (
        "Nothing was certain, so you had to guess: bad luck.",
        [],
        None,
    )
    needless = advise("explain", position_of(View.from_text("11##\n####", 2)), cell=[1, 3])
    assert needless["words"] == "It was a guess, though other cells were certain to be safe."


@pytest.mark.parametrize("rules", [Rules(opening_start=False, outside_counts=outside) for outside in (True, False)])
def test_hints_and_verdicts_survive_kaboom(advise: Advise, rules: Rules) -> None:
    """A hint once named the cell with the lowest chance of a mine even if the adversary grants no guess there."""
    options = {name: getattr(rules, name) for name in ("opening_start", "guess_anywhere", "outside_counts", "mode")}
    guesses, seen = 0, set()
    for seed in range(4):
        kaboom = Kaboom("6x6/9", rules=rules, seed=seed)
        assert advise("hint", position_of(kaboom.view, rules=options))["guess"] is None
        kaboom.click((0, 0))
        while kaboom.status is Status.PLAYING:
            position = position_of(kaboom.view, cells_of(kaboom.mine_map), options)
            verdicts = advise("verdicts", position)
            hidden = [list(cell) for cell in cells_of(kaboom.view.cells == HIDDEN)]
            assert sorted(cell for cells in verdicts.values() for cell in cells) == hidden
            assert verdicts["safe"] == [list(cell) for cell in cells_of(kaboom.safe_map)]
            assert verdicts["mines"] == [list(cell) for cell in cells_of(kaboom.mine_map)]
            assert verdicts["granted"] == [list(cell) for cell in cells_of(kaboom.guessable)]
            seen |= {name for name, cells in verdicts.items() if cells}
            assert advise("may-guess", position)["allowed"] == bool(verdicts["granted"])
            for name, whys in (("refused", {Why.NEEDLESS_GUESS, Why.OUTSIDE}), ("mines", {Why.PROVEN_MINE})):
                for cell in verdicts[name][:1]:
                    why = kaboom.click((cell[0], cell[1])).why
                    assert why in whys
                    assert advise("explain", position, cell=cell, why=why)["words"]
                    kaboom.undo()
            hint = advise("hint", position)
            guesses += not hint["found"]
            row, col = hint["safe"][0] if hint["found"] else hint["guess"]["cell"]
            assert kaboom.click((row, col)).survived
        assert kaboom.status is Status.WON
    assert guesses
    assert seen == {"safe", "mines", "granted", "refused"}


def test_before_the_first_click_no_help_says_that_one_must_guess(advise: Advise) -> None:
    position = position_of(View.hidden(Grid(9, 9), 10))
    words = {advise(question, position)["words"] for question in ("hint", "certain", "may-guess")}
    assert words == {"The first click is always safe: open any cell."}


def test_positions_are_analysed(advise: Advise) -> None:
    position = advise("read", {"text": "2x3/1\n1##\n1##"})
    assert position == {"rows": 2, "cols": 3, "mines": 1, "cells": ["1##", "1##"]}
    answer = advise("analyse", position)
    assert answer["consistent"]
    assert answer["safe_cells"] == [[0, 2], [1, 2]]
    assert answer["probabilities"] == [[None, 0.5, 0.0], [None, 0.5, 0.0]]
    assert answer["explanation"][0]["safe"]
    assert "expected a first line ROWSxCOLS/MINES" in advise("read", {"text": "##"})["error"]
    assert "There is no text yet" in advise("read", {"text": " \n"})["error"]
    assert "1 to 100 rows" in advise("analyse", position_of(View.hidden(Grid(101, 2), 3)))["error"]
    assert advise("read", {"text": "##", "mines": 1})["mines"] == 1


def test_the_page_reads_positions_as_people_write_them(advise: Advise) -> None:
    view = View.from_text("2x3/1\n#1#\n#1#")
    assert advise("read", {"text": "what?"}) is None
    assert advise("read", {"text": "h1h\nh1f", "mines": 1})["cells"] == view.lines
    typed = ("\u2b1c1\u2b1c\n\u2b1c 1 \u2b1c", "#,1,#\n#,1,#", "|#|1|#|\n|#|1|#|", ".1.\n.1.")
    named = ("3x2x1\nH1H\nF1H", "2x3/1\n_1_\n_1_", "board 2x3/1\n  0 1 2\n0 # 1 #\n1 # 1 #\n\nhard")
    for text, mines in (*((text, 1) for text in typed), *((text, None) for text in named)):
        found = advise("read", {"text": text, "mines": mines})
        assert (found["cells"], found["mines"]) == (view.lines, 1), text
        assert read_position(text, mines) == view


def test_layouts_are_counted_exactly_with_and_without_an_assumed_cell(advise: Advise) -> None:
    view = View.from_text("4x4/4\n####\n#2##\n##1#\n####")
    hidden = cells_of(view.cells == HIDDEN)
    boards = [Board.from_cells(view.grid, mines) for mines in combinations(hidden, view.mines)]
    fitting = [board for board in boards if (board.clues == view.cells)[view.cells != HIDDEN].all()]
    position = position_of(view)
    for cell in hidden:
        mined = sum(bool(board.mine_map[cell]) for board in fitting)
        (words,) = advise("layouts", position, cell=cell)["words"]
        assert words.startswith(f"{cell} is a mine in {mined} of {len(fitting)} layouts: ")
        for mine in (False, True):
            found = advise("layouts", position, assumed=[[cell, mine]])
            left = [board.mine_map for board in fitting if board.mine_map[cell] == mine]
            assert f"Layouts that fit: {len(left)}." in found["words"]
            expected = np.where(view.cells == HIDDEN, np.mean(left, axis=0), np.nan)
            np.testing.assert_allclose(np.array(found["chances"], dtype=float), expected)
    clash = advise("layouts", position_of(View.from_text("#1#", 1)), assumed=[[[0, 0], True], [[0, 2], True]])
    assert clash["words"][1] == "That contradicts the clues."


def test_a_contradiction_is_marked_by_clues_none_of_which_can_be_left_out(advise: Advise) -> None:
    text = "5#1##\n##111\n####0\n22###\n#####"
    answer = advise("analyse", position_of(View.from_text(text, 6)))
    assert not answer["consistent"]
    view = View.from_text(text, 6)

    def only(clues: list[list[int]]) -> View:
        cells = np.full_like(view.cells, HIDDEN)
        for row, col in clues:
            cells[row, col] = view.cells[row, col]
        return View(cells, view.mines)

    with pytest.raises(InconsistentView):
        closure(only(answer["clash"]))
    for left in answer["clash"]:
        closure(only([clue for clue in answer["clash"] if clue != left]))


def test_positions_too_large_for_the_engine_are_refused_in_one_sentence(advise: Advise) -> None:
    assert advise("hint", position_of(WIDE))["kind"] == "TooWide"


def test_moves_of_the_strategies_win_and_lose(advise: Advise) -> None:
    for strategy in ("safest", "progress", "lookahead", "champion"):
        game = Game(Recipe("9x9/10", click=(4, 4), seed=3).puzzle(0).board)
        flags: set[Any] = set()
        while game.status is Status.PLAYING:
            move = advise("move", position_of(game.view, flags), strategy=strategy, first=[4, 4])
            known = closure(game.view)
            assert ("ratings" in move) == (move["reason"] == "guess")
            if move["reason"] not in ("guess", "first click"):
                assert all(known.safe_map[tuple(cell)] for cell in move["cells"])
            flags |= {tuple(cell) for cell in move["mines"]}
            for row, col in move["cells"]:
                game.open((row, col))
        assert game.status in (Status.WON, Status.LOST)
