"""NumPy in programs: nothing of it is loaded before something of it is used, and then it is all there."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest

BEGIN = """
import pickle, sys, threading
import minesweeper.scripts
import numpy as np
from minesweeper.player.board import Board
assert "numpy.linalg" not in sys.modules
"""
USES = {
    "a name": "np.zeros(3).sum()",
    "a package in it": "np.random.default_rng(1)",
    "a package by its name": "import numpy.linalg; assert numpy.linalg.norm([3, 4]) == np.linalg.norm([3, 4])",
    "a name of a package": "from numpy.typing import NDArray; NDArray[np.bool_]",
    "an array that comes from elsewhere": f"pickle.loads({pickle.dumps(np.arange(3))!r})",
    "the library": "Board.from_text('*..').clues",
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_numpy_is_loaded_by_whatever_uses_it(use: str) -> None:
    program = f"{BEGIN}{use}\nassert 'numpy.linalg' in sys.modules and np.ndarray is sys.modules['numpy'].ndarray"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_threads_that_use_numpy_first_all_get_all_of_it() -> None:
    program = f"""{BEGIN}
together, sums = threading.Barrier(8), []
def use():
    together.wait()
    sums.append(int(np.arange(5).sum()))
threads = [threading.Thread(target=use) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert sums == [10] * 8, sums
"""
    subprocess.run([sys.executable, "-c", program], check=True)
