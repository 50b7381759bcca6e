"""Options that commands share, and frozen dataclasses as the options of a command.

A field is made by `option` or `from_decorator` and holds the type, the flags and the help of its option.
"""

from __future__ import annotations

import dataclasses
import functools
import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from minesweeper.player.core.errors import BoardError, DatabaseError
from minesweeper.player.core.grid import Grid
from minesweeper.player.core.recipe import Preset, StartRule, parse_board, standard_presets
from minesweeper.player.core.steps import ENGINES, Engine
from minesweeper.scripts.console.terminal import DEFAULT_DATABASE

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from minesweeper.db.store import Store

_Function = Callable[..., Any]


def from_decorator(decorator: Callable[[Any], Any], *, group: str = "") -> Any:
    """Define a field by a decorator of click, e.g. `workers_option`, whose parameter has the name of the field.

    The help lists the option under the title `group`, by default that of its dataclass in `with_options`.
    """
    return dataclasses.field(metadata={"decorator": decorator, "group": group})


def option(*flags: str, group: str = "", **settings: Any) -> Any:
    """Define a field by the arguments of ``click.option``. The help shows the default, and N for numbers.

    Without flags, the field ``max_games`` has the option ``--max-games``. `group` is as in `from_decorator`.
    """
    number = {"metavar": "N"} if isinstance(settings.get("type"), click.IntRange) else {}
    settings = {"show_default": "default" in settings, **number, **settings}
    if flags:
        return from_decorator(click.option(*flags, **settings), group=group)
    return dataclasses.field(metadata={"settings": settings, "group": group})


def _field_option(field: dataclasses.Field[Any]) -> Callable[[Any], Any]:
    flag = f"--{field.name.replace('_', '-')}"
    decorator: Callable[[Any], Any] | None = field.metadata.get("decorator")
    return decorator or click.option(flag, **field.metadata["settings"])


def with_options(
    kind: Any,
    name: str = "options",
    field_option: Callable[[dataclasses.Field[Any]], _Function] = _field_option,
    group: str = "",
) -> Callable[[_Function], _Function]:
    """Return a decorator that adds the options of the fields of `kind`, given to the function as one object `name`.

    The help lists them under the title `group`, see `terminal.Command.format_options`.
    """
    fields = dataclasses.fields(kind)

    def decorate(function: _Function) -> _Function:
        @functools.wraps(function)
        def command(**values: Any) -> Any:
            own = {field.name: values.pop(field.name) for field in fields}
            return function(**{name: kind(**own)}, **values)

        for field in reversed(fields):
            command = field_option(field)(command)
        own = {field.name: field.metadata.get("group") or group for field in fields}
        vars(command)["option_groups"] = {**own, **vars(command).get("option_groups", {})}
        return command

    return decorate


_ID: Final = re.compile("[0-9a-f]{0,20}")
_MOST_COMPLETIONS: Final = 100


def complete_presets(context: click.Context, _: click.Parameter, begun: str) -> list[str]:
    """Complete the name of a preset, also of one defined by an earlier ``--config``."""
    presets = context.params.get("presets") or standard_presets()
    return [name for name in presets if name.startswith(begun)]


