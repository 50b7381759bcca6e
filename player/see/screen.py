"""The screen and the mouse of this machine: pictures by mss, clicks and keys by pynput."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass
from typing import Final

from minesweeper.player.core.errors import ConfigError, MinesweeperError
from minesweeper.player.core.lazy_numpy import NDArray, np

_NEAR: Final = 3
_SECONDS_OF_A_CLICK: Final = 0.02

Pixel = tuple[int, int]
Box = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels, the last two exclusive."""


class ScreenError(MinesweeperError):
    """A board on the screen that moved, is covered or cannot be played, or a user who took the mouse."""


@dataclass(frozen=True)
class Trigger:
    """A key or a click outside the board, which starts a new game: ``key:F2``, ``key:ctrl+n`` or ``click:X,Y``."""

    keys: tuple[str, ...] = ()
    point: Pixel | None = None

    @classmethod
    def from_text(cls, text: str) -> Trigger:
        """Read an action. Raises `ConfigError`."""
        kind, _, value = text.partition(":")
        parts = value.split(",")
        if kind == "click" and len(parts) == 2 and all(part.strip().isdecimal() for part in parts):
            return cls(point=(int(parts[0]), int(parts[1])))
        if kind == "key" and value:
            return cls(keys=tuple(value.split("+")))
        raise ConfigError(f"unknown action {text!r}; expected key:NAME, e.g. key:F2 or key:ctrl+n, or click:X,Y")


def _missing(module: str) -> ConfigError:
    return ConfigError(f"the screen needs {module}: pip install 'minesweeper-toolkit[screen]'")


class Screen:
    """The desktop, all monitors together. Positions are pixels of its picture, from its top left corner.

    The mouse belongs to the program: `check_mouse` and every click raise `ScreenError` if the user moved it.
    Raises `ConfigError` without a display, under Wayland, and without mss and pynput.
    """

    def __init__(self) -> None:
        try:
            import mss
        except ImportError:
            raise _missing("mss") from None
        if os.environ.get("XDG_SESSION_TYPE") == "wayland" or os.environ.get("WAYLAND_DISPLAY"):
            raise ConfigError("Wayland lets no program see the screen or click; log in to an X11 session")
        if sys.platform == "linux" and not os.environ.get("DISPLAY"):
            raise ConfigError("there is no screen: DISPLAY is not set; run the command on a desktop")
        try:
            from pynput import keyboard, mouse
        except ModuleNotFoundError:
            raise _missing("pynput") from None
        except ImportError as error:
            raise ConfigError(f"the screen cannot be used: {' '.join(str(error).split())}") from None
        self._mss = mss.MSS()
        self._mouse, self._keyboard = mouse.Controller(), keyboard.Controller()
        self._button, self._key = mouse.Button, keyboard.Key
        desktop = self._mss.monitors[0]
        self._left, self._top = desktop["left"], desktop["top"]
        # A monitor of macOS has more pixels than points.
        self._scale = self._mss.grab(desktop).width / desktop["width"]
        self._pointer = self._mouse.position

    def picture(self, box: Box | None = None) -> NDArray[np.uint8]:
        """Return what the screen shows, or a part of it: uint8 (height, width, 3), red, green and blue."""
        area = self._mss.monitors[0]
        if box is not None:
            left, top, right, bottom = (round(value / self._scale) for value in box)
            area = {"left": self._left + left, "top": self._top + top, "width": right - left, "height": bottom - top}
        shot = self._mss.grab(area)
        pixels = np.frombuffer(shot.bgra, dtype=np.uint8).reshape(shot.height, shot.width, 4)
        return pixels[:, :, 2::-1].copy()

    def check_mouse(self) -> None:
        """Raise `ScreenError` if the mouse is not where the program left it."""
        if max(abs(a - b) for a, b in zip(self._mouse.position, self._pointer, strict=True)) > _NEAR:
            raise ScreenError("stopped, because the mouse was moved")

    def move(self, pixel: Pixel) -> None:
        """Move the mouse."""
        self.check_mouse()
        x, y = (round(value / self._scale) for value in pixel)
        self._mouse.position = self._pointer = (self._left + x, self._top + y)

    def click(self, pixel: Pixel, *, right: bool = False) -> None:
        """Click on a pixel, with the right button for a flag."""
        self.move(pixel)
        button = self._button.right if right else self._button.left
        self._mouse.press(button)
        # Some programs overlook a shorter click.
        time.sleep(_SECONDS_OF_A_CLICK)
        self._mouse.release(button)

    def act(self, action: Trigger) -> None:
        """Press the keys of an action together, or click. Raises `ConfigError` for an unknown key."""
        if action.point is not None:
            self.click(action.point)
            return
        self.check_mouse()
        names = [name if len(name) == 1 else name.lower() for name in action.keys]
        unknown = next((name for name in names if len(name) > 1 and name not in self._key.__members__), None)
        if unknown is not None:
            raise ConfigError(f"unknown key {unknown!r}; expected a character or a name such as F2, enter, esc, ctrl")
        keys = [name if len(name) == 1 else self._key[name] for name in names]
        with self._keyboard.pressed(*keys[:-1]):
            self._keyboard.tap(keys[-1])
