"""Files of strangers, made to take time or memory, or to run expressions."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

import pyarrow as pa
from pyarrow import parquet
from sample_records import sampled

from minesweeper.db import formats
from minesweeper.db.file import APPLICATION_ID
from minesweeper.db.formats.rows import EXPORTED, row_of

SLOW: Final = "instr(zeroblob(7000000), x'01')"
"""An expression of SQL that reads 7 MB."""
ENDLESS: Final = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
CHANGES: Final = {
    "generated column": f"ALTER TABLE puzzles ADD COLUMN slow INTEGER AS ({SLOW})",
    "trigger": f"CREATE TRIGGER slow AFTER INSERT ON puzzles BEGIN SELECT ({SLOW}); END",
    "index": f"CREATE INDEX slow ON puzzles ({SLOW}, rows)",
    "virtual table": "CREATE VIRTUAL TABLE other USING fts5(x)",
    "view": f"DROP VIEW leaderboard; CREATE VIEW leaderboard AS {ENDLESS}",
    "missing table": "DROP TABLE games",
    "check": "UPDATE sqlite_master SET sql = replace(sql, 'won IN (0, 1)', 'won IN (0, 1, 2)')",
    "text like a comment": "UPDATE sqlite_master SET sql = replace(sql, '''''', '''/*'' || 1 || ''*/''')",
}
"""Changes of the schema of a database, by name."""


def database(path: Path, change: str = "") -> Path:
    """Write a database of two puzzles with a changed schema."""
    formats.save([sampled(0), sampled(1)], path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(f"PRAGMA writable_schema = ON; {change}")
    return path


def slow_database(path: Path) -> Path:
    """Write a database of about 10,000 bytes with a generated column that reads 56 MB in each of 250 rows."""
    names = ", ".join(column.name for column in EXPORTED if column.name != "rows")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(
            f"PRAGMA page_size = 512; PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = 1;"
            f"CREATE TABLE puzzles ({names}); PRAGMA writable_schema = ON"
        )
        connection.executemany("INSERT INTO puzzles (cols) VALUES (?)", [(9,)] * 250)
        # After the rows, which SQLite would compute as well.
        changed = f"CREATE TABLE puzzles ({names}, rows AS ({' + '.join([SLOW] * 8)}))"
        connection.execute("UPDATE sqlite_master SET sql = ?", (changed,))
    return path


def circular_database(path: Path) -> Path:
    """Write a database of 40 puzzles whose table names one of its pages 100 times."""
    formats.save([sampled(index) for index in range(40)], path)
    with closing(sqlite3.connect(path)) as connection:
        (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'puzzles'").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    data = bytearray(path.read_bytes())
    page = memoryview(data)[(root - 1) * size : root * size]
    assert page[0] == 5, "the first page of the table names other pages"
    first = int.from_bytes(page[12:14], "big")
    child = bytes(page[first : first + 4])
    cells = size - 5 * 100
    for number in range(100):
        cell = cells + 5 * number
        page[cell : cell + 5] = child + bytes([number + 1])
        page[12 + 2 * number : 14 + 2 * number] = cell.to_bytes(2, "big")
    page[3:7] = (100).to_bytes(2, "big") + cells.to_bytes(2, "big")
    page[8:12] = child
    path.write_bytes(data)
    return path


def repeated_rows(path: Path, rows: int, **values: object) -> Path:
    """Write a Parquet file of the same puzzle in every row, with other `values`: each column stores one value once."""
    row = {name: value for name, value in (row_of(sampled(0)) | values).items() if value is not None}
    places = pa.array([0] * rows)
    columns = {name: pa.DictionaryArray.from_arrays(places, pa.array([value])) for name, value in row.items()}
    parquet.write_table(pa.table(columns), path, row_group_size=rows, compression="zstd")
    return path
