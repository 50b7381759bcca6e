"""The complete analysis of a position as one value."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from random import Random
from typing import Any, Final

from minesweeper.player.core import limits
from minesweeper.player.core.board import HIDDEN, View, ViewLike, as_view, cells_of
from minesweeper.player.core.errors import InconsistentView, OutOfTime, TooWide, counted
from minesweeper.player.core.grid import Cell
from minesweeper.player.core.lazy_numpy import ArrayValue, NDArray, np
from minesweeper.player.core.limits import MOST_CELLS, check_cells
from minesweeper.player.core.mine_range import MinesLike
from minesweeper.player.core.results import Candidate
from minesweeper.player.core.steps import Engine
from minesweeper.player.logic import Deductions, closure
from minesweeper.player.logic.deduction import Deduction
from minesweeper.player.logic.probability import count_layouts
from minesweeper.player.logic.reasons import chain_to_safe, easiest_step, explanation
from minesweeper.player.logic.sentences import Sentence
from minesweeper.player.play.strategies import Knowledge, Strategy, choose_cell
from minesweeper.player.play.strategies.kernel_strategies import NativeStrategy, compare_guesses
from minesweeper.player.play.strategies.loading import default_strategy, load_strategy
from minesweeper.player.render.svg import chances_in_html

MOST_ALTERNATIVES: Final = 5
_MOST_EXACT: Final = 2500
_CAUTIOUS: Final = "safest"


@dataclass(frozen=True)
class Guess:
    """The choice of a strategy, and up to five alternatives, best first.

    `why` says of each alternative in a sentence why it is worse; it is empty if the guesses were not compared, and then
    the candidates have their safety only, if that.

    >>> guess = ms.analyse("2x4/2\n1###\n####").guess
    >>> guess.best.cell, round(guess.best.safety, 3), round(guess.best.win, 3)
    ((0, 2), 0.75, 0.583)
    >>> guess.why[0].in_words()
    ''
    """

    strategy: str
    best: Candidate
    alternatives: tuple[Candidate, ...]
    why: tuple[Sentence, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return plain data for JSON, with null for numbers that are not known."""
        best, *others = (
            {
                "cell": list(one.cell),
                "safety": None if math.isnan(one.safety) else one.safety,
                "progress": None if one.second is None else one.progress,
                "second": one.second,
                "win": one.win,
            }
            for one in (self.best, *self.alternatives)
        )
        words = [one.in_words() for one in self.why]
        alternatives = [other | {"why": why} for other, why in zip_longest(others, words)]
        return {"strategy": self.strategy, **best, "alternatives": alternatives}


