"""Kaboom: Minesweeper against an adversary that places the mines when you click. Cruel, but fair.

There is no hidden layout: a game consists of the clues shown so far and the number of mines. A click on a cell that
logic does not prove safe is fatal, unless no cell is proven safe: then the guess is forced and always survived. So
every game can be won.

The *boundary* is the frontier, the hidden cells that touch a clue; the *outside* is all other hidden cells.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal, get_args

from minesweeper.player.core.board import HIDDEN, Board, View
from minesweeper.player.core.errors import BoardError, did_you_mean
from minesweeper.player.core.game import Status
from minesweeper.player.core.grid import Cell, CellLike, Grid, as_cell, as_number, cell_of
from minesweeper.player.core.lazy_numpy import NDArray, np
from minesweeper.player.core.recipe import StartRule, as_preset
from minesweeper.player.kernel_api import native_view, require
from minesweeper.player.logic.probability import MAX_LAYOUT_SEED, explained

Mode = Literal["uniform", "cruelest"]
MODES: Final[tuple[Mode, ...]] = get_args(Mode)


@dataclass(frozen=True, slots=True)
class Rules:
    """The options of a game.

    `opening_start`: the first click shows a zero. `guess_anywhere`: a forced guess is survived outside, too; otherwise
    only at the boundary, and outside only if every boundary cell is a proven mine. `outside_counts`: a cell proven safe
    makes a guess needless even if it touches no clue. `mode`: the layout that decides a click is sampled from all
    possible ones, or from those that leave the player the fewest cells open or certain. `unavoidable_early`: a guess
    that `unavoidable_guesses` proves is survived while other cells are proven safe, too: no clue would help.
    """

    opening_start: bool = False
    guess_anywhere: bool = False
    outside_counts: bool = True
    mode: Mode = "uniform"
    unavoidable_early: bool = False

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise BoardError(f"unknown mode {self.mode!r}{did_you_mean(self.mode, MODES)}; modes: {', '.join(MODES)}")

    @property
    def bits(self) -> int:
        """The options as the kernel reads them."""
        options = (self.opening_start, self.guess_anywhere, self.outside_counts, self.mode == "cruelest")
        return sum(option << place for place, option in enumerate((*options, self.unavoidable_early)))


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


_WHYS: Final = tuple(Why)
"""The order of the kernel's verdicts."""


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
    """One game. The same `seed` (0 to 2**64 - 1) and clicks give the same game, on the page in a browser as well.

    Without a seed, a random one is drawn; the attribute `seed` has it.

    `grid` and `mines` are those of a `Recipe`. The current `view` is, with the `rules`, the whole state of the game;
    `fatal` is the click that lost it, or None. A game can be pickled. Raises `BoardError` for another seed, or for a
    size and a number of mines that leave no room for some first click; `EngineError` without the native engine, which
    judges the clicks. Moves off the board, or after the end, raise `BoardError`.

    >>> game = ms.Kaboom("9x9/10", seed=1)
    >>> game.click((4, 4)).why
    <Why.FIRST_CLICK: 'first_click'>
    >>> game.click((0, 0)).why
    <Why.OUTSIDE: 'outside'>
    >>> game.status
    <Status.LOST: 'lost'>
    """

    def __init__(
        self, grid: Grid | str, mines: int | None = None, *, rules: Rules | None = None, seed: int | None = None
    ) -> None:
        require("Kaboom")
        size = as_preset(grid, mines)
        self.rules = Rules() if rules is None else rules
        start = StartRule.OPENING if self.rules.opening_start else StartRule.SAFE
        start.check_mines(size.grid, size.mines, None)
        self.seed = secrets.randbelow(MAX_LAYOUT_SEED + 1) if seed is None else as_number(seed, "seed")
        if not 0 <= self.seed <= MAX_LAYOUT_SEED:
            raise BoardError(f"seed {seed} is out of range; expected 0 to {MAX_LAYOUT_SEED}")
        self._clicks = 0
        self.resume(View.hidden(size.grid, size.mines))

    def resume(self, view: View) -> None:
        """Continue from a view of a game with the same size and rules. Raises `InconsistentView` and `TooWide`."""
        self.view = view
        self.fatal: Outcome | None = None
        with explained(view):
            verdicts = native_view(view).kaboom_verdicts(self.rules.bits)
        self._verdicts = np.frombuffer(verdicts, dtype=np.uint8).reshape(view.cells.shape)

    @property
    def status(self) -> Status:
        """Won as soon as every hidden cell is a mine, lost by a fatal click."""
        if self.fatal is not None:
            return Status.LOST
        return Status.WON if np.count_nonzero(self._hidden) == self.view.mines else Status.PLAYING

    @property
    def safe_map(self) -> NDArray[np.bool_]:
        """The hidden cells proven safe: an array of bool of the shape of the grid."""
        return self._judged(Why.PROVEN_SAFE)

    @property
    def mine_map(self) -> NDArray[np.bool_]:
        """The cells proven to be mines: an array of bool of the shape of the grid."""
        return self._judged(Why.PROVEN_MINE)

    @property
    def guessable(self) -> NDArray[np.bool_]:
        """The uncertain cells where a guess is forced and granted: an array of bool, all False if none is."""
        return self._judged(Why.FIRST_CLICK) | self._judged(Why.FORCED_GUESS)

    def judge(self, cell: CellLike) -> Why:
        """Return the reason that a click on a hidden cell would have. Raises `BoardError` if it is not hidden."""
        cell = self._checked(cell)
        if not self._hidden[cell]:
            raise BoardError(f"{cell} is open; expected a hidden cell")
        return _WHYS[int(self._verdicts[cell])]

    def click(self, cell: CellLike) -> Outcome:
        """Open a hidden cell: the adversary samples the deciding layout. Raises `BoardError` if it is not hidden."""
        cell = as_cell(cell)
        why = self.judge(cell)
        self._clicks += 1
        layout = self._draw(cell, why)
        if not why.survived:
            self.fatal = Outcome(cell, why, (), layout)
            return self.fatal
        numbers = layout.opening(cell)
        opened = [divmod(number, layout.cols) for number in numbers[self._hidden.ravel()[numbers]].tolist()]
        cells = self.view.cells.copy()
        cells.flat[numbers] = layout.clues.flat[numbers]
        self.resume(View(cells, self.view.mines, self.view.grid))
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
        around = [near for near in self.view.grid.neighbours(cell) if self._hidden[near]]
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

    def _judged(self, why: Why) -> NDArray[np.bool_]:
        """Return a map of the hidden cells with this verdict."""
        marked: NDArray[np.bool_] = self._hidden & (self._verdicts == _WHYS.index(why))
        return marked

    def _checked(self, cell: CellLike) -> Cell:
        cell = cell_of(self.view.grid, cell)
        if self.status is not Status.PLAYING:
            raise BoardError(f"the game is {self.status.value}; it accepts no more clicks")
        return cell

    def _draw(self, cell: Cell, why: Why) -> Board:
        """Sample the layout that decides a click, as the rules say."""
        view, number = self.view, cell[0] * self.view.cols + cell[1]
        place, bits = _WHYS.index(why), self.rules.bits
        layout = native_view(view).kaboom_layout(bits, place, number, self.seed, self._clicks)
        return Board.unchecked(view.grid, layout)
