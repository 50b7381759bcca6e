"""Kaboom: Minesweeper against an adversary that places the mines when you click. Cruel, but fair.

There is no hidden layout: a game consists of the clues shown so far and the number of mines. A click on a cell that
logic does not prove safe is fatal, unless no cell is proven safe: then the guess is forced and always survived. So
every game can be won.

The *boundary* is the frontier, the hidden cells that touch a clue; the *outside* is all other hidden cells.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import TYPE_CHECKING, Final, Literal, get_args

import numpy as np

from minesweeper.player import kernel_api
from minesweeper.player.board import (
    HIDDEN,
    Board,
    Cell,
    CellLike,
    View,
    as_cell,
    count_neighbours,
    neighbours,
    size_name,
)
from minesweeper.player.chance.probability import MAX_SEED, clue_probabilities, sample_layouts
from minesweeper.player.errors import BoardError, TooWide, did_you_mean
from minesweeper.player.game import Status
from minesweeper.player.kaboom.cruelty import cruelest
from minesweeper.player.logic import choose_engine
from minesweeper.player.logic.knowledge import cached_knowledge
from minesweeper.player.logic.sat import some_layout
from minesweeper.player.recipe import StartRule
from minesweeper.player.steps import Engine

if TYPE_CHECKING:
    from numpy.typing import NDArray

Mode = Literal["uniform", "cruelest"]
MODES: Final[tuple[Mode, ...]] = get_args(Mode)

_TRIES: Final = 8


@dataclass(frozen=True, slots=True)
class Rules:
    """The options of a game.

    `opening_start`: the first click shows a zero. `guess_anywhere`: a forced guess is survived outside, too; otherwise
    only at the boundary, and outside only if every boundary cell is a proven mine. `outside_counts`: a cell proven safe
    makes a guess needless even if it touches no clue. `mode`: the layout that decides a click is sampled from all
    possible ones, or from those that leave the player the fewest cells open or certain.
    """

    opening_start: bool = False
    guess_anywhere: bool = False
    outside_counts: bool = True
    mode: Mode = "uniform"

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise BoardError(f"unknown mode {self.mode!r}{did_you_mean(self.mode, MODES)}; modes: {', '.join(MODES)}")


class Why(StrEnum):
    """The reason that a click is survived or fatal."""

    FIRST_CLICK = "first_click"
    PROVEN_SAFE = "proven_safe"
    FORCED_GUESS = "forced_guess"
    PROVEN_MINE = "proven_mine"
    NEEDLESS_GUESS = "needless_guess"
    OUTSIDE = "outside"

    @property
    def survived(self) -> bool:
        return self in (Why.FIRST_CLICK, Why.PROVEN_SAFE, Why.FORCED_GUESS)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a click: the opened cells or, if fatal, a `layout` that fits all clues and has a mine there."""

    cell: Cell
    why: Why
    opened: tuple[Cell, ...]
    layout: Board | None = None

    @property
    def survived(self) -> bool:
        return self.why.survived


