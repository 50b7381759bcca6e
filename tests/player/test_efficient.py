"""The strategy `efficient`: valid clicks, and the same wins as `champion`."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from plain_efficient import PlainClicks

from minesweeper import Puzzle, Recipe, View, closure, play, play_many
from minesweeper.player.core.game import Game, Status
from minesweeper.player.kernel_api import native_view
from minesweeper.player.play.strategies import efficient
from minesweeper.player.play.strategies.champion import Champion
from minesweeper.player.play.strategies.efficient import Action, Efficient

pytestmark = pytest.mark.kernel

RECIPE = Recipe("16x16/40", click=(2, 2), seed=3)
GAMES = range(10)


@pytest.fixture(scope="module")
def played() -> list[tuple[Puzzle, bool, list[Action], int]]:
    """Puzzles, with the result, the clicks after the first one, and the number of opened cells."""
    found = []
    for index in GAMES:
        strategy, puzzle = Efficient(), RECIPE.puzzle(index)
        result = play(puzzle, strategy, keep_moves=True)
        found.append((puzzle, result.won, strategy.clicks, result.opened))
    return found


def test_it_wins_what_the_champion_wins(played: list[tuple[Puzzle, bool, list[Action], int]]) -> None:
    champion = play_many(RECIPE, GAMES, Champion())
    assert [won for _, won, _, _ in played] == [result.won for result in champion]


def test_its_clicks_play_the_game(played: list[tuple[Puzzle, bool, list[Action], int]]) -> None:
    kinds = set()
    for puzzle, won, clicks, opened in played:
        game = Game(puzzle.board)
        found = len(game.open(puzzle.first_click))
        for number, (kind, cell) in enumerate(clicks, 1):
            kinds.add(kind)
            if kind == "flag":
                assert game.flag(cell)
                continue
            now = game.open(cell) if kind == "open" else game.chord(cell)
            # Every click opens a cell, except a losing guess.
            assert now or (not won and number == len(clicks))
            found += len(now)
        assert (game.status is Status.WON, found) == (won, opened)
    assert kinds == {"open", "flag", "chord"}


def test_it_takes_fewer_clicks_than_cells_one_by_one(played: list[tuple[Puzzle, bool, list[Action], int]]) -> None:
    fewer = sum(1 + len(clicks) for _, won, clicks, _ in played if won)
    champion = [play(puzzle, Champion(), keep_moves=True) for puzzle, won, _, _ in played if won]
    assert fewer < 0.8 * sum(len(move.cells) for result in champion for move in result.moves)


def test_a_flag_and_a_chord_are_cheaper_than_three_cells() -> None:
    strategy = Efficient()
    strategy.begin(Random(0))
    assert strategy.moves(View.from_text("1#1\n111\n###\n###", 4)) == [(2, 0), (2, 1), (2, 2)]
    assert strategy.clicks == [Action("flag", (0, 1)), Action("chord", (1, 1))]


@pytest.mark.parametrize("kind", ["", " torus", " hex"])
def test_no_click_saves_more(kind: str) -> None:
    recipe = Recipe(f"10x10/18{kind}", click=(5, 5), seed=1)
    chords = 0
    for index in range(20):
        view = recipe.puzzle(index).view
        known = closure(view, chances=True)
        if not known.safe_map.any():
            continue
        flags = np.flatnonzero(known.mine_map)[::2].tolist()
        clicks = {(one.place, one.chord): one for one in PlainClicks(view, known, set(flags)).all()}
        found = native_view(view).efficient_click(known.safe_map, known.mine_map, known.chances, flags)
        plain = clicks[found.place, found.chord]
        assert plain.saves == pytest.approx(max(one.saves for one in clicks.values()))
        assert (found.opens, found.flags) == (plain.opens, sorted(plain.flags))
        chords += found.chord
    assert chords


def test_without_chances_it_wins_the_same_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Layouts cannot be counted where a component is too wide."""
    counted = efficient.closure
    monkeypatch.setattr(efficient, "closure", lambda view, **_: replace(counted(view), chances=None))
    results = [play(RECIPE.puzzle(index), Efficient()).won for index in GAMES]
    assert results == [result.won for result in play_many(RECIPE, GAMES, Champion())]
