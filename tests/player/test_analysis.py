"""An analysis equals brute force, and survives JSON."""

import json
import math
from itertools import islice

import numpy as np
import pytest
from oracle import layouts
from views import random_views, wins_after

from minesweeper import Grid, View, analyse, closure
from minesweeper.player.core.errors import StrategyError, TooWide
from minesweeper.player.logic.probability import clue_probabilities
from minesweeper.player.play import analysis
from minesweeper.player.play.strategies.kernel_strategies import compare_guesses


def test_an_analysis_agrees_with_all_layouts() -> None:
    guesses = 0
    for view in islice(random_views(1), 80):
        possible = layouts(view)
        found = analyse(view, strategy="local", explain=True)
        hidden = view.cells < 0
        assert found.layouts == len(possible)
        assert found.chances is not None
        assert np.allclose(found.chances[hidden], possible.mean(axis=0)[hidden])
        assert np.isnan(found.chances[~hidden]).all()
        assert found.safe_cells == tuple(map(tuple, np.argwhere(hidden & ~possible.any(axis=0)).tolist()))
        assert found.mine_cells == tuple(map(tuple, np.argwhere(possible.all(axis=0)).tolist()))
        assert found.explanation is not None
        assert (found.step is None) == (not found.safe_cells and not found.mine_cells)
        assert (found.guess is not None) == (not found.safe_cells and found.undecided > 0)
        if found.guess is not None:
            guesses += 1
            chosen = [found.guess.best, *found.guess.alternatives]
            assert len({option.cell for option in chosen}) == len(chosen) == min(6, found.undecided)
            for option in chosen:
                assert option.safety == pytest.approx(1 - possible.mean(axis=0)[option.cell])
    assert guesses > 20


@pytest.mark.kernel
def test_guesses_are_compared_by_what_follows_them() -> None:
    names = set()
    for view in islice(random_views(5, 14), 120):
        guess = analyse(view).guess
        if guess is None:
            continue
        possible = layouts(view)
        assert len(guess.why) == len(guess.alternatives)
        for one in (guess.best, *guess.alternatives):
            clues = clue_probabilities(view, one.cell)
            after = [
                None if share < 1e-12 else analyse(view.showing(one.cell, clue)) for clue, share in enumerate(clues)
            ]
            # A view without an uncertain cell is won.
            over = [found is not None and not found.undecided for found in after]
            logic = [found is not None and bool(found.safe_cells) for found in after]
            assert one.progress == pytest.approx(clues[logic].sum())
            risk = [
                0 if found is None or done or goes else np.nanmin(found.chances[view.showing(one.cell, 0).cells < 0])
                for found, done, goes in zip(after, over, logic, strict=True)
            ]
            assert one.second == pytest.approx((clues * (1 - np.array(risk))).sum())
            assert one.win == pytest.approx(wins_after(view, one.cell) / len(possible))
        for one, why in zip(guess.alternatives, guess.why, strict=True):
            names.add(why.name)
            assert str(one.cell) in why.in_words()
            number = why.name.removeprefix("guess.")
            if number in ("win", "safety", "progress", "second"):
                assert getattr(one, number) < getattr(guess.best, number)
                assert f"{100 * getattr(one, number):.1f} %" in why.in_words()
    assert {"guess.win", "guess.safety", "guess.equal"} <= names


@pytest.mark.kernel
def test_nothing_is_said_of_the_best_guess() -> None:
    view = View.from_text("1x6/3\n#2####")
    compared = compare_guesses(view, closure(view).mine_map, [(0, 3), (0, 4)])
    assert [why.name for _, why in compared] == ["", "guess.win"]


def test_an_analysis_as_json() -> None:
    view = View.from_text("2x5/2\n#121#\n#####")
    data = json.loads(json.dumps(analyse(view, explain=True).to_json()))
    assert data["view"] == view.lines
    assert data["consistent"] is True
    assert data["safe_cells"] == [[0, 0], [0, 4], [1, 0], [1, 2], [1, 4]]
    assert data["mine_cells"] == [[1, 1], [1, 3]]
    assert data["undecided"] == 0
    assert data["layout_count"] == "1"
    assert data["log_layout_count"] == 0
    assert data["probabilities"][1] == pytest.approx([0, 1, 0, 1, 0])
    assert data["probabilities"][0][1] is None
    assert data["guess"] is None
    (step,) = data["chain"]
    assert step["safe"]
    assert step["tier"] == 2
    assert step["reason"]["clues"] in ([[0, 1], [0, 2]], [[0, 2], [0, 3]])
    known = sorted(cell for step in data["explanation"] for cell in step["safe"] + step["mines"])
    assert known == sorted(data["safe_cells"] + data["mine_cells"])


def test_a_guess_names_its_strategy() -> None:
    view = View.from_text("1x3/1\n#1#")
    data = analyse(view, strategy="random").to_json()
    assert data["guess"]["strategy"] == "random"
    assert sorted([data["guess"]["cell"], data["guess"]["alternatives"][0]["cell"]]) == [[0, 0], [0, 2]]
    assert data["guess"]["safety"] == pytest.approx(0.5)
    with pytest.raises(StrategyError):
        analyse(view, strategy="no such")


def test_a_contradiction_is_a_result() -> None:
    found = analyse(View.from_text("1x6/1\n#1##1#"))
    data = json.loads(json.dumps(found.to_json()))
    assert data["consistent"] is False
    assert data["clash"] == {
        "clues": [[0, 1], [0, 4]],
        "mine_count": True,
        "words": "no layout of mines fits the clue at (0, 1) and the clue at (0, 4) and the number of mines",
    }
    assert data["safe_cells"] == data["mine_cells"] == []
    assert data["layout_count"] is None


def test_what_cannot_be_counted_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_wide(view: View) -> None:
        raise TooWide(view.name)

    view = View.from_text("1x3/1\n#1#")
    monkeypatch.setattr(analysis, "count_layouts", too_wide)
    data = analyse(view, strategy="local").to_json()
    assert data["layout_count"] is None
    assert data["log_layout_count"] == pytest.approx(math.log(2))
    known = closure(view)
    monkeypatch.setattr(analysis, "closure", lambda *_, **__: known)
    data = analyse(view, strategy="local").to_json()
    assert data["layout_count"] is data["probabilities"] is data["log_layout_count"] is None
    assert data["guess"]["safety"] is None


def test_a_large_board_is_counted_by_logarithms() -> None:
    found = analyse(View.hidden(Grid(60, 60), 600), strategy="random")
    assert found.layouts is None
    assert found.log_layouts == pytest.approx(math.lgamma(3601) - math.lgamma(601) - math.lgamma(3001))
