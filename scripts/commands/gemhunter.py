"""The command `gemhunter`: solve and generate Gem Hunter grids."""

from __future__ import annotations

import io
import json
import math
import re
import sys
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import click
import numpy as np

from minesweeper.db.formats.printable import PAPERS, Book, Printed, write_book
from minesweeper.db.formats.target import write_whole
from minesweeper.player.core.board import View
from minesweeper.player.core.errors import BoardError, InconsistentView, TooWide, counted
from minesweeper.player.core.grid import Grid
from minesweeper.player.gems.algorithms import brute_force_solutions, check_solver, sat_solutions
from minesweeper.player.gems.clauses import CLAUSE_ENCODINGS, dimacs
from minesweeper.player.gems.generating import generate as generate_puzzle
from minesweeper.player.gems.puzzle import UNKNOWN_CELL, GemPuzzle
from minesweeper.player.gems.solving import (
    ALGORITHMS,
    Algorithm,
    certain_cells,
    count_solutions,
    puzzle_of,
    solutions as all_solutions,
)
from minesweeper.player.gems.text import MAX_GEM_BYTES, puzzle_text, read_puzzle, signed_list
from minesweeper.player.logic.clauses import CLAUSE_SOLVER
from minesweeper.scripts.console.options import PATH, drawn_seed, from_decorator, option, with_options
from minesweeper.scripts.console.terminal import CommandGroup

if TYPE_CHECKING:
    from numpy.typing import NDArray

CONTRADICTION = 1
_VIEW: Final = re.compile(rb"\s*[0-9]{1,4}x[0-9]{1,4}/[0-9]{1,8}\s")