@dataclass(frozen=True, eq=False)
class Analysis(ArrayValue):
    r"""The analysis of a view.

    If the view contradicts itself, `clash` names the clues at fault and all other fields are None. Otherwise `known` is
    the closure, `chain` the shortest way to a safe cell and, if requested, `explanation` derives all known cells
    stepwise. Without a safe cell, `chain` is the easiest deduction alone, if any.
    `chances` holds the exact probability of a mine in each hidden cell, an array with NaN for open cells;
    `log_layouts` is the natural logarithm of the number of layouts that fit; `layouts` is their exact number, or None
    for boards of more than 2500 cells. All three are None if some component is too wide to count. `guess` is None if
    a cell is known to be safe or none can be.

    If not `complete`, time ran out: `known` holds the cells decided by then, and other fields may be missing. A view of
    more than a million cells has `known` only.

    >>> ms.analyse("2x5/2\n#121#\n#####").mine_cells
    ((1, 1), (1, 3))
    """

    view: View
    clash: InconsistentView | None = None
    known: Deductions | None = None
    chain: tuple[Deduction, ...] = ()
    explanation: tuple[Deduction, ...] | None = None
    chances: NDArray[np.float64] | None = None
    log_layouts: float | None = None
    layouts: int | None = None
    guess: Guess | None = None
    complete: bool = True

    def __repr__(self) -> str:
        return f"<Analysis of {self.view.title}: {self.in_words()}>"

    def _repr_html_(self) -> str:
        words = self.in_words() if self.step is None else f"{self.in_words()} {self.step.in_words()}."
        if self.known is None:
            unknown = np.full(self.view.cells.shape, np.nan)
            return chances_in_html(self.view.cells, self.view.title, unknown, None, words, self.view.grid)
        best = self.guess.best.cell if self.guess else next(iter(self.safe_cells), None)
        return draw_known(self.view, self.known, self.chances, best, words)

    @property
    def step(self) -> Deduction | None:
        """The first deduction of `chain`; None without one."""
        return next(iter(self.chain), None)

    @cached_property
    def safe_cells(self) -> tuple[Cell, ...]:
        """The hidden cells known to be safe, in reading order."""
        return () if self.known is None else cells_of(self.known.safe_map)

    @cached_property
    def mine_cells(self) -> tuple[Cell, ...]:
        """The hidden cells known to be mines, in reading order."""
        return () if self.known is None else cells_of(self.known.mine_map)

    @cached_property
    def undecided(self) -> int:
        """The number of hidden cells that are not decided."""
        if self.known is None:
            return 0
        return int(np.count_nonzero((self.view.cells == HIDDEN) & ~self.known.safe_map & ~self.known.mine_map))

    def to_json(self) -> dict[str, Any]:
        """Return plain data for JSON. The number of layouts is a string, because it can have hundreds of digits.

        Raises `BoardError` for more than a million cells.
        """
        check_cells(self.view.grid.shape, "JSON")
        clash = self.clash
        return {
            **self.view.size_to_json(),
            "view": self.view.lines,
            "consistent": clash is None,
            "clash": clash
            and {"clues": list(map(list, clash.clues)), "mine_count": clash.mine_count, "words": str(clash)},
            "safe_cells": list(map(list, self.safe_cells)),
            "mine_cells": list(map(list, self.mine_cells)),
            "undecided": self.undecided,
            "complete": self.complete,
            "chain": [hint_to_json(step) for step in self.chain],
            "explanation": None if self.explanation is None else [hint_to_json(step) for step in self.explanation],
            "probabilities": None if self.chances is None else numbers_of(self.chances),
            "layout_count": None if self.layouts is None else str(self.layouts),
            "log_layout_count": self.log_layouts,
            "assumed_density": self.known and self.known.assumed_density,
            "guess": None if self.guess is None else self.guess.to_json(),
            "words": self.in_words(),
        }

    def in_words(self) -> str:
        """Return a summary of a few sentences."""
        if self.clash is not None:
            return str(self.clash)
        assert self.known is not None
        safe, mines = int(self.known.safe_map.sum()), int(self.known.mine_map.sum())
        words = [Sentence("analysis.certain", safe=safe, mines=mines).in_words()]
        if not self.known.complete:
            words.append(f"Logic ran out of time: {counted(self.undecided, 'cell')} undecided.")
        if self.log_layouts is not None:
            words.append(Sentence("analysis.layouts", number=_magnitude(self.log_layouts)).in_words())
        if self.known.assumed_density is not None and self.log_layouts is not None:
            words.append(Sentence("analysis.assumed", share=f"{100 * self.known.assumed_density:.3g}").in_words())
        if self.guess is not None:
            best, is_rated = self.guess.best, not math.isnan(self.guess.best.safety)
            share = f"{100 * (1 - best.safety):.1f}"
            name = "analysis.guess" if is_rated else "analysis.unrated"
            words.append(Sentence(name, cell=best.cell, share=share).in_words())
            words += [Sentence("analysis.next", why=why).in_words() for why in self.guess.why[:1]]
        return " ".join(words)


def analyse(
    view: ViewLike,
    *,
    mines: MinesLike | None = None,
    strategy: str | None = None,
    explain: bool = False,
    engine: Engine = "auto",
    time_limit: float | None = None,
) -> Analysis:
    r"""Analyse a view: the closure, the way to a safe cell, the probabilities of mines and the best guess.

    `view` and `mines` are a position in any form that `View` takes. `strategy` is the name of the guessing strategy, by
    default the strongest; `explain` requests `Analysis.explanation`; `time_limit` is in seconds for the whole call,
    None for no limit. Raises `StrategyError` and `EngineError`; an inconsistent view is a result, not an error.

    >>> found = ms.analyse("2x5/2\n#121#\n#####")
    >>> found.in_words()
    'Certain: 5 safe cells, 2 mines. Layouts that fit: 1.'
    >>> found.step.safe
    ((0, 0), (1, 0))
    >>> found.step.clues
    ((0, 1), (0, 2))
    """
    view = as_view(view, mines)
    guesser = None if strategy is None else load_strategy(strategy)
    with limits.time_limit(time_limit):
        is_small = view.cells.size <= MOST_CELLS
        try:
            known = closure(view, engine, time_limit=time_limit, chances=is_small)
        except InconsistentView as clash:
            # The traceback would keep the engine alive.
            return Analysis(view, clash.with_traceback(None))
        is_counted, in_time = np.isfinite(known.log_layouts), known.complete and known.log_layouts != np.inf
        parts: dict[str, Any] = {"known": known, "complete": in_time}
        if is_counted:
            parts |= {"chances": known.chances, "log_layouts": known.log_layouts}
        try:
            # The slowest parts come last.
            if in_time and is_small and not known.safe_map.any():
                parts["guess"] = choose_guess(view, known, strategy, guesser, parts.get("chances"))
            if in_time and is_small and explain:
                for step in explanation(view):
                    parts["explanation"] = (*parts.get("explanation", ()), step)
                parts.setdefault("explanation", ())
            if is_small and known.log_layouts != np.inf:
                # A step of one or two clues takes no time to find.
                easiest = easiest_step(view)
                parts["chain"] = () if easiest is None else (easiest,)
                if in_time and known.safe_map.any():
                    parts["chain"] = chain_to_safe(view)
            if is_counted and view.cells.size <= _MOST_EXACT:
                with suppress(TooWide):
                    parts["layouts"] = count_layouts(view)
        except OutOfTime:
            if time_limit is None:
                raise
            parts["complete"] = False
    return Analysis(view, **parts)


