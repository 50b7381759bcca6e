"""Numbered work by many processes."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
from itertools import count

import pytest

from minesweeper.player.processes import START_METHOD
from minesweeper.player.workers import map_together

# Processes that are killed as soon as they are told to end, and hold the lock of the queue then.
KILLED_AT_THE_END = """
import os, signal
from multiprocessing.queues import Queue
from minesweeper.player.workers import map_ranges

get = Queue.get

def get_or_be_killed(queue, **options):
    item = get(queue, **options)
    if item is None:
        queue._rlock.acquire()
        os.kill(os.getpid(), signal.SIGKILL)
    return item

def work(numbers):
    Queue.get = get_or_be_killed
    return sum(numbers)

if __name__ == "__main__":
    print(sum(result for _, result in map_ranges(work, range(99), 4)))
"""


def test_results_that_are_there_come_together_in_order_and_none_after_one_that_failed() -> None:
    calls, third = count(1), threading.Event()

    def work(numbers: range) -> int:
        if 2 in numbers:
            third.set()
        if 40 in numbers:
            raise ValueError("40")
        return sum(numbers)

    def stop() -> bool:
        """Asked before each of the first three pieces, and again: one thread that began the third has done two."""
        if next(calls) == 4:
            assert third.wait(60)
        return False

    groups: list[list[tuple[range, int]]] = []
    with pytest.raises(ValueError, match="40"):
        groups.extend(map_together(work, range(99), 1, 3, stop=stop))
    assert [number for group in groups for piece, _ in group for number in piece] == list(range(groups[-1][-1][0].stop))
    assert all(result == sum(piece) for group in groups for piece, result in group)
    assert 2 <= len(groups[0]) <= max(map(len, groups)) <= 3
    assert groups[-1][-1][0].stop <= 40


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="processes are not forked here")
def test_a_worker_that_is_killed_when_it_takes_its_leave_keeps_nobody_waiting() -> None:
    # In a process of its own, which can be ended should it wait for ever.
    done = subprocess.run(
        [sys.executable, "-c", KILLED_AT_THE_END],
        env=os.environ | {START_METHOD: "fork"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.stdout, done.returncode) == ("4851\n", 0), done.stderr
