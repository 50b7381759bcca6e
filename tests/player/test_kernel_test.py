"""The tests of the kernel in C++, which an editable installation builds."""

from __future__ import annotations

import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

KERNEL = find_spec("minesweeper.player._kernel")
PROGRAM = Path(KERNEL.origin).with_name("kernel_test") if KERNEL and KERNEL.origin else None


@pytest.mark.skipif(not (PROGRAM and PROGRAM.exists()), reason="needs a C++ compiler and pip install -e .")
def test_the_kernel_passes_its_tests_in_c_plus_plus() -> None:
    done = subprocess.run([str(PROGRAM)], capture_output=True, text=True)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
