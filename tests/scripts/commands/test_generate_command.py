"""The command `generate`."""

import json
import multiprocessing
import os
import re
import shlex
import signal
import subprocess
from itertools import count
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from click.testing import CliRunner, Result
from processes import ended, error_line, words
from rectangle import count_neighbours
from tqdm import tqdm

from minesweeper.db.store import Store
from minesweeper.player.core.board import Puzzle
from minesweeper.player.core.errors import counted
from minesweeper.player.core.limits import limited
from minesweeper.player.logic import path
from minesweeper.scripts.commands.generate import main
from minesweeper.scripts.commands.packs import command as packs
from minesweeper.scripts.console.terminal import BAR


def _run(*words: str, status: int = 0) -> Result:
    return ended(CliRunner().invoke(main, list(words)), status)


@pytest.fixture
def database(tmp_path: Path) -> str:
    return str(tmp_path / "a.db")


def test_prints_a_summary_and_resumes(database: str) -> None:
    words = ("--size", "9x9", "--mines", "10", "--count", "5", "--seed", "1", "--db", database, "--workers", "1")
    result = _run(*words)
    assert "9x9/10, opening start at 4,4, seed 1: 5 puzzles kept" in result.stdout
    assert result.stderr == ""
    assert "nothing to do" in _run(*words).stdout


def test_the_command_to_resume_repeats_the_engine_and_the_missing_certificate(database: str) -> None:
    words = ("--preset", "beginner", "--count", "500", "--max-candidates", "1", "--seed", "1", "--db", database)
    output = _run(*words, "--workers", "1", "--engine", "sat", "--no-certify", status=1).stdout
    (line,) = [line for line in output.splitlines() if line.startswith("to resume: ")]
    assert line.endswith(" --engine sat --no-certify")
    assert "--engine" not in _run(*words, "--workers", "1", status=1).stdout


def test_exits_with_1_for_fewer_puzzles_than_requested(database: str) -> None:
    words = ("--preset", "expert", "--count", "1000", "--max-candidates", "20", "--db", database, "--json")
    summary = json.loads(_run(*words, "--seed", "3", status=1).stdout)
    assert summary["candidates"] == 20
    assert summary["ending"] == "candidates"
    with Store(database) as store:
        assert store.count() == summary["kept"]


def test_counts_each_layout_once_when_all_are_tried(database: str) -> None:
    words = [*["--board", "3x3/1", "--start", "safe", "--first-click", "0,0", "--seed", "1", "--db"], database]
    for _ in range(2):
        assert "8 puzzles kept of all 8 layouts (100.0%)" in _run(*words, "--workers", "1", status=1).stdout
    summary = json.loads(_run(*words, "--workers", "1", "--json", status=1).stdout)
    assert (summary["different_candidates"], summary["ending"]) == (8, "exhausted")
    assert summary["candidates"] > 8


@pytest.mark.parametrize("target", [[], ["--db", "of mine.db"], ["--out", "parts"]])
def test_the_summary_ends_with_a_command_that_works(target: list[str], folder: Path) -> None:
    words = ["--preset", "beginner", "--seed", "7", *target]
    for _ in range(2):
        summary = _run("--count", "2", "--workers", "1", *words).stdout
        _, found, command = summary.rpartition("to see one: packs ")
        shown = CliRunner().invoke(packs.main, shlex.split(command))
        assert found, summary
        assert shown.exit_code == 0, shown.output
        assert shown.stdout.splitlines()[0].split() == list("012345678")
    none = _run("--preset", "expert", "--max-candidates", "1", "--seed", "3", "--db", "none.db", status=1).stdout
    assert "0 puzzles kept" in none
    assert "to see one" not in none


def test_the_progress_bar_reads_at_80_columns() -> None:
    counts = {"n": 99_999, "total": 100_000, "elapsed": 36_000.0, "prefix": "30x50/300: ", "unit": " puzzles"}
    line = tqdm.format_meter(**counts, ncols=80, bar_format=BAR, postfix="0.2% of 50000000")
    assert len(line) <= 80
    assert line.startswith("30x50/300: 99999/100000 █████")
    assert line.endswith("2.78 puzzles/s, 0.2% of 50000000")


