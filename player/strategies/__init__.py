"""Strategies, which guess where logic finds no safe cell: one file each, behind one interface.

A strategy receives the view and the deductions of logic, and returns the cell to open:

    from minesweeper.player.board import Cell, View
    from minesweeper.player.strategies import Knowledge, Strategy

    class ReadingOrder(Strategy):
        \"\"\"The first uncertain cell, row by row.\"\"\"

        name = "reading-order"

        def choose(self, view: View, knowledge: Knowledge) -> Cell:
            return knowledge.uncertain_cells[0]

Saved as ``mine.py``, it plays with ``autoplay --strategy ./mine.py``, or, if it is on the module search path, with
``--strategy mine:ReadingOrder``. Loading a file runs its code. Programs in any language can play too: see
docs/reference/protocol.md.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import logging
import os
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from operator import index
from pathlib import Path
from random import Random
from reprlib import repr as short_repr
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar

import numpy as np

from minesweeper.player import kernel_api as kernel
from minesweeper.player.board import HIDDEN, Cell, View, cells_of, frozen
from minesweeper.player.chance.probability import probabilities
from minesweeper.player.errors import did_you_mean
from minesweeper.player.limits import OutOfTime
from minesweeper.player.logic import Deductions, closure
from minesweeper.player.logic.suppositions import Suppositions
from minesweeper.player.recipe import StartRule
from minesweeper.player.results import Fault, GameResult, PuzzleSource
from minesweeper.player.steps import Engine

if TYPE_CHECKING:
    from numpy.typing import NDArray

log = logging.getLogger(__name__)

_T = TypeVar("_T")

_LARGE_BOARD: Final = 400
_FILE: Final = re.compile(r"(?P<path>.+\.py)(?::(?P<kind>\w+))?")


@dataclass(frozen=True)
class StrategyInfo:
    """An entry of the list of strategies: its class as MODULE:CLASS in this package, and a summary for listings.

    `slow` strategies take far longer for a game than the others.
    """

    target: str
    summary: str
    needs_kernel: bool = True
    slow: bool = False

    def load(self) -> type[Strategy]:
        """Import the class."""
        module, _, kind = self.target.partition(":")
        found: type[Strategy] = getattr(importlib.import_module(f"{__name__}.{module}"), kind)
        return found


# From the simplest to the strongest.
STRATEGIES: Final = {
    "random": StrategyInfo(
        "random_cell:RandomCell", "any cell that is not known to be a mine, all equally likely", needs_kernel=False
    ),
    "published": StrategyInfo(
        "published:Published",
        "as *On the Critical Density of Minesweeper Boards* published it, by its own logic alone",
        needs_kernel=False,
    ),
    "local": StrategyInfo(
        "local:Local", "looks safe to the clues around it, and likely to let logic go on", needs_kernel=False
    ),
    "safest": StrategyInfo("kernel_strategies:Safest", "lowest exact probability of a mine"),
    "progress": StrategyInfo("kernel_strategies:Progress", "nearly the safest, and the most likely to let logic go on"),
    "lookahead": StrategyInfo("kernel_strategies:Lookahead", "best chance to survive this guess and the next"),
    "champion": StrategyInfo("champion:Champion", "the strongest: exact endgame, lookahead before it"),
    "efficient": StrategyInfo(
        "efficient:Efficient", "guesses as champion, opens with few clicks, by flags and chords", slow=True
    ),
    "rollout": StrategyInfo(
        "rollout:Rollout", "champion's choice or what does better in random layouts; slow", slow=True
    ),
}


class StrategyError(ValueError):
    """The error of a strategy that cannot be loaded or breaks the rules; `fault` is how its game is forfeited."""

    fault: Fault = Fault.NONSENSE


class Knowledge:
    """The deductions of logic in a position where it finds no safe cell.

    `safe_map` and `mine_map` are read-only (rows, cols) arrays of bool: the hidden cells known to be safe, and those
    known to be mines. In a game no safe cell is hidden, as logic has opened them all.
    """

    def __init__(self, view: View, safe_map: NDArray[np.bool_], mine_map: NDArray[np.bool_]) -> None:
        self._view = view
        self.safe_map = frozen(safe_map)
        self.mine_map = frozen(mine_map)

    @cached_property
    def uncertain(self) -> NDArray[np.bool_]:
        """The hidden cells that may be safe or mines: a read-only (rows, cols) array of bool."""
        return frozen((self._view.cells == HIDDEN) & ~self.safe_map & ~self.mine_map)

    @cached_property
    def uncertain_cells(self) -> list[Cell]:
        """The cells of `uncertain`, row by row."""
        return list(cells_of(self.uncertain))

    @cached_property
    def remaining_mines(self) -> int:
        """The number of mines among the uncertain cells."""
        return self._view.mines - int(np.count_nonzero(self.mine_map))

    @cached_property
    def chances(self) -> NDArray[np.float64]:
        """The exact probability of a mine in each hidden cell, NaN in open cells: read-only float64 (rows, cols).

        It is 0 and 1 in the cells of the two maps. Raises `TooWide` if a component is too wide to count.
        """
        counted = probabilities(self._view).chances
        return frozen(np.where(self.safe_map, 0.0, np.where(self.mine_map, 1.0, counted)))

    def goes_on(self, cell: Cell, clue: int) -> bool | None:
        """True if logic would find a safe cell after `cell` is opened and shows `clue`; None if it cannot show it."""
        return self._suppositions.goes_on(cell, clue)

    def after(self, cell: Cell, clue: int) -> Deductions | None:
        """Return the closure after `cell` is opened and shows `clue`; None if it cannot show it.

        `goes_on` is faster: it stops at the first safe cell.
        """
        if self.goes_on(cell, clue) is None:
            return None
        return closure(self._view.showing(cell, clue))

    @cached_property
    def _suppositions(self) -> Suppositions:
        return Suppositions(self._view, self.safe_map, self.mine_map)


class Strategy(ABC):
    """A way of guessing. Options are keyword arguments of the class: numbers, words or booleans with defaults.

    Increase `revision` whenever the strategy changes its choices, so that results of both revisions are kept apart.
    `random` is the source of chance of the current game: games that draw only from it are reproducible.

    A strategy that `plays_alone` makes every move without our logic, by `moves`. An error of a strategy that `forfeits`
    loses the game; an error of any other strategy ends the run.
    """

    name: ClassVar[str]
    revision: ClassVar[int] = 1
    plays_alone: bool = False
    forfeits: bool = False
    random: Random

    def begin(self, random: Random) -> None:
        """Prepare for a new game, with `random` as its source of chance."""
        self.random = random

    def first_click(self, rows: int, cols: int, mines: int, rule: StartRule) -> Cell:
        """Choose the first click where the rules leave it open, by default `usual_first_click`."""
        return usual_first_click(rows, cols, rule)

    @abstractmethod
    def choose(self, view: View, knowledge: Knowledge) -> Cell:
        """Choose the hidden cell to open, which must not be a known mine."""

    def moves(self, view: View) -> Sequence[Cell]:
        """Choose one or more hidden cells to open next, in order. Called only for strategies that play alone."""
        raise StrategyError(f"strategy {self.name} plays alone but has no method moves")

    def close(self) -> None:  # noqa: B027  Most strategies hold no resources.
        """Release resources such as a process. The next call of another method acquires them again."""

    def play_batch(self, puzzles: PuzzleSource, games: range, seed: int, engine: Engine) -> list[GameResult] | None:
        """Play the puzzles with the numbers `games` at once, if that is faster; return None otherwise.

        The results must equal those of `player.play.games.play` for each puzzle, chance included.
        """
        return None


def usual_first_click(rows: int, cols: int, rule: StartRule) -> Cell:
    """Return a good first click: a corner for a safe start; (2, 2) for an opening start, (3, 3) on large boards.

    A corner is most often a zero. A certain zero opens most cells when it is near a corner but not at an edge.
    """
    if rule is StartRule.SAFE:
        return 0, 0
    inset = 3 if rows * cols >= _LARGE_BOARD else 2
    return min(inset, rows // 2), min(inset, cols // 2)


def choose_cell(strategy: Strategy, view: View, knowledge: Knowledge) -> Cell:
    """Return the guess of a strategy. Raises `StrategyError` if it fails or its answer breaks the rules."""
    cell = _read_cell(call_strategy(strategy, lambda: strategy.choose(view, knowledge)), view, strategy)
    if knowledge.mine_map[cell]:
        raise StrategyError(f"strategy {strategy.name} chose {cell}, which is known to be a mine")
    return cell


def choose_cells(strategy: Strategy, view: View) -> list[Cell]:
    """Return the next move of a strategy that plays alone. Raises `StrategyError` as `choose_cell` does."""
    answer = call_strategy(strategy, lambda: list(strategy.moves(view)))
    if not answer:
        raise StrategyError(f"strategy {strategy.name} chose no cell: expected at least one")
    return [_read_cell(cell, view, strategy) for cell in answer]


def call_strategy(strategy: Strategy, call: Callable[[], _T]) -> _T:
    """Call a method of a strategy; log an exception of a third-party strategy and raise it as a `StrategyError`."""
    try:
        return call()
    except (StrategyError, OutOfTime):
        raise
    except Exception as error:
        if type(strategy).__module__.startswith("minesweeper."):
            raise
        raise _failure(f"strategy {strategy.name}", error) from error


def _read_cell(answer: object, view: View, strategy: Strategy) -> Cell:
    try:
        row, col = map(index, answer)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        raise StrategyError(
            f"strategy {strategy.name} chose {short_repr(answer)}: expected a cell (row, column)"
        ) from None
    if not (0 <= row < view.rows and 0 <= col < view.cols):
        raise StrategyError(f"strategy {strategy.name} chose {(row, col)}, which is off the board")
    if view.cells[row, col] != HIDDEN:
        raise StrategyError(f"strategy {strategy.name} chose {(row, col)}, which is already open")
    return row, col


def _failure(what: str, error: Exception) -> StrategyError:
    """Log an error in third-party code with its traceback, and return it as a `StrategyError` of one line."""
    log.info("%s failed:", what, exc_info=error)
    return StrategyError(f"{what} failed: {type(error).__name__}: {error}")


def result_name(text: str, strategy: Strategy) -> str:
    """Return the name under which the results of a strategy, loaded from `text`, are stored.

    Revisions after the first are part of it: ``champion#3``. A file becomes ``PATH:CLASS``, so that ``mine.py`` and
    ``./mine.py:Mine`` are the same player.
    """
    head, comma, settings = text.partition(",")
    file = _FILE.fullmatch(head.strip())
    if file is not None:
        text = f"{_short_path(file['path'])}:{type(strategy).__name__}{comma}{settings}"
    return text if strategy.revision == 1 else f"{text}#{strategy.revision}"


def revision_note(names: Sequence[str]) -> str | None:
    """Explain the revision in the first result name that has one, such as ``champion#2``; return None without one."""
    revised = next((name for name in names if re.search(r"#\d+$", name)), None)
    if revised is None:
        return None
    return f"{revised}: revision {revised.rpartition('#')[2]} of the strategy; results of other revisions are separate"


