"""The list of strategies, and loading: by name, from files and modules, and as programs, with their options."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import pickle
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from reprlib import repr as short_repr
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from minesweeper.player import kernel_api as kernel
from minesweeper.player.core.board import View
from minesweeper.player.core.errors import StrategyError, check_kind, counted, did_you_mean
from minesweeper.player.core.grid import Cell
from minesweeper.player.play.strategies import Knowledge, Strategy, failure

if TYPE_CHECKING:
    from minesweeper.player.play.strategies.program import Program

_METHODS: Final = "a method choose(view, knowledge) or moves(view)"
_FILE: Final = re.compile(r"(?P<path>.+\.py)(?::(?P<kind>\w+))?")


@dataclass(frozen=True)
class StrategyInfo:
    """An entry of the list of strategies: where it is, and a summary for listings.

    `target` is MODULE:CLASS in this package, or ``kernel_strategies:NAME`` for one of the kernel. `slow` strategies
    take far longer for a game than the others.
    """

    target: str
    summary: str
    needs_kernel: bool = True
    slow: bool = False

    def load(self) -> type[Strategy]:
        """Import the class."""
        module, _, kind = self.target.partition(":")
        found = importlib.import_module(f"minesweeper.player.play.strategies.{module}")
        loaded: type[Strategy] = found.native_strategy(kind) if module == "kernel_strategies" else getattr(found, kind)
        return loaded


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
    "safest": StrategyInfo("kernel_strategies:safest", "lowest exact probability of a mine"),
    "progress": StrategyInfo("kernel_strategies:progress", "nearly the safest, and the most likely to let logic go on"),
    "lookahead": StrategyInfo("kernel_strategies:lookahead", "best chance to survive this guess and the next"),
    "champion": StrategyInfo("champion:Champion", "the strongest: exact endgame, lookahead before it"),
    "efficient": StrategyInfo(
        "efficient:Efficient",
        "guesses as champion, opens with few clicks, by flags and chords; 20 times slower",
        slow=True,
    ),
    "rollout": StrategyInfo(
        "rollout:Rollout", "champion's choice or what does better in random layouts; slow", slow=True
    ),
}


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
    `load_program` reads it, which starts with its first game. Raises `StrategyError`.
    """
    check_kind(text, str, "the name of a strategy")
    if text.lstrip().startswith(("exec,", "exec:")):
        return load_program(text)
    name, *settings = (part.strip() for part in text.split(","))
    kind = _find_class(name)
    options = _read_options(kind, name, settings)
    try:
        return kind(**options)
    except (TypeError, ValueError) as error:
        raise StrategyError(f"cannot create strategy {text!r}: {error}") from error
    except (Exception, SystemExit) as error:
        raise failure(f"strategy {name}", error) from error


def load_program(text: str) -> Program:
    """Read ``exec:COMMAND``, or with time limits ``exec,start=20,move=5:COMMAND``. Raises `StrategyError`."""
    from minesweeper.player.play.strategies.program import Program

    head, _, command = text.strip().partition(":")
    name, *settings = head.split(",")
    try:
        return Program(command, **_read_options(Program, name, settings))
    except ValueError as error:
        raise StrategyError(str(error)) from None


StrategyLike: TypeAlias = (
    "Strategy | str | type[Strategy] | Callable[[View], Cell | Sequence[Cell]] | Callable[[View, Knowledge], Cell]"
)
"""Input of `as_strategy`."""


def as_strategy(strategy: StrategyLike) -> Strategy:
    """Return a strategy as it is, or make one of a class or a function, or load the one with this name.

    A function of a view chooses every click, a cell or several; one of a view and `Knowledge` guesses where logic finds
    no safe cell. Raises `StrategyError`.
    """
    if isinstance(strategy, Strategy):
        return strategy
    if isinstance(strategy, str):
        return load_strategy(strategy)
    kind = strategy if isinstance(strategy, type) else _class_of(strategy)
    if not (issubclass(kind, Strategy) and _can_play(kind)):
        raise StrategyError(f"class {kind.__name__} cannot play: expected a subclass of Strategy with {_METHODS}")
    try:
        return kind()
    except Exception as error:
        raise failure(f"strategy {kind.__name__}", error) from error


