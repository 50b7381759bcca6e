"""Readings: the boards that a picture shows, with the places and the doubtful cells of each.

The kernel reads pixels (``player/kernel/see``); Pillow decodes files.
"""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from minesweeper.player.core.board import HIDDEN, View, frozen
from minesweeper.player.core.errors import BoardError, ConfigError, FormatError, NoBoardFound, counted
from minesweeper.player.core.grid import Cell
from minesweeper.player.core.lazy_numpy import ArrayValue, NDArray, np
from minesweeper.player.core.mine_range import ASSUMED_DENSITY, MineRange
from minesweeper.player.kernel_api import kernel, require

if TYPE_CHECKING:
    from PIL import Image

    ImageLike = str | os.PathLike[str] | bytes | NDArray[np.uint8] | Image.Image

MOST_PIXELS: Final = 40_000_000
"""The most pixels of a picture, as in ``see/lattice.hpp``."""
MEANINGS: Final = (*"012345678", "hidden", "flag", "mine", "question")
"""The meanings of a cell, in the order of the kernel."""
_HIDDEN, _FLAG, _MINE = 9, 10, 11
_MAGIC: Final = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8", b"BM")
_MOST_NAMED: Final = 5


@dataclass(frozen=True, eq=False)
class Reading(ArrayValue):
    """A board in a picture.

    `cells` is an array of int8 like `View.cells`: the clues, and `HIDDEN`, also for flags and for mines shown at the
    end of a game. `flags` and `mines_shown` mark those. `mines` is the number of mines, or the range that fits. Cell
    (row, col) lies between `x_lines[col]` and `x_lines[col + 1]`, and between `y_lines[row]` and `y_lines[row + 1]`, in
    pixels. `doubtful` lists the cells that may show something else, and `chances` has the probability of each of
    `MEANINGS` for each cell.

    >>> from PIL import Image, ImageDraw
    >>> picture = Image.new("RGB", (200, 200), "white")
    >>> draw = ImageDraw.Draw(picture)
    >>> for place in range(25):
    ...     row, col = divmod(place, 5)
    ...     draw.rectangle((30 * col + 20, 30 * row + 20, 30 * col + 47, 30 * row + 47), fill="grey")
    >>> reading = ms.read_image(picture)
    >>> reading
    <Reading 5x5, sure>
    >>> reading.view, ms.View(reading.cells, mines=4)
    (<View 5x5/0-25@0.2, 25 hidden>, <View 5x5/4, 25 hidden>)
    """

    cells: NDArray[np.int8]
    flags: NDArray[np.bool_]
    mines_shown: NDArray[np.bool_]
    mines: int | MineRange
    x_lines: tuple[float, ...]
    y_lines: tuple[float, ...]
    doubtful: tuple[Cell, ...]
    chances: NDArray[np.float32]

    def __repr__(self) -> str:
        return f"<Reading {len(self.cells)}x{self.cells.shape[1]}, {self.in_words()}>"

    @property
    def verdict(self) -> str:
        """``sure``, or ``doubtful`` if cells are."""
        return "doubtful" if self.doubtful else "sure"

    @property
    def view(self) -> View:
        """The position."""
        return View(self.cells, self.mines)

    @property
    def pitch(self) -> tuple[float, float]:
        """The mean width and height of a cell, in pixels."""
        rows, cols = self.cells.shape
        return (self.x_lines[-1] - self.x_lines[0]) / cols, (self.y_lines[-1] - self.y_lines[0]) / rows

    @cached_property
    def boxes(self) -> NDArray[np.float64]:
        """The sides of each cell: an array of rows x cols x (left, top, right, bottom), in pixels."""
        left, top = np.meshgrid(self.x_lines[:-1], self.y_lines[:-1])
        right, bottom = np.meshgrid(self.x_lines[1:], self.y_lines[1:])
        return np.stack([left, top, right, bottom], axis=-1)

    def moved(self, across: float, down: float) -> Reading:
        """Return the reading for a picture that has more pixels to the left and above."""
        x_lines, y_lines = tuple(x + across for x in self.x_lines), tuple(y + down for y in self.y_lines)
        return replace(self, x_lines=x_lines, y_lines=y_lines)

    def alternatives(self, cell: Cell) -> list[tuple[str, float]]:
        """List what a cell may show, most probable first, with the probabilities."""
        shares = self.chances[cell]
        return [(MEANINGS[i], float(shares[i])) for i in np.argsort(-shares, kind="stable") if shares[i] > 0]

    def corrected(self, values: Mapping[Cell, str]) -> Reading:
        """Return the reading with these cells as named, see `MEANINGS`, and no longer doubtful."""
        symbols = np.where(self.cells == HIDDEN, _HIDDEN, self.cells)
        symbols[self.flags], symbols[self.mines_shown] = _FLAG, _MINE
        for cell, value in values.items():
            if value not in MEANINGS:
                raise BoardError(f"unknown meaning {value!r} of a cell; expected one of {', '.join(MEANINGS)}")
            symbols[cell] = MEANINGS.index(value)
        doubtful = tuple(cell for cell in self.doubtful if cell not in values)
        return replace(self, **_parts(symbols), mines=MineRange(), doubtful=doubtful)

    def in_words(self) -> str:
        """Return the verdict in words; doubtful cells with what else they may show."""
        if not self.doubtful:
            return "sure"
        named = []
        for cell in self.doubtful[:_MOST_NAMED]:
            likely = [f"{name} {chance:.0%}" for name, chance in self.alternatives(cell)[:2]]
            named.append(f"{cell} {' or '.join(likely)}")
        more = len(self.doubtful) - len(named)
        named += [f"and {more} more"] * (more > 0)
        return f"{counted(len(self.doubtful), 'doubtful cell')}: {', '.join(named)}"