def reason_to_json(step: Deduction) -> dict[str, Any]:
    """Return the reason for the first cell of a deduction as plain data for JSON."""
    return {
        "cell": step.cell,
        "mine": step.mine,
        "clues": step.clues,
        "mine_count": step.mine_count,
        "smallest": step.smallest,
        "given": step.given,
        "words": step.reason.in_words(),
    }


def hint_to_json(step: Deduction) -> dict[str, Any]:
    """Return a deduction with its reason as plain data for JSON."""
    return {
        "safe": step.safe,
        "mines": step.mines,
        "reason": reason_to_json(step),
        "tier": int(step.tier),
        "tier_name": step.tier.title,
        "words": step.in_words(),
    }


def draw_known(
    view: View, known: Deductions, chances: NDArray[np.float64] | None, best: Cell | None, words: str
) -> str:
    """Draw chances, or the certain cells only if they were not computed."""
    shown = np.where(known.safe_map, 0.0, np.where(known.mine_map, 1.0, np.nan)) if chances is None else chances
    return chances_in_html(view.cells, view.title, shown, best, words, view.grid)


def choose_guess(
    view: View,
    known: Deductions,
    name: str | None,
    guesser: Strategy | None,
    mine: NDArray[np.float64] | None,
) -> Guess | None:
    """Return the choice of a strategy and its alternatives: the cells it rates next, then the safest ones.

    They are compared with each other if `mine` has the chances. Returns None if no cell can be safe.
    """
    if (known.mine_map == (view.cells == HIDDEN)).all():
        return None
    # Without the number of mines, only the safety of a cell is known.
    name = name or (_CAUTIOUS if view.prior.spare else default_strategy())
    knowledge = Knowledge(view, known.safe_map, known.mine_map)
    if view.prior.spare and name == _CAUTIOUS:
        mine, ranked = knowledge.chances, []
    else:
        guesser = guesser or load_strategy(name)
        guesser.begin(Random(0))
        if isinstance(guesser, NativeStrategy):
            ranked = [candidate.cell for candidate in guesser.rate(view, knowledge)]
        else:
            ranked = [choose_cell(guesser, view, knowledge)]
    if mine is not None:
        ranked += sorted(knowledge.uncertain_cells, key=lambda cell: float(mine[cell]))
    ranked = list(dict.fromkeys(ranked))[: MOST_ALTERNATIVES + 1]
    compared = [] if mine is None else compare_guesses(view, known.mine_map, ranked)
    if compared:
        candidates, whys = zip(*compared, strict=True)
        return Guess(name, candidates[0], candidates[1:], whys[1:])
    best, *others = (Candidate(cell, math.nan if mine is None else 1 - float(mine[cell])) for cell in ranked)
    return Guess(name, best, tuple(others))


def _magnitude(log_layouts: float) -> str | Sentence:
    """Return a number, given its natural logarithm: exact up to a million, then its order of magnitude."""
    power = log_layouts / math.log(10)
    if power < 6:
        return f"{math.exp(log_layouts):,.0f}"
    return Sentence("analysis.magnitude", number=f"{10 ** (power % 1):.1f}", power=math.floor(power))


def numbers_of(grid: NDArray[np.float64]) -> list[list[float | None]]:
    """Return an array as lists, with None for NaN."""
    return [[None if math.isnan(number) else number for number in row] for row in grid.tolist()]
