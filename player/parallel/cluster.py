"""A Dask cluster as a pool of workers. Needs ``distributed``, the extra ``cluster``.

Dask repeats the work of lost workers elsewhere, so it must be a pure function of its arguments.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar

from minesweeper.player.core.errors import ConfigError, WorkerDied
from minesweeper.player.core.limits import block_interrupts
from minesweeper.player.version import VERSION

_T = TypeVar("_T")

log = logging.getLogger(__name__)

_LOCAL: Final = "local:"
_CONNECT_SECONDS: Final = 10
_CLOSE_SECONDS: Final = 5
_WIDTH_SECONDS: Final = 2.0
_LOG_LEVELS: Final = dict.fromkeys(
    ("distributed", "distributed.client", "distributed.gc", "tornado.application"), "critical"
)
"""The logs of Dask: this module reports errors in one line, and Dask logs every race of its shutdown as an error."""


class Cluster:
    """The workers of a scheduler, which may come and go; see `open_cluster`."""

    def __init__(self, client: Any, name: str) -> None:
        self._client = client
        self._executor = client.get_executor(pure=False)
        self._width_time = -_WIDTH_SECONDS
        self._width = 1
        self.name = name

    def __str__(self) -> str:
        return f"the cluster {self.name}"

    @property
    def width(self) -> int:
        """The number of pieces of work that run at the same time, at least 1; updated every 2 seconds."""
        if time.monotonic() - self._width_time >= _WIDTH_SECONDS and self._client.status == "running":
            self._width = max(1, sum(self._client.nthreads().values()))
            self._width_time = time.monotonic()
        return self._width

    def submit(self, function: Callable[..., _T], *args: Any) -> Future[_T]:
        """Call a pure function on a worker of this version of the toolkit."""
        self.check()
        future: Future[_T] = self._executor.submit(_call_checked, toolkit_version(), function, *args)
        return future

    def check(self) -> None:
        """Raise `WorkerDied` if the scheduler is lost: then pending futures never finish."""
        if self._client.status != "running":
            raise WorkerDied(f"the scheduler of {self} is lost")

    def check_loss(self, error: Exception) -> None:
        """Raise `WorkerDied` if the error of a future means that workers or the scheduler were lost."""
        from distributed import KilledWorker

        if isinstance(error, KilledWorker):
            raise WorkerDied(f"several workers of {self} were lost with the same work") from error
        if isinstance(error, CancelledError | OSError):
            raise WorkerDied(f"the scheduler of {self} is lost") from error


@contextmanager
def open_cluster(address: str) -> Iterator[Cluster]:
    """Connect to the scheduler at an address such as ``tcp://10.0.0.5:8786``.

    ``local:N`` starts a scheduler and N workers on this machine, and ends them afterwards. Raises `ConfigError`.
    """
    try:
        import dask

        # Dask reads the levels when it is imported, so workers get them as an environment variable before they start.
        dask.config.set({"logging": _LOG_LEVELS, "distributed.nanny.pre-spawn-environ.DASK_LOGGING": _LOG_LEVELS})
        import distributed as library
    except ImportError:
        raise ConfigError("a cluster needs Dask: pip install 'minesweeper-toolkit[cluster]'") from None
    distributed: Any = library
    with _local(address, distributed) as scheduler:
        try:
            client = _connected(scheduler, distributed)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"{address!r} is no address: {error}; expected tcp://HOST:PORT or local:N") from error
        except (OSError, MemoryError) as error:
            raise ConfigError(
                f"no scheduler answers at {address!r}: expected a running `dask scheduler`; or use local:N"
            ) from error
        try:
            _check_workers(client, address)
            log.info("connected to the cluster %s", address)
            yield Cluster(client, address)
        finally:
            client.close(timeout=_CLOSE_SECONDS)


def _connected(scheduler: Any, distributed: Any) -> Any:
    """Connect to a scheduler; on failure, close the half-open client.

    If it were left to the garbage collector, it could be closed while another client connects, and both would hang.
    """
    if isinstance(scheduler, str):
        distributed.utils.LoopRunner().run_sync(_shake_hands, scheduler, distributed)
    client = distributed.Client.__new__(distributed.Client)
    try:
        client.__init__(scheduler, timeout=_CONNECT_SECONDS, set_as_default=False)
    except BaseException:
        if getattr(client, "status", None) is not None:
            client.close(timeout=_CLOSE_SECONDS)
        raise
    return client


async def _shake_hands(address: str, distributed: Any) -> None:
    """Raise `OSError` or `MemoryError` unless Dask answers: its client waits for any other server without a limit."""
    import asyncio

    async with asyncio.timeout(_CONNECT_SECONDS):
        comm = await distributed.comm.connect(address, timeout=_CONNECT_SECONDS)
    await comm.close()


@contextmanager
def _local(address: str, distributed: Any) -> Iterator[Any]:
    """Start the cluster of ``local:N``; yield any other address as it is."""
    if not address.startswith(_LOCAL):
        yield address
        return
    count = address.removeprefix(_LOCAL)
    if not (count.isdecimal() and len(count) < 5 and int(count)):
        raise ConfigError(f"no number of workers in {address!r}: expected local:N, e.g. local:4")
    # The workers, and those that replace lost ones, inherit the blocked signal: this process handles interrupts.
    with block_interrupts():
        cluster = distributed.LocalCluster(
            n_workers=int(count),
            threads_per_worker=1,
            # Without a port the scheduler takes 8787, and warns if another program has it.
            scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
            memory_limit=0,
            silence_logs=logging.CRITICAL,
        )
    with cluster:
        yield cluster


def _check_workers(client: Any, address: str) -> None:
    """Refuse a cluster without workers, or with workers of another version."""
    try:
        client.wait_for_workers(1, timeout=_CONNECT_SECONDS)
        client.run(_call_checked, toolkit_version(), int)
    except TimeoutError:
        raise ConfigError(f"the cluster {address!r} has no workers") from None
    except ImportError as error:
        raise ConfigError(f"the workers of {address!r} lack the toolkit: {error}") from None


@cache
def toolkit_version() -> str:
    """Return the version of the toolkit with a hash of its Python files: equal versions give equal results."""
    package = Path(__file__).parents[2]
    digest = hashlib.sha256()
    for folder in ("player", "db", "generator"):
        for path in sorted((package / folder).rglob("*.py")):
            digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    return f"{VERSION}+{digest.hexdigest()[:8]}"


def _call_checked(version: str, function: Callable[..., _T], *args: Any) -> _T:
    """Call a function on a worker. Raises `ConfigError` if the worker runs another version of the toolkit."""
    if toolkit_version() != version:
        raise ConfigError(f"a worker runs version {toolkit_version()} of the toolkit: expected {version}")
    return function(*args)
