"""Forced guesses of Kaboom, counted by the study."""

import json
from statistics import fmean

import pytest
from click.testing import CliRunner
from kaboom import PLAYERS, count_guesses, main

pytestmark = pytest.mark.kernel


def test_the_table_has_the_means_of_the_games() -> None:
    outcome = CliRunner().invoke(main, ["--preset", "beginner", "--games", "10", "--workers", "1", "--json"])
    assert outcome.exit_code == 0, outcome.output
    rows = json.loads(outcome.output)
    assert [(row["mode"], row["player"]) for row in rows] == [
        (mode, player) for mode in ("uniform", "cruelest") for player in PLAYERS
    ]
    for row in rows:
        counts = count_guesses("beginner", row["mode"], row["player"], range(10))
        assert row["guesses"] == round(fmean(counts), 2)
        assert row["none_percent"] == 10 * counts.count(0)


def test_the_cruelest_mode_forces_more_guesses() -> None:
    uniform, cruelest = (sum(count_guesses("beginner", mode, "any", range(10))) for mode in ("uniform", "cruelest"))
    assert uniform < cruelest
