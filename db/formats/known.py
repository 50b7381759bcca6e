"""All the formats, and how a file tells which it is in: by its name, or by its content."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any, Final

from minesweeper.db.formats import board_text, comma, jsonl, mbf, mine, parquet, printable, ptt, sgt, sqlite, svg
from minesweeper.db.formats.format import Format, FormatError
from minesweeper.player.words import did_you_mean

_FUNCTIONS: Final = ("write", "read", "write_file", "read_file", "looks_like")


def _format(module: ModuleType, name: str, title: str, extensions: tuple[str, ...], *, single: bool = False) -> Format:
    """Make a format of those of the `_FUNCTIONS` that its module has."""
    found: dict[str, Any] = {one: getattr(module, one) for one in _FUNCTIONS if hasattr(module, one)}
    return Format(name, title, extensions, single=single, **found)


JSON_LINES: Final = _format(jsonl, "jsonl", "JSON lines", (".jsonl", ".ndjson"))
FORMATS: Final = (
    JSON_LINES,
    _format(comma, "csv", "CSV", (".csv",)),
    _format(sqlite, "db", "SQLite", (".db", ".sqlite")),
    _format(parquet, "parquet", "Parquet", (".parquet",)),
    _format(mbf, "mbf", "MBF and ABF boards", (".mbf", ".abf"), single=True),
    _format(sgt, "sgt", "Simon Tatham's game IDs", (".sgt",)),
    _format(mine, "mine", "JSMinesweeper text", (".mine",), single=True),
    _format(ptt, "ptt", "PTT board URLs", (".ptt",)),
    _format(board_text, "board", "MINESWEEPER-BOARD text", (".board",), single=True),
    _format(printable, "html", "a page to print", (".html", ".htm")),
    _format(svg, "svg", "a drawing", (".svg",), single=True),
)
RECORDED: Final = (".avf", ".evf", ".mvf", ".rmv")
"""The endings of games that other programs recorded, which `db.formats.positions` reads."""


def format_of(path: str | Path) -> Format:
    """Return the format that a file's extension stands for; raises `FormatError` if it stands for none."""
    known = format_by_extension(path)
    if known is not None:
        return known
    extensions = [extension for known in FORMATS for extension in known.extensions]
    raise FormatError(f"expected a file name ending in {', '.join(extensions)}; or name the format: {str(path)!r}")


def format_by_extension(path: str | Path) -> Format | None:
    """Return the format that a file's extension stands for; None if it stands for none."""
    extension = Path(path).suffix.lower()
    return next((known for known in FORMATS if extension in known.extensions), None)


def format_named(name: str) -> Format:
    """Return a format by its name; raises `FormatError` for an unknown one."""
    for known in FORMATS:
        if known.name == name:
            return known
    known_names = [known.name for known in FORMATS]
    raise FormatError(f"unknown format {name!r}{did_you_mean(name, known_names)}; formats: {', '.join(known_names)}")


def format_recognised(head: bytes) -> Format | None:
    """Return the format that the first bytes of a file, or all of a short one, look like; None if there is none."""
    return next((known for known in FORMATS if known.looks_like(head)), None)
