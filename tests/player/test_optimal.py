"""Exact optimal play, against an independent game tree in plain Python."""

from fractions import Fraction
from itertools import islice
from math import comb

import numpy as np
import pytest
from game_tree import brute_force
from views import random_views, wins_after

from minesweeper.player import HIDDEN, Cell, Grid, Knowledge, View, closure, count_layouts
from minesweeper.player.core.errors import StrategyError
from minesweeper.player.core.game import Game, Status
from minesweeper.player.core.recipe import Recipe, StartRule
from minesweeper.player.play.strategies.champion import Champion
from minesweeper.player.play.strategies.kernel_strategies import evaluate, rate
from minesweeper.player.play.strategies.optimal import best_play, best_start, different_cells

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize(
    ("rows", "cols", "mines"),
    [(1, 6, 2), (2, 3, 2), (2, 4, 3), (2, 5, 2), (2, 5, 5), (3, 3, 1), (3, 3, 2), (3, 3, 5), (3, 4, 2)],
)
def test_the_best_play_is_what_brute_force_finds(rows: int, cols: int, mines: int) -> None:
    for click in different_cells(Grid(rows, cols)):
        for rule in (StartRule.SAFE, StartRule.OPENING):
            zone = sum(abs(r - click[0]) < 2 and abs(c - click[1]) < 2 for r in range(rows) for c in range(cols))
            if mines > rows * cols - (zone if rule == "opening" else 1):
                continue
            best = best_start(Grid(rows, cols), mines, click, rule)
            expected = brute_force(rows, cols, mines, click[0] * cols + click[1], rule == "opening")
            assert (best.wins, best.layouts) == expected, (click, rule)


def test_symmetric_first_clicks_are_equally_good() -> None:
    rates = {
        best_start(Grid(4, 4), 5, click, StartRule.SAFE).rate for click in [(0, 1), (1, 0), (0, 2), (3, 1), (2, 3)]
    }
    assert len(rates) == 1
    assert different_cells(Grid(4, 4)) == [(0, 0), (0, 1), (1, 1)]
    assert different_cells(Grid(2, 3)) == [(0, 0), (0, 1)]


def test_the_value_of_a_view_is_the_sum_over_its_clues() -> None:
    start = best_start(Grid(4, 4), 6, (1, 1), StartRule.SAFE)
    assert wins_after(View.hidden(Grid(4, 4), 6), (1, 1)) == start.wins


def _guesses(rows: int, cols: int, mines: int, seed: int, games: int) -> list[tuple[View, Knowledge]]:
    """Positions where logic finds no safe cell, in games that continue with a safe guess."""
    found = []
    for index in range(games):
        puzzle = Recipe(Grid(rows, cols), mines, (0, 0), "safe", seed).puzzle(index)
        game = Game(puzzle.board)
        game.open(puzzle.first_click)
        while game.status is Status.PLAYING:
            known = closure(game.view)
            safe = np.argwhere(known.safe_map).tolist()
            if not safe:
                view = game.view
                found.append((view, Knowledge(view, known.safe_map, known.mine_map)))
                safe = np.argwhere((view.cells == HIDDEN) & ~puzzle.board.mine_map)[:1].tolist()
            game.open(tuple(safe[0]))
    return found


@pytest.mark.parametrize(
    ("rows", "cols", "mines", "games"),
    [
        (4, 5, 6, 5),
        (5, 5, 7, 12),
        (3, 8, 7, 10),
        pytest.param(4, 5, 6, 15, marks=pytest.mark.long),
        pytest.param(5, 5, 7, 30, marks=pytest.mark.long),
        pytest.param(3, 8, 7, 30, marks=pytest.mark.long),
    ],
)
def test_the_endgame_solver_of_the_champion_equals_it_at_every_late_position(
    rows: int, cols: int, mines: int, games: int
) -> None:
    seen = whole = 0
    for view, knowledge in _guesses(rows, cols, mines, 3, games):
        if comb(int(np.count_nonzero(view.cells == HIDDEN)), view.mines) > 20_000:
            continue  # early, and slow to list here
        if best_play(view).layouts <= 500:
            seen += 1
            whole += _solves_the_endgame(view, knowledge)
    assert seen > games / 2
    assert whole > seen / 2


