"""``packs people``: ratings of puzzles compared with the times of people."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import click

from minesweeper.db.people import HumanGame, Unranked
from minesweeper.db.store import Store
from minesweeper.generator.screening import screen
from minesweeper.player.core.board import Puzzle
from minesweeper.player.core.difficulty import WORDS, Difficulty, rate_solution
from minesweeper.player.core.errors import counted
from minesweeper.scripts.commands.packs.selection import no_games
from minesweeper.scripts.console.terminal import (
    Command,
    TableStyle,
    columns,
    database_option,
    output_options,
    print_rows,
)

_COLUMNS: Final = columns(
    "board, difficulty_word: rating, games, wins: won, helped_games: helped, median_seconds: median s, "
    "seconds_per_score: s a point, needless_per_game: needless guesses a game"
)
_FIELDS: Final = ("rows", "cols", "mines", *tuple(_COLUMNS)[1:])
_FEWEST_GAMES: Final = 3


@dataclass(frozen=True)
class Rated:
    """A game of a person on a puzzle that logic solves, with the rating of the puzzle."""

    game: HumanGame
    rating: Difficulty


@click.command(
    cls=Command, short_help="Compare ratings of puzzles with people's games.", epilog="Example: packs people --json"
)
@output_options
@database_option
def people(db: str, style: TableStyle) -> None:
    """Compare the ratings of puzzles with the games that people played on the page.

    Only boards that logic solves from the first click have a rating. Times are of games won without help on boards that
    were new to the player. Needless guesses are of all reviewed games. Below the table stands the rank correlation of
    score and time on each board size: 1 if every puzzle with a higher score took longer, 0 without any relation.
    """
    with Store(db, create=False) as store:
        rated = [one for game in store.people.games() if (one := rate(game))]
    rows = []
    correlations = []
    for board in sorted({one.game.board.name for one in rated}):
        own = [one for one in rated if one.game.board.name == board]
        rows += [
            {**own[0].game.board.size_to_json(), "board": board, "difficulty_word": word, **_summary(some)}
            for word in WORDS
            if (some := [one for one in own if one.rating.word == word])
        ]
        correlations.append(f"{board}: {_correlation(own)}")
    reason = no_games(db, "games of people on puzzles that logic solves", "sweep")
    print_rows(rows, _COLUMNS, style, fields=_FIELDS, empty=reason)
    if style == "table":
        click.echo("".join(f"{line}\n" for line in correlations), nl=False)


def rate(game: HumanGame) -> Rated | None:
    """Rate the puzzle of a game; None if logic does not solve it from the first click, and for Kaboom."""
    if game.mode == "kaboom" or not game.recorded_clicks or game.board.mine_map[game.recorded_clicks[0].cell]:
        return None
    found = screen(Puzzle(game.board, game.recorded_clicks[0].cell))
    if not found.solved:
        return None
    return Rated(game, rate_solution(found.tally, found.clues_at_once, game.board.safe_cells))


def _timed(rated: Iterable[Rated]) -> list[Rated]:
    """Return the games that were won without help on a new board."""
    return [one for one in rated if one.game.won and one.game.unranked is Unranked.NO]


def _summary(rated: list[Rated]) -> dict[str, object]:
    from statistics import median

    timed = _timed(rated)
    per_score = [one.game.seconds / max(one.rating.score, 0.01) for one in timed]
    needless = [one.game.stats.needless for one in rated if one.game.stats is not None]
    return {
        "games": len(rated),
        "wins": sum(one.game.won for one in rated),
        "helped_games": sum(one.game.unranked is Unranked.HELP for one in rated),
        "median_seconds": round(median(one.game.seconds for one in timed), 2) if timed else None,
        "seconds_per_score": round(median(per_score), 2) if timed else None,
        "needless_per_game": round(sum(needless) / len(needless), 2) if needless else None,
    }


def _correlation(rated: list[Rated]) -> str:
    """Describe Spearman's rank correlation of scores and times."""
    from statistics import correlation

    timed = _timed(rated)
    scores, seconds = [one.rating.score for one in timed], [one.game.seconds for one in timed]
    if len(timed) < _FEWEST_GAMES or len(set(scores)) == 1 or len(set(seconds)) == 1:
        return f"too few games won without help to compare score and seconds ({len(timed)})"
    value = correlation(_ranks(scores), _ranks(seconds))
    return f"rank correlation of score and seconds {value:+.2f}, {counted(len(timed), 'game')}"


def _ranks(values: list[float]) -> list[float]:
    """Return the rank of each value; equal values share their mean rank."""
    order = sorted(values)
    return [order.index(value) + (order.count(value) - 1) / 2 for value in values]
