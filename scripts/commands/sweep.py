"""The command `sweep`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click

from minesweeper.player.core.errors import ConfigError
from minesweeper.scripts.console.options import BoardOptions, board_options, from_decorator, option, with_options
from minesweeper.scripts.console.terminal import Command


@dataclass(frozen=True)
class SweepOptions:
    """The options of `sweep`."""

    host: str = option(default="127.0.0.1", help="Address to serve on.")
    port: int = option(type=click.IntRange(0, 65535), default=8123, help="Port; 0 picks a free one.")
    database: Path | None = option(
        *("--db", "database"),
        type=click.Path(dir_okay=False, path_type=Path),
        help="Database with puzzles and results; it also keeps the players' records. A missing file is created.",
    )
    players: tuple[str, ...] = option(
        *("--player", "players"),
        multiple=True,
        metavar="FILE.py|exec:COMMAND",
        help="Another strategy to watch; repeatable. The server runs it.",
    )
    boards: BoardOptions = from_decorator(board_options)
    export: Path | None = option(
        type=click.Path(file_okay=False, path_type=Path),
        metavar="FOLDER",
        help="Write the page as static files, which any web server can offer, instead of serving it.",
    )
    open_page: bool = option("--open", "open_page", is_flag=True, help="Open the page in a browser.")


def web_server() -> tuple[Callable[..., int], Callable[[Path], None]]:
    """Import the functions that serve and export the page. Raises `ConfigError` if a requirement is not installed."""
    try:
        from minesweeper.scripts.web.files import export
        from minesweeper.scripts.web.serving import serve
    except ImportError as error:
        raise ConfigError(f"the web server needs {error.name}: pip install 'minesweeper-toolkit[web]'") from error
    return serve, export


@click.command(
    cls=Command,
    short_help="Play in the browser.",
    epilog="Example: sweep --db minesweeper.db --open",
)
@with_options(SweepOptions)
def main(options: SweepOptions) -> None:
    """Play Minesweeper in the browser: packs, no-guess boards, and Kaboom.

    The page offers the presets, including those of a config file, and starts with the board of the options.
    """
    serve, export = web_server()
    if options.export is not None:
        export(options.export)
        click.echo(f"the page is in {options.export}: to try it, python -m http.server -d {options.export}")
        return
    from minesweeper.scripts.web.settings import MAX_PAGE_SIDE, Settings, fits, sizes_among

    boards = options.boards
    sizes = sizes_among(boards.presets)
    name: str | None = None
    if (boards.board, boards.size, boards.mines) != (None, None, None):
        from minesweeper.player.core.board import View

        first = boards.chosen()
        View.hidden(first.grid, first.mines)  # Raises for impossible numbers.
        name = next((known for known, same in boards.presets.items() if same == first), first.name)
        if not fits(first.grid):
            raise ConfigError(f"{name!r} is too large: expected sides of 1 to {MAX_PAGE_SIDE}")
        sizes = {name: first, **sizes}
    settings = Settings(database=options.database, players=options.players, sizes=sizes, begins_with=name)
    sys.exit(serve(options.host, options.port, settings, open_page=options.open_page))
