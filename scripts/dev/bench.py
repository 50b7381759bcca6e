"""Benchmarks of the toolkit, against other programs that do the same work or against another revision of itself.

Times are CPU seconds of this process and its children, which other load on the machine changes little. The other
programs are ms_toollib (PyPI, a test requirement) and sgt-mines (Debian's sgt-puzzles). They run if installed.
"""

from __future__ import annotations

import hashlib
import importlib
import io
import itertools
import pickle
import resource
import shutil
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any, Final

import click
import numpy as np

from minesweeper.db.columns import Columns
from minesweeper.db.parts import PartsFolder
from minesweeper.db.records import RunKey
from minesweeper.db.runs import Runs
from minesweeper.db.store import Store
from minesweeper.generator.certify import certify, certify_all
from minesweeper.generator.repair import repair_range
from minesweeper.generator.screening import FoundPuzzle, mine_swaps, screen, screen_range
from minesweeper.generator.search import Task, columns_of, find_puzzles
from minesweeper.player import kernel_api
from minesweeper.player.core.board import Puzzle, View
from minesweeper.player.core.errors import counted
from minesweeper.player.core.grid import Grid
from minesweeper.player.core.recipe import Recipe
from minesweeper.player.logic import closure
from minesweeper.player.logic.bulk import When, positions
from minesweeper.player.logic.effort import path_effort
from minesweeper.player.logic.fewest_clicks import fewest_clicks
from minesweeper.player.logic.path import solution_path
from minesweeper.player.logic.probability import probabilities
from minesweeper.player.logic.reasons import reason
from minesweeper.player.play.games import play
from minesweeper.player.play.replay import Replay
from minesweeper.player.play.solving import solve
from minesweeper.player.play.strategies.kernel_strategies import Rollouts, play_batch
from minesweeper.player.play.strategies.loading import load_strategy
from minesweeper.scripts.console.terminal import Command, TableStyle, columns, output_options, print_rows
from minesweeper.scripts.dev.page import command_line

Run = Callable[[], tuple[int, Iterable[object]]]
"""Does the next portion of work; returns the number of pieces and an iterable of results for the digest."""
Prepare = Callable[[int], Run]
"""Makes the `Run` for portions of the given size; this part is not timed."""

_SEEDED: Final = ("--seed", "1", "--workers", "1")
_STORED_TOGETHER: Final = 8
_ROUNDS: Final = 20
"""Random steps of each environment. They repeat, and few games last longer."""
_COLUMNS: Final = columns(
    "work, program, pieces, rate: per second, unit, each: µs each, ratio: times the first, digest"
)


@dataclass(frozen=True)
class Benchmark:
    """One program on one piece of work. A portion has `amount` pieces, which take the kernel some tenths of a second.

    The first program of a work is the toolkit's usual one. `ours` is False for other people's programs.
    Times include those of child processes if `children`.
    """

    work: str
    program: str
    unit: str
    amount: int
    prepare: Prepare
    ours: bool = True
    children: bool = True

    @property
    def name(self) -> str:
        return f"{self.work}: {self.program}"


EXPERT: Final = Recipe("16x30/99", seed=1)
MEDIUM: Final = Recipe("16x16/40", seed=1)
SMALL: Final = Recipe("9x9/10", seed=1)
LARGE: Final = Recipe("30x50/300", seed=1)
DENSE: Final = Recipe("16x30/170", seed=1)
GAMES: Final = replace(EXPERT, click=(3, 3))


