"""All formats of puzzles, by name, file extension or content."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, Final

from minesweeper.db.formats.format import Readable, Reader, check_rectangle, first_line, only_one
from minesweeper.db.formats.limited import Row, rows_of
from minesweeper.db.records import PuzzleRecord
from minesweeper.db.tables import Table, tables_of
from minesweeper.player.core.errors import FormatError, did_you_mean

Writable = Iterable[PuzzleRecord] | Iterable[Table]
"""Puzzles to write, as tables only in a format that writes tables."""
RECORDED: Final = (".avf", ".evf", ".mvf", ".rmv")
"""Extensions of recorded games, which `db.formats.positions` reads."""


@dataclass(frozen=True)
class Format:
    """A file format of puzzles, in a module of its own that is loaded on first use.

    The module has a function `write(records, stream)` that returns the number of puzzles, and `read(stream)` that
    returns a `Reader` unless the format is only written; both keep few puzzles in memory. A `tabular` format writes
    puzzles as tables, see `db.tables`, in place of records. A file is recognised by the
    bytes with which it `begins`, or by the function `looks_like` of the module, which need not be right about data in
    no format. A format `in_file` needs a file instead of a stream: its module has `write_file(records, path)`, and to
    read, `batches(path)` for `db.formats.limited`. A `single` format has one puzzle in a file, and a
    `foreign` one, of other programs, rectangles only. `options` are the names of
    options of its writing function, and `given` those that are set.
    """

    name: str
    title: str
    extensions: tuple[str, ...]
    module: str
    readable: bool = True
    in_file: bool = False
    single: bool = False
    tabular: bool = False
    foreign: bool = False
    options: tuple[str, ...] = ()
    begins: bytes = b""
    given: Mapping[str, Any] = field(default_factory=dict)

    def with_options(self, **given: Any) -> Format:
        """Return the format with options for writing. Raise `FormatError` for one that it does not have."""
        for name in given:
            if name not in self.options:
                able = " or ".join(known.name for known in FORMATS if name in known.options)
                raise FormatError(f"the format {self.name} has no --{name.replace('_', '-')}; expected {able}")
        return replace(self, given=given)

    def write(self, records: Writable, stream: BinaryIO) -> int:
        """Write puzzles to a stream, and return their number."""
        if not self.in_file:
            return self._write("write", records, stream)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "pack"
            count = self.write_file(records, path)
            with path.open("rb") as copy:
                shutil.copyfileobj(copy, stream)
        return count

    def write_file(self, records: Writable, path: Path) -> int:
        """Write puzzles to a file in a format that needs one, and return their number."""
        return self._write("write_file", records, path)

    def _write(self, function: str, records: Any, target: object) -> int:
        records = only_one(records, self.name) if self.single else records
        if self.foreign:
            records = map(self._checked, records)
        found = tables_of(records) if self.tabular else records
        count: int = getattr(self._module, function)(found, target, **self.given)
        return count

    def _checked(self, record: PuzzleRecord) -> PuzzleRecord:
        check_rectangle(record.puzzle.board, self.title)
        return record

    @contextmanager
    def reading(self, stream: BinaryIO, *, limited: bool = False) -> Iterator[Iterator[Readable]]:
        """Read the puzzles of a stream, copied to a temporary file if the format needs one."""
        if not self.in_file:
            yield self._module.read(stream)
            return
        with tempfile.NamedTemporaryFile(suffix=self.extensions[0]) as copy:
            shutil.copyfileobj(stream, copy)
            copy.flush()
            with self.read_file(Path(copy.name), limited=limited) as reader:
                yield reader

    @contextmanager
    def read_file(self, path: Path, *, limited: bool = False) -> Iterator[Reader[Row]]:
        """Read the puzzles of a file in a format that needs one; `limited`, in a process with limits."""
        from minesweeper.db.formats.rows import TABULAR, parse_values

        # An error keeps the rows alive, and the collector would close their database in any thread.
        with closing(rows_of(self._module.batches, path, limited=limited)) as rows:
            yield Reader(rows, parse_values, TABULAR)

    def looks_like(self, head: bytes) -> bool:
        """Return True if the format recognises the first bytes of a file."""
        if self.begins:
            return (head if self.in_file else first_line(head)).startswith(self.begins)
        return hasattr(self._module, "looks_like") and self._module.looks_like(head)

    @property
    def _module(self) -> Any:
        return import_module(f"minesweeper.db.formats.{self.module}")


BOOK_OPTIONS: Final = (
    *("steps", "clues", "paper", "per_page", "title", "introduction", "first_number", "language", "sections"),
)
JSON_LINES: Final = Format(
    *("jsonl", "JSON lines", (".jsonl", ".ndjson"), "jsonl"), tabular=True, options=("clues", "columns"), begins=b"{"
)
PAPER_TEXT: Final = Format(
    *("text", "paper forms", (".txt",), "paper_text"), readable=False, single=True, options=("clues",)
)
PICTURE: Final = Format(
    *("png", "a picture", (".png",), "png"), readable=False, in_file=True, single=True, options=("clues",)
)
FORMATS: Final = (
    JSON_LINES,
    Format("json", "JSON", (".json",), "json_array", tabular=True, options=("clues", "columns"), begins=b"["),
    Format("csv", "CSV", (".csv",), "comma", tabular=True, options=("columns",)),
    Format("db", "SQLite", (".db", ".sqlite"), "sqlite", in_file=True, tabular=True, begins=b"SQLite format 3\0"),
    Format(
        *("parquet", "Parquet", (".parquet",), "parquet"),
        in_file=True,
        tabular=True,
        options=("steps", "columns"),
        begins=b"PAR1",
    ),
    Format("mbf", "MBF and ABF boards", (".mbf", ".abf"), "mbf", single=True, foreign=True),
    Format("sgt", "Simon Tatham's game IDs", (".sgt",), "sgt", foreign=True),
    Format("mine", "JSMinesweeper text", (".mine",), "mine", single=True, foreign=True),
    Format("ptt", "PTT board URLs", (".ptt",), "ptt", foreign=True),
    Format("board", "MINESWEEPER-BOARD text", (".board",), "board_text", single=True, foreign=True),
    Format("html", "a book to print", (".html", ".htm"), "printable", readable=False, options=BOOK_OPTIONS),
    Format("pdf", "a printed book", (".pdf",), "pdf", readable=False, in_file=True, options=BOOK_OPTIONS),
    PAPER_TEXT,
    Format("link", "links to puzz.link", (".link",), "link", readable=False, foreign=True, options=("clues",)),
    Format("path", "solution paths", (".path",), "solution"),
    Format("svg", "a drawing", (".svg",), "svg", readable=False, single=True, options=("clues",), begins=b"<svg"),
    PICTURE,
)


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
