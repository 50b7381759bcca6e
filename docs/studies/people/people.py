"""Thinking time of people before certain clicks, fitted to the smallest reason, the distance and the choice of cells.

The model is log(time) = term of the game + a log(clues of the smallest reason) + b log(distance) + c log(cells known to
be safe). The term of the game absorbs player, board and program. Intervals come from resampling games, and predictions
for a player from a fit to the games of all others.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter, itemgetter
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click
import numpy as np

from minesweeper.player.core.errors import FormatError
from minesweeper.player.play.click_rows import ClickRow, click_rows
from minesweeper.player.play.recorded_games import read_recording, recordings_in
from minesweeper.scripts.console.options import PATH, from_decorator, option, with_options
from minesweeper.scripts.console.terminal import Command, TableStyle, columns, output_options, print_rows, with_progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

    _Floats = NDArray[np.float64]

_FEWEST: Final = 20
"""Certain clicks of a game that counts."""
_SECONDS: Final = (0.02, 20.0)
"""Shorter and longer times say nothing about thought: the clock's unit, and pauses."""
_PERSONS: Final = {"王嘉宁": "Wang Jianing", "Wang Jianing G01825": "Wang Jianing"}
"""Players who use several names."""
_TERMS: Final = {"reason": 0, "distance": 1, "safe_cells": 2}
_MODELS: Final = {
    "distance": ("distance",),
    "distance + safe cells": ("distance", "safe_cells"),
    "distance + safe cells + reason": ("distance", "safe_cells", "reason"),
}


class Game(NamedTuple):
    """The certain clicks of a game: a row of values for each, in the order of `_TERMS`, and the log of its time."""

    recording: str
    person: str
    board: str
    values: _Floats
    logs: _Floats

    @property
    def centred(self) -> tuple[_Floats, _Floats]:
        """Values and logs without their means, which removes the term of the game."""
        return self.values - self.values.mean(axis=0), self.logs - self.logs.mean()


def games_of(rows: Iterable[ClickRow]) -> Iterator[Game]:
    """Yield each game with enough certain clicks, once if several files have it."""
    seen = set()
    for name, clicks in groupby(rows, itemgetter("recording")):
        game = list(clicks)
        played = tuple((row["seconds"], row["row"], row["col"]) for row in game)
        counted = [row for row in game if _counts(row)]
        if played in seen or len(counted) < _FEWEST:
            continue
        seen.add(played)
        values = np.log([(row["reason"], max(1, row["distance"]), row["safe_cells"]) for row in counted])
        player: str = game[0]["player"]
        logs = np.log([row["thinking_seconds"] for row in counted])
        yield Game(name, _PERSONS.get(player, player), game[0]["board"], values, logs)


def _counts(row: ClickRow) -> bool:
    certain = row["kind"] == "certain" and row["opens"] == 1 and not row["helped"]
    return certain and _SECONDS[0] < row["thinking_seconds"] < _SECONDS[1]


def fit(games: Sequence[Game], terms: Iterable[str] = _TERMS) -> _Floats:
    """Return the least-squares coefficients of some terms."""
    values, logs = (np.concatenate(parts) for parts in zip(*(game.centred for game in games), strict=True))
    found, *_ = np.linalg.lstsq(values[:, [_TERMS[term] for term in terms]], logs, rcond=None)
    return np.asarray(found)


def rank_correlation(one: _Floats, other: _Floats) -> float:
    """Return Spearman's rank correlation; equal values have their mean rank."""
    return float(np.corrcoef(_ranks(one), _ranks(other))[0, 1])


def _ranks(values: _Floats) -> _Floats:
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = counts.cumsum()
    return np.asarray((ends - (counts - 1) / 2)[places], dtype=np.float64)


@dataclass(frozen=True)
class Options:
    """The options of the study."""

    folders: tuple[Path, ...] = from_decorator(click.argument("folders", type=PATH, nargs=-1, required=True))
    samples: int = option(type=click.IntRange(min=1), default=2000, show_default=True, help="Samples of games.")
    seed: int = option(type=click.IntRange(min=0), default=7, show_default=True)
    style: TableStyle = from_decorator(output_options)


