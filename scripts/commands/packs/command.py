"""The command `packs`: list, summarise, rate and export stored puzzles."""

from __future__ import annotations

import json
import shutil
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Final

import click

from minesweeper.db import formats
from minesweeper.db.columns import DIGITS, PUZZLE_COLUMNS, SHORT_ID, Use, columns_for, reader
from minesweeper.db.formats import comma, jsonl
from minesweeper.db.formats.printable import PAPERS
from minesweeper.db.formats.registry import FORMATS, JSON_LINES, Format, format_by_extension, format_named, format_of
from minesweeper.db.parts import open_puzzles
from minesweeper.db.people import HumanGame
from minesweeper.db.records import GameRecord, PuzzleRecord
from minesweeper.db.store import Store
from minesweeper.db.tables import size_of, tables_of
from minesweeper.player.core.difficulty import WORDS
from minesweeper.player.core.errors import counted
from minesweeper.player.core.grid import RECTANGLE, in_words
from minesweeper.player.core.steps import Tier
from minesweeper.player.logic.sentences import LANGUAGES
from minesweeper.scripts.commands.packs import hardness, transfer
from minesweeper.scripts.commands.packs.selection import Selection, no_games, selected, selection_options, why_none
from minesweeper.scripts.console.options import complete_puzzles, from_decorator, option, with_options
from minesweeper.scripts.console.terminal import (
    CommandGroup,
    TableStyle,
    columns,
    database_option,
    output_options,
    print_json,
    print_rows,
    progress_bar,
    wants_colour,
    with_progress,
)

_BARS: Final = 10
_BAR_WIDTH: Final = 40
_COUNTED: Final = columns_for(Use.COUNTED)
_HISTOGRAMS: Final = columns_for(Use.HISTOGRAM)
_GAME: Final = columns("id, strategy, board, result, guesses, played")
_GAME_FIELDS: Final = (
    *("id", "strategy", "puzzle_id", "rows", "cols", "grid", "mines", "start", "first_click", "seed", "sample_index"),
    *("won", "fault", "opened", "guesses", "seconds", "played"),
)
_HUMAN_GAME: Final = columns("id, title: board, result, seconds, clicks, unranked, ended")
_HUMAN_GAME_FIELDS: Final = (
    *("id", "mode", "title", "rows", "cols", "grid", "mines", "won", "seconds", "clicks", "unranked", "ended"),
)
_PAPER: Final = "Paper"
_FORMATS: Final = [known.name for known in FORMATS]
_MOST_IN_TABLE: Final = 20
_TABLE: Final = {column.name: column.heading for column in PUZZLE_COLUMNS if column.heading}
_LISTED: Final = columns_for(Use.LISTED)
_table_values, _listed_values = reader(column for column in PUZZLE_COLUMNS if column.heading), reader(_LISTED)


@click.group(cls=CommandGroup)
def main() -> None:
    """List, check, convert and share stored puzzles.

    PATH in --db, --into and MINESWEEPER_DB is a database or a folder of Parquet parts. Puzzles that cannot be read are
    named and skipped, and the exit code is 1.
    """


main.add_command(transfer.import_puzzles)
main.add_command(transfer.merge)
main.add_command(transfer.verify)
main.add_command(hardness.people)


@main.command("list", epilog="Example: packs list --size 16x30 --tier 'mine count' --limit 5")
@selection_options
@output_options
@database_option
def list_puzzles(db: str, style: TableStyle, selection: Selection) -> None:
    """List puzzles with the number of cells that each tier decides. A table has 20 rows unless --limit changes it."""
    if style == "table" and selection.limit is None:
        selection = replace(selection, limit=_MOST_IN_TABLE)
    with selected(db, selection, tabular=style != "table") as (store, records):
        if style == "json":
            print_json(jsonl.in_json(tables_of(records), ensure_ascii=True))
        elif style == "csv":
            for _, text in comma.in_csv(tables_of(records)):
                click.echo(text, nl=False)
        else:
            found = store.count(**selection.filters)
            if not found:
                click.echo(why_none(store, db))
                return
            names = {name.removeprefix("-") for name in selection.sort} - {*_TABLE, "mine_bits", "path"}
            extra = [column for column in PUZZLE_COLUMNS if column.name in names]
            values = reader(extra)
            rows = [{**values(record), **_in_table(record.with_measures())} for record in records]
            print_rows(rows, _TABLE | {column.name: column.title for column in extra})
            click.echo(f"\n{len(rows)} of {counted(found, 'puzzle')}")


