"""The SQLite file of the database: opening, creating, transactions, and messages for SQLite's errors."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeVar

from minesweeper.player.core.errors import DatabaseError
from minesweeper.player.logic.metrics import DESCRIBED

_T = TypeVar("_T")

APPLICATION_ID: Final = int.from_bytes(b"MSWP", "big")
SCHEMA_VERSION: Final = 1
BUSY_SECONDS: Final = 30.0
_RETRY_SECONDS: Final = 0.05
SCHEMA: Final = Path(__file__).with_name("schema.sql")
_TOKEN: Final = re.compile(r"--[^\n]*|/\*.*?\*/|('[^']*'|\w+|[<>]=|[^\s\w])", re.ASCII | re.DOTALL)
"""A token of SQL, or a comment, whose group is empty."""
_UNKNOWN: Final = re.compile(r'(?:no such column: |unrecognized token: ")(\w+)"?')
_ADDED: Final = re.compile(r'CREATE (VIEW |TABLE |(UNIQUE )?INDEX [^(]*\( [\w \[\]"`,]+ \)$)')
"""The other things in a database: views and tables, which only their author uses, and indexes without expressions."""


# sqlite3 looks for such a function for values other than int, float and str, and then for methods, which takes as long
# as storing several numbers. These functions change nothing.
sqlite3.register_adapter(bytes, bytes)
sqlite3.register_adapter(type(None), lambda _: None)


class DatabaseFile:
    """An open database file.

    With `create`, a missing or empty file becomes a new database. Without it, a database in a read-only folder can
    still be read. All methods raise `DatabaseError` for errors of SQLite.
    """

    def __init__(self, path: Path, *, create: bool) -> None:
        self._path = path
        self.name = repr(str(path))
        self._uri = path.absolute().as_uri()
        self._mode = "mode=rw"
        self.created = not path.exists()
        _check_path(path, create)
        with self.translate_sqlite_errors():
            try:
                self._open("mode=rwc" if create else self._mode, create)
            except sqlite3.OperationalError as error:
                # Readers of a write-ahead log have to write beside it. Without a log, no process is writing.
                if create or path.with_name(f"{path.name}-wal").exists() or _code(error) not in _NOT_WRITABLE:
                    raise
                self._mode = "immutable=1"
                self._open(self._mode, create)

    def close(self) -> None:
        """Close the file. Safe to call twice."""
        self.connection.close()

    @contextmanager
    def reader(self, where: str | None = None) -> Iterator[sqlite3.Connection]:
        """Open a second, read-only connection for a query whose rows are read one by one.

        An unfinished query on the main connection would block its writes once another process has written. The last
        connection removes the write-ahead log, which it may not do if the file itself is opened only for reading.
        `where` is a condition written by the user.
        """
        with self.translate_sqlite_errors(where), closing(self._connect(self._mode)) as connection:
            connection.execute("PRAGMA query_only = ON")
            yield connection

    def games(
        self, query: str, values: Sequence[object] | Mapping[str, object], convert: Callable[[sqlite3.Row], _T]
    ) -> list[_T]:
        """Return the converted rows of a query about games. Refuse values that no program of this version stores."""
        with self.reader() as connection:
            connection.row_factory = sqlite3.Row
            rows = connection.execute(query, values).fetchall()
        try:
            return [convert(row) for row in rows]
        except (ArithmeticError, LookupError, TypeError, ValueError, RecursionError) as error:
            raise DatabaseError(f"a game in {self.name} has invalid values: {error}") from error

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit the writes of the block, or none if it raises. Wait up to 30 s for other processes."""
        with self.translate_sqlite_errors():
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.connection.execute("COMMIT")
            except BaseException:
                # SQLite itself rolls back when the disk is full.
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise

    @contextmanager
    def unchecked_transaction(self) -> Iterator[None]:
        """Commit rows of the generator without CHECK and foreign keys, which would take as long as storing them."""
        self.connection.execute("PRAGMA ignore_check_constraints = ON")
        self.connection.execute("PRAGMA foreign_keys = OFF")
        try:
            with self.transaction():
                yield
        finally:
            self.connection.execute("PRAGMA ignore_check_constraints = OFF")
            self.connection.execute("PRAGMA foreign_keys = ON")

    def translate_sqlite_errors(self, where: str | None = None) -> AbstractContextManager[None]:
        """Raise `DatabaseError` for errors of SQLite in the block; `where` is a condition written by the user."""
        return translate_sqlite_errors(self.name, where)

    def _open(self, mode: str, create: bool) -> None:
        self.connection = self._connect(mode)
        try:
            self._prepare(create)
        except BaseException:
            self.connection.close()
            if self.created:
                remove_if_empty(self._path)
            raise

    def _connect(self, mode: str) -> sqlite3.Connection:
        # Without an isolation level, Python opens no transactions of its own.
        return connect(f"{self._uri}?{mode}", timeout=BUSY_SECONDS, isolation_level=None)

    def _prepare(self, create: bool) -> None:
        """Check the file, create its tables if it is empty, and configure the connection."""
        self.connection.execute("PRAGMA foreign_keys = ON")
        if is_empty(self.connection, self.name, create=create):
            with self.transaction():
                # Another process may have created the tables in the meantime.
                if is_empty(self.connection, self.name, create=create):
                    create_tables(self.connection)
        check_layout(self.connection, self.name)
        if self._mode == "mode=rw":
            self._enable_wal()
        # In WAL mode a killed process loses nothing, and a power failure does not damage the file.
        self.connection.execute("PRAGMA synchronous = NORMAL")
        # Random ids touch every page of their indexes: a cache of 64 MB avoids reading and writing pages repeatedly.
        self.connection.execute("PRAGMA cache_size = -65536")
        self.connection.execute("PRAGMA wal_autocheckpoint = 8000")

    def _enable_wal(self) -> None:
        """Switch the file to write-ahead logging. SQLite does not wait for other processes here, so retry."""
        deadline = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                self.connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(_RETRY_SECONDS)


