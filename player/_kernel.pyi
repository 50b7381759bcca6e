from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

Bytes = bytes | NDArray[np.uint8]

# Cells are numbered row by row. `Bytes` are any contiguous array of a byte for each cell: mines, or marks of known
# cells, 1 for safe and 2 for a mine. Lists of numbers are ascending.

def strategies() -> list[str]: ...
def set_interrupt_check(callable: Callable[[], None]) -> None: ...

class Grid:
    # bits of `kind`: 1 and 2 for rows and columns that wrap, 4 for hexagons; `holes`: empty, or a byte for each cell
    def __init__(self, rows: int, cols: int, kind: int, holes: Bytes) -> None: ...
    def measure(self, mine: Bytes) -> Metrics: ...
    # click -1: anywhere; seconds and most_work 0: no limit
    def fewest_clicks(
        self, mine: Bytes, click: int, flags: bool, count_flags: bool, seconds: float, most_work: int
    ) -> ClickPlan: ...
    def proof_clauses(
        self,
        mine: Bytes,
        unknown: Bytes,
        counted: bool,
        safe: Sequence[int],
        mines: Sequence[int],
        clues: Sequence[int],
    ) -> list[list[int]] | None: ...
    def best_play(self, layouts: list[int], most_states: int) -> tuple[bool, int, int]: ...  # solved, wins, states

class ClickPlan:
    clicks: list[tuple[int, int]]  # 0 (left), 1 (flag) or 2 (chord), and the cell
    count: int
    bound: int

class Metrics:
    def __getattr__(self, name: str) -> int: ...  # the measure of this name; first_opening is 0 for a board

class Recipe:
    def __init__(self, grid: Grid, mines: int, click: int, opening: bool, seed: int) -> None: ...
    def screen(self, start: int, stop: int, most_changes: int, count_clues: bool) -> list[FoundPuzzle]: ...
    def find(
        self,
        start: int,
        stop: int,
        most_changes: int,
        certified: bool,
        count_clues: bool,
        min_bbbv: int,
        max_buried: int,
        accepts: Callable[[Solution], bool] | None,
    ) -> list[KeptPuzzle]: ...

class Puzzle:
    click: int
    mine: bytes

class Verdict(Enum):
    SOLVED = 0
    STUCK = 1
    TOO_WIDE = 2

class Solution:
    verdict: Verdict
    tally: tuple[int, int, int, int]  # cells decided at each tier
    clues_at_once: int | None
    unknown: bytes  # at the end; empty if solved

class FoundPuzzle:
    index: int
    puzzle: Puzzle
    solution: Solution

class KeptPuzzle:
    values: tuple[Any, ...]  # `generator.search.FOUND` without measures; the last two mean nothing unless certified
    metrics: Metrics
    proofs: list[list[list[int]]]  # as in `Certificate`

class Certificate:
    path: str  # the hash
    clues_at_once: int | None
    proofs: list[list[list[int]]]  # the clauses of each hard step

class PuzzleIds:
    id: str
    canonical_id: str
    mine_bits: bytes

class MineSwap:
    mines: list[int]
    safe: list[int]

class PaperForm:
    cells: bytes  # of a view
    complete: bool
    revealed: int
    tally: tuple[int, int, int, int]

class Recording:  # see player/kernel/search/recording.hpp
    views: bytearray
    ends: bytearray
    turn: bytearray
    cell: bytearray
    win: bytearray
    won: bytearray

class RolloutOptions:
    def __init__(self, layouts: int, seconds: float, threads: int, base: str, most_unknown: int) -> None: ...

class Puzzles:
    @overload
    def __init__(self, grid: Grid, mine: Bytes, clicks: list[int]) -> None: ...
    @overload
    def __init__(self, recipe: Recipe, first: int, count: int) -> None: ...
    def __len__(self) -> int: ...
    def solve(self) -> list[Solution]: ...
    def paths(self) -> list[Path]: ...
    def paper_forms(self, easy: bool, counted: bool, more: int) -> list[PaperForm]: ...
    def mine_swaps(self) -> list[MineSwap]: ...
    def certify(self, easy_clues: list[int]) -> list[Certificate]: ...
    def ids(self) -> list[PuzzleIds]: ...
    def measure(self) -> list[Metrics]: ...
    def fill(self, maps: NDArray[np.uint8]) -> None: ...  # with mine maps
    # won, cells opened, guesses, seconds; `player` is a strategy, or options
    def play(self, player: str | RolloutOptions) -> list[tuple[bool, int, int, float]]: ...
    def record(self, strategy: str, guesses_only: bool) -> Recording: ...

class Step:
    tier: int  # 0 if nothing follows
    safe: list[int]
    mines: list[int]
    clues: list[int]

class PathStep(Step):
    smallest: bool  # whether no smaller set of clues exists

class Path:
    solved: bool
    too_wide: bool
    hash: str
    # tier, smallest, safe, mines, clues
    steps: list[tuple[int, bool, tuple[int, ...], tuple[int, ...], tuple[int, ...]]]

