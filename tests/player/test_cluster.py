"""Clusters: the same puzzles as without one, also when workers are lost."""

import gc
import logging
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from minesweeper import Recipe, Store, play_many
from minesweeper.db.formats.format import imported_record
from minesweeper.db.records import Run
from minesweeper.generator import Limits, Task, generate
from minesweeper.generator.proving import Proving, prove_all
from minesweeper.player.core.errors import ConfigError, WorkerDied
from minesweeper.player.parallel import cluster
from minesweeper.player.parallel.cluster import Cluster, open_cluster
from minesweeper.player.parallel.workers import Workers, worker_pool
from minesweeper.player.play.strategies.local import Local

pytestmark = pytest.mark.faults

TASK = Task(Recipe("9x9/14", click=None, seed=5), "sat")
COUNT = 150
ENDLESS = 10**6


@pytest.fixture(scope="module", autouse=True)
def _distributed() -> None:
    pytest.importorskip("distributed", reason="a cluster needs the extra cluster")


@pytest.fixture(scope="module")
def workers() -> Iterator[Cluster]:
    with open_cluster("local:3") as found:
        yield found


def _stored(path: Path, workers: Workers, count: int = COUNT) -> list[tuple[str, int | None]]:
    with Store(path) as store:
        assert generate(TASK, Limits(count), store, workers=workers).ending == "done"
        return [(record.id, record.sample_index) for record in store.puzzles()]


