"""A picture of a screen with the chances of its board drawn over it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from minesweeper.player.core.grid import Cell
from minesweeper.player.core.lazy_numpy import NDArray, np
from minesweeper.player.see.reading import Reading, decoded

if TYPE_CHECKING:
    from PIL.Image import Image

_SAFE: Final = (0, 170, 60)
_MINE: Final = (220, 0, 0)
_CLICK: Final = (255, 0, 255)
_TEXT_HEIGHT: Final = 0.4


def draw_chances(
    picture: NDArray[np.uint8], reading: Reading, chances: NDArray[np.float64], clicks: Sequence[Cell] = ()
) -> Image:
    """Draw the probability of a mine over each hidden cell, and a frame around the cells to click next.

    :param picture: uint8 (height, width, 3), the picture that was read
    :param chances: float64 of the shape of the board, NaN in open cells
    """
    from PIL import Image, ImageDraw

    image = decoded(Image.fromarray(picture))
    draw = ImageDraw.Draw(image)
    height = min(reading.pitch)
    for (row, col), chance in np.ndenumerate(chances):
        if np.isnan(chance):
            continue
        left, top, right, bottom = reading.boxes[row, col]
        text = "safe" if chance == 0 else "mine" if chance == 1 else f"{100 * chance:.0f}%"
        colour = tuple(round(safe + (mine - safe) * chance) for safe, mine in zip(_SAFE, _MINE, strict=True))
        middle = ((left + right) / 2, (top + bottom) / 2)
        size = max(6.0, min(height * _TEXT_HEIGHT, 1.6 * (right - left) / len(text)))
        draw.text(middle, text, colour, anchor="mm", font_size=size, stroke_width=1, stroke_fill=(255, 255, 255))
        if (row, col) in clicks:
            draw.rectangle((left + 1, top + 1, right - 2, bottom - 2), outline=_CLICK, width=max(2, round(height / 12)))
    return image