class Sentence:
    name: str
    clue: int
    other: int
    count: int
    need: int
    mines: int
    rest: int
    places: list[int]

class HintStep:
    hint: PathStep
    given: bytes  # the cells that count as known; empty for the steps of `hints`
    sentence: Sentence

class Rated:
    cell: int
    safety: float
    progress: float
    value: float

class Compared:
    cell: int
    why: str
    safety: float
    progress: float
    second: float
    win: float

class Evaluation:
    kind: int  # of the values: 1 for estimates, 2 for exact ones; 0 for none
    ratings: list[Rated]

class EfficientClick:
    place: int
    chord: bool
    flags: list[int]
    opens: list[int]

class Judgement:
    verdict: int
    safety: float | None
    best_cell: int | None
    best_safety: float | None
    chances: list[float]
    guesses: Evaluation
    loss: float | None
    uncertain_cell: int | None
    step: HintStep
    safe_layout: bytes
    mined_layout: bytes

class UnavoidableGuess:
    cells: list[int]
    layouts: tuple[bytes, bytes]

class CountWeights:
    low: int
    numbers: list[float]

class View:
    def __init__(self, cells: NDArray[np.int8], mines: int, grid: Grid, spare: int = 0, odds: float = 1.0) -> None: ...
    def hint(self, given: Bytes) -> HintStep: ...
    def hints(self) -> list[HintStep]: ...
    def chain(self, flagged: Bytes) -> list[HintStep]: ...
    def path(self) -> Path: ...
    def reason(self, given: Bytes, cell: int, most_clues: int) -> HintStep: ...
    def corrections(self, given: Bytes, cell: int, chosen: Sequence[int]) -> list[list[int]]: ...
    def counterexample(self, cell: int) -> tuple[bytes, bytes]: ...
    def rate(self, known: Bytes, strategy: str) -> list[Rated]: ...
    def rate_by_rollouts(self, known: Bytes, options: RolloutOptions) -> list[Rated]: ...
    def evaluate(self, known: Bytes) -> Evaluation: ...
    def judge(self, known: Bytes, cells: Sequence[int]) -> Judgement: ...
    def unavoidable_guesses(self, most_layouts: int) -> list[UnavoidableGuess]: ...
    def kaboom_verdicts(self, rules: int) -> bytes: ...
    def kaboom_layout(self, rules: int, why: int, cell: int, seed: int, clicks: int) -> bytes: ...
    # the mines left, the number of unconstrained cells, and of each component the numbers of layouts; None if inexact
    def compare(self, known: Bytes, cells: Sequence[int]) -> list[Compared]: ...
    def exact_counts(self) -> tuple[int, int, list[CountWeights]] | None: ...
    def clue_layouts(self, cell: int) -> list[float]: ...
    def efficient_click(
        self, safe: NDArray[np.bool_], mine: NDArray[np.bool_], chances: NDArray[np.float64], flags: Sequence[int]
    ) -> EfficientClick: ...
    def sample_layouts(self, seed: int, layouts: NDArray[np.uint8]) -> None: ...

def solve_views(
    views: NDArray[np.int8],
    mines: NDArray[np.int32],
    grid: Grid,
    safe: NDArray[np.bool_],
    mine: NDArray[np.bool_],
    tiers: NDArray[np.uint8],
    log_layouts: NDArray[np.float64],
    chances: NDArray[np.float64] | None,
    spare: int = 0,
    odds: float = 1.0,
) -> list[int]: ...

class IncrementalClosure:
    def __init__(self, grid: Grid, mines: int) -> None: ...
    def learn(self, cells: Sequence[int], clues: Sequence[int]) -> None: ...
    def advance(self) -> list[Step]: ...

class Trials:
    def __init__(self, view: View, known: Bytes, options: RolloutOptions, seed: int) -> None: ...
    @property
    def ready(self) -> bool: ...
    def run(
        self,
        candidates: Sequence[int],
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

# A board in a picture: 1 meaning and 13 chances (float32) for each cell, row by row.
class BoardReading:
    @property
    def x_lines(self) -> list[float]: ...
    @property
    def y_lines(self) -> list[float]: ...
    @property
    def meanings(self) -> bytes: ...
    @property
    def chances(self) -> bytearray: ...
    @property
    def doubtful(self) -> list[int]: ...
    @property
    def fewest_mines(self) -> int: ...
    @property
    def most_mines(self) -> int: ...

# `pixels` is height x width x 3. With lines, reads the board that they bound.
def read_picture(
    pixels: NDArray[np.uint8], x_lines: Sequence[float] = ..., y_lines: Sequence[float] = ...
) -> list[BoardReading]: ...

# 260 float32 for the glyph in each of n x side x side x 3 cells, zeros without one.
def glyph_features(cells: NDArray[np.uint8]) -> list[list[float]]: ...
