"""The script that loads a server."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

LOAD = Path(__file__).parents[3] / "scripts/load.py"


def test_players_play_without_an_error_and_are_measured() -> None:
    options = ["--players", "3", "--seconds", "1", "--think", "0", "--preset", "beginner", "--runs", "2"]
    result = subprocess.run([sys.executable, str(LOAD), *options], capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("errors: 0\n") == 2
    clicks = re.findall(r"(?m)^click +(\d+)", result.stdout)
    assert len(clicks) == 2
    assert min(map(int, clicks)) > 20
