"""The command `sweep`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import click

from minesweeper.player.words import Preset, board_name
from minesweeper.scripts import options as common
from minesweeper.scripts.options import chosen_board
from minesweeper.scripts.terminal import Command
from minesweeper.scripts.web.settings import MAX_CELLS, MAX_SIDE, Settings, fits, sizes_among


class WebError(ValueError):
    """The error of a server that cannot start."""


@click.command(cls=Command, epilog="Example: sweep --db minesweeper.db --open")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to serve on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8123, show_default=True, help="Port; 0 picks a free one."
)
@click.option(
    "--db",
    "database",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Database with puzzles and results; it also keeps the players' records.",
)
@click.option(
    "--player",
    "players",
    multiple=True,
    metavar="FILE.py|exec:COMMAND",
    help="Another strategy to watch; repeatable. The server runs it.",
)
@common.board_option
@common.size_option
@common.mines_option
@common.config_option
@click.option("--open", "open_page", is_flag=True, help="Open the page in a browser.")
def main(
    host: str,
    port: int,
    database: Path | None,
    players: tuple[str, ...],
    board: str | None,
    size: str | None,
    mines: int | None,
    presets: Mapping[str, Preset],
    open_page: bool,
) -> None:
    """Play Minesweeper in the browser: packs, no-guess boards, and Kaboom.

    The page offers the presets, including those of a config file, and starts with the board of the options.
    """
    try:
        from minesweeper.scripts.web.app import serve
    except ImportError as error:
        raise WebError(f"the web server needs {error.name}: pip install 'minesweeper-toolkit[web]'") from error
    sizes = sizes_among(presets)
    name: str | None = None
    if board is not None or size is not None or mines is not None:
        from minesweeper.player.board import View

        first = chosen_board(board, size, mines, presets)
        View.hidden(*first)  # Raises for impossible numbers.
        name = next((known for known, same in presets.items() if same == first), board_name(*first))
        if not fits(first):
            raise WebError(f"{name!r} is too large: expected sides of 1 to {MAX_SIDE} and at most {MAX_CELLS} cells")
        sizes = {name: first, **sizes}
    settings = Settings(database=database, players=players, sizes=sizes, begins_with=name)
    sys.exit(serve(host, port, settings, open_page=open_page))


if __name__ == "__main__":
    main()
