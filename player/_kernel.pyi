from array import array
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

MineMaps = NDArray[np.bool_] | memoryview[bool]  # (boards, rows, cols)
Numbers = NDArray[np.int64] | array[int]
Step = tuple[int, tuple[int, ...], tuple[int, ...], tuple[int, ...]]  # tier, safe, mines, clues
# tier (0 if nothing follows), whether no smaller set of clues exists, safe cells, mines, clues
Says = tuple[str, int, int, int, int, int, int, list[int]]
Hint = tuple[int, bool, list[int], list[int], list[int], Says]
# verdict, cells decided at each tier, clues at once, cells unknown at the end
Solution = tuple[Verdict, tuple[int, int, int, int], int | None, bytes]
Found = tuple[int, int, bytes, Solution]  # index, first click, mines, solution
Result = tuple[bool, int, int, float]  # won, cells opened, guesses, seconds
Rated = tuple[int, float, float, float]  # cell, safety, progress, value

PathStep = tuple[int, bool, tuple[int, ...], tuple[int, ...], tuple[int, ...]]  # like a hint
Path = tuple[bool, bool, str, list[PathStep]]  # whether it solves the puzzle, whether it is too wide, hash, steps
Proofs = list[list[list[int]]]  # clauses of each hard step

class Verdict(Enum):
    SOLVED = 0
    STUCK = 1
    TOO_WIDE = 2

def set_interrupt_check(callable: Callable[[], None]) -> None: ...

class IncrementalClosure:
    def __init__(self, grid: Grid, mines: int) -> None: ...
    def learn(self, cells: Numbers, clues: Numbers) -> None: ...
    def advance(self) -> list[Step]: ...

class Grid:
    # bits of `kind`: 1 and 2 for rows and columns that wrap, 4 for hexagons; `holes`: empty, or a byte for each cell
    def __init__(self, rows: int, cols: int, kind: int, holes: bytes) -> None: ...

class View:
    def __init__(self, cells: NDArray[np.int8], mines: int, grid: Grid) -> None: ...

class Recipe:
    def __init__(self, grid: Grid, mines: int, click: int, opening: bool, seed: int) -> None: ...

def solve(mine_maps: MineMaps, clicks: Numbers, grid: Grid) -> list[Solution]: ...
def solution_paths(mine_maps: MineMaps, clicks: Numbers, grid: Grid) -> list[Path]: ...
def proof_clauses(
    grid: Grid,
    mine: bytes,
    unknown: bytes,
    counted: bool,
    safe: Sequence[int],
    mines: Sequence[int],
    clues: Sequence[int],
) -> list[list[int]] | None: ...
def paper_forms(
    mine_maps: MineMaps, clicks: Numbers, grid: Grid, easy: bool, counted: bool, more: int
) -> list[tuple[bytes, bool, int, tuple[int, int, int, int]]]: ...
def view_path(view: View) -> Path: ...
def easiest_hint(view: View, given: NDArray[np.uint8]) -> Hint: ...
def path_hints(view: View) -> list[Hint]: ...
def chain_hints(view: View, flagged: NDArray[np.uint8]) -> list[Hint]: ...
def reason(view: View, given: NDArray[np.uint8], cell: int, most_clues: int) -> Hint: ...
def corrections(view: View, given: NDArray[np.uint8], cell: int, chosen: Sequence[int]) -> list[list[int]]: ...
def counterexample(view: View, cell: int) -> tuple[bytes, bytes]: ...

class Judgement(TypedDict):
    verdict: str
    safety: float | None
    best_cell: int | None
    best_safety: float | None
    chances: bytes | None  # of float64
    evaluation: tuple[bool, list[Rated]] | None  # whether the values are exact
    loss: float | None
    uncertain_cell: int | None
    step: Hint | None
    layouts: tuple[bytes, bytes] | None

