"""Start-up: commands import only the modules that they need."""

import subprocess
import sys
from pathlib import Path

import pytest

from minesweeper import Recipe, Store
from minesweeper.generator import Limits, Task, generate

TABLES = {"tabulate", "importlib.metadata"}
HEAVY = TABLES | {"matplotlib", "pyarrow", "starlette", "pydantic", "uvicorn", "pysat", "pysolvers", "yaml", "tqdm"}
UNUSED = HEAVY | {"sqlite_utils", "statistics", "multiprocessing", "concurrent.futures.process"}
UNUSED |= {"minesweeper.player.gems", "minesweeper.db.series"}
SAT = {"minesweeper.player.logic.sat"}
GENERATE = "generate --preset beginner --count 1 --seed 7"
AUTOPLAY = "autoplay --preset beginner --games 1 --seed 7 --no-record"
HELP_WITHOUT_NUMPY = "generate --help; sweep --help"
HELP = "--help; analyse --help; autoplay --help; packs list --help; leaderboard --help; match --help"
PROGRAM = """
import sys
from minesweeper.scripts.commands import main
for line in sys.argv[1].split("; "):
    try:
        main(line.split())
    except SystemExit:
        pass
print(*sys.modules, file=sys.stderr)
"""


def imported(folder: Path, lines: str, text: str = "") -> set[str]:
    """Run command lines and return the names of all imported modules."""
    command = [sys.executable, "-c", PROGRAM, lines]
    result = subprocess.run(command, cwd=folder, input=text, capture_output=True, text=True, check=True)
    assert result.stdout
    return set(result.stderr.splitlines()[-1].split())


@pytest.mark.parametrize(
    ("lines", "unwanted"),
    [
        (HELP_WITHOUT_NUMPY, HEAVY | {"sqlite3", "secrets", "numpy"}),
        (HELP, HEAVY),
        ("packs list", (UNUSED | SAT | {"concurrent.futures", "numpy"}) - TABLES),
        pytest.param(GENERATE, (UNUSED | SAT | {"minesweeper.db.people"}) - {"pysat"}, marks=pytest.mark.kernel),
        pytest.param(
            "generate --preset expert --count 1 --seed 1 --workers 1",
            {"pysat.solvers", "numpy"},
            marks=pytest.mark.kernel,
        ),
        pytest.param(AUTOPLAY, UNUSED, marks=pytest.mark.kernel),
    ],
)
def test_imports_nothing_heavy_before_it_is_needed(tmp_path: Path, lines: str, unwanted: set[str]) -> None:
    if lines == "packs list":
        with Store(tmp_path / "minesweeper.db") as store:
            generate(Task(Recipe("9x9/10", seed=8)), Limits(1), store, workers=1)
    found = imported(tmp_path, lines)
    assert "click" in found
    assert not found & unwanted


def test_analyse_of_a_small_view_loads_at_most_60_of_our_modules(tmp_path: Path) -> None:
    found = imported(tmp_path, "analyse -", "2x5/2\n#121#\n#####\n")
    assert sum(name.startswith("minesweeper") for name in found) <= 60


def test_the_library_loads_sqlite_for_a_store_only() -> None:
    program = """
import sys
import minesweeper as ms
import minesweeper.db
next(iter(ms.puzzles("beginner", 1)))
assert "sqlite3" not in sys.modules
minesweeper.db.Store
assert "sqlite3" in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)
