"""Run the Python and every shell line of the README and the docs, in a folder with a small database and small packs."""

from __future__ import annotations

import ast
import glob
import importlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner, Result
from recordings import record_played
from test_imports import modules

from minesweeper import player
from minesweeper.db.people import HumanGame
from minesweeper.db.store import Store
from minesweeper.player import kernel_api, workers
from minesweeper.player.board import Board
from minesweeper.player.play.recorded_games import RecordedClick
from minesweeper.player.recipe import Recipe

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / "README.md",
    *(path for folder in ("", "how-to/", "explanation/") for path in sorted((ROOT / "docs").glob(f"{folder}*.md"))),
]
PAGES.remove(ROOT / "docs" / "contributing.md")
TEXT = "\n".join(page.read_text() for page in PAGES)
PYTHON = re.findall(r"(?ms)^```python\n(.*?)^```", TEXT)
SHELL = [block.splitlines() for block in re.findall(r"(?ms)^```sh\n(.*?)^```", TEXT)]
# A block that begins with a prompt also shows the output.
PROMPT = "$ "
LINES = list(
    dict.fromkeys(
        line.partition("  #")[0].strip() for block in SHELL if not block[0].startswith(PROMPT) for line in block
    )
)
SESSIONS = {block[0].removeprefix(PROMPT): block[1:] for block in SHELL if block[0].startswith(PROMPT)}

COMMANDS = {
    **{name: f"commands.{name}" for name in ("generate", "autoplay", "review", "analyse", "gemhunter")},
    **{f"minesweeper {name}": name for name in ("leaderboard", "match", "judge", "optimal")},
    "packs": "commands.packs.command",
    **{f"python scripts/dev/{name}.py": f"dev.{name}" for name in ("compare_algorithms", "luck", "efficiency")},
}
# Lines that are not run here, each with the reason.
NOT_RUN = {
    "for c in generate autoplay review analyse packs sweep gemhunter; "
    'do eval "$(env _${c^^}_COMPLETE=bash_source $c)"; done': (
        "needs the commands on the path; tests/scripts/test_options.py tries it for one of them"
    ),
    "pip install . && generate --size 16x30 --mines 99 --count 1000": "needs a network; .ci/run installs",
    "pip install -e '.[test]' && pytest": "runs these tests; .ci/run runs this line",
    "python scripts/dev/bench.py": "test_bench.py runs it",
    "mkdocs build --strict": ".ci/run builds the site",
    "python scripts/dev/critical_density.py": "test_critical_density.py runs it",
    "python scripts/dev/bench.py --against HEAD~1": "builds another revision, which takes minutes",
    "python scripts/dev/bench.py --against HEAD~1 --instructions --work verify": "the same, under valgrind",
    """duckdb -c "SELECT hardest_tier, count(*) FROM 'DIR/*.parquet' GROUP BY ALL\"""": (
        "is DuckDB's own program; tests/db/test_parts.py uses its library"
    ),
}
# Replacements so that a line takes a second: numbers, boards, and recordings in formats that the tests cannot write.
SMALLER = {
    "generate --preset expert --count 1000": "generate --preset expert --count 3",
    "generate --size 30x50 --mines 300 --start safe --first-click corner --count 20": (
        "generate --size 12x14 --mines 25 --start safe --first-click corner --count 2"
    ),
    "--mines 170 --method auto": "--mines 130 --method auto --count 1",
    "--difficulty fiendish": "--difficulty fiendish --count 2",
    "3b3d07": "PUZZLE",
    "--preset expert --games 1000": "--preset expert --games 5",
    "position.txt --games 1000": "position.txt --games 5",
    "leaderboard --games 2000": "leaderboard --board 6x6/5 --games 10",
    "champion progress --board expert": "champion progress --board 6x6/5 --max-games 200",
    "judged.jsonl": "judged.jsonl --board 6x6/8 --games 5 --layouts 8",
    "4x4 5x5/1-4 --strategies champion": "3x3 4x4/1-2 --strategies champion --games 20",
    "--study race": "--size 4x4 --boards 1 --repeats 1",
    "luck.py": "luck.py --board 6x6/6 --games 10 --bound-boards 20",
    "efficiency.py": "efficiency.py --board beginner --games 3",
    "play:7": "play:1",
    "game.avf": "game.evf",
    "game.rmv": "game.evf",
}
# `match` exits with 1 if the games do not decide.
STATUS = {"minesweeper match champion progress --board expert": 1}
CELLS_OF_NUMPY = """
import numpy as np
from minesweeper.player import Board, Game, Puzzle, Recipe, View, counterexample, reason

board = Board.from_cells(8, 9, np.argwhere(np.eye(8, 9, dtype=bool)))
puzzle = Puzzle(board, (np.int64(0), np.intp(8)))
Game(board).open(np.array([7, 0]))
for row, col in zip(*np.nonzero(puzzle.view.cells < 0)):
    reason(puzzle.view, (row, col)), counterexample(puzzle.view, (row, col))
print(Recipe(rows=8, cols=9, mines=8, click=np.array([0, 8]), rule="safe", seed=7))
"""
CONFIG = "presets:\n  small:\n    size: 6x6\n    mines: 4\npreset: small\ncount: 2\nworkers: 1\n"


