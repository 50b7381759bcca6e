"""The tables and charts of the smaller studies."""

import csv
import io
import json
import shutil
from pathlib import Path
from statistics import fmean
from typing import Any

import dense
import efficiency
import grids
import kaboom
import pytest
from click.testing import CliRunner
from processes import ended, error_line

from minesweeper import Grid, Recipe, certify
from minesweeper.player.play.strategies.loading import load_strategy

pytestmark = pytest.mark.kernel
needs_sgt = pytest.mark.skipif(shutil.which("sgt-mines") is None, reason="needs sgt-mines")
FEW = ("--board", "9x9/10", "--games", "12", "--seed", "5", "--workers", "1", "--json")


def table(main: Any, words: str, folder: Path, name: str, charts: str) -> list[dict[str, str]]:
    """Run a study, and return the rows that it prints and writes, beside its charts."""
    printed = ended(CliRunner().invoke(main, [*words.split(" "), "--study", str(folder), "--csv"])).stdout
    assert (folder / name).read_text() == printed
    for theme in ("light", "dark"):
        assert (folder / f"{charts}-{theme}.png").read_bytes().startswith(b"\x89PNG")
    return list(csv.DictReader(io.StringIO(printed)))


@needs_sgt
def test_dense_boards_have_a_row_for_each_maker(tmp_path: Path) -> None:
    words = "--size 6x6 --percent 15 --percent 45 --puzzles 3"
    rows = table(dense.main, words, tmp_path, "dense.csv", "dense")
    assert [row["maker"] for row in rows] == 2 * ["generate", "ms_toollib", "sgt-mines"]
    for row in rows:
        assert row["puzzles"] == "3"
        assert 0 <= float(row["buried_percent"]) <= 100


@needs_sgt
def test_dense_puzzles_are_repaired_and_sparse_ones_are_not() -> None:
    for mines, method in ((5, "rejection"), (40, "repair")):
        found_by, tried, found = dense.ours(Recipe(Grid(9, 9), mines, seed=1), 3)
        assert (found_by, len(found)) == (method, 3)
        assert tried >= 3
        assert all(certify(one.puzzle).solver for one in found)


def test_a_torus_is_easier_than_a_rectangle(tmp_path: Path) -> None:
    words = "--grid  --grid torus --side 8 --side 12 --side 16 --games 100"
    rows = table(grids.main, words, tmp_path, "critical.csv", "grids")
    assert [(row["grid"], row["side"]) for row in rows] == [
        (n, s) for n in ("", "torus") for s in ("8", "12", "16", "")
    ]
    critical = {(row["grid"], row["side"]): row for row in rows}
    for side in ("8", "12", "16"):
        assert float(critical["", side]["critical_high"]) < float(critical["torus", side]["critical_low"])


def test_the_table_of_kaboom_has_the_means_of_the_games() -> None:
    words = ["--preset", "beginner", "--games", "10", "--workers", "1", "--json"]
    rows = json.loads(ended(CliRunner().invoke(kaboom.main, words)).output)
    assert [(row["mode"], row["player"]) for row in rows] == [
        (mode, player) for mode in ("uniform", "cruelest") for player in kaboom.PLAYERS
    ]
    for row in rows:
        counts = kaboom.count_guesses("beginner", row["mode"], row["player"], range(10))
        assert row["guesses"] == round(fmean(counts), 2)
        assert row["none_percent"] == 10 * counts.count(0)


def test_the_cruelest_mode_forces_more_guesses() -> None:
    modes = ("uniform", "cruelest")
    uniform, cruelest = (sum(kaboom.count_guesses("beginner", mode, "any", range(10))) for mode in modes)
    assert uniform < cruelest


@pytest.mark.long
def test_clicks_per_3bv_sum_won_games() -> None:
    strategies = ["--strategy", "efficient", "--strategy", "champion"]
    efficient, champion = json.loads(ended(CliRunner().invoke(efficiency.main, [*FEW, *strategies])).output)
    won = efficiency.won_games(Recipe("9x9/10", click=(2, 2), seed=5), load_strategy("efficient"), range(12))
    assert efficient["clicks_per_bbbv"] == round(sum(one.clicks for one in won) / sum(one.bbbv for one in won), 3)
    assert efficient["win_percent"] == champion["win_percent"] == round(100 * len(won) / 12, 2)
    assert efficient["human_zini_per_bbbv"] <= efficient["clicks_per_bbbv"] < champion["clicks_per_bbbv"]


@pytest.mark.long
def test_no_won_game_leaves_columns_blank() -> None:
    words = ["--board", "9x9/60", "--start", "safe", *FEW[2:4], "--strategy", "random"]
    assert "clicks per 3BV" in ended(CliRunner().invoke(efficiency.main, words)).output


@pytest.mark.long
@pytest.mark.parametrize("wrong", [("--board", "9y9"), ("--games", "0"), ("--strategy", "nobody")])
def test_bad_input_is_rejected_in_one_line(wrong: tuple[str, str]) -> None:
    error_line(CliRunner().invoke(efficiency.main, [*FEW, *wrong]))
