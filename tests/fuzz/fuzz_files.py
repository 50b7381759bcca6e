"""Fuzz the readers of whole files with mutants of real ones: ``python tests/fuzz/fuzz_files.py --seconds 3600``.

Databases, Parquet files and recorded games are mutated in their bytes, pages, footers and schemas. A process with
limits of time and memory reads each mutant. A file that crashes or exceeds a limit, or whose error is unexpected, is
kept.
"""

import argparse
import os
import resource
import signal
import sqlite3
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import closing, redirect_stdout, suppress
from functools import partial
from io import StringIO
from json import loads
from pathlib import Path
from random import Random
from typing import Any, Final

sys.path += [str(Path(__file__).parents[1] / folder) for folder in ("db", "player")]
import crafted
import ms_toollib  # noqa: F401  (loaded once, not in each process)
import pyarrow as pa
from pyarrow import parquet
from recordings import record_played
from sample_records import add_puzzles, row_of, sampled
from test_parsers import mutant

from minesweeper import Grid, Recipe, Store
from minesweeper.db import formats
from minesweeper.db.formats.rows import COLUMNS
from minesweeper.db.records import GameRecord
from minesweeper.player.core.errors import BoardError, DatabaseError, FormatError
from minesweeper.player.play import video
from minesweeper.player.play.recorded_games import _of_json, recording_of, recording_of_mouse

CPU_SECONDS: Final = 10
MEMORY: Final = 2**32
SLOW_SECONDS: Final = 1.0
LARGE: Final = 100 * 2**20
PAGE: Final = 4096
VALUES: Final = ["NULL", "''", "'x'", "-1", "1e999", "9223372036854775807", "zeroblob(100000)", "x'ff'", "char(0)"]
TYPES: Final = [
    pa.string(), pa.large_string(), pa.binary(), pa.int8(), pa.uint64(), pa.float16(), pa.bool_(), pa.null(),
    pa.date32(), pa.timestamp("ns"), pa.decimal128(30), pa.list_(pa.string()), pa.struct([("a", pa.int32())]),
    pa.dictionary(pa.int32(), pa.string()), pa.string_view(), pa.map_(pa.string(), pa.int8()),
]  # fmt: skip


def mutated_database(random: Random, folder: Path) -> bytes:
    """Change the schema or rows of a database by SQL, or its pages."""
    count = random.choice([1, 5, 60])
    path, complete = folder / "source.db", folder / f"complete{count}.db"
    if not complete.exists():
        write_database(complete, count)
    path.write_bytes(complete.read_bytes())
    if random.random() < 0.4:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection, suppress(sqlite3.Error):
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute("PRAGMA ignore_check_constraints = ON")
            for _ in range(random.randint(1, 3)):
                with suppress(sqlite3.Error):
                    connection.executescript(changed_schema(random, connection))
    data = bytearray(path.read_bytes())
    if random.random() < 0.7:
        for _ in range(random.choice([1, 1, 2, 5, 20])):
            change_page(random, data)
    return mutant(bytes(data), random) if random.random() < 0.1 else bytes(data)


def write_database(path: Path, count: int) -> None:
    """Write a database with puzzles of a run, and a game on each."""
    with Store(path) as store:
        records = [sampled(index) for index in range(count)]
        add_puzzles(store, records, count)
        store.add_games(
            GameRecord("safest", record.id, True, record.puzzle.board.safe_cells, 0, 0.1) for record in records
        )
        store.db.execute("PRAGMA journal_mode = DELETE")


def changed_schema(random: Random, connection: sqlite3.Connection) -> str:
    """Return SQL that changes a column, a definition or values."""
    objects = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql NOTNULL").fetchall()
    name, sql = random.choice(objects)
    words = sql.split()
    words[random.randrange(len(words))] = random.choice([*words, "", "(", "AS (1)", "CHECK (0)", crafted.SLOW])
    definition = " ".join(words).replace("'", "''")
    columns = connection.execute("PRAGMA table_info(puzzles)").fetchall()
    column = random.choice(columns)[1]
    return random.choice(
        [
            *crafted.CHANGES.values(),
            f"UPDATE sqlite_master SET sql = '{definition}' WHERE name = '{name}'",
            f"UPDATE sqlite_master SET rootpage = {random.randrange(60)} WHERE name = '{name}'",
            f"UPDATE sqlite_master SET type = '{random.choice(['table', 'index', 'view'])}' WHERE name = '{name}'",
            f"ALTER TABLE puzzles DROP COLUMN {column}",
            f"UPDATE puzzles SET {column} = {random.choice(VALUES)}",
            f"UPDATE runs SET mines = {random.choice(VALUES)}",
            f"CREATE VIEW {column} AS {crafted.ENDLESS}",
            f"CREATE TABLE other (a, b AS ({crafted.SLOW}) STORED)",
        ]
    )  # fmt: skip


