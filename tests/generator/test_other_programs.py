"""Boards that other programs generate as solvable are solvable."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from itertools import count, islice

import ms_toollib
import numpy as np
import pytest

from minesweeper.generator.screening import screen
from minesweeper.player.board import Board, Puzzle

SGT_MINES = shutil.which("sgt-mines") or shutil.which("sgt-mines", path="/usr/games")


def _sgt_puzzle(name: str) -> Puzzle:
    """Read a game id of Simon Tatham's Mines: ``30x16:12,8,m``, width, height, column and row, then hexadecimal digits.

    After ``m`` the bitmap is masked as in `obfuscate_bitmap` of the collection's misc.c: the first half with SHA-1
    hashes of the second, then the second, except padding bits, with those of the masked first.
    """
    match = re.fullmatch(r"(\d+)x(\d+):(\d+),(\d+),([mu])([0-9a-f]+)", name)
    assert match is not None, name
    cols, rows, col, row = (int(match[number]) for number in range(1, 5))
    data = bytes.fromhex(match[6] + "0" * (len(match[6]) % 2))
    if match[5] == "m":
        half = len(data) // 2
        second = bytearray(_masked(data[half:], data[:half]))
        second[-1] &= 0xFF << (-rows * cols % 8) & 0xFF
        data = _masked(data[:half], second) + second
    bits = np.unpackbits(np.frombuffer(data, dtype=np.uint8))[: rows * cols]
    return Puzzle(Board(bits.reshape(rows, cols).astype(np.bool_)), (row, col))


def _masked(data: bytes, seed: bytes | bytearray) -> bytes:
    hashes = (hashlib.sha1(seed + str(number).encode()).digest() for number in count())
    stream = b"".join(islice(hashes, len(data) // 20 + 1))
    return bytes(a ^ b for a, b in zip(data, stream, strict=False))


@pytest.mark.skipif(SGT_MINES is None, reason="sgt-mines (Debian: sgt-puzzles) is not installed")
@pytest.mark.parametrize(("size", "mines", "boards"), [("30x16n99", 99, 50), ("9x9n10", 10, 50), ("50x30n300", 300, 3)])
def test_boards_of_sgt_mines_are_solvable(size: str, mines: int, boards: int) -> None:
    assert SGT_MINES is not None
    command = [SGT_MINES, "--generate", str(boards), size]
    names = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert len(names) == boards
    for name in names:
        puzzle = _sgt_puzzle(name)
        assert puzzle.board.mines == mines
        assert screen(puzzle).solved, name


@pytest.mark.parametrize(("rows", "cols", "mines"), [(16, 30, 99), (16, 16, 40), (9, 9, 10)])
def test_solvable_boards_of_ms_toollib_are_solvable(rows: int, cols: int, mines: int) -> None:
    for _ in range(15):
        clues, solvable = ms_toollib.laymine_solvable(rows, cols, mines, rows // 2, cols // 2, 100_000)
        assert solvable
        puzzle = Puzzle(Board(np.array(clues) == -1), (rows // 2, cols // 2))
        assert puzzle.board.mines == mines
        assert screen(puzzle).solved, puzzle.board.to_text()