def connect(uri: str, **options: Any) -> sqlite3.Connection:
    """Open a file that may be a stranger's."""
    connection: sqlite3.Connection = sqlite3.connect(uri, uri=True, **options)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def is_empty(connection: sqlite3.Connection, name: str, *, create: bool) -> bool:
    """Return True for an empty file that may become a database, and False for a database of this version.

    Raise `DatabaseError` with the `name` for all other files.
    """
    # A view of a stranger may hide a function such as pragma_user_version, but no PRAGMA.
    application, version, tables = (
        connection.execute(query).fetchone()[0]
        for query in ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_master")
    )
    if application != APPLICATION_ID:
        if application or version or tables:
            raise DatabaseError(f"not a Minesweeper database, but one of another program: {name}")
        if not create:
            raise DatabaseError(f"not a Minesweeper database, but an empty file: {name}")
        return True
    if version != SCHEMA_VERSION:
        raise DatabaseError(
            f"database of version {version}; expected version {SCHEMA_VERSION}, "
            f"a newer version needs a newer minesweeper-toolkit: {name}"
        )
    return False


def check_layout(connection: sqlite3.Connection, name: str) -> None:
    """Raise `DatabaseError` unless a database has the tables, views and indexes of ``schema.sql``.

    It may have others that only their author uses. Everything else is refused: SQLite runs the expressions of generated
    columns, triggers, constraints, indexes and views, and those of a stranger can take any time. Comments and blanks
    may differ. No two objects have the same name, so none hides one of ours.
    """
    expected = dict.fromkeys(_tokens(sql) for sql in _statements() if "CREATE" in sql)
    found = [_tokens(sql) for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE sql NOTNULL")]
    unexpected = [sql for sql in found if sql not in expected and not _ADDED.match(sql)]
    if changed := [*unexpected, *(sql for sql in expected if sql not in found)]:
        different = " ".join(changed[0].replace("CREATE", "").replace("UNIQUE", "").split()[:2])
        raise DatabaseError(
            f"database of another layout, different in {different}; expected that of version {SCHEMA_VERSION}; "
            f"export its puzzles with the program that wrote it, and import them: {name}"
        )


def _tokens(sql: str) -> str:
    """Return a statement without comments, with one blank between tokens."""
    return " ".join(filter(None, _TOKEN.findall(sql)))


def _statements() -> list[str]:
    measures = ",\n    ".join(f"{measure.name} INTEGER CHECK ({measure.name} >= 0)" for measure in DESCRIBED)
    return SCHEMA.read_text(encoding="utf-8").rstrip(";\n").replace("{measures}", measures).split(";\n\n")


def create_tables(connection: sqlite3.Connection) -> None:
    """Create the tables and views of ``schema.sql``; the caller holds a write transaction."""
    for statement in _statements():
        connection.execute(statement)


@contextmanager
def translate_sqlite_errors(name: str, where: str | None = None) -> Iterator[None]:
    """Raise `DatabaseError` naming a file for errors of SQLite in the block; `where` is a condition of the user."""
    try:
        yield
    except UnicodeDecodeError as error:
        # SQLite quotes the damaged name, which Python fails to decode.
        raise DatabaseError(f"{_MESSAGES[sqlite3.SQLITE_CORRUPT]}: {name}") from error
    except sqlite3.Error as error:
        misused = isinstance(error, sqlite3.ProgrammingError | sqlite3.InterfaceError)
        # A condition that contains a ? or a second statement looks like misuse of the connection.
        if where is not None and (misused or _code(error) == sqlite3.SQLITE_ERROR):
            message = f"invalid SQL condition on the table puzzles ({error}{_suggestion(str(error))}): {where!r}"
            raise DatabaseError(message) from error
        if misused:
            raise
        raise DatabaseError(f"{_MESSAGES.get(_code(error), f'SQLite error ({error})')}: {name}") from error


def _suggestion(message: str) -> str:
    from difflib import get_close_matches

    from minesweeper.db.columns import PUZZLE_COLUMNS

    unknown = _UNKNOWN.fullmatch(message)
    if unknown is None:
        return ""
    titles = {text.lower(): one.name for one in PUZZLE_COLUMNS for text in (one.title, one.heading)}
    known = titles | {one.name: one.name for one in PUZZLE_COLUMNS}
    close = get_close_matches(unknown[1].lower(), known, n=1)
    return f" (did you mean {known[close[0]]!r}?)" if close else ""


def remove_if_empty(path: Path) -> None:
    """Remove a database without rows, unless another process has it open."""
    if not path.exists():
        return
    with suppress(sqlite3.Error):
        uri = f"{path.absolute().as_uri()}?mode=rw"
        with closing(sqlite3.connect(uri, uri=True, timeout=0, isolation_level=None)) as connection:
            tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            if any(connection.execute(f"SELECT EXISTS (SELECT 1 FROM {table})").fetchone()[0] for (table,) in tables):
                return
            # Fails while another process has the file open.
            connection.execute("PRAGMA journal_mode = DELETE")
            connection.execute("BEGIN EXCLUSIVE")
            path.unlink()
        for ending in ("-journal", "-wal", "-shm"):
            path.with_name(path.name + ending).unlink(missing_ok=True)


def _check_path(path: Path, create: bool) -> None:
    if path.is_dir():
        raise DatabaseError(f"this is a folder; expected a database file: {str(path)!r}")
    if path.exists():
        return
    if not create:
        raise DatabaseError(f"no such database; generate --db FILE creates one: {str(path)!r}")
    if not path.parent.is_dir():
        raise DatabaseError(f"no such folder for a new database: {str(path)!r}")


def _code(error: sqlite3.Error) -> int:
    """Return SQLite's primary result code, or 0 for an error of Python's sqlite3, such as text that is not UTF-8."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


_NOT_WRITABLE: Final = frozenset({sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY})
_MESSAGES: Final = {
    sqlite3.SQLITE_NOTADB: "not a database",
    sqlite3.SQLITE_CORRUPT: "the database is damaged",
    sqlite3.SQLITE_CANTOPEN: "cannot open the database; its folder must be readable and writable",
    sqlite3.SQLITE_READONLY: "cannot write to the database; the file and its folder must be writable",
    sqlite3.SQLITE_PERM: "no permission to open the database",
    sqlite3.SQLITE_FULL: "the disk is full; stored data is safe",
    sqlite3.SQLITE_BUSY: f"another program has locked the database for {BUSY_SECONDS:.0f} seconds",
}
