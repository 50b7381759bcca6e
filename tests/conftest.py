"""Settings, hooks and fixtures of all tests."""

import gc
import multiprocessing
import os
import shutil
import signal
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

# Before NumPy is imported: the tests use all cores, and threads that wait for each other in a loop take CPU time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import settings

import minesweeper.scripts
from minesweeper.player import kernel_api
from minesweeper.player.parallel.workers import available_workers

_HAS_TOOLS = find_spec("minesweeper.scripts.dev") is not None
# A wheel leaves the development tools out. Tests import those of this checkout.
minesweeper.scripts.__path__.append(str(Path(__file__).parents[1] / "scripts"))

# pytest-xdist runs tests beside a thread of its own, so workers start from a server, see `start_method`.
multiprocessing.set_forkserver_preload(["minesweeper.scripts.commands.generate", "minesweeper.generator.pipeline"])

# A background job of a shell ignores Ctrl-C, and commands started by tests would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No test depends on speed.
settings.register_profile("untimed", deadline=None)
settings.register_profile("patient", deadline=None, max_examples=400)
settings.register_profile("thorough", deadline=None, max_examples=40_000)
settings.load_profile("untimed")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """For `-n auto`, use one worker more than cores, because tests of the page and of commands mostly wait."""
    return None if os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS") else available_workers() + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests marked `kernel` without a kernel, and those that start development tools from a wheel."""
    files = ("/scripts/dev/test_", "/scripts/test_extras", "/scripts/test_collection")
    for item in items:
        if not _HAS_TOOLS and any(file in item.path.as_posix() for file in files):
            item.add_marker(pytest.mark.skip(reason="a wheel has no development tools: pip install -e '.[test]'"))
        if item.get_closest_marker("kernel") and not kernel_api.available():
            item.add_marker(pytest.mark.skip(reason="the kernel was not built"))


def pytest_collection_finish() -> None:
    """Leave imported modules and collected tests out of all later garbage collections."""
    gc.freeze()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a random test that takes a `share` over half of its cases, and over all of them under `long`."""
    if "share" in metafunc.fixturenames:
        metafunc.parametrize("share", [0.5, pytest.param(1, marks=pytest.mark.long)], ids=["half", "all"])


JNA = Path("/usr/share/java/jna.jar")
NOT_ALLOWED = "expected to be allowed"


def _fail_if_skipped(report: Any) -> Any:
    """Make a skipped test fail in CI, which installs all requirements of tests.

    Missing rights on the machine are no requirement: a reason that begins with `NOT_ALLOWED` skips the test.
    """
    if os.environ.get("CI") and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        if str(reason).removeprefix("Skipped: ").startswith(NOT_ALLOWED):
            return report
        report.outcome, report.longrepr = "failed", f"no test may be skipped in CI: {reason}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Iterator[Any]:
    return _fail_if_skipped((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Iterator[Any]:
    return _fail_if_skipped((yield))


@pytest.fixture(params=["sat", pytest.param("native", marks=pytest.mark.kernel)])
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder, for the default database."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MINESWEEPER_DB", raising=False)
    return tmp_path


def missing_requirements() -> list[str]:
    """Return the programs that tests need and this machine lacks, each with the way to get it."""
    from minesweeper.scripts.dev.page import find_chromium

    found = {
        "the kernel (install with a C++17 compiler)": kernel_api.available(),
        "Chromium (apt-get install chromium-headless-shell)": find_chromium(),
        "Node (apt-get install nodejs)": shutil.which("node"),
        "sgt-mines (apt-get install sgt-puzzles)": shutil.which("sgt-mines", path=f"{os.environ['PATH']}:/usr/games"),
        "Xvfb (apt-get install xvfb)": shutil.which("Xvfb"),
        "Rust (apt-get install rustc)": shutil.which("rustc"),
        "Java with JNA (apt-get install default-jdk-headless libjna-java)": shutil.which("javac") and JNA.exists(),
    }
    return [name for name, program in found.items() if not program]


def pytest_sessionstart(session: pytest.Session) -> None:
    """Print which tests will be skipped, in one line. A worker of pytest-xdist has no reporter."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and (missing := missing_requirements()):
        reporter.write_line(f"skipping the tests that need {', '.join(missing)}")


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print the option that repeats the order of the tests."""
    if config.pluginmanager.hasplugin("randomly"):
        terminalreporter.write_line(f"order of the tests: --randomly-seed={config.getoption('randomly_seed')}")
