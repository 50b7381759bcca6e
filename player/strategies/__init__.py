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

Saved as ``mine.py``, it plays with ``autoplay --strategy ./mine.py``, or, where modules are looked for,
``--strategy mine:ReadingOrder``. Loading a file runs its code. A program in any language plays too: see PROTOCOL.md.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import logging
import os
import re
import sys
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from hashlib import sha256
from operator import index
from pathlib import Path
from random import Random
from reprlib import repr as short_repr
from types import ModuleType
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar

import numpy as np

from minesweeper.player import kernel_api as kernel
from minesweeper.player.board import HIDDEN, Cell, View, cells_of, frozen
from minesweeper.player.game import StartRule
from minesweeper.player.limits import OutOfTime
from minesweeper.player.logic import Deductions, Engine, closure
from minesweeper.player.logic.suppositions import Suppositions
from minesweeper.player.results import Fault, GameResult, PuzzleSource

if TYPE_CHECKING:
    from numpy.typing import NDArray

log = logging.getLogger(__name__)

_T = TypeVar("_T")

# From the simplest to the strongest.
STRATEGIES: Final[dict[str, str]] = {
    "random": "minesweeper.player.strategies.random_cell:RandomCell",
    "published": "minesweeper.player.strategies.published:Published",
    "local": "minesweeper.player.strategies.local:Local",
    "safest": "minesweeper.player.strategies.safest:Safest",
    "progress": "minesweeper.player.strategies.progress:Progress",
    "lookahead": "minesweeper.player.strategies.lookahead:Lookahead",
    "champion": "minesweeper.player.strategies.champion:Champion",
    "efficient": "minesweeper.player.strategies.efficient:Efficient",
    "rollout": "minesweeper.player.strategies.rollout:Rollout",
}
_LARGE_BOARD: Final = 400
_IMPORTING: Final = "<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>"
_FILE: Final = re.compile(r"(?P<path>.+\.py)(?::(?P<kind>\w+))?")


class StrategyError(ValueError):
    """A strategy that does not exist, cannot be made, or breaks the rules; `fault` is what its game is lost by."""

    fault: Fault = Fault.NONSENSE


class Knowledge:
    """What logic knows of a position, once it has nothing more to say.

    `safe_map` and `mine_map` are read-only (rows, cols) arrays of bool: the hidden cells known to be safe (none during
    play, since they have been opened) and those known to be mines.
    """

    def __init__(self, view: View, safe_map: NDArray[np.bool_], mine_map: NDArray[np.bool_]) -> None:
        self._view = view
        self.safe_map = frozen(safe_map)
        self.mine_map = frozen(mine_map)

    @cached_property
    def uncertain(self) -> NDArray[np.bool_]:
        """The hidden cells that logic cannot decide: a read-only (rows, cols) array of bool."""
        return frozen((self._view.cells == HIDDEN) & ~self.safe_map & ~self.mine_map)

    @cached_property
    def uncertain_cells(self) -> list[Cell]:
        """The cells of `uncertain`, row by row."""
        return list(cells_of(self.uncertain))

    @cached_property
    def remaining_mines(self) -> int:
        """The number of mines among the uncertain cells."""
        return self._view.mines - int(np.count_nonzero(self.mine_map))

    def goes_on(self, cell: Cell, clue: int) -> bool | None:
        """Say whether logic would find another safe cell if `cell` were opened and showed `clue`; None if it cannot."""
        return self._suppositions.goes_on(cell, clue)

    def after(self, cell: Cell, clue: int) -> Deductions | None:
        """Return everything that would follow if `cell` were opened and showed `clue`; None if it cannot.

        Takes longer than `goes_on`, which stops at the first safe cell.
        """
        if self.goes_on(cell, clue) is None:
            return None
        return closure(self._view.showing(cell, clue))

    @cached_property
    def _suppositions(self) -> Suppositions:
        return Suppositions(self._view, self.safe_map, self.mine_map)


