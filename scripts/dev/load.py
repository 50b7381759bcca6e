"""Response times of a `sweep` server with many simultaneous players on this machine."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, Final
from urllib.parse import urlsplit

import click
import numpy as np

from minesweeper.player.board import HIDDEN, Cell, View, cells_of
from minesweeper.player.logic import closure
from minesweeper.scripts.console.options import option, with_options
from minesweeper.scripts.console.terminal import Command
from minesweeper.scripts.dev.page import check_requirements, serving

MAX_PLAYERS: Final = 500
MAX_SECONDS: Final = 300
_TIMEOUT_SECONDS: Final = 30
_PAUSE_AFTER_ERROR: Final = 1.0
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
        help="Mean pause between clicks; 0 measures the capacity of the server.",
    )
    hints: float = option(type=click.FloatRange(0, 1), default=0.05, help="Share of hints.")
    risks: float = option(type=click.FloatRange(0, 1), default=0.05, help="Share of needless risks.")
    preset: str = option(default="expert", help="Board of the games.")
    seed: int = option(type=int, default=1, help="Seed of the clicks and pauses.")


@click.command(cls=Command, epilog="Example: python scripts/dev/load.py --players 200 --seconds 30 --runs 3")
@with_options(LoadOptions)
def main(options: LoadOptions) -> None:
    """Start a server on a free port, play Kaboom on it with many players, and print response times.

    Players open provably safe cells or guess, and sometimes take a needless risk, lose and undo.
    """
    check_requirements()
    errors = 0
    with serving() as (server, address):
        # The first requests also start the worker processes, which is not measured.
        asyncio.run(_play_all(address, replace(options, players=8, seconds=1, think=0)))
        for run in range(options.runs):
            before = _cpu_of_family(server.pid)
            measures = asyncio.run(_play_all(address, replace(options, seed=options.seed + run)))
            cpu = [after - start for after, start in zip(_cpu_of_family(server.pid), before, strict=True)]
            _report(measures, options.seconds, cpu, server.pid)
            errors += measures.errors.total()
    sys.exit(1 if errors else 0)


async def _play_all(address: str, options: LoadOptions) -> ResponseTimes:
    measures = ResponseTimes()
    deadline = time.monotonic() + options.seconds
    people = [_Player(address, measures, Random(f"{options.seed}/{n}"), options) for n in range(options.players)]
    await asyncio.gather(*(person.play_until(deadline) for person in people))
    return measures


class _Player:
    """A player with an own connection."""

    def __init__(self, address: str, measures: ResponseTimes, random: Random, habits: LoadOptions) -> None:
        self._connection, self._measures = _Connection(address), measures
        self._random, self._habits = random, habits

    async def play_until(self, deadline: float) -> None:
        # Players start at different times.
        await asyncio.sleep(self._random.random() * self._habits.think)
        while time.monotonic() < deadline:
            await self._game(deadline)
        self._connection.close()

    async def _game(self, deadline: float) -> None:
        new = {"mode": "kaboom", "preset": self._habits.preset, "rules": {"guess_anywhere": True}}
        game = await self._post("new", "/api/games", new)
        self._measures.games += 1
        if game is None:
            return
        while game and time.monotonic() < deadline and game["status"] in ("ready", "playing"):
            # Hints run in the browser. The server only notes the first one of a game.
            if self._random.random() < self._habits.hints and game["status"] == "playing" and not game["helped"]:
                await self._post("help", f"/api/games/{game['id']}/help", {})
            row, col = self._choose(game)
            game = await self._post("click", f"/api/games/{game['id']}/open", {"row": row, "col": col})
            if game and game["status"] == "lost":
                game = await self._post("undo", f"/api/games/{game['id']}/undo", {})
            await asyncio.sleep(self._random.expovariate(1 / self._habits.think) if self._habits.think else 0)

    def _choose(self, game: dict[str, Any]) -> Cell:
        """Choose a provably safe cell, or another one if none exists or the player takes a risk."""
        view = View.from_text("\n".join(game["cells"]), game["mines"])
        known = closure(view)
        takes_a_risk = self._random.random() < self._habits.risks
        safe = [] if takes_a_risk else cells_of(known.safe_map)
        return self._random.choice(safe or cells_of((view.cells == HIDDEN) & ~known.mine_map))

    async def _post(self, kind: str, path: str, body: dict[str, Any]) -> dict[str, Any] | None:
        started = time.perf_counter()
        try:
            async with asyncio.timeout(_TIMEOUT_SECONDS):
                status, answer = await self._connection.post(path, body)
        except (OSError, EOFError) as error:
            self._measures.errors[f"{kind}: {type(error).__name__}"] += 1
            self._connection.close()
            await asyncio.sleep(_PAUSE_AFTER_ERROR)
            return None
        self._measures.seconds[kind].append(time.perf_counter() - started)
        if status != 200:
            self._measures.errors[f"{kind}: {status} {answer}"] += 1
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

    async def post(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the status and the response. Raises `OSError` and `EOFError` if the connection breaks."""
        if self._streams is None or self._streams[0].at_eof():
            name, _, port = self._host.partition(":")
            self._streams = await asyncio.open_connection(name, int(port))
        reader, writer = self._streams
        content = json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: {self._host}\r\nContent-Type: application/json\r\n"
        head += f"Content-Length: {len(content)}\r\nCookie: {self._cookie}\r\n\r\n"
        writer.write(head.encode() + content)
        answer = (await reader.readuntil(b"\r\n\r\n")).decode()
        fields = {name.lower(): value for name, value in re.findall(r"([^\s:]+): ([^\r]*)\r\n", answer)}
        self._cookie = fields.get("set-cookie", self._cookie).partition(";")[0]
        return int(answer.split()[1]), json.loads(await reader.readexactly(int(fields["content-length"])))


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