def benchmarks(folder: Path) -> Iterator[Benchmark]:
    """Yield all benchmarks; `folder` is for their files. Programs that are not installed are left out."""
    for recipe, most in ((EXPERT, 8000), (LARGE, 3000), (MEDIUM, 8000), (SMALL, 12_000)):
        for engine, amount in (("native", most), ("sat", 20)):
            yield Benchmark(f"candidate {recipe.name}", engine, "candidates", amount, _screening(recipe, engine))
    for recipe, amount in ((EXPERT, 8000), (LARGE, 2000)):
        work = f"solvable puzzle {recipe.name}"
        yield Benchmark(work, "native", "puzzles", amount, _solvable(recipe, "native"))
        yield Benchmark(work, "native, certified", "puzzles", amount, _solvable(recipe, "native", certified=True))
        yield Benchmark(work, "sat", "puzzles", 20, _solvable(recipe, "sat"))
        yield from _other_generators(work, recipe, "laymine_solvable", 1_000_000)
    yield Benchmark("certifying, a hard step", "native", "steps", 8000, _certifying)
    work = "16x30/170, a board repaired"
    yield Benchmark(work, "native", "puzzles", 40, _advance(_repaired))
    yield from _other_generators(work, DENSE, "laymine_solvable_adjust")
    yield from _deciding()
    yield from _weighing()
    yield from _calling()
    labelled: list[tuple[When, int]] = [("every move", 50), ("guess", 1000)]
    for when, games in labelled:
        work = f"16x30/99, a position with its probabilities, {when}"
        yield Benchmark(work, "native", "positions", games, _labelling(when))
    reasons = _cycle(_known_cells, lambda known: reason(*known).mine)
    yield Benchmark("16x30/99, smallest reason of a known cell", "native", "cells", 300, reasons)
    efforts = _cycle(_solvable_puzzles, lambda puzzle: path_effort(solution_path(puzzle)))
    yield Benchmark("16x30/99, a solution path and its measures", "native", "puzzles", 100, efforts)
    for side, times in ((100, 50), (316, 10), (1000, 5)):
        yield Benchmark(f"closure of {side}x{side}, a cell", "native", "cells", times, partial(_closing, side))
    for recipe, workers in ((EXPERT, 1), (EXPERT, 2), (MEDIUM, 1), (LARGE, 1)):
        program, generating = counted(workers, "worker"), partial(_generating, folder, workers, recipe=recipe)
        yield Benchmark(f"{recipe.name}, certified and stored", program, "puzzles", 1000, generating)
    work, storing = "16x30/99, certified and stored by 2 workers", partial(_generating, folder, 2)
    yield Benchmark(work, "the storing process", "puzzles", 20_000, storing, children=False)
    yield Benchmark("16x30/99, rows stored", "SQLite", "puzzles", 100_000, partial(_storing, Store, Runs))
    if find_spec("pyarrow"):
        yield Benchmark(
            "16x30/99, rows stored", "Parquet", "puzzles", 100_000, partial(_storing, PartsFolder, PartsFolder)
        )
    for command, transfer in (("verify", _verifying), ("import", _importing)):
        yield Benchmark(f"16x30/99, packs {command}", "native", "puzzles", 2000, partial(transfer, folder))
    for extension in ("csv", "jsonl", "db", *(["parquet"] if find_spec("pyarrow") else [])):
        for work, moving in ((f"export of {extension}", _exporting), (f"import of {extension}", _importing_rows)):
            yield Benchmark(f"9x9/10, {work}", "native", "puzzles", 4000, partial(moving, folder, extension))
    for style in ("--csv", "--json"):
        yield Benchmark(f"9x9/10, packs list {style}", "native", "puzzles", 4000, partial(_listing, folder, style))
    for strategy in kernel_api.NATIVE_STRATEGIES[1:]:
        games = 1500 if strategy == "progress" else 200
        yield Benchmark(f"16x30/99, a game of {strategy}", "native", "games", games, _playing(strategy))
    yield Benchmark("16x30/99, a game of rollout", "native", "games", 1, _playing(Rollouts(512)))
    if find_spec("gymnasium"):
        yield from _environments()
    for options in (("--count", "1"), ("--help",)):
        work = f"start-up of generate {' '.join(options)}"
        yield Benchmark(work, "native", "starts", 5, partial(_starting, folder, options))


def _advance(work: Callable[[range], tuple[int, Iterable[object]]]) -> Prepare:
    """Run `work` on the next range of indices at each call."""

    def prepare(amount: int) -> Run:
        starts = itertools.count(0, amount)
        return lambda: work(range(start := next(starts), start + amount))

    return prepare


def _cycle(items: Callable[[], Sequence[Any]], function: Callable[[Any], object]) -> Prepare:
    """Call `function` on the next of the items, `amount` times at each call."""

    def prepare(amount: int) -> Run:
        endless = itertools.cycle(items())
        return lambda: (amount, [function(next(endless)) for _ in range(amount)])

    return prepare


def _screening(recipe: Recipe, engine: str) -> Prepare:
    def work(indices: range) -> tuple[int, Iterable[object]]:
        return len(indices), map(_describe, _screened(recipe, indices, engine))

    return _advance(work)


