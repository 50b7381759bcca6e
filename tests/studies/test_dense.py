"""The study of dense boards."""

import csv
import io
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from dense import main, ours

from minesweeper import Grid, Recipe, certify

pytestmark = [pytest.mark.kernel, pytest.mark.skipif(shutil.which("sgt-mines") is None, reason="needs sgt-mines")]


def test_the_table_has_a_row_for_each_maker(tmp_path: Path) -> None:
    few = ["--size", "6x6", "--percent", "15", "--percent", "45", "--puzzles", "3"]
    outcome = CliRunner().invoke(main, [*few, "--study", str(tmp_path), "--csv"])
    assert outcome.exit_code == 0, outcome.output
    assert (tmp_path / "dense.csv").read_text() == outcome.stdout
    rows = list(csv.DictReader(io.StringIO(outcome.stdout)))
    assert [row["maker"] for row in rows] == 2 * ["generate", "ms_toollib", "sgt-mines"]
    for row in rows:
        assert row["puzzles"] == "3"
        assert 0 <= float(row["buried_percent"]) <= 100
    for theme in ("light", "dark"):
        assert (tmp_path / f"dense-{theme}.png").read_bytes().startswith(b"\x89PNG")


def test_dense_puzzles_are_repaired_and_sparse_ones_are_not() -> None:
    for mines, method in ((5, "rejection"), (40, "repair")):
        found_by, tried, found = ours(Recipe(Grid(9, 9), mines, seed=1), 3)
        assert (found_by, len(found)) == (method, 3)
        assert tried >= 3
        assert all(certify(one.puzzle).solver for one in found)
