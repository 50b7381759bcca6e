"""Drawn boards in many looks, with their truths, to tune the reader of pictures on and to measure it.

The looks were written before the reader, in two halves: `TUNED`, which its authors may look at, and `HELD_OUT`.
"""

from __future__ import annotations

import io
import math
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from minesweeper.player import HIDDEN, Game, Recipe

Colour = str | tuple[int, int, int]
CLASSIC: Final = ("#0000ff", "#008000", "#ff0000", "#000080", "#800000", "#008080", "#000000", "#808080")
SOFT: Final = ("#1976d2", "#388e3c", "#d32f2f", "#7b1fa2", "#ff8f00", "#0097a7", "#424242", "#9e9e9e")
NIGHT: Final = ("#7cc7ff", "#66c266", "#ff7788", "#ee88ff", "#ddaa22", "#66cccc", "#999999", "#d0d8e0")
FONTS: Final = Path("/usr/share/fonts/truetype")


def one(colour: str) -> tuple[str, ...]:
    return (colour,) * 8


@dataclass(frozen=True)
class Look:
    """The drawing of cells. Two colours of `hidden` or `open` alternate as on a chess board."""

    hidden: tuple[str, ...] = ("#c0c0c0",)
    open: tuple[str, ...] = ("#c0c0c0",)
    border: str = "bevel"  # of hidden cells: bevel, flat, round, shade, none
    line: str | None = "#808080"  # between cells
    line_width: float = 0.06  # of the pitch
    gap: float = 0.0  # between cells, of the pitch
    ground: str = "#c0c0c0"  # around the cells
    inks: tuple[str, ...] = CLASSIC
    font: str = "DejaVuSans-Bold"
    size: float = 0.7  # of the glyphs
    marks: tuple[str, ...] = ("1", "2", "3", "4", "5", "6", "7", "8")
    zero: str = ""
    unknown: str = ""  # drawn on hidden cells
    square: tuple[str, ...] | None = None  # behind clues, for each clue
    flag: str = "flag"  # flag, or a text
    flag_ink: str = "#ff0000"
    percent: bool = False  # printed on hidden cells
    gradient: float = 0.0  # of the light over the board
    ruler: bool = False
    hover: bool = False
    desk: str = "#3a6ea5"
    exploded: str = "#ff0000"


_SEGMENTS: Final = ("cf", "acdeg", "acdfg", "bcdf", "abdfg", "abdefg", "acf", "abcdefg")
LETTERS: Final = ("A", "B", "C", "D", "E", "F", "G", "H")
ROMAN: Final = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII")
DOTS: Final = tuple(f"dots{n}" for n in range(1, 9))
SHAPES: Final = tuple(f"shape{n}" for n in range(1, 9))
LED: Final = tuple(f"led{n}" for n in range(1, 9))

