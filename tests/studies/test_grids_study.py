"""The study of grids."""

import csv
import io
from pathlib import Path

import pytest
from click.testing import CliRunner
from grids import main

pytestmark = pytest.mark.kernel


def test_a_torus_is_easier_than_a_rectangle(tmp_path: Path) -> None:
    few = ["--grid", "", "--grid", "torus", "--side", "8", "--side", "12", "--side", "16", "--games", "100"]
    outcome = CliRunner().invoke(main, [*few, "--study", str(tmp_path), "--csv"])
    assert outcome.exit_code == 0, outcome.output
    assert (tmp_path / "critical.csv").read_text() == outcome.stdout
    rows = list(csv.DictReader(io.StringIO(outcome.stdout)))
    assert [(row["grid"], row["side"]) for row in rows] == [
        (n, s) for n in ("", "torus") for s in ("8", "12", "16", "")
    ]
    critical = {(row["grid"], row["side"]): row for row in rows}
    for side in ("8", "12", "16"):
        assert float(critical["", side]["critical_high"]) < float(critical["torus", side]["critical_low"])
    for theme in ("light", "dark"):
        assert (tmp_path / f"grids-{theme}.png").read_bytes().startswith(b"\x89PNG")
