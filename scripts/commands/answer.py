"""The command `minesweeper answer`: a program that answers the messages of docs/reference/protocol.md."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from reprlib import repr as short_repr
from typing import Any

import click

from minesweeper.player.core.board import View, cells_of
from minesweeper.player.core.errors import FormatError, InconsistentView
from minesweeper.player.core.grid import is_cell
from minesweeper.player.core.lazy_numpy import np
from minesweeper.player.core.steps import Engine
from minesweeper.player.logic import closure
from minesweeper.player.logic.probability import count_layouts, probabilities
from minesweeper.player.logic.reasons import reason
from minesweeper.player.play.analysis import numbers_of
from minesweeper.player.play.judgement import judge
from minesweeper.player.play.solving import solve
from minesweeper.scripts.console.options import engine_option, from_decorator, with_options
from minesweeper.scripts.console.terminal import Command

_HELLO = {"name": "minesweeper-toolkit", "plays": "moves", "solves": True, "judges": True}
_SECONDS = 600.0


@dataclass(frozen=True)
class AnswerOptions:
    """The options of `answer`."""

    engine: Engine = from_decorator(engine_option)


@click.command(
    cls=Command,
    short_help="Answer messages of other programs.",
    epilog="Example: minesweeper answer < messages.jsonl",
)
@with_options(AnswerOptions)
def main(options: AnswerOptions) -> None:
    """Answer messages on standard input: moves, exact figures of positions, and judged actions.

    Each message and each answer is a line with a JSON object, see the protocol of external players in the
    documentation. The answer to a wrong message has the key error. --engine applies to the message solve.
    """
    game: dict[str, Any] = {}
    for line in sys.stdin.buffer:
        try:
            message = _read_object(line)
            if message.get("type") == "game":
                game = {key: message.get(key) for key in ("mines", "grid")}
                continue
            answer = _answer(game | message, options.engine)
        except ValueError as error:
            answer = {"error": " ".join(str(error).split())}
        click.echo(json.dumps(answer))


def _answer(message: dict[str, Any], engine: Engine) -> dict[str, Any]:
    """Answer a message. Raises `ValueError` for a wrong one."""
    kind = message.get("type")
    if kind == "hello":
        return _HELLO
    if kind not in ("move", "solve", "judge"):
        raise FormatError(f"the type is {short_repr(kind)}; expected hello, game, move, solve or judge")
    view = _read_view(message)
    if kind == "solve":
        return _exact_figures(view, engine)
    if kind == "judge":
        return judge(view, *_read_cells(message)).to_json()
    found = solve(view)
    return {"open": cells_of(found.safe_map) or ([] if found.best is None else [found.best])}


def _read_object(line: bytes) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise FormatError(f"the message is {short_repr(line.decode(errors='replace').strip())}; expected a JSON object")
    return message


def _read_view(message: dict[str, Any]) -> View:
    """Read the view and the number of mines of a message."""
    rows, mines = message.get("view"), message.get("mines")
    if not (isinstance(rows, list) and all(isinstance(row, str) for row in rows)):
        raise FormatError('no "view"; expected a list with a string for each row, e.g. ["01#", "###"]')
    if type(mines) is not int:
        raise FormatError('no number of "mines"; expected it here or in a message "game" before')
    return View.from_text("\n".join(rows), mines, str(message.get("grid") or ""))


def _read_cells(message: dict[str, Any]) -> list[tuple[int, int]]:
    cells = message.get("open")
    if not (isinstance(cells, list) and all(is_cell(cell) for cell in cells)):
        raise FormatError(f'"open" is {short_repr(cells)}; expected a list of [row, column]')
    return [(row, col) for row, col in cells]


def _exact_figures(view: View, engine: Engine) -> dict[str, Any]:
    """Return layouts, closure, probabilities and smallest reasons, as docs/vectors/README.md specifies them."""
    try:
        known = closure(view, engine)
    except InconsistentView:
        return {"layouts": 0}
    reasons = np.full(view.cells.shape, None)
    for cell in cells_of(known.safe_map | known.mine_map):
        found = reason(view, cell, seconds=_SECONDS)
        reasons[cell] = f"{len(found.clues)}{'+count' * found.mine_count}"
    return {
        "layouts": str(count_layouts(view)),
        "safe": cells_of(known.safe_map),
        "mines": cells_of(known.mine_map),
        "probabilities": numbers_of(probabilities(view).chances),
        "reasons": reasons.tolist(),
    }
