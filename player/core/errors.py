"""The errors of the toolkit, and the words that their messages share.

There is one base, and a child for each kind of failure that a caller can handle. Bad input is also a `ValueError`. A
command prints any of them as one line and exits with status 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum


class MinesweeperError(Exception):
    """Base of all errors that the toolkit raises on purpose.

    >>> try:
    ...     ms.Recipe("9x9/100")
    ... except ms.MinesweeperError as error:
    ...     print(error)
    100 mines do not fit 9x9 with opening start and first click (4, 4); expected 0 to 72
    """


class BoardError(MinesweeperError, ValueError):
    """Text, numbers or a record that describe no board, puzzle, view, cell or legal move."""


class FormatError(MinesweeperError, ValueError):
    """A text or file that violates its format, or an unknown format."""


class NoBoardFound(MinesweeperError, ValueError):
    """A picture in which no board was found.

    >>> issubclass(ms.NoBoardFound, ms.MinesweeperError)
    True
    """


class ConfigError(MinesweeperError, ValueError):
    """An option, a setting or a cluster that cannot be used."""


class Fault(StrEnum):
    """The ways to lose a game without opening a mine."""

    BROKE_OFF = "broke off"
    TOO_SLOW = "too slow"
    NONSENSE = "nonsense"
    OUT_OF_TIME = "out of time"


class StrategyError(MinesweeperError, ValueError):
    """A strategy that cannot be loaded or breaks the rules; `fault` is how its game is forfeited."""

    def __init__(self, message: str, fault: Fault = Fault.NONSENSE) -> None:
        super().__init__(message)
        self.fault = fault

    def __reduce__(self) -> tuple[type[StrategyError], tuple[str, Fault]]:
        return type(self), (str(self), self.fault)


class EngineError(MinesweeperError, ValueError):
    """An engine that does not exist or is not installed."""


class DatabaseError(MinesweeperError, ValueError):
    """A database that cannot be opened, read or written, or that lacks a requested row."""


class NotSolvable(MinesweeperError, ValueError):
    """A puzzle that logic does not solve."""


class InconsistentView(MinesweeperError, ValueError):
    """No layout fits the view.

    `clues` are (row, col) cells whose clues contradict each other, a minimal set; `mine_count` is True if the number of
    mines is part of the contradiction. Both are empty if time ran out before they were found, or for more than a
    million cells. `layout` is the word for a layout in the message.

    >>> try:
    ...     ms.solve("1x3/1\\n#2#")
    ... except ms.InconsistentView as error:
    ...     print(error, error.clues, error.mine_count)
    no layout of mines fits the clue at (0, 1) and the number of mines ((0, 1),) True
    """

    def __init__(
        self, clues: Sequence[tuple[int, int]] = (), mine_count: bool = False, layout: str = "layout of mines"
    ) -> None:
        self.clues = tuple(clues)
        self.mine_count = mine_count
        self._layout = layout
        named = [f"the clue at {cell}" for cell in self.clues] + ["the number of mines"] * mine_count
        super().__init__(f"no {layout} fits {' and '.join(named) or '(the cause was not found)'}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, InconsistentView) and self.__reduce__() == other.__reduce__()

    def __hash__(self) -> int:
        return hash((self.clues, self.mine_count))

    def __reduce__(self) -> tuple[type[InconsistentView], tuple[tuple[tuple[int, int], ...], bool, str]]:
        return type(self), (self.clues, self.mine_count, self._layout)


class TooWide(MinesweeperError, ValueError):
    """A component too wide to count its layouts in the memory allowed.

    >>> issubclass(ms.TooWide, ms.MinesweeperError)
    True
    """


class OutOfTime(MinesweeperError):
    """A computation exceeded its time limit.

    >>> try:
    ...     with ms.time_limit(1e-9):
    ...         ms.solve("2x5/2\\n#121#\\n#####")
    ... except ms.OutOfTime as error:
    ...     print(error)
    the time limit is over
    """


class WorkerDied(MinesweeperError):
    """A killed worker process or a lost cluster."""


class ProofFailed(MinesweeperError):
    """A step of a solution that SAT does not confirm: a defect of the engine. The puzzle must not be stored."""


def check_kind(value: object, kinds: type | tuple[type, ...], expected: str) -> None:
    """Raise `TypeError` for a value of another kind than these, which `expected` names."""
    if not isinstance(value, kinds):
        raise TypeError(f"expected {expected}, got {type(value).__name__}")


def counted(number: int, word: str) -> str:
    """Return a number with its noun: ``1 mine``, ``2 mines``, ``0 guesses``."""
    plural = "es" if word.endswith("s") else "s"
    return f"{number} {word}{plural * (number != 1)}"


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """Return a suggestion to append to a message about an unknown name: `` (did you mean 'expert'?)``.

    Case is ignored. Return an empty string if no choice is similar to `word`.
    """
    from difflib import get_close_matches

    by_lower_case = {choice.lower(): str(choice) for choice in choices}
    close = get_close_matches(str(word).lower(), by_lower_case, n=1)
    return f" (did you mean {by_lower_case[close[0]]!r}?)" if close else ""
