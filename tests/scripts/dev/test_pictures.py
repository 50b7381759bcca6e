"""The README's pictures: there, small, light and dark, and drawn by a command."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from minesweeper.scripts.dev.chromium import find_chromium
from minesweeper.scripts.dev.draw_pictures import NAMES

ROOT = Path(__file__).parents[3]
PNG = b"\x89PNG\r\n\x1a\n"


def test_the_readme_shows_every_picture_light_and_dark() -> None:
    shown = re.findall(r'(?:src|srcset)="(docs/pictures/[^"]+)"', (ROOT / "README.md").read_text())
    assert sorted(shown) == sorted(f"docs/pictures/{name}-{theme}.png" for name in NAMES for theme in ("light", "dark"))
    for path in shown:
        data = (ROOT / path).read_bytes()
        assert data.startswith(PNG)
        assert len(data) < 60_000


def test_a_picture_is_drawn_from_the_running_program(tmp_path: Path) -> None:
    if find_chromium() is None:
        pytest.skip("expected Chromium: apt-get install chromium-headless-shell, or its path in the variable CHROMIUM")
    arguments = ["watch", "--theme", "light", "--into", str(tmp_path)]
    # In a process of its own: another test's browser may be open in this one.
    command = [sys.executable, str(ROOT / "scripts/dev/draw_pictures.py"), *arguments]
    assert subprocess.check_output(command, text=True).strip() == str(tmp_path / "watch-light.png")
    assert (tmp_path / "watch-light.png").read_bytes().startswith(PNG)
