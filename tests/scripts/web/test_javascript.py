"""The parts of the page that need no document, by tests in JavaScript."""

import shutil
import subprocess
from pathlib import Path

import pytest

NODE = shutil.which("node")
TESTS = sorted(Path(__file__).parent.glob("js/*.test.mjs"))


@pytest.mark.skipif(NODE is None, reason="needs Node")
@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.name)
def test_the_parts_without_a_document(path: Path) -> None:
    assert NODE is not None
    done = subprocess.run([NODE, "--test", path], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
