"""Let many players use one `sweep` server at once, on this machine, and measure how long answers take.

Example: python scripts/load.py --players 200 --seconds 30
"""

from __future__ import annotations

import asyncio
import json
import re
import statistics
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final
from urllib.parse import urlsplit

import click

from player.terminal import Command

MAX_PLAYERS: Final = 500
MAX_SECONDS: Final = 300
_PATIENCE: Final = 30
_AFTER_AN_ERROR: Final = 1.0


@dataclass
class Measures:
    """Seconds that answers took by kind of request, and what went wrong."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: Counter[str] = field(default_factory=Counter)
    games: int = 0


@click.command(cls=Command, epilog="Example: python scripts/load.py --players 200 --seconds 30")
@click.option("--players", type=click.IntRange(1, MAX_PLAYERS), default=200, show_default=True)
@click.option("--seconds", type=click.IntRange(1, MAX_SECONDS), default=30, show_default=True, help="How long to play.")
@click.option(
    "--think", type=float, default=2.0, show_default=True, metavar="SECONDS", help="Mean pause between clicks."
)
@click.option("--hints", type=click.FloatRange(0, 1), default=0.05, show_default=True, help="Share of hints.")
@click.option("--preset", default="expert", show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
def main(players: int, seconds: int, think: float, hints: float, preset: str, seed: int) -> None:
    """Start a server on a free port, let players play Kaboom on it, and print how long answers took.

    Players open cells that they are told are certain, by asking for hints, or guess.
    """
    command = [sys.executable, "-m", "player.web.cli", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            measures = asyncio.run(_play_all(address, players, seconds, think, hints, preset, seed))
            memory = {"server": _memory(server.pid), "with its workers": _memory_of_family(server.pid)}
        finally:
            server.terminate()
    _report(measures, memory)
    if measures.errors:
        sys.exit(1)


async def _play_all(
    address: str, players: int, seconds: int, think: float, hints: float, preset: str, seed: int
) -> Measures:
    measures = Measures()
    # The first requests also start the worker processes, which is no part of the measurement.
    await asyncio.gather(*(_Player(address, Measures(), Random(n), 0, 1, preset).play(2) for n in range(8)))
    deadline = time.monotonic() + seconds
    people = [_Player(address, measures, Random(f"{seed}/{n}"), think, hints, preset) for n in range(players)]
    await asyncio.gather(*(person.play_until(deadline) for person in people))
    return measures


class _Player:
    """Somebody with a browser of their own."""

    def __init__(
        self, address: str, measures: Measures, random: Random, think: float, hints: float, preset: str
    ) -> None:
        self._connection, self._measures, self._random = _Connection(address), measures, random
        self._think, self._hints, self._preset = think, hints, preset
        self._cookie: str | None = None

    async def play_until(self, deadline: float) -> None:
        # Nobody plays in step with others.
        await asyncio.sleep(self._random.random() * self._think)
        while time.monotonic() < deadline:
            await self._game(lambda: time.monotonic() < deadline)

    async def play(self, clicks: int) -> None:
        left = iter(range(clicks))
        await self._game(lambda: next(left, None) is not None)

    async def _game(self, goes_on: Callable[[], bool]) -> None:
        game = await self._post("new", "/api/games", {"mode": "kaboom", "preset": self._preset})
        self._measures.games += 1
        safe: list[list[int]] = []
        while game and goes_on() and game["status"] in ("ready", "playing"):
            if self._random.random() < self._hints:
                hint = await self._post("hint", f"/api/games/{game['id']}/hint", {})
                safe = hint.get("safe", []) if hint else []
            row, col = safe.pop() if safe else self._any_hidden(game)
            game = await self._post("click", f"/api/games/{game['id']}/open", {"row": row, "col": col})
            if game and game["status"] == "lost":
                game = await self._post("undo", f"/api/games/{game['id']}/undo", {})
            await asyncio.sleep(self._random.expovariate(1 / self._think) if self._think else 0)

    def _any_hidden(self, game: dict[str, Any]) -> tuple[int, int]:
        hidden = [(r, c) for r, row in enumerate(game["cells"]) for c, shown in enumerate(row) if shown == "#"]
        return self._random.choice(hidden)

    async def _post(self, kind: str, path: str, body: dict[str, Any]) -> dict[str, Any] | None:
        started = time.perf_counter()
        try:
            async with asyncio.timeout(_PATIENCE):
                status, answer = await self._connection.post(path, body)
        except (OSError, EOFError) as error:
            self._measures.errors[f"{kind}: {type(error).__name__}"] += 1
            self._connection.close()
            await asyncio.sleep(_AFTER_AN_ERROR)
            return None
        self._measures.seconds[kind].append(time.perf_counter() - started)
        if status != 200:
            self._measures.errors[f"{kind}: {status} {answer}"] += 1
            return None
        return answer


class _Connection:
    """A browser's one connection and its cookie. As little as will do: a real client would need more time than the
    server does, on the same processor."""

    def __init__(self, address: str) -> None:
        self._host = urlsplit(address).netloc
        self._cookie = ""
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    def close(self) -> None:
        """Hang up; the next request connects again."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None

    async def post(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the status and the answer. Raises `OSError` and `EOFError` if the connection breaks."""
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


def _report(measures: Measures, memory: dict[str, float]) -> None:
    everything = [one for times in measures.seconds.values() for one in times]
    click.echo(f"{'request':<8}{'number':>8}{'p50 ms':>9}{'p99 ms':>9}{'max ms':>9}")
    for kind, times in [*sorted(measures.seconds.items()), ("all", everything)]:
        cuts = statistics.quantiles(times, n=100, method="inclusive") if len(times) > 1 else times * 99
        click.echo(f"{kind:<8}{len(times):>8}{1e3 * cuts[49]:>9.1f}{1e3 * cuts[98]:>9.1f}{1e3 * max(times):>9.1f}")
    click.echo(f"games: {measures.games}, errors: {measures.errors.total()}")
    for error, number in measures.errors.most_common(5):
        click.echo(f"  {number} x {error}")
    click.echo("memory: " + ", ".join(f"{name} {size:.0f} MB" for name, size in memory.items()))


def _memory(pid: int) -> float:
    """The resident memory of a process in MB, as Linux tells it; 0 where it is not told."""
    status = Path(f"/proc/{pid}/status")
    found = re.search(r"VmRSS:\s+(\d+) kB", status.read_text()) if status.exists() else None
    return int(found[1]) / 1024 if found else 0.0


def _memory_of_family(pid: int) -> float:
    family = [child for told in Path(f"/proc/{pid}/task").glob("*/children") for child in told.read_text().split()]
    return _memory(pid) + sum(_memory_of_family(int(child)) for child in family)


if __name__ == "__main__":
    main()