def load_strategy(text: str) -> Strategy:
    """Create a strategy from ``NAME``, ``FILE.py``, ``FILE.py:CLASS`` or ``MODULE:CLASS``.

    Options may follow: ``local,progress=0.3``. The class may be left out if the file has only one; loading a file runs
    its code. Modules are also searched for in the working directory. ``exec:COMMAND`` is a program, as
    `program.parse` reads it, which starts with its first game. Raises `StrategyError`.
    """
    if text.lstrip().startswith(("exec,", "exec:")):
        from minesweeper.player.strategies.program import parse

        return parse(text.strip())
    name, *settings = (part.strip() for part in text.split(","))
    kind = _find_class(name)
    options = read_options(kind, name, settings)
    try:
        return kind(**options)
    except (TypeError, ValueError) as error:
        raise StrategyError(f"cannot create strategy {text!r}: {error}") from error
    except Exception as error:
        raise _failure(f"strategy {name}", error) from error


def as_strategy(strategy: Strategy | str) -> Strategy:
    """Return a strategy as it is, or load the one with this name. Raises `StrategyError`."""
    if isinstance(strategy, Strategy):
        return strategy
    if isinstance(strategy, str):
        return load_strategy(strategy)
    raise StrategyError(f"{short_repr(strategy)} is no strategy: expected a name or an instance of Strategy")