@main.command(epilog="Example: packs show 3b3d07 --solved")
@click.argument("id", shell_complete=complete_puzzles)
@click.option("--solved", is_flag=True, help="Draw all mines and clues, not only the view after the first click.")
@click.option("--view", "as_view", is_flag=True, help="Print only the view after the first click, as plain text.")
@click.option("--path", "as_path", is_flag=True, help="Print the solution path, each step with the clues it needs.")
@click.option("--json", "as_json", is_flag=True, help="Print the puzzle with all columns as JSON.")
@database_option
def show(db: str, id: str, solved: bool, as_view: bool, as_path: bool, as_json: bool) -> None:
    """Draw the puzzle whose id begins with ID. The command analyse reads this output."""
    from minesweeper.player.render.text import draw

    if solved + as_view + as_path + as_json > 1:
        raise click.UsageError("two of --solved, --view, --path and --json; expected one of them")
    with open_puzzles(db) as store:
        record = store.puzzle(id)
    if as_json:
        click.echo(json.dumps(jsonl.puzzle_to_json(record)))
        return
    if as_view:
        click.echo(record.puzzle.view.to_text())
        return
    if as_path:
        from minesweeper.player.logic.effort import path_effort
        from minesweeper.player.logic.path import solution_path

        path = solution_path(record.puzzle)
        click.echo(f"{path.in_words()}\n{path_effort(path)}")
        return
    board, first_click = record.puzzle.board, record.puzzle.first_click
    width = shutil.get_terminal_size().columns
    shown = board if solved else record.puzzle.view
    click.echo(draw(shown, colour=wants_colour(), width=width, marked=[first_click]), color=wants_colour())
    facts = _listed(record.with_measures())
    known = [f"{one.title:<18}{_in_words(facts[one.name])}" for one in _LISTED if facts[one.name] not in (None, "")]
    click.echo("\n".join(["", *known]))


@dataclass(frozen=True)
class Exporting:
    """The argument and options of `packs export`; None stands for an option that was not given."""

    file: str = from_decorator(click.argument("file"))
    name: str | None = option(
        *("--format", "name"),
        type=click.Choice(_FORMATS),
        metavar="NAME",
        help=f"The format: {', '.join(_FORMATS)}. [default: by the extension of FILE]",
    )
    steps: bool | None = option(
        is_flag=True,
        default=None,
        help="Add the solutions in steps: to .html and .pdf as numbers and lists, to .parquet as a column.",
    )
    columns: Sequence[str] | None = option(
        metavar="NAME,...",
        callback=lambda _context, _parameter, text: text and [name.strip() for name in text.split(",")],
        help="Only these columns of .json, .jsonl, .csv or .parquet; board is the board in plain text.",
    )
    paper: str | None = option(type=click.Choice(list(PAPERS)), group=_PAPER, help="The paper of a book. [default: A4]")
    per_page: int | None = option(
        type=click.IntRange(1, 99), group=_PAPER, help="Puzzles on a page. [default: as many as stay readable]"
    )
    title: str | None = option(metavar="TEXT", group=_PAPER, help="The title of a book.")
    introduction: str | None = option(metavar="TEXT", group=_PAPER, help="The text below the title.")
    first_number: int | None = option(
        type=click.IntRange(min=0), group=_PAPER, help="The number of the first puzzle. [default: 1]"
    )
    language: str | None = option(
        type=click.Choice(LANGUAGES), group=_PAPER, help="The language of a book. [default: en]"
    )
    sections: str | None = option(
        metavar="COLUMN", group=_PAPER, help="A section with its own page for each value, e.g. paper_tier or size."
    )
    selection: Selection = from_decorator(selection_options)
    db: str = from_decorator(database_option)