def _parts(symbols: NDArray[Any]) -> dict[str, Any]:
    """Return the fields of a reading that the meanings of its cells determine."""
    return {
        "cells": frozen(np.where(symbols <= 8, symbols, HIDDEN).astype(np.int8)),
        "flags": frozen(symbols == _FLAG),
        "mines_shown": frozen(symbols == _MINE),
    }


def _mines(fewest: int, most: int) -> int | MineRange:
    return fewest if fewest == most else MineRange(fewest, most, ASSUMED_DENSITY)


def read_image(image: ImageLike) -> Reading:
    """Read the largest board in a picture.

    :param image: the path or the bytes of a PNG, JPEG, WebP, GIF or BMP file, an array of height x width x 3 or 4 bytes
        (red, green, blue, opacity), or an image of Pillow
    :raises NoBoardFound: if the picture shows no board
    :raises FormatError: if it cannot be decoded or is too large

    >>> import numpy as np
    >>> try:
    ...     ms.read_image(np.zeros((100, 100, 3), np.uint8))
    ... except ms.NoBoardFound as error:
    ...     print(error)
    no board found in the picture (100x100); expected cells of 8 to 200 pixels in at least 4 rows and columns
    """
    return read_boards(image)[0]


def read_boards(image: ImageLike) -> list[Reading]:
    """Read all boards in a picture, largest first: as `read_image`, which returns the first.

    >>> try:
    ...     ms.read_boards(b"text")
    ... except ms.MinesweeperError as error:
    ...     print(error)
    this is no picture; expected a PNG, JPEG, WebP, GIF or BMP file
    """
    return _read(pixels_of(image))


def read_again(image: ImageLike, before: Reading) -> Reading:
    """Read a board at the place of an earlier reading, without a search. Raises as `read_image`."""
    return _read(pixels_of(image), before.x_lines, before.y_lines)[0]


def _read(pixels: NDArray[np.uint8], x_lines: Sequence[float] = (), y_lines: Sequence[float] = ()) -> list[Reading]:
    require("reading pictures")
    found = []
    for board in kernel.read_picture(pixels, x_lines, y_lines):
        shape = len(board.y_lines) - 1, len(board.x_lines) - 1
        found.append(
            Reading(
                **_parts(np.frombuffer(board.meanings, np.uint8).reshape(shape)),
                mines=_mines(board.fewest_mines, board.most_mines),
                x_lines=tuple(board.x_lines),
                y_lines=tuple(board.y_lines),
                doubtful=tuple(divmod(cell, shape[1]) for cell in board.doubtful),
                chances=np.frombuffer(board.chances, np.float32).reshape(*shape, len(MEANINGS)),
            )
        )
    if not found:
        size = f"{pixels.shape[1]}x{pixels.shape[0]}"
        raise NoBoardFound(
            f"no board found in the picture ({size}); expected cells of 8 to 200 pixels in at least 4 rows and columns"
        )
    return found


def is_picture(head: bytes) -> bool:
    """Return whether a file that begins with these bytes is a picture."""
    return head.startswith(_MAGIC) or (head[:4] == b"RIFF" and head[8:12] == b"WEBP")


def pixels_of(image: ImageLike) -> NDArray[np.uint8]:
    """Return a picture as an array of height x width x 3; see `read_image`. Transparent parts become white."""
    if not isinstance(image, np.ndarray):
        opened = decoded(image)
        # A palette may have a transparent colour.
        image = np.asarray(opened if opened.mode == "RGB" else opened.convert("RGBA"))
    if image.ndim != 3 or image.shape[2] not in (3, 4) or image.dtype != np.uint8 or not image.size:
        shape = "x".join(map(str, image.shape))
        raise FormatError(f"an array of {shape} {image.dtype}; expected height x width x 3 or 4 bytes")
    if image.shape[0] * image.shape[1] > MOST_PIXELS:
        raise _too_large(image.shape[1], image.shape[0])
    if image.shape[2] == 4:
        opacity = image[..., 3:].astype(np.uint16)
        image = ((image[..., :3] * opacity + 255 * (255 - opacity)) // 255).astype(np.uint8)
    return np.ascontiguousarray(image)


def decoded(image: str | os.PathLike[str] | bytes | Image.Image) -> Image.Image:
    """Open and decode a picture with Pillow, if it is not too large."""
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError:
        raise ConfigError("pictures need Pillow: pip install 'minesweeper-toolkit[see]'") from None
    if isinstance(image, Image.Image):
        return image
    data = image if isinstance(image, bytes) else Path(image).read_bytes()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            opened = Image.open(io.BytesIO(data))
        if opened.width * opened.height > MOST_PIXELS:
            raise _too_large(opened.width, opened.height)
        opened.load()
    except UnidentifiedImageError:
        raise FormatError("this is no picture; expected a PNG, JPEG, WebP, GIF or BMP file") from None
    except Image.DecompressionBombError:
        raise FormatError(f"the picture is too large; expected at most {MOST_PIXELS:,} pixels") from None
    except (OSError, SyntaxError, EOFError, ValueError) as error:
        raise FormatError(f"the picture is damaged or cut off ({error}); save it again") from None
    return opened


def _too_large(width: int, height: int) -> FormatError:
    return FormatError(f"the picture has {width}x{height} pixels; expected at most {MOST_PIXELS:,}: cut out the board")
