"""Pieces of the pages that scripts write, as lines of Markdown with an empty line at the end."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence


def paragraph(text: str) -> list[str]:
    """Break a text into lines of at most 120 characters."""
    return [*textwrap.wrap(text, 120, break_on_hyphens=False), ""]


def picture(name: str, words: str) -> list[str]:
    """Show ``name-light.png`` or ``name-dark.png``, whichever suits the reader; `words` describe it."""
    return [
        "<picture>",
        f'  <source media="(prefers-color-scheme: dark)" srcset="{name}-dark.png">',
        f'  <img alt="{words}" src="{name}-light.png">',
        "</picture>",
        "",
    ]


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Lay out rows of cells."""
    lines = [head, ["---"] * len(head), *rows]
    return [*(f"| {' | '.join(map(str, cells))} |" for cells in lines), ""]