def _solvable(recipe: Recipe, engine: str, *, certified: bool = False) -> Prepare:
    def work(indices: range) -> tuple[int, Iterable[object]]:
        kept = _screened(recipe, indices, engine)
        if certified:
            list(certify_all(kept))
        return len(kept), map(_describe, kept)

    return _advance(work)


def _screened(recipe: Recipe, indices: range, engine: str) -> list[FoundPuzzle]:
    return list(screen_range(recipe, indices.start, indices.stop, engine, count_clues=False))


def _certifying(amount: int) -> Run:
    kept = list(screen_range(EXPERT, 0, amount, "native"))
    for one in kept[:50]:
        certify(one)  # loads the solver
    return lambda: (sum(certify(one).proofs for one in kept), map(_describe, kept))


def _repaired(indices: range) -> tuple[int, Iterable[object]]:
    return len(indices), map(_describe, list(repair_range(DENSE, indices.start, indices.stop)))


def _describe(kept: FoundPuzzle) -> str:
    return f"{kept.index} {kept.puzzle.id} {tuple(kept.screening.tally)}"


def _other_generators(work: str, recipe: Recipe, toollib_function: str, *limits: int) -> Iterator[Benchmark]:
    """Yield other generators: that of ms_toollib ignores the mine count, that of sgt-mines is not uniform."""
    if toollib := _toollib():
        lay, (row, col) = getattr(toollib, toollib_function), recipe.click or (0, 0)

        def lay_boards(amount: int) -> Run:
            board = (recipe.rows, recipe.cols, recipe.mines, row, col, *limits)
            return lambda: (sum(lay(*board)[1] for _ in range(amount)), [])

        yield Benchmark(work, f"ms_toollib, {toollib_function}", "puzzles", 5, lay_boards, ours=False)
    if program := shutil.which("sgt-mines", path="/usr/games") or shutil.which("sgt-mines"):

        def generate(amount: int) -> Run:
            command = [program, "--generate", str(amount), f"{recipe.cols}x{recipe.rows}n{recipe.mines}"]

            def run() -> tuple[int, Iterable[object]]:
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
                return amount, []

            return run

        yield Benchmark(work, "sgt-mines", "puzzles", 5, generate, ours=False)


def _toollib() -> Any | None:
    return importlib.import_module("ms_toollib") if find_spec("ms_toollib") else None


def _deciding() -> Iterator[Benchmark]:
    def puzzles() -> list[Puzzle]:
        return [EXPERT.puzzle(index) for index in range(300)]

    def boards() -> list[tuple[Any, ...]]:
        return [(puzzle.board.clues.tolist(), *puzzle.first_click) for puzzle in puzzles()]

    work = "16x30/99, solvable or not"
    yield Benchmark(work, "native", "boards", 1500, _cycle(puzzles, lambda puzzle: bool(screen(puzzle))))
    yield Benchmark(work, "native, mine swaps", "boards", 300, _cycle(puzzles, mine_swaps))
    yield Benchmark(work, "sat", "boards", 20, _cycle(puzzles, lambda puzzle: screen(puzzle, "sat").solved))
    if toollib := _toollib():
        decide = _cycle(boards, lambda board: toollib.is_solvable(*board))
        yield Benchmark(work, "ms_toollib, is_solvable", "boards", 300, decide, ours=False)


def _weighing() -> Iterator[Benchmark]:
    def views() -> list[View]:
        return [EXPERT.puzzle(index).view for index in range(100)]

    def boards() -> list[list[list[int]]]:
        # ms_toollib writes a hidden cell as 10.
        return [[[10 if cell < 0 else cell for cell in row] for row in view.cells.tolist()] for view in views()]

    work = "16x30/99, mine probabilities after the first click"
    yield Benchmark(work, "native", "views", 300, _cycle(views, lambda view: probabilities(view).chances))
    if toollib := _toollib():
        weigh = _cycle(boards, lambda board: toollib.cal_probability_onboard(board, EXPERT.mines))
        yield Benchmark(work, "ms_toollib, cal_probability_onboard", "views", 100, weigh, ours=False)