@contextmanager
def _separate_cluster(folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Start a scheduler and a worker as separate programs; yield the address and the process of the scheduler."""
    where = folder / "scheduler.json"
    options = ["--scheduler-file", str(where), "--no-dashboard"]
    dask = [sys.executable, "-m", "dask"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    scheduler = subprocess.Popen([*dask, "scheduler", "--port", "0", "--host", "127.0.0.1", *options], **quiet)  # type: ignore[call-overload]
    worker = subprocess.Popen([*dask, "worker", "--nthreads", "1", "--no-nanny", *options], **quiet)  # type: ignore[call-overload]
    try:
        from distributed import Client

        with Client(scheduler_file=str(where), timeout=60) as client:  # type: ignore[no-untyped-call]
            client.wait_for_workers(1, timeout=60)  # type: ignore[no-untyped-call]
            address = client.scheduler.address
        yield address, scheduler
    finally:
        for process in (worker, scheduler):
            process.kill()
            process.wait()


def test_races_at_the_end_of_a_cluster_print_no_tracebacks(workers: Cluster) -> None:
    names = ("distributed.worker", "distributed.nanny", "distributed.client", "tornado.application")
    levels: dict[str, list[int]] = {}
    # Another test kills workers, and the scheduler learns late of their end.
    while len(levels) < 3:
        time.sleep(0.1)
        levels = workers._client.run(
            lambda: [logging.getLogger(name).getEffectiveLevel() for name in names], on_error="ignore"
        )
    assert [*levels.values()] == 3 * [len(names) * [logging.CRITICAL]]


def test_a_local_cluster_is_silent_while_another_program_has_the_port_of_dashboards(tmp_path: Path) -> None:
    command = ["generate", "--preset", "beginner", "--count", "2", "--seed", "1", "--cluster", "local:1"]
    with socket.socket() as other:
        with suppress(OSError):  # The port may be in use already.
            other.bind(("127.0.0.1", 8787))
            other.listen()
        made = subprocess.run(
            [sys.executable, "-m", "minesweeper", *command], cwd=tmp_path, capture_output=True, text=True
        )
    assert (made.returncode, made.stderr) == (0, "")


def test_killed_workers_change_nothing(workers: Cluster, tmp_path: Path) -> None:
    expected = _stored(tmp_path / "one.db", 1)
    killed: list[int] = []

    def kill_two(run: Run) -> None:
        if run.kept and not killed:
            killed.extend(list(workers._client.run(os.getpid).values())[:2])
            for process in killed:
                os.kill(process, signal.SIGKILL)

    with Store(tmp_path / "many.db") as store:
        assert generate(TASK, Limits(COUNT), store, workers=workers, report=kill_two).ending == "done"
        assert [(record.id, record.sample_index) for record in store.puzzles()] == expected
    assert len(set(killed)) == 2


def test_games_and_proofs_are_the_same_on_a_cluster(workers: Cluster) -> None:
    recipe = Recipe("9x9/10", click=(0, 0), rule="safe", seed=1)
    games = [
        [(game.won, game.opened, game.guesses) for game in play_many(recipe, range(60), Local(), workers=pool)]
        for pool in (1, workers)
    ]
    assert games[0] == games[1]
    found = [(str(index), imported_record(recipe.puzzle(index))) for index in range(60)]
    proofs = [
        [(place, str(outcome)) for place, _, outcome in prove_all(found, Proving(engine="sat"), pool)]
        for pool in (1, workers)
    ]
    assert proofs[0] == proofs[1]


def test_a_scheduler_that_goes_away_ends_the_run_with_all_that_was_found(tmp_path: Path) -> None:
    with _separate_cluster(tmp_path) as (address, scheduler), open_cluster(address) as workers:

        def kill_scheduler(run: Run) -> None:
            if run.kept:
                scheduler.kill()

        with Store(tmp_path / "many.db") as store:
            with pytest.raises(WorkerDied, match="scheduler"):
                generate(TASK, Limits(ENDLESS), store, workers=workers, report=kill_scheduler)
            kept = store.count()
            assert 0 < kept == store.db["runs"].get(1)["kept"] < ENDLESS
    more = kept + COUNT
    assert _stored(tmp_path / "many.db", 1, more) == _stored(tmp_path / "one.db", 1, more)


def test_rejects_workers_of_another_version(workers: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    assert workers.submit(len, "abc").result() == 3
    monkeypatch.setattr(cluster, "toolkit_version", lambda: "0.0.1+other")
    with pytest.raises(ConfigError, match=r"runs version \d.*: expected 0\.0\.1\+other"):
        cluster._check_workers(workers._client, "here")
    late = Cluster(workers._client, "here")
    with pytest.raises(ConfigError, match=r"runs version \d.*: expected 0\.0\.1\+other"):
        late.submit(len, "abc").result()


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("local:", "no number of workers in 'local:'"),
        ("local:0", "no number of workers in 'local:0'"),
        ("local:-1", "no number of workers in 'local:-1'"),
        ("nowhere", "'nowhere' is no address: missing port"),
        ("gopher://a:1", "'gopher://a:1' is no address: unknown address scheme"),
        ("tls://127.0.0.1:1", "'tls://127.0.0.1:1' is no address: TLS expects"),
        ("tcp://127.0.0.1:1", "no scheduler answers at 'tcp://127.0.0.1:1'"),
    ],
)
def test_wrong_addresses(address: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_CONNECT_SECONDS", 1)
    with pytest.raises(ConfigError, match=message), open_cluster(address):
        pass


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.0 400 Bad Request\r\n\r\n"], ids=["silent", "http"])
def test_another_server_at_the_address_is_refused(answer: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_CONNECT_SECONDS", 1)
    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor(1) as thread:
        accepted = thread.submit(_accept, server, answer)
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(ConfigError, match="no scheduler answers at 'tcp"), open_cluster(address):
            pass
        accepted.result().close()


def _accept(server: socket.socket, answer: bytes) -> socket.socket:
    connection, _ = server.accept()
    connection.sendall(answer)
    return connection


def test_a_refused_connection_leaves_no_client_for_the_collector_to_close(monkeypatch: pytest.MonkeyPatch) -> None:
    from distributed import Client

    monkeypatch.setattr(cluster, "_CONNECT_SECONDS", 1)
    with pytest.raises(ConfigError, match="nowhere") as refused, open_cluster("nowhere"):
        pass
    left = [one for one in gc.get_objects() if isinstance(one, Client) and one.status not in ("running", "closed")]
    assert left == [], refused


def test_rejects_workers_and_a_cluster_together() -> None:
    with pytest.raises(ConfigError, match="expected one of them"), worker_pool(2, "local:2"):
        pass
