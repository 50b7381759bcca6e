"""Response times of a `sweep` server with many simultaneous players on this machine."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, Final
from urllib.parse import urlsplit

import click
import numpy as np

from minesweeper.db.formats.format import imported_record
from minesweeper.db.store import Import, Store
from minesweeper.generator.screening import screen_range
from minesweeper.player.core.board import Puzzle, cells_of
from minesweeper.player.core.game import Game
from minesweeper.player.core.grid import Cell
from minesweeper.player.core.recipe import Recipe
from minesweeper.scripts.console.options import option, with_options
from minesweeper.scripts.console.terminal import Command
from minesweeper.scripts.dev.page import check_requirements, serving

MAX_PLAYERS: Final = 500
MAX_SECONDS: Final = 300
_TIMEOUT_SECONDS: Final = 30
_PAUSE_AFTER_ERROR: Final = 1.0
_PUZZLES: Final = 50
_CANDIDATES: Final = 100_000
_FILE: Final = re.compile(r'(?:href|src)="(/static/[^"]+)"')
_PROCESSES: Final = ("server", "workers")


@dataclass
class ResponseTimes:
    """Response times in seconds by kind of request, and errors."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: Counter[str] = field(default_factory=Counter)
    games: int = 0


@dataclass(frozen=True)
class LoadOptions:
    """The options of the measurement."""

    players: int = option(type=click.IntRange(1, MAX_PLAYERS), default=200, help="Simultaneous players.")
    seconds: int = option(type=click.IntRange(1, MAX_SECONDS), default=30, help="Duration of a run.")
    runs: int = option(type=click.IntRange(1, 20), default=1, help="Runs with new players, on one server.")
    think: float = option(
        type=click.FloatRange(0),
        default=2.0,
        metavar="SECONDS",
        help="Mean pause between requests; 0 measures the capacity of the server.",
    )
    preset: str = option(default="expert", help="Board of the games.")
    seed: int = option(type=int, default=1, help="Seed of the games and pauses.")


@click.command(cls=Command, epilog="Example: python scripts/dev/load.py --players 200 --seconds 30 --runs 3")
@with_options(LoadOptions)
def main(options: LoadOptions) -> None:
    """Start a server on a free port, visit it with many players, and print response times.

    A player opens the page and its files, gets puzzles, and sends each as a finished game.
    """
    check_requirements()
    errors = 0
    with tempfile.TemporaryDirectory() as folder:
        games = _games(Path(folder, "load.db"), options)
        with serving("--db", "load.db", folder=Path(folder)) as (server, address):
            # The first requests also start the worker processes, which is not measured.
            asyncio.run(_play_all(address, games, replace(options, players=8, seconds=1, think=0)))
            for run in range(1, options.runs + 1):
                before = _cpu_of_family(server.pid)
                measures = asyncio.run(_play_all(address, games, replace(options, seed=options.seed + run)))
                cpu = [after - start for after, start in zip(_cpu_of_family(server.pid), before, strict=True)]
                _report(measures, options.seconds, cpu, server.pid)
                errors += measures.errors.total()
    sys.exit(1 if errors else 0)


def _games(database: Path, options: LoadOptions) -> list[dict[str, Any]]:
    """Store puzzles, and return them as finished games."""
    recipe = Recipe(options.preset, seed=options.seed)
    puzzles = [kept.puzzle for kept in islice(screen_range(recipe, 0, _CANDIDATES), _PUZZLES)]
    with Store(database) as store, Import(store) as batch:
        batch.add(imported_record(puzzle) for puzzle in puzzles)
    return [_finished(puzzle) for puzzle in puzzles]


def _finished(puzzle: Puzzle) -> dict[str, Any]:
    """Return a won game on a puzzle, one click a second, as the page sends it."""
    game = Game(puzzle.board)
    clicks: list[tuple[int, Cell, list[Cell], int]] = []
    for cell in (puzzle.first_click, *cells_of(puzzle.board.safe_map)):
        if game.open(cell):
            clicks.append((len(clicks), cell, [cell], 0))
    about = {"mode": "pack", "title": "Pack", "token": f"puzzle-{puzzle.id}", "unranked": ""}
    return about | {"seconds": len(clicks), "clicks": len(clicks), "recorded_clicks": clicks}


async def _play_all(address: str, games: list[dict[str, Any]], options: LoadOptions) -> ResponseTimes:
    measures = ResponseTimes()
    deadline = time.monotonic() + options.seconds
    people = [_Player(address, measures, Random(f"{options.seed}/{n}"), options) for n in range(options.players)]
    await asyncio.gather(*(person.play_until(deadline, games) for person in people))
    return measures


