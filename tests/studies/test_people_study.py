"""The study of thinking times."""

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from people import coefficients, fit, games_of, held_out, main, rank_correlation
from processes import error_line
from recordings import record_played

from minesweeper.player.core.recipe import Recipe
from minesweeper.player.play.click_rows import ClickRow

pytestmark = pytest.mark.kernel


def _clicks(number: int, exponents: tuple[float, float, float]) -> list[ClickRow]:
    """Return certain clicks of a game, whose times follow the model with small errors."""
    random = np.random.default_rng(number)
    rows = []
    for place in range(40):
        reason, distance, safe = random.integers(2, 6), random.uniform(1, 20), random.integers(1, 30)
        terms = zip((reason, distance, safe), exponents, strict=True)
        seconds = (0.2 + 0.1 * number) * np.prod([value**power for value, power in terms])
        rows.append(
            {
                "recording": f"game {number}",
                "player": f"player {number % 3}",
                "board": "16x30/99",
                "seconds": float(place),
                "row": place,
                "col": number,
                "thinking_seconds": float(seconds * random.lognormal(0, 0.01)),
                "kind": "certain",
                "opens": 1,
                "helped": False,
                "reason": int(reason),
                "distance": float(distance),
                "safe_cells": int(safe),
            }
        )
    return rows


def test_the_fit_finds_the_exponents_of_made_games() -> None:
    exponents = (0.6, 0.4, -0.1)
    games = list(games_of(row for number in range(6) for row in _clicks(number, exponents)))
    assert fit(games) == pytest.approx(exponents, abs=0.02)
    for row, exponent in zip(coefficients(games, 50, 7), exponents, strict=True):
        assert row["low"] <= round(exponent, 2) + 0.02
        assert row["high"] >= round(exponent, 2) - 0.02
    *players, mean = held_out(games)
    assert [row["player"] for row in players] == ["player 0", "player 1", "player 2"]
    assert mean["distance + safe cells + reason"] > 0.99 > mean["distance"]


def test_a_game_counts_once_and_only_with_enough_clicks() -> None:
    game = _clicks(1, (0.5, 0.5, 0))
    copy = [row | {"recording": "copy", "player": "another"} for row in game]
    assert [one.recording for one in games_of([*game, *copy, *_clicks(2, (0.5, 0.5, 0))[:19]])] == ["game 1"]


def test_the_rank_correlation_counts_ties_by_their_mean_rank() -> None:
    one, other = np.array([1.0, 2, 2, 3]), np.array([10.0, 30, 20, 40])
    ranks = np.array([1, 2.5, 2.5, 4]), np.array([1.0, 3, 2, 4])
    assert rank_correlation(one, other) == pytest.approx(np.corrcoef(*ranks)[0, 1])


def test_recordings_of_one_player_are_refused(tmp_path: Path) -> None:
    record_played(tmp_path / "game.evf", Recipe("16x16/40", seed=4), 0)
    assert "expected games of 2 or more players" in error_line(CliRunner().invoke(main, [str(tmp_path)]))


def test_the_published_table_is_printed_as_csv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("people._rows", lambda _: iter(_clicks(0, (0.5, 0.5, 0)) + _clicks(1, (0.5, 0.5, 0))))
    result = CliRunner().invoke(main, [str(tmp_path), "--samples", "5", "--csv"])
    assert result.exit_code == 0, result.output
    rows = list(csv.reader(io.StringIO(result.output)))
    assert rows[1] == ["game 0", "player 0", "16x30/99", "40"]
    assert rows[-1][:2] == ["mean", "80"]