class _Limit(click.IntRange):
    """A number of solutions, with a hint if ``--all`` is followed by the file name."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            raise click.BadParameter(f"{value!r} is no number; put --all after FILE", ctx, param) from None


@click.group(cls=CommandGroup, short_help="Solve and generate Gem Hunter grids.")
def main() -> None:
    """Solve and generate Gem Hunter grids: clues and unknown cells, each of which hides a trap or a gem.

    A grid is text with one line per row and cells separated by commas or blanks: a clue 0 to 8, _ or -3 for an unknown
    cell, T or -1 for a given trap, G or -2 for a given gem. A first line ROWS COLS is optional. solve reads the paper
    forms of packs export as well: a first line ROWSxCOLS/MINES, then rows of # and clues.
    """


@dataclass(frozen=True)
class Solving:
    """The argument and options of `solve`."""

    file: BinaryIO = from_decorator(click.argument("file", type=click.File("rb")))
    algorithm: str = option(type=click.Choice(list(ALGORITHMS)), default="sat")
    solver: str = option(default=CLAUSE_SOLVER, metavar="NAME", help="PySAT solver for sat.")
    encoding: str = option(
        type=click.Choice(list(CLAUSE_ENCODINGS)),
        default="binomial",
        help="Encoding of clues as clauses, for sat and --dimacs.",
    )
    limit: int | None = option(
        *("--all", "limit"),
        type=_Limit(min=0),
        is_flag=False,
        flag_value=0,
        metavar="[LIMIT]",
        help="Print all solutions, or LIMIT of them, separated by empty lines. Put it after FILE.",
    )
    seconds: float = option(type=click.FloatRange(min=0), default=60, help="Time limit of brute-force.")
    count: bool = option(is_flag=True, help="Print only the exact number of solutions.")
    signed: bool = option(is_flag=True, help="Print cell numbers, counted from 1 row by row; traps are negative.")
    dimacs: bool = option(is_flag=True, help="Print the puzzle as DIMACS CNF instead of solving it.")
    as_json: bool = option("--json", "as_json", is_flag=True, help="Print solutions, their number and clashes as JSON.")


@main.command(epilog="Example: gemhunter generate --size 20x20 --traps 80 | gemhunter solve - --count")
@with_options(Solving)
def solve(options: Solving) -> None:
    """Solve the puzzle in FILE; - is standard input.

    Prints a solution with T for traps and G for gems, and on standard error the number of solutions. Lower-case t and g
    mark cells that differ between solutions. Exits with 1 and names contradicting clues if there is no solution; cells
    are (row, column), counted from 0.
    """
    check_solver(options.solver)
    if options.as_json and (options.count or options.signed or options.dimacs):
        raise click.UsageError("--json with --count, --signed or --dimacs; expected --json alone or with --all")
    puzzle = _read(options.file)
    if options.dimacs:
        click.echo(dimacs(puzzle, options.encoding))
        return
    if options.count:
        # Python refuses to print an int of more than 4300 digits; a Decimal is exact, too.
        click.echo(f"{Decimal(count_solutions(puzzle)):f}")
        return
    own: dict[str, Algorithm] = {
        "sat": partial(sat_solutions, encoding=options.encoding, solver=options.solver),
        "brute-force": partial(brute_force_solutions, seconds=options.seconds),
    }
    algorithm = own.get(options.algorithm) or ALGORITHMS[options.algorithm]
    try:
        known = certain_cells(puzzle)
        found = islice(all_solutions(puzzle, algorithm), 1 if options.limit is None else options.limit or None)
        if options.as_json:
            click.echo(json.dumps(_as_json(puzzle, known, found)))
        elif options.limit is None:
            _print_one(puzzle, known, algorithm, options.signed)
        else:
            _print_all(puzzle, found, options.signed)
    except InconsistentView as clash:
        if options.as_json:
            click.echo(json.dumps(_as_json(puzzle, puzzle.cells, [], clash)))
        else:
            click.echo(str(clash), err=True)
        sys.exit(CONTRADICTION)


def _read(file: BinaryIO) -> GemPuzzle:
    """Read a grid, or a view under ROWSxCOLS/MINES."""
    data = file.read(MAX_GEM_BYTES + 1).removeprefix(BOM_UTF8)
    if not _VIEW.match(data):
        return read_puzzle(io.BytesIO(data))
    view = View.from_text(data.decode(errors="replace"))
    puzzle = puzzle_of(view)
    if (certain_cells(puzzle) == UNKNOWN_CELL).any():
        click.echo(f"the number of mines, {view.mines}, leaves cells open; solutions may have other numbers", err=True)
    return puzzle


def _as_json(
    puzzle: GemPuzzle,
    known: NDArray[np.int8],
    traps: Iterable[NDArray[np.bool_]],
    clash: InconsistentView | None = None,
) -> dict[str, object]:
    """Return solutions as plain data for JSON, with their number as text, None if it is too large to compute."""
    count: str | None = None
    with suppress(TooWide):
        count = f"{Decimal(count_solutions(puzzle)):f}"
    return {
        "rows": puzzle.grid.rows,
        "cols": puzzle.grid.cols,
        "solutions": [puzzle_text(puzzle.solved(one)).replace(",", "").splitlines() for one in traps],
        "solution_count": count,
        "undecided": 0 if clash else int(np.count_nonzero(known == UNKNOWN_CELL)),
        "clash": clash and {"clues": clash.clues, "words": str(clash)},
    }


def _print_one(puzzle: GemPuzzle, known: NDArray[np.int8], algorithm: Algorithm, signed: bool) -> None:
    traps = next(all_solutions(puzzle, algorithm), None)
    if traps is None:
        raise AssertionError("an algorithm found no solution, but the closure found no contradiction")
    _print_solution(puzzle, traps, signed, known != UNKNOWN_CELL)
    open_cells = int(np.count_nonzero(known == UNKNOWN_CELL))
    if not open_cells:
        click.echo("the only solution", err=True)
        return
    try:
        number = count_solutions(puzzle)
        words = f"{number}" if number < 10**12 else f"about 10^{math.log10(number):.0f}"
    except TooWide:
        words = "many"
    click.echo(
        f"one of {words} solutions: {counted(open_cells, 'cell')} {'differs' if open_cells == 1 else 'differ'}",
        err=True,
    )


def _print_all(puzzle: GemPuzzle, found: Iterator[NDArray[np.bool_]], signed: bool) -> None:
    number = 0
    for number, traps in enumerate(found, 1):
        if number > 1 and not signed:
            click.echo()
        _print_solution(puzzle, traps, signed)
    if not number:
        raise AssertionError("an algorithm found no solution, but the closure found no contradiction")
    click.echo(f"{counted(number, 'solution')} printed", err=True)


def _print_solution(
    puzzle: GemPuzzle, traps: NDArray[np.bool_], signed: bool, certain: NDArray[np.bool_] | None = None
) -> None:
    if signed:
        click.echo(str(signed_list(traps)))
    else:
        click.echo(puzzle_text(puzzle.solved(traps), certain))


@main.command(
    short_help="Generate a puzzle.", epilog="Example: gemhunter generate --size 20x20 --traps 80 --unique --seed 7"
)
@click.option("--size", required=True, metavar="ROWSxCOLS", help="E.g. 20x20.")
@click.option("--traps", required=True, type=int, metavar="N", help="Number of traps.")
@click.option("--gems", type=int, metavar="N", help="Number of unknown gems. [default: half of them]")
@click.option("--unique", is_flag=True, help="Generate a puzzle with one solution; --gems is then a maximum.")
@click.option("--seed", type=click.IntRange(min=0), help="Seed of the puzzle. [default: random]")
@click.option("--solution", is_flag=True, help="Print the solution instead of the puzzle.")
@click.option("--book", type=PATH, metavar="FILE.html", help="Write a book to print instead, with its solutions.")
@click.option("--count", type=click.IntRange(1), default=1, show_default=True, help="Puzzles of the book, by seed.")
@click.option("--paper", type=click.Choice(list(PAPERS)), default="A4", show_default=True, help="Paper of the book.")
def generate(
    size: str,
    traps: int,
    gems: int | None,
    unique: bool,
    seed: int | None,
    solution: bool,
    book: Path | None,
    count: int,
    paper: str,
) -> None:
    """Generate a puzzle: random traps, unknown gems, and clues on all other cells."""
    drawn, grid = drawn_seed() if seed is None else seed, Grid.named(size)
    if grid.label:
        raise BoardError(f"size {size!r} is no rectangle; expected ROWSxCOLS, e.g. 10x10")
    if book is not None:
        if not unique:
            raise click.UsageError("--book without --unique; a printed puzzle needs one solution")
        made = (
            (one, *generate_puzzle(grid, traps, one, gems=gems, unique=True)) for one in range(drawn, drawn + count)
        )
        printed = (
            Printed(size, f"{size}, {counted(traps, 'mine')}", f"seed {one}", puzzle.cells, trap_map, grid)
            for one, puzzle, trap_map in made
        )
        write_whole(book, lambda stream: write_book(printed, stream, Book("Gem Hunter puzzles", paper)))
        click.echo(f"{counted(count, 'puzzle')} written to {book}, seeds from {drawn} on", err=True)
        return
    puzzle, trap_map = generate_puzzle(grid, traps, drawn, gems=gems, unique=unique)
    if seed is None:
        click.echo(f"seed {drawn}", err=True)
    click.echo(puzzle_text(puzzle.solved(trap_map) if solution else puzzle))
