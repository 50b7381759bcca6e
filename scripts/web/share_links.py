"""Tokens of share links: text that recreates a board, a game of Kaboom or a daily puzzle."""

from __future__ import annotations

import base64
import binascii
import re
from datetime import date as Date
from typing import Final

from minesweeper.player.board import Board, Puzzle, parse_size
from minesweeper.player.kaboom.game import MODES, Rules
from minesweeper.player.recipe import Preset
from minesweeper.scripts.web.boards import check_fits
from minesweeper.scripts.web.settings import ApiError, ErrorKind

_KABOOM: Final = re.compile(r"kaboom-(\d+)x(\d+)-(\d+)-([01])([01])([01])-([a-z]+)", re.ASCII)
_DAMAGED: Final = "This share link is damaged or incomplete."


def board_token(puzzle: Puzzle) -> str:
    """Return a token that holds the whole puzzle, mines included."""
    board, (row, col) = puzzle.board, puzzle.first_click
    packed = base64.urlsafe_b64encode(board.to_bytes()).decode().rstrip("=")
    return f"board-{board.rows}x{board.cols}-{row}x{col}-{packed}"


def read_board_token(token: str) -> Puzzle:
    """Read a token of `board_token`. Raises `ApiError`."""
    parts = token.split("-", 3)
    try:
        rows, cols = parse_size(parts[1])
        check_fits(rows, cols)
        row, col = (int(number) for number in parts[2].split("x"))
        packed = base64.b64decode(parts[3] + "=" * (-len(parts[3]) % 4), altchars=b"-_", validate=True)
        return Puzzle(Board.from_bytes(rows, cols, packed), (row, col))
    except (IndexError, binascii.Error, ValueError) as error:
        raise ApiError(ErrorKind.BAD_INPUT, _DAMAGED) from error


def kaboom_token(rows: int, cols: int, mines: int, rules: Rules) -> str:
    """Return a token that holds the size and the rules of a Kaboom game."""
    switches = f"{rules.opening_start:d}{rules.guess_anywhere:d}{rules.outside_counts:d}"
    return f"kaboom-{rows}x{cols}-{mines}-{switches}-{rules.mode}"


def read_kaboom_token(token: str) -> tuple[Preset, Rules]:
    """Read a token of `kaboom_token`. Raises `ApiError`."""
    match = _KABOOM.fullmatch(token)
    mode = next((mode for mode in MODES if match and match[7] == mode), None)
    if match is None or mode is None:
        raise ApiError(ErrorKind.BAD_INPUT, _DAMAGED)
    rows, cols, mines = (int(number) for number in match.group(1, 2, 3))
    check_fits(rows, cols)
    opening_start, guess_anywhere, outside_counts = (switch == "1" for switch in match.group(4, 5, 6))
    return Preset(rows, cols, mines), Rules(opening_start, guess_anywhere, outside_counts, mode)


def read_daily_token(token: str) -> tuple[str, Date]:
    """Read the preset and the date of a token ``daily-YYYY-MM-DD-PRESET``. Raises `ApiError`."""
    try:
        return token[17:], Date.fromisoformat(token[6:16])
    except ValueError as error:
        raise ApiError(ErrorKind.BAD_INPUT, _DAMAGED) from error