def change_page(random: Random, data: bytearray) -> None:
    """Overwrite a field of a page with a plausible value, or a page with another one."""
    pages = len(data) // PAGE
    start = random.randrange(pages) * PAGE
    header = start + (100 if start == 0 else 0)
    kind = random.randrange(6)
    if kind == 0:
        other = random.randrange(pages) * PAGE
        data[start : start + PAGE] = data[other : other + PAGE]
    elif kind == 1:  # the header of the page: its kind, cells and last child
        place = header + random.randrange(12)
        data[place] = random.choice([0, 1, 2, 5, 10, 13, 255, random.randrange(256)])
    elif kind == 2:  # a pointer to a cell
        place = header + 8 + 2 * random.randrange(40)
        data[place : place + 2] = random.choice([random.randrange(PAGE), 0, 65535]).to_bytes(2, "big")
    elif kind == 3:  # an interior page whose children are any pages
        cells = random.choice([1, 10, 200])
        data[header : header + 12] = (
            bytes([random.choice([2, 5]), 0, 0])
            + cells.to_bytes(2, "big")
            + bytes(3)
            + random.randrange(pages + 1).to_bytes(4, "big")
        )
        for cell in range(cells):
            place = PAGE - 8 * (cell + 1)
            data[header + 12 + 2 * cell : header + 14 + 2 * cell] = place.to_bytes(2, "big")
            data[start + place : start + place + 4] = random.randrange(1, pages + 2).to_bytes(4, "big")
            data[start + place + 4 : start + place + 8] = bytes([min(cell, 127), 0, 0, 0])
    elif kind == 4:  # a page number, such as that of an overflow page
        place = start + random.randrange(PAGE - 4)
        data[place : place + 4] = random.randrange(pages + 2).to_bytes(4, "big")
    else:
        place = start + random.randrange(PAGE - 9)
        data[place : place + 9] = random.choice([b"\xff" * 9, bytes(9), random.randbytes(9)])


def mutated_parquet(random: Random, folder: Path) -> bytes:
    """Change the pages or the footer of a file, which is replaced by another one from time to time."""
    path = folder / "source.parquet"
    if not path.exists() or random.random() < 0.05:
        # In a process, because this one must not grow.
        read_within_limits(partial(write_parquet, Random(random.random())), path, folder / "log")
    data = bytearray(path.read_bytes())
    for _ in range(random.choice([0, 1, 1, 2, 5])):
        change_thrift(random, data)
    return mutant(bytes(data), random) if random.random() < 0.1 else bytes(data)


def write_parquet(random: Random, path: Path) -> None:
    """Write a table with any types, encodings and values."""
    size = random.choice([1, 3, 60, 2000])
    rows = [row_of(sampled(index % 60)) for index in range(size)]
    if random.random() < 0.3:
        name = random.choice(COLUMNS)
        for row in rows:
            row[name] = random.choice(
                [None, "", "x", "00" * 200_000, -1, 2**62, float("nan"), b"\xff", [1], {"a": [2]}]
            )
    table = None
    with suppress(pa.ArrowException, TypeError, ValueError):
        table = pa.Table.from_pylist(rows)
        if random.random() < 0.2:
            table = table.drop_columns([random.choice(COLUMNS)])
        for _ in range(random.choice([0, 0, 1, 3])):
            place = random.randrange(table.num_columns)
            table = table.set_column(place, table.column_names[place], table.column(place).cast(random.choice(TYPES)))
    if table is None:
        table = pa.Table.from_pylist([row_of(sampled(0))])
    text_columns = [one.name for one in table.schema if pa.types.is_string(one.type)]
    encodings: dict[str, Any] = {}
    if random.random() < 0.3:
        chosen = ["PLAIN", "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"]
        encodings = {"use_dictionary": False, "column_encoding": {one: random.choice(chosen) for one in text_columns}}
    with suppress(pa.ArrowException):
        parquet.write_table(
            table,
            path,
            compression=random.choice(["none", "snappy", "gzip", "zstd", "brotli", "lz4"]),
            data_page_version=random.choice(["1.0", "2.0"]),
            data_page_size=random.choice([100, 2**20]),
            row_group_size=random.choice([1 if size < 100 else 500, 2**20]),
            **encodings,
        )


