"""`autoplay --screen` on a machine without a screen."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from processes import one_line


@pytest.mark.parametrize(("changes", "text"), [({"DISPLAY": ""}, "DISPLAY"), ({"WAYLAND_DISPLAY": "w"}, "Wayland")])
def test_without_a_screen_one_line_says_so(changes: dict[str, str], text: str, tmp_path: Path) -> None:
    pytest.importorskip("mss")
    environment = os.environ | {"XDG_SESSION_TYPE": "", "WAYLAND_DISPLAY": ""} | changes
    command = [sys.executable, "-m", "minesweeper", "autoplay", "--screen", "--mines", "10"]
    ended = subprocess.run(
        [*command, "--db", str(tmp_path / "games.db")], env=environment, capture_output=True, text=True
    )
    assert ended.returncode == 2
    assert text in one_line(ended.stderr)