class Kaboom:
    """One game. The same `seed` (0 to 2**64 - 1), engine and clicks give the same game; it can be pickled.

    With the engine `native` that is the game of the page in a browser, too.

    The current `view` is, with the `rules`, the whole state of the game; `fatal` is the click that lost it, or None.
    Raises `BoardError` for another seed, or for a size and a number of mines that leave no room for some first click;
    `EngineError` for an engine that is not installed. Moves off the board, or after the end, raise `BoardError`.
    """

    def __init__(
        self, rows: int, cols: int, mines: int, *, rules: Rules | None = None, seed: int = 0, engine: Engine = "auto"
    ) -> None:
        self.rules = Rules() if rules is None else rules
        start = StartRule.OPENING if self.rules.opening_start else StartRule.SAFE
        start.check_mines(rows, cols, mines, None)
        if not 0 <= seed <= MAX_SEED:
            raise BoardError(f"seed {seed} is out of range; expected 0 to {MAX_SEED}")
        self._engine = choose_engine(engine)
        self._counter = "native" if self._engine == "native" else "exact"
        self.seed = seed
        self._clicks = 0
        self._random = Random(seed)
        self.fatal: Outcome | None = None
        self.view = View.hidden(rows, cols, mines)
        self._safe = np.zeros((rows, cols), dtype=np.bool_)
        self._mines = np.zeros((rows, cols), dtype=np.bool_)

    def resume(self, view: View) -> None:
        """Continue from a view of a game with the same size and rules."""
        self.view = view
        self.fatal = None
        if self._is_untouched:
            self._safe, self._mines = np.zeros_like(self._safe), np.zeros_like(self._mines)
        else:
            self._learn()

    @property
    def status(self) -> Status:
        """Won as soon as every hidden cell is a mine, lost by a fatal click."""
        if self.fatal is not None:
            return Status.LOST
        return Status.WON if np.count_nonzero(self._hidden) == self.view.mines else Status.PLAYING

    @property
    def safe_map(self) -> NDArray[np.bool_]:
        """The hidden cells proven safe: a (rows, cols) array."""
        return self._safe.copy()

    @property
    def mine_map(self) -> NDArray[np.bool_]:
        """The cells proven to be mines: a (rows, cols) array."""
        return self._mines.copy()

    @property
    def guessable(self) -> NDArray[np.bool_]:
        """The uncertain cells where a guess is forced and granted: a (rows, cols) array, all False if none is."""
        boundary = self._hidden & (count_neighbours(~self._hidden) > 0)
        counted = self._safe if self.rules.outside_counts else self._safe & boundary
        if counted.any():
            return np.zeros_like(self._safe)
        uncertain = self._hidden & ~self._safe & ~self._mines
        anywhere = self.rules.guess_anywhere or self._is_untouched or bool(self._mines[boundary].all())
        return uncertain if anywhere else uncertain & boundary

    def judge(self, cell: CellLike) -> Why:
        """Return the reason that a click on a hidden cell would have. Raises `BoardError` if it is not hidden."""
        cell = self._checked(cell)
        if not self._hidden[cell]:
            raise BoardError(f"{cell} is open; expected a hidden cell")
        if self._is_untouched:
            return Why.FIRST_CLICK
        if self._safe[cell]:
            return Why.PROVEN_SAFE
        if self._mines[cell]:
            return Why.PROVEN_MINE
        guessable = self.guessable
        if guessable[cell]:
            return Why.FORCED_GUESS
        return Why.OUTSIDE if guessable.any() else Why.NEEDLESS_GUESS

    def click(self, cell: CellLike) -> Outcome:
        """Open a hidden cell: the adversary samples the deciding layout. Raises `BoardError` if it is not hidden."""
        cell = as_cell(cell)
        why = self.judge(cell)
        self._clicks += 1
        self._random = Random(f"{self.seed}/{self._clicks}")
        if not why.survived:
            self.fatal = Outcome(cell, why, (), self._decide(cell, why))
            return self.fatal
        layout = self._decide(cell, why)
        numbers = layout.opening(cell)
        opened = [divmod(number, layout.cols) for number in numbers[self._hidden.ravel()[numbers]].tolist()]
        cells = self.view.cells.copy()
        rows, cols = np.transpose(opened)
        cells[rows, cols] = layout.clues[rows, cols]
        self.view = View(cells, self.view.mines)
        self._learn()
        return Outcome(cell, why, tuple(opened))

    def chord(self, cell: CellLike, flags: Iterable[CellLike]) -> list[Outcome]:
        """Click, row by row, every unflagged hidden neighbour of an open clue that touches as many flags as it shows.

        Each click is judged after the previous ones; a fatal click or a win ends the chord. Does nothing if the number
        of flags differs from the clue.
        """
        return [
            self.click(near)
            for near in self.chorded(cell, flags)
            if self._hidden[near] and self.status is Status.PLAYING
        ]

    def chorded(self, cell: CellLike, flags: Iterable[CellLike]) -> list[Cell]:
        """List the cells that `chord` clicks if none of the clicks is fatal."""
        cell = self._checked(cell)
        around = [near for near in neighbours(self.view.rows, self.view.cols, cell) if self._hidden[near]]
        flagged = set(map(as_cell, flags)).intersection(around)
        if self._hidden[cell] or len(flagged) != self.view.cells[cell]:
            return []
        return [near for near in around if near not in flagged]

    def undo(self) -> None:
        """Undo the fatal click. Raises `BoardError` if the game is not lost."""
        if self.fatal is None:
            raise BoardError("the game is not lost; only a fatal click can be undone")
        self.fatal = None

    @property
    def _hidden(self) -> NDArray[np.bool_]:
        hidden: NDArray[np.bool_] = self.view.cells == HIDDEN
        return hidden

    @property
    def _is_untouched(self) -> bool:
        return bool(self._hidden.all())

    def _checked(self, cell: CellLike) -> Cell:
        row, col = cell = as_cell(cell)
        if not (0 <= row < self.view.rows and 0 <= col < self.view.cols):
            raise BoardError(f"{cell} is off the board; expected a cell of {size_name(self.view.rows, self.view.cols)}")
        if self.status is not Status.PLAYING:
            raise BoardError(f"the game is {self.status.value}; it accepts no more clicks")
        return cell

    def _learn(self) -> None:
        self._safe, self._mines = cached_knowledge(self.view, self.seed, self._engine)

    def _decide(self, cell: Cell, why: Why) -> Board:
        """Draw the deciding layout: in the kernel, as the game in a browser does, or in Python."""
        if self._engine == "native":
            rules = self.rules
            options = (rules.opening_start, rules.guess_anywhere, rules.outside_counts, rules.mode == "cruelest")
            with suppress(TooWide):
                place = list(Why).index(why)
                return Board(kernel_api.kaboom_layout(self.view, options, place, cell, self.seed, self._clicks))
        return self._draw_survived(cell, why) if why.survived else self._draw_fatal(cell)

    def _draw_survived(self, cell: Cell, why: Why) -> Board:
        """Sample a layout uniformly from those in which the cell is safe, or from the cruelest of them."""
        opening = why is Why.FIRST_CLICK and self.rules.opening_start
        view = self.view
        try:
            if self.rules.mode == "cruelest":
                view = cruelest(view, cell, opening=opening, random=self._random, engine=self._engine)
                return self._draw(view)
            return self._draw(view.showing(cell, 0)) if opening else self._draw_where(cell, mine=False)
        except TooWide:
            zone = neighbours(view.rows, view.cols, cell) if opening else ()
            return some_layout(view, self._random, safe_at=(cell, *zone))

    def _draw_fatal(self, cell: Cell) -> Board:
        """Sample a layout uniformly from those in which the cell is a mine."""
        try:
            return self._draw_where(cell, mine=True)
        except TooWide:
            return some_layout(self.view, self._random, mines_at=(cell,))

    def _draw_where(self, cell: Cell, *, mine: bool) -> Board:
        """Sample a layout uniformly from those in which the cell is a mine, or from those in which it is safe."""
        decided = bool(self._safe[cell] or self._mines[cell])
        for layout in self._sample(self.view, 1 if decided else _TRIES):
            if layout[cell] == mine:
                return Board(layout)
        # Such layouts are rare. Those with a mine in the cell correspond to layouts of a view with one mine fewer, in
        # which the clues around the cell are lower by one and the cell is safe.
        view = self.view
        if mine:
            cells = view.cells.copy()
            for near in neighbours(view.rows, view.cols, cell):
                cells[near] -= cells[near] != HIDDEN
            view = View(cells, view.mines - 1)
        shares = clue_probabilities(view, cell, self._counter)
        (clue,) = self._random.choices(range(9), shares.tolist())
        mine_map = self._sample(view.showing(cell, clue), 1)[0]
        mine_map[cell] = mine
        return Board(mine_map)

    def _draw(self, view: View) -> Board:
        return Board(self._sample(view, 1)[0])

    def _sample(self, view: View, count: int) -> NDArray[np.bool_]:
        return sample_layouts(view, count, self._random.getrandbits(64), self._counter)
