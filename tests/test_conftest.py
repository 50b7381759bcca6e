"""The rule that no test is skipped in CI."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

SKIPPING = {
    "mark": "import pytest\n@pytest.mark.skipif(True, reason='no kernel')\ndef test_it() -> None: ...",
    "call": "import pytest\ndef test_it() -> None:\n    pytest.skip('no kernel')",
    "fixture": "import pytest\n@pytest.fixture\ndef it(): pytest.skip('no kernel')\ndef test_it(it) -> None: ...",
    "module": "import pytest\npytest.importorskip('nothing_of_this_name', reason='no kernel')",
}


def test_missing_requirements_are_named_before_the_tests_run(tmp_path: Path) -> None:
    shutil.copy(Path(__file__).parent / "conftest.py", tmp_path)
    (tmp_path / "test_nothing.py").write_text("def test_nothing() -> None: ...")
    bare = {name: value for name, value in os.environ.items() if name not in ("CHROMIUM", "PYTEST_ADDOPTS")}
    bare |= {"PATH": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "--rootdir", str(tmp_path), "-p", "no:cacheprovider"]
    result = subprocess.run(command, cwd=tmp_path, env=bare, capture_output=True, text=True)
    first, *others = result.stdout.splitlines()
    assert first.startswith("skipping the tests that need ")
    assert "Chromium (apt-get install chromium-headless-shell)" in first
    assert not any("skipping" in line for line in others)
    (tmp_path / "chromium").write_text("#!/bin/sh\n")
    found = subprocess.run(command, cwd=tmp_path, env=bare | {"CHROMIUM": "/bin/true"}, capture_output=True, text=True)
    assert "Chromium" not in found.stdout


def test_skipped_tests_fail_in_ci_only(tmp_path: Path) -> None:
    shutil.copy(Path(__file__).parent / "conftest.py", tmp_path)
    for way, text in SKIPPING.items():
        (tmp_path / f"test_{way}.py").write_text(text)
    command = [sys.executable, "-m", "pytest", "--rootdir", str(tmp_path), "-p", "no:cacheprovider", "-rsfE"]
    command += ["--continue-on-collection-errors", "--no-fold-skipped"]
    elsewhere = {name: value for name, value in os.environ.items() if name not in ("CI", "PYTEST_ADDOPTS")}
    # The plugins of the suite take longer to load than these tests to run.
    elsewhere["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    for environment, word in ((elsewhere, "SKIPPED"), (elsewhere | {"CI": "true"}, "no test may be skipped in CI")):
        result = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        lines = [line for line in result.stdout.splitlines() if line.startswith(("SKIPPED ", "FAILED ", "ERROR "))]
        assert len(lines) == len(SKIPPING), result.stdout
        for way in SKIPPING:
            (line,) = [one for one in lines if f"test_{way}.py" in one]
            assert word in line
            assert "no kernel" in line
        assert (result.returncode == 0) is (word == "SKIPPED")