def describe_options(kind: type[Strategy]) -> str:
    """Write the options of a strategy with their defaults: ``safety=1.0,progress=0.2``."""
    words = {True: "yes", False: "no"}
    defaults = _defaults(kind).items()
    return ",".join(f"{name}={words[value] if isinstance(value, bool) else value}" for name, value in defaults)


def playable_strategies() -> list[str]:
    """List the names of the strategies that can be played here: some need the kernel."""
    return [name for name, info in STRATEGIES.items() if kernel.available() or not info.needs_kernel]


def default_strategy() -> str:
    """Return the name of the strongest strategy that can be played here and is not slow."""
    return "champion" if kernel.available() else "local"


def quick_strategies() -> list[str]:
    """List the names of the strategies that can be played here and are not slow."""
    return [name for name in playable_strategies() if not STRATEGIES[name].slow]


def _find_class(name: str) -> type[Strategy]:
    if (info := STRATEGIES.get(name)) is not None:
        if info.needs_kernel and not kernel.available():
            raise StrategyError(f"strategy {name!r} needs the kernel, which was not built; try 'local'")
        return info.load()
    if (file := _FILE.fullmatch(name)) is not None:
        return _class_in_file(Path(file["path"]), file["kind"])
    module_name, colon, class_name = name.partition(":")
    if not colon:
        known = ", ".join(playable_strategies())
        suggestion = did_you_mean(name, STRATEGIES)
        raise StrategyError(f"unknown strategy {name!r}{suggestion}; expected {known}, FILE.py or MODULE:CLASS")
    if str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))
    try:
        module = importlib.import_module(module_name)
    except (ImportError, SyntaxError, ValueError) as error:
        raise StrategyError(f"cannot import {module_name!r}: {error}; expected MODULE:CLASS") from error
    except Exception as error:
        raise _failure(f"module {module_name}", error) from error
    return _class_in(module, module_name, class_name)


