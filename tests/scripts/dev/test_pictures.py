"""The pictures of the documentation: light and dark, small, and drawn by a program."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from minesweeper.scripts.dev.draw_pictures import NAMES
from minesweeper.scripts.dev.page import find_chromium

ROOT = Path(__file__).parents[3]
PNG = b"\x89PNG\r\n\x1a\n"


def test_the_documentation_shows_every_picture_in_light_and_dark() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
    shown = re.findall(r'(?:src|srcset)="(?:docs/|\.\./)?pictures/([^"]+)"', text)
    drawn = {name.replace(".", f"-{theme}.") for name in NAMES for theme in ("light", "dark")}
    assert set(shown) == drawn
    folder = ROOT / "docs" / "pictures"
    assert {path.name for path in folder.iterdir()} == drawn
    for name in drawn:
        assert (folder / name).stat().st_size < (60_000 if name.endswith(".png") else 300_000)


def test_the_tour_moves_and_leaves_time_to_read() -> None:
    for theme in ("light", "dark"):
        with Image.open(ROOT / "docs" / "pictures" / f"tour-{theme}.webp") as tour:
            milliseconds = []
            for frame in range(tour.n_frames):
                tour.seek(frame)
                tour.load()
                milliseconds.append(tour.info["duration"])
        assert tour.width == 1000
        assert len(milliseconds) > 10
        assert 20_000 < sum(milliseconds) < 40_000


@pytest.mark.faults
def test_a_picture_is_drawn_from_the_running_program(tmp_path: Path) -> None:
    if find_chromium() is None:
        pytest.skip("Chromium is missing: apt-get install chromium-headless-shell, or set the variable CHROMIUM")
    arguments = ["watch.png", "--theme", "light", "--into", str(tmp_path)]
    # In a process of its own: another test's browser may be open in this one.
    command = [sys.executable, str(ROOT / "scripts/dev/draw_pictures.py"), *arguments]
    assert subprocess.check_output(command, text=True).strip() == str(tmp_path / "watch-light.png")
    assert (tmp_path / "watch-light.png").read_bytes().startswith(PNG)
