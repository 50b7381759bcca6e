"""Limits that C++, JavaScript and Python all need are equal in each."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from minesweeper.player.core.grid import MAX_SIDE
from minesweeper.scripts.web.settings import MAX_PAGE_SEED, MAX_PAGE_SIDE

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("path", "definition", "limit"),
    [
        ("player/kernel/base/grid.hpp", r"kMaxSide = (\d+);", MAX_SIDE),
        ("scripts/web/static/kernel/grids.js", r"const MAX_SIDE = (\d+);", MAX_SIDE),
        ("db/schema.sql", r"(?:rows|cols) BETWEEN 1 AND (\d+)", MAX_SIDE),
        ("scripts/web/static/js/core/sizes.js", r"const MAX_PAGE_SIDE = (\d+);", MAX_PAGE_SIDE),
    ],
)
def test_a_limit_is_the_same_in_every_language(path: str, definition: str, limit: int) -> None:
    found = re.findall(definition, (ROOT / path).read_text(encoding="utf-8"))
    assert set(map(int, found)) == {limit}


def test_seeds_of_the_page_are_whole_numbers_of_javascript() -> None:
    assert MAX_PAGE_SEED == 2**53 - 1