def complete_strategies(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
    """Complete the name of a strategy, or of a file if no strategy matches."""
    from click.shell_completion import CompletionItem

    from minesweeper.player.play.strategies.loading import playable_strategies

    names = [CompletionItem(name) for name in playable_strategies() if name.startswith(begun)]
    return names or [CompletionItem(begun, type="file")]


def complete_puzzles(context: click.Context, _: click.Parameter, begun: str) -> list[str]:
    """Complete the id of a puzzle in the database of ``--db``."""
    if not _ID.fullmatch(begun):
        return []
    condition = f"id LIKE '{begun}%'"
    return _stored(
        context, lambda store: [record.id for record in store.puzzles(where=condition, limit=_MOST_COMPLETIONS)]
    )


def complete_games(context: click.Context, _: click.Parameter, begun: str) -> list[str]:
    """Complete the id of a recorded game in the database of ``--db``, newest first."""
    names = _stored(context, lambda store: [str(number) for number, *_ in store.games(_MOST_COMPLETIONS)])
    return [name for name in ["last", *names] if name.startswith(begun)]


def _stored(context: click.Context, names: Callable[[Store], list[str]]) -> list[str]:
    """Return names from the database of an incomplete command line, none if it cannot be read."""
    from minesweeper.db.store import Store

    try:
        with Store(context.params.get("db") or DEFAULT_DATABASE, create=False) as store:
            return names(store)
    except (OSError, DatabaseError):
        return []


def _load_config(context: click.Context, _: click.Parameter, path: Path | None) -> Mapping[str, Preset]:
    """Set the defaults of options from a config file, and return the standard presets with those of the file."""
    if path is None:
        return standard_presets()
    from minesweeper.scripts.console.settings import read_config

    known = {
        flag.removeprefix("--").replace("-", "_"): parameter
        for parameter in context.command.params
        if parameter.name not in ("presets", "help", "as_json", "version", "listed")
        for flag in parameter.opts
        if flag.startswith("--")
    }
    chosen, presets = read_config(path, known)
    defaults = {
        known[name].name: [value] if getattr(known[name], "multiple", False) else value
        for name, value in chosen.items()
    }
    context.default_map = {**(context.default_map or {}), **defaults}
    return {**standard_presets(), **presets}


BOARDS: Final = "Random boards"
"""Title of the options for random boards in the help of a command."""
PATH: Final = click.Path(path_type=Path)


def words(choices: Iterable[str]) -> click.Choice[str]:
    """Return the type of an option that is one of some words, in upper or lower case."""
    return click.Choice(list(map(str, choices)), case_sensitive=False)


START_RULES: Final = words(StartRule)
size_option = click.option("--size", metavar="ROWSxCOLS", help="Size of random boards, e.g. 16x30.")
mines_option = click.option("--mines", type=int, metavar="N", help="Number of mines of random boards.")
config_option = click.option(
    *("--config", "presets"),
    type=PATH,
    is_eager=True,
    callback=_load_config,
    metavar="FILE.yaml",
    help="Read options and additional presets from a file.",
)
start_option = click.option(
    "--start",
    type=START_RULES,
    default="opening",
    show_default=True,
    help="Guarantee that the first click on a random board is a zero, or only that it is safe.",
)
workers_option = click.option(
    "--workers", type=click.IntRange(1, 1024), metavar="N", help="Number of processes. [default: all cores]"
)
cluster_option = click.option(
    "--cluster", metavar="ADDRESS|local:N", help="Use a Dask cluster, or start one with N local processes."
)
engine_option = click.option(
    "--engine", type=click.Choice(ENGINES), default="auto", show_default=True, help="The engine for logic."
)
theme_option = click.option(
    "--theme", type=click.Choice(["light", "dark"]), default="light", show_default=True, help="Colours of the chart."
)


@dataclasses.dataclass(frozen=True)
class BoardOptions:
    """The options that describe random boards; `size` and `mines` override those of `board`."""

    board: str | None = option(
        *("--board", "--preset", "board"),
        metavar="ROWSxCOLS/MINES|PRESET",
        shell_complete=complete_presets,
        help="Random boards, e.g. 9x9/10; or beginner, intermediate, expert, super-expert.",
    )
    size: str | None = from_decorator(size_option)
    mines: int | None = from_decorator(mines_option)
    presets: Mapping[str, Preset] = from_decorator(config_option)

    def chosen(self) -> Preset:
        """Return the chosen board. Raises `BoardError` for an unknown preset, a wrong size or a missing option."""
        if self.board is not None:
            known = parse_board(self.board, self.presets)
            grid = Grid.named(self.size) if self.size is not None else known.grid
            chosen = Preset(grid, known.mines if self.mines is None else self.mines)
            if None not in (self.size, self.mines):
                click.echo(f"Warning: --size and --mines together replace the board {self.board}", err=True)
        elif self.size is None:
            raise BoardError("no board; expected --board or --size and --mines, e.g. --board expert or 16x30/99")
        elif self.mines is None:
            raise BoardError("no number of mines; expected --mines with --size, e.g. --mines 99")
        else:
            chosen = Preset(Grid.named(self.size), self.mines)
        self._warn_if_turned(chosen)
        return chosen

    def _warn_if_turned(self, chosen: Preset) -> None:
        """Warn about COLSxROWS, the order of other programs: a preset turned on its side, unless it is one itself."""
        turned = Preset(Grid(chosen.cols, chosen.rows), chosen.mines)
        name = next((name for name, preset in self.presets.items() if preset == turned), None)
        if name is not None and chosen.rows != chosen.cols and chosen not in self.presets.values():
            given, meant = f"{chosen.rows}x{chosen.cols}", turned.grid.name
            click.echo(
                f"Warning: {given} has {chosen.rows} rows and {chosen.cols} columns; did you mean {meant} ({name})? "
                "Sizes are ROWSxCOLS",
                err=True,
            )


@dataclasses.dataclass(frozen=True)
class WorkOptions:
    """The options of commands that use several processes."""

    workers: int | None = from_decorator(workers_option)
    cluster: str | None = from_decorator(cluster_option)
    engine: Engine = from_decorator(engine_option)  # noqa: RUF009
    verbose: bool = option("-v", "--verbose", is_flag=True, help="Log the work of all processes to the terminal.")
    log_file: Path | None = option(  # noqa: RUF009
        type=click.Path(dir_okay=False, path_type=Path), help="Log the work of all processes to a file."
    )


board_options = with_options(BoardOptions, "boards", group=BOARDS)
work_options = with_options(WorkOptions, "work", group="Work")


def drawn_seed() -> int:
    """Return a random seed. `secrets` would do the same but imports more."""
    return int.from_bytes(os.urandom(4))