@pytest.mark.parametrize("block", PYTHON, ids=lambda block: block.splitlines()[0])
def test_python_of_the_docs_runs(block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "README.md", "exec"), {})


@pytest.mark.faults
def test_python_of_the_docs_has_types(tmp_path: Path) -> None:
    """mypy --strict accepts the examples; NumPy integers are accepted as cells."""
    examples = [path.read_text() for path in sorted((ROOT / "docs" / "examples").glob("*.py"))]
    for number, block in enumerate([*PYTHON, *examples, CELLS_OF_NUMPY]):
        (tmp_path / f"block_{number}.py").write_text(block)
    above = Path(player.__file__).parents[2]
    # An installed package must declare by itself that it has types.
    environment = os.environ if above.name == "site-packages" else os.environ | {"MYPYPATH": str(above)}
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir", os.devnull, "."]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("use", ["mine_maps", "(ms.Strategy)", "is_guess"])
def test_examples_have_at_most_twelve_lines(use: str) -> None:
    (block,) = [block for block in PYTHON if use in block]
    assert len([line for line in block.splitlines() if line.strip()]) <= 12


CODE = re.compile(r":\n\n((?:    .*\n|\n)*    .*import .*\n(?:    .*\n|\n)*)")


def examples() -> list[tuple[str, str]]:
    """Return the worked examples, and the Python code in docstrings, with their names."""
    found = [(path.stem, path.read_text()) for path in sorted((ROOT / "docs" / "examples").glob("*.py"))]
    for name, path in modules().items():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                found += [(name, dedent(code)) for code in CODE.findall(f"{ast.get_docstring(node)}\n")]
    return found


@pytest.mark.parametrize(("name", "code"), examples(), ids=lambda text: text.splitlines()[0])
def test_an_example_runs(name: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code, name, "exec"), {})


def test_packages_and_strategies_have_an_example() -> None:
    assert {name for name, _ in examples()} >= {"player", "db", "generator", "player.strategies", "write_a_strategy"}


