"""The command `minesweeper conform`: check an external player against docs/reference/protocol.md."""

from __future__ import annotations

import json
import sys
import textwrap
import time
from dataclasses import dataclass
from random import Random
from typing import Final

import click

from minesweeper.player.core.board import View
from minesweeper.player.core.errors import StrategyError, counted
from minesweeper.player.core.recipe import Recipe, StartRule
from minesweeper.player.logic import closure
from minesweeper.player.play.games import play
from minesweeper.player.play.strategies import Knowledge, choose_cell, choose_cells
from minesweeper.player.play.strategies.loading import load_program
from minesweeper.player.play.strategies.program import Program, draw
from minesweeper.scripts.console.options import from_decorator, option, with_options
from minesweeper.scripts.console.terminal import Command

DOES_NOT_CONFORM: Final = 1
_LONGEST: Final = 300

# No cell is certainly safe in these, so a player that only guesses can be tested on them, too.
_POSITIONS: Final = {
    "unconstrained cells": "1x6/2\n#1####",
    "two cells left": "2x3/1\n01#\n01#",
    "known mines": "1x7/3\n##2####",
    "a hidden board": "9x9/10\n" + "\n".join(["#" * 9] * 9),
    "a large board": "50x60/600\n" + "\n".join(["#" * 60] * 50),
}
_BOARDS: Final = {"a small board": ("4x5/3", 20), "9x9/14": ("9x9/14", 10), "a single column": ("12x1/2", 10)}


@dataclass(frozen=True)
class ConformOptions:
    """The argument and options of the check."""

    program: str = from_decorator(click.argument("program"))
    games: int = option(type=click.IntRange(min=1), default=1, help="Multiply the number of games by this.")


@click.command(
    cls=Command,
    short_help="Check that a program follows the protocol.",
    epilog='Example: minesweeper conform "exec:sh docs/examples/players/random.sh"',
)
@with_options(ConformOptions)
def main(options: ConformOptions) -> None:
    """Check that PROGRAM, given as exec:COMMAND, follows the protocol of external players.

    The check sends scripted positions, then plays games, some of them twice. A failure is printed with its request.
    Exits with 0 if every check passes, with 1 otherwise.
    """
    program = load_program(options.program)
    began = time.perf_counter()
    program.begin(Random(0))
    way = "every move" if program.plays_alone else "guesses"
    click.echo(f"ok    handshake in {time.perf_counter() - began:.2f} s, plays {way}")
    wrong = 0
    try:
        for name, text in _POSITIONS.items():
            wrong += not _position(program, name, View.from_text(text))
        for name, (board, games) in _BOARDS.items():
            recipe = Recipe(board, rule=StartRule.SAFE, seed=1)
            wrong += not _games(program, name, recipe, games * options.games)
    finally:
        began = time.perf_counter()
        program.close()
    click.echo(f"ok    exited {time.perf_counter() - began:.2f} s after the end of its input")
    click.echo(f"{counted(wrong, 'check')} failed" if wrong else "follows the protocol")
    sys.exit(DOES_NOT_CONFORM if wrong else 0)


def _position(program: Program, name: str, view: View) -> bool:
    """Request one move and print the result; return True on success."""
    known = closure(view)
    knowledge = Knowledge(view, known.safe_map, known.mine_map)
    program.begin(Random(0))
    try:
        answer = choose_cells(program, view) if program.plays_alone else [choose_cell(program, view, knowledge)]
    except StrategyError as error:
        program.close()
        shown = textwrap.shorten(json.dumps(draw(view, None if program.plays_alone else knowledge)), _LONGEST)
        click.echo(f"WRONG {name}: {error}\n      request: {shown}")
        return False
    click.echo(f"ok    {name}: {counted(len(answer), 'cell')}, first {answer[0]}")
    return True


def _games(program: Program, name: str, recipe: Recipe, count: int) -> bool:
    """Play games and the first five of them again, and print the result; return True on success."""
    results = [play(recipe.puzzle(index), program) for index in range(count)]
    forfeited = [index for index, result in enumerate(results) if result.fault is not None]
    if forfeited:
        kinds = ", ".join(sorted({str(results[index].fault) for index in forfeited}))
        click.echo(f"WRONG {name}: {len(forfeited)} of {counted(count, 'game')} forfeited ({kinds})")
        return False
    again = [play(recipe.puzzle(index), program) for index in range(min(count, 5))]
    same = "reproducible" if again == results[: len(again)] else "not reproducible, which is allowed"
    click.echo(f"ok    {name}: {sum(result.won for result in results)} of {counted(count, 'game')} won, {same}")
    return True
