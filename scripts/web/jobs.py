"""Jobs of the worker processes: clicks in Kaboom, help, analyses, reviews and watched games.

Most return plain data for JSON.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from minesweeper.db.formats.positions import read_position
from minesweeper.db.people import GameStats, HumanGame
from minesweeper.player.board import HIDDEN, Cell, Puzzle, View, cells_of
from minesweeper.player.game import Status
from minesweeper.player.kaboom.game import Kaboom, Outcome, Why
from minesweeper.player.logic import Deductions, closure
from minesweeper.player.play.games import play
from minesweeper.player.play.judgement import Verdict
from minesweeper.player.play.recorded_games import recording_of, review_recording
from minesweeper.player.results import Move
from minesweeper.player.strategies import Knowledge, choose_cell, default_strategy, load_strategy
from minesweeper.player.strategies.kernel_strategies import NativeStrategy
from minesweeper.player.why.analysis import analyse, certain_chances, hint_to_json, numbers_of, reason_to_json
from minesweeper.player.why.reasons import counterexample, easiest_step, easiest_steps, reason
from minesweeper.player.why.unavoidable import unavoidable_guesses
from minesweeper.player.words import counted
from minesweeper.scripts.web.settings import ApiError, ErrorKind

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MEMORY: Final = 2**29
_STEP_SECONDS: Final = 0.1
_RATINGS: Final = 8
_DIGITS: Final = 6
FIRST_CLICK: Final = "The first click is always safe: open any cell."


def kaboom_clicks(kaboom: Kaboom, cells: list[Cell]) -> tuple[Kaboom, list[Outcome], list[float | None]]:
    """Click cells in order until the game ends, except cells that an earlier click opened.

    Return the game, the outcome of each click, and the chance of each forced guess: the probability that it survives on
    a fixed board, None if the layouts cannot be counted.
    """
    outcomes: list[Outcome] = []
    survival: list[float | None] = []
    for cell in cells:
        if kaboom.status is Status.PLAYING and kaboom.view.cells[cell] == HIDDEN:
            before = kaboom.view
            outcomes.append(kaboom.click(cell))
            if outcomes[-1].why is Why.FORCED_GUESS:
                chances = _chances(before, closure(before))
                survival.append(None if chances is None else 1 - float(chances[cell]))
    return kaboom, outcomes, survival


def find_certain(view: View) -> tuple[list[Cell], list[Cell]]:
    """Return all certain cells: the safe ones and the mines."""
    known = closure(view)
    return list(cells_of(known.safe_map)), list(cells_of(known.mine_map))


def find_hint(view: View, flags: list[Cell], granted: NDArray[np.bool_] | None = None) -> dict[str, Any]:
    """Return the easiest deduction or, if nothing is certain, the proof that a guess is needed.

    Correct flags on certain mines count as known. `granted` marks the cells where an adversary grants a guess, a
    (rows, cols) array; None without an adversary.
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
    """Return a sentence for a position where a guess is needed."""
    if granted is None:
        return "Nothing is certain: you must guess here."
    if _is_anywhere(view, granted):
        return "Nothing is certain: you must guess, and any cell that may be safe is granted."
    return "Nothing is certain: you must guess, and only cells next to the clues are granted."


def prove_guess(view: View, granted: NDArray[np.bool_] | None = None) -> dict[str, Any] | None:
    """Return the best cell to guess and two layouts that differ in it; None if a safe cell is known."""
    found = find_probabilities(view, granted)
    if found["chances"] is None or found["best"] is None:
        return None
    row, col = cell = found["best"]
    return {
        "cell": cell,
        "mine_probability": found["chances"][row][col],
        "granted": granted is not None,
        "layouts": [cells_of(board.mine_map) for board in counterexample(view, cell)],
        "unavoidable": found["unavoidable"],
    }


