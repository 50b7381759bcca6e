"""The command `positions`."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from processes import error_line, one_line
from pyarrow import parquet

from minesweeper import Recipe, positions
from minesweeper.scripts.commands.positions import main

BOARD = ("--board", "9x9/20", "--seed", "3", "--games-per-file", "20")


def run(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["--out", str(folder), *BOARD, *arguments])


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("when", ["guess", "every move"])
def test_the_rows_are_those_of_the_library(tmp_path: Path, when: str) -> None:
    options = ("--games", "65", "--games-per-file", "30", "--workers", "2", "--strategy", "champion")
    result = run(tmp_path / "new", *options, *["--every-move"] * (when == "every move"))
    recipe = Recipe("9x9/20", click=(2, 2), seed=3)
    found = positions(recipe, 65, when=when, strategy="champion")  # type: ignore[arg-type]
    total = f"{len(found)} positions written, 65 of 65 games in {tmp_path / 'new'}\n"
    assert result.output == f"9x9/20, opening start at 2,2, seed 3: {total}", result.stderr
    assert sorted(contents(tmp_path / "new")) == [f"games-{start:09}.parquet" for start in (0, 30, 60)]
    table = parquet.read_table(tmp_path / "new")
    for name in table.column_names:
        column, expected = table[name].combine_chunks(), getattr(found, name)
        values = column.flatten() if expected.ndim > 1 else column
        np.testing.assert_array_equal(values.to_numpy(zero_copy_only=False).reshape(expected.shape), expected)
    key = json.loads(table.schema.metadata[b"minesweeper"])
    assert {name: key[name] for name in recipe.to_json()} == recipe.to_json()
    assert key["strategy"].startswith("champion#")


def test_continues_with_the_missing_files(tmp_path: Path) -> None:
    assert run(tmp_path / "once", "--games", "90", "--workers", "2").exit_code == 0
    folder = tmp_path / "parts"
    for games in ("30", "50", "90"):
        assert run(folder, "--games", games, "--workers", "1").exit_code == 0
    (folder / "games-000000060.parquet").unlink()
    assert run(folder, "--games", "90").exit_code == 0
    assert contents(folder) == contents(tmp_path / "once")
    assert " 0 positions written, 10 of 10 games" in run(folder, "--games", "10").output
    assert contents(folder) == contents(tmp_path / "once")


def test_ctrl_c_leaves_complete_files(tmp_path: Path) -> None:
    options = ["--out", str(tmp_path / "many"), "--games-per-file", "5", "--games", "1000000"]
    command = [sys.executable, "-m", "minesweeper", "positions", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    while process.poll() is None and len(list(tmp_path.glob("many/games*"))) < 3:
        os.sched_yield()
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate()
    assert process.returncode == 130
    assert output.endswith("interrupted; the same command continues\n")
    written = sorted((tmp_path / "many").iterdir())
    assert [path.name for path in written] == [f"games-{5 * number:09}.parquet" for number in range(len(written))]
    assert f" {5 * len(written)} of 1000000 games" in output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--seed", "4"), "has positions of other options; expected the same options, or a new folder"),
        (("--every-move",), "has positions of other options"),
        (("--strategy", "champion"), "has positions of other options"),
        (("--games-per-file", "10"), "has positions of other options"),
        (("--board", "9x9/99"), "99 mines"),
        (("--strategy", "best"), "--strategy is 'best' (did you mean 'safest'?); expected safest, "),
        (("--games", "0"), "0 is not in the range x>=1"),
        (("--games", "1.5"), "'1.5' is not a whole number"),
    ],
)
def test_bad_input_is_one_line(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    assert run(tmp_path / "new", "--games", "5").exit_code == 0
    before = contents(tmp_path / "new")
    assert message in error_line(run(tmp_path / "new", *arguments))
    assert contents(tmp_path / "new") == before


def test_rejects_damaged_files_and_other_places(tmp_path: Path) -> None:
    (tmp_path / "games-000000000.parquet").write_bytes(b"PAR1")
    assert "is damaged or of another program" in error_line(run(tmp_path))
    assert "is a file." in error_line(run(tmp_path / "games-000000000.parquet"))
    assert "No such file or directory: " in error_line(run(tmp_path / "missing" / "new"))


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_full_disk_leaves_complete_files(tmp_path: Path, workers: str) -> None:
    folder = tmp_path / "new"
    assert run(folder, "--games", "20", "--workers", "1").exit_code == 0
    before = contents(folder)
    command = [sys.executable, "-m", "minesweeper", "positions", "--out", str(folder), *BOARD, "--workers", workers]
    result = subprocess.run(["bash", "-c", 'ulimit -f 1; "$@"', "bash", *command], capture_output=True, text=True)
    assert result.returncode == 2
    assert one_line(result.stderr).startswith(f"Error: File too large: '{folder}/games-")
    assert contents(folder) == before
