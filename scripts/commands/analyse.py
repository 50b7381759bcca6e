"""The command `analyse`: deductions of a position with their reasons, mine probabilities, and the best guess."""

from __future__ import annotations

import json
import math
import re
import shutil
import sys
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

import click

from minesweeper.player import kernel_api
from minesweeper.player.core import limits
from minesweeper.player.core.board import Board, View, cells_of
from minesweeper.player.core.errors import BoardError, ConfigError, InconsistentView, OutOfTime, TooWide, counted
from minesweeper.player.core.grid import Cell
from minesweeper.player.core.limits import MOST_CELLS
from minesweeper.player.core.mine_range import MineRange, parse_mines
from minesweeper.player.core.results import Candidate
from minesweeper.player.core.steps import Engine
from minesweeper.player.logic import closure
from minesweeper.player.logic.clauses import CardinalityEncoding
from minesweeper.player.logic.deduction import Deduction, count_sentence, reasons_of
from minesweeper.player.logic.reasons import counterexample, reason
from minesweeper.player.logic.sentences import Sentence
from minesweeper.player.logic.unavoidable import UnavoidableGuess, unavoidable_guesses
from minesweeper.player.play.analysis import Analysis, Guess, analyse, reason_to_json
from minesweeper.player.play.stats import Interval
from minesweeper.player.render.text import Glyph, draw, draw_probabilities
from minesweeper.scripts.console.arguments import parse_cell, parse_opened, shown_by
from minesweeper.scripts.console.options import engine_option, from_decorator, option, with_options
from minesweeper.scripts.console.terminal import Command, database_option, progress_bar, wants_colour

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from minesweeper.db.formats.positions import OpenedCells

CONTRADICTION: Final = 1
GAVE_UP: Final = 3
_SAFE: Final = Glyph("s", {"fg": "black", "bg": "green"})
_MINE: Final = Glyph("*", {"fg": "black", "bg": "red"})
_MOST_DIGITS: Final = 15
_WIDEST_TEXT: Final = 100
_ENCODINGS: Final = get_args(CardinalityEncoding)
_SECONDS: Final = click.FloatRange(0, 86_400, min_open=True)


@dataclass(frozen=True)
class AnalyseOptions:
    """The argument and options of `analyse`."""

    position: str = from_decorator(click.argument("position", metavar="FILE|-|ID"))
    mines: int | MineRange | None = option(
        metavar="N|A-B|?",
        callback=lambda _context, _parameter, text: None if text is None else parse_mines(text),
        help="Number of mines, if the position lacks it: also a range, or ? if unknown; @0.2 adds a density.",
    )
    opened: OpenedCells = option(
        metavar="R,C...|all",
        callback=lambda _context, _parameter, text: parse_opened(text),
        help="Open these cells of a puzzle as well, e.g. '3,4 5,6'.",
    )
    index: int = option(type=click.IntRange(min=0), default=0, help="The number of the puzzle in a pack, from 0.")
    explain: bool = option("--all", "explain", is_flag=True, help="Print every deduction, step by step.")
    why: str | None = option(metavar="R,C", help="Explain only this cell: why it is known, or that it is not.")
    strategy: str | None = option(
        metavar="NAME", help="Strategy of the guess. [default: champion, or local without the kernel]"
    )
    time_limit: float = option(
        type=_SECONDS,
        default=10.0,
        metavar="SECONDS",
        show_default=True,
        help="Stop after this time and print the results so far.",
    )
    think: float | None = option(
        type=_SECONDS, metavar="SECONDS", help="Rate the guesses by playing random layouts for this time."
    )
    engine: Engine = from_decorator(engine_option)
    db: str = from_decorator(database_option)
    dimacs: bool = option(is_flag=True, help="Print the position as DIMACS CNF: variables are true for mines.")
    encoding: CardinalityEncoding | None = option(
        type=click.Choice(_ENCODINGS),
        metavar="NAME",
        help=f"Encoding for --dimacs: {', '.join(_ENCODINGS)}. [default: binomial clues, mines counted]",
    )
    as_json: bool = option("--json", "as_json", is_flag=True, help="Print JSON.")
    picture: str | None = option(
        metavar="FILE", help="Draw safe cells, mines and chances over the picture that shows the position."
    )


