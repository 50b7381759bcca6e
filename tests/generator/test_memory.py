"""Memory leaks: repeated proofs use no more memory. The limit is half of a former leak of 0.4 KB per puzzle."""

import subprocess
import sys
from pathlib import Path

import pytest

_PROVING = """
import sys
from pathlib import Path
from minesweeper.generator.certify import certify
from minesweeper.generator.screening import screen_range
from minesweeper.player.core.recipe import Recipe

def memory():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

planted, kept = [], list(screen_range(Recipe("16x30/99", click=(3, 3), seed=1), 0, 1500))
for turn in range(10):
    if turn == 4:
        before = memory()
    for puzzle in kept:
        certify(puzzle)
        planted.append(bytes(int(sys.argv[1])))
print((memory() - before) / (6 * len(kept)))
"""

_COUNTING = """
import re
from pathlib import Path
from minesweeper.player.logic.clauses import between

def memory():
    return int(re.search(r"VmRSS:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

for turn in range(600):
    if turn == 200:
        before = memory()
    between(range(1, 41), 20, 20, 40, "totalizer")
print(1024 * (memory() - before) / 400)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads the memory of a process in /proc")
@pytest.mark.parametrize("planted", [0, 400])
def test_proofs_leak_no_memory(planted: int) -> None:
    words = [sys.executable, "-c", _PROVING, str(planted)]
    bytes_a_puzzle = float(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    assert (bytes_a_puzzle > 200) == (planted > 0), bytes_a_puzzle


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the memory of a process in /proc")
def test_mine_counts_leak_no_memory() -> None:
    words = [sys.executable, "-c", _COUNTING]
    bytes_a_count = float(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    assert bytes_a_count < 500
