"""Numbers of 128 bits for compilers that have none, compared with those of one that has."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def test_numbers_of_two_words_are_those_of_128_bits(tmp_path: Path) -> None:
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("there is no g++ or clang++")
    program = tmp_path / "bits"
    kernel = HERE.parents[1] / "player/kernel"
    command = [compiler, "-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{kernel}", str(HERE / "bits.cpp"), "-o"]
    subprocess.run([*command, str(program)], check=True)
    subprocess.run([str(program)], check=True)
