"""Values of the database, games of people, and series of games stored as blocks."""

import copy
import pickle
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sample_records import KEY, RECIPE, sampled

from minesweeper import Board, Grid, Recipe, Store
from minesweeper.db.people import GameStats, HumanGame, Unranked
from minesweeper.db.records import GameRecord, Run, Sample
from minesweeper.db.series import SeriesKey, SeriesResults
from minesweeper.player.core.errors import Fault
from minesweeper.player.play.recorded_games import RecordedClick

VALUES = [
    KEY,
    Run(1, 2, 3, 4, 5.0),
    sampled(3).with_measures(),
    sampled(3).without_proof(refuted=True),
    GameRecord("local", Sample(RECIPE, 5), False, 3, 1, 0.5, Fault.TOO_SLOW),
    SeriesKey("local", RECIPE),
    SeriesResults(np.array([True, False]), 3, 1, 0.5),
    HumanGame(
        *("a", "classic", "Classic", Board.from_text("..*")),
        *((RecordedClick(0.5, (0, 0), ((0, 0),)),), True, 2.0, 3, "2026-01-02 03:04:05"),
        stats=GameStats(4, 3, 2, 0.25, 1, 0, 0.125),
    ),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_copies_and_pickles_are_equal(value: object) -> None:
    assert pickle.loads(pickle.dumps(value)) == copy.copy(value) == copy.deepcopy(value) == value


def test_different_results_are_unequal() -> None:
    results = SeriesResults(np.array([True, False]), 3, 1, 0.5)
    assert results != SeriesResults(np.array([True, True]), 3, 1, 0.5)
    assert results != SeriesResults(np.array([True, False]), 3, 2, 0.5)


BOARD = Board.from_text("...*....*.")


def game(name: str, won: bool = True, seconds: float = 2.0, board: Board = BOARD, **more: object) -> HumanGame:
    clicks = (RecordedClick(0, (0, 0), ((0, 0),)), RecordedClick(0.5, (0, 1), ((0, 4), (0, 5)), helped=True))
    return HumanGame(name, "classic", "Classic", board, clicks, won, seconds, 4, "2026-01-02 03:04:05", **more)  # type: ignore[arg-type]


def test_a_game_is_stored_once_and_whole(store: Store) -> None:
    stats = GameStats(4, 3, 2, 0.25, 1, 0, 0.125)
    store.people.add([("one", game("a", day="2026-01-02")), ("two", game("b"))])
    store.people.add([("one", game("a", won=False))])
    store.people.set_stats("a", stats)
    (kept,) = store.people.games("one")
    assert kept == game("a", day="2026-01-02", stats=stats, number=1)
    store.people.add([("three", game("c", stats=stats))])
    assert store.people.game("c").stats == stats
    store.people.delete("three")
    assert store.people.game("play:2", "two").name == "b"
    with pytest.raises(ValueError, match="play:2"):
        store.people.game("play:2", "one")
    store.people.delete("one")
    assert [other.name for other in store.people.games()] == ["b"]


def test_a_game_on_a_known_board_is_unranked(store: Store) -> None:
    turned = Board.from_text(".*....*...")
    store.people.add([("one", game("a")), ("one", game("b")), ("one", game("c", board=turned)), ("two", game("d"))])
    store.people.add([("one", game("e", unranked=Unranked.HELP))])
    assert {one.name: one.unranked for one in store.people.games()} == {
        "a": "",
        "b": "repeat",
        "c": "",
        "d": "",
        "e": "help",
    }


def test_a_game_is_compared_with_the_best_ranked_game_like_it(store: Store) -> None:
    boards = [Board.from_text(text) for text in ("*........*", "**........", "***.......", "*.*.......")]
    store.people.add([("one", game("a", seconds=4)), ("one", game("b", seconds=1))])
    store.people.add(("one", game(f"c{i}", seconds=5 - i, board=board)) for i, board in enumerate(boards))
    store.people.add([("two", game("d", seconds=0.5)), ("one", game("e", board=boards[0], won=False))])
    assert store.people.best_before("one", game("b", seconds=1)) == 2.0
    assert store.people.best_before("one", game("c3", seconds=2)) == 4.0
    assert store.people.best_before("one", game("new", board=boards[2])) == 3.0
    assert store.people.best_before("two", game("d")) is None


EXPERT = Recipe("16x30/99", click=(3, 3), seed=7)
SERIES = SeriesKey("local", EXPERT)


def block(won: str) -> SeriesResults:
    """Return a block with a game for each letter, + for a win."""
    games = len(won)
    return SeriesResults(np.array([letter == "+" for letter in won], dtype=bool), 100 * games, 2 * games, games / 8)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "records.db") as store:
        yield store


def test_blocks_add_up(store: Store) -> None:
    assert (store.series.results(SERIES).games, store.series.results(SERIES).wins) == (0, 0)
    assert store.series.add_block(SERIES, 0, block("+-+"))
    assert store.series.add_block(SERIES, 3, block("--++++--++-"))
    results = store.series.results(SERIES)
    assert "".join("+" if won else "-" for won in results.won) == "+-+--++++--++-"
    assert (results.games, results.wins, results.opened, results.guesses) == (14, 8, 1400, 28)
    assert results.seconds == 14 / 8


def test_every_part_of_the_key_makes_another_series(store: Store) -> None:
    others = [
        SeriesKey("random", EXPERT),
        SeriesKey("local", replace(EXPERT, grid=Grid(30, 16))),
        SeriesKey("local", replace(EXPERT, mines=98)),
        SeriesKey("local", replace(EXPERT, click=None)),
        SeriesKey("local", replace(EXPERT, rule="safe")),
        SeriesKey("local", replace(EXPERT, seed=8)),
    ]
    for games, key in enumerate([SERIES, *others], 1):
        assert store.series.add_block(key, 0, block("+" * games))
    assert [store.series.results(key).games for key in [SERIES, *others]] == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("first_index", [0, 2, 4, 10])
def test_only_a_block_at_the_end_of_the_series_is_added(store: Store, first_index: int) -> None:
    assert store.series.add_block(SERIES, 0, block("+-+"))
    assert not store.series.add_block(SERIES, first_index, block("+++"))
    assert not store.series.add_block(SERIES, 3, block(""))
    assert store.series.results(SERIES).games == 3


def test_the_leaderboard_counts_games_of_a_series_once(store: Store) -> None:
    store.series.add_block(SERIES, 0, block("+-+"))
    samples = [Sample(EXPERT, index) for index in range(5)]
    store.add_games(GameRecord("local", sample, True, 381, 0, 0.125) for sample in samples)
    store.add_games([GameRecord("random", samples[0], False, 9, 3, 0.5)])
    rows = [(row["strategy"], row["games"], row["wins"], row["guesses_per_game"]) for row in store.leaderboard()]
    assert rows == [("local", 5, 4, 1.2), ("random", 1, 0, 3.0)]
    assert store.leaderboard()[0]["boards"] == "16x30/99, opening start at 3,3"
    assert store.leaderboard()[0]["seconds_per_game"] == 0.125
