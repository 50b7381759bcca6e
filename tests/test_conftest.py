"""The rule that nothing is skipped in CI."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SKIPPING = {
    "mark": "import pytest\n@pytest.mark.skipif(True, reason='no kernel')\ndef test_it() -> None: ...",
    "call": "import pytest\ndef test_it() -> None:\n    pytest.skip('no kernel')",
    "fixture": "import pytest\n@pytest.fixture\ndef it(): pytest.skip('no kernel')\ndef test_it(it) -> None: ...",
    "module": "import pytest\npytest.importorskip('nothing_of_this_name', reason='no kernel')",
}


@pytest.mark.parametrize("way", SKIPPING)
def test_in_ci_a_skipped_test_is_a_failure_and_elsewhere_it_is_skipped(tmp_path: Path, way: str) -> None:
    shutil.copy(Path(__file__).parent / "conftest.py", tmp_path)
    (tmp_path / "test_one.py").write_text(SKIPPING[way])
    command = [sys.executable, "-m", "pytest", "--rootdir", str(tmp_path), "-p", "no:cacheprovider", "-rs"]
    elsewhere = {name: value for name, value in os.environ.items() if name not in ("CI", "PYTEST_ADDOPTS")}
    for environment, word in ((elsewhere, "1 skipped"), (elsewhere | {"CI": "true"}, "nothing may be skipped in CI")):
        result = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert word in result.stdout
        assert "no kernel" in result.stdout
        assert (result.returncode in (0, 5)) is (word == "1 skipped")
