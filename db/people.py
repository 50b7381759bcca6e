"""Games that people finished on the page. A digest of a secret in the browser identifies a player."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from minesweeper.player.core.board import Board
from minesweeper.player.core.errors import DatabaseError
from minesweeper.player.core.grid import as_cell, grid_of

if TYPE_CHECKING:
    import sqlite3

    from minesweeper.db.file import DatabaseFile
    from minesweeper.player.play.recorded_games import RecordedClick, Recording

PROGRAM: Final = "sweep"


class Unranked(StrEnum):
    """Reason that a game does not count in its player's statistics: help, or a board that the player had met before."""

    NO = ""
    HELP = "help"
    REPEAT = "repeat"


@dataclass(frozen=True)
class GameStats:
    """Statistics of one game.

    `luck` is the probability of surviving all guesses, None if unknown. `stuck_seconds` is the time without a cell that
    is certain.
    """

    bbbv: int
    solved_bbbv: int
    zini: int
    luck: float | None
    forced: int
    needless: int
    stuck_seconds: float


@dataclass(frozen=True)
class HumanGame:
    """A person's game, from its start to its first end.

    `name` is its id on the page and `title` its title there. `ended` is the time of the end (UTC). `day` is the date of
    the daily puzzle if it was played on that day. The database sets `number`; `stats` are None until they are computed.
    """

    name: str
    mode: str
    title: str
    board: Board
    recorded_clicks: tuple[RecordedClick, ...]
    won: bool
    seconds: float
    clicks: int
    ended: str
    unranked: Unranked = Unranked.NO
    day: str | None = None
    stats: GameStats | None = None
    number: int | None = None

    @property
    def recording(self) -> Recording:
        """The game as a recording to review."""
        # Imported here because most programs open a database without reviewing games.
        from minesweeper.player.play.recorded_games import record_game

        return record_game(self.board, self.recorded_clicks, self.seconds, self.clicks, PROGRAM)

    @property
    def kind(self) -> str:
        """The mode and board, as a heading: ``classic 9x9/10``."""
        return f"{self.mode} {self.board.name}"

    def to_json(self) -> dict[str, Any]:
        """Return the game without its board and clicks, for JSON. Only won games have values that depend on 3BV."""
        stats = self.stats
        values: dict[str, Any] = {
            "id": self.name,
            "kind": self.kind,
            "seconds": round(self.seconds, 3),
            **{name: getattr(self, name) for name in ("mode", "title", "won", "clicks", "unranked", "day", "ended")},
            **{name: getattr(stats, name, None) for name in ("luck", "forced", "needless", "stuck_seconds")},
        }
        if self.won and stats is not None:
            values |= {
                "bbbv": stats.bbbv,
                "solved_bbbv": stats.solved_bbbv,
                "bbbv_per_second": stats.bbbv / self.seconds if self.seconds > 0 else None,
                "efficiency": stats.bbbv / self.clicks if self.clicks else None,
                "zini_efficiency": stats.zini / self.clicks if self.clicks else None,
            }
        return values


def clicks_to_json(recorded_clicks: Iterable[RecordedClick]) -> list[list[Any]]:
    """Return clicks as lists for JSON: seconds, cell, cells to open, 1 if a program chose them."""
    return [[round(click.seconds, 3), click.cell, click.cells, int(click.helped)] for click in recorded_clicks]


def clicks_from_json(rows: Iterable[list[Any]]) -> tuple[RecordedClick, ...]:
    """Read the output of `clicks_to_json`."""
    from minesweeper.player.play.recorded_games import RecordedClick

    return tuple(
        RecordedClick(seconds, as_cell(cell), tuple(map(as_cell, cells)), bool(helped))
        for seconds, cell, cells, helped in rows
    )


_STATS: Final = tuple(field.name for field in fields(GameStats))

_WITHOUT_CLICKS: Final = (
    "number, id, mode, title, rows, cols, grid, mine_bits, '[]' AS recorded_clicks, won, seconds, clicks, unranked, "
    "day, ended, " + ", ".join(_STATS)
)

_INSERT: Final = f"""INSERT OR IGNORE INTO human_games
    (id, player, mode, title, rows, cols, grid, mine_bits, recorded_clicks, won, seconds, clicks, unranked, day, ended,
    {", ".join(_STATS)})
VALUES (:id, :player, :mode, :title, :rows, :cols, :grid, :mine_bits, :recorded_clicks, :won, :seconds, :clicks,
    CASE WHEN :unranked = '' AND EXISTS (
        SELECT 1 FROM human_games WHERE player = :player AND rows = :rows AND cols = :cols AND grid = :grid
            AND mine_bits = :mine_bits
    ) THEN 'repeat' ELSE :unranked END, :day, :ended, {", ".join(f":{name}" for name in _STATS)})"""

