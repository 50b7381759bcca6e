"""Race our engines against other programs on the same work, in one run: one table, ratios to the fastest of ours.
Everything runs on one core. Times are CPU times, so that other work on the machine disturbs little. Other programs
are ms_toollib (PyPI, one of the test requirements) and sgt-mines (Debian's sgt-puzzles), where they are installed.
"""

from __future__ import annotations

import importlib
import itertools
import pickle
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any, Final

import click

from minesweeper.db import formats
from minesweeper.db.parts import PartsFolder
from minesweeper.db.records import PuzzleRecord, RunKey
from minesweeper.db.sql import PuzzleRow, column_index
from minesweeper.db.store import Import, Store
from minesweeper.generator.certify import certify
from minesweeper.generator.pipeline import Limits, Task, find_rows, generate
from minesweeper.generator.proving import Proving, prove_all
from minesweeper.generator.repair import repair_range
from minesweeper.generator.screening import Kept, Screening, screen, screen_range
from minesweeper.player import kernel_api
from minesweeper.player.board import Puzzle
from minesweeper.player.chance.probability import probabilities
from minesweeper.player.game import StartRule
from minesweeper.player.recipe import Recipe
from minesweeper.scripts.dev.revisions import ratios
from minesweeper.scripts.terminal import Command, columns, output_options, print_rows

EXPERT: Final = Recipe(16, 30, 99, (8, 15), StartRule.OPENING, 1)
LARGE: Final = Recipe(30, 50, 300, (15, 25), StartRule.OPENING, 1)
INTERMEDIATE: Final = Recipe(16, 16, 40, (8, 8), StartRule.OPENING, 1)
BEGINNER: Final = Recipe(9, 9, 10, (4, 4), StartRule.OPENING, 1)
DENSE: Final = Recipe(16, 30, 170, (8, 15), StartRule.OPENING, 1)


@dataclass(frozen=True)
class Race:
    """Programs that do the same work. Each, called again and again, says how many pieces it has done since."""

    work: str
    unit: str
    entrants: dict[str, Callable[[], int]]


def _in_a_row(puzzles: Callable[[int, int], Iterable[object]], portion: int) -> Callable[[], int]:
    """Go through the candidates of a recipe, a portion at each call, and count what comes out."""
    starts = itertools.count(0, portion)

    def next_portion() -> int:
        start = next(starts)
        return sum(1 for _ in puzzles(start, start + portion))

    return next_portion


def _candidates(puzzles: Callable[[int, int], Iterable[object]], portion: int) -> Callable[[], int]:
    """Likewise, but count what goes in."""
    screen_portion = _in_a_row(puzzles, portion)

    def next_portion() -> int:
        screen_portion()
        return portion

    return next_portion


def _in_hand(recipe: Recipe, engine: str) -> Callable[[int, int], Iterator[tuple[Puzzle, Screening]]]:
    """Put together every puzzle that is kept: as long as they are only counted, that waits."""
    return lambda start, stop: ((kept.puzzle, kept.screening) for kept in screen_range(recipe, start, stop, engine))


def _certified(recipe: Recipe) -> Callable[[int, int], Iterator[Kept]]:
    def certified(start: int, stop: int) -> Iterator[Kept]:
        for kept in screen_range(recipe, start, stop, "native"):
            certify(kept)
            yield kept

    return certified


def _over(items: list[Any], function: Callable[[Any], object]) -> Callable[[], int]:
    """Call the function on the next of the items, again and again."""
    turns = itertools.cycle(items)

    def turn() -> int:
        function(next(turns))
        return 1

    return turn


def _toollib() -> Any | None:
    try:
        return importlib.import_module("ms_toollib")
    except ImportError:
        return None


def _sgt_mines() -> str | None:
    return shutil.which("sgt-mines", path="/usr/games") or shutil.which("sgt-mines")


def _generate_with_sgt(program: str, size: str, portion: int) -> Callable[[], int]:
    def generate() -> int:
        subprocess.run([program, "--generate", str(portion), size], check=True, stdout=subprocess.DEVNULL)
        return portion

    return generate


def _counting(recipe: Recipe, portion: int) -> Race:
    entrants = {
        "kernel": _candidates(lambda start, stop: screen_range(recipe, start, stop, "native"), portion),
        "kernel, every kept puzzle put together": _candidates(_in_hand(recipe, "native"), portion),
        "sat": _candidates(_in_hand(recipe, "sat"), 20),
    }
    return Race(f"candidates {recipe.name}", "candidates", entrants)


def _screening(recipe: Recipe, portion: int, sgt_size: str) -> Race:
    entrants = {
        "kernel": _in_a_row(_in_hand(recipe, "native"), portion),
        "kernel, certified": _in_a_row(_certified(recipe), portion),
        "sat": _in_a_row(_in_hand(recipe, "sat"), 20),
    }
    (row, col) = recipe.click or (0, 0)
    if toollib := _toollib():
        lay = toollib.laymine_solvable
        entrants["ms_toollib (without the mine count)"] = lambda: lay(
            recipe.rows, recipe.cols, recipe.mines, row, col, 1_000_000
        )[1]
    if sgt := _sgt_mines():
        entrants["sgt-mines (not uniform, start anywhere)"] = _generate_with_sgt(sgt, sgt_size, 20)
    return Race(f"solvable {recipe.name}", "puzzles", entrants)


