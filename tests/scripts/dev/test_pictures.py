"""The pictures of the README: light and dark, small, and drawn by a program."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from minesweeper.scripts.dev.draw_pictures import NAMES
from minesweeper.scripts.dev.page import find_chromium

ROOT = Path(__file__).parents[3]
PNG = b"\x89PNG\r\n\x1a\n"


def test_the_documentation_shows_every_picture_in_light_and_dark() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
    shown = set(re.findall(r'(?:src|srcset)="(?:docs/|\.\./)?pictures/([^"]+)"', text))
    assert sorted(shown) == sorted(f"{name}-{theme}.png" for name in NAMES for theme in ("light", "dark"))
    for name in shown:
        data = (ROOT / "docs" / "pictures" / name).read_bytes()
        assert data.startswith(PNG)
        assert len(data) < 60_000


def test_a_picture_is_drawn_from_the_running_program(tmp_path: Path) -> None:
    if find_chromium() is None:
        pytest.skip("Chromium is missing: apt-get install chromium-headless-shell, or set the variable CHROMIUM")
    arguments = ["watch", "--theme", "light", "--into", str(tmp_path)]
    # In a process of its own: another test's browser may be open in this one.
    command = [sys.executable, str(ROOT / "scripts/dev/draw_pictures.py"), *arguments]
    assert subprocess.check_output(command, text=True).strip() == str(tmp_path / "watch-light.png")
    assert (tmp_path / "watch-light.png").read_bytes().startswith(PNG)
