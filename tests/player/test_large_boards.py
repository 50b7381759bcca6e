"""Boards of more than a million cells: logic and text work, and everything that is too slow refuses them."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import minesweeper as ms
from minesweeper import Board, Grid, Puzzle, View, read_position
from minesweeper.db import formats
from minesweeper.db.formats import jsonl
from minesweeper.db.formats.format import imported_record
from minesweeper.db.tables import table_of_records
from minesweeper.player.core.errors import BoardError, InconsistentView, TooWide
from minesweeper.player.logic.probability import count_layouts, probabilities, sample_layouts
from minesweeper.player.logic.reasons import easiest_step, reason
from minesweeper.player.logic.unavoidable import unavoidable_guesses
from minesweeper.player.play.envs import MinesweeperVectorEnv

BOARD = Board.from_cells(Grid(4000, 4000), [(0, 1), (2, 2), (3999, 3999)])
OPENED = np.where(BOARD.mine_map, np.int8(-1), BOARD.clues)
OPENED[0, 0] = -1
OPENED[:, 50:] = -1
VIEW = View(OPENED, 3)
TALL = View.hidden(Grid(1001, 1000), 300)


def test_the_largest_board_is_read_back_from_json_lines(tmp_path: Path) -> None:
    """A line was limited to 8 MiB."""
    path = tmp_path / "large.jsonl"
    with path.open("wb") as stream:
        jsonl.write([table_of_records([imported_record(Puzzle(BOARD, (0, 0)))])], stream)
    with formats.reading(path) as reader:
        (found,) = reader
    assert found == imported_record(Puzzle(BOARD, (0, 0)))


def test_the_largest_view_is_read_and_solved() -> None:
    view = read_position(VIEW.to_text())
    assert view == VIEW
    solved = ms.solve(view)
    assert repr(solved) == "<Solved 4000x4000/3: 4001 safe, 2 mines, best (0, 0)>"
    assert solved.mine_map[[0, 2], [1, 2]].all()


@pytest.mark.parametrize(
    "use",
    [
        pytest.param(lambda: ms.closure(TALL, "sat"), id="sat"),
        pytest.param(TALL._repr_svg_, id="drawing"),
        pytest.param(lambda: reason(TALL, (0, 0)), id="reason"),
        pytest.param(lambda: easiest_step(TALL), id="step"),
        pytest.param(lambda: unavoidable_guesses(TALL), id="unavoidable"),
        pytest.param(ms.analyse(TALL).to_json, id="JSON"),
        pytest.param(lambda: ms.play(ms.Recipe("1001x1000/300").puzzle(0), "local"), id="game"),
        pytest.param(lambda: ms.play(ms.Recipe("1001x1000/300").puzzle(0), "champion"), id="game of the kernel"),
        pytest.param(lambda: list(ms.play_many(ms.Recipe("1001x1000/300"), 1, "champion")), id="games"),
        pytest.param(lambda: ms.positions(ms.Recipe("1001x1000/300"), 1), id="positions"),
        pytest.param(lambda: MinesweeperVectorEnv(1, "1001x1000/300"), id="environment"),
        pytest.param(lambda: probabilities(TALL), id="probabilities"),
        pytest.param(lambda: count_layouts(TALL), id="layouts"),
        pytest.param(lambda: sample_layouts(TALL, 1, 0), id="samples"),
    ],
)
def test_other_uses_are_refused(use: Callable[[], object]) -> None:
    with pytest.raises((BoardError, TooWide), match=r"1001x1000.* is too large .*; expected at most 1,000,000 cells"):
        use()


def test_a_contradiction_on_a_large_board_names_no_clues() -> None:
    cells = TALL.cells.copy()
    cells[0, 0] = 4
    with pytest.raises(InconsistentView) as found:
        ms.closure(View(cells, 300))
    assert found.value.clues == ()