class _Player:
    """A player with an own connection."""

    def __init__(self, address: str, measures: ResponseTimes, random: Random, habits: LoadOptions) -> None:
        self._connection, self._measures = _Connection(address), measures
        self._random, self._habits = random, habits

    async def play_until(self, deadline: float, games: list[dict[str, Any]]) -> None:
        # Players start at different times.
        await asyncio.sleep(self._random.random() * self._habits.think)
        document = await self._request("page", "/") or b""
        for path in _FILE.findall(document.decode()):
            await self._request("file", path)
        await self._request("options", "/api/options")
        while time.monotonic() < deadline:
            await self._request("puzzle", "/api/puzzle")
            await self._think()
            name = f"{self._random.getrandbits(64):x}"
            if await self._request("game", "/api/record", self._random.choice(games) | {"id": name}) is not None:
                self._measures.games += 1
            await self._think()
            await self._request("record", "/api/record")
        self._connection.close()

    async def _think(self) -> None:
        await asyncio.sleep(self._random.expovariate(1 / self._habits.think) if self._habits.think else 0)

    async def _request(self, kind: str, path: str, body: dict[str, Any] | None = None) -> bytes | None:
        started = time.perf_counter()
        try:
            async with asyncio.timeout(_TIMEOUT_SECONDS):
                status, answer = await self._connection.request(path, body)
        except (OSError, EOFError) as error:
            self._measures.errors[f"{kind}: {type(error).__name__}"] += 1
            self._connection.close()
            await asyncio.sleep(_PAUSE_AFTER_ERROR)
            return None
        self._measures.seconds[kind].append(time.perf_counter() - started)
        if status != 200:
            self._measures.errors[f"{kind}: {status} {answer.decode()}"] += 1
            return None
        return answer


class _Connection:
    """A minimal HTTP connection with a cookie; a real client would need more CPU time than the server."""

    def __init__(self, address: str) -> None:
        self._host = urlsplit(address).netloc
        self._cookie = ""
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None

    async def request(self, path: str, body: dict[str, Any] | None) -> tuple[int, bytes]:
        """Return the status and the response. Raises `OSError` and `EOFError` if the connection breaks."""
        if self._streams is None or self._streams[0].at_eof():
            name, _, port = self._host.partition(":")
            self._streams = await asyncio.open_connection(name, int(port))
        reader, writer = self._streams
        content = b"" if body is None else json.dumps(body).encode()
        head = f"{'GET' if body is None else 'POST'} {path} HTTP/1.1\r\nHost: {self._host}\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\nCookie: {self._cookie}\r\n\r\n"
        writer.write(head.encode() + content)
        answer = (await reader.readuntil(b"\r\n\r\n")).decode()
        fields = {name.lower(): value for name, value in re.findall(r"([^\s:]+): ([^\r]*)\r\n", answer)}
        self._cookie = fields.get("set-cookie", self._cookie).partition(";")[0]
        return int(answer.split()[1]), await reader.readexactly(int(fields["content-length"]))


def _report(measures: ResponseTimes, seconds: int, cpu: list[float], server: int) -> None:
    everything = [one for times in measures.seconds.values() for one in times]
    if not everything:
        causes = ", ".join(measures.errors) or "the run is too short"
        click.echo(f"Error: no request was answered ({causes}); expected a free machine or more --seconds", err=True)
        sys.exit(2)
    click.echo(f"{'request':<8}{'number':>8}{'p50 ms':>9}{'p95 ms':>9}{'p99 ms':>9}{'max ms':>9}")
    for kind, times in [*sorted(measures.seconds.items()), ("all", everything)]:
        columns = np.quantile(times, (0.5, 0.95, 0.99, 1))
        click.echo(f"{kind:<8}{len(times):>8}" + "".join(f"{1e3 * column:>9.1f}" for column in columns))
    click.echo(f"{len(everything) / seconds:.0f} requests per second, games: {measures.games}")
    click.echo(
        "CPU time per request: "
        + ", ".join(f"{1e3 * spent / len(everything):.2f} ms {who}" for who, spent in zip(_PROCESSES, cpu, strict=True))
    )
    sizes = (memory(server), sum(memory(child) for child in children(server)))
    click.echo("memory: " + ", ".join(f"{size:.0f} MB {who}" for who, size in zip(_PROCESSES, sizes, strict=True)))
    click.echo(f"errors: {measures.errors.total()}")
    for error, number in measures.errors.most_common(5):
        click.echo(f"  {number} x {error}")


def _cpu_of_family(server: int) -> tuple[float, float]:
    """Return the CPU seconds of the server, and those of its workers."""
    return _cpu(server), sum(_cpu(child) for child in children(server))


def _cpu(pid: int) -> float:
    """Return the CPU seconds of a process, 0 on systems without /proc."""
    path = Path(f"/proc/{pid}/stat")
    if not path.exists():
        return 0.0
    user, system = path.read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> float:
    """Return the resident memory of a process in MB, 0 on systems without /proc."""
    status = Path(f"/proc/{pid}/status")
    found = re.search(r"VmRSS:\s+(\d+) kB", status.read_text()) if status.exists() else None
    return int(found[1]) / 1024 if found else 0.0


def children(pid: int) -> list[int]:
    """Return the child processes of a process, none on systems without /proc."""
    return [int(child) for path in Path(f"/proc/{pid}/task").glob("*/children") for child in path.read_text().split()]


if __name__ == "__main__":
    main()
