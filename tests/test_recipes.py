"""The recipes of docs/contributing.md, applied to a copy of the package: the result works."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from minesweeper.player import kernel_api

ROOT = Path(__file__).parents[1]
PACKAGES = ("player", "db", "generator", "scripts")

STRATEGY = """
from minesweeper.player.core.board import View
from minesweeper.player.core.grid import Cell
from minesweeper.player.play.strategies import Knowledge, Strategy


class Last(Strategy):
    name = "last"

    def choose(self, view: View, knowledge: Knowledge) -> Cell:
        return knowledge.uncertain_cells[-1]
"""
FORMAT = """
from minesweeper.db.formats.format import lines, reader, text_of, writer
from minesweeper.player.core.board import Board

write = writer(lambda record: record.puzzle.board.to_text().replace("\\n", "|").encode() + b"\\n")
read = reader(lines, lambda line: Board.from_text(text_of(line).replace("|", "\\n")))
"""
COMMAND = """
import click

from minesweeper.scripts.console.terminal import Command


@click.command(cls=Command, epilog="Example: minesweeper greet")
def main() -> None:
    \"\"\"Greet.\"\"\"
    click.echo("hello")
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the packages under their installed name."""
    package = tmp_path / "minesweeper"
    shutil.copytree(ROOT / ".source" / "minesweeper", package, ignore=shutil.ignore_patterns(*PACKAGES))
    for name in PACKAGES:
        shutil.copytree(ROOT / name, package / name, ignore=shutil.ignore_patterns("kernel", "static", "__pycache__"))
    if kernel_api.available():
        shutil.copy(kernel_api.kernel.__file__, package / "player")
    return package


def add_line(path: Path, after: str, line: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(after) == 1
    path.write_text(text.replace(after, f"{after}\n{line}"), encoding="utf-8")


def run(copy: Path, *arguments: str) -> str:
    # An editable installation would hide the copy.
    start = "import sys; sys.meta_path[:] = [one for one in sys.meta_path if 'ScikitBuild' not in type(one).__name__]"
    code = f"{start}; from minesweeper.scripts.commands import main; main()"
    environment = os.environ | {"PYTHONPATH": str(copy.parent), "MINESWEEPER_DB": str(copy.parent / "own.db")}
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.check_output(command, cwd=copy.parent, env=environment, text=True)


def test_a_strategy_is_a_file_and_a_line(copy: Path) -> None:
    strategies = copy / "player" / "play" / "strategies"
    (strategies / "last.py").write_text(STRATEGY)
    line = '    "last": StrategyInfo("last:Last", "the last uncertain cell", needs_kernel=False),'
    add_line(strategies / "loading.py", "STRATEGIES: Final = {", line)
    options = ["--preset", "beginner", "--games", "5", "--seed", "7", "--no-record", "--workers", "1"]
    assert run(copy, "autoplay", "--strategy", "last", *options).startswith("last on 9x9/10")


def test_a_format_is_a_file_and_a_line(copy: Path) -> None:
    formats = copy / "db" / "formats"
    (formats / "bars.py").write_text(FORMAT)
    add_line(formats / "registry.py", "FORMATS: Final = (", '    Format("bars", "bars", (".bars",), "bars"),')
    run(copy, *["generate", "--preset", "beginner", "--count", "3", "--seed", "7", "--workers", "1"])
    run(copy, *["packs", "export", "own.bars"])
    assert len((copy.parent / "own.bars").read_text().splitlines()) == 3
    assert "3" in run(copy, *["packs", "import", "own.bars", "--db", "other.db"])


def test_a_command_is_a_file(copy: Path) -> None:
    (copy / "scripts" / "commands" / "greet.py").write_text(COMMAND)
    assert run(copy, "greet") == "hello\n"
    assert "greet" in run(copy, "--help")