def change_thrift(random: Random, data: bytearray) -> None:
    """Change the footer, with its length, or bytes of pages in place; numbers are varints."""
    length = int.from_bytes(data[-8:-4], "little")
    footer = len(data) - 8 - length
    number = random.choice([2**31 - 1, 2**62, 0, 1, 2**20, 2**27, random.getrandbits(40)])
    coded = bytearray()
    value = number << 1
    while value > 127:
        coded.append(value & 127 | 128)
        value >>= 7
    coded.append(value)
    if random.random() < 0.7 and length > 0 and footer > 4:
        place = footer + random.randrange(length)
        end = place
        while end < len(data) - 9 and data[end] > 127:
            end += 1
        new = random.choice([coded, random.randbytes(1), data[place : place + 40] * random.choice([1, 50, 5000]), b""])
        data[place : end + 1] = new
        data[-8:-4] = max(0, len(data) - 8 - footer).to_bytes(4, "little")
    else:
        near = random.choice([4, 4, random.randrange(4, max(5, footer))])
        place = near + random.randrange(24)
        data[place : place + len(coded)] = coded


def mutated_recording(names: str, random: Random, folder: Path) -> bytes:
    """Change bytes of a recorded game, above all of its header."""
    data = bytearray(random.choice(sorted(folder.glob(names))).read_bytes())
    for _ in range(random.choice([1, 2, 5, 30])):
        place = random.randrange(min(len(data), random.choice([16, 200, len(data)])))
        data[place] = random.choice([0, 1, 255, 128, random.randrange(256)])
    if random.random() < 0.1:
        place = random.randrange(len(data))
        data[place:place] = data[place:] * random.choice([1, 20])
    return mutant(bytes(data), random) if random.random() < 0.2 else bytes(data)


def read_pack(path: Path) -> None:
    """Read all puzzles, continuing after invalid ones."""
    with formats.reading(path, limited=True) as reader:
        while True:
            try:
                next(reader)
            except FormatError:
                if "row" not in reader.place:  # type: ignore[attr-defined]
                    raise
            except StopIteration:
                return


def read_database(path: Path) -> None:
    with suppress(FormatError):
        read_pack(path)
    with Store(path, create=False) as store:
        for read in (store.count, store.games, store.leaderboard, store.people.games, lambda: list(store.puzzles())):
            with suppress(DatabaseError):
                read()


def read_recording(path: Path) -> None:
    """Read a recorded game as the program `video` and its caller do, in one process."""
    os.chdir(path.parent)
    printed = StringIO()
    with redirect_stdout(printed):
        video.main(str(path))
    with suppress(BoardError, FormatError):
        recording_of_mouse(_of_json(loads(printed.getvalue()), path.name))


def read_own_recording(path: Path) -> None:
    """Read a recorded game that needs no other program."""
    with suppress(FormatError):
        recording_of(path.read_bytes(), path.name)


KINDS: Final[dict[str, tuple[Callable[[Random, Path], bytes], Callable[[Path], None]]]] = {
    "db": (mutated_database, read_database),
    "parquet": (mutated_parquet, read_pack),
    **{kind: (partial(mutated_recording, f"recorded*.{kind}"), read_recording) for kind in ("evf", "avf", "rmv")},
    **{kind: (partial(mutated_recording, f"recorded*.{kind}"), read_own_recording) for kind in ("mvf", "rawvf")},
}


