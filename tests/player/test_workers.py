"""Parallel work on ranges of numbers."""

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

# Processes that are killed when they receive the order to end, and hold the lock of the queue.
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


def test_finished_results_are_yielded_together_in_order_up_to_a_failure() -> None:
    calls, third = count(1), threading.Event()

    def work(numbers: range) -> int:
        if 2 in numbers:
            third.set()
        if 40 in numbers:
            raise ValueError("40")
        return sum(numbers)

    def stop() -> bool:
        """Wait in the fourth call: a thread that has started the third piece has finished two."""
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
def test_a_worker_killed_at_the_end_does_not_block_the_pool() -> None:
    # A separate process, which the timeout ends if it hangs.
    done = subprocess.run(
        [sys.executable, "-c", KILLED_AT_THE_END],
        env=os.environ | {START_METHOD: "fork"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.stdout, done.returncode) == ("4851\n", 0), done.stderr
