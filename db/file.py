"""Opening the database file: is it ours, is it up to date, and what went wrong, in plain words."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Final

from minesweeper.db import schema

BUSY_SECONDS: Final = 30.0
_RETRY_SECONDS: Final = 0.05


class DatabaseError(ValueError):
    """A file that is not a database of ours, cannot be used, or does not hold what was asked for."""


class DatabaseFile:
    """An open database file, of the newest schema version.

    With `create`, a missing or empty file becomes a new database; without, a database that can't be written to, in a
    folder that can't, may still be read. Raises `DatabaseError`, as do all the methods where SQLite refuses.
    """

    def __init__(self, path: Path, *, create: bool) -> None:
        self._name = repr(str(path))
        self._uri = path.absolute().as_uri()
        self._reading = "mode=ro"
        self._made = not path.exists()
        _check_path(path, create)
        with remove_if_new_and_empty(path), self.translate_sqlite_errors():
            try:
                self._open("mode=rwc" if create else "mode=rw", create)
            except sqlite3.OperationalError as error:
                # Readers of a write-ahead log need to write next to it. If there is no log, nobody is writing either.
                if create or path.with_name(f"{path.name}-wal").exists() or _code(error) not in _NOT_WRITABLE:
                    raise
                self._reading = "immutable=1"
                self._open(self._reading, create)
        self._made = False

    def close(self) -> None:
        """Close the file. Safe to call twice."""
        self.connection.close()

    @contextmanager
    def reader(self, where: str | None = None) -> Iterator[sqlite3.Connection]:
        """Open a second connection that can only read, for a question to be answered row by row.

        On the connection that writes, an unfinished question would make SQLite refuse to write as soon as another
        process has written.
        """
        with self.translate_sqlite_errors(where), closing(self._connect(self._reading)) as connection:
            yield connection

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write everything or, if the block raises, nothing; wait up to 30 seconds for other processes."""
        with self.translate_sqlite_errors():
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.connection.execute("COMMIT")
            except BaseException:
                # A full disk makes SQLite roll back by itself.
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise

    @contextmanager
    def unchecked(self) -> Iterator[None]:
        """A transaction for rows that the generator made, which need no CHECK."""
        self.connection.execute("PRAGMA ignore_check_constraints = ON")
        self.connection.execute("PRAGMA foreign_keys = OFF")
        try:
            with self.transaction():
                yield
        finally:
            self.connection.execute("PRAGMA ignore_check_constraints = OFF")
            self.connection.execute("PRAGMA foreign_keys = ON")

    def translate_sqlite_errors(self, where: str | None = None) -> AbstractContextManager[None]:
        """Turn SQLite's errors into `DatabaseError`; `where` is a condition that the user wrote."""
        return translate_sqlite_errors(self._name, where, new=self._made)

    def _open(self, mode: str, create: bool) -> None:
        """Connect, check and migrate; set `connection`."""
        self.connection = self._connect(mode)
        try:
            self._prepare(create)
        except BaseException:
            self.connection.close()
            raise

    def _connect(self, mode: str) -> sqlite3.Connection:
        # No isolation level: transactions begin and end where `transaction` says so, and nowhere else.
        return sqlite3.connect(f"{self._uri}?{mode}", uri=True, timeout=BUSY_SECONDS, isolation_level=None)

    def _prepare(self, create: bool) -> None:
        newest = schema.VERSION
        self.connection.execute("PRAGMA foreign_keys = ON")
        if self._schema_version(create) < newest:
            with self.transaction():
                # Another process may have done it in the meantime.
                if self._schema_version(create) < newest:
                    schema.migrate(self.connection)
        if self._reading == "mode=ro":
            self._enable_wal()
        # With write-ahead logging this loses nothing when a process dies, and stays sound when the power fails.
        self.connection.execute("PRAGMA synchronous = NORMAL")
        # Ids fall anywhere into their indexes: enough memory for these saves reading and writing pages again and again.
        self.connection.execute("PRAGMA cache_size = -65536")
        self.connection.execute("PRAGMA wal_autocheckpoint = 8000")

    def _schema_version(self, create: bool) -> int:
        """Return the file's schema version, 0 for an empty file that may become a database; refuse any other file."""
        application, version, tables = self.connection.execute(
            "SELECT (SELECT * FROM pragma_application_id), (SELECT * FROM pragma_user_version), "
            "(SELECT count(*) FROM sqlite_master)"
        ).fetchone()
        if application != schema.APPLICATION_ID:
            if application or version or tables:
                raise DatabaseError(f"expected a Minesweeper database, found another program's: {self._name}")
            if not create:
                raise DatabaseError(f"expected a Minesweeper database, found an empty file: {self._name}")
        newest = schema.VERSION
        if 0 < version < schema.FIRST_VERSION:
            raise DatabaseError(f"expected a database made by 0.1.0 or later: {self._name}")
        if version > newest:
            raise DatabaseError(
                f"expected a database of version {newest} or older, found version {version}, "
                f"which needs a newer minesweeper-toolkit: {self._name}"
            )
        return int(version)

    def _enable_wal(self) -> None:
        """Switch to write-ahead logging, for good. SQLite does not wait for other processes here, so this does."""
        deadline = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                self.connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(_RETRY_SECONDS)


