"""Games recorded by ms_toollib itself, which writes evf files."""

import time
from collections.abc import Iterable
from pathlib import Path

import ms_toollib
import numpy as np

from minesweeper import Cell, Recipe, play
from minesweeper.player.core.board import Board, cells_of
from minesweeper.player.play.strategies.loading import load_strategy

SIDE = 16
ENDED = (3, 4)


class Recorder:
    """A mouse on a board, whose moves ms_toollib records."""

    def __init__(self, board: Board, mode: int = 0) -> None:
        self._board = board
        self._mode = mode
        self._flags: set[Cell] = set()
        self._video = ms_toollib.BaseVideo(board.clues.tolist(), SIDE)

    def left(self, cell: Cell) -> None:
        self._do(cell, "lc", "lr")

    def flag(self, cell: Cell) -> None:
        self._flags ^= {cell}
        self._do(cell, "rc", "rr")

    def chord(self, cell: Cell) -> None:
        self._do(cell, "lc", "rc", "rr", "lr")

    def half_chord(self, cell: Cell) -> None:
        """Press the right button first, which on an open cell is no click of its own."""
        self._do(cell, "rc", "lc", "lr", "rr")

    def save(self, path: Path) -> None:
        """Write the game, which ms_toollib does only after its end: a mine ends it if nothing else did."""
        video = self._video
        if video.game_board_state not in ENDED:
            self.left(next(cell for cell in cells_of(self._board.mine_map) if cell not in self._flags))
        video.use_question = video.use_cursor_pos_lim = video.use_auto_replay = False
        video.is_official = video.is_fair = False
        video.mode = self._mode
        video.software, video.country, video.player_identifier = "recorder", "XX", "a tester"
        video.race_identifier = video.unique_identifier = ""
        video.device_uuid = [0] * 32
        video.generate_evf_v4_raw_data()
        video.checksum = [0] * 32
        path.write_bytes(bytes(video.raw_data))

    def _do(self, cell: Cell, *events: str) -> None:
        place = (cell[0] * SIDE + SIDE // 2, cell[1] * SIDE + SIDE // 2)
        # ms_toollib counts real milliseconds, and breaks down over a game of none.
        time.sleep(0.001)
        for event in events:
            self._video.step(event, place)


def record(path: Path, board: Board, clicks: Iterable[Cell], mode: int = 0) -> None:
    """Write a game of left clicks."""
    recorder = Recorder(board, mode)
    for cell in clicks:
        recorder.left(cell)
    recorder.save(path)


def record_played(path: Path, recipe: Recipe, index: int) -> None:
    """Write the game that a strategy plays."""
    puzzle = recipe.puzzle(index)
    moves = play(puzzle, load_strategy("safest"), keep_moves=True).moves
    shown = np.zeros_like(puzzle.board.mine_map)
    clicks = []
    for cell in (cell for move in moves for cell in move.cells):
        if not shown[cell]:
            clicks.append(cell)
            if not puzzle.board.mine_map[cell]:
                shown.ravel()[puzzle.board.opening(cell)] = True
    record(path, puzzle.board, clicks)
