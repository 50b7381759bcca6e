"""The work behind clicks, help and watched games. In worker processes: plain values go in and out."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from minesweeper.db.people import GameStats, HumanGame
from minesweeper.player.board import HIDDEN, Cell, Puzzle, View, cells_of
from minesweeper.player.game import Status
from minesweeper.player.kaboom.game import Kaboom, Outcome, Why
from minesweeper.player.logic import Deductions, closure
from minesweeper.player.play.games import play
from minesweeper.player.play.recorded_games import Verdict, recording_of, review_recording
from minesweeper.player.results import Move
from minesweeper.player.strategies import Knowledge, choose_cell, default_strategy, load_strategy
from minesweeper.player.strategies.kernel_strategies import NativeStrategy
from minesweeper.player.why.analysis import analyse, certain_chances, hint_to_json, numbers_of, reason_to_json
from minesweeper.player.why.reasons import counterexample, easiest_step, explanation, reason
from minesweeper.player.why.unavoidable import unavoidable_guesses

if TYPE_CHECKING:
    from numpy.typing import NDArray

_STEP_SECONDS: Final = 0.1
_RATINGS: Final = 8
_DIGITS: Final = 6
FIRST_CLICK: Final = "The first click is always safe: open any cell."


@dataclass(frozen=True)
class Clicked:
    """What clicks made of a game of Kaboom: what each did, and the chance by which each guess would have survived.

    The chance is that of a game whose mines lie still; None where it can't be counted.
    """

    kaboom: Kaboom
    outcomes: list[Outcome]
    chances: list[float | None]


def kaboom_clicks(kaboom: Kaboom, cells: list[Cell]) -> Clicked:
    """Click cells one after the other, those that have been opened meanwhile left out, until the game ends."""
    clicked = Clicked(kaboom, [], [])
    # Each click changes what the next one meets.
    for cell in cells:
        if kaboom.status is Status.PLAYING and kaboom.view.cells[cell] == HIDDEN:
            before = kaboom.view
            clicked.outcomes.append(kaboom.click(cell))
            if clicked.outcomes[-1].why is Why.FORCED_GUESS:
                mine = _chances(before, closure(before))
                clicked.chances.append(None if mine is None else 1 - float(mine[cell]))
    return clicked


def kaboom_chord(kaboom: Kaboom, cell: Cell, flags: list[Cell]) -> Clicked:
    """Chord."""
    return kaboom_clicks(kaboom, kaboom.chorded(cell, flags))


def find_certain(view: View) -> tuple[list[Cell], list[Cell]]:
    """Return all that is certain: the safe cells and the mines."""
    known = closure(view)
    return list(cells_of(known.safe_map)), list(cells_of(known.mine_map))


def find_hint(view: View, flags: list[Cell], granted: NDArray[np.bool_] | None = None) -> dict[str, Any]:
    """Find the easiest deduction, as JSON. If there is none, say that a guess is needed and prove it.

    Mines that are known and flagged are not found again, but relied upon. `granted`, a (rows, cols) array, is where an
    adversary grants a guess; without it chance decides.
    """
    if (view.cells == HIDDEN).all():
        return {"found": False, "words": FIRST_CLICK, "guess": None}
    known = closure(view)
    step = easiest_step(view, given={flag: True for flag in flags if known.mine_map[flag]})
    if step is not None:
        return {"found": True, **hint_to_json(step)}
    if ((view.cells != HIDDEN) | known.safe_map | known.mine_map).all():
        return {"found": False, "words": "All mines are known and flagged.", "guess": None}
    return {"found": False, "words": guess_in_words(view, granted), "guess": prove_guess(view, granted)}


def guess_in_words(view: View, granted: NDArray[np.bool_] | None) -> str:
    """Say that a guess is needed and, against an adversary, where it is granted."""
    if granted is None:
        return "Nothing is certain: you must guess here."
    if _is_anywhere(view, granted):
        return "Nothing is certain: you must guess, and any cell that may be safe is granted."
    return "Nothing is certain: you must guess, and only cells next to the clues are granted."


def prove_guess(view: View, granted: NDArray[np.bool_] | None = None) -> dict[str, Any] | None:
    """Prove that the best cell to guess cannot be known, by two layouts; as JSON, None if some safe cell is known."""
    chances = find_probabilities(view, granted)
    if chances["mine"] is None or chances["best"] is None:
        return None
    cell = chances["best"]
    without, with_mine = counterexample(view, cell)
    best = {"cell": cell, "mine_probability": chances["mine"][cell[0]][cell[1]], "granted": granted is not None}
    layouts = [cells_of(without.mine_map), cells_of(with_mine.mine_map)]
    return {"cell": cell, "layouts": layouts, "best": best, "unavoidable": chances["unavoidable"]}


def find_probabilities(view: View, granted: NDArray[np.bool_] | None = None) -> dict[str, Any]:
    """Give every hidden cell's probability of being a mine, exactly 0 or 1 where it is certain, as JSON.

    Where no cell is certainly safe, `safest` are those least likely to be mines, and `best` is the one to guess: of
    those that are `granted`, if that is given.
    """
    known = closure(view)
    mine = _chances(view, known)
    if mine is None:
        return {"mine": None, "safest": [], "best": None, "unavoidable": []}
    uncertain = (view.cells == HIDDEN) & ~known.safe_map & ~known.mine_map
    if granted is not None:
        uncertain &= granted
    safest: tuple[Cell, ...] = ()
    best: Cell | None = None
    if uncertain.any() and not known.safe_map.any():
        safest = cells_of(uncertain & (mine <= mine[uncertain].min()))
        best = best_guess(view, known) if granted is None else safest[0]
    unavoidable = [guess.to_json() for guess in unavoidable_guesses(view, known)]
    return {"mine": numbers_of(mine), "safest": safest, "best": best, "unavoidable": unavoidable}


def _chances(view: View, known: Deductions) -> NDArray[np.float64] | None:
    """The chances of a mine to six digits; rounded, no uncertain one becomes 0 or 1. None if they can't be counted."""
    found = certain_chances(view, known)
    if found is None:
        return None
    rounded = found.chances.round(_DIGITS)
    return np.where(known.safe_map | known.mine_map, rounded, rounded.clip(10**-_DIGITS, 1 - 10**-_DIGITS))


