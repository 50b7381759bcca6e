"""The tests of the kernel in C++ and of the C library in C, which an editable installation builds."""

from __future__ import annotations

import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

KERNEL = find_spec("minesweeper.player._kernel")
FOLDER = Path(KERNEL.origin).parent if KERNEL and KERNEL.origin else Path("none")


@pytest.mark.skipif(not (FOLDER / "kernel_test").exists(), reason="needs a C++ compiler and pip install -e .")
@pytest.mark.parametrize("program", ["kernel_test", "library_test"])
def test_the_kernel_passes_its_tests_without_python(program: str) -> None:
    done = subprocess.run([str(FOLDER / program)], capture_output=True, text=True)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
