"""Shared parts of the commands: errors, tables and colours."""

import errno
import io
import json
import re
import sys

import click
import pytest
from click.testing import CliRunner

from minesweeper.player.core.errors import BoardError
from minesweeper.scripts.console import terminal
from minesweeper.scripts.console.terminal import (
    Command,
    command_errors,
    print_rows,
    progress_bar,
    table_lines,
    wants_colour,
    with_progress,
)

ROWS = [{"name": "a, b", "wins": 7, "rate": 0.123456}, {"name": "c", "wins": 120, "rate": None}]
COLUMNS = {"name": "strategy", "wins": "wins", "rate": "rate"}


def fail_with(error: BaseException) -> click.Command:
    @click.command(cls=Command)
    def failing() -> None:
        raise error

    return failing


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (BoardError("expected a board:\n 'x'"), 2, "Error: expected a board: 'x'\n"),
        (click.BadParameter("too odd"), 2, "Error: Invalid value: too odd\n"),
        (FileNotFoundError(errno.ENOENT, "No such file", "a.yaml"), 2, "Error: No such file: 'a.yaml'\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_errors_that_a_user_can_fix_are_one_line(error: BaseException, code: int, message: str) -> None:
    result = CliRunner().invoke(fail_with(error), [])
    assert (result.exit_code, result.stderr) == (code, message)


@pytest.mark.parametrize(
    "error",
    [ValueError("ours"), UnicodeError("ours"), KeyError("ours"), OSError("ours"), BrokenPipeError("a worker's")],
)
def test_defects_keep_their_traceback(error: Exception) -> None:
    with pytest.raises(type(error)):
        command_errors(fail_with(error).callback or sys.exit)()


def test_a_table_lines_up() -> None:
    assert table_lines(ROWS, COLUMNS) == [
        "strategy  wins    rate",
        "a, b         7  0.1235",
        "c          120",
    ]
    assert table_lines([], COLUMNS) == ["strategy  wins  rate"]


def test_a_table_without_rows_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows(iter([]), COLUMNS, empty="no games in a.db")
    assert capsys.readouterr().out == "no games in a.db\n"
    print_rows(iter(ROWS), COLUMNS, empty="no games in a.db")
    assert capsys.readouterr().out.startswith("strategy  wins")


@pytest.mark.parametrize("total", [None, 100])
def test_all_progress_bars_look_the_same(total: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress_bar(" games", total, "16x30/99", mininterval=0, ncols=80) as bar:
        bar.update(40)
    shown = sys.stderr.getvalue().split("\r")[-1].strip()  # type: ignore[attr-defined]
    number = r"40 games" if total is None else r"40/100 \S+"
    assert re.fullmatch(rf"16x30/99: {number} +\d\d:\d\d(<\d\d:\d\d)?, +[\d.]+ games/s", shown), shown


def test_a_wait_of_two_seconds_shows_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert list(with_progress("abc", " puzzles")) == ["a", "b", "c"]
    assert sys.stderr.getvalue() == ""  # type: ignore[attr-defined]
    monkeypatch.setattr(terminal, "DELAY_SECONDS", 1e-9)
    assert list(with_progress("abc", " puzzles")) == ["a", "b", "c"]
    assert "3 puzzles" in sys.stderr.getvalue()  # type: ignore[attr-defined]


def test_json_and_csv_keep_every_digit(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows(iter(ROWS), COLUMNS, "json")
    assert json.loads(capsys.readouterr().out) == ROWS
    print_rows(iter([]), COLUMNS, "json")
    assert json.loads(capsys.readouterr().out) == []
    print_rows(iter(ROWS), COLUMNS, "csv")
    assert capsys.readouterr().out == 'name,wins,rate\n"a, b",7,0.123456\nc,120,\n'


@pytest.mark.parametrize(
    ("terminal", "environment", "wanted"),
    [
        (True, {}, True),
        (True, {"NO_COLOR": ""}, True),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"TERM": "dumb"}, False),
        (False, {}, False),
    ],
)
def test_colours_need_a_terminal_that_supports_them(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, environment: dict[str, str], wanted: bool
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert wants_colour() is wanted