@click.command(
    cls=Command,
    short_help="Explain a position: deductions, probabilities, best guess.",
    epilog="Example: analyse position.txt --why 3,4",
)
@with_options(AnalyseOptions)
def main(options: AnalyseOptions) -> None:
    """Explain a position: deductions with reasons, mine probabilities, the best guess, and unavoidable guesses.

    The position is a file, stdin, the id of a stored puzzle, or game:ID for the board of a recorded game. Its format is
    recognised: a first line ROWSxCOLS/MINES, then rows of # (hidden) and clues; the output of packs show, autoplay
    --watch or analyse; any format that packs import reads; a Gem Hunter grid; a picture of any program's board. A
    puzzle means its view after the first click. Rows and columns count from 0. Exits with 1 if the position is
    contradictory, with 3 if time ran out.
    """
    if options.encoding and not options.dimacs:
        raise click.UsageError("--encoding without --dimacs; expected both")
    shown = shown_by(options.position, options.db, options.mines, options.index)
    if isinstance(shown, View) and not options.opened:
        view = shown
    else:
        from minesweeper.db.formats.positions import view_of

        view = view_of(shown, options.opened)
    if options.dimacs:
        from minesweeper.player.logic.cnf import cnf

        click.echo(cnf(view, encoding=options.encoding).to_dimacs())
        return
    sys.exit(_explain_position(view, options) if options.why is None else _explain_cell(view, options.why, options))


def _explain_position(view: View, options: AnalyseOptions) -> int:
    """Print an analysis and return the exit status."""
    limit, seconds = options.time_limit, options.think
    found = analyse(view, strategy=options.strategy, explain=options.explain, engine=options.engine, time_limit=limit)
    if options.picture is not None:
        _draw_over(found, options.position, options.picture)
    unavoidable = _unavoidable(found, limit)
    if not options.as_json:
        click.echo("\n".join(_analysis(found, limit)), color=wants_colour())
        for guess in unavoidable:
            click.echo(_wrapped(guess.in_words()))
    layouts, thoughts = (0, []) if seconds is None or found.guess is None else _think(found, found.guess, seconds)
    if options.as_json:
        rated = {} if seconds is None else {"thoughts": [_thought_to_json(thought, layouts) for thought in thoughts]}
        click.echo(json.dumps(found.to_json() | {"unavoidable": list(map(_unavoidable_to_json, unavoidable))} | rated))
    elif thoughts:
        click.echo(f"\nwin probability, from {layouts:,} random layouts:")
        click.echo("\n".join(map(_thought, thoughts)))
    if found.clash is not None:
        return CONTRADICTION
    return 0 if found.complete else GAVE_UP


def _draw_over(found: Analysis, position: str, path: str) -> None:
    """Write the picture of the position with the analysis drawn over it."""
    from minesweeper.player.see.overlay import draw_over
    from minesweeper.player.see.reading import is_picture, read_image

    if position == "-" or not Path(position).is_file() or not is_picture(Path(position).read_bytes()[:16]):
        raise ConfigError("--picture draws over a picture; expected the position to be a file with one")
    if found.known is None:
        raise ConfigError("--picture needs a position with a layout of mines; the clues contradict each other")
    best = found.guess.best.cell if found.guess else next(iter(found.safe_cells), None)
    drawn = draw_over(position, read_image(position), found.known, found.chances, best)
    try:
        drawn.save(path)
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot write {path!r} ({error}); expected a name ending in .png, .jpg or .webp") from None


def _unavoidable(found: Analysis, time_limit: float) -> tuple[UnavoidableGuess, ...]:
    """Find the unavoidable guesses of a position, or none if that takes longer than `time_limit` seconds."""
    is_small = found.complete and found.view.cells.size <= MOST_CELLS and not found.view.prior.spare
    if not kernel_api.available() or not is_small or found.clash:
        return ()
    with suppress(OutOfTime, TooWide), limits.time_limit(time_limit):
        return unavoidable_guesses(found.view)
    return ()


def _unavoidable_to_json(guess: UnavoidableGuess) -> dict[str, Any]:
    return {"cells": guess.cells, "layouts": _rows(guess.layouts), "words": guess.in_words()}


def _rows(layouts: Iterable[Board]) -> list[list[str]]:
    return [layout.to_text().splitlines() for layout in layouts]


