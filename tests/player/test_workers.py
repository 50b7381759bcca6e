"""Parallel work on ranges of numbers."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from concurrent import futures
from pathlib import Path
from typing import Any

import pytest

from minesweeper.player.parallel import processes, workers
from minesweeper.player.parallel.processes import START_METHOD
from minesweeper.player.parallel.workers import map_ranges

_BEGIN = """
import os, signal, sys, time
from multiprocessing.connection import Connection
from minesweeper.player.core.errors import WorkerDied
from minesweeper.player.parallel.workers import interruptible, map_ranges

def send_half(pipe, data):
    os.write(pipe.fileno(), bytes(data[: len(data) // 2]))
    os.kill(os.getpid(), signal.SIGKILL)
"""
_END = """
try:
    with interruptible() as interrupted:
        stop = lambda: interrupted() and (print("caught", flush=True) or True)
        print(sum(result for _, result in map_ranges(work, range(99), 4, stop=stop)))
except WorkerDied as error:
    print(error)
"""
_DEATHS = {
    "within a result": ("Connection._send = send_half; return 0", "was killed (signal 9)"),
    "in the work": ("os.kill(os.getpid(), signal.SIGTERM)", "was killed (signal 15)"),
    "by itself": ("sys.exit(0)", "ended by itself (status 0)"),
    "before a child": (
        "os.close(1); os.close(2); os.fork() and os._exit(3); time.sleep(60)",
        "ended by itself (status 3)",
    ),
    "beside longer work": ("0 in numbers and time.sleep(600); os._exit(4)", "ended by itself (status 4)"),
}


@pytest.mark.parametrize("workers", [1, 2])
def test_results_are_yielded_in_order_up_to_a_failure(workers: int) -> None:
    found: list[tuple[range, int]] = []
    with pytest.raises(ValueError, match="40"):
        found.extend(map_ranges(_sum_below_40, range(99), workers))
    assert [number for piece, _ in found for number in piece] == list(range(found[-1][0].stop))
    assert all(result == sum(piece) for piece, result in found)
    assert len(found) > 2
    assert found[-1][0].stop <= 40


def _sum_below_40(numbers: range) -> int:
    if 40 in numbers:
        raise ValueError("40")
    return sum(numbers)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="processes are not forked here")
@pytest.mark.parametrize("death", _DEATHS)
def test_a_worker_that_ends_at_any_moment_ends_the_work(death: str) -> None:
    what, cause = _DEATHS[death]
    done = subprocess.run(_program(what), env=_FORK, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == (f"a worker process {cause}\n", "")


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="processes are not forked here")
def test_children_of_workers_end_with_them_and_answer_nothing() -> None:
    program = _program("sleeps = len(numbers) > 1 and os.fork() == 0; sleeps and time.sleep(600); return sum(numbers)")
    # The children inherit stdout, so this waits for them.
    done = subprocess.run(program, env=_FORK, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("4851\n", "")


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="processes are not forked here")
def test_a_second_interrupt_ends_everything_at_once() -> None:
    work = "os.write(1, b'begun\\n'); time.sleep(600)"
    with subprocess.Popen(_program(work), env=_FORK, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        for line in (b"begun\n", b"caught\n"):
            while process.stdout.readline() != line:
                pass
            process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert said.endswith(b"KeyboardInterrupt\n")


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="processes are not forked here")
@pytest.mark.parametrize("setsid", ["os.setsid", "lambda: None"], ids=["in a group", "before it leads a group"])
def test_the_first_interrupt_also_ends_stopped_workers(setsid: str) -> None:
    work = "os.write(1, b'begun\\n'); os.kill(os.getpid(), signal.SIGSTOP); return 1"
    *python, program = _program(work)
    command = [*python, f"import os; os.setsid = {setsid}\n{program}"]
    with subprocess.Popen(command, env=_FORK, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        process.send_signal(signal.SIGINT)
        printed, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (0, b"")
    assert 1 <= int(printed.split()[-1]) <= 99


def test_an_interrupt_in_a_wait_locked_a_thread_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    waited = []

    def interrupted(*arguments: Any, **options: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        waited.append(futures.wait(*arguments, **options))
        return waited[-1]

    monkeypatch.setattr(workers, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        list(map_ranges(sum, range(9), 1))
    assert len(waited) == 1


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="no signals can be blocked here")
def test_an_interrupt_after_the_start_of_a_worker_left_it_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(processes.Worker):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            signal.pthread_kill(threading.get_ident(), signal.SIGINT)

    monkeypatch.setattr(processes, "Worker", Interrupted)
    others = set(multiprocessing.active_children())  # servers of other tests
    with pytest.raises(KeyboardInterrupt):
        list(map_ranges(sum, range(9), 2))
    assert set(multiprocessing.active_children()) <= others


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends the children of workers")
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_workers_and_their_children_end_with_a_killed_parent(method: str, tmp_path: Path) -> None:
    (tmp_path / "killed.py").write_text(
        "import os, time\ndef work(numbers):\n    os.fork()\n    os.write(1, b'begun\\n')\n    time.sleep(600)\n"
    )
    program = (
        "import killed\nfrom minesweeper.player.parallel.workers import map_ranges\n"
        "list(map_ranges(killed.work, range(9), 2))"
    )
    command = [sys.executable, "-c", program]
    with subprocess.Popen(
        command, env=os.environ | {START_METHOD: method}, cwd=tmp_path, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert [process.stdout.readline() for _ in range(4)] == [b"begun\n"] * 4
        process.kill()
        # The children inherit stdout, so this waits for them.
        assert process.communicate(timeout=60) == (b"", None)


_FORK = os.environ | {START_METHOD: "fork"}


def _program(work: str) -> list[str]:
    """Return a command that does such work in four processes."""
    return [sys.executable, "-c", f"{_BEGIN}\ndef work(numbers):\n    {work}\n{_END}"]


def test_no_number_is_begun_beyond_those_that_are_wanted() -> None:
    begun: list[int] = []
    for piece, _ in map_ranges(begun.extend, range(3), 1, wanted=lambda: 1):
        assert begun == list(range(piece.stop))


def test_processes_are_not_forked_beside_threads() -> None:
    """On Python 3.12 and later such a fork warns, because a lock may stay locked in the child."""
    program = """
import _thread, warnings
from minesweeper.player.parallel.workers import map_ranges
from test_workers import process_names
warnings.simplefilter("error")
print(*{name.partition("-")[0] for _, name in map_ranges(process_names, range(9), 2)})
begun, wait = _thread.allocate_lock(), _thread.allocate_lock()
with begun, wait:
    _thread.start_new_thread(lambda: (begun.release(), wait.acquire()), ())
    begun.acquire()
    print(*{name.partition("-")[0] for _, name in map_ranges(process_names, range(9), 2)})
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=Path(__file__).parent, capture_output=True, text=True)
    first = "ForkProcess" if sys.platform == "linux" else "SpawnProcess"
    assert (done.stdout.split(), done.stderr) == ([first, first.replace("kP", "kServerP")], "")


def process_names(numbers: range) -> str:
    return multiprocessing.current_process().name
