"""The options that commands share, and how a frozen class of options becomes the options of a command.

A field is made by `option` or `from_decorator` and holds the type, the flags and the help of its option.
"""

from __future__ import annotations

import dataclasses
import functools
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from minesweeper.player.words import ENGINES, BoardError, Preset, StartRule, parse_size, standard_presets
from minesweeper.scripts.terminal import DEFAULT_DATABASE

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from minesweeper.db.store import Store

_F = TypeVar("_F", bound=Callable[..., Any])
_Options = TypeVar("_Options")


def from_decorator(decorator: Callable[[Any], Any]) -> Any:
    """A field that a decorator of click gives, e.g. `workers_option`; its name is that of the parameter."""
    return dataclasses.field(metadata={"decorator": decorator})


def option(*flags: str, **settings: Any) -> Any:
    """A field that ``click.option`` gives, with its default in the help if it has one.

    Without flags, the field ``max_games`` is given by ``--max-games``.
    """
    settings = {"show_default": "default" in settings, **settings}
    if flags:
        return from_decorator(click.option(*flags, **settings))
    return dataclasses.field(metadata={"settings": settings})


def with_options(kind: type[_Options]) -> Callable[[Callable[[_Options], None]], Callable[..., None]]:
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


_ID: Final = re.compile("[0-9a-f]{0,20}")
_FEW: Final = 100


def complete_presets(context: click.Context, _: click.Parameter, begun: str) -> list[str]:
    """The presets that the shell completes, those of ``--config`` before them included."""
    presets = context.params.get("presets") or standard_presets()
    return [name for name in presets if name.startswith(begun)]


def complete_strategies(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
    """The names of strategies that the shell completes; or else files."""
    from click.shell_completion import CompletionItem

    from minesweeper.player.strategies import playable_strategies

    names = [CompletionItem(name) for name in playable_strategies() if name.startswith(begun)]
    return names or [CompletionItem(begun, type="file")]


def complete_puzzles(context: click.Context, _: click.Parameter, begun: str) -> list[str]:
    """The ids that the shell completes of the puzzles in the database that ``--db`` names, a few of them."""
    return _stored(
        context,
        lambda store: (
            [record.id for record in store.puzzles(where=f"id LIKE '{begun}%'", limit=_FEW)]
            if _ID.fullmatch(begun)
            else []
        ),
    )


def complete_games(context: click.Context, _: click.Parameter, begun: str) -> list[str]:
    """The ids that the shell completes of the recorded games in the database that ``--db`` names, the newest."""
    names = ["last", *_stored(context, lambda store: [str(number) for number, *_ in store.games(_FEW)])]
    return [name for name in names if name.startswith(begun)]


def _stored(context: click.Context, names: Callable[[Store], list[str]]) -> list[str]:
    """Names from the database of a command line that is being written; none if it can't be read."""
    from minesweeper.db.file import DatabaseError
    from minesweeper.db.store import Store

    try:
        with Store(context.params.get("db") or DEFAULT_DATABASE, create=False) as store:
            return names(store)
    except (OSError, DatabaseError):
        return []


def _load_config(context: click.Context, _: click.Parameter, path: Path | None) -> Mapping[str, Preset]:
    """Take option defaults from a config file, and return the presets that are known with it."""
    presets = dict(standard_presets())
    if path is not None:
        known = {
            flag.removeprefix("--").replace("-", "_"): option
            for option in context.command.params
            if option.name not in ("presets", "help", "as_json", "version", "listed")
            for flag in option.opts
            if flag.startswith("--")
        }
        from minesweeper.scripts.settings import read_config

        config = read_config(path, known)
        chosen = {known[flag].name: _as_given(known[flag], value) for flag, value in config.options.items()}
        context.default_map = {**(context.default_map or {}), **chosen}
        presets |= config.presets
    return presets


def _as_given(option: click.Parameter, value: object) -> object:
    """A value of a config file as on the command line: YAML reads ``yes`` and ``no`` as true and false."""
    if isinstance(value, bool) and isinstance(option.type, click.Choice):
        return "yes" if value else "no"
    return [value] if getattr(option, "multiple", False) else value


PATH: Final = click.Path(path_type=Path)
START_RULES: Final = click.Choice(list(map(str, StartRule)))
board_option = click.option(
    *("--board", "--preset", "board"),
    metavar="ROWSxCOLS/MINES|PRESET",
    shell_complete=complete_presets,
    help="Random boards, e.g. 9x9/10; or beginner, intermediate, expert, super-expert.",
)
size_option = click.option("--size", metavar="ROWSxCOLS", help="Size of random boards, e.g. 16x30.")
mines_option = click.option("--mines", type=int, metavar="N", help="Mines on each of them.")
config_option = click.option(
    *("--config", "presets"),
    type=click.Path(path_type=Path),
    is_eager=True,
    callback=_load_config,
    metavar="FILE.yaml",
    help="Set any of these options, or own presets, in a file.",
)
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


def drawn_seed() -> int:
    """A seed where none is given; not by `secrets`, which loads more to do the same."""
    return int.from_bytes(os.urandom(4))


def chosen_board(board: str | None, size: str | None, mines: int | None, presets: Mapping[str, Preset]) -> Preset:
    """Return rows, columns and mines: those of `board`, a name or both, where size and mines do not say otherwise.

    Raises `ConfigError` for a preset that is not there, `BoardError` for a wrong size or if anything is missing.
    """
    if board is None:
        if size is None:
            raise BoardError("expected --size and --mines, or --board; e.g. --size 16x30 --mines 99, or --board expert")
        if mines is None:
            raise BoardError("expected the number of mines with the size, e.g. --mines 99")
        return Preset(*parse_size(size), mines)
    known = parse_board(board, presets)
    rows, cols = (known.rows, known.cols) if size is None else parse_size(size)
    return Preset(rows, cols, known.mines if mines is None else mines)


def parse_board(text: str, presets: Mapping[str, Preset]) -> Preset:
    """Read ``ROWSxCOLS/MINES`` or the name of a preset. Raises `ConfigError`, or `BoardError` for a wrong size."""
    if text in presets:
        return presets[text]
    size, slash, count = text.partition("/")
    if not slash or not count.isdecimal() or len(count) > 7:
        from minesweeper.scripts.settings import ConfigError

        raise ConfigError(f"expected a board as ROWSxCOLS/MINES or a preset, {', '.join(presets)}: {text!r}")
    return Preset(*parse_size(size), int(count))
