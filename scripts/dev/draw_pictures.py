"""The pictures of the README, drawn from the running programs in light and dark: a hint, a review, a terminal.

The seeds are fixed, so the pictures change only with the programs.
"""

from __future__ import annotations

import html
import os
import re
import shlex
import subprocess
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from minesweeper.scripts.dev.page import check_requirements, chromium, command_line, serving
from minesweeper.scripts.terminal import Command

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_FOLDER: Final = Path(__file__).resolve().parents[2] / "docs" / "pictures"
_WINDOW: Final = {"width": 1120, "height": 680}
_THEMES: Final = ("light", "dark")
_SEED: Final = 4
_WATCHED: Final = ("--preset", "expert", "--seed", "1", "--strategy", "champion", "--watch", "--speed", "1000")
_TERMINAL: Final = {"LINES": "24", "COLUMNS": "80", "TERM": "xterm"}
_COLOURS: Final = 160
_PATIENCE_SECONDS: Final = 60

_CODE: Final = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])")
_INKS: Final = {
    "light": (
        "#fbfaf7",
        "#24292f",
        ("#6e7781", "#b3261e", "#00694a", "#8a4b00", "#0b5cad", "#8a0f4d", "#006073", "#1c1c1c"),
    ),
    "dark": (
        "#161b22",
        "#e6edf3",
        ("#8b949e", "#ff9d92", "#7fdca4", "#ffc46b", "#7cc0ff", "#d9a8ff", "#5ad1e6", "#ffffff"),
    ),
}
"""Background, text, and the eight colours of a terminal."""


def _call(page: Page, path: str, body: dict[str, Any]) -> Any:
    """Send a request to the server, as the page does."""
    script = """async ([path, body]) => (await fetch(`/api${path}`, {
        method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body),
    })).json()"""
    return page.evaluate(script, [path, body])


def _visit(page: Page) -> None:
    """Open the page and wait for its first game, which starts a session."""
    page.goto("/")
    page.wait_for_selector('#board[aria-busy="false"] .open')


def _show(page: Page, game: dict[str, Any]) -> None:
    """Show a game."""
    page.evaluate("id => sessionStorage.setItem('sweep-game', id)", game["id"])
    _visit(page)


def draw_hint(page: Page) -> None:
    """Play as far as single clues suffice, and show the next hint with its reason."""
    _visit(page)
    game = _call(page, "/games", {"mode": "no-guess", "preset": "intermediate", "seed": _SEED, "tier": "2 clues"})
    while _call(page, f"/games/{game['id']}/hint", {})["tier"] < 2:
        game = _call(page, f"/games/{game['id']}/next", {})["game"]
    _show(page, game)
    for _ in range(3):
        page.keyboard.press("h")
        page.wait_for_timeout(300)
    page.wait_for_selector("#board .why")


def draw_review(page: Page) -> None:
    """Play a game to its end with the automatic player, and review its first guess."""
    _visit(page)
    game = _call(page, "/games", {"mode": "classic", "preset": "expert", "seed": _SEED})
    while game["status"] in ("ready", "playing"):
        game = _call(page, f"/games/{game['id']}/next", {"guess": True})["game"]
    if game["status"] == "lost":
        _call(page, f"/games/{game['id']}/reveal", {})
    page.goto(f"/review/{game['id']}")
    page.wait_for_selector("#words .layouts")
    page.locator("#show-chances").check()


def watched_frame() -> str:
    """Watch a game in a terminal, and return the output of its first guess, with colour codes."""
    command = shlex.join(command_line("autoplay", *_WATCHED))
    environment = os.environ | _TERMINAL | {"NO_COLOR": ""}
    script = ["script", "--quiet", "--return", "--command", command, os.devnull]
    written = subprocess.check_output(script, text=True, env=environment, timeout=_PATIENCE_SECONDS)
    frames = written.split("\x1b[H")
    return next(frame for frame in frames if "guess 1" in frame)


def terminal_page(frame: str, theme: str) -> str:
    """Convert the output of a terminal to HTML."""
    ground, ink, inks = _INKS[theme]
    colours = dict(enumerate(inks, 90))
    parts, style, last = [], "", 0
    for code in _CODE.finditer(frame):
        parts.append(f'<span style="{style}">{html.escape(frame[last : code.start()])}</span>')
        last = code.end()
        if code[2] != "m":
            continue
        for number in [int(one) for one in code[1].split(";") if one] or [0]:
            styles = {0: "", 1: f"{style};font-weight:700", 2: f"{style};opacity:.6"}
            styles[7] = f"{style};background:{ink};color:{ground}"
            colour = colours.get(number + 60 if number < 90 else number, ink)
            styles |= dict.fromkeys(range(30, 38), f"{style};color:{colour}")
            styles |= dict.fromkeys(range(90, 98), f"{style};color:{colour}")
            style = styles.get(number, style)
    parts.append(html.escape(frame[last:]))
    text = "".join(parts)
    css = f"margin:0;padding:14px 18px;background:{ground};color:{ink};font:15px/1.3 DejaVu Sans Mono,monospace"
    return f'<body style="margin:0"><pre style="{css};display:inline-block;border-radius:8px">{text}</pre></body>'


_PAGES: Final[dict[str, Callable[[Page], None]]] = {"hint": draw_hint, "review": draw_review}
NAMES: Final = (*_PAGES, "watch")


def draw(browser: Browser, address: str, name: str, theme: str, folder: Path) -> Path:
    """Draw one picture into a folder and return its path."""
    from PIL import Image

    page = browser.new_page(base_url=address, viewport=_WINDOW, color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
    if name in _PAGES:
        _PAGES[name](page)
        page.evaluate("document.activeElement.blur()")
        data = page.screenshot()
    else:
        page.set_content(terminal_page(watched_frame(), theme))
        data = page.locator("pre").screenshot()
    page.close()
    path = folder / f"{name}-{theme}.png"
    # A picture of few colours looks the same and has a third of the size.
    Image.open(BytesIO(data)).convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
    return path


@click.command(cls=Command, epilog="Example: python scripts/dev/draw_pictures.py hint")
@click.argument("names", nargs=-1, type=click.Choice(NAMES))
@click.option(
    "--into",
    default=_FOLDER,
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the pictures. [default: docs/pictures]",
)
@click.option("--theme", type=click.Choice(_THEMES), help="Only this theme.")
def main(names: tuple[str, ...], into: Path, theme: str | None) -> None:
    """Draw the pictures of the README, or those named."""
    check_requirements("playwright", "PIL")
    with serving() as (_, address), chromium() as browser:
        for name in names or NAMES:
            for shown in _THEMES if theme is None else (theme,):
                click.echo(draw(browser, address, name, shown, into))


if __name__ == "__main__":
    main()