def _class_of(function: Callable[..., Any]) -> type[Strategy]:
    """Make a strategy of a function of a view, or of a view and knowledge. Raises `StrategyError`."""
    expected = "expected a name, a Strategy, or a function of a view, or of a view and knowledge"
    if not callable(function):
        raise StrategyError(f"{short_repr(function)} is no strategy: {expected}")
    parameters = inspect.signature(function).parameters.values()
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    taken = sum(one.default is one.empty and one.kind in positional for one in parameters)
    if taken not in (1, 2):
        raise StrategyError(f"{short_repr(function)} takes {counted(taken, 'argument')}: {expected}")
    body: dict[str, object] = {
        "__module__": getattr(function, "__module__", None) or "",
        "__reduce__": lambda self: (as_strategy, (function,)),
        "moves" if taken == 1 else "choose": lambda self, *position: function(*position),
    }
    return type(getattr(function, "__name__", type(function).__name__), (Strategy,), body)


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
        path = Path(file["path"])
        kind = _class_in(_run_file(path), file["path"], file["kind"])
        # Other processes do not find the module of the file by its name.
        kind.__reduce__ = lambda self: (_loaded, (path.resolve(), kind.__name__, pickle.dumps(vars(self))))  # type: ignore[method-assign]
        return kind
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
    except (Exception, SystemExit) as error:
        raise failure(f"module {module_name}", error) from error
    return _class_in(module, module_name, class_name)


def _class_in(module: ModuleType, where: str, class_name: str | None) -> type[Strategy]:
    """Return the strategy class of a module with this name, or for None the only one that the module defines."""
    kinds = {name: kind for name, kind in vars(module).items() if isinstance(kind, type) and issubclass(kind, Strategy)}
    if class_name is None:
        own = [kind for kind in kinds.values() if kind.__module__ == module.__name__ and _can_play(kind)]
        if len(own) != 1:
            found = " and ".join(kind.__name__ for kind in own) or f"no class with {_METHODS}"
            raise StrategyError(f"found {found} in {where!r}: expected one strategy, or FILE.py:CLASS")
        return own[0]
    if inspect.isfunction(function := vars(module).get(class_name)):
        return _class_of(function)
    if class_name not in kinds:
        raise StrategyError(f"no strategy {class_name!r} in {where}: expected a subclass of Strategy or a function")
    if not _can_play(kinds[class_name]):
        raise StrategyError(f"'{where}:{class_name}' cannot play: expected {_METHODS}")
    return kinds[class_name]


def _can_play(kind: type[Strategy]) -> bool:
    return kind.choose is not Strategy.choose or kind.moves is not Strategy.moves


def _run_file(path: Path) -> ModuleType:
    """Run a Python file as a module, once."""
    if not path.is_file():
        raise StrategyError(f"no such file: {os.fspath(path)!r}; expected a Python file with a strategy")
    module_name = f"strategy_{path.stem}_{sha256(os.fsencode(path.resolve())).hexdigest()[:8]}"
    if module_name in sys.modules:
        return sys.modules[module_name]
    spec = importlib.util.spec_from_file_location(module_name, path)
    assert spec is not None
    assert spec.loader is not None
    # Dataclasses in the file look up their module while it runs.
    module = sys.modules[module_name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[module_name]
        raise failure(f"file {os.fspath(path)!r}", error) from error
    return module


def _loaded(path: Path, class_name: str, state: bytes) -> Strategy:
    """Return a pickled strategy of a file."""
    kind = _class_in(_run_file(path), os.fspath(path), class_name)
    strategy = kind.__new__(kind)
    vars(strategy).update(pickle.loads(state))
    return strategy


def _short_path(path: str) -> str:
    """Write a path relative to the working directory, or in full if it is outside."""
    whole = Path(path).resolve()
    return whole.relative_to(Path.cwd()).as_posix() if whole.is_relative_to(Path.cwd()) else whole.as_posix()


def _read_options(kind: type[Strategy], name: str, settings: Sequence[str]) -> dict[str, Any]:
    """Read options ``OPTION=VALUE``; the default of an option determines the type of its value."""
    options = {}
    defaults = _defaults(kind) if settings else {}
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
