"""The command `sweep`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from minesweeper.scripts.terminal import Command


class WebError(ValueError):
    """A server that cannot start."""


@click.command(cls=Command, epilog="Example: sweep --db minesweeper.db --open")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to serve on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8123, show_default=True, help="Port; 0 picks a free one."
)
@click.option(
    "--db",
    "database",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Database with puzzles to play and results to show.",
)
@click.option(
    "--player",
    "players",
    multiple=True,
    metavar="FILE.py|exec:COMMAND",
    help="Who may be watched too; repeatable. It is run here.",
)
@click.option("--open", "open_page", is_flag=True, help="Open the page in a browser.")
def main(host: str, port: int, database: Path | None, players: tuple[str, ...], open_page: bool) -> None:
    """Play Minesweeper in the browser: packs, no-guess boards, and Kaboom."""
    try:
        from minesweeper.scripts.web.app import serve
    except ImportError as error:
        raise WebError(
            f"expected the web server, install it with pip install '.[web]': no module {error.name!r}"
        ) from error
    sys.exit(serve(host, port, database, open_page=open_page, players=players))


if __name__ == "__main__":
    main()
