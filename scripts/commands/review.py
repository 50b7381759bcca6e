"""The command `review`: judge every click of a game that a person played."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from minesweeper.player.core.errors import BoardError, FormatError, MinesweeperError, OutOfTime, counted
from minesweeper.player.core.limits import time_limit
from minesweeper.scripts.console.options import PATH, from_decorator, option, with_options
from minesweeper.scripts.console.terminal import (
    DELAY_SECONDS,
    Command,
    columns,
    database_option,
    print_rows,
    progress_bar,
    with_progress,
)

# Loaded on first use: they take longer than the rest of --help.
if TYPE_CHECKING:
    from minesweeper.player.logic.fewest_clicks import ClickPlan
    from minesweeper.player.play.click_rows import ClickRow
    from minesweeper.player.play.mouse import Mouse
    from minesweeper.player.play.recorded_games import GameReview, JudgedClick, Recording

_COLUMNS: Final = columns("click, seconds, cell, verdict, safety: safe, best, value, rating, outcome")


@dataclass(frozen=True)
class ReviewOptions:
    """The options of `review`."""

    games: tuple[str, ...] = from_decorator(
        click.argument("games", metavar="FILE|FOLDER|play:ID...", nargs=-1, required=True)
    )
    db: str = from_decorator(database_option)
    everything: bool = option("--all", "everything", is_flag=True, help="List certain clicks, too.")
    layouts: bool = option(is_flag=True, help="Draw the two layouts that prove that a guess was forced.")
    rawvf: Path | None = option(type=PATH, metavar="FILE", help="Write the game in the text format rawvf.")
    page: Path | None = option(
        "--html", "page", type=PATH, metavar="FILE", help="Write an interactive page that works offline."
    )
    as_json: bool = option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
    as_csv: bool = option("--csv", "as_csv", is_flag=True, help="Print a row for each click of all games.")
    parquet: Path | None = option(type=PATH, metavar="FILE", help="Write the rows of --csv to a file.")
    time_limit: float = option(
        type=click.FloatRange(min=0, min_open=True),
        default=20,
        metavar="SECONDS",
        help="For --csv and --parquet: time for each game; its later clicks are left out.",
    )


@click.command(
    cls=Command,
    short_help="Judge every click of a game that a person played.",
    epilog="Example: review game.evf --html game.html",
)
@with_options(ReviewOptions)
def main(options: ReviewOptions) -> None:
    """Judge every click of a game that a person played: a recording of another program, or play:ID from the database.

    packs games --people lists the games of the database. The review shows certain clicks, forced guesses, and needless
    guesses with the missed deduction; the safety of each click and of the best one; luck, speed and efficiency, beside
    a plan of few clicks. mvf and rawvf files are read at once; avf, evf and rmv need
    pip install 'minesweeper-toolkit[replays]'.

    Give several games, folders or the file of Export on the page's record with --csv or --parquet: every click becomes
    a row, with the time to think before it and the cells known then, for studies of how people play.
    """
    from minesweeper.db.formats.target import write_whole
    from minesweeper.player.play.judgement import Verdict
    from minesweeper.player.play.recorded_games import review_recording, to_rawvf
    from minesweeper.scripts.web.files import write_page

    names = list(_names(options.games))
    if options.as_csv or options.parquet is not None:
        _write_rows(names, options)
        return
    _expect_one(names)
    recordings = [recording for _, recording in _recordings(names[0], options.db)]
    _expect_one(recordings)
    recording = recordings[0]
    if options.rawvf is not None:
        write_whole(options.rawvf, lambda file: file.write(to_rawvf(recording).encode()))
        click.echo(f"written to {options.rawvf}", err=True)
        return
    with progress_bar(" clicks", len(recording.clicks), delay=DELAY_SECONDS) as bar:
        review = review_recording(recording, bar.update)
    if options.page is not None:
        write_page(review.to_json(), options.page)
        click.echo(f"written to {options.page}", err=True)
    if options.as_json:
        click.echo(json.dumps(review.to_json()))
        return
    click.echo(_summary(review))
    shown = [
        one for one in review.judgements if options.everything or one.verdict not in (Verdict.FIRST, Verdict.CERTAIN)
    ]
    if shown:
        print_rows([_row(one) for one in shown], _COLUMNS)
    for one in shown:
        if words := one.in_words():
            click.echo(f"\nclick {one.number}, {one.verdict}: {words}")
        if options.layouts and one.layouts is not None:
            safe, mine = (layout.to_text().splitlines() for layout in one.layouts)
            pairs = zip(["safe", *safe], ["a mine", *mine], strict=True)
            click.echo("\n".join(f"{left:<{max(4, len(safe[0]))}}   {right}" for left, right in pairs))


def _names(games: Iterable[str]) -> Iterator[str]:
    """Yield the games, and for a folder all recordings inside."""
    from minesweeper.player.play.recorded_games import recordings_in

    for game in games:
        yield from map(str, recordings_in(Path(game))) if Path(game).is_dir() else [game]


def _expect_one(games: Sequence[object]) -> None:
    if len(games) != 1:
        raise click.UsageError(f"{counted(len(games), 'game')}; expected one, or --csv or --parquet FILE")


def _recording(name: str, database: str) -> Recording:
    from minesweeper.db.store import Store
    from minesweeper.player.play.recorded_games import read_recording

    if name.startswith("play:"):
        with Store(database, create=False) as store:
            return store.people.game(name).recording
    return read_recording(name)


def _recordings(name: str, database: str) -> Iterator[tuple[str, Recording]]:
    """Yield a game with its name, or all games in a record of the page except those of Kaboom, which is never fair."""
    if Path(name).suffix.lower() != ".json":
        yield name, _recording(name, database)
        return
    from minesweeper.db.people import PROGRAM, clicks_from_json
    from minesweeper.player.core.board import Board
    from minesweeper.player.play.recorded_games import record_game
    from minesweeper.scripts.web.puzzles import read_board_token
    from minesweeper.scripts.web.settings import ApiError

    try:
        for game in json.loads(Path(name).read_bytes())["games"]:
            if game.get("recorded_clicks") and game["mode"] != "kaboom":
                token, mines = game.get("puzzle"), game.get("mines")
                rows = "\n".join(mines or ())
                board = read_board_token(token).board if token else Board.from_text(rows, game.get("grid", ""))
                clicks = clicks_from_json(game["recorded_clicks"])
                yield f"{name}:{game['id']}", record_game(board, clicks, game["seconds"], game["clicks"], PROGRAM)
    except (ApiError, BoardError, AttributeError, KeyError, TypeError, ValueError) as error:
        expected = "expected a file that Export on the page's record has written"
        raise FormatError(f"'{name}' is no record; {expected}") from error


def _write_rows(names: Sequence[str], options: ReviewOptions) -> None:
    """Write the clicks of all games; say which games are left out, in whole or in part, and why."""
    from minesweeper.db.formats.parquet import pyarrow, write_click_rows
    from minesweeper.player.play.click_rows import CLICK_COLUMNS, click_rows

    if options.parquet is not None:
        pyarrow()  # to fail before the work
    rows: list[ClickRow] = []
    problems = []
    games = 0
    for name in with_progress(names, " games"):
        try:
            for game, recording in _recordings(name, options.db):
                games += 1
                before = len(rows)
                try:
                    with time_limit(options.time_limit):
                        rows.extend(click_rows(game, recording))
                except OutOfTime:
                    done = f"{len(rows) - before} of {len(recording.clicks)} clicks"
                    problems.append(f"{game}: {done} after {options.time_limit:g} s; allow more with --time-limit")
        except (MinesweeperError, OSError) as error:
            if len(names) == 1:
                raise
            games += 1
            problems.append(str(error))
    if options.parquet is not None:
        write_click_rows(rows, options.parquet)
        click.echo(f"{counted(len(rows), 'click')} written to {options.parquet}", err=True)
    else:
        print_rows(rows, {column.name: column.name for column in CLICK_COLUMNS}, "csv")
    for problem in problems:
        click.echo(problem, err=True)
    if problems:
        click.echo(f"{counted(len(problems), 'game')} of {games} left out, in whole or in part", err=True)
        raise SystemExit(1)


def _summary(review: GameReview) -> str:
    from minesweeper.player.play.judgement import Verdict

    game, found = review.recording, review.to_json()
    verdicts = ", ".join(f"{review.count(verdict)} {verdict}" for verdict in Verdict if review.count(verdict))
    by = f" by {game.player}" if game.player else ""
    ended = "won" if game.won else "lost" if game.exploded else "not finished, ended"
    luck = None if review.luck is None else _share(review.luck)
    lines = [
        f"{game.board.title}{by}, {game.program or 'unknown program'}: {ended} in {game.seconds:.2f} s",
        f"clicks that opened: {verdicts}",
        f"3BV: {found['solved_bbbv']} of {found['bbbv']}" + _figure(", {:.2f} per second", found["bbbv_per_second"]),
        f"clicks: {game.click_count}"
        + _figure(", 3BV per click {:.2f}", found["efficiency"])
        + _figure(f", ZiNi {found['zini']}, per click {{:.2f}}", found["zini_efficiency"]),
        f"luck: {_figure('{}, the probability of surviving all guesses', luck, 'unknown')}"
        + _figure("; pluck {:.2f}", review.pluck or None),
        f"time without a certain cell: {review.stuck_seconds:.2f} s",
    ]
    if game.mouse is not None:
        lines[4:4] = [_mouse(game.mouse, found)]
    if review.plan is not None and game.won:
        lines[4:4] = [_plan(review, review.plan)]
    if game.mode != "standard":
        free = sum(one.by_rule for one in review.judgements)
        lines[1:1] = [f"mode: {game.mode}" + (f", whose rule made {counted(free, 'guess')} certain" if free else "")]
    return "\n".join(lines)


def _mouse(mouse: Mouse, found: dict[str, Any]) -> str:
    return (
        f"mouse: {mouse.count('left')} left, {mouse.count('flag')} right, {counted(mouse.count('chord'), 'chord')}"
        + _figure(" of {:.1f} cells", mouse.cells_per_chord)
        + f"; {found['wasted_clicks']} clicks and {counted(found['wasted_flags'], 'flag')} wasted"
        + _figure("; correctness {:.2f}", found["correctness"])
        + _figure(", throughput {:.2f}", found["throughput"])
        + f"; path of {mouse.path:.0f} cells"
    )


def _plan(review: GameReview, plan: ClickPlan) -> str:
    bound = "the fewest possible" if plan.proved else f"at least {plan.bound} are needed"
    text = f"plan from the same first click: {counted(plan.count, 'click')}, {bound}"
    if review.parted is None:
        return text
    more = review.recording.click_count - plan.count
    one = review.parted
    return (
        f"{text}; you made {more} more, and left it at {one.seconds:.2f} s ({one.kind} at {one.cell[0]},{one.cell[1]})"
    )


def _share(chance: float) -> str:
    """Return a chance in percent, never 0.00% if it is more than nothing."""
    return f"{chance:.2%}" if chance >= 0.00005 or not chance else f"{100 * chance:.1e}%"


def _figure(form: str, value: object, otherwise: str = "") -> str:
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
        "safety": "" if one.safety is None else _share(one.safety),
        "best": _figure("{:.2%}", one.best_safety) + place,
        "value": "" if guess is None else f"{guess.chosen.value:.2%} {guess.evaluation.kind}",
        "rating": "" if guess is None else guess.rating,
        "outcome": "" if one.survived else "a mine",
    }
