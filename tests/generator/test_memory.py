"""Proving puzzles again and again takes no more memory: half of what once leaked, 0.4 KB a puzzle, is too much."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_PROVING = """
import sys
from pathlib import Path
from minesweeper.generator.certify import certify
from minesweeper.generator.screening import screen_range
from minesweeper.player.recipe import Recipe

def memory():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

planted, kept = [], list(screen_range(Recipe(16, 30, 99, (3, 3), "opening", 1), 0, 1500))
for turn in range(20):
    if turn == 8:
        before = memory()
    for puzzle in kept:
        certify(puzzle)
        planted.append(bytes(int(sys.argv[1])))
print((memory() - before) / (12 * len(kept)))
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads the memory of a process in /proc")
@pytest.mark.parametrize("planted", [0, 400])
def test_proving_a_puzzle_leaves_nothing_in_memory(planted: int) -> None:
    words = [sys.executable, "-c", _PROVING, str(planted)]
    bytes_a_puzzle = float(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    assert (bytes_a_puzzle > 200) == (planted > 0), bytes_a_puzzle
