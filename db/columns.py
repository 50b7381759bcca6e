"""The one list of everything that is kept of a puzzle.

The columns of the table ``puzzles`` and of the view ``puzzle_list``, those of CSV and Parquet files, the keys of JSON
lines, the tables of ``packs`` and the captions of the printed book all come from `PUZZLE_COLUMNS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from enum import Enum, Flag, auto
from operator import attrgetter
from typing import Any, Final

from minesweeper.db.records import SOLVABLE, UNSOLVABLE, PuzzleRecord
from minesweeper.player.board import Board, Puzzle
from minesweeper.player.measure.metrics import Measures, puzzle_ids
from minesweeper.player.steps import Tally

Value = str | int | float | bytes | None
Read = Callable[[PuzzleRecord], Value]

DIGITS: Final = 3
"""So many digits of a number with a fraction are listed after the point."""
STEPS: Final = ("steps_1_clue", "steps_2_clues", "steps_more_clues", "steps_mine_count")
MEASURES: Final = tuple(field.name for field in fields(Measures))


class Group(Enum):
    """What a fact is about: the puzzle, its solution (which a proof finds), its measures, or where it comes from."""

    PUZZLE = auto()
    SOLUTION = auto()
    MEASURES = auto()
    ORIGIN = auto()


class Use(Flag):
    """Where a fact is found besides the table ``puzzles``.

    EXPORTED in the formats that are complete; LISTED by ``packs list`` and ``packs show`` and in the view
    ``puzzle_list``; in ``packs stats`` COUNTED by kind, or HISTOGRAM over a range of numbers.
    """

    EXPORTED = auto()
    LISTED = auto()
    COUNTED = auto()
    HISTOGRAM = auto()


_STORED_ONLY: Final = Use(0)


@dataclass(frozen=True)
class Column:
    """One thing that is kept of a puzzle.

    `key` is its name in files and lists, `title` its name for people. `type` is what its values are, where it is known
    at all, and `read` takes it from a record. `column` is its name in SQL if that is another; `sql` says how it follows
    from columns if it is none itself. `heading` is for the table of ``packs list``; `caption` words a value in the
    captions of the printed book, for those of `CAPTION`.
    """

    group: Group
    key: str
    type: type[int] | type[float] | type[str] | type[bytes]
    title: str
    meaning: str
    read: Read
    use: Use = _STORED_ONLY
    column: str = ""
    sql: str = ""
    heading: str = ""
    caption: Callable[[Any], str] = str

    @property
    def name(self) -> str:
        """Its name in SQL."""
        return self.column or self.key


def _tally(place: int) -> Read:
    return lambda record: None if record.tally is None else record.tally[place]


def _rating(name: str) -> Read:
    return lambda record: None if record.difficulty is None else getattr(record.difficulty, name)


def _measure(name: str) -> Read:
    return lambda record: None if record.measured is None else getattr(record.measured, name)


def _steps(record: PuzzleRecord) -> str | None:
    return None if record.tally is None else "/".join(map(str, record.tally))


def _first_is_zero(record: PuzzleRecord) -> int | None:
    if record.measured is None:
        return None
    # Only a zero opens more than itself, unless nothing more is there.
    board = record.puzzle.board
    return int(record.measured.first_opening > 1 or board.rows * board.cols == 1)


def _first_click(record: PuzzleRecord) -> str:
    return "{},{}".format(*record.puzzle.first_click)


_P, _S, _M, _O = Group
_FILE, _LIST = Use.EXPORTED, Use.LISTED
_BOTH, _KIND, _SPREAD = _FILE | _LIST, _LIST | Use.COUNTED, _LIST | Use.HISTOGRAM

# fmt: off
PUZZLE_COLUMNS: Final = (
    Column(_P, "id", str, "puzzle", "80 bits of a hash of the puzzle", attrgetter("puzzle.id"), _BOTH, heading="id",
         caption=lambda name: name[:12]),
    Column(_P, "canonical_id", str, "canonical id", "the same of all its turns and mirrors",
         lambda record: puzzle_ids(record.puzzle).canonical_id, _LIST),
    Column(_P, "rows", int, "rows", "rows of the board", attrgetter("puzzle.board.rows"), _FILE),
    Column(_P, "cols", int, "columns", "columns of the board", attrgetter("puzzle.board.cols"), _FILE),
    Column(_P, "size", str, "size", "rows x columns",
         lambda record: record.puzzle.board.name.partition("/")[0], _LIST, sql="rows || 'x' || cols",
         caption=lambda size: size.replace("x", " × ")),
    Column(_P, "mines", int, "mines", "mines on the board", attrgetter("puzzle.board.mines"), _BOTH,
         caption=lambda mines: "1 mine" if mines == 1 else f"{mines} mines"),
    Column(_P, "name", str, "board", "size and mines", attrgetter("puzzle.board.name"), _KIND, "board",
         "rows || 'x' || cols || '/' || mines", "board"),
    Column(_P, "first_row", int, "first row", "row of the first click, from 0",
         lambda record: record.puzzle.first_click[0], _FILE),
    Column(_P, "first_col", int, "first column", "column of the first click, from 0",
         lambda record: record.puzzle.first_click[1], _FILE),
    Column(_P, "first_click", str, "first click", "row and column of the first click, from 0", _first_click, _LIST,
         sql="first_row || ',' || first_col", heading="click"),
    Column(_P, "start", str, "start", "the start rule: opening or safe", attrgetter("rule"), _FILE | _KIND, "rule"),
    Column(_P, "board", bytes, "mine bits", "the mines, one bit a cell, row by row, most significant bit first",
         lambda record: record.puzzle.board.to_bytes(), _FILE, "mine_bits"),
    Column(_S, "verdict", str, "verdict", "solvable, unsolvable or unknown", attrgetter("verdict"), _FILE | _KIND,
         caption=lambda verdict: "" if verdict == SOLVABLE else verdict),
    Column(_S, "hardest_tier", str, "hardest tier", "the hardest tier that solving needs",
         attrgetter("hardest_tier"), _FILE | _KIND, heading="hardest", caption="hardest step: {}".format),
    Column(_S, "steps", str, "cells by tier", "cells decided by each tier", _steps, sql=" || '/' || ".join(STEPS),
         heading="1/2/3+/count"),
    Column(_S, STEPS[0], int, "by 1 clue", "cells decided by single clues", _tally(0), _BOTH),
    Column(_S, STEPS[1], int, "by 2 clues", "cells decided by two clues", _tally(1), _BOTH),
    Column(_S, STEPS[2], int, "by more clues", "cells decided by more clues", _tally(2), _BOTH),
    Column(_S, STEPS[3], int, "by mine count", "cells decided by the number of mines", _tally(3), _BOTH),
    Column(_S, "needs_mine_count", int, "needs mine count", "1 if the number of mines is needed, else 0",
         attrgetter("needs_mine_count")),
    Column(_S, "clues_at_once", int, "clues at once", "how many clues the hardest step needs at once",
         attrgetter("clues_at_once"), _FILE | _SPREAD, heading="at once"),
    Column(_S, "difficulty", float, "difficulty score", "how hard it is, 0 or more", _rating("score"), _SPREAD),
    Column(_S, "difficulty_word", str, "difficulty", "how hard it is for its size, in a word", _rating("word"), _KIND,
         heading="difficulty"),
    Column(_M, "bbbv", int, "3BV", "the least left clicks", _measure("bbbv"), _SPREAD, heading="3BV"),
    Column(_M, "openings", int, "openings", "openings of the board", _measure("openings"), _SPREAD),
    Column(_M, "islands", int, "islands", "groups of cells in no opening", _measure("islands"), _SPREAD),
    Column(_M, "greedy_zini", int, "greedy ZiNi", "clicks of the greedy plan", _measure("greedy_zini"), _SPREAD),
    Column(_M, "human_zini", int, "human ZiNi", "clicks of the human plan", _measure("human_zini"), _SPREAD),
    Column(_M, "efficiency_bound", float, "efficiency bound", "3BV per click of the better plan",
         _measure("efficiency_bound"), _LIST, sql="1.0 * bbbv / min(greedy_zini, human_zini)"),
    Column(_M, "first_opening", int, "first opening", "cells that the first click opens",
         _measure("first_opening"), _FILE | _SPREAD),
    Column(_M, "first_is_zero", int, "first is a zero", "1 if the first click is a zero, else 0", _first_is_zero,
         _KIND, sql="first_opening > 1 OR rows * cols = 1"),
    Column(_O, "method", str, "method", "how it was found", attrgetter("method"), _BOTH),
    Column(_O, "engine", str, "engine", "which engine solved it", attrgetter("engine"), _BOTH),
    Column(_O, "seed", int, "seed", "the seed of its recipe", attrgetter("seed"), _BOTH),
    Column(_O, "index", int, "index", "its number in its recipe", attrgetter("index"), _BOTH, "sample_index"),
    Column(_O, "certificate", str, "certificate", "what proved it", attrgetter("certificate"), _BOTH),
    Column(_O, "run", int, "run", "the run that found it", attrgetter("run"), _LIST, "run_id"),
    Column(_O, "created", str, "stored (UTC)", "when it was stored", attrgetter("created"), _LIST),
)
# fmt: on
CAPTION: Final = ("size", "mines", "verdict", "difficulty_word", "hardest_tier", "id")
"""What the caption of a puzzle in the printed book tells, by key, in this order."""


def used(use: Use) -> tuple[Column, ...]:
    """List the facts of a use, in order."""
    return tuple(fact for fact in PUZZLE_COLUMNS if use in fact.use)


def reader(facts: Iterable[Column]) -> Callable[[PuzzleRecord], dict[str, Value]]:
    """Return a function that lists these facts of a record by their keys."""
    reads = [(fact.key, fact.read) for fact in facts]
    return lambda record: {key: read(record) for key, read in reads}


def row_reader(facts: Iterable[Column]) -> Callable[[PuzzleRecord], list[Value]]:
    """Return a function that lists these facts of a record in their order."""
    reads = [fact.read for fact in facts]
    return lambda record: [read(record) for read in reads]


def caption_of(record: PuzzleRecord, keys: Iterable[str] = CAPTION) -> str:
    """Write the caption of a puzzle; what is not known, or goes without saying, is left out."""
    told = {fact.key: (fact.read(record), fact.caption) for fact in PUZZLE_COLUMNS if fact.key in CAPTION}
    parts = [write(value) for value, write in map(told.__getitem__, keys) if value is not None]
    return ", ".join(filter(None, parts))


def in_list(fact: Column) -> str:
    """Write what selects a fact for the view ``puzzle_list``; numbers with a fraction are rounded for people."""
    source = fact.sql or fact.name
    return f"{f'round({source}, {DIGITS})' if fact.type is float else source} AS {fact.name}"


def record_of(facts: Mapping[str, Any], board: Board, **known: Any) -> PuzzleRecord:
    """Build a record of a board from facts by their keys; `known` is what no file tells: run, created, measured."""
    steps = [facts[key] for key in STEPS]
    tally = None if None in steps else Tally(*steps)
    return PuzzleRecord(
        puzzle=Puzzle(board, (facts["first_row"], facts["first_col"])),
        rule=facts["start"],
        index=facts["index"],
        seed=facts["seed"],
        engine=facts["engine"],
        method=facts["method"],
        tally=tally,
        certificate=facts["certificate"],
        clues_at_once=None if tally is None else facts["clues_at_once"],
        refuted=tally is None and facts["verdict"] == UNSOLVABLE,
        **known,
    )
