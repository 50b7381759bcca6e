"""Series of games, stored as blocks."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from minesweeper import Grid, Recipe, Store
from minesweeper.db.records import GameRecord, Sample
from minesweeper.db.series import SeriesKey, SeriesResults

RECIPE = Recipe("16x30/99", click=(3, 3), seed=7)
KEY = SeriesKey("local", RECIPE)


def block(won: str) -> SeriesResults:
    """Return a block with a game for each letter, + for a win."""
    games = len(won)
    return SeriesResults(np.array([letter == "+" for letter in won], dtype=bool), 100 * games, 2 * games, games / 8)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "series.db") as store:
        yield store


def test_blocks_add_up(store: Store) -> None:
    assert (store.series_results(KEY).games, store.series_results(KEY).wins) == (0, 0)
    assert store.add_block(KEY, 0, block("+-+"))
    assert store.add_block(KEY, 3, block("--++++--++-"))
    results = store.series_results(KEY)
    assert "".join("+" if won else "-" for won in results.won) == "+-+--++++--++-"
    assert (results.games, results.wins, results.opened, results.guesses) == (14, 8, 1400, 28)
    assert results.seconds == 14 / 8


def test_every_part_of_the_key_makes_another_series(store: Store) -> None:
    others = [
        SeriesKey("random", RECIPE),
        SeriesKey("local", replace(RECIPE, grid=Grid(30, 16))),
        SeriesKey("local", replace(RECIPE, mines=98)),
        SeriesKey("local", replace(RECIPE, click=None)),
        SeriesKey("local", replace(RECIPE, rule="safe")),
        SeriesKey("local", replace(RECIPE, seed=8)),
    ]
    for games, key in enumerate([KEY, *others], 1):
        assert store.add_block(key, 0, block("+" * games))
    assert [store.series_results(key).games for key in [KEY, *others]] == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("first_index", [0, 2, 4, 10])
def test_only_a_block_at_the_end_of_the_series_is_added(store: Store, first_index: int) -> None:
    assert store.add_block(KEY, 0, block("+-+"))
    assert not store.add_block(KEY, first_index, block("+++"))
    assert not store.add_block(KEY, 3, block(""))
    assert store.series_results(KEY).games == 3


def test_the_leaderboard_counts_games_of_a_series_once(store: Store) -> None:
    store.add_block(KEY, 0, block("+-+"))
    samples = [Sample(RECIPE, index) for index in range(5)]
    store.add_games(GameRecord("local", sample, True, 381, 0, 0.125) for sample in samples)
    store.add_games([GameRecord("random", samples[0], False, 9, 3, 0.5)])
    rows = [(row["strategy"], row["games"], row["wins"], row["guesses_per_game"]) for row in store.leaderboard()]
    assert rows == [("local", 5, 4, 1.2), ("random", 1, 0, 3.0)]
    assert store.leaderboard()[0]["boards"] == "16x30/99, opening start at 3,3"
    assert store.leaderboard()[0]["seconds_per_game"] == 0.125