def _explain_cell(view: View, name: str, options: AnalyseOptions) -> int:
    """Print why a cell is known, or that it is not, and return the exit status."""
    cell = parse_cell(name)
    try:
        with limits.time_limit(options.time_limit):
            click.echo(_why(view, cell, options.engine, as_json=options.as_json))
            return 0
    except InconsistentView as clash:
        contradiction = Analysis(view, clash)
        click.echo(json.dumps(contradiction.to_json()) if options.as_json else "\n".join(_analysis(contradiction, 0)))
        return CONTRADICTION
    except OutOfTime:
        limit = f"{options.time_limit:g} s"
        click.echo(f"no result for {cell} after {limit}; allow more with --time-limit", err=True)
        return GAVE_UP


def _why(view: View, cell: Cell, engine: Engine, *, as_json: bool) -> str:
    """Explain why a cell is known, or show that it is not. Raises `InconsistentView` and `OutOfTime`."""
    closure(view, engine)
    try:
        why_known = reason(view, cell)
    except BoardError:
        safe, mine = counterexample(view, cell)
        if not as_json:
            return "\n".join(_unknown(view, cell, safe.mine_map, mine.mine_map))
        return json.dumps({"known": False, "cell": cell, "layouts": _rows((safe, mine))})
    if as_json:
        return json.dumps({"known": True, **reason_to_json(why_known)})
    drawing = _drawing(view, {cell: _MINE if why_known.mine else _SAFE}, why_known.clues)
    return f"{drawing}\n\n{_wrapped(_sentence(why_known))}"


def _think(found: Analysis, guess: Guess, seconds: float) -> tuple[int, list[Candidate]]:
    """Rate the best guesses by playing random layouts for `seconds`, with a progress bar.

    Returns the number of layouts, and the candidates, best first.
    """
    from minesweeper.player.play.strategies.rollout import estimate_by_rollouts

    if not kernel_api.available():
        raise BoardError(f"--think needs the native engine, which {kernel_api.why_missing()}")
    assert found.known is not None
    cells = [one.cell for one in (guess.best, *guess.alternatives)]
    layouts = 0
    thoughts: list[Candidate] = []
    with progress_bar(" layouts", leave=False) as bar:
        try:
            for layouts, thoughts in estimate_by_rollouts(found.view, found.known.mine_map, cells, seconds):
                bar.update(layouts - bar.n)
                bar.set_postfix_str(_thought(thoughts[0]))
        except TooWide as error:
            raise BoardError(str(error)) from error
    return layouts, thoughts


def _thought(thought: Candidate) -> str:
    return f"{thought.cell} {thought.value:.1%} ±{100 * thought.margin:.1f}"


def _thought_to_json(thought: Candidate, layouts: int) -> dict[str, Any]:
    chance = Interval(thought.value, thought.value - thought.margin, thought.value + thought.margin)
    return {"cell": thought.cell, **chance.percent_columns("win"), "games": layouts}


def _analysis(found: Analysis, time_limit: float) -> Iterator[str]:
    """Yield an analysis as paragraphs; `time_limit` is the limit that it had, in seconds."""
    view = found.view
    if view.cells.size > MOST_CELLS:
        yield f"{view.title}: {found.in_words()}"
        yield f"for at most {MOST_CELLS:,} cells: drawings, reasons, probabilities and guesses"
        return
    if found.clash is not None:
        yield from _contradiction(view, found.clash)
        return
    assert found.known is not None
    yield f"{view.title}: {_summary(found, given_up=not found.known.complete)}"
    glyphs = dict.fromkeys(found.safe_cells, _SAFE) | dict.fromkeys(found.mine_cells, _MINE)
    yield _drawing(view, glyphs, [clue for step in found.chain for clue in step.clues])
    if found.explanation:
        yield ""
        for number, step in enumerate(found.explanation, 1):
            yield _wrapped(_step(step), f"{number}. ")
    elif found.chain:
        yield ""
        for number, step in enumerate(found.chain):
            yield _wrapped(_step(step), "then: " if number else "next: ")
    if not found.complete:
        yield ""
        rest = "all certain cells are marked, but other results are missing"
        if not found.known.complete:
            rest = "the marked cells are certain, others may be, too"
        yield _wrapped(f"time ran out after {time_limit:g} s: {rest}; allow more with --time-limit")
    if found.undecided and (found.chances is not None or found.guess is not None or found.complete):
        yield ""
        yield from _chances(found)


def _contradiction(view: View, clash: InconsistentView) -> Iterator[str]:
    yield f"{view.title}: no layout of mines fits"
    yield _drawing(view, {}, clash.clues)
    yield ""
    if not clash.clues and not clash.mine_count:
        yield "time ran out before the contradicting clues were found; allow more with --time-limit"
        return
    mine_count = [count_sentence(view)] * clash.mine_count
    yield _wrapped(Sentence("clash.clues", **reasons_of(view, clash.clues, *mine_count)).in_words())