def _calling() -> Iterator[Benchmark]:
    """Yield functions of the library, called for one puzzle or view at a time."""

    def boards() -> list[Puzzle]:
        return [GAMES.puzzle(index) for index in range(100)]

    def views() -> list[View]:
        return [puzzle.view for puzzle in boards()]

    path = _cycle(_solvable_puzzles, lambda puzzle: solution_path(puzzle).hash)
    yield Benchmark("16x30/99, ms.solution_path", "native", "puzzles", 300, path)
    solved = _cycle(views, lambda view: solve(view).chances)
    yield Benchmark("16x30/99, ms.solve", "native", "views", 300, solved)
    for strategy, games in (("champion", 50), ("efficient", 10)):
        played = _cycle(boards, partial(_opened, strategy))
        yield Benchmark(f"16x30/99, ms.play with {strategy}", "native", "games", games, played)
    plan = _cycle(boards, lambda puzzle: fewest_clicks(puzzle, time_limit=None, most_work=10_000).count)
    yield Benchmark("16x30/99, ms.fewest_clicks", "native", "boards", 20, plan)


def _opened(strategy: str, puzzle: Puzzle) -> int:
    return play(puzzle, strategy).opened


def _labelling(when: When) -> Prepare:
    def work(indices: range) -> tuple[int, Iterable[object]]:
        found = positions(EXPERT, indices, when=when)
        return len(found), found.cell.tolist()

    return _advance(work)


def _known_cells() -> list[tuple[View, list[int]]]:
    found = []
    for index in range(20):
        puzzle = EXPERT.puzzle(index)
        replay = Replay(puzzle, play(puzzle, load_strategy("safest"), keep_moves=True).moves)
        for place in range(0, len(replay.clicks), 20):
            view = replay.after(place).view
            known = closure(view)
            found += [(view, cell) for cell in np.argwhere(known.safe_map | known.mine_map).tolist()]
    return found


def _solvable_puzzles() -> list[Puzzle]:
    return [kept.puzzle for kept in screen_range(EXPERT, 0, 600, "native")]


