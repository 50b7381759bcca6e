"""Clicks per 3BV over won games."""

import json

import pytest
from click.testing import CliRunner
from efficiency import main, won_games

from minesweeper.player.core.recipe import Recipe
from minesweeper.player.play.strategies.loading import load_strategy

pytestmark = [pytest.mark.long, pytest.mark.kernel]

FEW = ("--board", "9x9/10", "--games", "12", "--seed", "5", "--workers", "1", "--json")


def test_the_table_sums_won_games() -> None:
    outcome = CliRunner().invoke(main, [*FEW, "--strategy", "efficient", "--strategy", "champion"])
    assert outcome.exit_code == 0, outcome.output
    efficient, champion = json.loads(outcome.output)
    won = won_games(Recipe("9x9/10", click=(2, 2), seed=5), load_strategy("efficient"), range(12))
    assert efficient["clicks_per_bbbv"] == round(sum(one.clicks for one in won) / sum(one.bbbv for one in won), 3)
    assert efficient["win_percent"] == champion["win_percent"] == round(100 * len(won) / 12, 2)
    assert efficient["human_zini_per_bbbv"] <= efficient["clicks_per_bbbv"] < champion["clicks_per_bbbv"]


def test_no_won_game_leaves_columns_blank() -> None:
    outcome = CliRunner().invoke(main, ["--board", "9x9/60", "--start", "safe", *FEW[2:4], "--strategy", "random"])
    assert outcome.exit_code == 0, outcome.output
    assert "clicks per 3BV" in outcome.output


@pytest.mark.parametrize("wrong", [("--board", "9y9"), ("--games", "0"), ("--strategy", "nobody")])
def test_bad_input_is_rejected_in_one_line(wrong: tuple[str, str]) -> None:
    outcome = CliRunner().invoke(main, [*FEW, *wrong])
    assert outcome.exit_code == 2
    assert outcome.output.count("\n") == 1
