"""The solution of a position: certain cells, probabilities, and the best cell to open."""

from __future__ import annotations

from dataclasses import dataclass

from minesweeper.player.core import limits
from minesweeper.player.core.board import View, ViewLike, as_view
from minesweeper.player.core.errors import OutOfTime
from minesweeper.player.core.grid import Cell
from minesweeper.player.core.lazy_numpy import np
from minesweeper.player.core.limits import MOST_CELLS
from minesweeper.player.core.mine_range import MinesLike
from minesweeper.player.core.steps import Engine
from minesweeper.player.logic import Deductions, closure


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Solved(Deductions):
    r"""The closure and the probabilities of a view, and the best cell.

    `chances` is None if some component is too wide to count. `best` is the cell to open next: the first that is
    certainly safe, otherwise the best guess; None if none can be safe. If not `complete`, time ran out: the maps mark
    the cells decided by then, and other fields may be missing. A view of more than a million cells gets no chances and
    no guess.

    >>> ms.solve("2x4/2\n1###\n####").is_guess
    True
    """

    view: View
    best: Cell | None

    @property
    def is_guess(self) -> bool:
        """True if no cell is certainly safe, so `best` is a guess."""
        return self.best is not None and not self.safe_map[self.best]

    def _repr_html_(self) -> str:
        words = (
            "" if self.best is None else f"The {'best guess' if self.is_guess else 'next safe cell'} is {self.best}."
        )
        from minesweeper.player.play.analysis import draw_known

        return draw_known(self.view, self, self.chances, self.best, words)

    def __repr__(self) -> str:
        safe, mines = np.count_nonzero(self.safe_map), np.count_nonzero(self.mine_map)
        guess = "guess " if self.is_guess else ""
        return f"<Solved {self.view.title}: {safe} safe, {mines} mines, best {guess}{self.best}>"


def solve(
    view: ViewLike,
    *,
    mines: MinesLike | None = None,
    strategy: str | None = None,
    engine: Engine = "auto",
    time_limit: float | None = None,
) -> Solved:
    r"""Find the closure of a view, the probabilities of mines, and the best cell to open.

    `view` and `mines` are a position in any form that `View` takes. `strategy` is the name of the guessing strategy, by
    default the strongest; `time_limit` is in seconds for the whole call, None for no limit. `analyse` also gives
    reasons, and takes longer. Where the number of mines is not known, the best guess is the safest cell, with the
    density that the view has or `assumed_density`. Raises `InconsistentView`, `StrategyError` and `EngineError`.

    >>> found = ms.solve([[-1, 1, 2, 1, -1], [-1, -1, -1, -1, -1]], mines=2)
    >>> found
    <Solved 2x5/2: 5 safe, 2 mines, best (0, 0)>
    >>> found.mine_map.astype(int).tolist()
    [[0, 0, 0, 0, 0], [0, 1, 0, 1, 0]]
    >>> ms.solve("2x4/2\n1###\n####")
    <Solved 2x4/2: 0 safe, 0 mines, best guess (0, 2)>
    """
    view = as_view(view, mines)
    guesser = None
    if strategy is not None:
        from minesweeper.player.play.strategies.loading import load_strategy

        guesser = load_strategy(strategy)
    with limits.time_limit(time_limit):
        known = closure(view, engine, time_limit=time_limit, chances=view.cells.size <= MOST_CELLS)
        chances = known.chances if np.isfinite(known.log_layouts) else None
        first = int(known.safe_map.argmax())
        best = divmod(first, known.safe_map.shape[1]) if known.safe_map.flat[first] else None
        complete = known.complete and known.log_layouts != np.inf
        if complete and best is None and view.cells.size <= MOST_CELLS:
            # Not needed where a cell is certainly safe.
            from minesweeper.player.play.analysis import choose_guess

            try:
                guess = choose_guess(view, known, strategy, guesser, None)
                best = None if guess is None else guess.best.cell
            except OutOfTime:
                if time_limit is None:
                    raise
                complete = False
    return Solved(**vars(known) | {"chances": chances, "complete": complete}, view=view, best=best)