def best_guess(view: View, known: Deductions) -> Cell:
    """Return the cell that the strongest strategy guesses where nothing is certainly safe."""
    with closing(load_strategy(default_strategy())) as player:
        player.begin(Random(0))
        return choose_cell(player, view, Knowledge(view, known.safe_map, known.mine_map))


def check_flags(view: View, flags: list[Cell]) -> dict[str, Any]:
    """Tell which flags contradict logic and which are not proven by it, as JSON."""
    known = closure(view)
    wrong = [flag for flag in flags if known.safe_map[flag]]
    unproven = [flag for flag in flags if not known.safe_map[flag] and not known.mine_map[flag]]
    words = f"{len(wrong)} of {len(flags)} flags are on cells that are certain to be safe."
    if not wrong:
        words = f"No flag is certainly wrong; {len(unproven)} of {len(flags)} are not certain to be right."
    return {"wrong": wrong, "unproven": unproven, "words": words}


def may_guess(view: View, granted: NDArray[np.bool_] | None = None) -> dict[str, Any]:
    """Tell whether a guess is forced and, if it is `granted` in some cells only, where; as JSON."""
    if (view.cells == HIDDEN).all():
        return {"allowed": True, "where": "anywhere", "words": FIRST_CLICK}
    known = closure(view)
    safe = int(np.count_nonzero(known.safe_map))
    if safe and (granted is None or not granted.any()):
        cells = "1 cell is" if safe == 1 else f"{safe} cells are"
        return {"allowed": False, "where": "nowhere", "words": f"No: {cells} certain to be safe."}
    if granted is None:
        return {"allowed": True, "where": "anywhere", "words": "Yes: no cell is certain to be safe."}
    if _is_anywhere(view, granted):
        where, words = "anywhere", "Yes, on any cell that may be safe."
    else:
        where, words = "boundary", "Yes, but only next to the clues."
    if safe:
        words += " Certainly safe cells far from the clues do not count here, but they may be opened, too."
    return {"allowed": True, "where": where, "words": words}


def _is_anywhere(view: View, granted: NDArray[np.bool_]) -> bool:
    """Whether guesses are granted beyond the boundary, or there is nothing beyond it."""
    hidden = view.cells == HIDDEN
    known = closure(view)
    return bool((granted == (hidden & ~known.safe_map & ~known.mine_map)).all())


