"""Drawings over a picture of a board: safe cells, mines and chances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from minesweeper.player.core.board import HIDDEN
from minesweeper.player.core.grid import Cell
from minesweeper.player.core.lazy_numpy import NDArray, np
from minesweeper.player.logic import Deductions
from minesweeper.player.see.reading import Reading, pixels_of

if TYPE_CHECKING:
    from PIL import Image

    from minesweeper.player.see.reading import ImageLike

SAFE: Final = (0, 160, 60)
MINE: Final = (214, 30, 30)
DOUBTFUL: Final = (255, 170, 0)
_CHANCE: Final = (20, 60, 160)


def draw_over(
    image: ImageLike,
    reading: Reading,
    known: Deductions,
    chances: NDArray[np.float64] | None = None,
    best: Cell | None = None,
) -> Image.Image:
    """Draw the known cells and the chances of a board over its picture.

    Safe cells get a green frame, mines a red one with a cross, doubtful cells an orange one, other hidden cells their
    chance of a mine in percent, and the `best` cell to open a thick frame.
    """
    from PIL import Image, ImageDraw, ImageFont

    picture = Image.fromarray(pixels_of(image))
    draw = ImageDraw.Draw(picture, "RGBA")
    across, down = reading.pitch
    thick = max(1, round(min(across, down) / 14))
    font = ImageFont.load_default(max(6.0, min(across, down) * 0.36))
    for row, col in np.argwhere(reading.cells == HIDDEN).tolist():
        cell = (row, col)
        left, top, right, bottom = (float(side) for side in reading.boxes[cell])
        box = (left + 1, top + 1, right - 2, bottom - 2)
        if known.safe_map[cell]:
            draw.rectangle(box, fill=(*SAFE, 90), outline=SAFE, width=thick * (1 + (cell == best)))
        elif known.mine_map[cell]:
            draw.rectangle(box, fill=(*MINE, 70), outline=MINE, width=thick)
            draw.line((left + across / 4, top + down / 4, right - across / 4, bottom - down / 4), MINE, thick)
            draw.line((left + across / 4, bottom - down / 4, right - across / 4, top + down / 4), MINE, thick)
        elif chances is not None and not np.isnan(chances[cell]):
            text = f"{100 * chances[cell]:.0f}"
            middle = ((left + right) / 2, (top + bottom) / 2)
            if cell == best:
                draw.rectangle(box, outline=_CHANCE, width=2 * thick)
            draw.text(middle, text, _CHANCE, font, anchor="mm", stroke_width=thick, stroke_fill=(255, 255, 255))
    for cell in reading.doubtful:
        left, top, right, bottom = (float(side) for side in reading.boxes[cell])
        draw.rectangle((left, top, right - 1, bottom - 1), outline=DOUBTFUL, width=thick)
    return picture