def _mending() -> Race:
    entrants = {"kernel, repair": _in_a_row(lambda start, stop: repair_range(DENSE, start, stop, "native"), 5)}
    if toollib := _toollib():
        lay = toollib.laymine_solvable_adjust
        entrants["ms_toollib, adjust"] = lambda: lay(DENSE.rows, DENSE.cols, DENSE.mines, 8, 15)[1]
    if sgt := _sgt_mines():
        entrants["sgt-mines"] = _generate_with_sgt(sgt, "30x16n170", 3)
    return Race(f"solvable {DENSE.name}", "puzzles", entrants)


def _deciding() -> Race:
    puzzles = [EXPERT.puzzle(index) for index in range(300)]
    entrants = {
        "kernel": _over(puzzles, kernel_api.solve),
        "kernel, exchanges": _over(puzzles, kernel_api.exchanges),
        "sat": _over(puzzles, lambda puzzle: screen(puzzle, "sat")),
    }
    if toollib := _toollib():
        boards = [(puzzle.board.clues.tolist(), *puzzle.first_click) for puzzle in puzzles]
        entrants["ms_toollib, is_solvable"] = _over(boards, lambda board: toollib.is_solvable(*board))
    return Race(f"solvable or not, {EXPERT.name}", "boards", entrants)


def _weighing() -> Race:
    views = [EXPERT.puzzle(index).view for index in range(100)]
    entrants = {"kernel": _over(views, probabilities)}
    if toollib := _toollib():
        # There a hidden cell is 10.
        boards = [[[10 if cell < 0 else cell for cell in row] for row in view.cells.tolist()] for view in views]
        entrants["ms_toollib, cal_probability_onboard"] = _over(
            boards, lambda board: toollib.cal_probability_onboard(board, EXPERT.mines)
        )
    return Race(f"mine probabilities, {EXPERT.name} after the first click", "views", entrants)


