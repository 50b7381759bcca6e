"""The C++ tests of the kernel, compiled without Python and run under the sanitizers."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
KERNEL = HERE.parents[1] / "player/kernel"


@pytest.mark.long
def test_kernel_passes_its_tests_without_python(tmp_path: Path) -> None:
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("neither g++ nor clang++ was found")
    sources = [path for path in KERNEL.glob("*.cpp") if not path.stem.endswith("bindings")]
    options = ["-std=c++17", "-pthread", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", f"-I{KERNEL}"]
    program = tmp_path / "kernel_test"
    subprocess.run([compiler, *options, HERE / "kernel_test.cpp", *sources, "-o", program], check=True)
    subprocess.run([program], check=True)
