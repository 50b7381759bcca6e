"""Paper forms: puzzles for print, where no cell opens.

On paper, a cell that is known to be safe shows no new clue. So the paper form of a puzzle prints its first opening and
further clues of the board, from which logic decides every hidden cell at once. Clues are taken back in a random order
that depends only on the id of the puzzle, each if the others still decide every cell, so none of those left can be
taken back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from minesweeper.player import kernel_api
from minesweeper.player.core.board import Puzzle, View
from minesweeper.player.core.errors import BoardError, check_kind
from minesweeper.player.core.lazy_numpy import np
from minesweeper.player.core.steps import Tally, Tier
from minesweeper.player.logic.sentences import ENGLISH, Sentence

Generosity = Literal["minimal", "easy"] | int
"""The number of clues that a paper form reveals: none to spare, enough for easy logic, or a number to spare."""
MOST_CLUES: Final = 10**6
NEEDS: Final = {Tier.FIRST_CLICK: "count", Tier.ONE_CLUE: "one", Tier.TWO_CLUES: "two", Tier.MORE_CLUES: "more"}
"""The names of the sentences about the hardest tier of a form."""


@dataclass(frozen=True)
class PaperForm:
    """The printed view of a puzzle, the number of clues outside its first opening, and the cells by tier."""

    view: View
    revealed: int
    tally: Tally

    @property
    def hardest(self) -> Tier:
        """The hardest tier, apart from the number of mines."""
        return self.tally._replace(mine_count=0).hardest

    def in_words(self, language: str = ENGLISH) -> str:
        """Return the difficulty and what the steps need, e.g. ``medium: two clues at a time``."""
        needs = Sentence(f"paper.{NEEDS[self.hardest]}")
        if self.tally.mine_count and self.tally.one_clue:
            needs = Sentence("paper.then", needs=needs)
        return needs.in_words(language)


def paper_form(puzzle: Puzzle, clues: Generosity = "minimal", *, mine_count: bool = True) -> View:
    """Return the view to print: the first opening, and the clues from which logic decides every hidden cell.

    :param clues: ``minimal``: without any one revealed clue, two layouts fit; ``easy``: one or two clues at a time
        decide every cell, and again no revealed clue can be spared; a number: this many clues more than minimal
    :param mine_count: False for a view that is decided without the number of mines
    :raises BoardError: without the number of mines, for a mine that touches no safe cell
    :raises EngineError: without the kernel

    >>> puzzle = ms.Recipe("beginner", seed=7).puzzle(0)
    >>> form = ms.paper_form(puzzle)
    >>> bool((ms.closure(form).mine_map == puzzle.board.mine_map).all())
    True
    """
    return next(paper_forms([puzzle], clues, mine_count=mine_count)).view


def paper_forms(
    puzzles: Iterable[Puzzle], clues: Generosity = "minimal", *, mine_count: bool = True
) -> Iterator[PaperForm]:
    """Yield the paper form of each puzzle, as `paper_form` does."""
    kernel_api.require("a paper form")
    if clues not in ("minimal", "easy") and not (isinstance(clues, int) and 0 <= clues <= MOST_CLUES):
        raise BoardError(f"unknown clues {clues!r}; expected minimal, easy or a number of 0 to {MOST_CLUES:,}")
    more = clues if isinstance(clues, int) else 0
    for puzzle in puzzles:
        check_kind(puzzle, Puzzle, "puzzles")
        board = puzzle.board
        (found,) = kernel_api.native_puzzles(board.grid, [puzzle]).paper_forms(clues == "easy", mine_count, more)
        if not found.complete:
            raise BoardError(f"a mine of puzzle {puzzle.id} touches no safe cell; only the number of mines decides it")
        shown = np.frombuffer(found.cells, dtype=np.int8).reshape(board.grid.shape)
        yield PaperForm(View(shown, board.mines, board.grid), found.revealed, Tally._make(found.tally))