def _class_in(module: ModuleType, where: str, class_name: str) -> type[Strategy]:
    kind = getattr(module, class_name, None)
    if not (isinstance(kind, type) and issubclass(kind, Strategy)):
        raise StrategyError(f"no strategy {class_name!r} in {where}: expected a subclass of Strategy")
    if not _can_play(kind):
        raise StrategyError(f"'{where}:{class_name}' cannot play: expected a class attribute name and a method choose")
    return kind


def _can_play(kind: type[Strategy]) -> bool:
    return not inspect.isabstract(kind) and hasattr(kind, "name")


def _class_in_file(path: Path, class_name: str | None) -> type[Strategy]:
    """Run a Python file and return the strategy class in it."""
    if not path.is_file():
        raise StrategyError(f"no such file: {os.fspath(path)!r}; expected a Python file with a strategy")
    module_name = f"strategy_{path.stem}_{sha256(os.fsencode(path.resolve())).hexdigest()[:8]}"
    module = sys.modules.get(module_name)
    if module is None:
        spec = importlib.util.spec_from_file_location(module_name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        # Dataclasses in the file look up their module while it runs.
        sys.modules[module_name] = module
        try:
            spec.loader.exec_module(module)
        except Exception as error:
            del sys.modules[module_name]
            raise _failure(f"file {os.fspath(path)!r}", error) from error
    if class_name is not None:
        return _class_in(module, os.fspath(path), class_name)
    kinds = [kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, Strategy)]
    own = [kind for kind in kinds if kind.__module__ == module_name and _can_play(kind)]
    if len(own) != 1:
        found = " and ".join(kind.__name__ for kind in own) or "no class with a name and a method choose"
        raise StrategyError(f"found {found} in {os.fspath(path)!r}: expected one strategy, or FILE.py:CLASS")
    return own[0]


def _short_path(path: str) -> str:
    """Write a path relative to the working directory, or in full if it is outside."""
    whole = Path(path).resolve()
    return whole.relative_to(Path.cwd()).as_posix() if whole.is_relative_to(Path.cwd()) else whole.as_posix()


def read_options(kind: type[Strategy], name: str, settings: Iterable[str]) -> dict[str, Any]:
    """Read options ``OPTION=VALUE``; the default of an option determines the type of its value."""
    options = {}
    defaults = _defaults(kind)
    for setting in settings:
        key, _, value = (part.strip() for part in setting.partition("="))
        if key not in defaults:
            takes = f"options are {', '.join(defaults)}" if defaults else f"{name} has no options"
            raise StrategyError(f"unknown option {key!r} of strategy {name}{did_you_mean(key, defaults)}; {takes}")
        read, form = _READERS.get(type(defaults[key]), (str, "a word"))
        try:
            options[key] = read(value)
        except (KeyError, ValueError):
            raise StrategyError(f"option {key} of strategy {name} is {value!r}: expected {form}") from None
    return options


def _defaults(kind: type[Strategy]) -> dict[str, object]:
    parameters = inspect.signature(kind).parameters
    return {name: part.default for name, part in parameters.items() if part.default is not inspect.Parameter.empty}


_READERS: Final[dict[type, tuple[Callable[[str], object], str]]] = {
    bool: ({"yes": True, "no": False}.__getitem__, "yes or no"),
    int: (int, "a whole number"),
    float: (float, "a number"),
}
