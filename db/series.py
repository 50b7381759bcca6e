"""Series of games of one strategy, stored in blocks.

A block has the totals of consecutive games, and one bit a game for won or lost: enough to compare strategies board by
board. A million games take 125 KB.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from minesweeper.db.file import DatabaseFile
from minesweeper.db.sql import INSERT_STRATEGY, RECIPE, recipe_row
from minesweeper.player.core.lazy_numpy import ArrayValue, NDArray, np
from minesweeper.player.core.recipe import Recipe


@dataclass(frozen=True, slots=True)
class SeriesKey:
    """Key of a series: one strategy on the boards 0, 1, 2, ... of a recipe."""

    strategy: str
    recipe: Recipe


@dataclass(frozen=True, eq=False)
class SeriesResults(ArrayValue):
    """Results of a series or a block: `won` is a bool array with an entry for each game; the rest are totals."""

    won: NDArray[np.bool_]
    opened: int
    guesses: int
    seconds: float
    forfeits: int = 0

    @property
    def games(self) -> int:
        """The number of games, which is the index of the next one."""
        return int(self.won.size)

    @property
    def wins(self) -> int:
        """The number of wins."""
        return int(np.count_nonzero(self.won))


_IS_SERIES: Final = " AND ".join(f"{column} = :{column}" for column in RECIPE)
_FIND: Final = (
    "SELECT series.id FROM series JOIN strategies ON strategies.id = strategy_id "
    f"WHERE name = :strategy AND {_IS_SERIES}"
)
_INSERT_SERIES: Final = (
    f"INSERT INTO series (strategy_id, {', '.join(RECIPE)}) "
    f"SELECT id, {', '.join(f':{column}' for column in RECIPE)} FROM strategies WHERE name = :strategy "
    "ON CONFLICT DO NOTHING"
)
_INSERT_BLOCK: Final = (
    "INSERT INTO blocks (series_id, first_index, games, wins, opened, guesses, seconds, forfeits, won_bits) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


class Series:
    """The series of games in a database. All methods raise `DatabaseError`."""

    def __init__(self, file: DatabaseFile) -> None:
        self._file = file

    def results(self, key: SeriesKey) -> SeriesResults:
        """Return the results of a series, the sum of all its blocks; a new series has no games."""
        query = (
            "SELECT games, opened, guesses, seconds, forfeits, won_bits FROM blocks "
            f"WHERE series_id = ({_FIND}) ORDER BY first_index"
        )
        with self._file.translate_sqlite_errors():
            rows = self._file.connection.execute(query, _values(key)).fetchall()
        won = [np.unpackbits(np.frombuffer(bits, dtype=np.uint8), count=games) for games, *_, bits in rows]
        opened, guesses, seconds, forfeits = (sum(row[column] for row in rows) for column in (1, 2, 3, 4))
        all_won = np.concatenate([*won, np.zeros(0, np.uint8)]).astype(np.bool_)
        return SeriesResults(all_won, opened, guesses, float(seconds), forfeits)

    def add_block(self, key: SeriesKey, first_index: int, block: SeriesResults) -> bool:
        """Append the results of games from `first_index` on to a series, and return True if it ended there.

        Otherwise another process has added games, and `results` returns the new end.
        """
        values, connection = _values(key), self._file.connection
        with self._file.transaction():
            connection.execute(INSERT_STRATEGY, (key.strategy,))
            connection.execute(_INSERT_SERIES, values)
            (number,) = connection.execute(_FIND, values).fetchone()
            query = "SELECT coalesce(max(first_index + games), 0) FROM blocks WHERE series_id = ?"
            if connection.execute(query, (number,)).fetchone()[0] != first_index or not block.games:
                return False
            totals = (block.games, block.wins, block.opened, block.guesses, block.seconds, block.forfeits)
            connection.execute(_INSERT_BLOCK, (number, first_index, *totals, np.packbits(block.won).tobytes()))
            return True


def _values(key: SeriesKey) -> dict[str, object]:
    return {"strategy": key.strategy} | recipe_row(key.recipe)
