"""Puzzle packs: files that carry puzzles from one program to another. The file's extension tells its format."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from minesweeper.db.formats import board_text, comma, jsonl, mbf, mine, parquet, printable, ptt, sgt, sqlite, svg
from minesweeper.db.formats.format import LONGEST, Format, FormatError, Found, echo, only_one
from minesweeper.db.records import PuzzleRecord
from minesweeper.player.board import View

__all__ = [
    "FORMATS",
    "JSON_LINES",
    "Format",
    "FormatError",
    "Found",
    "format_named",
    "format_of",
    "read_view",
    "reading",
    "save",
    "save_each",
]

JSON_LINES: Final = Format("jsonl", "JSON lines", (".jsonl", ".ndjson"), jsonl.write, jsonl.read)
FORMATS: Final = (
    JSON_LINES,
    Format("csv", "CSV", (".csv",), comma.write, comma.read),
    Format("db", "SQLite", (".db", ".sqlite"), None, None, sqlite.write_file, sqlite.read_file),
    Format("parquet", "Parquet", (".parquet",), None, None, parquet.write_file, parquet.read_file),
    Format("mbf", "MBF and ABF boards", (".mbf", ".abf"), mbf.write, mbf.read, single=True),
    Format("sgt", "Simon Tatham's game IDs", (".sgt",), sgt.write, sgt.read),
    Format("mine", "JSMinesweeper text", (".mine",), mine.write, mine.read, single=True),
    Format("ptt", "PTT board URLs", (".ptt",), ptt.write, ptt.read),
    Format("board", "MINESWEEPER-BOARD text", (".board",), board_text.write, board_text.read, single=True),
    Format("html", "a page to print", (".html", ".htm"), printable.write, None),
    Format("svg", "a drawing", (".svg",), svg.write, None, single=True),
)


def format_of(path: str | Path) -> Format:
    """Return the format that a file's extension stands for; raises `FormatError` if it stands for none."""
    extension = Path(path).suffix.lower()
    for known in FORMATS:
        if extension in known.extensions:
            return known
    extensions = [extension for known in FORMATS for extension in known.extensions]
    raise FormatError(f"expected a file name ending in {', '.join(extensions)}; or name the format: {str(path)!r}")


def format_named(name: str) -> Format:
    """Return a format by its name; raises `FormatError` for an unknown one."""
    for known in FORMATS:
        if known.name == name:
            return known
    raise FormatError(f"expected a format, {', '.join(known.name for known in FORMATS)}: {name!r}")


def read_view(text: str) -> View:
    """Read a view in any text form: JSMinesweeper's, MINESWEEPER-BOARD, or rows of ``#`` under ``ROWSxCOLS/MINES``.

    Raises `FormatError` or `BoardError` naming what is wrong.
    """
    if len(text) > LONGEST:
        raise FormatError(f"expected at most {LONGEST >> 20} million characters for a view: {echo(text)}")
    head = text.lstrip("\ufeff \t\r\n").partition("\n")[0].strip()
    if head.startswith(board_text.MARK):
        return board_text.view_from_text(text.lstrip("\ufeff \t\r\n"))
    if mine.HEAD.fullmatch(head):
        return mine.view_from_text(text.lstrip("\ufeff"))
    return View.from_text(text.lstrip("\ufeff"))


@contextmanager
def reading(path: str | Path, pack: Format | None = None, stdin: BinaryIO | None = None) -> Iterator[Iterator[Found]]:
    """Open a file, or a folder of Parquet parts, to find its puzzles and boards, one after the other.

    `stdin` is read instead where the path is "-".
    What it gives is a `db.formats.format.Reader`, which can go on after a `FormatError`. Raises `FormatError` for an
    unknown extension or a format that is only written, and `OSError` for a file that can't be read.
    """
    if (Path(path) / parquet.MANIFEST).is_file():
        yield parquet.read_folder(Path(path))
        return
    pack = pack or (JSON_LINES if str(path) == "-" else format_of(path))
    if pack.read is None and pack.read_file is None:
        raise FormatError(f"expected a format that can be read, {pack.name} can only be written: {str(path)!r}")
    if str(path) == "-" and stdin is not None:
        if pack.read is None:
            raise FormatError(f"expected a file for the format {pack.name}, not stdin")
        yield pack.read(stdin)
        return
    if Path(path).is_dir():
        raise IsADirectoryError(errno.EISDIR, "expected a file, found a folder", str(path))
    with Path(path).open("rb") as stream:
        if pack.read is not None:
            yield pack.read(stream)
        elif pack.read_file is not None:
            yield pack.read_file(Path(path))


def save(records: Iterable[PuzzleRecord], path: str | Path, pack: Format | None = None) -> int:
    """Write puzzles to a file in a format, that of its extension unless given, and return how many they are.

    The file appears, or replaces an older one, once it is complete; if anything is raised, nothing has changed.
    Raises `FormatError` for an unknown extension and `OSError` for a place that can't be written to.
    """
    pack = pack or format_of(path)
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


def save_each(records: Iterable[PuzzleRecord], folder: str | Path, pack: Format) -> int:
    """Write each puzzle to a file of its own in a folder that exists, named after its id, and return how many."""
    count = 0
    for record in records:
        count += save([record], Path(folder) / f"{record.id}{pack.extensions[0]}", pack)
    return count


def _write_whole(records: Iterable[PuzzleRecord], pack: Format, part: Path, target: Path) -> int:
    """Write to `part`, and give it the name `target` once it is complete."""
    try:
        if pack.single:
            records = only_one(records, pack.name)
        # Made here, so that a leftover of this name is never written over.
        with part.open("xb") as stream:
            if pack.write is not None:
                count = pack.write(records, stream)
            elif pack.write_file is not None:
                count = pack.write_file(records, part)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return count
