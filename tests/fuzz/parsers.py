"""Parsers of the toolkit as functions of bytes, for fuzzing."""

import io
import json
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from pyarrow import parquet as tables
from sample_records import sampled

from minesweeper import Board, Grid, View, read_position
from minesweeper.db import formats
from minesweeper.db.formats import parquet
from minesweeper.db.formats.registry import FORMATS, Format
from minesweeper.player.core.errors import FormatError
from minesweeper.player.core.recipe import parse_click
from minesweeper.player.gems.text import read_puzzle
from minesweeper.scripts.console.arguments import parse_cell, parse_opened
from minesweeper.scripts.console.settings import read_config, read_settings

CORPUS: Final = Path(__file__).parent / "corpus"
_MAX_PUZZLES: Final = 50


def _pack(pack: Format, data: bytes) -> None:
    """Read puzzles of a pack, continuing after invalid ones."""
    with pack.reading(io.BytesIO(data), limited=True) as reader:
        for _ in range(_MAX_PUZZLES):
            try:
                next(reader)
            except FormatError:
                pass
            except StopIteration:
                return


def _file(read: Callable[[Path], object], name: str, data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        read(path)


def _texts(data: bytes) -> None:
    """Parse boards, views, sizes and cells."""
    text = data.decode(errors="replace")
    for read in (Board.from_text, View.from_text, Grid.named, parse_cell, parse_opened, _click):
        try:
            read(text)
        except ValueError as error:
            check_error(error)


def _click(text: str) -> object:
    return parse_click(text, Grid(9, 9))


PARSERS: Final[dict[str, Callable[[bytes], object]]] = {
    **{pack.name: partial(_pack, pack) for pack in FORMATS if pack.readable},
    "position": read_position,
    "gems": lambda data: read_puzzle(io.BytesIO(data)),
    "manifest": partial(_file, lambda path: parquet.read_manifest(path.parent), parquet.MANIFEST),
    "config": partial(_file, lambda path: read_config(path, {"min_3bv", "count"}), "config.yaml"),
    "settings": partial(_file, read_settings, "settings.yaml"),
    "texts": _texts,
}


def corpus(name: str, folder: Path) -> list[bytes]:
    """Return the inputs of a parser. The database is generated, because the smallest takes 90 KB."""
    if name != "db":
        return [path.read_bytes() for path in sorted(CORPUS.glob(f"{name}.*"))]
    formats.save([sampled(0), sampled(1)], folder / "pack.db")
    return [(folder / "pack.db").read_bytes()]


NAMED: Final = ("jsonl", "csv", "parquet", "path")
"""Formats with names of columns or keys."""


def lacking(name: str, folder: Path) -> Iterator[bytes]:
    """Yield a pack without each column or key in turn."""
    file = folder / f"pack.{name}"
    formats.save([sampled(0), sampled(1)], file)
    if name == "parquet":
        table = tables.read_table(file)
        for column in table.column_names:
            tables.write_table(table.drop_columns([column]), file)
            yield file.read_bytes()
    elif name == "csv":
        rows = [line.split(",") for line in file.read_text().splitlines()]
        for place in range(len(rows[0])):
            yield "".join(f"{','.join(row[:place] + row[place + 1 :])}\n" for row in rows).encode()
    else:
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        for key in lines[0]:
            yield "".join(f"{json.dumps({k: v for k, v in line.items() if k != key})}\n" for line in lines).encode()


def check_error(error: ValueError) -> None:
    """Accept an error of the toolkit; raise any other again."""
    if not type(error).__module__.startswith("minesweeper."):
        raise error


def parse(name: str, data: bytes) -> None:
    """Parse bytes; the only exceptions allowed are errors of the toolkit."""
    try:
        PARSERS[name](data)
    except ValueError as error:
        check_error(error)