def explain_loss(view: View, cell: Cell, why: str | None) -> dict[str, Any]:
    """Explain a fatal click on `cell` in the view before it, as JSON; `why` is the adversary's verdict, if any."""
    known = closure(view)
    because = reason(view, cell) if known.mine_map[cell] else None
    safe_step = next((step for step in explanation(view) if step.safe), None) if known.safe_map.any() else None
    if because is not None:
        kind, words = "proven_mine", because.in_words()
    elif known.safe_map.any():
        kind, words = "guess_while_safe", "It was a guess, though other cells were certain to be safe."
    elif why == "outside":
        kind, words = "outside", "A guess was forced, but only next to the clues."
    else:
        kind, words = "guess_forced", "Nothing was certain, so you had to guess: bad luck."
    mine = _chances(view, known)
    return {
        "cell": cell,
        "kind": kind,
        "mine_probability": None if mine is None else float(mine[cell]),
        "safe": cells_of(known.safe_map),
        "mines": cells_of(known.mine_map),
        "reason": reason_to_json(because) if because else None,
        "hint": hint_to_json(safe_step) if safe_step else None,
        "words": words,
    }


def analyse_view(view: View) -> dict[str, Any]:
    """Work out everything about a position, as ``analyse --json`` does, and its unavoidable guesses."""
    found = analyse(view, explain=True, seconds=_STEP_SECONDS)
    unavoidable = [] if found.known is None else [guess.to_json() for guess in unavoidable_guesses(view, found.known)]
    return found.to_json() | {"unavoidable": unavoidable}


def moves_of(puzzle: Puzzle, strategy: str) -> tuple[Move, ...]:
    """Play a whole game and return its moves."""
    with closing(load_strategy(strategy)) as player:
        return play(puzzle, player, keep_moves=True).moves


def rate_guess(view: View, strategy: str, chosen: Cell) -> dict[str, Any]:
    """Tell what a strategy considered at a guess, best first, and all chances of a mine, as JSON."""
    known = closure(view)
    mine = _chances(view, known)
    ratings = _ratings(view, strategy, chosen, known.mine_map, mine)
    return {"ratings": ratings, "chances": None if mine is None else numbers_of(mine)}


def _ratings(
    view: View, strategy: str, chosen: Cell, mines: NDArray[np.bool_], chances: NDArray[np.float64] | None
) -> list[dict[str, Any]]:
    player = load_strategy(strategy)
    if isinstance(player, NativeStrategy):
        rated = player.rate(view, Knowledge(view, np.zeros_like(mines), mines))
        return [
            {"cell": rating.cell, "mine_probability": round(1 - rating.safety, _DIGITS), "progress": rating.progress}
            for rating in rated[:_RATINGS]
        ]
    if chances is None:
        return [{"cell": chosen, "mine_probability": None, "progress": None}]
    uncertain = cells_of((view.cells == HIDDEN) & ~mines)
    others = sorted((cell for cell in uncertain if cell != chosen), key=lambda cell: float(chances[cell]))
    return [
        {"cell": cell, "mine_probability": float(chances[cell]), "progress": None}
        for cell in [chosen, *others][:_RATINGS]
    ]


def review_recorded(data: bytes, name: str) -> dict[str, Any]:
    """Judge every click of a game that another program recorded, as JSON."""
    return review_recording(recording_of(data, name)).to_json() | {"title": name}


def review_game(game: HumanGame) -> tuple[GameStats, dict[str, Any]]:
    """Judge every click of a game: what it comes to, and the review as JSON."""
    review = review_recording(game.recording)
    told = review.to_json()
    # Where an adversary grants guesses, chance has no part.
    luck = None if game.mode == "kaboom" else review.luck
    few_clicks = None if game.mode == "kaboom" else review.few_clicks
    forced, needless = review.count(Verdict.FORCED), review.count(Verdict.NEEDLESS)
    figures = GameStats(
        told["bbbv"], told["solved_bbbv"], told["zini"], luck, forced, needless, round(review.stuck_seconds, 3)
    )
    return figures, told | {"luck": luck, "few_clicks": few_clicks, "title": game.title, "id": game.name}