LOOKS: Final[dict[str, Look]] = {
    "classic": Look(),
    "classic-serif": Look(font="DejaVuSerif-Bold", size=0.75),
    "mono-lines": Look(("#dddddd",), ("#ffffff",), "flat", "#999999", inks=one("#222222"), font="LiberationSans-Bold"),
    "night": Look(("#4a525f",), ("#22262d",), "flat", "#14161a", ground="#14161a", inks=NIGHT, desk="#101014"),
    "checkered": Look(("#aad751", "#a2d149"), ("#e5c29f", "#d7b899"), "none", None, ground="#4a752c", inks=SOFT),
    "rounded": Look(("#b9c4d0",), ("#eef1f4",), "round", None, gap=0.1, ground="#ffffff", inks=SOFT, desk="#f6f6f6"),
    "steel": Look(("#babdb6",), ("#deded7",), "shade", None, gap=0.06, ground="#a0a29b", inks=SOFT, size=0.6),
    "blue": Look(("#3f6fc0", "#3a68b6"), ("#dfe8f5",), "shade", "#1e3a70", inks=CLASSIC, flag_ink="#ffd000"),
    "thin": Look(
        ("#e8e8e8",), ("#fafafa",), "flat", "#bbbbbb", 0.02, inks=SOFT, font="LiberationSans-Regular", size=0.55
    ),
    "letters": Look(("#c0c0c0",), ("#e0e0e0",), inks=CLASSIC, marks=LETTERS),
    "dots": Look(("#708090",), ("#f0f0e0",), "flat", "#405060", inks=one("#202020"), marks=DOTS),
    "squares": Look(
        ("#888888",),
        ("#eeeeee",),
        "flat",
        None,
        gap=0.08,
        ground="#ffffff",
        inks=one("#ffffff"),
        square=("#3b88c3",) * 8,
        unknown="cloud",
        zero="sun",
    ),
    "percent": Look(percent=True, size=0.65),
    "gradient": Look(("#9fb8d8",), ("#f2f2f2",), "shade", "#607890", gradient=0.35, inks=SOFT),
    "ruler": Look(("#cfcfcf",), ("#ffffff",), "flat", "#777777", ruler=True, font="DejaVuSansMono-Bold"),
    "hover": Look(("#5c6bc0",), ("#e8eaf6",), "flat", "#3949ab", hover=True, inks=SOFT, flag_ink="#ffeb3b"),
    "led": Look(
        inks=one("#d00000"), marks=LED, open=("#202020",), hidden=("#606060",), line="#000000", flag_ink="#ffff00"
    ),
    "text-flag": Look(("#bbbbbb",), ("#e6e6e6",), "flat", "#888888", flag="F", flag_ink="#aa0000"),
    # Held out from here on.
    "classic-narrow": Look(font="LiberationSansNarrow-Bold", size=0.8),
    "serif-lines": Look(
        ("#d8d0c0",), ("#fffaf0",), "flat", "#8a8070", inks=one("#333333"), font="LiberationSerif-Bold"
    ),
    "black": Look(("#303030",), ("#0a0a0a",), "bevel", "#202020", ground="#000000", inks=NIGHT, desk="#000000"),
    "sand": Look(("#e3c08b", "#d9b67f"), ("#fdf3dc", "#f6ead0"), "none", None, ground="#8a6a3a", inks=CLASSIC),
    "tiles": Look(("#00796b",), ("#e0f2f1",), "round", None, gap=0.14, ground="#004d40", inks=SOFT, flag_ink="#ffab00"),
    "plastic": Look(("#8fb6e0",), ("#d9d9d9",), "bevel", "#9a9a9a", inks=CLASSIC, font="LiberationMono-Bold"),
    "rose": Look(("#f48fb1", "#f06292"), ("#fff0f5",), "shade", "#ad1457", inks=CLASSIC, flag_ink="#1a237e"),
    "fine": Look(
        ("#d0d7de",), ("#ffffff",), "flat", "#d8dee4", 0.03, inks=SOFT, font="DejaVuSans", size=0.5, desk="#ffffff"
    ),
    "shapes": Look(("#c0c0c0",), ("#e8e8e8",), inks=CLASSIC, marks=SHAPES),
    "roman": Look(("#b08d57",), ("#f5ecd7",), "flat", "#6b4f1d", inks=one("#3b2a0a"), marks=ROMAN, size=0.45),
    "own-squares": Look(
        ("#9e9e9e",), ("#fafafa",), "flat", None, gap=0.06, ground="#616161", inks=one("#ffffff"), square=SOFT, zero=""
    ),
    "rings": Look(
        ("#777777",),
        ("#eeeeee",),
        "flat",
        None,
        gap=0.08,
        ground="#ffffff",
        inks=one("#ffffff"),
        square=("#2d6fb0",) * 8,
        unknown="cross",
        zero="ring",
    ),
    "percent-flat": Look(("#cdd5e0",), ("#ffffff",), "flat", "#98a2b3", percent=True, inks=SOFT, size=0.6),
    "sunset": Look(("#ffb199",), ("#fff5f0",), "shade", "#c06a50", gradient=0.3, inks=CLASSIC),
    "ruler-night": Look(
        ("#3b4252",), ("#242933",), "flat", "#4c566a", ground="#2e3440", inks=NIGHT, ruler=True, desk="#2e3440"
    ),
    "hover-bevel": Look(hover=True, font="LiberationSerif-Bold", size=0.8),
    "italic": Look(("#c9c9d9",), ("#f4f4fa",), "shade", "#8888a0", font="DejaVuSans-BoldOblique", inks=CLASSIC),
    "led-green": Look(
        inks=one("#20d040"), marks=LED, open=("#103018",), hidden=("#4a7a58",), line="#001808", flag_ink="#ff8080"
    ),
}
TUNED: Final = tuple(LOOKS)[:18]
HELD_OUT: Final = tuple(LOOKS)[18:]


class Shown(NamedTuple):
    """A position: the cells as in a view, 9 for a mine shown; flags; and which mine exploded."""

    cells: np.ndarray
    flags: np.ndarray
    exploded: tuple[int, int] | None
    mines: int


class Drawn(NamedTuple):
    image: Image.Image
    shown: Shown
    box: tuple[float, float, float]  # left, top, pitch