def _closing(side: int, times: int) -> Run:
    puzzle = Recipe(Grid(side, side), side * side // 10, seed=1).puzzle(0)

    def run() -> tuple[int, Iterable[object]]:
        return times * side * side, [screen(puzzle).tally for _ in range(times)]

    return run


def _playing(strategy: str | Rollouts) -> Prepare:
    def work(indices: range) -> tuple[int, Iterable[object]]:
        games = play_batch(GAMES, indices, strategy)
        return len(indices), [(game.won, game.opened, game.guesses) for game in games]

    return _advance(work)


def _environments() -> Iterator[Benchmark]:
    """Yield random steps of environments; finished games restart."""
    for recipe, boards in itertools.product((SMALL, MEDIUM, EXPERT), (1, 64, 4096)):
        work = f"{recipe.name}, a random step of {boards} environment{'s' * (boards > 1)}"
        for program, info in (("native", []), ("native, probabilities", ["chances"])):
            yield Benchmark(work, program, "steps", 8000, partial(_stepping, recipe, boards, info))


def _stepping(recipe: Recipe, boards: int, info: Sequence[str], amount: int) -> Run:
    from minesweeper.player.play.envs import MinesweeperVectorEnv

    envs = MinesweeperVectorEnv(boards, recipe.name, info=info)
    envs.reset(seed=recipe.seed)
    actions = np.random.default_rng(1).integers(
        recipe.rows * recipe.cols, size=(max(_ROUNDS, amount // boards), boards)
    )

    def run() -> tuple[int, Iterable[object]]:
        return actions.size, [envs.step(chosen)[1].sum() for chosen in actions]

    return run


def _storing(destination: type[Store] | type[PartsFolder], writer: type[Runs] | type[PartsFolder], amount: int) -> Run:
    """Store rows that arrive pickled from workers, as the writing process of `generate` does."""
    task = Task(EXPERT, "native", certified=False)
    columns = columns_of(task, 1, find_puzzles(task, range(2500)))
    seeds = range(max(1, amount // len(columns[0])))
    pieces = [pickle.dumps(writer.prepare(_renamed(columns, seed))) for seed in seeds]

    def run() -> tuple[int, Iterable[object]]:
        stored = 0
        with tempfile.TemporaryDirectory() as folder, destination(Path(folder) / "stored") as store:
            runs = store.runs
            run_id = runs.begin(RunKey(EXPERT), {}, "native").id
            for first in range(0, len(pieces), _STORED_TOGETHER):
                arrived = runs.join(list(map(pickle.loads, pieces[first : first + _STORED_TOGETHER])))
                stored += len(arrived)
                runs.add_rows(run_id, arrived, next_index=stored, candidates=stored, seconds=0)
        return stored, [stored]

    return run


def _renamed(columns: Columns, seed: int) -> Columns:
    """Give puzzles random ids, so that the same puzzles count as new."""
    random = Random(seed).randbytes
    # The id and the canonical id are the first columns.
    names = [[random(10).hex() for _ in values] for values in columns[:2]]
    return [*names, *columns[2:]]


def _command(module: str, *options: str) -> str:
    """Run a command in this process and return its output."""
    main = importlib.import_module(f"minesweeper.scripts.commands.{module}").main
    output = io.StringIO()
    with redirect_stdout(output), redirect_stderr(io.StringIO()):
        main.main(args=list(options), standalone_mode=False)
    return output.getvalue()


def _generate(database: Path, count: int, workers: int = 1, recipe: Recipe = EXPERT) -> Path:
    options = ("--board", recipe.name, "--count", str(count), "--db", str(database))
    _command("generate", *_SEEDED, *options, "--workers", str(workers))
    return database


def _ids(database: Path) -> list[object]:
    query = "SELECT id, canonical_id, difficulty, human_zini FROM puzzles ORDER BY rowid"
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute(query).fetchall()


def _generating(folder: Path, workers: int, count: int, recipe: Recipe = EXPERT) -> Run:
    _generate(_new_database(folder), 20)  # loads the solver

    def run() -> tuple[int, Iterable[object]]:
        return count, _ids(_generate(_new_database(folder), count, workers, recipe))

    return run


def _new_database(folder: Path) -> Path:
    return Path(tempfile.mkdtemp(dir=folder)) / "new.db"


def _pack(folder: Path, count: int, extension: str = "jsonl", recipe: Recipe = EXPERT) -> Path:
    database = _generate(_new_database(folder), count, recipe=recipe)
    pack = database.with_name(f"pack.{extension}")
    _command("packs.command", "export", str(pack), "--db", str(database))
    return pack


def _verifying(folder: Path, count: int) -> Run:
    pack = _pack(folder, count)
    return lambda: (count, [_command("packs.command", "verify", str(pack), "--workers", "1")])


def _exporting(folder: Path, extension: str, count: int) -> Run:
    """Export puzzles; the results are different if the size of the file is."""
    database = _generate(_new_database(folder), count, recipe=SMALL)
    pack = database.with_name(f"pack.{extension}")

    def run() -> tuple[int, Iterable[object]]:
        _command("packs.command", "export", str(pack), "--db", str(database))
        return count, [pack.stat().st_size]

    return run


def _listing(folder: Path, style: str, count: int) -> Run:
    database = _generate(_new_database(folder), count, recipe=SMALL)
    return lambda: (count, [_command("packs.command", "list", style, "--db", str(database))])


def _importing_rows(folder: Path, extension: str, count: int) -> Run:
    return _importing(folder, count, _pack(folder, count, extension, SMALL))


def _importing(folder: Path, count: int, pack: Path | None = None) -> Run:
    pack = pack or _pack(folder, count)

    def run() -> tuple[int, Iterable[object]]:
        database = _new_database(folder)
        _command("packs.command", "import", str(pack), "--workers", "1", "--db", str(database))
        return count, _ids(database)

    return run


def _starting(folder: Path, options: Sequence[str], times: int) -> Run:
    recipe = () if "--help" in options else ("--board", EXPERT.name, *_SEEDED, "--db")

    def run() -> tuple[int, Iterable[object]]:
        databases = [_new_database(folder) for _ in range(times)]
        for database in databases:
            command = command_line("generate", *options, *recipe, *([str(database)] if recipe else []))
            subprocess.run(command, check=True, capture_output=True)
        return times, _ids(databases[0]) if recipe else []

    return run


def measure(chosen: Iterable[Benchmark], seconds: float, scale: float) -> Iterator[dict[str, object]]:
    """Run each benchmark for at least `seconds`, in portions of `scale` times its amount, and yield its row."""
    first_rates: dict[str, float] = {}
    for benchmark in chosen:
        run = benchmark.prepare(max(1, int(benchmark.amount * scale)))
        digest, pieces, spent = "", 0, 0.0
        while not pieces or spent < seconds:
            began = _cpu_seconds(children=benchmark.children)
            done, results = run()
            spent += _cpu_seconds(children=benchmark.children) - began
            pieces += done
            digest = digest or hashlib.sha256("\n".join(map(str, results)).encode()).hexdigest()[:12]
        rate = pieces / spent
        yield {
            "work": benchmark.work,
            "program": benchmark.program,
            "pieces": pieces,
            "rate": rate,
            "unit": f"{benchmark.unit}/s",
            "each": 1e6 / rate,
            "ratio": first_rates.setdefault(benchmark.work, rate) / rate,
            "digest": digest,
        }


def _cpu_seconds(*, children: bool) -> float:
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + (ended.ru_utime + ended.ru_stime if children else 0)


def _choose(every: Sequence[Benchmark], texts: Sequence[str]) -> list[Benchmark]:
    """Return the benchmarks whose name is one of the texts or, for a text that is no name, contains it."""
    if not texts:
        return list(every)
    names = {benchmark.name for benchmark in every}
    chosen = [
        benchmark
        for benchmark in every
        if any(text == benchmark.name if text in names else text in benchmark.name for text in texts)
    ]
    if not chosen:
        raise click.BadParameter(f"no benchmark has {texts[0]!r} in its name; see --list", param_hint="--work")
    return chosen


@click.command(cls=Command, epilog="Example: python scripts/dev/bench.py --against HEAD~1 --work packs")
@click.option("--seconds", default=3.0, show_default=True, help="Shortest CPU time of each program.")
@click.option("--scale", default=1.0, show_default=True, help="Size of the portions of work.")
@click.option("--work", "works", multiple=True, metavar="TEXT", help="Only benchmarks with this in their names.")
@click.option("--list", "only_list", is_flag=True, help="Print the names of the benchmarks.")
@click.option("--against", metavar="REVISION", help="Compare with another revision of this checkout, built for it.")
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(1), help="Rounds with --against.")
@click.option("--instructions", is_flag=True, help="With --against: count instructions instead of time, with valgrind.")
@click.option(
    "--fail-above",
    type=click.FloatRange(min=0),
    metavar="PERCENT",
    help="With --against: exit with 2 if a benchmark costs over PERCENT more and no line of the commits explains it.",
)
@output_options
def main(
    seconds: float,
    scale: float,
    works: tuple[str, ...],
    only_list: bool,
    against: str | None,
    rounds: int,
    instructions: bool,
    fail_above: float | None,
    style: TableStyle,
) -> None:
    """Compare the speed of the toolkit's engines, of other programs, or of two revisions, on one core.

    With --against, the two revisions take turns. The table has the median times of a piece in CPU microseconds, the
    median ratio (above 1: this revision is faster) with its range, and whether the results were the same.
    --instructions counts instructions in a single round, where times are too noisy; a benchmark then takes minutes.
    For --fail-above, a line "Slower: BENCHMARK: REASON" in a message since REVISION explains a cost.
    """
    if not kernel_api.available():
        raise click.ClickException(f"the native engine is missing: it {kernel_api.why_missing()}")
    if against is None and (instructions or fail_above is not None):
        raise click.UsageError(f"{'--instructions' if instructions else '--fail-above'} needs --against REVISION")
    with tempfile.TemporaryDirectory() as folder:
        chosen = _choose(list(benchmarks(Path(folder))), works)
        if only_list:
            click.echo("\n".join(benchmark.name for benchmark in chosen))
        elif against is None:
            print_rows(measure(chosen, seconds, scale), _COLUMNS, style)
        else:
            from minesweeper.scripts.dev.revisions import compare, messages_since, unexplained

            unit = "instructions" if instructions else "µs"
            titles = columns("name: benchmark, before, now, ratio, least, most, results")
            titles |= {"before": f"{against}, {unit}", "now": f"this, {unit}"}
            names = [benchmark.name for benchmark in chosen if benchmark.ours]
            rows = list(compare(against, names, rounds, scale, instructions=instructions))
            print_rows(rows, titles, style)
            if fail_above is not None and (slower := unexplained(rows, fail_above, messages_since(against))):
                raise click.ClickException(
                    f"over {fail_above:g}% more than {against}: {', '.join(slower)}; expected no more, or a line "
                    '"Slower: BENCHMARK: REASON" in a commit message'
                )


if __name__ == "__main__":
    main()
