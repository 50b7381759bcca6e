"""Worker processes for all that may take long: they can be ended in the middle of their work, threads cannot."""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, ParamSpec, TypeVar

from minesweeper.scripts.web.settings import Kind, Refusal, Settings
from minesweeper.scripts.web.worker import LENGTH

_P = ParamSpec("_P")
_T = TypeVar("_T")

SHORT_SECONDS: Final = 1.0
"""Work that takes longer is long, and has to leave its place to work that may be short."""

_SHARE: Final = 8
"""So many pieces of one client count as one piece of a player: many players may share an address."""

_PATIENCE: Final = 20.0
"""So many seconds a piece waits before it is refused."""

_NICENESS: Final = 10


class Requester(NamedTuple):
    """Who a piece of work is for: a network's client, and a player's session, if there is one."""

    client: str
    player: str | None = None


TOO_BUSY: Final = "The server has too much to do: try again in a moment."

asking: ContextVar[Requester | None] = ContextVar("asking", default=None)
"""Whose request is being answered, so that nobody is served twice before others are served once."""


@dataclass
class _Waiting:
    """A piece of work in a queue. Lower ranks go first, and among equals whoever came first."""

    rank: int
    number: int
    turn: asyncio.Future[None]


class _Lane:
    """So many places at which work is done, and a queue before them."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._queue: list[_Waiting] = []
        self._numbers = 0

    def __len__(self) -> int:
        return len(self._queue)

    async def enter(self, rank: int) -> None:
        """Take a place, now or later. Raises `Refusal`."""
        if self.take():
            return
        waiting = _Waiting(rank, self._numbers, asyncio.get_running_loop().create_future())
        self._numbers += 1
        self._queue.append(waiting)
        try:
            async with asyncio.timeout(_PATIENCE):
                await waiting.turn
        except BaseException as error:
            if waiting in self._queue:
                self._queue.remove(waiting)
            else:
                self.leave()  # The place was given just now.
            if isinstance(error, TimeoutError):
                raise Refusal(Kind.TOO_BUSY, TOO_BUSY) from error
            raise

    def take(self) -> bool:
        """Take a place if one is free."""
        if not self._free:
            return False
        self._free -= 1
        return True

    def leave(self) -> None:
        """Give the place to whoever is next."""
        waiting = [one for one in self._queue if not one.turn.done()]  # without those who have just given up
        if not waiting:
            self._free += 1
            return
        chosen = min(waiting, key=lambda one: (one.rank, one.number))
        self._queue.remove(chosen)
        chosen.turn.set_result(None)


@dataclass
class _Running:
    """A piece of work that is being done; `is_cut` if it has to begin again as a long one."""

    lane: _Lane
    is_cut: bool = False


class Pool:
    """`size` processes that work one piece at a time, and as many for long pieces; at most `waiting` pieces queue.

    All work begins as short. What takes longer than `short_seconds` goes on among the long pieces, at low priority, or
    begins anew there once there is room: so it never keeps short work waiting. Who asks for much comes after who asks
    for little. Processes start when first needed. The functions handed over, their arguments and results must be
    picklable, and the work must do no harm if it is begun twice.
    """

    def __init__(self, size: int, waiting: int, short_seconds: float = SHORT_SECONDS) -> None:
        self._size = size
        self._most_waiting = waiting
        self._short_seconds = short_seconds
        self._short, self._long = _Lane(size), _Lane(size)
        self._pieces: Counter[str] = Counter()
        self._idle: list[_Worker] = []
        self._workers: set[_Worker] = set()

    async def start(self) -> None:
        """Start all processes, so that nobody has to wait for them."""
        await asyncio.gather(*(self.run(1, abs, 0) for _ in range(self._size)))

    async def run(self, seconds: float, work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Do some work in a process, for at most `seconds`; raises `Refusal`, and what the work raises."""
        names = [name for name in asking.get() or () if name is not None]
        rank = self._rank(*names)
        piece = pickle.dumps((work, args, kwargs))
        self._pieces.update(names)
        try:
            succeeded, result = await self._do(piece, rank, seconds)
        finally:
            self._pieces.subtract(names)
            for name in names:
                if not self._pieces[name]:
                    del self._pieces[name]
        if not succeeded:
            raise result
        return result  # type: ignore[no-any-return]

    async def close(self) -> None:
        """End all processes at once."""
        await asyncio.gather(*(self._end(worker) for worker in list(self._workers)))

    def _rank(self, client: str = "", player: str = "") -> int:
        """Tell how many pieces go before those of this player. Raises `Refusal` if there are too many already."""
        if len(self._short) + len(self._long) >= self._most_waiting:
            raise Refusal(Kind.TOO_BUSY, TOO_BUSY)
        of_client, of_player = self._pieces[client], self._pieces[player]
        if of_player >= Settings.pieces_per_player or of_client >= self._size + max(self._most_waiting // 2, 1):
            raise Refusal(Kind.TOO_BUSY, "You have asked for a lot at once: wait for an answer, then try again.")
        return of_player + of_client // _SHARE

    async def _do(self, piece: bytes, rank: int, seconds: float) -> tuple[bool, Any]:
        """Do a piece among the short ones and, if it has to leave them unfinished, among the long ones."""
        answer = None
        for lane in (self._short, self._long):
            await lane.enter(rank)
            running = _Running(lane)
            try:
                answer = await self._ask(piece, seconds, running)
            finally:
                running.lane.leave()
            if not running.is_cut:
                break
        assert answer is not None
        return answer

    async def _ask(self, piece: bytes, seconds: float, running: _Running) -> tuple[bool, Any]:
        worker = self._idle.pop() if self._idle else await self._new_worker()
        answered, timer = False, None
        try:
            await worker.ready()
            if running.lane is self._short:
                timer = asyncio.get_running_loop().call_later(self._short_seconds, self._make_long, running, worker)
            else:
                worker.step_back()
            async with asyncio.timeout(seconds):
                answer = await worker.ask(piece)
            answered = True
        except TimeoutError:
            return False, Refusal(Kind.TOO_SLOW, f"This was cut off: it takes more than {seconds:g} seconds.")
        except (EOFError, OSError):
            return False, Refusal(Kind.BROKEN, "The work on this ended before it was done.")
        finally:
            if timer is not None:
                timer.cancel()
            # Whoever asks next must not get this answer, also if nobody waits for it any more; nor a slow process.
            if answered and running.lane is self._short and not running.is_cut:
                self._idle.append(worker)
            else:
                await self._end(worker)
        return pickle.loads(answer)  # type: ignore[no-any-return]

    def _make_long(self, running: _Running, worker: _Worker) -> None:
        """Free the place of a piece that takes long."""
        if self._long.take():
            running.lane.leave()
            running.lane = self._long
            worker.step_back()
        else:
            running.is_cut = True
            worker.kill()

    async def _new_worker(self) -> _Worker:
        # The same modules as here, wherever they were found, and none from the working directory.
        command = [sys.executable, "-P", "-m", "minesweeper.scripts.web.worker"]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
        # A Ctrl-C in the terminal is for the server alone.
        process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, env=environment, start_new_session=True
        )
        worker = _Worker(process)
        self._workers.add(worker)
        return worker

    async def _end(self, worker: _Worker) -> None:
        self._workers.discard(worker)
        await worker.end()


