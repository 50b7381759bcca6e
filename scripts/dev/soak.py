"""Memory of long runs: puzzles, games and the page, with a verdict whether it is flat."""

from __future__ import annotations

import math
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

import click

from minesweeper.db.store import Store
from minesweeper.scripts.console.options import option, with_options
from minesweeper.scripts.console.terminal import Command
from minesweeper.scripts.dev.load import children, memory
from minesweeper.scripts.dev.page import PRESS, check_requirements, chromium, open_tab, running, serving, start_game

_PAUSE: Final = 0.25
_FEWEST: Final = 10
"""The fewest samples of the last third for a verdict."""
_LINES: Final = 20
_GAMES_A_SAMPLE: Final = 5
_PATIENCE_MS: Final = 300_000

# Plays the current game to its end, opening random hidden cells.
_GAME: Final = (
    f"async dice => {{ {PRESS}"
    """
    const board = document.querySelector("#board");
    const ended = () => board.matches(".is-won, .is-lost");
    for (const die of dice) {
        if (ended()) return;
        const hidden = [...board.querySelectorAll(".hidden-cell")];
        const cell = hidden[Math.floor(die * hidden.length)];
        const { index } = cell.dataset;
        press(cell);
        while (!ended() && board.querySelector(`.hidden-cell[data-index="${index}"]`)) {
            await new Promise(resolve => setTimeout(resolve, 2));
        }
    }
}"""
)
_REQUESTS: Final = (
    '{"mode": "classic", "preset": "beginner"}',
    '{"mode": "kaboom", "preset": "beginner", "rules": {"guess_anywhere": true}}',
    '{"mode": "no-guess", "preset": "beginner"}',
)


@dataclass(frozen=True)
class SoakOptions:
    """The options of the soak; 0 skips a part."""

    puzzles: int = option(type=click.IntRange(0), default=1_000_000, help="Puzzles to generate.")
    games: int = option(type=click.IntRange(0), default=1_000_000, help="Games to play and record.")
    pages: int = option(type=click.IntRange(0), default=1000, help="Games to play in Chromium.")
    board: str = option(default="expert", metavar="SIZE/MINES|PRESET", help="Board of the puzzles and games.")
    strategy: str = option(default="safest", metavar="NAME", help="Player of the games.")
    workers: int = option(type=click.IntRange(1, 1024), default=2, help="Worker processes.")
    bound: float = option(
        type=click.FloatRange(0),
        default=2.0,
        metavar="MB",
        help="Largest growth over the last third that counts as flat.",
    )


@dataclass
class Soak:
    """Samples of the memory of processes in MB, by name."""

    what: str
    total: int
    samples: list[tuple[int, Mapping[str, float]]] = field(default_factory=list)
    _printed: int = 0
    _began: float = field(default_factory=time.monotonic)

    def add(self, done: int, sizes: Mapping[str, float]) -> None:
        """Add a sample; print some of them."""
        self.samples.append((done, sizes))
        if done * _LINES >= self._printed * self.total:
            self._printed = done * _LINES // self.total + 1
            columns = ", ".join(f"{name} {size:.1f}" for name, size in sizes.items())
            click.echo(f"{done:>9} {self.what} after {time.monotonic() - self._began:.0f} s, MB: {columns}")

    def growth(self) -> dict[str, tuple[float, float]]:
        """Return the memory of each process after two thirds of the work and at the end; empty for few samples.

        Memory fluctuates, so these are medians of the first and the last fifth of the samples in between.
        """
        late = [sizes for done, sizes in self.samples if 3 * done >= 2 * self.total and all(sizes.values())]
        # Leave out samples before all workers started or after some ended.
        usual = statistics.mode(map(tuple, late)) if late else ()
        late = [sizes for sizes in late if tuple(sizes) == usual]
        if len(late) < _FEWEST:
            return {}
        fifth = math.ceil(len(late) / 5)
        return {
            name: (
                statistics.median(sizes[name] for sizes in late[:fifth]),
                statistics.median(sizes[name] for sizes in late[-fifth:]),
            )
            for name in late[0]
        }


