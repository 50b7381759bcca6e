"""The pictures of the documentation, drawn from the running programs in light and dark: a tour, a review, a terminal.

The tour is an animation for the README. The seeds are fixed, so only the programs and the clocks change the pictures.
"""

from __future__ import annotations

import html
import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from minesweeper.scripts.console.terminal import Command
from minesweeper.scripts.dev.page import ask, check_requirements, chromium, command_line, open_tab, serving

if TYPE_CHECKING:
    from PIL.Image import Image as Picture
    from playwright.sync_api import Browser, Page

_ROOT: Final = Path(__file__).resolve().parents[2]
_FOLDER: Final = _ROOT / "docs" / "pictures"
_ICON: Final = _ROOT / "scripts/web/static/icons/sweep.svg"
_ICON_SIDE: Final = 180
_WINDOW: Final = {"width": 1120, "height": 680}
_THEMES: Final = ("light", "dark")
_SEED: Final = 4
_TOUR_WINDOW: Final = {"width": 1000, "height": 640}
_HINT_SEED: Final = 7
"""A board that needs two clues at a time, after 42 moves that need one."""
_GUESS_SEED: Final = 6
"""A board that ends in two 50/50 guesses."""
_MOVES_PER_FRAME: Final = 6
_CAPTION_HEIGHT: Final = 46
_CAPTION_COLOURS: Final = {"light": ("#0b5cad", "#ffffff"), "dark": ("#7cc0ff", "#0b1420")}
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


def _new_game(page: Page, mode: str, preset: str, seed: int) -> dict[str, Any]:
    """Start a game without showing it, and return its state."""
    game: dict[str, Any] = ask(page, "newGame", {"mode": mode, "preset": preset, "seed": seed})
    return game


