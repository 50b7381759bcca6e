"""Parallel work on ranges of numbers."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys

import pytest

from minesweeper.player.processes import START_METHOD
from minesweeper.player.workers import map_ranges

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
