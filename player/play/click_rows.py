"""A row for each click of recorded games: what people could know before the click, and how long they thought."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import dist
from typing import Any, Final, NamedTuple

from minesweeper.player.logic.reasons import reason
from minesweeper.player.play.judgement import Verdict
from minesweeper.player.play.recorded_games import Recording, judged_clicks

ClickRow = Mapping[str, Any]


class ClickColumn(NamedTuple):
    """A column of the rows; None stands where `meaning` does not apply."""

    name: str
    type: type
    meaning: str


CLICK_COLUMNS: Final = tuple(
    ClickColumn(*one)
    for one in [
        ("recording", str, "the file, or play:ID for a game on your page"),
        ("player", str, "the name in the file"),
        ("program", str, "the program that recorded the game"),
        ("board", str, "size and number of mines"),
        ("click", int, "number of the click, from 1; only clicks that open something count"),
        ("seconds", float, "time since the game began"),
        ("thinking_seconds", float, "time since the click before"),
        ("row", int, "row of the click, from 0"),
        ("col", int, "column of the click, from 0"),
        ("distance", float, "straight distance to the click before, in cells"),
        ("opens", int, "hidden cells that the click was to open: more than 1 for a chord"),
        ("kind", str, "the verdict of the review: `certain`, `forced guess` and so on"),
        ("tier", int, "hardest tier of deduction that a certain click needs"),
        ("reason", int, "clues in the smallest reason of a certain click; for a chord, of its hardest cell"),
        ("safe_cells", int, "hidden cells that were known to be safe"),
        ("safety", float, "probability that the click is safe"),
        ("best_safety", float, "probability of the safest hidden cell"),
        ("survived", bool, "true if no mine was opened"),
        ("helped", bool, "true if the page chose the cell"),
    ]
)


def click_rows(name: str, recording: Recording) -> Iterator[ClickRow]:
    """Yield a row with `CLICK_COLUMNS` for each click; `name` becomes the column ``recording``.

    Raises `OutOfTime` if a limit of the caller runs out.
    """
    last = None
    for one in judged_clicks(recording):
        click = one.click
        certain = one.verdict is Verdict.CERTAIN and not one.by_rule
        reasons = [reason(one.view, cell) for cell in click.cells] if certain else []
        yield {
            "recording": name,
            "player": recording.player,
            "program": recording.program,
            "board": recording.board.name,
            "click": one.number,
            "seconds": click.seconds,
            "thinking_seconds": round(one.thinking_seconds, 6),
            "row": click.cell[0],
            "col": click.cell[1],
            "distance": None if last is None else round(dist(last, click.cell), 3),
            "opens": len(click.cells),
            "kind": str(one.verdict),
            "tier": max((int(step.tier) for step in reasons), default=None),
            "reason": max((len(step.clues) for step in reasons), default=None),
            "safe_cells": int(one.solved.safe_map.sum()),
            "safety": None if one.safety is None else float(one.safety),
            "best_safety": one.best_safety,
            "survived": one.survived,
            "helped": click.helped,
        }
        last = click.cell
