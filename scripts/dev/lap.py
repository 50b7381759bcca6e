"""One lap: what each work takes this revision, or another one, and a digest of what came of it.

Run as a file: ``lap.py FOLDER SCALE [WORK...]``. FOLDER is where another revision is installed, or empty for this one,
so this asks only for what all revisions have. SCALE is how much is done: 1 for some tenths of a second of each work, 0
to be told only what works there are. Prints a line of JSON for each: its name, how many pieces it has, seconds of CPU
time for all of them, and the digest.
"""

from __future__ import annotations

import hashlib
import importlib
import io
import json
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

if __name__ == "__main__" and sys.argv[1]:
    # An editable installation of this revision would come first.
    sys.meta_path[:] = [finder for finder in sys.meta_path if "ScikitBuild" not in type(finder).__name__]
    sys.path.insert(0, sys.argv[1])

from minesweeper.generator.certify import certify
from minesweeper.generator.repair import repair_range
from minesweeper.generator.screening import screen_range
from minesweeper.player import kernel_api
from minesweeper.player.recipe import Recipe

if TYPE_CHECKING:
    from minesweeper.generator.screening import Kept

Run = Callable[[], tuple[int, Iterable[object]]]
"""Does the work, and returns how many pieces it had and what came of it."""

_START: Final = "import sys; sys.path.insert(0, {!r}); from minesweeper.scripts.commands.generate import main; main()"
_EXPERT: Final = ("--size", "16x30", "--mines", "99", "--seed", "1", "--workers", "1", "--db")


def _recipe(rows: int, cols: int, mines: int) -> Recipe:
    return Recipe(rows, cols, mines, (rows // 2, cols // 2), "opening", 1)


def _screening(recipe: Recipe, count: int) -> Run:
    return lambda: (count, _put_together(screen_range(recipe, 0, count, "native")))


def _put_together(kept: Iterable[Kept]) -> list[object]:
    """Ask each puzzle for what may wait until it is asked for, and leave what it says for later."""
    found = list(kept)
    for one in found:
        one.puzzle, one.screening  # noqa: B018
    return list(map(_Later, found))


class _Later:
    """A puzzle that says what was found out about it when it is asked, which is no part of the work."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept

    def __str__(self) -> str:
        kept = self._kept
        return f"{kept.index} {kept.puzzle.id} {tuple(kept.screening.tally)} {kept.screening.clues_at_once}"


def _certifying(candidates: int) -> Run:
    kept = list(screen_range(_recipe(16, 30, 99), 0, candidates, "native"))
    _put_together(kept)
    for one in kept[:50]:
        certify(one)  # loads the solver
    return lambda: (sum(certify(one).proofs for one in kept), map(_Later, kept))


def _mending(boards: int) -> Run:
    recipe = _recipe(16, 30, 170)
    return lambda: (boards, _put_together(repair_range(recipe, 0, boards, "native")))


def _closing(side: int, times: int) -> Run:
    puzzle = _recipe(side, side, side * side // 10).puzzle(0)

    def run() -> tuple[int, Iterable[object]]:
        found = [kernel_api.solve(puzzle) for _ in range(times)]
        return times * side * side, [one.tally for one in found if one is not None]

    return run


def _playing(strategy: str, games: int) -> Run:
    recipe = Recipe(16, 30, 99, (3, 3), "opening", 1)

    def run() -> tuple[int, Iterable[object]]:
        played = kernel_api.play_sampled(recipe, range(games), strategy)
        return games, [(one.won, one.opened, one.guesses) for one in played]

    return run


def _command(module: str, *options: str) -> str:
    """Run a command in this process, and return what it prints."""
    main = importlib.import_module(f"minesweeper.scripts.commands.{module}").main
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        main.main(args=list(options), standalone_mode=False)
    return out.getvalue()


def _generated(database: Path, count: int) -> Path:
    _command("generate", "--count", str(count), *_EXPERT, str(database))
    return database


def _ids(database: Path) -> list[object]:
    query = "SELECT id, canonical_id, difficulty, human_zini FROM puzzles ORDER BY rowid"
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute(query).fetchall()


def _storing(folder: Path, count: int) -> Run:
    _generated(folder / "first.db", 20)  # loads the solver
    return lambda: (count, _ids(_generated(folder / "stored.db", count)))


def _pack(folder: Path, count: int) -> Path:
    pack = folder / "pack.jsonl"
    _command("packs.command", "export", str(pack), "--db", str(_generated(folder / "packed.db", count)))
    return pack


def _verifying(folder: Path, count: int) -> Run:
    pack = _pack(folder, count)
    return lambda: (count, [_command("packs.command", "verify", str(pack), "--workers", "1")])


def _importing(folder: Path, count: int) -> Run:
    pack, database = _pack(folder, count), folder / "imported.db"

    def run() -> tuple[int, Iterable[object]]:
        _command("packs.command", "import", str(pack), "--workers", "1", "--db", str(database))
        return count, _ids(database)

    return run


def _starting(other: str, folder: Path, times: int) -> Run:
    def run() -> tuple[int, Iterable[object]]:
        for number in range(times):
            options = ["--count", "1", *_EXPERT, str(folder / f"one {number}.db")]
            subprocess.run([sys.executable, "-c", _START.format(other), *options], check=True, capture_output=True)
        return times, _ids(folder / "one 0.db")

    return run


def _works(other: str, scale: float, folder: Path) -> Mapping[str, Callable[[], Run]]:
    def much(pieces: int) -> int:
        return max(1, int(pieces * scale))

    sizes = {(16, 30, 99): 8000, (30, 50, 300): 3000, (16, 16, 40): 8000, (9, 9, 10): 12_000}
    recipes = {_recipe(*size): much(count) for size, count in sizes.items()}
    return {f"candidate {recipe.name}": partial(_screening, recipe, count) for recipe, count in recipes.items()} | {
        "certifying, a hard step": partial(_certifying, much(8000)),
        "16x30/99, certified and stored": partial(_storing, folder, much(1000)),
        "16x30/170, a board mended": partial(_mending, much(40)),
        "16x30/99, packs verify": partial(_verifying, folder, much(2000)),
        "16x30/99, packs import": partial(_importing, folder, much(2000)),
        "16x30/99, a game of progress": partial(_playing, "progress", much(1500)),
        "16x30/99, a game of champion": partial(_playing, "champion", much(200)),
        "closure of 100x100, a cell": partial(_closing, 100, much(50)),
        "closure of 1000x1000, a cell": partial(_closing, 1000, much(5)),
        "start-up of generate --count 1": partial(_starting, other, folder, much(5)),
    }


def _cpu_seconds() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def main(other: str, scale: float, only: Sequence[str]) -> None:
    """Do the works called `only`, or all, one after the other."""
    if other and not str(kernel_api.__file__).startswith(other):
        sys.exit(f"expected the other revision in {other}: {kernel_api.__file__}")
    with tempfile.TemporaryDirectory() as folder:
        for name, prepare in _works(other, scale, Path(folder)).items():
            if only and name not in only:
                continue
            if not scale:
                print(json.dumps([name, 0, 0, ""]))
                continue
            run = prepare()
            began = _cpu_seconds()
            pieces, came = run()
            spent = _cpu_seconds() - began
            digest = hashlib.sha256("\n".join(map(str, came)).encode()).hexdigest()[:12]
            print(json.dumps([name, pieces, spent, digest]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), sys.argv[3:])