class Strategy(ABC):
    """A way of guessing. Options are keyword arguments of the class, plain numbers or words with defaults.

    `name` and the one line of `summary` are shown in listings. `revision` goes up whenever a strategy changes what it
    chooses, so that results of before and after are kept apart. `slow` ones, which take far longer for a game, play
    only where they are asked to. `random` is this game's own source of chance: games
    that draw from it alone come out the same each time.

    One that `plays_alone` opts out of our logic: it is asked for every move, by `moves`. What goes wrong in one that
    `forfeits` loses the game; in others it ends the run.
    """

    name: ClassVar[str]
    summary: ClassVar[str] = ""
    revision: ClassVar[int] = 1
    plays_alone: bool = False
    forfeits: bool = False
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

    def moves(self, view: View) -> Sequence[Cell]:
        """Name the hidden cells to open next, one or more, in order. Only strategies that play alone are asked."""
        raise StrategyError(f"expected a method moves of strategy {self.name}, which plays alone")

    def close(self) -> None:  # noqa: B027  Most hold nothing.
        """Let go of what it holds, such as a process. It may be asked again: then it begins anew."""

    def play_batch(self, deals: PuzzleSource, games: range, seed: int, engine: Engine) -> list[GameResult] | None:
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


def choose_cell(strategy: Strategy, view: View, knowledge: Knowledge) -> Cell:
    """Ask a strategy for a guess. Raises `StrategyError` if it fails, or if its answer is against the rules."""
    cell = _read_cell(call_strategy(strategy, lambda: strategy.choose(view, knowledge)), view, strategy)
    if knowledge.mine_map[cell]:
        raise StrategyError(f"expected a cell that may be safe from strategy {strategy.name}, this is a mine: {cell}")
    return cell


def choose_cells(strategy: Strategy, view: View) -> list[Cell]:
    """Ask a strategy that plays alone for its next move. Raises `StrategyError` as `choose_cell` does."""
    answer = call_strategy(strategy, lambda: list(strategy.moves(view)))
    if not answer:
        raise StrategyError(f"expected at least one cell from strategy {strategy.name}: {answer!r}")
    return [_read_cell(cell, view, strategy) for cell in answer]


def call_strategy(strategy: Strategy, ask: Callable[[], _T]) -> _T:
    """Ask a strategy something. What fails in one that is not ours is a `StrategyError`; its traceback is logged."""
    try:
        return ask()
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
        wanted = f"expected a cell (row, column) from strategy {strategy.name}"
        raise StrategyError(f"{wanted}: {short_repr(answer)}") from None
    if not (0 <= row < view.rows and 0 <= col < view.cols):
        raise StrategyError(f"expected a cell on the board from strategy {strategy.name}: {(row, col)}")
    if view.cells[row, col] != HIDDEN:
        raise StrategyError(f"expected a hidden cell from strategy {strategy.name}, this one is open: {(row, col)}")
    return row, col


def _failure(what: str, error: Exception) -> StrategyError:
    """Put an error of somebody else's code in one line, and log its traceback from where that code begins."""
    trace, ours = error.__traceback__, str(Path(__file__))
    while trace is not None and trace.tb_next is not None and trace.tb_frame.f_code.co_filename in (ours, *_IMPORTING):
        trace = trace.tb_next
    log.info("%s failed:\n%s", what, "".join(traceback.format_exception(type(error), error, trace)).rstrip())
    return StrategyError(f"{what} failed: {type(error).__name__}: {error}")


def result_name(text: str, strategy: Strategy) -> str:
    """Name a strategy, made from `text`, as its results are recorded: with its revision, if that is not the first.

    A file is named as ``PATH:CLASS``, so that ``mine.py`` and ``./mine.py:Mine`` are the same player.
    """
    head, comma, settings = text.partition(",")
    file = _FILE.fullmatch(head.strip())
    if file is not None:
        text = f"{_short_path(file['path'])}:{type(strategy).__name__}{comma}{settings}"
    return text if strategy.revision == 1 else f"{text}#{strategy.revision}"


def revision_note(names: Sequence[str]) -> str | None:
    """Say what the number means in a name as `result_name` gives it, like ``champion#2``; None if there is none."""
    revised = next((name for name in names if re.search(r"#\d+$", name)), None)
    if revised is None:
        return None
    return f"{revised}: revision {revised.rpartition('#')[2]} of its way to choose; what earlier ones won is kept apart"