def _next(page: Page, game: dict[str, Any]) -> dict[str, Any]:
    """Make the easiest certain move, or else the best guess, and return the state."""
    hint = ask(page, "advise", "hint", game)
    middle = [game["rows"] // 2, game["cols"] // 2]
    cells = hint["safe"] if hint["found"] else [hint["guess"]["cell"] if hint["guess"] else middle]
    mines = hint["mines"] if hint["found"] else []
    numbers = [[row * game["cols"] + col for row, col in chosen] for chosen in (cells, mines)]
    moved: dict[str, Any] = ask(page, "help", game["id"], *numbers)
    return moved


def _visit(page: Page) -> None:
    """Open the page and wait for its game."""
    page.goto("/")
    page.wait_for_selector('#board[aria-busy="false"] .cell')


def _show(page: Page, game: dict[str, Any]) -> None:
    """Show a game."""
    page.evaluate("id => sessionStorage.setItem('sweep-game', JSON.stringify(id))", game["id"])
    _visit(page)


def _review(page: Page, game: dict[str, Any]) -> None:
    """Show the review of a game at its first guess, with the chances of a mine."""
    page.goto(f"/review/{game['id']}")
    page.wait_for_selector("#words .layouts")
    page.locator("#show-chances").check()


def draw_review(page: Page) -> None:
    """Play a game to its end with the automatic player, and review its first guess."""
    _visit(page)
    game = _new_game(page, "classic", "expert", _SEED)
    while game["status"] in ("ready", "playing"):
        game = _next(page, game)
    if game["status"] == "lost":
        ask(page, "reveal", game["id"])
    _review(page, game)


def tour(page: Page) -> Iterator[tuple[str, int]]:
    """Show the frames of the tour one after the other, and yield the caption and the milliseconds of each."""
    _visit(page)
    game = _new_game(page, "no-guess", "intermediate", _HINT_SEED)
    caption = "A no-guess game: logic alone solves it"
    _show(page, game)
    yield caption, 1800
    moves = 0
    while ask(page, "advise", "hint", game)["tier"] < 2:
        game = _next(page, game)
        moves += 1
        if moves % _MOVES_PER_FRAME == 0:
            _show(page, game)
            yield caption, 400
    _show(page, game)
    for mark, milliseconds in ((".zone", 2000), (".why", 2500), (".is-safe", 5000)):
        page.keyboard.press("h")
        page.wait_for_selector(f"#board {mark}")
        yield "Stuck? A hint: where to look, the clues, the reason", milliseconds

    game = _new_game(page, "classic", "intermediate", _GUESS_SEED)
    game = _next(page, game)
    shown = False
    while game["status"] == "playing":
        hint = ask(page, "advise", "hint", game)
        if hint["found"]:
            game = _next(page, game)
            continue
        if not shown:
            shown = True
            _show(page, game)
            yield "A classic game: is there a safe cell left?", 2500
            page.keyboard.press("h")
            page.wait_for_selector("#words .layouts")
            yield "No. The proof: two layouts that fit every clue", 5000
        row, col = hint["guess"]["cell"]
        game = ask(page, "move", game["id"], "open", row * game["cols"] + col)
    caption = "A review judges every click: this guess was forced"
    _review(page, game)
    yield caption, 4500
    page.locator("#guess-forward").click()
    yield caption, 4500


def draw_tour(browser: Browser, page: Page, theme: str) -> list[tuple[Picture, int]]:
    """Draw the frames of the tour, each above its caption; return them with their milliseconds."""
    ground, ink = _CAPTION_COLOURS[theme]
    font = f"700 22px/{_CAPTION_HEIGHT}px DejaVu Sans,sans-serif"
    css = f"margin:0;padding:0 16px;background:{ground};color:{ink};font:{font}"
    bar = browser.new_page()
    bar.set_viewport_size({"width": _TOUR_WINDOW["width"], "height": _CAPTION_HEIGHT})
    frames = []
    for caption, milliseconds in tour(page):
        bar.set_content(f'<body style="{css}">{html.escape(caption)}</body>')
        if page.locator("#more-words").is_visible():
            page.locator("#more-words").click()
        frame = _screenshot(page).crop((0, 0, _TOUR_WINDOW["width"], _TOUR_WINDOW["height"] + _CAPTION_HEIGHT))
        frame.paste(_picture(bar.screenshot()), (0, _TOUR_WINDOW["height"]))
        frames.append((frame, milliseconds))
    bar.close()
    return frames


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


def _picture(data: bytes) -> Picture:
    """Return the picture in the bytes of a PNG file."""
    from PIL import Image

    return Image.open(BytesIO(data)).convert("RGB")


def _screenshot(page: Page) -> Picture:
    """Draw a page without the focus and the pointer."""
    page.evaluate("document.activeElement.blur()")
    page.mouse.move(0, 0)
    return _picture(page.screenshot())


def draw_icon(browser: Browser) -> Path:
    """Draw the icon of the page for iOS, which reads no SVG and rounds the corners itself."""
    path = _ICON.with_suffix(".png")
    page = browser.new_page(viewport={"width": _ICON_SIDE, "height": _ICON_SIDE})
    page.set_content(f"<style>body{{margin:0;background:#0b5cad}}svg{{display:block}}</style>{_ICON.read_text()}")
    _picture(page.screenshot()).quantize(_COLOURS).save(path, optimize=True)
    page.close()
    return path


NAMES: Final = ("tour.webp", "review.png", "watch.png")


def draw(browser: Browser, address: str, name: str, theme: str, folder: Path) -> Path:
    """Draw one picture into a folder and return its path."""
    from PIL import Image

    stem, suffix = name.split(".")
    path = folder / f"{stem}-{theme}.{suffix}"
    window = _TOUR_WINDOW if stem == "tour" else _WINDOW
    page = open_tab(browser, address, viewport=window, color_scheme=theme, reduced_motion="reduce")
    if stem == "tour":
        images, milliseconds = zip(*draw_tour(browser, page, theme), strict=True)
        images[0].save(
            path, save_all=True, append_images=images[1:], duration=milliseconds, loop=0, lossless=True, method=6
        )
    else:
        if stem == "review":
            draw_review(page)
            image = _screenshot(page)
        else:
            page.set_content(terminal_page(watched_frame(), theme))
            image = _picture(page.locator("pre").screenshot())
        # A picture of few colours looks the same and has a third of the size.
        image.quantize(_COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
    page.close()
    return path


@click.command(cls=Command, epilog="Example: python scripts/dev/draw_pictures.py tour.webp")
@click.argument("names", nargs=-1, type=click.Choice(NAMES))
@click.option(
    "--into",
    default=_FOLDER,
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the pictures. [default: docs/pictures]",
)
@click.option("--theme", type=click.Choice(_THEMES), help="Only this theme.")
def main(names: tuple[str, ...], into: Path, theme: str | None) -> None:
    """Draw the pictures of the documentation and the icon of the page, or the pictures named."""
    check_requirements("PIL", "playwright")
    with serving() as address, chromium() as browser:
        if not names:
            click.echo(draw_icon(browser))
        for name in names or NAMES:
            for shown in _THEMES if theme is None else (theme,):
                click.echo(draw(browser, address, name, shown, into))


if __name__ == "__main__":
    main()
