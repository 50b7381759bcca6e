"""Games that people played on the page: each as it was played, with its figures, and what they come to together.

A player is known by the digest of what names their browser, and by nothing else.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date as Date, timedelta
from enum import StrEnum
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from minesweeper.player.board import Board, as_cell

if TYPE_CHECKING:
    from minesweeper.player.play.recorded_games import RecordedClick, Recording

PROGRAM: Final = "sweep"


class Unranked(StrEnum):
    """What a game was played with besides one's head: nothing, help, or a board that the player had met before."""

    NO = ""
    HELP = "help"
    REPEAT = "repeat"


@dataclass(frozen=True)
class GameStats:
    """What a game comes to.

    `luck` is the chance to survive all that was not certain, None if it is not known. `stuck_seconds` is the time in
    which nothing certain was left.
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
    """A game up to its first end: `name` is its id on the page, `title` what the page calls it.

    `ended` is when (UTC). `day` is the date whose daily puzzle it was, if it was played on that day. The database gives
    the `number`; `figures` are there once they have been asked for.
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
        """The game as one that a review takes."""
        # Here, as whoever opens a database for something else would wait for it.
        from minesweeper.player.play.recorded_games import record_game

        return record_game(self.board, self.recorded_clicks, self.seconds, self.clicks, PROGRAM)

    @property
    def kind(self) -> str:
        """What was played, as a heading: ``classic 9x9/10``."""
        return f"{self.mode} {self.board.name}"

    def to_json(self) -> dict[str, Any]:
        """Return what a player may know of any game that has ended, as plain data for JSON.

        3BV is told of games that were won only: it depends on the whole board.
        """
        figures = self.stats
        told: dict[str, Any] = {
            "id": self.name,
            "mode": self.mode,
            "title": self.title,
            "kind": self.kind,
            "won": self.won,
            "seconds": round(self.seconds, 3),
            "clicks": self.clicks,
            "unranked": self.unranked,
            "day": self.day,
            "ended": self.ended,
            "luck": None if figures is None else figures.luck,
            "forced": None if figures is None else figures.forced,
            "needless": None if figures is None else figures.needless,
            "stuck_seconds": None if figures is None else figures.stuck_seconds,
        }
        if self.won and figures is not None:
            told |= {
                "bbbv": figures.bbbv,
                "solved_bbbv": figures.solved_bbbv,
                "bbbv_per_second": figures.bbbv / self.seconds if self.seconds > 0 else None,
                "efficiency": figures.bbbv / self.clicks if self.clicks else None,
                "zini_efficiency": figures.zini / self.clicks if self.clicks else None,
            }
        return told


def clicks_to_json(recorded_clicks: Iterable[RecordedClick]) -> list[list[Any]]:
    """Return recorded_clicks as short lists: seconds, cell, cells asked for, whether a program chose them."""
    return [[round(click.seconds, 3), click.cell, click.cells, int(click.helped)] for click in recorded_clicks]


def clicks_from_json(rows: Iterable[list[Any]]) -> tuple[RecordedClick, ...]:
    """Read what `clicks_to_json` writes."""
    from minesweeper.player.play.recorded_games import RecordedClick

    return tuple(
        RecordedClick(seconds, as_cell(cell), tuple(map(as_cell, asked)), bool(helped))
        for seconds, cell, asked, helped in rows
    )


_FIGURES: Final = ("bbbv", "solved_bbbv", "zini", "luck", "forced", "needless", "stuck_seconds")

WITHOUT_CLICKS: Final = (
    "number, id, mode, title, rows, cols, mine_bits, '[]' AS recorded_clicks, won, seconds, clicks, unranked, day, "
    "ended, " + ", ".join(_FIGURES)
)

INSERT: Final = """INSERT OR IGNORE INTO human_games
    (id, player, mode, title, rows, cols, mine_bits, recorded_clicks, won, seconds, clicks, unranked, day, ended)
VALUES (:id, :player, :mode, :title, :rows, :cols, :mine_bits, :recorded_clicks, :won, :seconds, :clicks,
    CASE WHEN :unranked = '' AND EXISTS (
        SELECT 1 FROM human_games WHERE player = :player AND rows = :rows AND cols = :cols AND mine_bits = :mine_bits
    ) THEN 'repeat' ELSE :unranked END, :day, :ended)"""

TIMES: Final = """SELECT id, seconds, mine_bits FROM human_games
WHERE player = :player AND mode = :mode AND rows = :rows AND cols = :cols AND won AND unranked = '' ORDER BY seconds"""

SET_FIGURES: Final = f"UPDATE human_games SET {', '.join(f'{name} = :{name}' for name in _FIGURES)} WHERE id = :id"


