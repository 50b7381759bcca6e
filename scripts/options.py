"""The options that commands share, and how a frozen class of options becomes the options of a command.

A field of such a class is made by `option` or `by`, and says all there is to say: its type, its flags and its help.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from minesweeper.player.words import ENGINES, BoardError, StartRule, parse_size
from minesweeper.scripts.settings import ConfigError

if TYPE_CHECKING:
    from minesweeper.player.presets import Preset

_F = TypeVar("_F", bound=Callable[..., Any])
_Options = TypeVar("_Options")


def by(decorator: Callable[[Any], Any]) -> Any:
    """A field that a decorator of click gives, e.g. `workers_option`; its name is that of the parameter."""
    return dataclasses.field(metadata={"decorator": decorator})


def option(*flags: str, **settings: Any) -> Any:
    """A field that ``click.option`` gives, with its default in the help if it has one.

    Without flags, the field ``max_games`` is given by ``--max-games``.
    """
    settings = {"show_default": "default" in settings, **settings}
    if flags:
        return by(click.option(*flags, **settings))
    return dataclasses.field(metadata={"settings": settings})


def takes(kind: type[_Options]) -> Callable[[Callable[[_Options], None]], Callable[..., None]]:
    """Make a function of a value of the class `kind` take the options of its fields, in their order."""

    def decorate(function: Callable[[_Options], None]) -> Callable[..., None]:
        @functools.wraps(function)
        def command(**values: Any) -> None:
            function(kind(**values))

        for field in reversed(dataclasses.fields(kind)):  # type: ignore[arg-type]
            flag = f"--{field.name.replace('_', '-')}"
            command = (field.metadata.get("decorator") or click.option(flag, **field.metadata["settings"]))(command)
        return command

    return decorate


PATH: Final = click.Path(path_type=Path)
START_RULES: Final = click.Choice(list(map(str, StartRule)))
size_option = click.option("--size", metavar="ROWSxCOLS", help="Size of random boards, e.g. 16x30.")
mines_option = click.option("--mines", type=int, metavar="N", help="Mines on each of them.")
preset_option = click.option("--preset", metavar="NAME", help="Or both: beginner, intermediate, expert, super-expert.")
start_option = click.option(
    "--start",
    type=START_RULES,
    default="opening",
    show_default=True,
    help="What the first click on a random board is sure to be: a zero, or just no mine.",
)
workers_option = click.option("--workers", type=click.IntRange(1, 1024), help="Processes. [default: all cores]")
cluster_option = click.option(
    "--cluster", metavar="ADDRESS|local:N", help="Work on a cluster of Dask, or on one of N processes started here."
)
engine_option = click.option(
    "--engine", type=click.Choice(ENGINES), default="auto", show_default=True, help="What does the logic."
)
theme_option = click.option(
    "--theme", type=click.Choice(["light", "dark"]), default="light", show_default=True, help="Of the chart."
)
verbose_option = click.option("-v", "--verbose", is_flag=True, help="Log what the workers do to the terminal.")
log_file_option = click.option(
    "--log-file", type=click.Path(dir_okay=False, path_type=Path), help="Log what the workers do to a file."
)


def chosen_board(
    size: str | None, mines: int | None, preset: str | None, presets: Mapping[str, Preset]
) -> tuple[int, int, int]:
    """Return rows, columns and mines: those of the preset, where size and mines do not say otherwise.

    Raises `ConfigError` for a preset that is not there, `BoardError` for a wrong size or if anything is missing.
    """
    if preset is None:
        if size is None:
            raise BoardError("expected --size and --mines, or --preset; e.g. --size 16x30 --mines 99")
        if mines is None:
            raise BoardError("expected the number of mines with the size, e.g. --mines 99")
        return *parse_size(size), mines
    if preset not in presets:
        raise ConfigError(f"expected a preset, {', '.join(presets)}: {preset!r}")
    known = presets[preset]
    rows, cols = (known.rows, known.cols) if size is None else parse_size(size)
    return rows, cols, known.mines if mines is None else mines