def find_probabilities(view: View, granted: NDArray[np.bool_] | None = None) -> dict[str, Any]:
    """Return the probability of a mine in every hidden cell, exactly 0 or 1 where it is certain.

    If no cell is certainly safe, `safest` are the cells with the lowest probability and `best` is the cell to guess,
    among the `granted` ones if they are given.
    """
    known = closure(view)
    chances = _chances(view, known)
    if chances is None:
        return {"chances": None, "safest": [], "best": None, "unavoidable": []}
    uncertain = (view.cells == HIDDEN) & ~known.safe_map & ~known.mine_map
    if granted is not None:
        uncertain &= granted
    safest: tuple[Cell, ...] = ()
    best: Cell | None = None
    if uncertain.any() and not known.safe_map.any():
        safest = cells_of(uncertain & (chances <= chances[uncertain].min()))
        best = best_guess(view, known) if granted is None else safest[0]
    unavoidable = [guess.to_json() for guess in unavoidable_guesses(view, known)]
    return {"chances": numbers_of(chances), "safest": safest, "best": best, "unavoidable": unavoidable}


def _chances(view: View, known: Deductions) -> NDArray[np.float64] | None:
    """Return the probabilities of a mine, rounded to six digits; None if the layouts cannot be counted.

    Rounding makes no uncertain cell 0 or 1.
    """
    found = certain_chances(view, known)
    if found is None:
        return None
    rounded = found.chances.round(_DIGITS)
    return np.where(known.safe_map | known.mine_map, rounded, rounded.clip(10**-_DIGITS, 1 - 10**-_DIGITS))


def best_guess(view: View, known: Deductions) -> Cell:
    """Return the cell that the strongest strategy guesses."""
    with closing(load_strategy(default_strategy())) as player:
        player.begin(Random(0))
        return choose_cell(player, view, Knowledge(view, known.safe_map, known.mine_map))


def check_flags(view: View, flags: list[Cell]) -> dict[str, Any]:
    """Return the flags on certainly safe cells and the flags that are not proven."""
    known = closure(view)
    wrong = [flag for flag in flags if known.safe_map[flag]]
    unproven = [flag for flag in flags if not known.safe_map[flag] and not known.mine_map[flag]]
    words = f"Certain to be wrong: {len(wrong)} of {counted(len(flags), 'flag')}."
    if not wrong:
        words = (
            f"No flag is certainly wrong. Not certain to be right: {len(unproven)} of {counted(len(flags), 'flag')}."
        )
    return {"wrong": wrong, "unproven": unproven, "words": words}


def may_guess(view: View, granted: NDArray[np.bool_] | None = None) -> dict[str, Any]:
    """Return whether a guess is forced and, against an adversary, where it is granted."""
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
        words += " Certainly safe cells far from the clues do not forbid it; you may open them as well."
    return {"allowed": True, "where": where, "words": words}


def _is_anywhere(view: View, granted: NDArray[np.bool_]) -> bool:
    """Return whether guesses are granted in every uncertain cell."""
    hidden = view.cells == HIDDEN
    known = closure(view)
    return bool((granted == (hidden & ~known.safe_map & ~known.mine_map)).all())


def explain_loss(view: View, cell: Cell, why: str | None) -> dict[str, Any]:
    """Explain a fatal click on `cell` in the view before it; `why` is the verdict of Kaboom, if any."""
    known = closure(view)
    because = reason(view, cell) if known.mine_map[cell] else None
    safe_step = next((step for step in easiest_steps(view) if step.safe), None) if known.safe_map.any() else None
    if because is not None:
        kind, words = "proven_mine", because.in_words()
    elif known.safe_map.any():
        kind, words = "guess_while_safe", "It was a guess, though other cells were certain to be safe."
    elif why == "outside":
        kind, words = "outside", "A guess was forced, but only next to the clues."
    else:
        kind, words = "guess_forced", "Nothing was certain, so you had to guess: bad luck."
    chances = _chances(view, known)
    return {
        "cell": cell,
        "kind": kind,
        "mine_probability": None if chances is None else float(chances[cell]),
        "safe": cells_of(known.safe_map),
        "mines": cells_of(known.mine_map),
        "reason": reason_to_json(because) if because else None,
        "hint": hint_to_json(safe_step) if safe_step else None,
        "words": words,
    }