def position(random: Random, size: str, stage: float | None = None) -> Shown:
    """Play some clicks of a random game: openings, flags on mines, and perhaps a mine opened, which shows all mines."""
    board = Recipe(size, seed=random.randrange(1 << 30)).puzzle(0).board
    game = Game(board)
    safe = [(r, c) for r in range(board.rows) for c in range(board.cols) if not board.mine_map[r, c]]
    zeros = [cell for cell in safe if board.clues[cell] == 0]
    stage = random.random() if stage is None else stage
    game.open(random.choice(zeros or safe))
    random.shuffle(safe)
    for cell in safe:
        cells = game.view.cells
        if (cells != HIDDEN).sum() >= stage * len(safe):
            break
        near = cells[max(cell[0] - 1, 0) : cell[0] + 2, max(cell[1] - 1, 0) : cell[1] + 2]
        if cells[cell] == HIDDEN and ((near != HIDDEN).any() or random.random() < 0.05):
            game.open(cell)
    cells = game.view.cells.astype(np.int8).copy()
    rate = random.choice((0, 0, 0.3, 0.8))
    flags = np.array([[bool(mine) and random.random() < rate for mine in row] for row in board.mine_map])
    exploded = None
    if random.random() < 0.15:
        mines = [(int(r), int(c)) for r, c in np.argwhere(board.mine_map & ~flags)]
        if mines:
            exploded = random.choice(mines)
            cells[board.mine_map & ~flags] = 9
    return Shown(cells, flags, exploded, board.mines)


@cache
def font(name: str, size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    for folder in ("dejavu", "liberation"):
        path = FONTS / folder / f"{name}.ttf"
        if path.exists():
            return ImageFont.truetype(str(path), size)
    return ImageFont.load_default(size)


def mix(one: str, other: str, share: float) -> tuple[int, int, int]:
    a, b = (tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5)) for colour in (one, other))
    return tuple(round(x + (y - x) * share) for x, y in zip(a, b, strict=True))  # type: ignore[return-value]