@main.command(epilog="Example: packs export book.html --clues easy --limit 20")
@with_options(Exporting)
def export(options: Exporting) -> None:
    """Write puzzles to a file, or to stdout if FILE is "-".

    The extension of FILE determines the format: .jsonl, .json, .csv, .db, .parquet, .mbf, .sgt, .mine, .ptt,
    .board, .html, .pdf, .txt, .link, .path, .svg or .png; the default for stdout is JSON lines. FILE is created or
    replaced once it is complete, except that a database in use is never replaced. If FILE is a folder, each puzzle
    becomes a file there, and --format is required. The exit code is 1 if the format leaves out puzzles on other grids.

    All tables have the same columns by default; --columns can add run and created, which are those of the database, and
    mine_bits, the mines in hexadecimal: one bit a cell, row by row, most significant bit first. An installed Chromium,
    Chrome or Edge prints .pdf and draws .png.
    """
    file, pack = options.file, None if options.name is None else format_named(options.name)
    if options.name is None and Path(file).is_dir():
        raise click.UsageError(f"{file!r} is a folder; expected a file, or --format for a file of each puzzle")
    selection = options.selection
    names = {*(one.name for one in fields(Exporting))} - {"file", "name", "selection", "db"}
    given = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    if given or selection.clues is not None:
        pack = pack or (JSON_LINES if file == "-" else format_of(file))
        ordered = selection.sort or selection.where or selection.paper_tier
        if selection.clues is not None and ("clues" in pack.options or not ordered):
            given["clues"] = selection.clues
        pack = pack.with_options(**given)
    if options.sections:
        selection = replace(selection, sort=[options.sections, *selection.sort])
    used = pack or (None if Path(file).is_dir() else JSON_LINES if file == "-" else format_by_extension(file))
    whole = selection
    if used is not None and used.foreign:
        selection = _on_rectangles(selection, options.db, used)
    tabular = used is not None and used.tabular
    with selected(options.db, selection, tabular=tabular) as (store, found):
        records = with_progress(found, " puzzles", selection.limit, size=size_of if tabular else None)
        if file == "-":
            count = (pack or JSON_LINES).write(records, sys.stdout.buffer)
        elif pack is not None and Path(file).is_dir():
            count = formats.save_each(records, file, pack)
        else:
            count = formats.save(records, file, pack)
        if not count:
            click.echo(f"nothing is written: {why_none(store, options.db)}", err=True)
            sys.exit(1)
        click.echo(f"{counted(count, 'puzzle')} written to {'stdout' if file == '-' else file}", err=True)
    if selection is not whole:
        sys.exit(1)


def _on_rectangles(selection: Selection, db: str, pack: Format) -> Selection:
    """Return the selection for a format without grids; print how many puzzles on other grids it leaves out."""
    if selection.size is not None or selection.grid is not None:
        return selection
    chosen = replace(selection, grid=RECTANGLE)
    with open_puzzles(db) as store:
        rectangles = store.count(**chosen.filters)
        others = store.count(**selection.filters) - rectangles
    if not others or not rectangles:
        return selection
    left_out = f"{counted(others, 'puzzle')} on other grids will be left out"
    click.echo(f"{pack.title} have rectangles only: {left_out}", err=True)
    return chosen


@main.command(
    short_help="List recorded games, newest first.", epilog="Example: packs games --limit 5, then autoplay --replay ID"
)
@click.option(
    "--limit", type=click.IntRange(min=1), default=20, show_default=True, metavar="N", help="At most this many."
)
@click.option("--people", is_flag=True, help="List games that people played on the page, with their ids for review.")
@output_options
@database_option
def games(db: str, limit: int, people: bool, style: TableStyle) -> None:
    """List recorded games, newest first, with their ids for autoplay --replay and analyse game:ID."""
    from minesweeper.player.play.strategies.loading import revision_note

    with Store(db, create=False) as store:
        if people:
            games = store.people.games(limit=limit)
            reason = no_games(db, "games of people", "sweep")
            print_rows(map(_human_game, games), _HUMAN_GAME, style, fields=_HUMAN_GAME_FIELDS, empty=reason)
            return
        rows = [_game(*game) for game in store.games(limit)]
    print_rows(rows, _GAME, style, fields=_GAME_FIELDS, empty=no_games(db))
    if style == "table" and (note := revision_note([str(row["strategy"]) for row in rows])):
        click.echo(note)


def _human_game(game: HumanGame) -> dict[str, object]:
    return {
        **{name: getattr(game, name) for name in ("mode", "title", "won", "clicks", "ended")},
        **game.board.size_to_json(),
        "id": f"play:{game.number}",
        "result": "won" if game.won else "lost",
        "seconds": round(game.seconds, 2),
        "unranked": game.unranked or None,
    }


def _game(number: int, played: str, game: GameRecord) -> dict[str, object]:
    if isinstance(game.board, str):
        board = {**dict.fromkeys(_GAME_FIELDS), "board": f"puzzle {game.board}", "puzzle_id": game.board}
    else:
        recipe, index = game.board.recipe, game.board.index
        board = {"board": f"{recipe.name} {index}", "puzzle_id": None, **recipe.to_json(), "sample_index": index}
    return {
        **board,
        **{name: getattr(game, name) for name in ("strategy", "won", "fault", "opened", "guesses", "seconds")},
        "id": number,
        "result": "won" if game.won else "lost" if game.fault is None else f"forfeited: {game.fault}",
        "played": played,
    }


def _listed(record: PuzzleRecord) -> dict[str, object]:
    values = _listed_values(record)
    return {key: round(value, DIGITS) if isinstance(value, float) else value for key, value in values.items()}


def _in_words(value: object) -> object:
    return ("yes" if value else "no") if isinstance(value, bool) else value


