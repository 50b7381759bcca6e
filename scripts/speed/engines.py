"""Race our engines against other programs on the same work, in one run: one table, ratios to the fastest of ours.

Or race this toolkit against another revision of itself, built beside it: ratios, and whether both keep the same.

Everything runs on one core. Times are CPU times, so that other work on the machine disturbs little. Other programs
are ms_toollib (PyPI, one of the test requirements) and sgt-mines (Debian's sgt-puzzles), where they are installed.
"""

from __future__ import annotations

import importlib
import itertools
import json
import os
import pickle
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any, Final

import click

from minesweeper.db import formats
from minesweeper.db.parts import PartsFolder
from minesweeper.db.portion import NAMES, checked
from minesweeper.db.records import PuzzleRecord, RunKey
from minesweeper.db.sql import PuzzleRow, place_of
from minesweeper.db.store import Import, Store
from minesweeper.generator.certify import certify
from minesweeper.generator.pipeline import Limits, Task, find_portion, generate
from minesweeper.generator.proving import Proving, prove_all
from minesweeper.generator.repair import repair_range
from minesweeper.generator.screening import Kept, Screening, screen, screen_range
from minesweeper.player import native
from minesweeper.player.board import Puzzle
from minesweeper.player.chance.probability import probabilities
from minesweeper.player.game import StartRule
from minesweeper.player.recipe import Recipe
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
        "kernel": _over(puzzles, native.solve),
        "kernel, exchanges": _over(puzzles, native.exchanges),
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
    close = _over(puzzles, native.solve)
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
    """What a busy writing process does: take what workers have finished, and store it; CPU time a puzzle."""
    rows = find_portion(Task(EXPERT, "native", certified=False), "native", 1, checked, range(2500)).rows()
    entrants = {"SQLite": _into(lambda folder: Store(folder / "bench.db"), _finished_pieces(rows, Store.finish))}
    if find_spec("pyarrow"):
        pieces = _finished_pieces(rows, PartsFolder.finish)
        entrants["Parquet"] = _into(lambda folder: PartsFolder(folder / "bench"), pieces)
    return Race(f"storing {EXPERT.name}, finished by workers", "puzzles", entrants)


def _finished_pieces(rows: list[PuzzleRow], finish: Callable[[list[PuzzleRow]], object]) -> list[bytes]:
    """Make 20,000 puzzles or so, in the pieces that workers send: the boards of some shifted, by made-up ids."""
    draw, bits = Random(1).randbytes, place_of("mine_bits")

    def shifted(row: PuzzleRow, by: int) -> PuzzleRow:
        board = row[bits]
        assert isinstance(board, bytes)
        return (draw(10).hex(), 1, draw(10).hex(), *row[3:bits], board[by:] + board[:by], *row[bits + 1 :])

    return [pickle.dumps(finish([shifted(row, by) for row in rows])) for by in range(50)]


def _into(opened: Callable[[Path], Store | PartsFolder], pieces: list[bytes]) -> Callable[[], int]:
    def store_all() -> int:
        stored = 0
        with tempfile.TemporaryDirectory() as folder, opened(Path(folder)) as store:
            run = store.begin_run(RunKey(EXPERT), {}, "native")
            for first in range(0, len(pieces), len(NAMES)):
                portions = [pickle.loads(piece) for piece in pieces[first : first + len(NAMES)]]
                stored += sum(map(len, portions))
                store.add_portions(run.id, portions, next_index=stored, candidates=stored, seconds=0)
        return stored

    return store_all


def _playing() -> Race:
    """Games of the strategies whose speed matters, the first click at (3, 3)."""
    recipe = replace(EXPERT, click=(3, 3))

    def games(strategy: str | native.Rollouts, portion: int) -> Callable[[], int]:
        return _in_a_row(lambda start, stop: native.play_sampled(recipe, range(start, stop), strategy), portion)

    entrants = {f"kernel, {name}": games(name, 50) for name in native.STRATEGIES}
    entrants["kernel, rollout"] = games(native.Rollouts(512), 1)
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


