"""Ways of guessing, one file each, behind one interface.

A strategy is asked only when logic has nothing left to say. It is given what the player sees and what logic knows, and
names the cell to open::

    from minesweeper.player.board import Cell, View
    from minesweeper.player.strategies import Knowledge, Strategy

    class ReadingOrder(Strategy):
        \"\"\"The first cell that may be opened, row by row.\"\"\"

        name = "reading-order"

        def choose(self, view: View, knowledge: Knowledge) -> Cell:
            return knowledge.uncertain_cells[0]

Saved as ``mymodule.py``, it plays with ``autoplay --strategy mymodule:ReadingOrder``.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from random import Random
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from minesweeper.player.board import HIDDEN, Cell, View
from minesweeper.player.game import StartRule
from minesweeper.player.logic import Deductions, Engine, closure
from minesweeper.player.logic.suppositions import Suppositions
from minesweeper.player.results import Deals, GameResult

# From the simplest to the strongest.
STRATEGIES: Final[dict[str, str]] = {
    "random": "minesweeper.player.strategies.random_cell:RandomCell",
    "local": "minesweeper.player.strategies.local:Local",
    "safest": "minesweeper.player.strategies.safest:Safest",
    "progress": "minesweeper.player.strategies.progress:Progress",
    "lookahead": "minesweeper.player.strategies.lookahead:Lookahead",
    "champion": "minesweeper.player.strategies.champion:Champion",
    "rollout": "minesweeper.player.strategies.rollout:Rollout",
}
_LARGE_BOARD: Final = 400


class StrategyError(ValueError):
    """A strategy that does not exist, cannot be made, or breaks the rules."""


class Knowledge:
    """What logic knows of a position, once it has nothing more to say.

    `safe` and `mines` are read-only (rows, cols) arrays of bool: the hidden cells known to be safe (none, as they have
    been opened, unless you build one yourself) and those known to be mines.
    """

    def __init__(self, view: View, safe: NDArray[np.bool_], mines: NDArray[np.bool_]) -> None:
        self._view = view
        self.safe = _read_only(safe)
        self.mines = _read_only(mines)

    @cached_property
    def uncertain(self) -> NDArray[np.bool_]:
        """The hidden cells that logic cannot decide: a read-only (rows, cols) array of bool."""
        return _read_only((self._view.cells == HIDDEN) & ~self.safe & ~self.mines)

    @cached_property
    def uncertain_cells(self) -> list[Cell]:
        """The cells of `uncertain`, row by row."""
        rows, cols = np.nonzero(self.uncertain)
        return list(zip(rows.tolist(), cols.tolist(), strict=True))

    @cached_property
    def remaining_mines(self) -> int:
        """The number of mines among the uncertain cells."""
        return self._view.mines - int(np.count_nonzero(self.mines))

    def goes_on(self, cell: Cell, clue: int) -> bool | None:
        """Say whether logic would find another safe cell if `cell` were opened and showed `clue`; None if it cannot."""
        return self._suppositions.goes_on(cell, clue)

    def after(self, cell: Cell, clue: int) -> Deductions | None:
        """Return everything that would follow if `cell` were opened and showed `clue`; None if it cannot.

        Takes longer than `goes_on`, which stops at the first safe cell.
        """
        if self.goes_on(cell, clue) is None:
            return None
        cells = self._view.cells.copy()
        cells[cell] = clue
        return closure(View(cells, self._view.mines))

    @cached_property
    def _suppositions(self) -> Suppositions:
        return Suppositions(self._view, self.safe, self.mines)


class Strategy(ABC):
    """A way of guessing. Options are keyword arguments of the class, plain numbers or words with defaults.

    `name` and the one line of `summary` are shown in listings. `revision` goes up whenever a strategy changes what it
    chooses, so that results of before and after are kept apart. `slow` ones, which take about a second for a game, play
    only where they are asked to. `random` is this game's own source of chance: games
    that draw from it alone come out the same each time.
    """

    name: ClassVar[str]
    summary: ClassVar[str] = ""
    revision: ClassVar[int] = 1
    slow: ClassVar[bool] = False
    random: Random

    def begin(self, random: Random) -> None:
        """Get ready for a new game, whose chances come from `random`."""
        self.random = random

    def first_click(self, rows: int, cols: int, mines: int, rule: StartRule) -> Cell:
        """Name the cell to open first, where the rules leave it open: `usual_first_click` if none is better."""
        return usual_first_click(rows, cols, rule)

    @abstractmethod
    def choose(self, view: View, knowledge: Knowledge) -> Cell:
        """Name the hidden cell to open. It must not be a known mine."""

    def play_batch(self, deals: Deals, games: range, seed: int, engine: Engine) -> list[GameResult] | None:
        """Play the puzzles that `games` numbers at once, where that is faster; None to have them played move by move.

        The results must equal those of `player.play.games.play` for each puzzle, chances included. A `Recipe` need
        not be asked for its puzzles.
        """
        return None


def usual_first_click(rows: int, cols: int, rule: StartRule) -> Cell:
    """Name a good cell to open first: a corner for a safe start; (2, 2) for an opening start, (3, 3) on large boards.

    A corner is a zero most often. Where a zero is sure, it should open much: away from the rim, yet near a corner.
    """
    if rule is StartRule.SAFE:
        return 0, 0
    inset = 3 if rows * cols >= _LARGE_BOARD else 2
    return min(inset, rows // 2), min(inset, cols // 2)


def result_name(text: str, strategy: Strategy) -> str:
    """Name a strategy, made from `text`, as its results are recorded: with its revision, if that is not the first."""
    return text if strategy.revision == 1 else f"{text}#{strategy.revision}"


def load_strategy(text: str) -> Strategy:
    """Make a strategy from ``NAME`` or ``MODULE:CLASS``, either followed by options: ``local,progress=0.3``.

    Modules are looked for in the working directory too. Raises `StrategyError`.
    """
    name, *settings = text.split(",")
    kind = _find_class(name.strip())
    options = dict(_read_option(kind, name, setting) for setting in settings)
    try:
        return kind(**options)
    except (TypeError, ValueError) as error:
        wanted = f"options that {name} takes" if settings else "a strategy that can be played here"
        raise StrategyError(f"expected {wanted}: {text!r} ({error})") from error


def playable_strategies() -> list[str]:
    """List the names of the strategies that can be played here: some need the kernel."""
    names = []
    for name in STRATEGIES:
        try:
            load_strategy(name)
        except StrategyError:
            continue
        names.append(name)
    return names


def default_strategy() -> str:
    """Name the strongest strategy that can be played here at once."""
    return quick_strategies()[-1]


def quick_strategies() -> list[str]:
    """List the names of those that can be played here and take next to no time for a game."""
    return [name for name in playable_strategies() if not _find_class(name).slow]


def strategy_classes() -> list[type[Strategy]]:
    """List the classes of the strategies that have a name of their own."""
    return [_find_class(name) for name in STRATEGIES]


def _find_class(name: str) -> type[Strategy]:
    module_name, colon, class_name = STRATEGIES.get(name, name).partition(":")
    if not colon:
        known = ", ".join(STRATEGIES)
        raise StrategyError(f"expected a strategy, {known} or MODULE:CLASS: {name!r}")
    if str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))
    try:
        module = importlib.import_module(module_name)
    except (ImportError, SyntaxError, ValueError) as error:
        raise StrategyError(f"expected the name of a Python module before the colon: {name!r} ({error})") from error
    kind = getattr(module, class_name, None)
    if not (isinstance(kind, type) and issubclass(kind, Strategy)):
        raise StrategyError(
            f"expected a subclass of minesweeper.player.strategies.Strategy in {module_name}: {class_name!r}"
        )
    if inspect.isabstract(kind) or not hasattr(kind, "name"):
        raise StrategyError(f"expected a strategy with a name and a method choose: {name!r}")
    return kind


def _read_option(kind: type[Strategy], name: str, setting: str) -> tuple[str, str | float | bool]:
    key, equals, value = (part.strip() for part in setting.partition("="))
    options = list(inspect.signature(kind).parameters)
    if not equals or key not in options:
        takes = f"options among {', '.join(options)}, as in {options[0]}=VALUE" if options else "no options"
        raise StrategyError(f"expected {takes} for {name}: {setting!r}")
    readers: list[Callable[[str], str | float | bool]] = [int, float, {"yes": True, "no": False}.__getitem__]
    for reader in readers:
        try:
            return key, reader(value)
        except (ValueError, KeyError):
            continue
    return key, value


def _read_only(marks: NDArray[np.bool_]) -> NDArray[np.bool_]:
    copy = marks.copy()
    copy.setflags(write=False)
    return copy
