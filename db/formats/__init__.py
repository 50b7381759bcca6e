"""Puzzle packs: files that carry puzzles from one program to another. The file's extension tells its format."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from db.formats import jsonl
from db.formats.format import Format, FormatError
from db.records import PuzzleRecord

__all__ = ["FORMATS", "JSON_LINES", "Format", "FormatError", "format_of", "save"]

JSON_LINES: Final = Format("JSON lines", (".jsonl", ".ndjson"), jsonl.write, jsonl.read)
FORMATS: Final = (JSON_LINES,)


def format_of(path: str | Path) -> Format:
    """Return the format that a file's extension stands for; raises `FormatError` if it stands for none."""
    extension = Path(path).suffix.lower()
    for known in FORMATS:
        if extension in known.extensions:
            return known
    extensions = [extension for known in FORMATS for extension in known.extensions]
    raise FormatError(f"expected a file name ending in {' or '.join(extensions)}: {str(path)!r}")


def save(records: Iterable[PuzzleRecord], path: str | Path) -> int:
    """Write puzzles to a file in the format of its extension, and return how many they are.

    The file appears, or replaces an older one, once it is complete; if anything is raised, nothing has changed.
    Raises `FormatError` for an unknown extension and `OSError` for a place that can't be written to.
    """
    pack = format_of(path)
    # A link stays a link: what it points to is replaced.
    target = Path(path).resolve()
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "expected a file, found a folder", str(path))
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        return _write_whole(records, pack, part, target)
    except OSError as error:
        # The user knows nothing of the file's other name.
        raise OSError(error.errno, error.strerror, str(path)) from error


def _write_whole(records: Iterable[PuzzleRecord], pack: Format, part: Path, target: Path) -> int:
    """Write to `part`, and give it the name `target` once it is complete."""
    try:
        with part.open("xb") as stream:
            count = pack.write(records, stream)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return count
