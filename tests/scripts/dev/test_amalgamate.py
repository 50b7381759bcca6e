"""The C library as two files."""

import shutil
import subprocess
from pathlib import Path

import pytest

from minesweeper.scripts.dev import amalgamate

EXAMPLE = Path(__file__).parents[3] / "docs/c/hint.c"


@pytest.mark.faults
def test_the_two_files_compile_without_a_warning_and_answer_the_first_example(tmp_path: Path) -> None:
    amalgamate.write(tmp_path)
    lines = (tmp_path / "minesweeper.cpp").read_text().splitlines()
    assert [line for line in lines if line.startswith('#include "')] == ['#include "minesweeper.h"']
    shutil.copy(EXAMPLE, tmp_path)
    for command in (
        "g++ -std=c++17 -O0 -pthread -Wall -Wextra -Werror -c minesweeper.cpp",
        "cc -I . -c hint.c",
        "g++ -pthread hint.o minesweeper.o -o hint",
    ):
        subprocess.run(command.split(), cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "hint"], capture_output=True, text=True, check=True)
    assert done.stdout == "   0%s    1*    2*    1    0% \n   0%s 100%    0%  100%    0% \n"