@pytest.fixture(scope="module")
def stocked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the shell lines use."""
    folder = tmp_path_factory.mktemp("stocked")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workers, "available_workers", lambda: 1)
        patch.chdir(folder)
        for size, mines, count, db in (("9x9", 10, 4, "minesweeper.db"), ("16x30", 60, 1, "minesweeper.db")):
            run(f"generate --size {size} --mines {mines} --count {count} --seed 7 --db {db}")
        run("generate --size 9x9 --mines 20 --count 8 --seed 7 --method repair")
        (folder / "boards").mkdir()
        run("packs export boards --format mbf --size 9x9 --limit 2")
        run("packs export friend.jsonl --limit 3")
        for name in ("a.db", "b.db"):
            run(f"packs export {name} --limit 2")
        run("packs show --view PUZZLE > position.txt")
        run("gemhunter generate --size 6x6 --traps 7 --unique --seed 7 > puzzle.txt")
        with Store("minesweeper.db") as store:
            clicks = tuple(RecordedClick(at, cell, (cell,)) for at, cell in enumerate([(0, 0), (0, 6), (0, 9)]))
            board = Board.from_text("...*....*.")
            store.add_human_games(
                [("somebody", HumanGame("a", "classic", "Classic", board, clicks, True, 2.5, 3, "2026-01-01"))]
            )
    (folder / "mine.yaml").write_text(CONFIG)
    record_played(folder / "game.evf", Recipe(8, 8, 10, (3, 3), "opening", seed=4), 0)
    return folder


@pytest.fixture
def here(stocked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of that folder as the current one."""
    folder = tmp_path / "here"
    shutil.copytree(stocked, folder)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(workers, "available_workers", lambda: 1)
    return folder


def run(line: str) -> Result:
    """Run a shell line, with commands of the toolkit in this process and the others by bash.

    Returns the result of the last command of a pipe; the earlier ones must succeed.
    """
    line, _, target = line.partition(" > ")
    given: bytes | None = None
    *first, last = line.split(" | ")
    for part in first:
        result = run_one(part, given)
        assert result.exit_code == 0, result.output
        given = result.stdout_bytes
    result = run_one(last, given)
    if target:
        Path(target).write_bytes(result.stdout_bytes)
    return result


def run_one(part: str, given: bytes | None) -> Result:
    name = next((name for name in COMMANDS if re.match(rf"{re.escape(name)}(?= |$)", part)), None)
    if name is None or ">(" in part:
        define = f'packs() {{ {shlex.quote(sys.executable)} -m minesweeper.scripts.commands.packs.command "$@"; }};'
        done = subprocess.run(["bash", "-c", f"{define} {part}"], input=given, capture_output=True)
        return Result(CliRunner(), done.stdout, done.stderr, done.stdout + done.stderr, None, done.returncode, None)
    words = [file for word in shlex.split(part[len(name) :]) for file in sorted(glob.glob(word)) or [word]]
    main = importlib.import_module(f"minesweeper.scripts.{COMMANDS[name]}").main
    return CliRunner().invoke(main, [stored_id() if word == "PUZZLE" else word for word in words], input=given)


def stored_id() -> str:
    """Return the beginning of the id of a stored puzzle."""
    with Store("minesweeper.db", create=False) as store:
        return next(store.puzzles()).id[:6]


def smaller(line: str) -> str:
    """Apply the replacements of `SMALLER` to a line."""
    for large, small in SMALLER.items():
        line = line.replace(large, small)
    return line


@pytest.mark.skipif(not kernel_api.available(), reason="the kernel was not built")
@pytest.mark.parametrize("line", [line for line in LINES if line not in NOT_RUN], ids=str)
@pytest.mark.usefixtures("here")
def test_shell_of_the_docs_runs(line: str) -> None:
    result = run(smaller(line))
    known = next((status for begin, status in STATUS.items() if line.startswith(begin)), 0)
    assert result.exit_code == known, result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize(("line", "printed"), SESSIONS.items(), ids=list(SESSIONS))
def test_the_shown_output_is_printed(line: str, printed: list[str]) -> None:
    assert run(line).stdout.splitlines() == printed


def test_every_exception_is_used() -> None:
    assert PYTHON
    assert SESSIONS
    assert set(NOT_RUN) <= set(LINES)
    assert all(any(line.startswith(begin) for line in LINES) for begin in STATUS)
    assert [large for large in SMALLER if not any(large in line for line in LINES)] == []
