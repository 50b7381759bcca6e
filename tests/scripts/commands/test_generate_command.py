"""The command `generate`, as its users meet it."""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tqdm import tqdm

from minesweeper.db.store import Store
from minesweeper.player.why.wording import counted
from minesweeper.scripts.commands.generate import BAR, main


def _run(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


@pytest.fixture
def database(tmp_path: Path) -> str:
    return str(tmp_path / "a.db")


def test_the_summary_tells_what_was_done(database: str) -> None:
    words = ("--size", "9x9", "--mines", "10", "--count", "5", "--seed", "1", "--db", database, "--workers", "1")
    result = _run(*words)
    assert result.exit_code == 0, result.output
    assert "9x9/10, opening start at 4,4, seed 1: 5 puzzles kept" in result.stdout
    assert result.stderr == ""
    assert "nothing to do" in _run(*words).stdout


def test_json_and_fewer_than_asked(database: str) -> None:
    words = ("--preset", "expert", "--count", "1000", "--max-candidates", "20", "--db", database, "--json")
    result = _run(*words, "--seed", "3")
    assert result.exit_code == 1
    summary = json.loads(result.stdout)
    assert summary["candidates"] == 20
    assert summary["ending"] == "candidates"
    with Store(database) as store:
        assert store.count() == summary["kept"]


def test_once_every_layout_has_been_seen_the_summary_counts_each_once(database: str) -> None:
    words = (
        "--size",
        "3x3",
        "--mines",
        "1",
        "--start",
        "safe",
        "--first-click",
        "0,0",
        "--seed",
        "1",
        "--db",
        database,
    )
    for _ in range(2):
        result = _run(*words, "--workers", "1")
        assert "8 puzzles kept of all 8 layouts (100.0%)" in result.stdout
        assert result.exit_code == 1
    summary = json.loads(_run(*words, "--workers", "1", "--json").stdout)
    assert (summary["different_candidates"], summary["ending"]) == (8, "exhausted")
    assert summary["candidates"] > 8


def test_the_progress_bar_reads_at_80_columns() -> None:
    counts = {"n": 99_999, "total": 100_000, "elapsed": 36_000.0, "prefix": "30x50/300", "unit": ""}
    line = tqdm.format_meter(**counts, ncols=80, bar_format=BAR, postfix="0.2% of 50000000")
    assert len(line) <= 80
    assert line.startswith("30x50/300: 99999/100000 █████████")
    assert line.endswith("2.78/s, 0.2% of 50000000")


@pytest.mark.parametrize("target", [["--db", "a.db"], ["--out", "parts"]])
def test_words_that_no_board_of_a_size_has_are_warned_about(
    target: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = (
        "--board",
        "50x50/400",
        "--difficulty",
        "fiendish",
        "--count",
        "1",
        "--seed",
        "3",
        "--max-candidates",
        "90",
    )
    result = _run(*words, *target, "--workers", "1")
    assert result.stderr.startswith("Warning: none of the first")
    assert "is wanted (fiendish for its size, from 15)" in result.stderr
    assert result.exit_code == 1


def test_a_3bv_above_the_safe_cells_leaves_no_folder(tmp_path: Path) -> None:
    target = tmp_path / "parts"
    result = _run("--preset", "beginner", "--min-3bv", "72", "--out", str(target), "--cluster", "local:1")
    assert (result.exit_code, target.exists()) == (2, False)
    assert "at most 71, the number of safe cells" in result.stderr


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--size", "16*30", "--mines", "9"], "16*30"),
        (["--size", "0x5", "--mines", "1"], "0x5"),
        (["--size", "9x9", "--mines", "-1"], "-1"),
        (["--size", "9x9", "--mines", "73"], "73"),
        (["--size", "9x9", "--mines", "10", "--first-click", "9,9"], "9,9"),
        (["--size", "9x9", "--mines", "10", "--first-click", "middle"], "middle"),
        (["--preset", "easy"], "easy"),
        (["--preset", "expert", "--engine", "fast"], "fast"),
        (["--preset", "expert", "--count", "0"], "0"),
        (["--preset", "expert", "--seed", "-3"], "-3"),
        (["--preset", "expert", "--config", "missing.yaml"], "missing.yaml"),
        (["--preset", "expert", "--db", "/"], "/"),
        (["--preset", "expert", "--db", "/no/such/folder/a.db"], "/no/such/folder/a.db"),
        (["--preset", "expert", "--db", __file__], __file__),
        (["--preset", "expert", "--log-file", "/no/such/folder/log"], "/no/such/folder/log"),
        ([], "--size"),
        (["--mines", "10"], "--size"),
        (["--size", "9x9"], "--mines"),
        (
            ["--size", "4x4", "--mines", "10", "--start", "safe", "--min-3bv", "7"],
            "at most 6, the number of safe cells",
        ),
    ],
)
def test_bad_input_is_one_line_and_exit_2(words: list[str], named: str, tmp_path: Path) -> None:
    words = words if "--db" in words else [*words, "--db", str(tmp_path / "a.db")]
    result = _run(*words)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("Error: ")
    assert named in result.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("count: [1\nx: y", "line 2"),
        ("count: 3\n\nbogus: 1\n", "line 3"),
        ("presets:\n  tall:\n    size: 20*5\n    mines: 3\n", "20*5"),
        ("presets:\n  tall: 3\n", "line 2"),
        ("- 1\n", "line 1"),
        ("count: [1]\n", "line 1"),
    ],
)
def test_bad_config_files_name_the_line(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(text)
    result = _run("--config", str(path), "--db", str(tmp_path / "a.db"))
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert message in result.stderr


def test_a_config_file_sets_options_and_presets(tmp_path: Path, database: str) -> None:
    path = tmp_path / "c.yaml"
    path.write_text("preset: tall\ncount: 3\nfirst-click: corner\nseed: 4\npresets:\n  tall: {size: 12x4, mines: 5}\n")
    result = _run("--config", str(path), "--count", "2", "--db", database, "--json")
    summary = json.loads(result.stdout)
    assert (summary["size"], summary["mines"], summary["kept"]) == ("12x4", 5, 2)
    assert (summary["first_click"], summary["seed"]) == ("0,0", 4)


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_workers_log_to_a_file_however_they_begin(
    tmp_path: Path, database: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINESWEEPER_START_METHOD", method)
    log = tmp_path / "log"
    before, level = logging.getLogger().handlers[:], logging.getLogger().level
    words = ("--preset", "beginner", "--count", "5", "--seed", "7", "--db", database, "--workers", "2")
    assert _run(*words, "--log-file", str(log)).exit_code == 0
    logging.getLogger().handlers[:] = before
    logging.getLogger().setLevel(level)
    (line, *_) = [line for line in log.read_text().splitlines() if "candidates 0 to" in line]
    assert re.fullmatch(rf"\S+ \S+ {method}Process-\d+ minesweeper\.\S+: candidates .*", line, re.IGNORECASE)
    with Store(database) as store:
        assert [record.index for record in store.puzzles()] == [0, 2, 3, 4, 5]


def test_a_start_method_that_is_not_there_is_named(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINESWEEPER_START_METHOD", "knife")
    result = _run("--preset", "beginner", "--count", "5", "--db", database, "--workers", "2")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "'knife'" in result.stderr


def test_ctrl_c_keeps_what_was_found_and_says_how_to_go_on(database: str) -> None:
    command = [
        sys.executable,
        "-c",
        "from minesweeper.scripts.commands.generate import main; main()",
        "--preset",
        "super-expert",
    ]
    words = ["--count", "1000000", "--db", database, "--seed", "1", "-v"]
    with subprocess.Popen(
        [*command, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "candidates" in line:
                break
        os.killpg(process.pid, signal.SIGINT)
        output, errors = process.communicate()
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    assert "interrupted" in output
    assert "to go on: generate --size 30x50 --mines 300" in output
    with Store(database, create=False) as store:
        assert f": {counted(store.count(), 'puzzle')} kept" in output


def test_auto_says_what_it_chose_and_repair_finds_dense_puzzles(database: str) -> None:
    words = ("--count", "3", "--db", database, "--seed", "1", "--workers", "1", "--json", "--method", "auto")
    result = _run("--size", "12x12", "--mines", "50", *words)
    assert "0 of the first 100 candidates are solvable: repair" in result.stderr
    assert json.loads(result.stdout)["method"] == "repair"
    with Store(database) as store:
        assert [record.method for record in store.puzzles()] == ["repair"] * 3
    result = _run("--size", "9x9", "--mines", "10", *words)
    assert "candidates are solvable: rejection" in result.stderr


def test_hopeless_rejection_is_warned_about(database: str) -> None:
    result = _run("--size", "16x30", "--mines", "170", "--count", "1", "--max-candidates", "50", "--db", database)
    assert result.exit_code == 1
    assert "Warning: 0 of the first 100 candidates" in result.stderr
    assert "the limit of candidates was reached: 0 of 1 puzzle\n" in result.stdout


def test_a_wish_that_is_hardly_ever_granted_is_warned_about(database: str) -> None:
    words = ("--board", "50x50/400", "--difficulty", "fiendish", "--max-candidates", "20", "--seed", "7")
    result = _run(*words, "--db", database)
    assert "Warning: none of the first" in result.stderr
    assert "--max-candidates and --time-limit end it" in result.stderr
    assert (
        "Warning" not in _run("--preset", "beginner", "--difficulty", "easy", "--count", "1", "--db", database).stderr
    )


def test_a_config_file_takes_the_names_of_the_options(tmp_path: Path, database: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("min-3bv: 20\nneeds-mine-count: no\nsize: 9x9\nmines: 10\ncount: 1\nseed: 7\n")
    result = _run("--config", str(path), "--db", database)
    assert "1 puzzle kept" in result.stdout, result.stderr
    assert "without mine count, 3BV 20 or more" in result.stdout


def test_the_version_is_told() -> None:
    assert _run("--version").stdout.startswith("minesweeper-toolkit")
