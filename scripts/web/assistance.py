"""The work behind clicks and help. It runs in worker processes, so all that goes in and out is plain values."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from minesweeper.player.board import HIDDEN, Cell, View
from minesweeper.player.chance.probability import TooWide, probabilities
from minesweeper.player.game import Status
from minesweeper.player.kaboom.game import Kaboom, Outcome
from minesweeper.player.logic import closure
from minesweeper.player.why.analysis import analyse
from minesweeper.player.why.reasons import Hint, counterexample, easiest_step, explanation, reason
from minesweeper.player.why.wording import counted

_STEP_SECONDS: Final = 0.1


def kaboom_clicks(kaboom: Kaboom, cells: list[Cell]) -> tuple[Kaboom, list[Outcome]]:
    """Click cells one after the other, those that have been opened meanwhile left out, until the game ends."""
    # Each click changes what the next one meets.
    outcomes = [
        kaboom.click(cell) for cell in cells if kaboom.status is Status.PLAYING and kaboom.view.cells[cell] == HIDDEN
    ]
    return kaboom, outcomes


def kaboom_chord(kaboom: Kaboom, cell: Cell, flags: list[Cell]) -> tuple[Kaboom, list[Outcome]]:
    """Chord."""
    return kaboom, kaboom.chord(cell, flags)


def find_certain(view: View) -> tuple[list[Cell], list[Cell]]:
    """Return all that is certain: the safe cells and the mines."""
    known = closure(view)
    return _cells(known.safe), _cells(known.mines)


def find_hint(view: View, flags: list[Cell]) -> dict[str, Any]:
    """Find the easiest deduction, as JSON. If there is none, say that a guess is needed and prove it.

    Mines that are known and flagged are not found again, but relied upon.
    """
    known = closure(view).mines
    step = easiest_step(view, given={flag: True for flag in flags if known[flag]})
    if step is not None:
        return _hint(step)
    guess = prove_guess(view)
    words = "Nothing is certain: you must guess here." if guess else "All mines are known and flagged."
    return {"found": False, "words": words, "guess": guess}


def _hint(step: Hint) -> dict[str, Any]:
    return {
        "found": True,
        "tier": int(step.tier),
        "tier_name": step.tier.title,
        "safe": list(step.safe),
        "mines": list(step.mines),
        "clues": list(step.reason.clues),
        "mine_count": step.reason.mine_count,
        "words": step.in_words(),
    }


def prove_guess(view: View) -> dict[str, Any] | None:
    """Prove that the best cell to guess cannot be known, by two layouts; as JSON, None if some safe cell is known."""
    chances = find_probabilities(view)
    if chances["mine"] is None or chances["best"] is None:
        return None
    cell = chances["best"]
    without, with_mine = counterexample(view, cell)
    best = {"cell": cell, "mine_probability": chances["mine"][cell[0]][cell[1]]}
    return {"cell": cell, "layouts": [_cells(without.mine_map), _cells(with_mine.mine_map)], "best": best}


def find_probabilities(view: View) -> dict[str, Any]:
    """Give every hidden cell's probability of being a mine, exactly 0 or 1 where it is certain, as JSON."""
    known = closure(view)
    try:
        found = probabilities(view)
    except TooWide:
        return {"mine": None, "safest": [], "best": None, "layouts_log10": None}
    mine = np.where(known.safe, 0.0, np.where(known.mines, 1.0, found.mine))
    uncertain = (view.cells == HIDDEN) & ~known.safe & ~known.mines
    safest: list[Cell] = []
    if uncertain.any() and not known.safe.any():
        least = mine[uncertain].min()
        safest = _cells(uncertain & (mine <= least + 1e-9))
    numbers = [[None if math.isnan(value) else round(value, 6) for value in row] for row in mine.tolist()]
    return {
        "mine": numbers,
        "safest": safest,
        "best": safest[0] if safest else None,
        "layouts_log10": found.log_layouts / math.log(10),
    }


def check_flags(view: View, flags: list[Cell]) -> dict[str, Any]:
    """Tell which flags contradict logic and which are not proven by it, as JSON."""
    known = closure(view)
    wrong = [flag for flag in flags if known.safe[flag]]
    unproven = [flag for flag in flags if not known.safe[flag] and not known.mines[flag]]
    words = f"{len(wrong)} of {len(flags)} flags are on cells that are certain to be safe."
    if not wrong:
        words = f"No flag is certainly wrong; {len(unproven)} of {len(flags)} are not certain to be right."
    return {"wrong": wrong, "unproven": unproven, "words": words}


