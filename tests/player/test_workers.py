"""Numbered work by many processes."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys

import pytest

from minesweeper.player.workers import START_METHOD

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
