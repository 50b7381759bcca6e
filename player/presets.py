"""Sizes that have a name, with their number of mines."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from minesweeper.player.words import parse_size


class Preset(NamedTuple):
    """A size with its number of mines."""

    rows: int
    cols: int
    mines: int


def standard_presets() -> Mapping[str, Preset]:
    """Read the presets that come with the toolkit."""
    import yaml

    text = Path(__file__).with_name("presets.yaml").read_text(encoding="utf-8")
    boards = yaml.safe_load(text)["presets"]
    return {name: Preset(*parse_size(board["size"]), board["mines"]) for name, board in boards.items()}
