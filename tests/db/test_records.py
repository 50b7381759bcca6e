"""Records as values: copies and pickles compare equal."""

import copy
import pickle

import numpy as np
import pytest
from sample_records import KEY, RECIPE, sampled

from minesweeper.db.people import GameStats, HumanGame
from minesweeper.db.records import GameRecord, Run, Sample
from minesweeper.db.series import SeriesKey, SeriesResults
from minesweeper.player.core.board import Board
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