def test_the_endgame_solver_of_the_champion_equals_it_at_random_views() -> None:
    known = ((view, closure(view)) for view in random_views(7, 14))
    positions = ((view, Knowledge(view, found.safe_map, found.mine_map)) for view, found in known)
    guesses = (one for one in positions if one[1].uncertain.any() and not one[1].safe_map.any())
    late = (one for one in guesses if 2 <= count_layouts(one[0]) <= 40)
    assert sum(_solves_the_endgame(*one) for one in islice(late, 60)) > 30


def _solves_the_endgame(view: View, knowledge: Knowledge) -> bool:
    """Check that the chosen cell reaches the value of perfect play; return whether the value is that of the whole.

    It may be the value of one independent part, which bounds the value of the whole.
    """
    best, choice = best_play(view), Champion().rate(view, knowledge)[0]
    assert choice.value >= float(best.rate) - 1e-12, view.to_text()
    assert Fraction(wins_after(view, choice.cell), best.layouts) == best.rate, view.to_text()
    return abs(choice.value - float(best.rate)) < 1e-12


def check_perfect(view: View, knowledge: Knowledge) -> None:
    """Check that the champion chooses and values a cell as perfect play does."""
    best, choice = best_play(view), Champion().rate(view, knowledge)[0]
    assert choice.value == pytest.approx(float(best.rate)), view.to_text()
    assert Fraction(wins_after(view, choice.cell), best.layouts) == best.rate, view.to_text()


def test_the_champion_plays_small_boards_perfectly() -> None:
    positions = _guesses(4, 4, 7, 5, 2) + _guesses(3, 5, 5, 5, 4)
    for view, knowledge in positions:
        check_perfect(view, knowledge)
    assert any(best_play(view).layouts > 1000 for view, _ in positions)


@pytest.mark.parametrize(
    "text", [pytest.param("4x5/5\n1####" + "\n#####" * 3, marks=pytest.mark.long), "5x5/3\n1####" + "\n#####" * 4]
)
def test_the_champion_plays_slightly_larger_boards_perfectly(text: str) -> None:
    view = View.from_text(text)
    nothing = np.zeros_like(view.cells, dtype=np.bool_)
    check_perfect(view, Knowledge(view, nothing, nothing))


@pytest.mark.parametrize(
    ("size", "states", "message"),
    [((6, 6, 2), 10, "at most 32 cells"), ((5, 6, 12), 10, "most 5,000,000"), ((4, 4, 6), 10, "at most 10")],
)
def test_rejects_boards_that_are_too_large(size: tuple[int, int, int], states: int, message: str) -> None:
    with pytest.raises(StrategyError, match=message):
        best_start(Grid(*size[:2]), size[2], (0, 0), StartRule.SAFE, most_states=states)


def test_rejects_an_impossible_view() -> None:
    with pytest.raises(StrategyError, match="no layout fits"):
        best_play(View.from_text("2x2/1\n0#\n##"))


@pytest.mark.parametrize(
    ("mines", "rule", "click"),
    [(6, StartRule.SAFE, (0, 1)), (9, StartRule.SAFE, (1, 1)), (8, StartRule.OPENING, (0, 1))],
)
def test_the_champion_opens_small_boards_as_the_best_play_does(mines: int, rule: StartRule, click: Cell) -> None:
    assert Champion().first_click(Grid(4, 4), mines, rule) == click
    assert Champion().first_click(Grid(9, 9), 10, StartRule.SAFE) == (0, 0)


@pytest.mark.long
def test_the_estimate_loses_less_against_the_game_tree_than_lookahead() -> None:
    """Early views need a guess and have too many layouts for an exact evaluation."""
    guesses = (view for view in random_views(1, 20) if not closure(view).safe_map.any())
    early = (view for view in guesses if (view.cells >= 0).any() and 1_000 < count_layouts(view) < 1_500)
    losses = []
    for view in islice(early, 20):
        known = closure(view).mine_map
        found = evaluate(view, known)
        wins = {one.cell: wins_after(view, one.cell) for one in found.candidates}
        chosen = found.candidates[0].cell, rate(view, known, "lookahead")[0].cell
        losses.append([(max(wins.values()) - wins[cell]) / count_layouts(view) for cell in chosen])
    of_estimate, of_lookahead = np.mean(losses, axis=0)
    assert of_estimate < 0.01
    assert of_estimate < of_lookahead
