"""The rule that no test is skipped in CI."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SKIPPING = {
    "mark": "import pytest\n@pytest.mark.skipif(True, reason='no kernel')\ndef test_it() -> None: ...",
    "call": "import pytest\ndef test_it() -> None:\n    pytest.skip('no kernel')",
    "fixture": "import pytest\n@pytest.fixture\ndef it(): pytest.skip('no kernel')\ndef test_it(it) -> None: ...",
    "module": "import pytest\npytest.importorskip('nothing_of_this_name', reason='no kernel')",
}


def test_missing_requirements_are_named(monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config) -> None:
    plugins = pytestconfig.pluginmanager.get_plugins()
    conftest = next(one for one in plugins if getattr(one, "__file__", "") == str(HERE / "conftest.py"))
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CHROMIUM", raising=False)
    missing = conftest.missing_requirements()
    assert {"Node (apt-get install nodejs)", "Chromium (apt-get install chromium-headless-shell)"} <= {*missing}
    monkeypatch.setenv("CHROMIUM", "/bin/true")
    assert not any("Chromium" in name for name in conftest.missing_requirements())


def test_skipped_tests_fail_in_ci_only(tmp_path: Path) -> None:
    shutil.copy(HERE / "conftest.py", tmp_path)
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
