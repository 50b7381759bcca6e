"""Uniform random boards, each determined by (seed, index).

Board `index` of a `Recipe` is sampled from its own stream of random words, so any number of workers can sample boards
in any order. The stream is Philox4x64-10 (Salmon, Moraes, Dror and Shaw, *Parallel random numbers: as easy as 1, 2, 3*,
SC 2011) with the seed as its key and the index in its counter, the same on every machine.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, Literal

from minesweeper.player.core.board import Board, Puzzle
from minesweeper.player.core.errors import BoardError, counted, did_you_mean
from minesweeper.player.core.grid import Cell, CellLike, Grid, Sized, as_cell, as_number, cell_of, grid_of
from minesweeper.player.core.lazy_numpy import np

RuleName = Literal["opening", "safe"]

MAX_SEED: Final = 2**63 - 1
_WORDS_AT_A_TIME: Final = 128
_BOARD: Final = re.compile(r"(.+?) */ *([0-9]{1,8}|[0-9]{1,2}\.[0-9]{1,8}(?= *%))(?: *(%))?((?: .*)?)")
_LOG_WITHOUT_REPETITION: Final = 80.0


@dataclass(frozen=True)
class Preset(Sized):
    """A grid with its number of mines."""

    grid: Grid
    mines: int

    def recipe(self, click: CellLike | str | None, rule: StartRule | RuleName, seed: int) -> Recipe:
        """Return the recipe of its boards with this first click, start rule and seed."""
        return Recipe(self.grid, self.mines, click, rule, seed)


_STANDARD: Final = MappingProxyType(
    {
        "beginner": Preset(Grid(9, 9), 10),
        "intermediate": Preset(Grid(16, 16), 40),
        "expert": Preset(Grid(16, 30), 99),
        "super-expert": Preset(Grid(30, 50), 300),
    }
)


def standard_presets() -> Mapping[str, Preset]:
    """Return the built-in presets by name; a settings file may add others."""
    return _STANDARD


def parse_board(text: str, presets: Mapping[str, Preset] = _STANDARD) -> Preset:
    """Read ``ROWSxCOLS/MINES``, e.g. ``16x30/99`` or ``16x30/20%``, or the name of a preset in upper or lower case.

    A share of the cells is rounded to whole mines. The label of a grid may follow: ``16x30/99 torus`` or ``expert
    torus``. Raises `BoardError`.
    """
    name, _, label = text.strip().partition(" ")
    by_name = {name.lower(): board for name, board in presets.items()}
    if text.strip().lower() in by_name:
        return by_name[text.strip().lower()]
    if name.lower() in by_name:
        known = by_name[name.lower()]
        return Preset(grid_of(known.grid.shape, label), known.mines)
    board = _BOARD.fullmatch(text.strip())
    if board is None:
        raise BoardError(
            f"unknown preset {text!r}{did_you_mean(text, presets)}; presets: {', '.join(presets)}; "
            "or a board as ROWSxCOLS/MINES, e.g. 16x30/99"
        )
    grid = Grid.named(f"{board[1]} {board[4]}")
    return Preset(grid, round(grid.cells * float(board[2]) / 100) if board[3] else int(board[2]))


def as_preset(grid: Grid | str, mines: int | None) -> Preset:
    """Return a grid with its number of mines, or what `parse_board` reads from text.

    Raises `BoardError`, and `TypeError` for anything else.
    """
    if isinstance(grid, str) and mines is None:
        return parse_board(grid)
    if isinstance(grid, Grid) and mines is not None:
        return Preset(grid, as_number(mines, "number of mines"))
    raise TypeError(f"expected a preset, ROWSxCOLS/MINES or a Grid and a number of mines, got {(grid, mines)!r}")


class StartRule(StrEnum):
    """A guarantee about the first click on a random board.

    >>> ms.StartRule.SAFE.words
    'safe start'
    """

    OPENING = "opening"
    SAFE = "safe"

    @classmethod
    def named(cls, name: object) -> StartRule:
        """Return the rule of that name. Raises `BoardError` for an unknown name."""
        try:
            return cls(str(name))
        except ValueError:
            suggestion = did_you_mean(str(name), cls)
            raise BoardError(f"unknown start rule {name!r}{suggestion}; start rules: {', '.join(cls)}") from None

    @property
    def words(self) -> str:
        """The rule in words: ``opening start`` or ``safe start``."""
        return f"{self} start"

    def zone(self, grid: Grid, click: Cell) -> list[Cell]:
        """List the cells without mines: the click, and for an opening start its neighbours.

        Raises `BoardError` if the click is off the board.
        """
        cell_of(grid, click, "first click")
        return [click] if self is StartRule.SAFE else sorted([click, *grid.neighbours(click)])

    def room(self, grid: Grid, click: Cell | None) -> int:
        """Return the largest number of mines outside the zone of a click, or of every click for None."""
        if click is not None:
            return grid.cells - len(self.zone(grid, click))
        return grid.cells - 1 - (grid.neighbour_counts[1] if self is StartRule.OPENING else 0)

    def check_mines(self, grid: Grid, mines: int, click: Cell | None) -> None:
        """Raise `BoardError` unless 0 or more `mines` fit outside the zone of a click, or of every click for None."""
        room = self.room(grid, click)
        if not 0 <= mines <= room:
            place = "any first click" if click is None else f"first click {click}"
            fit = f"{counted(mines, 'mine')} {'does' if mines == 1 else 'do'} not fit {grid.name}"
            raise BoardError(f"{fit} with {self.words} and {place}; expected 0 to {room}")

    def holds(self, puzzle: Puzzle) -> bool:
        """Return True if the first click of a puzzle meets the rule."""
        board = puzzle.board
        return not any(map(board.cells.__getitem__, _zone_numbers(self, board.grid, puzzle.first_click)))


@lru_cache
def _zone_numbers(rule: StartRule, grid: Grid, click: Cell) -> tuple[int, ...]:
    """Return the numbers of the cells of a rule's zone. Cached because most puzzles of a file share them."""
    return tuple(row * grid.cols + col for row, col in rule.zone(grid, click))


