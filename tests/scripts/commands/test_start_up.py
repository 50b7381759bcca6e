"""Commands start at once: help and lists import nothing heavy that they do not need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from minesweeper.db.store import Store
from minesweeper.generator.pipeline import Limits, Task, generate
from minesweeper.player import kernel_api
from minesweeper.player.recipe import Recipe

HEAVY = {"matplotlib", "pyarrow", "starlette", "pydantic", "uvicorn", "pysat", "pysolvers", "tabulate", "yaml"}
HEAVY |= {"importlib.metadata", "tqdm"}
STORING = {"sqlite3", "secrets"}
UNUSED = {"sqlite_utils", "statistics", "minesweeper.player.logic.sat", "minesweeper.player.gems"}
UNUSED |= {"multiprocessing", "concurrent.futures.process", "minesweeper.db.series"}
UNUSED |= {"minesweeper.generator.repair"}
TABLES = {"tabulate", "importlib.metadata"}
ONE = ["--preset", "beginner", "--count", "1", "--seed", "7"]
GAME = ["--preset", "beginner", "--games", "1", "--seed", "7", "--no-record"]
needs_kernel = pytest.mark.skipif(not kernel_api.available(), reason="the kernel was not built")
PROGRAM = """
import sys
from minesweeper.scripts.{module} import main
try:
    main({words}, prog_name="command")
except SystemExit:
    pass
print(*sorted({unwanted} & set(sys.modules)), file=sys.stderr)
"""


def imported(folder: Path, module: str, words: list[str], unwanted: set[str]) -> str:
    """Run a command and return what it imported of what it should not have."""
    program = PROGRAM.format(module=module, words=words, unwanted=unwanted)
    result = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True)
    assert result.stdout
    return result.stderr.strip()


@pytest.mark.parametrize(
    ("module", "words", "unwanted"),
    [
        ("commands", ["--help"], HEAVY | STORING | {"numpy"}),
        ("commands.generate", ["--help"], HEAVY | STORING | {"numpy"}),
        ("commands.sweep", ["--help"], HEAVY | STORING | {"numpy"}),
        ("commands.analyse", ["--help"], HEAVY),
        ("commands.autoplay", ["--help"], HEAVY),
        ("commands.packs.command", ["list", "--help"], HEAVY),
        ("commands.packs.command", ["list"], (HEAVY | UNUSED | {"concurrent.futures"}) - TABLES),
        pytest.param(
            "commands.generate", ONE, (HEAVY | UNUSED | {"minesweeper.db.people"}) - {"pysat"}, marks=needs_kernel
        ),
        pytest.param(
            "commands.autoplay",
            GAME,
            (HEAVY | UNUSED) - {"minesweeper.player.logic.sat"},
            marks=needs_kernel,
        ),
        ("leaderboard", ["--help"], HEAVY),
        ("match", ["--help"], HEAVY),
    ],
)
def test_nothing_heavy_is_imported_before_it_is_needed(
    tmp_path: Path, module: str, words: list[str], unwanted: set[str]
) -> None:
    with Store(tmp_path / "minesweeper.db") as store:
        generate(Task(Recipe(9, 9, 10, (4, 4), "opening", 8)), Limits(1), store, workers=1)
    assert imported(tmp_path, module, words, unwanted) == ""


def test_an_import_that_is_not_wanted_is_seen(tmp_path: Path) -> None:
    assert imported(tmp_path, "commands.generate", ["--help"], {"click", "pysat"}) == "click"


def test_analyse_of_a_small_view_loads_at_most_60_of_our_modules() -> None:
    count = 'sum(name.startswith("minesweeper") for name in sys.modules)'
    program = f"import atexit, sys; atexit.register(lambda: print({count}, file=sys.stderr))\n"
    program += "from minesweeper.scripts.commands.analyse import main; main(['-'])"
    result = subprocess.run(
        [sys.executable, "-c", program], input="2x5/2\n#121#\n#####\n", capture_output=True, text=True, check=True
    )
    assert "5 safe" in result.stdout
    assert int(result.stderr) <= 60