def _closing(side: int) -> Race:
    recipe = Recipe(side, side, side * side // 10, (side // 2, side // 2), StartRule.OPENING, 1)
    puzzles = [recipe.puzzle(index) for index in range(max(1, 100_000 // side**2))]
    close = _over(puzzles, kernel_api.solve)
    return Race(f"closure of {recipe.name}", "cells", {"kernel": lambda: close() * side * side})


def _sharing(candidates: int = 10_000) -> Race:
    """What it costs to share the work: where a candidate takes no more CPU time, two workers do twice as much."""
    limits = Limits(candidates, max_candidates=candidates)

    def generated(workers: int) -> Callable[[], int]:
        def generate_all() -> int:
            with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "bench.db") as store:
                return generate(Task(EXPERT, "native"), limits, store, workers=workers).candidates

        return generate_all

    entrants = {"kernel, 1 worker": generated(1), "kernel, 2 workers": generated(2)}
    return Race(f"generate {EXPERT.name}, certified and stored", "candidates", entrants)


def _writing() -> Race:
    """What a busy writing process does: store what workers have found; CPU time a puzzle."""
    rows = find_rows(Task(EXPERT, "native", certified=False), "native", 1, range(2500))
    draw = Random(1).randbytes
    name, canonical = map(column_index, ("id", "canonical_id"))

    def renamed(row: PuzzleRow) -> PuzzleRow:
        values = list(row)
        values[name], values[canonical] = draw(10).hex(), draw(10).hex()
        return tuple(values)

    pieces = [pickle.dumps([renamed(row) for row in rows]) for _ in range(50)]
    entrants = {"SQLite": _into(lambda folder: Store(folder / "bench.db"), pieces)}
    if find_spec("pyarrow"):
        entrants["Parquet"] = _into(lambda folder: PartsFolder(folder / "bench"), pieces)
    return Race(f"storing {EXPERT.name}, found by workers", "puzzles", entrants)


def _into(opened: Callable[[Path], Store | PartsFolder], pieces: list[bytes]) -> Callable[[], int]:
    def store_all() -> int:
        stored = 0
        with tempfile.TemporaryDirectory() as folder, opened(Path(folder)) as store:
            run = store.begin_run(RunKey(EXPERT), {}, "native")
            for first in range(0, len(pieces), 8):
                rows = [row for piece in pieces[first : first + 8] for row in pickle.loads(piece)]
                stored += len(rows)
                store.add_rows(run.id, rows, next_index=stored, candidates=stored, seconds=0)
        return stored

    return store_all


def _playing() -> Race:
    """Games of the strategies whose speed matters, the first click at (3, 3)."""
    recipe = replace(EXPERT, click=(3, 3))

    def games(strategy: str | kernel_api.Rollouts, portion: int) -> Callable[[], int]:
        return _in_a_row(lambda start, stop: kernel_api.play_sampled(recipe, range(start, stop), strategy), portion)

    entrants = {f"kernel, {name}": games(name, 50) for name in kernel_api.STRATEGIES}
    entrants["kernel, rollout"] = games(kernel_api.Rollouts(512), 1)
    return Race(f"games of {recipe.name}", "games", entrants)


def _packs(folder: Path, puzzles: int = 1000) -> Race:
    """What `packs verify` and `packs import` do with a file of JSON lines."""
    pack = folder / "pack.jsonl"
    with Store(folder / "pack.db") as store:
        generate(Task(EXPERT, "native"), Limits(puzzles), store, workers=1)
        formats.save(store.puzzles(), pack)

    def proved(how: Proving) -> Iterator[PuzzleRecord]:
        with formats.reading(pack) as reader:
            for _, _, outcome in prove_all((("", found) for found in reader), how, 1):
                if isinstance(outcome, ValueError):
                    raise outcome
                yield outcome

    def verify() -> int:
        return sum(1 for _ in proved(Proving()))

    def take_in() -> int:
        with tempfile.TemporaryDirectory() as new, Store(Path(new) / "new.db") as store:
            with Import(store) as batch:
                batch.add(proved(Proving(measured=True)))
            return batch.added

    return Race(f"a pack of {EXPERT.name} as JSON lines", "puzzles", {"kernel, verify": verify, "import": take_in})


def _starting() -> Race:
    """Whole processes, from start to end."""

    def program(*options: str) -> Callable[[], int]:
        command = [sys.executable, "-c", "from minesweeper.scripts.commands.generate import main; main()", *options]

        def start() -> int:
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run(command, check=True, cwd=folder, capture_output=True)
            return 1

        return start

    entrants = {
        "kernel, generate --count 1": program("--preset", "expert", "--count", "1", "--db", "new.db"),
        "generate --help": program("--help"),
    }
    return Race("start-up", "starts", entrants)


def _rate(entrant: Callable[[], int], seconds: float) -> float:
    """How much is done in a second of CPU time."""
    done, began = 0, _cpu_seconds()
    while (spent := _cpu_seconds() - began) < seconds or not done:
        done += entrant()
    return done / spent


def _cpu_seconds() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def run(races: Iterable[Race], seconds: float) -> Iterator[dict[str, object]]:
    """Let everybody work for so many seconds and say how fast they were."""
    for race in races:
        ours = None
        for name, entrant in race.entrants.items():
            rate = _rate(entrant, seconds)
            ours = ours or rate
            yield {
                "work": race.work,
                "program": name,
                "rate": rate,
                "unit": f"{race.unit}/s",
                "each": 1e6 / rate,
                "ratio": ours / rate,
            }


@click.command(cls=Command, epilog="Example: python scripts/dev/bench.py --seconds 5")
@click.option("--seconds", default=3.0, show_default=True, help="CPU seconds for each program and work.")
@click.option("--against", metavar="REVISION", help="Race another revision of this checkout instead, built beside it.")
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(1), help="How often, with --against.")
@click.option(
    "--work", "works", multiple=True, metavar="TEXT", help="Only works with this in their names, with --against."
)
@click.option("--instructions", is_flag=True, help="Count instructions, with --against, where times are too noisy.")
@output_options
def main(
    seconds: float, against: str | None, rounds: int, works: tuple[str, ...], instructions: bool, style: Any
) -> None:
    """Compare the speed of our engines and of other programs, on one core.

    With --against, compare this revision with another: times in CPU microseconds, medians of rounds in turn, the range
    of the ratios, and a hash of what came of it, which says so where it is not the same. With --instructions, count
    those of the processor instead, once, which takes some minutes for each work and needs valgrind.
    """
    if not kernel_api.available():
        raise click.ClickException(f"expected the native engine, it {kernel_api.why_missing()}")
    if against is not None:
        titles = columns("work, before, now, ratio: times, least, most, came")
        unit = "instructions" if instructions else "µs"
        titles |= {"before": f"{against}, {unit}", "now": f"this, {unit}"}
        print_rows(ratios(against, rounds, works, instructions=instructions), titles, style)
        return
    if works or instructions:
        raise click.UsageError("expected --against REVISION with --work and --instructions")
    with tempfile.TemporaryDirectory() as folder:
        titles = columns("work, program, rate: per second, unit, each: µs each, ratio: times")
        print_rows(run(_races(Path(folder)), seconds), titles, style)


def _races(folder: Path) -> list[Race]:
    return [
        _screening(EXPERT, 2000, "30x16n99"),
        *(_counting(recipe, 2000) for recipe in (EXPERT, LARGE, INTERMEDIATE, BEGINNER)),
        _screening(LARGE, 500, "50x30n300"),
        _mending(),
        _deciding(),
        _weighing(),
        *map(_closing, (100, 316, 1000)),
        _sharing(),
        _writing(),
        _packs(folder),
        _playing(),
        _starting(),
    ]


if __name__ == "__main__":
    main()
