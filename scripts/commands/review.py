"""The command `review`: judge every click of a game that a person played."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from minesweeper.db.store import Store
from minesweeper.player.play.judgement import Verdict
from minesweeper.player.play.recorded_games import GameReview, JudgedClick, read_recording, review_recording
from minesweeper.scripts.console.options import PATH, from_decorator, option, with_options
from minesweeper.scripts.console.terminal import (
    DELAY_SECONDS,
    Command,
    columns,
    database_option,
    print_rows,
    progress_bar,
)
from minesweeper.scripts.web.files import write_page

_COLUMNS: Final = columns("click, seconds, cell, verdict, safety: safe, best, value, rating, outcome")


@dataclass(frozen=True)
class ReviewOptions:
    """The options of `review`."""

    game: str = from_decorator(click.argument("game", metavar="FILE|play:ID"))
    db: str = from_decorator(database_option)
    everything: bool = option("--all", "everything", is_flag=True, help="List certain clicks, too.")
    layouts: bool = option(is_flag=True, help="Draw the two layouts that prove that a guess was forced.")
    page: Path | None = option(
        "--html", "page", type=PATH, metavar="FILE", help="Write an interactive page that works offline."
    )
    as_json: bool = option("--json", "as_json", is_flag=True, help="Print everything as JSON.")


@click.command(cls=Command, epilog="Example: review game.evf --html game.html")
@with_options(ReviewOptions)
def main(options: ReviewOptions) -> None:
    """Judge every click of a game that a person played: an avf, evf, rmv or mvf file, or play:ID from the database.

    packs games --people lists the games of the database. The review shows certain clicks, forced guesses, and needless
    guesses with the missed deduction; the safety of each click and of the best one; luck, speed and efficiency. Files
    need pip install 'minesweeper-toolkit[replays]'.
    """
    if options.game.startswith("play:"):
        with Store(options.db, create=False) as store:
            recording = store.people.game(options.game).recording
    else:
        recording = read_recording(options.game)
    with progress_bar(" clicks", len(recording.clicks), delay=DELAY_SECONDS) as bar:
        review = review_recording(recording, bar.update)
    if options.page is not None:
        write_page(review.to_json(), options.page)
        click.echo(f"written to {options.page}", err=True)
    if options.as_json:
        click.echo(json.dumps(review.to_json()))
        return
    click.echo(_summary(review))
    shown = [one for one in review.judgements if options.everything or one.verdict not in _PLAIN]
    if shown:
        print_rows([_row(one) for one in shown], _COLUMNS)
    for one in shown:
        if words := one.in_words():
            click.echo(f"\nclick {one.number}, {one.verdict}: {words}")
        if options.layouts and one.layouts is not None:
            safe, mine = (layout.to_text().splitlines() for layout in one.layouts)
            pairs = zip(["safe", *safe], ["a mine", *mine], strict=True)
            click.echo("\n".join(f"{left:<{max(4, len(safe[0]))}}   {right}" for left, right in pairs))


_PLAIN: Final = (Verdict.FIRST, Verdict.CERTAIN)


def _summary(review: GameReview) -> str:
    game, found = review.recording, review.to_json()
    verdicts = ", ".join(f"{review.count(verdict)} {verdict}" for verdict in Verdict if review.count(verdict))
    by = f" by {game.player}" if game.player else ""
    lines = [
        f"{game.board.name}{by}, {game.program}: {'won' if game.won else 'lost'} in {game.seconds:.2f} s",
        f"clicks that opened: {verdicts}",
        f"3BV: {found['solved_bbbv']} of {found['bbbv']}" + _figure(", {:.2f} per second", found["bbbv_per_second"]),
        f"clicks: {game.click_count}"
        + _figure(", 3BV per click {:.2f}", found["efficiency"])
        + _figure(f", ZiNi {found['zini']}, per click {{:.2f}}", found["zini_efficiency"])
        + _figure("; with safe guesses, the strategy efficient wins with {}", review.few_clicks),
        "luck: " + _figure("{:.2%}, the probability of surviving all guesses", review.luck, "unknown"),
        f"time without a certain cell: {review.stuck_seconds:.2f} s",
    ]
    return "\n".join(lines)


def _figure(form: str, value: float | None, otherwise: str = "") -> str:
    return otherwise if value is None else form.format(value)


def _row(one: JudgedClick) -> dict[str, object]:
    guess = one.guess
    chord = " (chord)" if one.click.cells != (one.click.cell,) else ""
    best = one.solved.best
    place = "" if best is None else f" at {best[0]},{best[1]}"
    return {
        "click": one.number,
        "seconds": f"{one.click.seconds:.2f}",
        "cell": f"{one.click.cell[0]},{one.click.cell[1]}{chord}",
        "verdict": one.verdict,
        "safety": _figure("{:.2%}", one.safety),
        "best": _figure("{:.2%}", one.best_safety) + place,
        "value": "" if guess is None else f"{guess.chosen.value:.2%} {guess.evaluation.kind}",
        "rating": "" if guess is None else guess.rating,
        "outcome": "" if one.survived else "a mine",
    }
