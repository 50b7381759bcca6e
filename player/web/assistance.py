"""The work behind clicks and help. It runs in worker processes, so all that goes in and out is plain values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from player.board import HIDDEN, Cell, View
from player.game import Status
from player.kaboom import Kaboom, Outcome
from player.logic import InconsistentView, Tier, closure, reasoner
from player.logic.probability import TooWide, probabilities, sample_layouts

TIER_NAMES = {Tier.ONE_CLUE: "1 clue", Tier.TWO_CLUES: "2 clues", Tier.MORE_CLUES: "more clues"}
TIER_NAMES[Tier.MINE_COUNT] = "mine count"


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


def find_hint(view: View) -> dict[str, Any]:
    """Find the easiest deduction, as JSON. If there is none, say that a guess is needed and prove it."""
    known = reasoner(view.rows, view.cols, view.mines)
    opened = np.flatnonzero(view.cells.ravel() != HIDDEN)
    known.learn(opened.tolist(), view.cells.ravel()[opened].tolist())
    while steps := known.advance():
        for step in steps:
            safe = [divmod(cell, view.cols) for cell in step.safe]
            if safe:
                return {
                    "found": True,
                    "tier": int(step.tier),
                    "tier_name": TIER_NAMES[step.tier],
                    "safe": safe,
                    "mines": [divmod(cell, view.cols) for cell in step.mines],
                    "clues": [divmod(cell, view.cols) for cell in step.clues],
                    "mine_count": step.tier is Tier.MINE_COUNT,
                    "words": f"{safe} are certain to be safe.",
                }
    return {"found": False, "words": "Nothing is certain: you must guess here.", "guess": prove_guess(view)}


def prove_guess(view: View) -> dict[str, Any] | None:
    """Prove that a cell cannot be known: two layouts that differ there, as JSON; None if nothing is uncertain."""
    layouts = sample_layouts(view, 50, 0)
    share = layouts.mean(axis=0)
    mixed = (share > 0) & (share < 1)
    if not mixed.any():
        return None
    cell = _cells(mixed)[0]
    with_mine = next(layout for layout in layouts if layout[cell])
    without = next(layout for layout in layouts if not layout[cell])
    return {"cell": cell, "layouts": [_cells(with_mine), _cells(without)], "best": None}


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
    if known.mines[cell]:
        kind, words = "proven_mine", "It was certain to be a mine."
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
        "clues": [],
        "mine_count": False,
        "hint": find_hint(view) if known.safe.any() else None,
        "words": words,
    }


def analyse_view(view: View) -> dict[str, Any]:
    """Work out everything about a position, as JSON."""
    cells = ["".join("012345678#"[clue] for clue in row) for row in view.cells.tolist()]
    board = {"rows": view.rows, "cols": view.cols, "mines": view.mines, "cells": cells}
    try:
        known = closure(view)
    except InconsistentView as error:
        clash = {"consistent": False, "clues": list(error.clues), "mine_count": error.mine_count}
        return board | clash | {"words": str(error)}
    chances = find_probabilities(view)
    safe, mines = _cells(known.safe), _cells(known.mines)
    hint = find_hint(view) if safe else None
    return board | {
        "consistent": True,
        "safe": safe,
        "mines_known": mines,
        "tiers": known.tiers.tolist(),
        "probabilities": chances["mine"],
        "layouts_log10": chances["layouts_log10"],
        "steps": [hint] if hint else [],
        "best": safe[0] if safe else chances["best"],
        "words": f"{len(safe)} cells are certain to be safe, {len(mines)} are certain to be mines.",
    }


def _cells(marks: np.ndarray[Any, np.dtype[np.bool_]]) -> list[Cell]:
    return [(row, col) for row, col in np.argwhere(marks).tolist()]