def parse_click(text: str, grid: Grid) -> Cell | None:
    """Read a first click: ``center``, ``corner``, ``ROW,COL``, or ``random``, which gives None.

    The centre of an even side is the later of the two middle cells. Where the centre or the corner is a hole, the
    nearest cell is meant. Raises `BoardError` for other text.
    """
    if text == "random":
        return None
    if text in ("center", "corner"):
        return grid.nearest((grid.rows // 2, grid.cols // 2) if text == "center" else (0, 0))
    # `int` accepts fewer blanks than `strip` removes.
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(part.isdecimal() and len(part) < 10 for part in parts):
        raise BoardError(f"unknown first click {text!r}; expected center, corner, random or ROW,COL, e.g. 8,15")
    return cell_of(grid, map(int, parts), "first click")


@dataclass(frozen=True, init=False)
class Recipe(Sized):
    """A family of random puzzles; a recipe and an index determine a puzzle.

    Raises `BoardError` for an impossible size, kind of grid, number of mines, click, rule or seed.

    :param grid: a `Grid`; or without `mines`, a preset or the name of a board, ``expert`` or ``16x30/99 torus``
    :param mines: the number of mines on a `Grid`
    :param click: a cell, text as `parse_click` reads it, or None for a random first click on each board
    :param rule: the `StartRule` or its name
    :param seed: 0 to 2**63 - 1, by default 0

    >>> recipe = ms.Recipe("beginner", seed=7)
    >>> recipe.title
    '9x9/10, opening start at 4,4'
    >>> recipe.puzzle(0)
    <Puzzle cae060802bc3df395a42 9x9/10 at (4, 4)>
    >>> ms.Recipe(ms.Grid(9, 9, "torus"), 10) == ms.Recipe("beginner torus")
    True
    """

    grid: Grid
    mines: int
    click: Cell | None
    rule: StartRule
    seed: int

    def __init__(
        self,
        grid: Grid | str,
        mines: int | None = None,
        click: CellLike | str | None = "center",
        rule: StartRule | RuleName = StartRule.OPENING,
        seed: int = 0,
    ) -> None:
        size = as_preset(grid, mines)
        if not 0 <= (seed := as_number(seed, "seed")) <= MAX_SEED:
            raise BoardError(f"seed {seed} is out of range; expected 0 to {MAX_SEED}")
        known = StartRule.named(rule)
        named = parse_click(click, size.grid) if isinstance(click, str) else click
        cell = None if named is None else as_cell(named)
        known.check_mines(size.grid, size.mines, cell)
        vars(self).update(grid=size.grid, mines=size.mines, click=cell, rule=known, seed=seed)

    def __repr__(self) -> str:
        return f"Recipe({self.name!r}, click={self.click}, rule={self.rule.value!r}, seed={self.seed})"

    @property
    def title(self) -> str:
        """The recipe in words, without the seed: ``16x30/99, opening start at 8,15``."""
        return f"{super().title}, {self.rule.words} at {self.click_name}"

    @property
    def click_name(self) -> str:
        """The first click as `parse_click` reads it: ``8,15`` or ``random``."""
        return "random" if self.click is None else f"{self.click[0]},{self.click[1]}"

    def to_json(self) -> dict[str, Any]:
        """Return plain data for JSON: rows, cols, mines, start, first_click (None for a random cell) and seed.

        The key grid is there unless it is a rectangle.
        """
        click = None if self.click is None else list(self.click)
        return {**self.size_to_json(), "start": str(self.rule), "first_click": click, "seed": self.seed}

    def log_puzzles(self) -> float:
        """Return the natural logarithm of the number of different puzzles, an upper bound for random clicks."""
        grid, click = self.grid, self.click
        room = self.rule.room(grid, click)
        if click is None and self.rule is StartRule.OPENING:  # Clicks with fewer neighbours leave more room.
            fewest, most = grid.neighbour_counts
            room += most - fewest
        layouts = math.lgamma(room + 1) - math.lgamma(self.mines + 1) - math.lgamma(room - self.mines + 1)
        return layouts + (math.log(grid.cells) if click is None else 0.0)

    @property
    def may_repeat(self) -> bool:
        """False if there are at least e**80 puzzles, because the same one is then never sampled twice."""
        return self.log_puzzles() < _LOG_WITHOUT_REPETITION

    def count_puzzles(self) -> int:
        """Return the number of different puzzles: layouts, each with its first click."""
        grid = self.grid
        clicks = [divmod(number, grid.cols) for number in grid.numbers] if self.click is None else [self.click]
        return sum(math.comb(self.rule.room(grid, click), self.mines) for click in clicks)

    def puzzle(self, index: int) -> Puzzle:
        """Sample puzzle number `index` (0 to 2**63 - 1), uniform over all layouts that the start rule allows."""
        if not 0 <= (index := as_number(index, "number of a puzzle")) <= MAX_SEED:
            raise BoardError(f"puzzle {index} is out of range; expected 0 to {MAX_SEED}")
        stream, grid, click = Stream(self.seed, index), self.grid, self.click
        if click is None:
            click = divmod(grid.numbers[stream.below(grid.cells)], grid.cols)
        zone = [row * grid.cols + col for row, col in self.rule.zone(grid, click)]
        outside = np.setdiff1d(grid.numbers, zone, assume_unique=True)
        mine_map = np.zeros(grid.rows * grid.cols, dtype=np.bool_)
        mine_map[outside[stream.sample(len(outside), self.mines)]] = True
        return Puzzle(Board.unchecked(grid, mine_map.tobytes()), click)


class Stream:
    """Random numbers determined by seed, index and purpose.

    The counter of the Philox blocks is (block, index, purpose, 0), block from 1.
    """

    def __init__(self, seed: int, index: int, purpose: int = 0) -> None:
        key = np.array([seed, 0], dtype=np.uint64)
        counter = np.array([0, index, purpose, 0], dtype=np.uint64)
        self._words = _words(np.random.Philox(key=key, counter=counter))

    def below(self, bound: int) -> int:
        """Draw a uniform number below `bound` (Lemire, *Fast random integer generation in an interval*, 2019)."""
        threshold = 2**64 % bound
        while True:
            product = next(self._words) * bound
            if product % 2**64 >= threshold:
                return product >> 64

    def sample(self, population: int, count: int) -> list[int]:
        """Draw a uniform set of `count` numbers below `population` (Floyd, *Programming Pearls*, CACM 30(9), 1987)."""
        chosen: set[int] = set()
        for last in range(population - count, population):
            drawn = self.below(last + 1)
            chosen.add(last if drawn in chosen else drawn)
        return sorted(chosen)


def _words(source: np.random.Philox) -> Iterator[int]:
    while True:
        yield from source.random_raw(_WORDS_AT_A_TIME).tolist()
