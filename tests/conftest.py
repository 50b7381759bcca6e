"""What holds for all tests."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from minesweeper.player.workers import available_workers

# A shell lets what it starts in the background ignore Ctrl-C, and so would every command that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No test depends on speed.
settings.register_profile("untimed", deadline=None)
settings.register_profile("patient", deadline=None, max_examples=400)
settings.register_profile("thorough", deadline=None, max_examples=40_000)
settings.load_profile("untimed")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """With `-n auto` begin one worker more than there are cores: a test of a page or a command mostly waits for it."""
    return None if os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS") else available_workers() + 1


NOT_ALLOWED = "expected to be allowed"


def _fail_if_skipped(report: Any) -> Any:
    """In CI everything that a test may need is there, so what is skipped was meant to run: make it a failure.

    Rights that the machine does not give can't be installed: a skip that begins with `NOT_ALLOWED` remains one.
    """
    if os.environ.get("CI") and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        if str(reason).removeprefix("Skipped: ").startswith(NOT_ALLOWED):
            return report
        report.outcome, report.longrepr = "failed", f"nothing may be skipped in CI. {reason}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Iterator[Any]:
    return _fail_if_skipped((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Iterator[Any]:
    return _fail_if_skipped((yield))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder, in which the default database is looked for."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MINESWEEPER_DB", raising=False)
    return tmp_path


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say how to run the tests in the same order again."""
    if config.pluginmanager.hasplugin("randomly"):
        terminalreporter.write_line(f"order of the tests: --randomly-seed={config.getoption('randomly_seed')}")
