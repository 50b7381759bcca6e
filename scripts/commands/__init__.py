"""The command `minesweeper`: a group that imports each of its commands when it runs."""

from __future__ import annotations

from importlib import import_module
from typing import Final

import click

from minesweeper.scripts.console.terminal import CommandGroup

_COMMANDS: Final = {
    "generate": "Generate puzzles that logic solves, and store them.",
    "packs": "List, check, convert and share stored puzzles.",
    "autoplay": "Play games with a strategy and record the results.",
    "analyse": "Explain a position: deductions, probabilities, best guess.",
    "review": "Judge every click of a game that a person played.",
    "sweep": "Play in the browser.",
    "gemhunter": "Solve and generate Gem Hunter grids.",
    "leaderboard": "Rank strategies by games on the same boards.",
    "match": "Test whether one strategy wins more than another.",
    "judge": "Estimate a lead from the decisions that differ.",
    "positions": "Write the positions of many games, with exact labels, as Parquet.",
    "optimal": "Compute the best possible win rate on small boards.",
    "tasks": "Write tasks for language models, with complete answers.",
    "answer": "Answer messages of other programs: moves, figures, judged actions.",
    "conform": "Check that an external player follows the protocol.",
}


def load(name: str) -> click.Command:
    """Import the command `name`."""
    module = "packs.command" if name == "packs" else name
    command: click.Command = import_module(f"{__name__}.{module}").main
    return command


class _Commands(CommandGroup):
    """A group whose commands are placeholders for help and completion until one is used."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, found, rest = super().resolve_command(ctx, args)
        return name, found and load(str(name)), rest


@click.group(
    cls=_Commands,
    commands=[click.Command(name, short_help=text) for name, text in _COMMANDS.items()],
    epilog="Example: minesweeper generate --size 16x30 --mines 99 --count 100",
)
def main() -> None:
    """Generate Minesweeper boards that logic solves, play them, explain them, share them.

    generate, packs, autoplay, analyse, review, sweep and gemhunter are installed under these short names, too.
    """
