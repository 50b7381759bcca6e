"""A cluster of Dask distributed as a place to work. Needs ``distributed``, the extra ``cluster``.

A `Cluster` is an executor like those of ``concurrent.futures``. Work that a lost worker had is done again elsewhere; so
it has to be a pure function of its arguments.
"""

from __future__ import annotations

import hashlib
import logging
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future, InvalidStateError
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar

from minesweeper.player.version import VERSION

_T = TypeVar("_T")

log = logging.getLogger(__name__)

_LOCAL: Final = "local:"
_CONNECT_SECONDS: Final = 10
_CLOSE_SECONDS: Final = 5
_COUNTED_SECONDS: Final = 2.0


class ClusterError(ValueError):
    """A cluster that can't be reached, that has no workers, or whose workers run another version of the toolkit."""


class WorkerDied(RuntimeError):
    """A worker process was killed, or a cluster is gone."""


class Cluster(Executor):
    """Workers that a scheduler knows, as many as there are at the time; made by `open_cluster`.

    What `submit` returns raises `WorkerDied` if the scheduler is gone or if the work has killed several workers,
    `ClusterError` if a worker that came later is of another version.
    """

    def __init__(self, client: Any, name: str) -> None:
        self._client = client
        self._run = _guarded(toolkit_version())
        self._counted = -_COUNTED_SECONDS
        self._width = 1
        self.name = name

    def __str__(self) -> str:
        return f"the cluster {self.name}"

    @property
    def width(self) -> int:
        """How many pieces of work it can do at the same time, at least 1."""
        if time.monotonic() - self._counted >= _COUNTED_SECONDS and self._client.status == "running":
            self._width = max(1, sum(self._client.nthreads().values()))
            self._counted = time.monotonic()
        return self._width

    def submit(self, function: Callable[..., _T], /, *args: Any, **settings: Any) -> Future[_T]:
        """Have a pure function called by some worker. Cancelling what it returns works as long as it is not done."""
        import pickle

        if self._client.status != "running":
            raise WorkerDied(f"{self} is gone")
        return _Answer(self._client.submit(self._run, pickle.dumps((function, args, settings)), pure=False), self.name)


@contextmanager
def interruptions_held() -> Iterator[None]:
    """Let Ctrl-C wait; processes that begin meanwhile begin deaf to it, and stay so."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def open_cluster(address: str) -> Iterator[Cluster]:
    """Connect to the scheduler at an address such as ``tcp://10.0.0.5:8786``, in a ``with`` statement.

    ``local:N`` starts a scheduler and N workers on this machine, and ends them afterwards. Raises `ClusterError` naming
    what is wrong.
    """
    try:
        import dask

        # Before it is imported: what it would say in many lines, this says in one.
        dask.config.set({"logging.distributed": "critical"})
        import distributed as library
    except ImportError:
        raise ClusterError("expected dask distributed: pip install 'minesweeper-toolkit[cluster]'") from None
    distributed: Any = library
    with _local(address, distributed) as scheduler:
        try:
            client = _connected(scheduler, distributed)
        except (OSError, ValueError) as error:
            raise ClusterError(
                f"expected the address of a scheduler, tcp://HOST:PORT or local:N: {address!r}"
            ) from error
        try:
            _check_workers(client, address)
            log.info("connected to the cluster %s", address)
            yield Cluster(client, address)
        finally:
            client.close(timeout=_CLOSE_SECONDS)


def _connected(scheduler: Any, distributed: Any) -> Any:
    """Connect to a scheduler; if that fails, close what has begun of it.

    Left to Python's collector, it may be closed in the midst of another one's beginning, and both wait for ever.
    """
    client = distributed.Client.__new__(distributed.Client)
    try:
        client.__init__(scheduler, timeout=_CONNECT_SECONDS, set_as_default=False)
    except BaseException:
        if getattr(client, "status", None) is not None:
            client.close(timeout=_CLOSE_SECONDS)
        raise
    return client


@contextmanager
def _local(address: str, distributed: Any) -> Iterator[Any]:
    """Start the cluster that ``local:N`` asks for; any other address is one."""
    if not address.startswith(_LOCAL):
        yield address
        return
    count = address.removeprefix(_LOCAL)
    if not (count.isdecimal() and len(count) < 5 and int(count)):
        raise ClusterError(f"expected a number of workers, e.g. local:4: {address!r}")
    # Workers inherit this, also those that replace lost ones: interruptions are left to this process.
    with interruptions_held():
        cluster = distributed.LocalCluster(
            n_workers=int(count), threads_per_worker=1, dashboard_address=None, memory_limit=0
        )
    with cluster:
        yield cluster


def _check_workers(client: Any, address: str) -> None:
    """Refuse a cluster without workers, or with workers of another version."""
    try:
        client.wait_for_workers(1, timeout=_CONNECT_SECONDS)
    except TimeoutError:
        raise ClusterError(f"expected workers on the cluster, found none: {address!r}") from None
    ours = toolkit_version()
    for worker, version in client.run(_version_asker()).items():
        if version != ours:
            raise ClusterError(f"expected workers of the toolkit's version {ours}, found {version} on {worker}")


@cache
def toolkit_version() -> str:
    """The version of the toolkit with a hash of its Python files, equal where the same work gives the same results."""
    package = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for room in ("player", "db", "generator"):
        for path in sorted((package / room).rglob("*.py")):
            digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    return f"{VERSION}+{digest.hexdigest()[:8]}"


def _version_asker() -> Callable[[], str]:
    # Functions inside functions travel as code, so that a worker without them understands, too.
    def ask() -> str:
        try:
            from minesweeper.player.cluster import toolkit_version

            return toolkit_version()
        except ImportError:
            return "none"

    return ask


def _guarded(version: str) -> Callable[[bytes], tuple[str, Any]]:
    """Return a function that does pickled work, but only where the toolkit is of this version; and says which it is."""
    ask = _version_asker()

    def run(work: bytes) -> tuple[str, Any]:
        import pickle

        found = ask()
        if found != version:
            return found, None
        function, args, settings = pickle.loads(work)
        return found, function(*args, **settings)

    return run


class _Answer(Future[Any]):
    """What comes of work on a cluster, with errors that name what has happened."""

    def __init__(self, inner: Any, name: str) -> None:
        super().__init__()
        self._inner, self._name = inner, name
        inner.add_done_callback(self._take)

    def cancel(self) -> bool:
        """Give the work up, also if a worker is at it, unless it is done."""
        if not super().cancel():
            return False
        self.set_running_or_notify_cancel()
        self._inner.cancel()
        return True

    def _take(self, inner: Any) -> None:
        """Take over what has become of the work, in a thread of Dask's."""
        try:
            version, result = inner.result()
        except BaseException as error:
            self._settle(None, _in_words(error, self._name))
        else:
            ours = toolkit_version()
            wrong = ClusterError(f"expected workers of the toolkit's version {ours}, found {version}")
            self._settle(result, None if version == ours else wrong)

    def _settle(self, result: object, error: BaseException | None) -> None:
        # Somebody may cancel it at this very moment.
        with suppress(InvalidStateError):
            if error is None:
                self.set_result(result)
            else:
                self.set_exception(error)


def _in_words(error: BaseException, name: str) -> BaseException:
    from distributed import KilledWorker

    if isinstance(error, KilledWorker):
        return WorkerDied(f"several workers of the cluster {name} were lost with the same work")
    # Nobody here asked for it, so it is the scheduler that has gone, and its clients forget what they waited for.
    if isinstance(error, CancelledError | OSError):
        return WorkerDied(f"the scheduler of the cluster {name} is gone")
    return error