def may_guess(view: View) -> dict[str, Any]:
    """Tell whether a guess is forced, as JSON."""
    safe = int(np.count_nonzero(closure(view).safe))
    if safe:
        cells = "1 cell is" if safe == 1 else f"{safe} cells are"
        return {"allowed": False, "where": "nowhere", "words": f"No: {cells} certain to be safe."}
    return {"allowed": True, "where": "anywhere", "words": "Yes: no cell is certain to be safe."}


def kaboom_may_guess(kaboom: Kaboom) -> dict[str, Any]:
    """Tell whether and where the adversary grants a guess, as JSON."""
    guessable = kaboom.guessable
    if not guessable.any():
        safe = int(np.count_nonzero(kaboom.safe))
        cells = "1 cell is" if safe == 1 else f"{safe} cells are"
        return {"allowed": False, "where": "nowhere", "words": f"No: {cells} certain to be safe."}
    uncertain = (kaboom.view.cells == HIDDEN) & ~kaboom.mines & ~kaboom.safe
    if (guessable == uncertain).all():
        return {"allowed": True, "where": "anywhere", "words": "Yes, on any cell that may be safe."}
    return {"allowed": True, "where": "boundary", "words": "Yes, but only next to the clues."}


def explain_loss(view: View, cell: Cell, why: str | None) -> dict[str, Any]:
    """Explain a fatal click on `cell` in the view before it, as JSON; `why` is the adversary's verdict, if any."""
    known = closure(view)
    because = reason(view, cell) if known.mines[cell] else None
    safe_step = next((step for step in explanation(view) if step.safe), None) if known.safe.any() else None
    if because is not None:
        kind, words = "proven_mine", because.in_words()
    elif known.safe.any():
        kind, words = "guess_while_safe", "It was a guess, though other cells were certain to be safe."
    elif why == "outside":
        kind, words = "outside", "A guess was forced, but only next to the clues."
    else:
        kind, words = "guess_forced", "Nothing was certain, so you had to guess: bad luck."
    chances = find_probabilities(view)["mine"]
    return {
        "cell": cell,
        "kind": kind,
        "mine_probability": None if chances is None else chances[cell[0]][cell[1]],
        "safe": _cells(known.safe),
        "mines": _cells(known.mines),
        "clues": list(because.clues) if because else [],
        "mine_count": because is not None and because.mine_count,
        "hint": _hint(safe_step) if safe_step else None,
        "words": words,
    }


def analyse_view(view: View) -> dict[str, Any]:
    """Work out everything about a position, as `analyse` does, as JSON."""
    cells = ["".join("012345678#"[clue] for clue in row) for row in view.cells.tolist()]
    board = {"rows": view.rows, "cols": view.cols, "mines": view.mines, "cells": cells}
    found = analyse(view, explain=True, seconds=_STEP_SECONDS)
    if found.clash is not None:
        clash = {"consistent": False, "clues": list(found.clash.clues), "mine_count": found.clash.mine_count}
        return board | clash | {"words": str(found.clash)}
    assert found.known is not None
    chances = find_probabilities(view)
    best = found.safe[0] if found.safe else None if found.guess is None else found.guess.best.cell
    certain = f"Certain: {counted(len(found.safe), 'safe cell')}, {counted(len(found.mines), 'mine')}."
    words = [certain]
    if found.log_layouts is not None:
        words.append(f"Layouts that fit: {_magnitude(found.log_layouts)}.")
    if found.guess is not None:
        safety = found.guess.best.safety
        risk = "" if safety is None else f": a mine in {100 * (1 - safety):.1f} % of the layouts"
        words.append(f"The best guess is {found.guess.best.cell}{risk}.")
    return board | {
        "consistent": True,
        "safe": list(found.safe),
        "mines_known": list(found.mines),
        "tiers": found.known.tiers.tolist(),
        "probabilities": chances["mine"],
        "layouts_log10": chances["layouts_log10"],
        "steps": [_hint(step) for step in found.explanation or ()],
        "best": best,
        "words": " ".join(words),
    }


def _magnitude(log_layouts: float) -> str:
    """Write a number, given its natural logarithm: exactly up to a million, then its order of magnitude."""
    power = log_layouts / math.log(10)
    return f"{math.exp(log_layouts):,.0f}" if power < 6 else f"about {10 ** (power % 1):.1f} × 10^{math.floor(power)}"


def _cells(marks: np.ndarray[Any, np.dtype[np.bool_]]) -> list[Cell]:
    return [(row, col) for row, col in np.argwhere(marks).tolist()]
