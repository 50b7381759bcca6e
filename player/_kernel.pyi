from enum import Enum

import numpy as np
from numpy.typing import NDArray

Step = tuple[int, tuple[int, ...], tuple[int, ...], tuple[int, ...]]  # tier, safe, mines, clues
Clue = tuple[int, tuple[int, ...], int]  # its cell, its unknown neighbours, how many of them are mines
HardStep = tuple[int, tuple[int, ...], tuple[int, ...], tuple[int, ...], bytes]  # a step, and the cells unknown before
Tally = tuple[int, int, int, int]
Kept = tuple[int, int, bytes, Tally, list[HardStep]]  # index, click, mines, cells decided at each tier, hard steps

class Game:
    def __init__(self, rows: int, cols: int, mines: int) -> None: ...
    def learn(self, cells: NDArray[np.int64], clues: NDArray[np.int64]) -> None: ...
    def settle(self, cells: NDArray[np.int64], mine: bool) -> None: ...
    def local_round(self) -> list[Step]: ...
    def mine_count_round(self) -> list[Step] | None: ...
    def take_wide(self) -> list[list[Clue]]: ...
    def sea(self) -> tuple[int, ...]: ...
    def frontier(self) -> list[Clue]: ...
    @property
    def inconsistent(self) -> bool: ...
    @property
    def mines_left(self) -> int: ...

def solve(
    mine_map: NDArray[np.bool_], click: int, keep_hard_steps: bool
) -> tuple[int, int, Tally, list[HardStep], bytes]: ...
def exchanges(mine_map: NDArray[np.bool_], click: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]: ...
def sample(rows: int, cols: int, mines: int, click: int, opening: bool, seed: int, index: int) -> tuple[int, bytes]: ...
def screen(
    rows: int,
    cols: int,
    mines: int,
    click: int,
    opening: bool,
    seed: int,
    start: int,
    stop: int,
    most: int,
) -> tuple[int, list[Kept], list[int]]: ...

class Fit(Enum):
    OK = 0
    NONE = 1
    TOO_WIDE = 2

def probabilities(cells: NDArray[np.int8], mines: int, mine: NDArray[np.float64]) -> tuple[Fit, float]: ...
def clue_layouts(cells: NDArray[np.int8], mines: int, row: int, col: int) -> tuple[Fit, list[float]]: ...
def sample_layouts(cells: NDArray[np.int8], mines: int, seed: int, layouts: NDArray[np.uint8]) -> Fit: ...

Result = tuple[bool, int, int, float, float]  # won, cells opened, guesses, seconds, product of the safeties guessed on
Rated = tuple[int, float, float, float]  # cell, safety, progress, value

def play_boards(mine_maps: NDArray[np.bool_], clicks: NDArray[np.int64], strategy: str) -> list[Result]: ...
def play_sampled(
    rows: int,
    cols: int,
    mines: int,
    click: int,
    opening: bool,
    seed: int,
    first: int,
    count: int,
    strategy: str,
) -> list[Result]: ...
def rate(cells: NDArray[np.int8], mines: int, known: NDArray[np.bool_], strategy: str) -> list[Rated]: ...
