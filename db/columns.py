"""The one list of everything that is kept of a puzzle.

The columns of the table ``puzzles`` and of the view ``puzzle_list``, those of CSV and Parquet files, the keys of JSON,
the tables of ``packs`` and the captions of the printed book all come from `PUZZLE_COLUMNS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import Enum, Flag, auto
from functools import lru_cache, partial
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, Final

from minesweeper.db.records import UNSOLVABLE, PuzzleRecord
from minesweeper.player.core.board import Board, Puzzle
from minesweeper.player.core.difficulty import WORDS, rate_solution
from minesweeper.player.core.errors import DatabaseError, did_you_mean
from minesweeper.player.core.grid import Cell, Grid
from minesweeper.player.core.steps import PathEffort, Tally, Tier
from minesweeper.player.kernel_api import available, kernel
from minesweeper.player.logic.metrics import DESCRIBED, Measures, ids_of_many

if TYPE_CHECKING:
    from minesweeper.player.logic.fewest_clicks import ClickPlan
    from minesweeper.player.logic.paper import Generosity, PaperForm

Value = str | int | float | bytes | None
Read = Callable[[PuzzleRecord], Value]
PuzzleRow = tuple[Any, ...]
"""Values of a puzzle in the order of the columns that are written."""
Columns = Sequence[Sequence[Any]]
"""The values of several puzzles, column by column in this order; the last columns may be missing if all are NULL."""

SHORT_ID: Final = 12
"""Length of the ids in tables and printed packs."""
DIGITS: Final = 3
"""Decimal places of fractions in lists."""
STEPS: Final = ("steps_1_clue", "steps_2_clues", "steps_more_clues", "steps_mine_count")
EFFORT: Final = tuple(f"path_{field.name}" for field in fields(PathEffort))
MEASURES: Final = tuple(field.name for field in fields(Measures))


class Group(Enum):
    """Subject of a column: the puzzle, its solution as proved, its measures, or its origin."""

    PUZZLE = auto()
    SOLUTION = auto()
    MEASURES = auto()
    ORIGIN = auto()


class Use(Flag):
    """Uses of a column besides the table ``puzzles``.

    READ: puzzles are read from it in files that have all columns. LISTED: ``packs show`` and the view ``puzzle_list``.
    COUNTED and HISTOGRAM: ``packs stats``, by value or by range.
    """

    READ = auto()
    LISTED = auto()
    COUNTED = auto()
    HISTOGRAM = auto()


_TABLE_ONLY: Final = Use(0)


@dataclass(frozen=True)
class Column:
    """Column of puzzles.

    `name` is its name in SQL, files, JSON and options, `title` the name in text. `type` is the type of values other
    than None, and `read` takes the value from a record. A `derived` column is not in the table ``puzzles``. `heading`
    is for the table of ``packs list``. `order` is an SQL expression by which puzzles are sorted, by default the value.
    """

    group: Group
    name: str
    type: type[int] | type[float] | type[str] | type[bytes]
    title: str
    meaning: str
    read: Read
    use: Use = _TABLE_ONLY
    derived: bool = False
    heading: str = ""
    order: str = ""


def _of(part: str, name: str) -> Read:
    """Return a function that reads a value of a part of a record, None without the part."""

    def read(record: PuzzleRecord) -> Value:
        found = getattr(record, part)
        return None if found is None else getattr(found, name)

    return read


_tally, _rating, _effort, _measure = (partial(_of, part) for part in ("tally", "difficulty", "effort", "measured"))


def _steps(record: PuzzleRecord) -> str | None:
    return None if record.tally is None else "/".join(map(str, record.tally))


def first_is_zero(first_opening: int | None, grid: Grid, first_click: Cell) -> bool | None:
    """Return whether a first click is a zero, from the number of cells that it opens; None if that is unknown."""
    # Only a zero opens more than one cell, except if it has no neighbours.
    return None if first_opening is None else first_opening > 1 or not any(grid.neighbours(first_click))


def _first_is_zero(record: PuzzleRecord) -> bool | None:
    opened = None if record.measured is None else record.measured.first_opening
    return first_is_zero(opened, record.puzzle.board.grid, record.puzzle.first_click)


def row_of(board: Board) -> str:
    """Return the column ``board``."""
    return board.to_text().replace("\n", "/")


def _first_click(record: PuzzleRecord) -> str:
    return "{},{}".format(*record.puzzle.first_click)


def _on_paper(read: Callable[[PaperForm], Value]) -> Read:
    return lambda record: None if (form := _paper_form(record.puzzle, record.clues)) is None else read(form)


# A condition and an order read several values of the same puzzle.
@lru_cache(maxsize=1)
def _paper_form(puzzle: Puzzle, clues: Generosity) -> PaperForm | None:
    from minesweeper.player.logic.paper import paper_forms

    return next(paper_forms([puzzle], clues)) if available() else None


def _on_plan(read: Callable[[ClickPlan], Value]) -> Read:
    return lambda record: None if (plan := _plan(record.puzzle.board)) is None else read(plan)


@lru_cache(maxsize=1)
def _plan(board: Board) -> ClickPlan | None:
    from minesweeper.player.logic.fewest_clicks import fixed_plan

    return fixed_plan(board) if available() else None


def _ranked(name: str, values: Iterable[str]) -> str:
    return f"instr('|{'|'.join(values)}|', '|' || {name} || '|')"


_P, _S, _M, _O = Group
_TIERS: Final = [tier.title for tier in Tier]
_READ, _LIST = Use.READ, Use.LISTED
_BOTH, _COUNT, _RANGE = _READ | _LIST, _LIST | Use.COUNTED, _LIST | Use.HISTOGRAM

# fmt: off
PUZZLE_COLUMNS: Final = (
    Column(_P, "id", str, "puzzle", "80 bits of a hash of the puzzle", attrgetter("puzzle.id"), _BOTH, heading="id"),
    Column(_P, "canonical_id", str, "canonical id", "id shared with all symmetric images",
           lambda record: record.canonical_id or next(ids_of_many([record.puzzle])).canonical_id, _BOTH),
    Column(_P, "rows", int, "rows", "rows of the board", attrgetter("puzzle.board.rows"), _READ),
    Column(_P, "cols", int, "columns", "columns of the board", attrgetter("puzzle.board.cols"), _READ),
    Column(_P, "grid", str, "grid", "shape of the grid, such as torus; in files rectangle for no other",
           attrgetter("puzzle.board.grid.label"), _READ),
    Column(_P, "size", str, "size", "rows x columns, and the grid",
           lambda record: record.puzzle.board.grid.name, _LIST, derived=True,
           order="printf('%09d ', rows * cols) || size"),
    Column(_P, "mines", int, "mines", "mines on the board", attrgetter("puzzle.board.mines"), _BOTH),
    Column(_P, "boards", str, "board", "size, mines and grid", attrgetter("puzzle.board.name"), _COUNT,
           derived=True, heading="board", order="printf('%09d ', rows * cols) || boards"),
    Column(_P, "first_row", int, "first row", "row of the first click, from 0",
           lambda record: record.puzzle.first_click[0], _READ),
    Column(_P, "first_col", int, "first column", "column of the first click, from 0",
           lambda record: record.puzzle.first_click[1], _READ),
    Column(_P, "first_click", str, "first click", "row and column of the first click, from 0", _first_click, _LIST,
           derived=True, heading="click"),
    Column(_P, "start", str, "start", "the start rule: opening or safe", attrgetter("start"), _READ | _COUNT),
    Column(_P, "mine_bits", bytes, "mine bits", "the mines, one bit a cell, row by row, most significant bit first",
           lambda record: record.puzzle.board.to_bytes(), _READ),
    Column(_P, "board", str, "board in text", "the rows of the board, '*' for a mine, with '/' between them",
           lambda record: row_of(record.puzzle.board), _READ, derived=True),
    Column(_S, "verdict", str, "verdict", "solvable, unsolvable or unknown", attrgetter("verdict"), _READ | _COUNT),
    Column(_S, "hardest_tier", str, "hardest tier", "first click, 1 clue, 2 clues, more clues or mine count",
           attrgetter("hardest_tier"), _READ | _COUNT, heading="hardest", order=_ranked("hardest_tier", _TIERS)),
    Column(_S, "steps", str, "cells by tier", "cells decided by each tier", _steps, derived=True,
           heading="1/2/3+/count"),
    Column(_S, STEPS[0], int, "by 1 clue", "cells, not steps, that a single clue decides", _tally("one_clue"), _BOTH),
    Column(_S, STEPS[1], int, "by 2 clues", "cells, not steps, that two clues decide", _tally("two_clues"), _BOTH),
    Column(_S, STEPS[2], int, "by more clues", "cells, not steps, that more clues decide", _tally("more_clues"), _BOTH),
    Column(_S, STEPS[3], int, "by mine count", "cells, not steps, that the number of mines decides",
           _tally("mine_count"), _BOTH),
    Column(_S, "needs_mine_count", bool, "needs mine count", "true if the number of mines is needed",
           attrgetter("needs_mine_count")),
    Column(_S, "clues_at_once", int, "clues at once", "clues that the hardest step needs at once",
           attrgetter("clues_at_once"), _READ | _RANGE, heading="at once"),
    Column(_S, "difficulty", float, "difficulty score", "difficulty score, 0 or more", _rating("score"), _RANGE),
    Column(_S, "difficulty_word", str, "difficulty", "easy, medium, hard, expert or fiendish for its size",
           _rating("word"), _COUNT, heading="difficulty", order=_ranked("difficulty_word", WORDS)),
    Column(_S, EFFORT[0], int, "path steps", "steps of the solution path", _effort("steps"), _READ | _RANGE),
    Column(_S, EFFORT[1], int, "hard path steps", "its steps of more than two clues or with the mine count",
           _effort("hard_steps"), _READ | _RANGE),
    Column(_S, EFFORT[2], float, "open path steps", "its mean number of steps open at a time", _effort("open_steps"),
           _READ | _RANGE),
    Column(_S, EFFORT[3], int, "longest path wait", "most steps made while one of its steps is open",
           _effort("longest_wait"), _READ | _RANGE),
    Column(_S, "path", bytes, "stored path", "steps of the solution path, as JSON compressed by zlib",
           attrgetter("path")),
    *(Column(_M, one.name, int, read=_measure(one.name), use=_RANGE, **one.metadata) for one in DESCRIBED),
    Column(_M, "efficiency_bound", float, "efficiency bound", "3BV per click of the better plan",
           _measure("efficiency_bound"), _LIST, derived=True),
    Column(_M, "fewest_clicks", int, "fewest clicks", "clicks of the best plan that a short search finds",
           _on_plan(attrgetter("count")), derived=True),
    Column(_M, "efficiency", float, "efficiency", "3BV per click of that plan",
           _on_plan(attrgetter("efficiency")), derived=True),
    Column(_M, "first_opening", int, "first opening", "cells that the first click opens",
           _measure("first_opening"), _RANGE),
    Column(_M, "first_is_zero", bool, "first is a zero", "true if the first click is a zero", _first_is_zero,
           _COUNT, derived=True),
    Column(_M, "paper_tier", str, "paper tier", "hardest tier of the paper form, apart from the mine count",
           _on_paper(lambda form: form.hardest.title), derived=True, order=_ranked("paper_tier", _TIERS)),
    Column(_M, "paper_cells", int, "paper cells", "hidden cells of the paper form",
           _on_paper(lambda form: sum(form.tally)), derived=True),
    Column(_M, "paper_score", float, "paper score", "difficulty score of the paper form, apart from the mine count",
           _on_paper(lambda form: rate_solution(form.tally._replace(mine_count=0)).score), derived=True),
    Column(_O, "method", str, "method", "rejection, repair or imported", attrgetter("method"), _BOTH),
    Column(_O, "engine", str, "engine", "engine that solved it", attrgetter("engine"), _BOTH),
    Column(_O, "seed", int, "seed", "seed of its recipe", attrgetter("seed"), _BOTH),
    Column(_O, "sample_index", int, "index", "number of the board in its recipe", attrgetter("sample_index"), _BOTH),
    Column(_O, "certificate", str, "certificate", "proof of its solution", attrgetter("certificate"), _BOTH),
    Column(_O, "run", int, "run", "run that found it", attrgetter("run"), _LIST),
    Column(_O, "created", str, "stored (UTC)", "time when it was stored", attrgetter("created"), _LIST),
)
# fmt: on
# `puzzle_rows` fills in the first five, and SQLite the time.
_GIVEN: Final = ("id", "canonical_id", "mine_bits", "run", "needs_mine_count")
STORED: Final = [column for column in PUZZLE_COLUMNS if not column.derived]
"""The columns of the table ``puzzles``."""
# Measures of paths come last, so that they are left out where no paths are stored: NULLs take time.
_REST: Final = sorted(
    [column for column in STORED if column.name not in (*_GIVEN, "created", *MEASURES)],
    key=lambda column: column.name in (*EFFORT, "path"),
)
WRITTEN: Final = (*_GIVEN, *MEASURES, *(column.name for column in _REST))
"""The names of the columns of a `PuzzleRow`."""
COMPLETE: Final = tuple(
    one
    for one in PUZZLE_COLUMNS
    if one.name not in ("size", "boards", "first_click", "steps", "path", "fewest_clicks", "efficiency")
    and not one.name.startswith("paper_")
)
"""The columns of whole files: all except texts that repeat others, stored paths, plans of clicks and paper forms."""
EXPORTED: Final = tuple(one for one in COMPLETE if one.name not in ("mine_bits", "run", "created"))
"""The columns of CSV and Parquet files by default, and with ``first_click`` of JSON lines. They depend on no database,
and no spreadsheet changes a text of ``*`` and ``.`` as it does digits.
"""
_steps_in, _effort_in = itemgetter(*STEPS), itemgetter(*EFFORT)


def columns_for(use: Use) -> tuple[Column, ...]:
    """Return the columns of a use, in order."""
    return tuple(column for column in PUZZLE_COLUMNS if use in column.use)


def reader(columns: Iterable[Column]) -> Callable[[PuzzleRecord], dict[str, Value]]:
    """Return a function that reads columns of a record into a dictionary by name."""
    reads = [(column.name, column.read) for column in columns]
    return lambda record: {name: read(record) for name, read in reads}


def row_reader(columns: Iterable[Column]) -> Callable[[PuzzleRecord], list[Value]]:
    """Return a function that reads columns of a record into a list."""
    reads = [column.read for column in columns]
    return lambda record: [read(record) for read in reads]


_rest_of = row_reader(_REST)
_NOT_MEASURED: Final = (None,) * len(MEASURES)
_read_measures = attrgetter(*MEASURES)


def measures_of(measured: Measures | kernel.Metrics | None) -> tuple[int | None, ...]:
    """Return the values of `MEASURES`."""
    return _NOT_MEASURED if measured is None else tuple(_read_measures(measured))


def puzzle_rows(records: Iterable[PuzzleRecord], run: int | None) -> list[PuzzleRow]:
    """Return puzzles as rows of the columns `WRITTEN`."""
    records = list(records)
    ids = ids_of_many([record.puzzle for record in records])
    return [
        (
            *names,
            run,
            record.tally and int(record.tally.mine_count > 0),  # sqlite3 takes longer for a bool
            *measures_of(record.measured),
            *_rest_of(record),
        )
        for names, record in zip(ids, records, strict=True)
    ]


def column_named(name: str) -> Column:
    """Return a column by its name. Raise `DatabaseError` for an unknown one."""
    known = {column.name: column for column in PUZZLE_COLUMNS}
    if name in known:
        return known[name]
    raise DatabaseError(f"unknown column {name!r}{did_you_mean(name, known)}; columns: {', '.join(known)}")


def record_of(values: Mapping[str, Any], board: Board, **stored: Any) -> PuzzleRecord:
    """Build a record of a board from values by column name, and from fields that no file has: run, created, ..."""
    steps, effort = _steps_in(values), _effort_in(values)
    tally = None if None in steps else Tally._make(steps)
    return PuzzleRecord.unchecked(
        puzzle=Puzzle(board, (values["first_row"], values["first_col"])),
        start=values["start"],
        sample_index=values["sample_index"],
        seed=values["seed"],
        engine=values["engine"],
        method=values["method"],
        tally=tally,
        certificate=values["certificate"],
        clues_at_once=None if tally is None else values["clues_at_once"],
        effort=None if tally is None or None in effort else PathEffort(*effort),
        refuted=tally is None and values["verdict"] == UNSOLVABLE,
        **stored,
    )