def _in_table(record: PuzzleRecord) -> Mapping[str, object]:
    hardest = record.hardest_tier or record.verdict
    return _table_values(record) | {"id": record.id[:SHORT_ID], "hardest_tier": hardest}


@main.command(epilog="Example: packs rate --db pack.db")
@click.option("--path", "as_path", is_flag=True, help="Find the solution paths, too, and store their measures.")
@database_option
def rate(db: str, as_path: bool) -> None:
    """Compute the metrics and the difficulty of puzzles without them."""
    with Store(db, create=False) as store, progress_bar(" puzzles") as bar:
        rated, total = store.rate(paths=as_path, report=bar.update), store.count()
    known = counted(total, "puzzle")
    click.echo(f"{rated} of {known} rated" if rated else f"nothing to do: {known} already rated")


@main.command(
    short_help="Summarise puzzles: counts and distributions.",
    epilog="Example: packs stats --size 16x30 --start opening",
)
@selection_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@database_option
def stats(db: str, selection: Selection, as_json: bool) -> None:
    """Summarise puzzles: counts of each kind, and distributions of metrics and difficulty."""
    summary = PackSummary()
    with selected(db, selection) as (store, found):
        for record in with_progress(found, " puzzles", selection.limit):
            summary.add(record)
        reason = "" if summary.puzzles else why_none(store, db)
        click.echo(json.dumps(summary.as_json()) if as_json else reason or "\n".join(summary.lines()))


@dataclass
class PackSummary:
    """Counts of puzzles by kind, and of the values of metrics. Memory depends only on the number of distinct values."""

    puzzles: int = 0
    kinds: dict[str, Counter[str]] = field(default_factory=lambda: {column.name: Counter() for column in _COUNTED})
    values: dict[str, Counter[int]] = field(default_factory=lambda: {column.name: Counter() for column in _HISTOGRAMS})

    def add(self, record: PuzzleRecord) -> None:
        """Count one more puzzle."""
        self.puzzles += 1
        measured = record.with_measures()
        for column in _COUNTED:
            if (kind := column.read(measured)) is not None:
                self.kinds[column.name][str(_in_words(kind))] += 1
        for column in _HISTOGRAMS:
            if isinstance(value := column.read(measured), int | float):
                self.values[column.name][int(value)] += 1

    def as_json(self) -> dict[str, object]:
        """Return everything as JSON; the distributions are pairs of value and count."""
        return {
            "puzzles": self.puzzles,
            "counts": {name: dict(_ordered(name, counts)) for name, counts in self.kinds.items()},
            "distributions": {name: sorted(counts.items()) for name, counts in self.values.items()},
        }

    def lines(self) -> list[str]:
        """Return everything as text, tables and small histograms."""
        lines = [counted(self.puzzles, "puzzle")]
        for column in _COUNTED:
            counts = _ordered(column.name, self.kinds[column.name])
            lines += ["", column.title]
            lines += [f"  {in_words(value):<24}{count:>9}  {count / self.puzzles:7.2%}" for value, count in counts]
        for column in _HISTOGRAMS:
            if values := self.values[column.name]:
                lines += ["", f"{column.title}: {_spread(values)}", *histogram(values)]
        return lines


def _ordered(name: str, counts: Counter[str]) -> list[tuple[str, int]]:
    """Return the counts of a kind: tiers and difficulties from easy to hard, others by frequency."""
    order: dict[str, list[str]] = {"hardest_tier": [tier.title for tier in Tier], "difficulty_word": list(WORDS)}
    if name in order:
        return [(value, counts[value]) for value in order[name] if counts[value]]
    return counts.most_common()


def _spread(counts: Counter[int]) -> str:
    values = sorted(counts.elements())
    mean, median = sum(values) / len(values), values[(len(values) - 1) // 2]
    return f"{values[0]} to {values[-1]}, median {median}, mean {mean:.1f}"


def histogram(counts: Counter[int]) -> list[str]:
    """Draw counts of integers as at most 10 bars of equal width; the longest has 40 marks."""
    low, high = min(counts), max(counts)
    width = -(-(high - low + 1) // _BARS)
    bars: Counter[int] = Counter()
    for value, count in counts.items():
        bars[(value - low) // width] += count
    most = max(bars.values())
    ranges = [(low + bar * width, low + (bar + 1) * width - 1) for bar in range(max(bars) + 1)]
    names = [f"{first}" if width == 1 else f"{first}-{last}" for first, last in ranges]
    margin = max(map(len, names))
    lengths = [-(-_BAR_WIDTH * bars[bar] // most) for bar in range(len(names))]
    return [
        f"  {name:>{margin}} {'#' * length:<{_BAR_WIDTH}} {bars[bar]}"
        for bar, (name, length) in enumerate(zip(names, lengths, strict=True))
    ]