@contextmanager
def translate_sqlite_errors(name: str, where: str | None = None, *, new: bool = False) -> Iterator[None]:
    """Turn SQLite's errors into `DatabaseError` that names a file, a `new` one in which nothing is stored yet or not.

    `where` is a condition that the user wrote.
    """
    try:
        yield
    except UnicodeDecodeError as error:
        # SQLite quotes the name of what is damaged, which Python can't read.
        raise DatabaseError(f"{_EXPLANATIONS[sqlite3.SQLITE_CORRUPT]}: {name}") from error
    except sqlite3.Error as error:
        misused = isinstance(error, sqlite3.ProgrammingError | sqlite3.InterfaceError)
        # A condition with a ? of its own, or with more statements behind it, looks as if we had made a mistake.
        if where is not None and (misused or _code(error) == sqlite3.SQLITE_ERROR):
            raise DatabaseError(f"expected an SQL condition on the table puzzles ({error}): {where!r}") from error
        if misused:
            raise
        known = _EXPLANATIONS.get(_code(error), f"the database refused ({error})")
        if new and _code(error) == sqlite3.SQLITE_FULL:
            known = "the disk is too full for a new database"
        raise DatabaseError(f"{known}: {name}") from error


@contextmanager
def remove_if_new_and_empty(path: Path) -> Iterator[None]:
    """Remove a database that the block has made if the block raises, and if nobody has stored anything in it."""
    made = not path.exists()
    try:
        yield
    except BaseException:
        if made and path.exists():
            _remove_if_empty(path)
        raise


def _remove_if_empty(path: Path) -> None:
    try:
        uri = f"{path.absolute().as_uri()}?mode=rw"
        with closing(sqlite3.connect(uri, uri=True, timeout=0, isolation_level=None)) as connection:
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")} & {"puzzles", "runs"}
            if any(connection.execute(f"SELECT EXISTS (SELECT 1 FROM {table})").fetchone()[0] for table in tables):
                return
            # Refused while another process has the file open.
            connection.execute("PRAGMA journal_mode = DELETE")
            connection.execute("BEGIN EXCLUSIVE")
            path.unlink()
    except sqlite3.Error:
        return  # In use, or not for us to say; it stays.
    for beside in ("-journal", "-wal", "-shm"):
        path.with_name(path.name + beside).unlink(missing_ok=True)


def _check_path(path: Path, create: bool) -> None:
    if path.is_dir():
        raise DatabaseError(f"expected a database file, found a folder: {str(path)!r}")
    if path.exists():
        return
    if not create:
        raise DatabaseError(f"expected a database, found no file (generate --db FILE makes one): {str(path)!r}")
    if not path.parent.is_dir():
        raise DatabaseError(f"expected a folder that exists for the database: {str(path)!r}")


def _code(error: sqlite3.Error) -> int:
    """Return SQLite's primary result code, or 0 for an error that Python itself found, such as text not in UTF-8."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


_NOT_WRITABLE: Final = frozenset({sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY})
_EXPLANATIONS: Final = {
    sqlite3.SQLITE_NOTADB: "expected a database, found another kind of file",
    sqlite3.SQLITE_CORRUPT: "expected a sound database, found a damaged one",
    sqlite3.SQLITE_CANTOPEN: "expected a database in a folder that can be read and written",
    sqlite3.SQLITE_READONLY: "expected a database file and folder that can be written to",
    sqlite3.SQLITE_PERM: "expected a database that may be opened",
    sqlite3.SQLITE_FULL: "the disk is full; whatever was stored before is safe",
    sqlite3.SQLITE_BUSY: f"another program has kept the database to itself for {BUSY_SECONDS:.0f} seconds",
}