@pytest.mark.parametrize("target", [["--db", "a.db"], ["--out", "parts"]])
def test_warns_about_a_filter_that_rejects_every_puzzle(target: list[str], folder: Path) -> None:
    words = "--board 50x50/400 --difficulty fiendish --seed 3 --workers 1 --max-candidates 500"
    result = _run(*words.split(), *target, status=1)
    assert result.stderr.startswith("Warning: the filter (fiendish for its size, from 15) rejects all of the first")
    assert re.search(r"scores up to \d+\n$", result.stderr)
    assert not _run("--preset", "beginner", "--difficulty", "easy", "--count", "1", *target[:1], "other").stderr


def test_the_share_of_an_efficiency_is_printed_before_the_run(database: str) -> None:
    words = "--size 9x9 --mines 10 --min-efficiency 1.5 --count 2 --seed 5 --workers 1 --db"
    found = re.fullmatch(
        r"the filter accepts 2 of the first (\d+) candidates: about \1 for 2 puzzles\n",
        _run(*words.split(), database).stderr,
    )
    assert found


def test_warns_only_if_the_filter_rejects_20_puzzles(database: str) -> None:
    """Of the first 5,000 boards of the two recipes, 19 and 20 are solvable."""
    words = ["--board", "9x9/27", "--min-3bv", "54", "--max-candidates", "5000", "--workers", "1"]
    warned = [_run(*words, "--db", database, "--seed", seed, status=1).stderr for seed in ("11", "1")]
    assert ["Warning: the filter" in line for line in warned] == [False, True]


