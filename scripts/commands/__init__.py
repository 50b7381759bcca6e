"""The command `minesweeper`: a group that imports each of its commands when it runs."""

from __future__ import annotations

from importlib import import_module
from typing import Final

import click

from minesweeper.scripts.console.terminal import CommandGroup

NAMES: Final = (
    *("generate", "packs", "autoplay", "analyse", "review", "sweep", "gemhunter", "leaderboard", "match", "gain"),
    *("positions", "optimal", "tasks", "answer", "conform"),
)


def load(name: str) -> click.Command:
    """Import the command `name`."""
    module = "packs.command" if name == "packs" else name
    command: click.Command = import_module(f"{__name__}.{module}").main
    return command


class _Commands(CommandGroup):
    """A group of placeholders, each of which becomes a command when it is used, or listed with its summary."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return load(cmd_name) if cmd_name in self.commands else None


@click.group(
    cls=_Commands,
    commands=list(map(click.Command, NAMES)),
    epilog="Example: minesweeper generate --size 16x30 --mines 99 --count 100",
)
def main() -> None:
    """Generate Minesweeper boards that logic solves, play them, explain them, share them.

    generate, packs, autoplay, analyse, review, sweep and gemhunter are installed under these short names, too.
    """