def _summary(found: Analysis, *, given_up: bool) -> str:
    parts = []
    if found.safe_cells:
        parts.append(f"{len(found.safe_cells)} safe (s)")
    if found.mine_cells:
        parts.append(f"{counted(len(found.mine_cells), 'mine')} (*)")
    if found.undecided:
        parts.append(f"{found.undecided} {'not decided' if given_up else 'not known'} (#)")
    return ", ".join(parts) or "nothing is hidden"


def _step(step: Deduction) -> str:
    return f"[{step.tier.title}] {_sentence(step)}"


def _sentence(step: Deduction) -> str:
    return f"{step.in_words()}{'' if step.smallest else ' (a smaller reason may exist)'}"


def _chances(found: Analysis) -> Iterator[str]:
    if found.chances is not None and found.log_layouts is not None and found.known is not None:
        yield "mine probabilities in percent:"
        yield draw_probabilities(found.view, found.chances, found.known, colour=wants_colour(), width=_width())
        yield ""
        yield f"layouts that fit: {_number(found.layouts, found.log_layouts)}"
        if (assumed := found.known.assumed_density) is not None:
            yield _wrapped(Sentence("analysis.assumed", share=f"{100 * assumed:.3g}").in_words())
    elif found.complete and kernel_api.available():
        yield "the layouts of a component are too many to count"
    elif found.complete:
        yield _wrapped(f"mine probabilities need the native engine, which {kernel_api.why_missing()}")
    if found.guess is not None:
        yield from _guess(found.guess)


def _guess(guess: Guess) -> Iterator[str]:
    """Yield the best guess and, if they are known, the prospects of all guesses and why the second one is worse."""
    others = f"; else {', '.join(map(_option, guess.alternatives))}" if guess.alternatives and not guess.why else ""
    yield _wrapped(f"best guess by {guess.strategy}: {_option(guess.best)}{others}")
    if guess.why:
        yield "guess       safe  then logic  then a guess  to win"
        for one in (guess.best, *guess.alternatives):
            numbers = (one.safety, one.progress, one.second, one.win)
            shares = ["-" if number is None else f"{100 * number:.1f}" for number in numbers]
            yield "{:10}{:>6}{:>12}{:>14}{:>8}".format(str(one.cell), *shares)
        yield _wrapped(guess.why[0].in_words())


def _option(option: Candidate) -> str:
    return f"{option.cell}" + ("" if isnan(option.safety) else f" safe {option.safety:.1%}")


def _number(exact: int | None, log: float) -> str:
    """Write a number of layouts exactly if it is known and short, otherwise with four digits and an exponent."""
    if exact is not None and len(str(exact)) <= _MOST_DIGITS:
        return f"{exact:,}"
    power, rest = divmod(log / math.log(10), 1)
    return f"about {10**rest:.3f}e{int(power)}"


def _unknown(view: View, cell: Cell, safe: NDArray[np.bool_], mine: NDArray[np.bool_]) -> Iterator[str]:
    """Yield two layouts, with the cell safe and a mine, as drawings of the cells in which they differ."""
    differ = cells_of(safe != mine)
    yield _wrapped(f"{cell} is not known: two layouts fit and differ in {counted(len(differ), 'cell')}")
    for title, mines in ((f"{cell} safe", safe), (f"{cell} a mine", mine)):
        yield ""
        yield f"{title}:"
        yield _drawing(view, {place: _MINE if mines[place] else _SAFE for place in differ})


def _drawing(view: View, glyphs: Mapping[Cell, Glyph], marked: Collection[Cell] = ()) -> str:
    return draw(view, colour=wants_colour(), width=_width(), marked=marked, glyphs=glyphs)


def _width() -> int:
    return shutil.get_terminal_size().columns


def _wrapped(text: str, label: str = "") -> str:
    """Wrap a sentence at the terminal's width, but not inside a cell's (row, col)."""
    whole = re.sub(r"\((\d+), (\d+)\)", "(\\1,\u00a0\\2)", text)
    width = min(_width(), _WIDEST_TEXT)
    folded = textwrap.fill(label + whole, width, subsequent_indent=" " * len(label), break_long_words=False)
    return folded.replace("\u00a0", " ")