@click.command(cls=Command, epilog="Example: python docs/studies/people/people.py recordings")
@with_options(Options)
def main(options: Options) -> None:
    """Fit thinking times in all recordings of some folders."""
    games = list(games_of(_rows(options.folders)))
    if len({game.person for game in games}) < 2:
        raise FormatError(f"{len(games)} games with {_FEWEST} certain clicks; expected games of 2 or more players")
    for heading, rows in [
        ("games", data(games)),
        ("median time by reason", times(games)),
        ("fit", coefficients(games, options.samples, options.seed)),
        ("held out", held_out(games)),
    ]:
        if options.style == "table":
            click.echo(f"\n{heading}")
        print_rows(rows, columns(", ".join(rows[0])), options.style)


def _rows(folders: Iterable[Path]) -> Iterator[ClickRow]:
    paths = [path for folder in folders for path in recordings_in(folder)]
    for path in with_progress(paths, " recordings"):
        try:
            recording = read_recording(path)
        except FormatError as error:
            click.echo(error, err=True)
            continue
        yield from click_rows(path.name, recording)


Row = Mapping[str, Any]


def data(games: Sequence[Game]) -> list[Row]:
    """Return the games with their numbers of clicks."""
    return [
        {"recording": game.recording, "player": game.person, "board": game.board, "clicks": len(game.logs)}
        for game in games
    ]


def times(games: Sequence[Game]) -> list[Row]:
    """Return the median times before clicks by the size of the smallest reason; 5 stands for 5 and more."""
    pairs = [
        (min(round(math.exp(clues)), 5), log)
        for game in games
        for clues, log in zip(game.values[:, _TERMS["reason"]].tolist(), game.logs.tolist(), strict=True)
    ]
    return [
        {
            "clues": clues,
            "clicks": len(logs := [log for size, log in pairs if size == clues]),
            "median_s": round(math.exp(median(logs)), 2),
        }
        for clues in sorted({size for size, _ in pairs})
    ]


def coefficients(games: Sequence[Game], count: int, seed: int) -> list[Row]:
    """Return each coefficient with its 95% interval, from `count` samples of the games."""
    random = np.random.default_rng(seed)
    samples = [fit([games[place] for place in random.integers(len(games), size=len(games))]) for _ in range(count)]
    low, high = np.quantile(samples, (0.025, 0.975), axis=0)
    single = np.array([fit([game], ("reason",))[0] for game in games])
    positive = f"{np.count_nonzero(single > 0)} of {len(games)}"
    return [
        {
            "term": term,
            "coefficient": round(found, 2),
            "low": round(low[place], 2) + 0.0,
            "high": round(high[place], 2) + 0.0,
            "positive_games": positive if term == "reason" else "",
        }
        for place, (term, found) in enumerate(zip(_TERMS, fit(games).tolist(), strict=True))
    ]


def held_out(games: Sequence[Game]) -> list[Row]:
    """Return how well each model, fitted to the other players, ranks the times of a player's clicks in a game."""
    rows = []
    for person, own in groupby(sorted(games, key=attrgetter("person")), attrgetter("person")):
        theirs, others = list(own), [game for game in games if game.person != person]
        row: dict[str, Any] = {"player": person, "clicks": sum(len(game.logs) for game in theirs)}
        for name, terms in _MODELS.items():
            found, places = fit(others, terms), [_TERMS[term] for term in terms]
            ranked = [rank_correlation(game.values[:, places] @ found, game.logs) for game in theirs]
            row[name] = round(float(np.average(ranked, weights=[len(game.logs) for game in theirs])), 3)
        rows.append(row)
    total = {"player": "mean", "clicks": sum(row["clicks"] for row in rows)}
    return [*rows, total | {key: round(np.mean([row[key] for row in rows]), 3) for key in [*rows[0]][2:]}]


if __name__ == "__main__":
    main()