def shape(draw: ImageDraw.ImageDraw, name: str, x: float, y: float, p: float, ink: Colour, look: Look) -> None:
    """Draw a glyph in the middle of a cell at (x, y) of pitch `p`."""
    mid_x, mid_y, s = x + p / 2, y + p / 2, look.size * p / 2
    if name == "flag":
        pole = max(1, round(p / 14))
        draw.line((mid_x + s / 4, mid_y - s * 0.8, mid_x + s / 4, mid_y + s * 0.8), fill="#000000", width=pole)
        draw.polygon(
            [(mid_x + s / 4, mid_y - s * 0.8), (mid_x - s * 0.8, mid_y - s / 4), (mid_x + s / 4, mid_y + s / 4)],
            fill=ink,
        )
        draw.rectangle((mid_x - s / 2, mid_y + s * 0.7, mid_x + s * 0.8, mid_y + s * 0.9), fill="#000000")
    elif name == "mine":
        draw.ellipse((mid_x - s * 0.7, mid_y - s * 0.7, mid_x + s * 0.7, mid_y + s * 0.7), fill=ink)
        for turn in range(4):
            dx, dy = s * math.cos(turn * math.pi / 4), s * math.sin(turn * math.pi / 4)
            draw.line((mid_x - dx, mid_y - dy, mid_x + dx, mid_y + dy), fill=ink, width=max(1, round(p / 12)))
        draw.ellipse((mid_x - s * 0.4, mid_y - s * 0.4, mid_x - s * 0.1, mid_y - s * 0.1), fill="#ffffff")
    elif name.startswith("dots"):
        r = p / 12
        for n in range(int(name[4:])):
            a, b = mid_x + (n % 3 - 1) * p / 4, mid_y + (n // 3 - 1) * p / 4
            draw.ellipse((a - r, b - r, a + r, b + r), fill=ink)
    elif name.startswith("shape"):
        sides = int(name[5:]) + 2
        if sides > 6:
            points = [
                (
                    mid_x + s * f * math.cos(t * math.pi / (sides - 3)),
                    mid_y + s * f * math.sin(t * math.pi / (sides - 3)),
                )
                for t in range(2 * (sides - 3))
                for f in ((1.0, 0.4)[t % 2],)
            ]
        else:
            points = [
                (mid_x + s * math.sin(t * 2 * math.pi / sides), mid_y - s * math.cos(t * 2 * math.pi / sides))
                for t in range(sides)
            ]
        draw.polygon(points, fill=ink)
    elif name.startswith("led"):
        w, h, t = s * 0.55, s * 0.9, max(1.0, p / 12)
        ends = {
            "a": (-w, -h, w, -h),
            "b": (-w, -h, -w, 0),
            "c": (w, -h, w, 0),
            "d": (-w, 0, w, 0),
            "e": (-w, 0, -w, h),
            "f": (w, 0, w, h),
            "g": (-w, h, w, h),
        }
        for segment in _SEGMENTS[int(name[3:]) - 1]:
            a, b, c, d = ends[segment]
            draw.line((mid_x + a, mid_y + b, mid_x + c, mid_y + d), fill=ink, width=round(t))
    elif name in ("sun", "ring", "cross", "cloud"):
        if name == "cross":
            for sign in (1, -1):
                draw.line(
                    (mid_x - s, mid_y - sign * s, mid_x + s, mid_y + sign * s),
                    fill="#dd2e44",
                    width=max(2, round(p / 8)),
                )
        elif name == "ring":
            draw.ellipse((mid_x - s, mid_y - s, mid_x + s, mid_y + s), outline="#dd2e44", width=max(2, round(p / 8)))
        elif name == "sun":
            draw.ellipse((mid_x - s * 0.8, mid_y - s * 0.8, mid_x + s * 0.8, mid_y + s * 0.8), fill="#ffcc4d")
        else:
            for a, b in ((-0.5, 0.2), (0.5, 0.2), (0, -0.2)):
                draw.ellipse(
                    (mid_x + s * (a - 0.5), mid_y + s * (b - 0.5), mid_x + s * (a + 0.5), mid_y + s * (b + 0.5)),
                    fill="#e1e8ed",
                )
    else:
        face = font(look.font, max(5, round(p * look.size)))
        draw.text((mid_x, mid_y), name, fill=ink, font=face, anchor="mm")


def draw_cell(
    draw: ImageDraw.ImageDraw,
    look: Look,
    shown: Shown,
    cell: tuple[int, int],
    x: float,
    y: float,
    p: float,
    random: Random,
) -> None:
    value, flagged = int(shown.cells[cell]), bool(shown.flags[cell])
    is_open = value != HIDDEN
    tone = (look.open if is_open else look.hidden)[sum(cell) % len(look.open if is_open else look.hidden)]
    if is_open and look.square is not None and 1 <= value <= 8:
        tone = look.square[value - 1]
    if cell == shown.exploded:
        tone = look.exploded
    g = look.gap * p / 2
    left, top, right, bottom = round(x + g), round(y + g), round(x + p - g) - 1, round(y + p - g) - 1
    if look.hover and not is_open and cell == (0, 0):
        tone = mix_text(tone, "#ffffff", 0.4)
    if look.border == "round":
        draw.rounded_rectangle((left, top, right, bottom), radius=p * 0.15, fill=tone)
    else:
        draw.rectangle((left, top, right, bottom), fill=tone)
    w = max(1, round(p / 10))
    if not is_open and look.border == "bevel":
        light, dark = mix(tone, "#ffffff", 0.85), mix(tone, "#000000", 0.4)
        draw.polygon(
            [
                (left, top),
                (right, top),
                (right - w, top + w),
                (left + w, top + w),
                (left + w, bottom - w),
                (left, bottom),
            ],
            fill=light,
        )
        draw.polygon(
            [
                (right, bottom),
                (left, bottom),
                (left + w, bottom - w),
                (right - w, bottom - w),
                (right - w, top + w),
                (right, top),
            ],
            fill=dark,
        )
    elif not is_open and look.border == "shade":
        for step in range(bottom - top + 1):
            share = step / max(1, bottom - top)
            draw.line((left, top + step, right, top + step), fill=mix(mix_text(tone, "#ffffff", 0.3), tone, share))
    if look.line is not None and (is_open or look.border != "bevel"):
        width = max(1, round(look.line_width * p))
        draw.line((left, top, right, top), fill=look.line, width=width)
        draw.line((left, top, left, bottom), fill=look.line, width=width)
    if flagged:
        shape(draw, look.flag, x, y, p, look.flag_ink, look)
    elif value == 9:
        shape(draw, "mine", x, y, p, "#000000", look)
    elif value > 0:
        shape(draw, look.marks[value - 1], x, y, p, look.inks[value - 1], look)
    elif value == 0 and look.zero:
        shape(draw, look.zero, x, y, p, "#000000", look)
    elif value == HIDDEN and look.unknown:
        shape(draw, look.unknown, x, y, p, "#000000", look)
    elif value == HIDDEN and look.percent:
        shape(draw, f"{random.randrange(101)}%", x, y, p, "#1a1a1a", replace(look, size=0.32, font="DejaVuSans"))


def mix_text(one: str, other: str, share: float) -> str:
    return "#{:02x}{:02x}{:02x}".format(*mix(one, other, share))


def desk(random: Random, size: tuple[int, int], look: Look) -> Image.Image:
    """Return a desktop with windows, bars and text, on which a board can be placed."""
    image = Image.new("RGB", size, look.desk)
    draw = ImageDraw.Draw(image)
    small = font("DejaVuSans", 11)
    for _ in range(random.randrange(4)):
        x, y = random.randrange(size[0]), random.randrange(size[1])
        w, h = random.randrange(80, 400), random.randrange(60, 300)
        draw.rectangle((x, y, x + w, y + h), fill=random.choice(("#ffffff", "#f0f0f0", "#2b2b2b")), outline="#555555")
        draw.rectangle((x, y, x + w, y + 18), fill="#50607a")
        for line in range(y + 24, y + h - 14, 14):
            draw.text(
                (x + 6, line),
                " ".join(random.choice(("mine", "count", "field", "12", "safe", "the")) for _ in range(w // 40)),
                fill="#777777",
                font=small,
            )
    return image


def draw_board(random: Random, name: str, shown: Shown, pitch: float, size: tuple[int, int] | None = None) -> Drawn:
    """Draw a position in a look, somewhere on a desktop of `size`, by default one that fits the board."""
    look = LOOKS[name]
    rows, cols = shown.cells.shape
    wide, high = math.ceil(cols * pitch), math.ceil(rows * pitch)
    if size is None:
        size = wide + random.randrange(40, 400), high + random.randrange(90, 300)
    image = desk(random, size, look)
    left, top = random.randrange(20, max(21, size[0] - wide - 19)), random.randrange(60, max(61, size[1] - high - 19))
    draw = ImageDraw.Draw(image)
    draw.rectangle((left - 12, top - 58, left + wide + 12, top + high + 12), fill=look.ground, outline="#404040")
    draw.rectangle((left - 12, top - 58, left + wide + 12, top - 42), fill="#335588")
    draw.text((left, top - 56), "Mines", fill="#ffffff", font=font("DejaVuSans", 11))
    draw.rectangle((left + 2, top - 36, left + 44, top - 14), fill="#000000")
    draw.text(
        (left + 5, top - 37),
        f"{shown.mines - int(shown.flags.sum()):03d}",
        fill="#ff0000",
        font=font("DejaVuSansMono-Bold", 19),
    )
    for row in range(rows):
        for col in range(cols):
            draw_cell(draw, look, shown, (row, col), left + col * pitch, top + row * pitch, pitch, random)
    if look.ruler:
        tiny = font("DejaVuSans", max(6, min(10, round(pitch * 0.5))))
        for col in range(cols):
            draw.text((left + (col + 0.5) * pitch, top - 6), str(col % 10), fill="#888888", font=tiny, anchor="mm")
        for row in range(rows):
            draw.text((left - 6, top + (row + 0.5) * pitch), str(row % 10), fill="#888888", font=tiny, anchor="mm")
    if look.gradient:
        pixels = np.asarray(image, dtype=np.float32)
        down, across = np.mgrid[0 : size[1], 0 : size[0]]
        light = 1 - look.gradient * (down / size[1] + across / size[0]) / 2
        image = Image.fromarray(np.clip(pixels * light[..., None], 0, 255).astype(np.uint8))
    return Drawn(image, shown, (left, top, pitch))


def degrade(drawn: Drawn, jpeg: int | None = None, scale: float = 1.0) -> Drawn:
    """Return the picture scaled and compressed."""
    image, (left, top, pitch) = drawn.image, drawn.box
    if scale != 1:
        image = image.resize((round(image.width * scale), round(image.height * scale)), Image.Resampling.BILINEAR)
    if jpeg is not None:
        data = io.BytesIO()
        image.save(data, "JPEG", quality=jpeg)
        image = Image.open(data).convert("RGB")
    return Drawn(image, drawn.shown, (left * scale, top * scale, pitch * scale))


def sample(random: Random, name: str) -> Drawn:
    """Draw a random position in a look: plain, as a JPEG of quality 60, or at 0.7 of its size."""
    size = random.choice(("8x8/10", "9x9/10", "16x16/40", "16x30/99", "12x20/40"))
    pitch = random.choice((16, 18, 20, 24, 24.5, 26.4, 30, 32, 40, 33.33))
    drawn = draw_board(random, name, position(random, size), pitch)
    jpeg, scale = random.choice(((None, 1.0), (None, 1.0), (60, 1.0), (None, 0.7 if pitch >= 24 else 1.0)))
    return degrade(drawn, jpeg, scale)