def analyse_view(view: View) -> dict[str, Any]:
    """Return the data of ``analyse --json`` and the unavoidable guesses."""
    found = analyse(view, explain=True, seconds=_STEP_SECONDS)
    unavoidable = [] if found.known is None else [guess.to_json() for guess in unavoidable_guesses(view, found.known)]
    return found.to_json() | {"unavoidable": unavoidable}


def moves_of(puzzle: Puzzle, strategy: str) -> tuple[Move, ...]:
    """Play a whole game and return its moves."""
    with closing(load_strategy(strategy)) as player:
        return play(puzzle, player, keep_moves=True).moves


def rate_guess(view: View, strategy: str, chosen: Cell) -> dict[str, Any]:
    """Return the cells that a strategy considers at a guess, best first, and all probabilities of a mine."""
    known = closure(view)
    chances = _chances(view, known)
    player = load_strategy(strategy)
    ratings: list[tuple[Cell, float | None, float | None]]
    if isinstance(player, NativeStrategy):
        rated = player.rate(view, Knowledge(view, np.zeros_like(known.mine_map), known.mine_map))
        ratings = [(one.cell, round(1 - one.safety, _DIGITS), one.progress) for one in rated]
    elif chances is None:
        ratings = [(chosen, None, None)]
    else:
        cells = cells_of((view.cells == HIDDEN) & ~known.mine_map)
        by_chance = sorted(cells, key=lambda cell: (cell != chosen, float(chances[cell])))
        ratings = [(cell, float(chances[cell]), None) for cell in by_chance]
    return {
        "ratings": [
            {"cell": cell, "mine_probability": chance, "progress": progress}
            for cell, chance, progress in ratings[:_RATINGS]
        ],
        "chances": None if chances is None else numbers_of(chances),
    }


def read_pasted(data: str | bytes, mines: int | None) -> View:
    """Read a position from a stranger, with limited memory."""
    with _limited_memory():
        return read_position(data, mines)


@contextmanager
def _limited_memory() -> Iterator[None]:
    """Raise `ApiError` if the block needs more than `_MEMORY` bytes, on Linux."""
    statm = Path("/proc/self/statm")
    if not statm.exists():
        yield
        return
    import resource

    limits = resource.getrlimit(resource.RLIMIT_DATA)
    used = int(statm.read_text().split()[5]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_DATA, (used + _MEMORY, limits[1]))
    try:
        yield
    except MemoryError as error:
        raise ApiError(ErrorKind.BAD_INPUT, f"This needs more than {_MEMORY >> 20} MiB of memory.") from error
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, limits)


def review_recorded(data: bytes, name: str) -> dict[str, Any]:
    """Review a recorded game of another program."""
    return review_recording(recording_of(data, name)).to_json() | {"title": name}


def review_game(game: HumanGame) -> tuple[GameStats, dict[str, Any]]:
    """Review a game of the page, and return its statistics too."""
    review = review_recording(game.recording)
    found = review.to_json() | {"title": game.title, "id": game.name}
    if game.mode == "kaboom":
        # An adversary grants guesses, so probabilities do not apply.
        found |= {"luck": None, "few_clicks": None}
        for judgement in found["judgements"]:
            judgement["guess"] = None
    stats = GameStats(
        **{name: found[name] for name in ("bbbv", "solved_bbbv", "zini", "luck")},
        forced=review.count(Verdict.FORCED),
        needless=review.count(Verdict.NEEDLESS),
        stuck_seconds=round(review.stuck_seconds, 3),
    )
    return stats, found