def insert_row(player: str, game: HumanGame) -> dict[str, Any]:
    """List a game by the names that `INSERT` uses."""
    return {
        "id": game.name,
        "player": player,
        "mode": game.mode,
        "title": game.title,
        "rows": game.board.rows,
        "cols": game.board.cols,
        "mine_bits": game.board.to_bytes(),
        "recorded_clicks": json.dumps(clicks_to_json(game.recorded_clicks), separators=(",", ":")),
        "won": game.won,
        "seconds": game.seconds,
        "clicks": game.clicks,
        "unranked": game.unranked,
        "day": game.day,
        "ended": game.ended,
    }


def best_before(connection: sqlite3.Connection, player: str, game: HumanGame) -> float | None:
    """Return the best time of a person's other games of the kind that were won without aid, None if there is none."""
    kind = {"player": player, "mode": game.mode, "rows": game.board.rows, "cols": game.board.cols}
    for name, seconds, mine_bits in connection.execute(TIMES, kind):
        if name != game.name and int.from_bytes(mine_bits).bit_count() == game.board.mines:
            return float(seconds)
    return None


def figures_row(name: str, figures: GameStats) -> dict[str, Any]:
    """List figures by the names that `SET_FIGURES` uses."""
    return {"id": name, **{column: getattr(figures, column) for column in _FIGURES}}


def human_game(row: sqlite3.Row) -> HumanGame:
    """Build a game from a row of the table ``played``. Raises `BoardError` for mines that can't be right."""
    figures = None if row["bbbv"] is None else GameStats(*(row[name] for name in _FIGURES))
    return HumanGame(
        row["id"],
        row["mode"],
        row["title"],
        Board.from_bytes(row["rows"], row["cols"], row["mine_bits"]),
        clicks_from_json(json.loads(row["recorded_clicks"])),
        bool(row["won"]),
        row["seconds"],
        row["clicks"],
        row["ended"],
        Unranked(row["unranked"]),
        row["day"],
        figures,
        row["number"],
    )


def player_record(games: Sequence[HumanGame], today: Date) -> dict[str, Any]:
    """Sum a player's games up as plain data for JSON, oldest first in, by kind of board; what had aid is counted apart.

    Times are in seconds. A daily streak goes on until a day has passed without its puzzle won.
    """
    kinds = []
    for kind, own in groupby(sorted(games, key=lambda game: game.kind), key=lambda game: game.kind):
        played = sorted(own, key=lambda game: game.number or 0)
        alone = [game for game in played if game.unranked is Unranked.NO]
        counts = {
            "ranked": _count(played, Unranked.NO),
            "help": _count(played, Unranked.HELP),
            "repeat": _count(played, Unranked.REPEAT),
        }
        kinds.append({"kind": kind, **counts, **_figures(alone)})
    kinds.sort(key=lambda kind: (-kind["ranked"]["games"], kind["kind"]))
    return {"kinds": kinds, "daily": daily_streak(games, today)}


def _count(games: Sequence[HumanGame], unranked: Unranked) -> dict[str, int]:
    own = [game.won for game in games if game.unranked is unranked]
    return {"games": len(own), "wins": sum(own)}


def _figures(games: Sequence[HumanGame]) -> dict[str, Any]:
    """Sum up games without aid, oldest first."""
    from minesweeper.player.stats import wilson

    told = [game.to_json() for game in games if game.won]
    runs = [len(list(run)) for won, run in groupby(game.won for game in games) if won]
    judged = [game.stats for game in games if game.stats is not None]
    rate = wilson(len(told), len(games)) if games else None
    return {
        "low": None if rate is None else round(100 * rate.low, 2),
        "high": None if rate is None else round(100 * rate.high, 2),
        "best_seconds": min((game["seconds"] for game in told), default=None),
        "mean_seconds": _mean([game["seconds"] for game in told]),
        "best_bbbv_per_second": max(_known(told, "bbbv_per_second"), default=None),
        "mean_bbbv_per_second": _mean(_known(told, "bbbv_per_second")),
        "mean_efficiency": _mean(_known(told, "efficiency")),
        "best_efficiency": max(_known(told, "efficiency"), default=None),
        "mean_luck": _mean(_known(told, "luck")),
        "forced": sum(figures.forced for figures in judged),
        "needless": sum(figures.needless for figures in judged),
        "streak": runs[-1] if games and games[-1].won else 0,
        "longest_streak": max(runs, default=0),
    }


def _known(told: Sequence[dict[str, Any]], name: str) -> list[float]:
    return [game[name] for game in told if game.get(name) is not None]


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def daily_streak(games: Iterable[HumanGame], today: Date) -> dict[str, int]:
    """Count the days in a row whose puzzle was won without aid: up to today, or yesterday, and at most."""
    ranked = [game for game in games if game.unranked is Unranked.NO]
    days = sorted({Date.fromisoformat(game.day) for game in ranked if game.won and game.day})
    streak = longest = 0
    for i, day in enumerate(days):
        streak = streak + 1 if i and day - days[i - 1] == timedelta(1) else 1
        longest = max(longest, streak)
    lasts = bool(days) and today - days[-1] <= timedelta(1)
    return {"streak": streak if lasts else 0, "longest": longest, "days": len(days)}
