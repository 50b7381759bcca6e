"""The command `conform`, on a player that follows the protocol and one that does not."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from minesweeper.scripts.commands.conform import DOES_NOT_CONFORM, main

PLAYERS = Path(__file__).parents[3] / "docs" / "examples" / "players"


def test_an_example_follows_the_protocol() -> None:
    run = CliRunner().invoke(main, [f"exec:sh {PLAYERS / 'random.sh'}"])
    assert run.exit_code == 0, run.output
    assert run.output.endswith("follows the protocol\n")


def test_reports_invalid_cells(tmp_path: Path) -> None:
    script = tmp_path / "wrong.sh"
    script.write_text('while read -r line; do echo \'{"plays": "moves", "open": [[0, 900]]}\'; done\n')
    run = CliRunner().invoke(main, [f"exec:sh {script}"])
    assert run.exit_code == DOES_NOT_CONFORM
    assert "WRONG known mines: strategy exec chose" in run.output