def judge(view: View, known: NDArray[np.uint8], cells: Sequence[int]) -> Judgement: ...
def review(mine_map: MineMaps, grid: Grid, clicks: Sequence[Sequence[int]]) -> list[Judgement]: ...
def unavoidable_guesses(view: View, most_layouts: int) -> list[tuple[list[int], bytes, bytes]]: ...
def kaboom_verdicts(view: View, rules: int) -> bytes: ...
def kaboom_layout(view: View, rules: int, why: int, cell: int, seed: int, clicks: int) -> bytes: ...
def mine_swaps(mine_maps: MineMaps, clicks: Numbers, grid: Grid) -> list[tuple[list[int], list[int]]]: ...
def screen(recipe: Recipe, start: int, stop: int, most_changes: int, count_clues: bool) -> list[Found]: ...
def certify(
    mine_maps: MineMaps, clicks: Numbers, grid: Grid, easy_clues: Numbers
) -> list[tuple[str, int | None, Proofs]]: ...
def find(
    recipe: Recipe,
    start: int,
    stop: int,
    most_changes: int,
    certified: bool,
    count_clues: bool,
    min_bbbv: int,
    max_buried: int,
    accepts: Callable[[tuple[int, int, int, int], int | None], bool] | None,
) -> list[dict[str, Any]]: ...  # the columns of generator/search.py, and `clauses`, the proofs
def sample_mine_maps(recipe: Recipe, start: int, maps: NDArray[np.uint8]) -> None: ...
def puzzle_ids(mine_maps: MineMaps, clicks: Numbers, grid: Grid) -> list[tuple[str, str, bytes]]: ...

# the names of Metrics and, with clicks, of Measures
def measure(mine_maps: MineMaps, clicks: Numbers | None, grid: Grid) -> list[dict[str, int]]: ...
def solve_views(
    views: NDArray[np.int8],
    mines: NDArray[np.int32],
    grid: Grid,
    safe: NDArray[np.bool_],
    mine: NDArray[np.bool_],
    tiers: NDArray[np.uint8],
    log_layouts: NDArray[np.float64],
    chances: NDArray[np.float64] | None,
) -> list[int]: ...
def exact_counts(view: View) -> tuple[int, int, list[tuple[int, list[float]]]] | None: ...
def clue_layouts(view: View, row: int, col: int) -> list[float]: ...
def sample_layouts(view: View, seed: int, layouts: NDArray[np.uint8]) -> None: ...

class RolloutOptions:
    def __init__(self, layouts: int, seconds: float, threads: int, base: str, most_unknown: int) -> None: ...

def play(mine_maps: MineMaps, clicks: Numbers, grid: Grid, player: str | RolloutOptions) -> list[Result]: ...
def play_sampled(recipe: Recipe, first: int, count: int, player: str | RolloutOptions) -> list[Result]: ...

# views, ends, turn, cell, win, won: see player/kernel/search/recording.hpp
Played = tuple[bytearray, bytearray, bytearray, bytearray, bytearray, bytearray]

def record(mine_maps: MineMaps, clicks: Numbers, grid: Grid, strategy: str, guesses_only: bool) -> Played: ...
def record_sampled(recipe: Recipe, first: int, count: int, strategy: str, guesses_only: bool) -> Played: ...

class Trials:
    def __init__(
        self,
        view: View,
        known: NDArray[np.bool_],
        base: str,
        threads: int,
        seed: int,
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
def rate_by_rollouts(view: View, known: NDArray[np.bool_], options: RolloutOptions) -> list[Rated]: ...
def rate(view: View, known: NDArray[np.bool_], strategy: str) -> list[Rated]: ...
def evaluate(view: View, known: NDArray[np.bool_]) -> tuple[bool, list[Rated]]: ...
def best_play(grid: Grid, layouts: list[int], most_states: int) -> tuple[bool, int, int]: ...

# Boards in a picture of height x width x 3: (left, top, across, down), rows, cols, a meaning for each cell, 13 float32
# for each cell, doubtful cells, fewest and most mines.
def read_picture(
    pixels: NDArray[np.uint8],
) -> list[tuple[tuple[float, float, float, float], int, int, bytes, bytes, list[int], int, int]]: ...
# 260 float32 for the glyph in each of n x side x side x 3 cells, zeros without one.
def glyph_features(cells: NDArray[np.uint8]) -> bytes: ...
