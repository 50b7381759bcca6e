"""What commands have in common that make boards, or play on random ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from minesweeper.player.board import BoardError, parse_size
from minesweeper.player.game import StartRule
from minesweeper.player.presets import ConfigError, Preset

_F = TypeVar("_F", bound=Callable[..., Any])


def board_options(function: _F) -> _F:
    """Add the options ``--size``, ``--mines``, ``--preset`` and ``--start``; `chosen_board` reads the first three."""
    for option in (
        click.option(
            "--start",
            type=click.Choice(list(map(str, StartRule))),
            default="opening",
            show_default=True,
            help="What the first click on a random board is sure to be: a zero, or just no mine.",
        ),
        click.option("--preset", metavar="NAME", help="Or both: beginner, intermediate, expert, super-expert."),
        click.option("--mines", type=int, metavar="N", help="Mines on each of them."),
        click.option("--size", metavar="ROWSxCOLS", help="Size of random boards, e.g. 16x30."),
    ):
        function = option(function)
    return function


def chosen_board(options: Mapping[str, Any], presets: Mapping[str, Preset]) -> tuple[int, int, int]:
    """Return rows, columns and mines: those of the preset, where size and mines do not say otherwise.

    Raises `ConfigError` for a preset that is not there, `BoardError` for a wrong size or if anything is missing.
    """
    name, size, mines = options["preset"], options["size"], options["mines"]
    if name is None:
        if size is None:
            raise BoardError("expected --size and --mines, or --preset; e.g. --size 16x30 --mines 99")
        if mines is None:
            raise BoardError("expected the number of mines with the size, e.g. --mines 99")
        return *parse_size(size), mines
    if name not in presets:
        raise ConfigError(f"expected a preset, {', '.join(presets)}: {name!r}")
    preset = presets[name]
    rows, cols = (preset.rows, preset.cols) if size is None else parse_size(size)
    return rows, cols, preset.mines if mines is None else mines
