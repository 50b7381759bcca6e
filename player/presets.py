"""Sizes that have a name, with their number of mines."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple


class Preset(NamedTuple):
    """A size with its number of mines."""

    rows: int
    cols: int
    mines: int


_STANDARD: Final = MappingProxyType(
    {
        "beginner": Preset(9, 9, 10),
        "intermediate": Preset(16, 16, 40),
        "expert": Preset(16, 30, 99),
        "super-expert": Preset(30, 50, 300),
    }
)


def standard_presets() -> Mapping[str, Preset]:
    """The presets that every program knows; settings in a file may add others."""
    return _STANDARD