def read_within_limits(read: Callable[[Path], None], path: Path, log: Path) -> tuple[str, float, int]:
    """Read a file in a process; return the outcome, its CPU seconds and its largest memory in bytes."""
    child = os.fork()
    if not child:
        code = 2
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
            signal.alarm(6 * CPU_SECONDS)
            errors = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(errors, 2)
            read(path)
            code = 0
        except (FormatError, DatabaseError, BoardError):
            code = 1
        except BaseException as error:
            # A panic of ms_toollib ends its process, which its caller reports.
            if type(error).__name__ == "PanicException" or (read is read_recording and not _is_ours(error)):
                code = 1
            else:
                traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    _, status, used = os.wait4(child, 0)
    code = os.waitstatus_to_exitcode(status)
    outcome = {0: "read", 1: "refused", 2: "unexpected exception"}.get(code, f"signal {-code}")
    return outcome, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def _is_ours(error: BaseException) -> bool:
    """Return True for an exception after `video`, whose own end its process."""
    return any(frame.name == "_of_json" for frame in traceback.extract_tb(error.__traceback__))


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("kinds", nargs="*", metavar="KIND", help=f"one of {', '.join(KINDS)}; default: db parquet")
    reader.add_argument("--seconds", type=int, default=60, help="duration (default 60)")
    reader.add_argument("--seed", type=int, default=0, help="seed of the mutants (default 0)")
    reader.add_argument("--keep", type=Path, default=Path("found"), help="folder of the files that failed")
    reader.add_argument("--recordings", type=Path, help="folder of recorded games, for the kinds other than evf")
    options = reader.parse_args()
    kinds = options.kinds or ["db", "parquet"]
    if unknown := set(kinds) - set(KINDS):
        reader.error(f"unknown kind {', '.join(unknown)}; kinds: {', '.join(KINDS)}")
    pa.set_cpu_count(1)
    outcomes: dict[str, Counter[str]] = {kind: Counter() for kind in kinds}
    largest = dict.fromkeys(kinds, (0.0, 0))
    failures, number = 0, 0
    *_, base = read_within_limits(lambda _: None, Path(), Path(os.devnull))
    ends = time.monotonic() + options.seconds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for index, (size, mines) in enumerate([((9, 9), 10), ((16, 30), 99)]):
            record_played(folder / f"recorded{index}.evf", Recipe(Grid(*size), mines, (4, 4), "opening", 3), 1)
        for path in sorted(options.recordings.iterdir()) if options.recordings else ():
            (folder / f"recorded-{path.name}").write_bytes(path.read_bytes())
        while time.monotonic() < ends:
            kind = kinds[number % len(kinds)]
            write, read = KINDS[kind]
            path = folder / f"game.{kind}"
            data = write(Random(f"{options.seed}/{number}"), folder)
            path.write_bytes(data)
            outcome, seconds, memory = read_within_limits(read, path, folder / "log")
            memory -= base
            outcomes[kind][outcome] += 1
            slow, large = largest[kind]
            largest[kind] = max(slow, seconds), max(large, memory)
            is_failure = outcome not in ("read", "refused") or seconds > SLOW_SECONDS or memory > LARGE
            # The process of a recorded game has limits of its own.
            if is_failure and (read is not read_recording or outcome == "unexpected exception"):
                failures += 1
                options.keep.mkdir(exist_ok=True)
                (options.keep / f"{options.seed}-{number}.{kind}").write_bytes(data)
                text = (folder / "log").read_text(errors="replace") if (folder / "log").exists() else ""
                last = text.strip().splitlines()[-1:] if outcome == "unexpected exception" else []
                print(
                    f"{options.seed}-{number}.{kind}: {outcome}, {seconds:.2f} s, {memory >> 20} MiB", *last, flush=True
                )
                (options.keep / f"{options.seed}-{number}.{kind}.log").write_text(text)
            for left in folder.glob("game.*"):
                left.unlink()
            number += 1
            if number % 5000 == 0:
                print(number, {kind: dict(counts) for kind, counts in outcomes.items()}, flush=True)
    for kind in kinds:
        slow, large = largest[kind]
        print(f"{kind}: {dict(outcomes[kind])}, at most {slow:.2f} s and {large >> 20} MiB")
    print(f"{number} files, {failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
