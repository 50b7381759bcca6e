"""``packs people``: ratings of puzzles beside what people needed for them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import click

from minesweeper.db.people import HumanGame, Unranked
from minesweeper.db.store import Store
from minesweeper.generator.screening import screen
from minesweeper.player.board import Puzzle
from minesweeper.player.measure.difficulty import WORDS, Difficulty, difficulty
from minesweeper.scripts.terminal import Command, TableStyle, columns, database_option, output_options, print_rows

_COLUMNS: Final = columns(
    "board, rating, games, won, helped, median_seconds: median s, seconds_per_score: s a point, "
    "needless: needless guesses a game"
)
_FEWEST: Final = 3


@dataclass(frozen=True)
class Rated:
    """A game of a person on a puzzle that logic solves, and how that is rated."""

    game: HumanGame
    rating: Difficulty


@click.command(cls=Command, epilog="Example: packs people --json")
@output_options
@database_option
def people(db: str, style: TableStyle) -> None:
    """Set the ratings of puzzles beside the games that people played on them on the page.

    Only boards that logic solves from the first click have a rating. Seconds are those of games won without help, on
    boards not met before; needless guesses are of all games that were looked at in a review. Below the table is the
    rank correlation of score and seconds for every board: 1 if every puzzle rated harder took longer, 0 if the rating
    says nothing.
    """
    with Store(db, create=False) as store:
        rated = [found for game in store.human_games() if (found := rate(game))]
    boards = sorted({found.game.board.name for found in rated})
    own = {board: [found for found in rated if found.game.board.name == board] for board in boards}
    print_rows(
        [_row(board, word, own[board]) for board in boards for word in WORDS if _of(word, own[board])], _COLUMNS, style
    )
    if style == "table":
        for board in boards:
            click.echo(f"{board}: {_agreement(own[board])}")


def rate(game: HumanGame) -> Rated | None:
    """Rate the puzzle of a game, if its first click begins one that logic solves; Kaboom's lies after the clicks."""
    if game.mode == "kaboom" or not game.recorded_clicks or game.board.mine_map[game.recorded_clicks[0].cell]:
        return None
    puzzle = Puzzle(game.board, game.recorded_clicks[0].cell)
    found = screen(puzzle, keep_hard_steps=False)
    if not found.solved:
        return None
    return Rated(game, difficulty(found.tally, found.clues_at_once, game.board.safe_cells))


def _of(word: str, rated: Iterable[Rated]) -> list[Rated]:
    return [found for found in rated if found.rating.word == word]


def _timed(rated: Iterable[Rated]) -> list[Rated]:
    """Those games whose time is that of a head alone, from start to end."""
    return [found for found in rated if found.game.won and found.game.unranked is Unranked.NO]


def _row(board: str, word: str, rated: list[Rated]) -> dict[str, object]:
    from statistics import median

    own = _of(word, rated)
    timed = _timed(own)
    judged = [found.game.stats.needless for found in own if found.game.stats is not None]
    return {
        "board": board,
        "rating": word,
        "games": len(own),
        "won": sum(found.game.won for found in own),
        "helped": sum(found.game.unranked is Unranked.HELP for found in own),
        "median_seconds": round(median(found.game.seconds for found in timed), 2) if timed else None,
        "seconds_per_score": round(median(one.game.seconds / max(one.rating.score, 0.01) for one in timed), 2)
        if timed
        else None,
        "needless": round(sum(judged) / len(judged), 2) if judged else None,
    }


def _agreement(rated: list[Rated]) -> str:
    """Say how well scores and seconds go together, by Spearman's rank correlation."""
    from statistics import correlation

    timed = _timed(rated)
    scores = [found.rating.score for found in timed]
    seconds = [found.game.seconds for found in timed]
    if len(timed) < _FEWEST or len(set(scores)) == 1 or len(set(seconds)) == 1:
        return f"too few games won alone to compare score and seconds ({len(timed)})"
    return (
        f"rank correlation of score and seconds {correlation(_ranks(scores), _ranks(seconds)):+.2f}, {len(timed)} games"
    )


def _ranks(values: list[float]) -> list[float]:
    """The places of values in order; equal ones share the middle of theirs."""
    order = sorted(values)
    return [order.index(value) + (order.count(value) - 1) / 2 for value in values]
