"""All the formats, and how a file tells which it is in: by its name, or by its content."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from minesweeper.db.formats import board_text, comma, jsonl, mbf, mine, parquet, printable, ptt, sgt, sqlite, svg
from minesweeper.db.formats.format import Format, FormatError

JSON_LINES: Final = Format(
    "jsonl", "JSON lines", (".jsonl", ".ndjson"), jsonl.write, jsonl.read, looks_like=jsonl.looks_like
)
FORMATS: Final = (
    JSON_LINES,
    Format("csv", "CSV", (".csv",), comma.write, comma.read, looks_like=comma.looks_like),
    Format(
        "db",
        "SQLite",
        (".db", ".sqlite"),
        None,
        None,
        sqlite.write_file,
        sqlite.read_file,
        looks_like=sqlite.looks_like,
    ),
    Format(
        "parquet",
        "Parquet",
        (".parquet",),
        None,
        None,
        parquet.write_file,
        parquet.read_file,
        looks_like=parquet.looks_like,
    ),
    Format("mbf", "MBF and ABF boards", (".mbf", ".abf"), mbf.write, mbf.read, single=True, looks_like=mbf.looks_like),
    Format("sgt", "Simon Tatham's game IDs", (".sgt",), sgt.write, sgt.read, looks_like=sgt.looks_like),
    Format("mine", "JSMinesweeper text", (".mine",), mine.write, mine.read, single=True, looks_like=mine.looks_like),
    Format("ptt", "PTT board URLs", (".ptt",), ptt.write, ptt.read, looks_like=ptt.looks_like),
    Format(
        "board",
        "MINESWEEPER-BOARD text",
        (".board",),
        board_text.write,
        board_text.read,
        single=True,
        looks_like=board_text.looks_like,
    ),
    Format(
        "html",
        "a page to print",
        (".html", ".htm"),
        printable.write,
        None,
        looks_like=printable.looks_like,
    ),
    Format(
        "svg",
        "a drawing",
        (".svg",),
        svg.write,
        None,
        single=True,
        looks_like=svg.looks_like,
    ),
)


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
    raise FormatError(f"expected a format, {', '.join(known.name for known in FORMATS)}: {name!r}")


def format_recognised(head: bytes) -> Format | None:
    """Return the format that the first bytes of a file, or all of a short one, look like; None if there is none."""
    return next((known for known in FORMATS if known.looks_like(head)), None)