_TIMES: Final = """SELECT id, seconds, mine_bits FROM human_games
WHERE player = :player AND mode = :mode AND rows = :rows AND cols = :cols AND grid = :grid AND won AND unranked = ''
ORDER BY seconds"""

_SET_STATS: Final = f"UPDATE human_games SET {', '.join(f'{name} = :{name}' for name in _STATS)} WHERE id = :id"


class People:
    """The games of people in a database. All methods raise `DatabaseError`."""

    def __init__(self, file: DatabaseFile) -> None:
        self._file = file

    def add(self, games: Iterable[tuple[str, HumanGame]]) -> None:
        """Store finished games, each with its player; a stored game stays as it is.

        A game on a board that its player has met before becomes `Unranked.REPEAT`.
        """
        with self._file.transaction():
            self._file.connection.executemany(_INSERT, [_row(*game) for game in games])

    def set_stats(self, name: str, stats: GameStats) -> None:
        """Store the statistics of a game."""
        with self._file.transaction():
            self._file.connection.execute(_SET_STATS, {"id": name} | asdict(stats))

    def games(self, player: str | None = None, *, limit: int | None = None, whole: bool = True) -> list[HumanGame]:
        """Return the latest games of one player or of all, the last one first; without clicks unless `whole`."""
        condition = "1" if player is None else "player = :player"
        columns = "*" if whole else _WITHOUT_CLICKS
        query = f"SELECT {columns} FROM human_games WHERE {condition} ORDER BY number DESC LIMIT ifnull(:limit, -1)"
        return self._file.games(query, {"player": player, "limit": limit}, _human_game)

    def game(self, name: str, player: str | None = None) -> HumanGame:
        """Return a game by its id on the page or as ``play:NUMBER``; with `player`, one of that player's games.

        Raise `DatabaseError` for an unknown game.
        """
        number = name.removeprefix("play:")
        is_number = number != name and number.isdecimal() and len(number) < 19
        column = "number" if is_number else "id"
        query = f"SELECT * FROM human_games WHERE {column} = :name AND player = ifnull(:player, player)"
        values = {"name": int(number) if is_number else name, "player": player}
        found = self._file.games(query, values, _human_game)
        if not found:
            raise DatabaseError(f"no game {name!r} of a person in {self._file.name}; expected play:NUMBER or an id")
        return found[0]

    def best_before(self, player: str, game: HumanGame) -> float | None:
        """Return the best time of the player's other ranked wins on boards like that of `game`, None without one."""
        kind = {"player": player, "mode": game.mode, **_size(game.board)}
        with self._file.translate_sqlite_errors():
            for name, seconds, mine_bits in self._file.connection.execute(_TIMES, kind):
                if name != game.name and int.from_bytes(mine_bits).bit_count() == game.board.mines:
                    return float(seconds)
        return None

    def delete(self, player: str) -> None:
        """Delete all games of a player."""
        with self._file.transaction():
            self._file.connection.execute("DELETE FROM human_games WHERE player = ?", (player,))


def _size(board: Board) -> dict[str, Any]:
    return {"rows": board.rows, "cols": board.cols, "grid": board.grid.label}


def _row(player: str, game: HumanGame) -> dict[str, Any]:
    """Return a game as values for `_INSERT`."""
    return {
        "id": game.name,
        "player": player,
        **_size(game.board),
        "mine_bits": game.board.to_bytes(),
        "recorded_clicks": json.dumps(clicks_to_json(game.recorded_clicks), separators=(",", ":")),
        **{
            name: getattr(game, name)
            for name in ("mode", "title", "won", "seconds", "clicks", "unranked", "day", "ended")
        },
        **{name: getattr(game.stats, name, None) for name in _STATS},
    }


def _human_game(row: sqlite3.Row) -> HumanGame:
    """Build a game from a row of the table ``human_games``. Raise `BoardError` for invalid mines."""
    return HumanGame(
        name=row["id"],
        board=Board.from_bytes(grid_of((row["rows"], row["cols"]), row["grid"]), row["mine_bits"]),
        recorded_clicks=clicks_from_json(json.loads(row["recorded_clicks"])),
        won=bool(row["won"]),
        unranked=Unranked(row["unranked"]),
        stats=None if row["bbbv"] is None else GameStats(*(row[name] for name in _STATS)),
        **{name: row[name] for name in ("mode", "title", "seconds", "clicks", "ended", "day", "number")},
    )
