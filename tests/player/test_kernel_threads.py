"""The kernel in threads with small stacks."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from minesweeper.player import kernel_api
from minesweeper.player.board import Cell, View, count_neighbours

pytestmark = pytest.mark.skipif(not kernel_api.available(), reason="needs the kernel")

_MUSL_STACK = 128 << 10
"""Bytes of stack that musl gives a thread."""


def _chain(side: int) -> tuple[View, NDArray[np.bool_], list[Cell]]:
    """Return a view, its layout, and a winding chain in which hidden cells and clues alternate.

    Every second hidden cell of the chain is a mine, and so is every cell off the chain.
    """
    chain: list[Cell] = []
    for row in range(0, side, 2):
        cols = range(side) if row % 4 == 0 else range(side - 1, -1, -1)
        chain += [(row, col) for col in cols]
        chain.append((row + 1, chain[-1][1]))
    layout = np.ones((side + 1, side), dtype=np.bool_)
    cells = np.full(layout.shape, -1, dtype=np.int8)
    for i, cell in enumerate(chain):
        layout[cell] = i % 4 == 0
    for cell in chain[1::2]:
        cells[cell] = count_neighbours(layout)[cell]
    return View(cells, int(layout.sum())), layout, chain


def find_correction_in_a_long_chain() -> None:
    view, layout, chain = _chain(101)
    known = {*zip(*np.nonzero(layout), strict=True)} - set(chain)
    corrections = kernel_api.Corrections(view, layout, known, chain[0])
    correction = corrections.find([], 10**6)
    assert correction is not None
    assert len(correction) == 1
    assert set(correction) < set(chain[1::2])
    assert corrections.find(chain[1::2], 10**6) == []


_DEEP: dict[str, Callable[[], None]] = {case.__name__: case for case in (find_correction_in_a_long_chain,)}


@pytest.mark.parametrize("name", _DEEP)
def test_deep_search_needs_little_stack(name: str) -> None:
    """The kernel once recursed for each step of these searches. An overflow ends the process, so each has its own."""
    done = subprocess.run([sys.executable, __file__, name], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


if __name__ == "__main__":
    threading.stack_size(_MUSL_STACK)
    thread = threading.Thread(target=_DEEP[sys.argv[1]])
    thread.start()
    thread.join()
