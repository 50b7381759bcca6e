"""All formats, by name, file extension or content."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any, Final

from minesweeper.db.formats import (
    board_text,
    comma,
    jsonl,
    mbf,
    mine,
    parquet,
    printable,
    ptt,
    sgt,
    solution,
    sqlite,
    svg,
)
from minesweeper.db.formats.format import Format
from minesweeper.player.errors import FormatError, did_you_mean

_FUNCTIONS: Final = ("write", "read", "write_file", "read_file", "looks_like")


def _format(module: ModuleType, name: str, title: str, extensions: tuple[str, ...], **options: Any) -> Format:
    """Build a format from those of `_FUNCTIONS` that its module has."""
    functions: dict[str, Any] = {one: getattr(module, one) for one in _FUNCTIONS if hasattr(module, one)}
    return Format(name, title, extensions, **options, **functions)


JSON_LINES: Final = _format(jsonl, "jsonl", "JSON lines", (".jsonl", ".ndjson"))
FORMATS: Final = (
    JSON_LINES,
    _format(comma, "csv", "CSV", (".csv",)),
    _format(sqlite, "db", "SQLite", (".db", ".sqlite")),
    _format(parquet, "parquet", "Parquet", (".parquet",), has_steps=True),
    _format(mbf, "mbf", "MBF and ABF boards", (".mbf", ".abf"), single=True),
    _format(sgt, "sgt", "Simon Tatham's game IDs", (".sgt",)),
    _format(mine, "mine", "JSMinesweeper text", (".mine",), single=True),
    _format(ptt, "ptt", "PTT board URLs", (".ptt",)),
    _format(board_text, "board", "MINESWEEPER-BOARD text", (".board",), single=True),
    _format(printable, "html", "a page to print", (".html", ".htm"), has_steps=True),
    _format(solution, "path", "solution paths", (".path",)),
    _format(svg, "svg", "a drawing", (".svg",), single=True),
)
RECORDED: Final = (".avf", ".evf", ".mvf", ".rmv")
"""Extensions of recorded games, which `db.formats.positions` reads."""


def format_of(path: str | Path) -> Format:
    """Return the format of a file extension. Raise `FormatError` for an unknown one."""
    known = format_by_extension(path)
    if known is not None:
        return known
    extensions = [extension for known in FORMATS for extension in known.extensions]
    suggestion = did_you_mean(Path(path).suffix, extensions)
    raise FormatError(
        f"unknown file extension in {str(path)!r}{suggestion}; expected {', '.join(extensions)}, or name the format"
    )


def format_by_extension(path: str | Path) -> Format | None:
    """Return the format of a file extension, or None for an unknown one."""
    extension = Path(path).suffix.lower()
    return next((known for known in FORMATS if extension in known.extensions), None)


def format_named(name: str) -> Format:
    """Return a format by its name. Raise `FormatError` for an unknown one."""
    formats = {known.name: known for known in FORMATS}
    if name not in formats:
        raise FormatError(f"unknown format {name!r}{did_you_mean(name, formats)}; formats: {', '.join(formats)}")
    return formats[name]


def format_recognised(head: bytes) -> Format | None:
    """Return the format that recognises the first bytes of a file, or None."""
    return next((known for known in FORMATS if known.looks_like(head)), None)
