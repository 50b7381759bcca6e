"""Commands in processes of their own and in this one, their exit status and their errors."""

import shlex
import sqlite3
import subprocess
import sys
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

MODULES = {"packs": "packs.command"}


def words(command: str, *arguments: object) -> list[str]:
    """Return the command line of a command of the toolkit: ``words("packs", "list")``."""
    module = f"minesweeper.scripts.commands.{MODULES.get(command, command)}"
    return [sys.executable, "-c", f"from {module} import main; main(prog_name={command!r})", *map(str, arguments)]


def run(command: str, *arguments: object, **settings: Any) -> subprocess.CompletedProcess[str]:
    """Run a command, for at most five minutes."""
    settings = {"capture_output": True, "timeout": 300, **settings}
    return subprocess.run(words(command, *arguments), text=True, check=False, **settings)


def call(command: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a command in this process, which is faster."""
    module = import_module(f"minesweeper.scripts.commands.{MODULES.get(command, command)}")
    result = CliRunner().invoke(module.main, list(map(str, arguments)), prog_name=command)
    return subprocess.CompletedProcess([command], result.exit_code, result.stdout, result.stderr)


def ended(result: Result, status: int = 0) -> Result:
    """Check the exit status of a command that ran in this process, and return its result."""
    assert result.exit_code == status, result.output
    return result


def shell(line: str, folder: Path, before: str = "", **settings: Any) -> subprocess.CompletedProcess[str]:
    """Run a line of bash in a folder, with ``packs`` and the others as commands of the toolkit.

    `before` is a prefix of the command line, such as ``taskset -c 0``.
    """
    names = ("generate", "autoplay", "analyse", "packs", "gemhunter")
    functions = [f'{name}() {{ {shlex.join(words(name))} "$@"; }}' for name in names]
    script = "\n".join([*functions, line])
    return subprocess.run(
        [*before.split(), "bash", "-c", script],
        cwd=folder,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=300,
        check=False,
        **settings,
    )


def one_line(text: str) -> str:
    """Check that the text is one line that begins with "Error: ", and return it."""
    assert text.startswith("Error: "), text
    assert text.count("\n") == 1, text
    return text


def error_line(result: Result) -> str:
    """Check that a command printed nothing but a line on stderr and exited with 2, and return the line."""
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    return one_line(result.stderr)


def ids(path: str | Path) -> list[str]:
    """Check the integrity of a database and return the ids of its puzzles in the order of storing."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return [name for (name,) in connection.execute("SELECT id FROM puzzles ORDER BY rowid")]