def test_the_first_search_counts_towards_the_time_limit(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that gains ten seconds with each look leaves nothing of a limit of five, but the first puzzle is kept."""
    monkeypatch.setattr("minesweeper.scripts.commands.generate.time", Mock(monotonic=count(0, 10).__next__))
    words = "--preset beginner --count 5 --seed 1 --time-limit 5 --json --workers 1 --db"
    summary = json.loads(_run(*words.split(), database, status=1).stdout)
    assert (summary["kept"], summary["ending"]) == (1, "time")


def test_a_3bv_above_the_safe_cells_creates_no_folder(tmp_path: Path) -> None:
    target = tmp_path / "parts"
    line = error_line(
        _run("--preset", "beginner", "--min-3bv", "72", "--out", str(target), "--cluster", "local:1", status=2)
    )
    assert "no 9x9/10 board has a 3BV of 72: it has 71 safe cells" in line
    assert not target.exists()


def test_a_config_file_sets_options_presets_and_filters(tmp_path: Path, database: str) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(
        "preset: Tall\ncount: 3\nfirst-click: corner\nseed: 4\nmin-3bv: 6\nneeds-mine-count: no\n"
        "presets:\n  tall: {size: 12x4, mines: 5}\n"
    )
    result = _run("--config", str(path), "--count", "2", "--db", database)
    assert result.stdout.startswith("12x4/5, opening start at 0,0, seed 4: 2 puzzles kept"), result.output
    assert "filter: without mine count, 3BV 6 or more" in result.stdout


def test_log_files_are_not_databases(tmp_path: Path, database: str) -> None:
    words = ("--preset", "beginner", "--count", "1", "--seed", "7", "--db", database)
    _run(*words)
    before = Path(database).read_bytes()
    line = error_line(_run(*words, "--log-file", database, status=2))
    assert "is not a log; expected a new file, or an older log to add to" in line
    assert Path(database).read_bytes() == before


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_workers_log_to_a_file_with_every_start_method(tmp_path: Path, database: str, method: str) -> None:
    log = tmp_path / "log"
    options = "--preset", "beginner", "--count", 5, "--seed", 7, "--db", database, "--workers", 2, "--log-file", log
    # pytest-xdist runs this beside a thread, and a process with threads must not fork.
    environment = os.environ | {"MINESWEEPER_START_METHOD": method}
    subprocess.run(words("generate", *options), env=environment, check=True, capture_output=True)
    (line, *_) = [line for line in log.read_text().splitlines() if "Process-" in line and ": candidates" in line]
    assert re.fullmatch(rf"\S+ \S+ {method}Process-\d+ minesweeper\.\S+: candidates .*", line, re.IGNORECASE)
    with Store(database) as store:
        assert [record.sample_index for record in store.puzzles()] == [0, 2, 3, 4, 5]


def test_names_an_unknown_start_method(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINESWEEPER_START_METHOD", "knife")
    assert "'knife'" in error_line(_run("--preset", "beginner", "--db", database, "--workers", "2", status=2))


def test_ctrl_c_keeps_the_puzzles_and_prints_the_command_to_resume(database: str) -> None:
    command = words("generate", "--preset", "super-expert", "--count", 1_000_000, "--db", database, "--seed", 1, "-v")
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **streams, text=True, start_new_session=True) as process:  # type: ignore[call-overload]
        assert process.stderr is not None
        for line in process.stderr:
            if "begin" in line:
                break
        os.killpg(process.pid, signal.SIGINT)
        output, errors = process.communicate()
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    assert "interrupted" in output
    assert "to resume: generate --size 30x50 --mines 300" in output
    with Store(database, create=False) as store:
        assert f": {counted(store.count(), 'puzzle')} kept" in output


def test_dense_boards_are_repaired_by_default_and_others_are_not(database: str) -> None:
    words = ("--count", "3", "--db", database, "--seed", "1", "--workers", "1", "--json")
    result = _run("--size", "12x12", "--mines", "72", *words)
    assert "none of the first 20000 candidates is solvable" in result.stderr
    assert "--method repair" in result.stderr
    assert json.loads(result.stdout)["method"] == "repair"
    with Store(database) as store:
        assert [record.method for record in store.puzzles()] == ["repair"] * 3
    result = _run("--size", "9x9", "--mines", "10", *words)
    assert json.loads(result.stdout)["method"] == "rejection"


@pytest.mark.parametrize(("board", "most"), [("1x4000/100", 300), ("16x30/170", 50)])
def test_the_trial_obeys_the_limit_of_candidates(board: str, most: int, database: str) -> None:
    words = ("--board", board, "--start", "safe", "--max-candidates", str(most), "--seed", "1", "--db", database)
    result = _run(*words, "--workers", "1", "--json", status=1)
    assert json.loads(result.stdout)["candidates"] == most
    assert f"none of the first {counted(most, 'candidate')} is solvable" in result.stderr


def test_the_trial_obeys_the_time_limit(database: str) -> None:
    words = ["--board", "4000x4000/3000000", "--time-limit", "0.05", "--seed", "1"]
    said = _run(*words, "--db", database, status=2).stderr
    assert "the time limit of 0.05 s ended the trial of 4000x4000/3000000" in said
    assert not Path(database).exists()


def test_the_time_limit_covers_all_solution_paths(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    covered, find = [], path.solution_path

    def found(puzzle: Puzzle) -> path.SolutionPath:
        covered.append(limited())
        return find(puzzle)

    monkeypatch.setattr(path, "solution_path", found)
    words = ("--board", "9x9/10", "--count", "3", "--store-paths", "--time-limit", "600", "--seed", "1")
    _run(*words, "--workers", "1", "--db", database)
    assert len(covered) >= 3
    assert all(covered)


def test_boards_too_dense_to_repair_are_refused_before_work_starts(tmp_path: Path) -> None:
    for method in ("auto", "repair"):
        words = ["--size", "16x16", "--mines", "170", "--seed", "1", "--method", method, "--db"]
        said = _run(*words, str(tmp_path / "none.db"), status=2).stderr
        assert "no board of 16x16/170 became solvable in a trial; expected at most about" in said
    assert not (tmp_path / "none.db").exists()


def test_a_limit_on_buried_mines_keeps_boards_without_junk(database: str) -> None:
    words = ("--size", "9x18", "--mines", "81", "--count", "20", "--seed", "7", "--workers", "1", "--db", database)
    _run(*words, "--max-buried", "0.05")
    with Store(database) as store:
        for record in store.puzzles():
            board = record.puzzle.board
            buried = board.mine_map & (count_neighbours(~board.mine_map) == 0)
            assert record.measured is not None
            assert record.measured.buried == np.count_nonzero(buried) <= 0.05 * 81


def test_warns_about_hopeless_rejection(database: str) -> None:
    words = ["--size", "16x30", "--mines", "170", "--count", "1", "--max-candidates", "50", "--method", "rejection"]
    result = _run(*words, "--db", database, status=1)
    assert "Warning: none of the first 50 candidates is solvable" in result.stderr
    assert "--method rejection" in result.stdout
    assert "the limit of candidates was reached: 0 of 1 puzzle\n" in result.stdout