def load_strategy(text: str) -> Strategy:
    """Make a strategy from ``NAME``, ``FILE.py``, ``FILE.py:CLASS`` or ``MODULE:CLASS``.

    Options may follow: ``local,progress=0.3``. A file needs no class if there is just one in it; loading it runs its
    code. Modules are looked for in the working directory too. ``exec:COMMAND`` is a program, as `program.parse` reads
    it, which is started when it is first asked. Raises `StrategyError`.
    """
    if re.match(r"\s*exec[,:]", text):
        from minesweeper.player.strategies.program import parse

        return parse(text.strip())
    name, *settings = text.split(",")
    kind = _find_class(name.strip())
    options = dict(_read_option(kind, name, setting) for setting in settings)
    try:
        return kind(**options)
    except (TypeError, ValueError) as error:
        wanted = f"options that {name} takes" if settings else "a strategy that can be played here"
        raise StrategyError(f"expected {wanted}: {text!r} ({error})") from error
    except Exception as error:
        raise _failure(f"strategy {name}", error) from error


def describe_options(kind: type[Strategy]) -> str:
    """Write the options of a strategy with their defaults, as they are given: ``safety=1.0,progress=0.2``."""
    parameters = inspect.signature(kind).parameters.values()
    words = {True: "yes", False: "no"}
    defaults = ((part.name, part.default) for part in parameters)
    return ",".join(f"{name}={words[value] if isinstance(value, bool) else value}" for name, value in defaults)


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
    return "champion" if kernel.available() else "local"


def quick_strategies() -> list[str]:
    """List the names of those that can be played here and take next to no time for a game."""
    return [name for name in playable_strategies() if not _find_class(name).slow]


def strategy_classes() -> list[type[Strategy]]:
    """List the classes of the strategies that have a name of their own."""
    return [_find_class(name) for name in STRATEGIES]


def _find_class(name: str) -> type[Strategy]:
    file = _FILE.fullmatch(name)
    if file is not None:
        return _class_in_file(Path(file["path"]), file["kind"])
    module_name, colon, class_name = STRATEGIES.get(name, name).partition(":")
    if not colon:
        known = ", ".join(STRATEGIES)
        raise StrategyError(f"expected a strategy, {known}, FILE.py or MODULE:CLASS: {name!r}")
    if str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))
    try:
        module = importlib.import_module(module_name)
    except (ImportError, SyntaxError, ValueError) as error:
        raise StrategyError(f"expected the name of a Python module before the colon: {name!r} ({error})") from error
    except Exception as error:
        raise _failure(f"module {module_name}", error) from error
    return _class_in(module, module_name, class_name)


def _class_in(module: ModuleType, where: str, class_name: str) -> type[Strategy]:
    kind = getattr(module, class_name, None)
    if not (isinstance(kind, type) and issubclass(kind, Strategy)):
        raise StrategyError(f"expected a subclass of minesweeper.player.strategies.Strategy in {where}: {class_name!r}")
    if not _can_play(kind):
        raise StrategyError(f"expected a strategy with a name and a method choose: '{where}:{class_name}'")
    return kind


def _can_play(kind: type[Strategy]) -> bool:
    return not inspect.isabstract(kind) and hasattr(kind, "name")


def _class_in_file(path: Path, class_name: str | None) -> type[Strategy]:
    """Run a Python file and find the strategy in it."""
    if not path.is_file():
        raise StrategyError(f"expected a Python file with a strategy: {os.fspath(path)!r} is not there")
    module_name = f"strategy_{path.stem}_{sha256(os.fsencode(path.resolve())).hexdigest()[:8]}"
    module = sys.modules.get(module_name)
    if module is None:
        spec = importlib.util.spec_from_file_location(module_name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        # There while it runs: dataclasses look their module up.
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
        found = " and ".join(kind.__name__ for kind in own) or "none with a name and a method choose"
        raise StrategyError(f"expected one strategy in {os.fspath(path)!r}, or its class as FILE.py:CLASS: {found}")
    return own[0]


def _short_path(path: str) -> str:
    """Write a path from the working directory, or the whole one for what lies elsewhere."""
    whole = Path(path).resolve()
    return whole.relative_to(Path.cwd()).as_posix() if whole.is_relative_to(Path.cwd()) else whole.as_posix()


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