class _Worker:
    """A process that runs `scripts.web.worker`."""

    def __init__(self, process: Process) -> None:
        self._process = process
        assert process.stdin is not None
        assert process.stdout is not None
        self._pieces, self._answers = process.stdin, process.stdout
        self._is_ready = False
        self._is_killed = False

    async def ready(self) -> None:
        """Wait until it has started. Raises `EOFError` if it does not."""
        if not self._is_ready:
            await self._receive()
            self._is_ready = True

    async def ask(self, piece: bytes) -> bytes:
        """Hand work over and wait for its answer. Raises `EOFError` or `OSError` if the process ends."""
        self._pieces.write(LENGTH.pack(len(piece)) + piece)
        await self._pieces.drain()
        return await self._receive()

    async def _receive(self) -> bytes:
        (length,) = LENGTH.unpack(await self._answers.readexactly(LENGTH.size))
        return await self._answers.readexactly(length)

    def step_back(self) -> None:
        """Let other processes go first, where the system knows priorities."""
        if hasattr(os, "setpriority"):
            with suppress(ProcessLookupError):
                os.setpriority(os.PRIO_PROCESS, self._process.pid, _NICENESS)

    def kill(self) -> None:
        """End the process in the middle of its work, and what it has begun."""
        # A second signal could take the end of the process from asyncio, which then complains.
        if not self._is_killed:
            self._is_killed = True
            with suppress(ProcessLookupError):
                if hasattr(os, "killpg"):
                    os.killpg(self._process.pid, signal.SIGKILL)  # It leads a group of its own.
                else:
                    self._process.kill()

    async def end(self) -> None:
        self.kill()
        await self._process.wait()