# Run by each revision in turn, so it asks only for what all of them have.
_WORKER = """
import hashlib, json, sys, time
other = sys.argv[1]
if other:
    # An editable installation of this revision would come first.
    sys.meta_path[:] = [finder for finder in sys.meta_path if "ScikitBuild" not in type(finder).__name__]
    sys.path.insert(0, other)
from minesweeper.player import native
from minesweeper.player.recipe import Recipe
from minesweeper.generator.screening import screen_range
from minesweeper.generator.certify import certify
from minesweeper.generator.repair import repair_range
if other and not native.__file__.startswith(other):
    sys.exit(f"expected the other revision in {other}: {native.__file__}")
scale = float(sys.argv[2])

def digest(kept):
    lines = [f"{k.index} {k.puzzle.id} {tuple(k.screening.tally)} {k.screening.clues_at_once}" for k in kept]
    return hashlib.sha256("\\n".join(lines).encode()).hexdigest()[:12]

def row(name, work, pieces):
    began = time.process_time()
    kept = list(work())
    for one in kept:
        one.puzzle, one.screening  # put together, where that waits until it is asked for
    spent = time.process_time() - began
    print(json.dumps([name, spent / (pieces or max(1, len(kept))), digest(kept)]), flush=True)
    return kept

def certified(kept):
    for one in kept:
        certify(one)
    return kept

for size, unit in [((16, 30, 99), 4000), ((30, 50, 300), 1500), ((16, 16, 40), 4000), ((9, 9, 10), 6000)]:
    recipe, count = Recipe(*size, (size[0] // 2, size[1] // 2), "opening", 1), max(1, int(unit * scale))
    kept = row(f"candidate {recipe.name}", lambda: screen_range(recipe, 0, count, "native"), count)
    if size[2] == 99:
        steps = sum(len(one.screening.hard_steps) for one in kept)
        certified(kept[:50])  # loads the solver
        row("certifying, a hard step", lambda: certified(kept), max(1, steps))
recipe, count = Recipe(16, 30, 170, (8, 15), "opening", 1), max(1, int(20 * scale))
row(f"repair, a board of {recipe.name}", lambda: repair_range(recipe, 0, count, "native"), count)
"""


@contextmanager
def _built(revision: str) -> Iterator[str]:
    """Build a revision of this checkout in a temporary folder."""
    checkout = Path(__file__).resolve().parents[2]
    if shutil.which("git") is None:
        raise click.ClickException("expected git on the path, to get at another revision")
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "source"), Path(folder, "built")
        source.mkdir()
        archive = subprocess.run(["git", "-C", checkout, "archive", revision], capture_output=True)
        if archive.returncode:
            raise click.BadParameter(f"expected a revision of {checkout}: {revision!r}", param_hint="--against")
        subprocess.run(["tar", "-x", "-C", source], input=archive.stdout, check=True)
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(target), str(source)]
        built = subprocess.run(install, capture_output=True, text=True)
        if built.returncode:
            raise click.ClickException(f"{revision} does not build: {built.stderr.strip().splitlines()[-1]}")
        yield str(target)


def _times(other: str, scale: float) -> dict[str, tuple[float, str]]:
    """The seconds of CPU time that each work takes, and a digest of what came out."""
    command = [sys.executable, "-c", _WORKER, other, str(scale)]
    # One thread: those of libraries would count as time spent.
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    run = subprocess.run(command, capture_output=True, text=True, env=environment)
    if run.returncode:
        raise click.ClickException(run.stderr.strip().splitlines()[-1])
    return {name: (seconds, digest) for name, seconds, digest in map(json.loads, run.stdout.splitlines())}


def ratios(revision: str, rounds: int, scale: float = 1.0) -> Iterator[dict[str, object]]:
    """Let the two revisions work in turn, and say how many times as fast this one is: median, least and most."""
    with _built(revision) as other:
        pairs = [(_times(other, scale), _times("", scale)) for _ in range(rounds)]
    for work in pairs[0][0]:
        quotients = [theirs[work][0] / ours[work][0] for theirs, ours in pairs]
        kept = {side[work][1] for pair in pairs for side in pair}
        yield {
            "work": work,
            "before": 1e6 * statistics.median(theirs[work][0] for theirs, _ in pairs),
            "now": 1e6 * statistics.median(ours[work][0] for _, ours in pairs),
            "ratio": statistics.median(quotients),
            "least": min(quotients),
            "most": max(quotients),
            "kept": kept.pop() if len(kept) == 1 else "NOT THE SAME",
        }


@click.command(cls=Command, epilog="Example: python scripts/bench.py --seconds 5")
@click.option("--seconds", default=3.0, show_default=True, help="CPU seconds for each program and work.")
@click.option("--against", metavar="REVISION", help="Race another revision of this checkout instead, built beside it.")
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(1), help="How often, with --against.")
@output_options
def main(seconds: float, against: str | None, rounds: int, style: Any) -> None:
    """Compare the speed of our engines and of other programs, on one core.

    With --against, compare this revision with another: times in CPU microseconds, medians of rounds in turn, the range
    of the ratios, and a hash of what was kept, which says so where it is not the same.
    """
    if not native.available():
        raise click.ClickException(f"expected the native engine, it {native.why_missing()}")
    if against is not None:
        titles = columns("work, before, now, ratio: times, least, most, kept")
        titles |= {"before": f"{against}, µs", "now": "this, µs"}
        print_rows(ratios(against, rounds), titles, style)
        return
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