@click.command(cls=Command, epilog="Example: python scripts/dev/soak.py --puzzles 200000 --games 0 --pages 0")
@with_options(SoakOptions)
def main(options: SoakOptions) -> None:
    """Generate puzzles, play games and use the page, and sample the memory of every process.

    Memory is flat if no process grows by more than --bound over the last third of the work. Before that, SQLite fills
    its cache of 64 MB. The exit status is 1 if memory is not flat, or if there are too few samples for a verdict.
    """
    if options.pages:
        check_requirements("playwright")
    soaks = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.puzzles:
            soaks.append(_puzzles(options, folder))
        if options.games:
            soaks.append(_games(options, folder))
        if options.pages:
            soaks.append(_pages(options, folder))
    # A list: print all verdicts, also after a failed one.
    flat = [verdict(soak, options.bound) for soak in soaks]
    sys.exit(0 if all(flat) else 1)


def verdict(soak: Soak, bound: float) -> bool:
    """Print and return whether memory was flat over the last third of the work."""
    growth = soak.growth()
    if not growth:
        click.echo(f"{soak.what}: too few samples")
        return False
    grown = {name: end - before for name, (before, end) in growth.items()}
    flat = all(more <= bound for more in grown.values())
    columns = ", ".join(f"{name} {before:.1f} to {end:.1f} MB" for name, (before, end) in growth.items())
    click.echo(f"{soak.what}: memory is {'flat' if flat else 'NOT flat'} over the last third: {columns}")
    return flat


def _puzzles(options: SoakOptions, folder: Path) -> Soak:
    words = ["--preset", options.board, "--count", str(options.puzzles), "--seed", "7"]
    count = _counted(folder / "puzzles.db", "SELECT sum(kept) FROM runs")
    return _watched(Soak("puzzles", options.puzzles), "generate", words, options.workers, folder, count)


def _games(options: SoakOptions, folder: Path) -> Soak:
    words = ["--preset", options.board, "--games", str(options.games), "--strategy", options.strategy, "--seed", "7"]
    count = _counted(folder / "games.db", "SELECT max(id) FROM games")
    return _watched(Soak("games", options.games), "autoplay", words, options.workers, folder, count)


def _counted(database: Path, query: str) -> Callable[[], int]:
    """Return a function that reads the progress of a command from its database."""

    def count() -> int:
        try:
            with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as connection:
                return connection.execute(query).fetchone()[0] or 0
        except sqlite3.OperationalError:
            return 0  # The database does not exist yet.

    return count


def _watched(soak: Soak, command: str, words: list[str], workers: int, folder: Path, count: Callable[[], int]) -> Soak:
    """Run a command to its end, and sample its memory and that of its workers."""
    with running(command, *words, "--workers", str(workers), "--db", f"{soak.what}.db", folder=folder) as process:
        while process.poll() is None:
            soak.add(count(), {"parent": memory(process.pid)} | _workers(process.pid))
            time.sleep(_PAUSE)
    if process.returncode:
        raise click.ClickException(f"{command} ended with {process.returncode}, after {count()} {soak.what}")
    return soak


def _workers(pid: int) -> dict[str, float]:
    return {f"worker {number}": memory(child) for number, child in enumerate(sorted(children(pid)), 1)}


def _pages(options: SoakOptions, folder: Path) -> Soak:
    """Play on the page in Chromium: classic games, Kaboom and no-guess games in turn."""
    soak, random = Soak("pages", options.pages), Random(7)
    with Store(folder / "pages.db"):
        pass  # Create the database of the page.
    with serving("--db", "pages.db", folder=folder) as (server, address), chromium() as browser:
        page = open_tab(browser, address)
        page.set_default_timeout(_PATIENCE_MS)
        inside = page.context.new_cdp_session(page)
        page.goto("/")
        for game in range(options.pages):
            page.wait_for_selector('#board[aria-busy="false"]')
            request = _REQUESTS[game % len(_REQUESTS)]
            start_game(page, request)
            # The first click may already have won the game.
            page.wait_for_selector('#board[aria-busy="false"]')
            page.evaluate(_GAME, [random.random() for _ in range(81)])
            if game % _GAMES_A_SAMPLE == 0:
                inside.send("HeapProfiler.collectGarbage")
                heap = inside.send("Runtime.getHeapUsage")["usedSize"] / 2**20
                soak.add(game + 1, {"server": memory(server.pid), "page": heap} | _workers(server.pid))
    return soak


if __name__ == "__main__":
    main()
