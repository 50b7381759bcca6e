from array import array
from collections.abc import Callable, Sequence
from enum import Enum

import numpy as np
from numpy.typing import NDArray

MineMaps = NDArray[np.bool_] | memoryview[bool]  # (boards, rows, cols)
Numbers = NDArray[np.int64] | array[int]
Step = tuple[int, tuple[int, ...], tuple[int, ...], tuple[int, ...]]  # tier, safe, mines, clues
Clue = tuple[int, tuple[int, ...], int]  # cell, unknown neighbours, mines among them
# verdict, cells decided at each tier, clues at once, cells unknown at the end
Solution = tuple[Verdict, tuple[int, int, int, int], int | None, bytes]
Found = tuple[int, int, bytes, Solution]  # index, first click, mines, solution
Result = tuple[bool, int, int, float]  # won, cells opened, guesses, seconds
Rated = tuple[int, float, float, float]  # cell, safety, progress, value

# solved, too wide, hash, first step of each path; tier, smallest of each step; bounds, cells, unknown: see PathArrays
Paths = tuple[bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes]

class Verdict(Enum):
    SOLVED = 0
    STUCK = 1
    TOO_WIDE = 2

class Fit(Enum):
    OK = 0
    INCONSISTENT = 1
    TOO_WIDE = 2

def set_interrupt_check(callable: Callable[[], None]) -> None: ...

class IncrementalClosure:
    def __init__(self, rows: int, cols: int, mines: int) -> None: ...
    def learn(self, cells: NDArray[np.int64], clues: NDArray[np.int64]) -> None: ...
    def mark(self, cells: NDArray[np.int64], mine: bool) -> None: ...
    def local_round(self) -> list[Step]: ...
    def mine_count_round(self) -> list[Step] | None: ...
    def pop_wide_components(self) -> list[list[Clue]]: ...
    def unconstrained(self) -> tuple[int, ...]: ...
    def frontier(self) -> list[Clue]: ...
    @property
    def inconsistent(self) -> bool: ...
    @property
    def mines_left(self) -> int: ...

class Corrections:
    def __init__(
        self, cells: NDArray[np.int8], layout: NDArray[np.bool_], known: NDArray[np.bool_], cell: int
    ) -> None: ...
    def find(self, kept: NDArray[np.int64], effort: int) -> tuple[int, ...] | None: ...

class Recipe:
    def __init__(self, rows: int, cols: int, mines: int, click: int, opening: bool, seed: int) -> None: ...

def solve(mine_maps: MineMaps, clicks: Numbers) -> list[Solution]: ...
def solution_paths(mine_maps: MineMaps, clicks: Numbers, hard_only: bool) -> Paths: ...
def proof_clauses(
    rows: int,
    cols: int,
    mine: bytes,
    unknown: bytes,
    counted: bool,
    safe: Sequence[int],
    mines: Sequence[int],
    clues: Sequence[int],
) -> list[list[int]] | None: ...
def view_path(
    cells: NDArray[np.int8], mines: int, layout: NDArray[np.bool_], given: NDArray[np.bool_], most_steps: int
) -> Paths: ...
def mine_swaps(mine_maps: MineMaps, clicks: Numbers) -> list[tuple[list[int], list[int]]]: ...
def screen(recipe: Recipe, start: int, stop: int, count_clues: bool) -> tuple[list[Found], list[int]]: ...
def repair(recipe: Recipe, start: int, stop: int, most_changes: int) -> tuple[list[Found], list[int]]: ...
def sample_mine_maps(recipe: Recipe, start: int, maps: NDArray[np.uint8]) -> None: ...
def puzzle_ids(mine_maps: MineMaps, clicks: Numbers) -> list[tuple[str, str, bytes]]: ...
def measure(mine_maps: MineMaps, clicks: Numbers | None) -> list[list[int]]: ...
def probabilities(cells: NDArray[np.int8], mines: int, mine: NDArray[np.float64]) -> tuple[Fit, float]: ...
def solve_views(
    views: NDArray[np.int8],
    mines: NDArray[np.int32],
    safe: NDArray[np.bool_],
    mine: NDArray[np.bool_],
    tiers: NDArray[np.uint8],
    log_layouts: NDArray[np.float64],
    chances: NDArray[np.float64] | None,
) -> list[int]: ...
def exact_counts(
    cells: NDArray[np.int8], mines: int
) -> tuple[Fit, tuple[int, int, list[tuple[int, list[float]]]] | None]: ...
def clue_layouts(cells: NDArray[np.int8], mines: int, row: int, col: int) -> tuple[Fit, list[float]]: ...
def sample_layouts(cells: NDArray[np.int8], mines: int, seed: int, layouts: NDArray[np.uint8]) -> Fit: ...

class RolloutOptions:
    def __init__(self, layouts: int, seconds: float, threads: int, base: str) -> None: ...

def play(mine_maps: MineMaps, clicks: Numbers, player: str | RolloutOptions) -> list[Result]: ...
def play_sampled(recipe: Recipe, first: int, count: int, player: str | RolloutOptions) -> list[Result]: ...

# views, positions, turn, cell, win, won: see PlayedPositions
Played = tuple[bytearray, bytearray, bytearray, bytearray, bytearray, bytearray]

def record(mine_maps: MineMaps, clicks: Numbers, strategy: str, guesses_only: bool) -> Played: ...
def record_sampled(recipe: Recipe, first: int, count: int, strategy: str, guesses_only: bool) -> Played: ...

class Trials:
    def __init__(
        self, cells: NDArray[np.int8], mines: int, known: NDArray[np.bool_], base: str, threads: int, seed: int
    ) -> None: ...
    @property
    def ready(self) -> bool: ...
    def run(
        self,
        candidates: NDArray[np.int64],
        first: int,
        seconds: float,
        safe: NDArray[np.bool_],
        value: NDArray[np.float64],
    ) -> int: ...

class Games:
    def __init__(self, recipe: Recipe, count: int) -> None: ...
    def start(
        self,
        recipe: Recipe,
        no_guess: bool,
        which: NDArray[np.bool_],
        index: NDArray[np.int64],
        views: NDArray[np.int8],
        statuses: NDArray[np.uint8],
    ) -> bool: ...
    def open(
        self,
        actions: NDArray[np.int64],
        views: NDArray[np.int8],
        statuses: NDArray[np.uint8],
        opened: NDArray[np.int32],
    ) -> None: ...

# Rated: cell, safety, value, standard error of the value (-1 without rollouts)
def rate_by_rollouts(
    cells: NDArray[np.int8], mines: int, known: NDArray[np.bool_], options: RolloutOptions
) -> list[Rated]: ...
def rate(cells: NDArray[np.int8], mines: int, known: NDArray[np.bool_], strategy: str) -> list[Rated]: ...
def evaluate(cells: NDArray[np.int8], mines: int, known: NDArray[np.bool_]) -> tuple[bool, list[Rated]]: ...
def kaboom_layout(
    cells: NDArray[np.int8],
    mines: int,
    rules: int,
    why: int,
    cell: int,
    seed: int,
    clicks: int,
    layout: NDArray[np.uint8],
) -> Fit: ...
def best_play(rows: int, cols: int, layouts: list[int], most_states: int) -> tuple[bool, int, int]: ...
