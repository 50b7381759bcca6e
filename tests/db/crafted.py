"""Files of strangers, made to take time or memory, or to run expressions."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

import pyarrow as pa
from pyarrow import parquet
from sample_records import row_of, sampled

from minesweeper.db import formats

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
    "text like a comment": "UPDATE sqlite_master SET sql = replace(sql, '('''',', '(''/*'' || 1 || ''*/'',')",
}
"""Changes of the schema of a database, by name."""


def database(path: Path, change: str = "") -> Path:
    """Write a database of two puzzles with a changed schema."""
    formats.save([sampled(0), sampled(1)], path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(f"PRAGMA writable_schema = ON; {change}")
    return path


def endless_database(path: Path, table: str) -> Path:
    """Write a database whose table ends with 100**6 times the same row: a page names the next one 100 times."""
    formats.save([sampled(index) for index in range(40)], path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        # The reader allows as many rows as the file has bytes.
        connection.executescript("PRAGMA page_size = 1024; VACUUM")
        roots = dict(connection.execute("SELECT name, rootpage FROM sqlite_master")) | {"sqlite_master": 1}
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    data = bytearray(path.read_bytes())
    root = (roots[table] - 1) * size
    header = 0 if root else 100
    assert data[root + header] == 5, "the first page of the table names other pages"
    first = int.from_bytes(data[root + header + 12 : root + header + 14], "big")
    leaf = int.from_bytes(data[root + first : root + first + 4], "big")
    if not root:
        # SQLite refuses a second definition of a table, but not of an index of its own.
        row = b"\x06\x17\x3b\x15\x01\x00" + b"index" + b"sqlite_autoindex_runs_1" + b"runs" + b"\x03"
        cell = bytes([len(row), 1]) + row
        place = (size - len(cell)).to_bytes(2, "big")
        data += (b"\x0d\0\0\0\x01" + place + b"\0" + place).ljust(size - len(cell), b"\0") + cell
        leaf = len(data) // size
    for _ in range(6):
        cells = leaf.to_bytes(4, "big") + b"\x01"
        places = b"".join((size - 5).to_bytes(2, "big") for _ in range(100))
        page = b"\x05\0\0\0" + bytes([100]) + (size - 5).to_bytes(2, "big") + b"\0" + leaf.to_bytes(4, "big") + places
        data += page.ljust(size - 5, b"\0") + cells
        leaf = len(data) // size
    data[root + header + 8 : root + header + 12] = leaf.to_bytes(4, "big")
    data[28:32] = (len(data) // size).to_bytes(4, "big")
    path.write_bytes(data)
    return path


def repeated_rows(path: Path, rows: int, **values: object) -> Path:
    """Write a Parquet file of the same puzzle in every row, with other `values`: each column stores one value once."""
    row = {name: value for name, value in (row_of(sampled(0)) | values).items() if value is not None}
    places = pa.array([0] * rows)
    columns = {name: pa.DictionaryArray.from_arrays(places, pa.array([value])) for name, value in row.items()}
    parquet.write_table(pa.table(columns), path, row_group_size=rows, compression="zstd")
    return path
