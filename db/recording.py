"""Store games as they are played, some at a time."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Final, Self

from minesweeper.db.records import GameRecord
from minesweeper.db.store import Store

_MOST_WAITING: Final = 1000
_LONGEST_WAIT: Final = 2.0


class GameRecorder:
    """Gathers results for a moment, so that storing them costs little; use it in a ``with`` statement.

    Whatever ends the statement, all that was added is stored. Raises as `Store.add_games` does.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: list[GameRecord] = []
        self._stored = time.monotonic()

    def add(self, record: GameRecord) -> None:
        """Take a result, to be stored soon."""
        self._waiting.append(record)
        if len(self._waiting) >= _MOST_WAITING or time.monotonic() - self._stored >= _LONGEST_WAIT:
            self.flush()

    def flush(self) -> None:
        """Store what is waiting."""
        waiting, self._waiting = self._waiting, []
        if waiting:
            self._store.add_games(waiting)
        self._stored = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.flush()
