"""The soak distinguishes growing memory from flat memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from minesweeper.scripts.dev.page import find_chromium
from minesweeper.scripts.dev.soak import Soak, verdict

_SOAK = Path(__file__).parents[3] / "scripts" / "dev" / "soak.py"
_BOUND = 2.0


def _soak(bytes_each: float, samples: int = 200, total: int = 1_000_000) -> Soak:
    """A million pieces of work by a worker that grows at first, fluctuates, and keeps some bytes of each piece."""
    soak = Soak("puzzles", total)
    for sample in range(samples):
        done = sample * total // (samples - 1)
        size = 60 + 20 * min(1.0, 4 * done / total) + (sample % 3) + done * bytes_each / 2**20
        soak.add(done, {"parent": 50.0, "worker 1": size})
    soak.add(total, {"parent": 40.0})  # The worker has ended.
    return soak


@pytest.mark.parametrize(("bytes_each", "flat"), [(0, True), (1, True), (10, False), (400, False)])
def test_growing_memory_is_not_flat(bytes_each: float, flat: bool, capsys: pytest.CaptureFixture[str]) -> None:
    assert verdict(_soak(bytes_each), _BOUND) is flat
    line = capsys.readouterr().out.splitlines()[-1]
    assert line.startswith(
        f"puzzles: memory is {'flat' if flat else 'NOT flat'} over the last third: parent 50.0 to 50.0"
    )


def test_few_samples_are_no_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    assert not verdict(_soak(0, samples=15), _BOUND)
    assert capsys.readouterr().out.endswith("puzzles: too few samples\n")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the memory of processes in /proc")
def test_a_short_soak_watches_every_process() -> None:
    words = ["--puzzles", "300", "--games", "0", "--pages", "0", "--board", "intermediate", "--bound", "1000"]
    result = subprocess.run([sys.executable, str(_SOAK), *words], capture_output=True, text=True, check=False)
    lines = result.stdout.splitlines()
    assert "puzzles after" in lines[0], result.stderr
    assert lines[-1].startswith("puzzles: ")
    assert result.returncode == (0 if "flat" in lines[-1] else 1)


@pytest.mark.long
@pytest.mark.skipif(find_chromium() is None, reason="Chromium is missing: apt-get install chromium-headless-shell")
def test_a_short_soak_plays_on_the_page() -> None:
    words = ["--puzzles", "0", "--games", "0", "--pages", "6"]
    result = subprocess.run([sys.executable, str(_SOAK), *words], capture_output=True, text=True, timeout=300)
    assert result.stdout.splitlines()[-1] == "pages: too few samples", result.stderr
    assert "6 pages after" in result.stdout
