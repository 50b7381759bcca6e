"""Puzzles as tables: values by column for a batch of puzzles, without a board or a record for each of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, repeat, starmap
from typing import Any, Final, TypeVar

from minesweeper.db.columns import EFFORT, MEASURES, STEPS, STORED, WRITTEN, PuzzleRow, measures_of, puzzle_rows
from minesweeper.db.records import SOLVABLE, UNKNOWN, UNSOLVABLE, PuzzleRecord
from minesweeper.player.core.board import Board, Puzzle, ids_on_grid
from minesweeper.player.core.difficulty import rate_solution
from minesweeper.player.core.errors import BoardError
from minesweeper.player.core.grid import Grid, grid_of
from minesweeper.player.core.lazy_numpy import NDArray, np
from minesweeper.player.core.steps import Tally
from minesweeper.player.kernel_api import kernel
from minesweeper.player.logic.metrics import measure_all

_T = TypeVar("_T")
_Key = TypeVar("_Key", bound=Hashable)

Table = Mapping[str, Sequence[Any]]
"""The columns `db.columns.STORED` of several puzzles by name; those that are all NULL may be missing."""


@dataclass(frozen=True)
class SoundRows:
    """Rows of a file whose values agree, as the table of their records, and their puzzles on `grid` for the kernel."""

    table: Table
    grid: Grid
    puzzles: kernel.Puzzles


_MOST_ROWS: Final = 2000
_MOST_CELLS: Final = 2**22
_BOARD: Final = ("rows", "cols", "grid")
_CLICK: Final = ("first_row", "first_col")
_PROOF: Final = ("verdict", "clues_at_once", "hardest_tier", "needs_mine_count", "difficulty", "difficulty_word")


def portions(items: Iterable[_T], cells: Callable[[_T], int], most: int = _MOST_ROWS) -> Iterator[list[_T]]:
    """Group items for tables: at most `most`, or fewer if boards are large; `cells` returns the size of a board."""
    portion: list[_T] = []
    total = 0
    for item in items:
        portion.append(item)
        total += cells(item)
        if len(portion) == most or total > _MOST_CELLS:
            yield portion
            portion, total = [], 0
    if portion:
        yield portion


def tables_of(found: Iterable[PuzzleRecord] | Iterable[Table]) -> Iterator[Table]:
    """Yield puzzles as tables, which they may be already."""
    remaining: Iterator[Any] = iter(found)
    first = next(remaining, None)
    if isinstance(first, PuzzleRecord):
        records = portions(chain([first], remaining), lambda record: len(record.puzzle.board.cells))
        yield from map(table_of_records, records)
    elif first is not None:
        yield from chain([first], remaining)


def size_of(found: PuzzleRecord | Table) -> int:
    """Return the number of puzzles in a table, 1 for a record."""
    return 1 if isinstance(found, PuzzleRecord) else len(found["id"])


def table_of_records(records: Sequence[PuzzleRecord]) -> Table:
    """Return records as a table."""
    return {column.name: [column.read(record) for record in records] for column in STORED}


def rows_to_store(found: Iterable[PuzzleRecord] | Table) -> list[PuzzleRow]:
    """Return puzzles of no run as rows of the columns `WRITTEN`."""
    if not isinstance(found, Mapping):
        return puzzle_rows(found, None)
    return list(zip(*(found.get(name) or repeat(None, size_of(found)) for name in WRITTEN), strict=True))


def with_ratings(table: Table) -> Table:
    """Return a table with the values that follow from its columns of solutions."""
    safe = [rows * cols - mines for rows, cols, mines in zip(table["rows"], table["cols"], table["mines"], strict=True)]
    claims = zip(*(table[name] for name in ("verdict", *STEPS, "clues_at_once")), safe, strict=True)
    return {**table, **dict(zip(_PROOF, zip(*starmap(_proof, claims), strict=True), strict=True))}


def with_measures(table: Table) -> Table:
    """Return a table with measures, computed unless stored; without the kernel they stay unknown."""
    if not any(None in table[name] for name in MEASURES):
        return table
    unknown = [place for place, row in enumerate(zip(*map(table.__getitem__, MEASURES), strict=True)) if None in row]
    columns = {name: list(table[name]) for name in MEASURES}
    puzzles = puzzles_of({name: [values[place] for place in unknown] for name, values in table.items()})
    for place, found in zip(unknown, measure_all(puzzles), strict=True):
        for name, value in zip(MEASURES, measures_of(found), strict=True):
            columns[name][place] = value
    return {**table, **columns}


def converted(convert: Callable[[_Key], _T], values: Sequence[_Key]) -> list[_T]:
    """Convert the values of a column, equal ones once."""
    known = {value: convert(value) for value in set(values)}
    return list(known.values()) * len(values) if len(known) == 1 else list(map(known.__getitem__, values))


def puzzles_of(table: Table) -> list[Puzzle]:
    """Return the puzzles of a table."""
    names = (*_BOARD, *_CLICK, "mine_bits")
    return [
        Puzzle.unchecked(Board.from_bytes(grid_of((rows, cols), label), bits), (row, col))
        for rows, cols, label, row, col, bits in zip(*map(table.__getitem__, names), strict=True)
    ]


def board_texts(table: Table) -> list[str]:
    """Return the column ``board``."""
    texts = [""] * len(table["id"])
    for grid, places in _by_grid(table):
        marks = np.full((len(places), grid.rows, grid.cols + 1), ord("/"), dtype=np.uint8)
        mine_maps = _unpacked([table["mine_bits"][place] for place in places])
        marks[:, :, :-1] = np.where(mine_maps[:, : grid.rows * grid.cols], ord("*"), ord(".")).reshape(-1, *grid.shape)
        marks[:, :, :-1][:, grid.hole_map] = ord("-")
        text, size = marks.tobytes().decode(), marks[0].size
        for number, place in enumerate(places):
            texts[place] = text[number * size : (number + 1) * size - 1]
    return texts


def is_sound(table: Table) -> bool:
    """Return whether the values of a table agree: its records can be built without `BoardError` and have them, too."""
    if any(len({table[name].count(None) for name in names}) > 1 for names in (STEPS, EFFORT, MEASURES)):
        return False
    rated = with_ratings(table)
    if any(rated[name] != table[name] for name in _PROOF):
        return False
    try:
        return all(_are_sound(table, grid, places) for grid, places in _by_grid(table))
    except BoardError:  # of an invalid grid
        return False


# Puzzles of one recipe have few different solutions in numbers.
@lru_cache(maxsize=2**14)
def _proof(verdict: str, one: Any, two: Any, more: Any, count: Any, clues_at_once: Any, safe: int) -> tuple[Any, ...]:
    """Return the values `_PROOF` of a record."""
    if one is None:
        return (UNSOLVABLE if verdict == UNSOLVABLE else UNKNOWN, None, None, None, None, None)
    tally = Tally(one, two, more, count)
    rating = rate_solution(tally, clues_at_once, safe)
    return (SOLVABLE, clues_at_once, tally.hardest.title, tally.mine_count > 0, *rating)


def _are_sound(table: Table, grid: Grid, places: Sequence[int]) -> bool:
    """Return whether boards, first clicks, numbers of mines and ids of puzzles on a grid agree."""
    ids, mines, bits, rows, cols = (
        [table[name][place] for place in places] for name in ("id", "mines", "mine_bits", *_CLICK)
    )
    if {len(one) for one in bits} != {(grid.rows * grid.cols + 7) // 8}:
        return False
    mine_maps = _unpacked(bits)
    clicks = np.array([rows, cols])
    if (clicks < 0).any() or (clicks >= np.array([grid.shape]).T).any():
        return False
    forbidden = np.pad(grid.hole_map.ravel(), (0, mine_maps.shape[1] - grid.hole_map.size), constant_values=True)
    if mine_maps[:, forbidden].any() or mine_maps[range(len(places)), clicks[0] * grid.cols + clicks[1]].any():
        return False
    if mine_maps.sum(axis=1).tolist() != mines or grid.hole_map[tuple(clicks)].any():
        return False
    return ids_on_grid(grid, zip(rows, cols, strict=True), bits) == ids


def _unpacked(mine_bits: Sequence[bytes]) -> NDArray[np.uint8]:
    """Return a row of bits for each board, with those after the last cell."""
    return np.unpackbits(np.frombuffer(b"".join(mine_bits), dtype=np.uint8).reshape(len(mine_bits), -1), axis=1)


def _by_grid(table: Table) -> Iterator[tuple[Grid, list[int]]]:
    """Yield each grid of a table with the numbers of its puzzles. Raise `BoardError` for an invalid grid."""
    places = defaultdict(list)
    for place, key in enumerate(zip(*map(table.__getitem__, _BOARD), strict=True)):
        places[key].append(place)
    for (rows, cols, label), found in places.items():
        yield grid_of((rows, cols), label), found
