"""JSON lines: round trips, and errors with their line."""

import io
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sample_records import sampled

from minesweeper.db import formats
from minesweeper.db.columns import PUZZLE_COLUMNS
from minesweeper.db.formats import jsonl
from minesweeper.db.formats.registry import JSON_LINES, format_of
from minesweeper.db.records import PuzzleRecord
from minesweeper.db.tables import table_of_records
from minesweeper.player.core.board import Board, Puzzle
from minesweeper.player.core.errors import FormatError
from minesweeper.player.core.steps import PathEffort, Tally


def line(**changes: Any) -> bytes:
    """Return the line of a small puzzle with changed keys; `...` removes a key."""
    board = Board.from_text("....\n...*\n*...")
    stream = io.BytesIO()
    record = PuzzleRecord(
        *(Puzzle(board, (0, 0)), "opening", 12, 7, "sat", "rejection", Tally(3, 3, 0, 0)),
        clues_at_once=2,
        effort=PathEffort(4, 0, 1.25, 1),
    )
    jsonl.write([table_of_records([record])], stream)
    changed = json.loads(stream.getvalue()) | changes
    return json.dumps({key: value for key, value in changed.items() if value is not ...}).encode()


def test_a_line_has_every_column() -> None:
    keys = set(json.loads(line()))
    stored = {column.name for column in PUZZLE_COLUMNS if not column.derived}
    assert stored - {"first_row", "first_col", "mine_bits", "path", "run", "created"} <= keys
    assert {"first_click", "efficiency_bound", "first_is_zero"} <= keys
    read = json.loads(line())
    assert (read["needs_mine_count"], read["first_is_zero"], read["first_click"]) == (False, True, [0, 0])


def test_the_example_in_the_docstring_is_correct() -> None:
    assert jsonl.__doc__ is not None
    example = jsonl.__doc__[jsonl.__doc__.index('{"id"') : jsonl.__doc__.index("}\n") + 1]
    written = " ".join(example.split()).encode()
    (record,) = jsonl.read(io.BytesIO(written))
    assert json.loads(line()) == json.loads(written)
    stream = io.BytesIO()
    jsonl.write([table_of_records([record])], stream)
    assert stream.getvalue() == written + b"\n"


def test_lines_are_read_one_at_a_time() -> None:
    stream = io.BytesIO(line() + b"\n\n  \n" + line() + b"\nnonsense\n" + line())
    found = jsonl.read(stream)
    assert next(found) == next(found)
    with pytest.raises(FormatError, match=r"line 5: invalid JSON .*nonsense"):
        next(found)


def test_a_short_line_is_enough_and_unknown_keys_are_ignored() -> None:
    short = dict.fromkeys(("id", "rows", "mines", "hardest_tier", "verdict"), ...)
    short |= {"seed": ..., "sample_index": ..., "certificate": "x"}
    (record,) = jsonl.read(io.BytesIO(b"\xef\xbb\xbf" + line(**short, stars=5)))
    assert (record.puzzle.board.mines, record.seed, record.sample_index, record.certificate) == (2, None, None, "x")


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        (b"[1]", "not a JSON object"),
        (b"\xff\xfe\xfd", "UTF-8 text"),
        (b"[" * 100_000, "invalid JSON"),
        (b'{"board": ' + b"9" * 5000 + b"}", "invalid JSON"),
        (b"{}", "the key 'board' is missing; keys: none"),
        (line(first_click=...), "the key 'first_click'"),
        (line(board="....\n...*\n*..."), "invalid board"),
        (line(board=["....", "..1*", "*..."]), "invalid board"),
        (line(board=[["."]]), "invalid board"),
        (line(board=["....", "...", "*..."]), "3 cells in row 2 of the board; expected 4"),
        (line(board=[]), "the board is empty"),
        (line(board=["." * 4001]), "is out of range"),
        (line(first_click=[2, 0]), "is a mine"),
        (line(first_click=[0, 4]), "cell of 3x4"),
        (line(first_click=[-1, 0]), "invalid first_click"),
        (line(first_click=[True, 0]), "invalid first_click"),
        (line(first_click="0,0"), "invalid first_click"),
        (line(start="lucky"), "invalid start 'lucky'; expected opening or safe"),
        (line(start=["opening"]), "invalid start"),
        (line(sample_index=-1), "invalid sample_index"),
        (line(engine=7), "invalid engine"),
        (line(method="two\nlines"), "invalid method"),
        (line(certificate="\ud800"), "invalid certificate"),
        (line(id="0" * 20), "invalid id"),
        (line(size="4x3"), "invalid size '4x3'; expected \"3x4\""),
        (line(rows=4), "invalid rows 4; expected 3"),
        (line(cols="x"), "invalid cols 'x'; expected a number"),
        (line(steps_1_clue=-1), "invalid steps_1_clue -1"),
        (line(seed=2**63), "invalid seed"),
        (line(path_steps=1.5), "invalid path_steps 1.5"),
        (line(path_open_steps=-0.5), "invalid path_open_steps -0.5; expected a number of 0 or more"),
        (line(path_open_steps=float("nan")), "invalid path_open_steps nan"),
        (line(path_open_steps="many"), "invalid path_open_steps 'many'"),
        (line(path_open_steps=True), "invalid path_open_steps True"),
        (line(verdict="unknown"), "invalid verdict 'unknown'; expected \"solvable\""),
        (line(mines=3), "invalid mines 3; expected 2"),
        (line(hardest_tier="mine count"), "invalid hardest_tier 'mine count'; expected \"2 clues\""),
    ],
)
def test_a_bad_line_is_named(bad: bytes, complaint: str) -> None:
    with pytest.raises(FormatError) as caught:
        list(jsonl.read(io.BytesIO(line() + b"\n" + bad)))
    assert str(caught.value).startswith("line 2: ")
    assert complaint in str(caught.value)
    assert len(str(caught.value)) < 400


def test_the_format_follows_from_the_extension() -> None:
    assert format_of("a/pack.JSONL") is format_of(Path("pack.ndjson")) is JSON_LINES
    for name in ("pack", "pack.doc", ".jsonl", "pack.jsonl.gz"):
        with pytest.raises(FormatError, match=f"unknown file extension in '{name}'"):
            format_of(name)


def test_only_a_complete_file_replaces_another(tmp_path: Path) -> None:
    path, link = tmp_path / "pack.jsonl", tmp_path / "link.jsonl"
    link.symlink_to(path)
    assert formats.save([sampled(0)], path) == 1

    def interrupted() -> Iterator[PuzzleRecord]:
        yield sampled(1)
        raise KeyboardInterrupt

    before = path.read_bytes()
    with pytest.raises(KeyboardInterrupt):
        formats.save(interrupted(), path)
    assert path.read_bytes() == before
    assert formats.save([sampled(1), sampled(2)], link) == 2
    with path.open("rb") as stream:
        assert list(jsonl.read(stream)) == [sampled(1), sampled(2)]
    assert sorted(tmp_path.iterdir()) == [link, path]
    assert link.is_symlink()


def test_a_path_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "folder.jsonl").mkdir()
    for path in (tmp_path / "folder.jsonl", tmp_path / "nowhere" / "pack.jsonl"):
        with pytest.raises(OSError, match=str(path)) as caught:
            formats.save([sampled(0)], path)
        assert os.fspath(caught.value.filename) == str(path)
    assert [path.name for path in tmp_path.iterdir()] == ["folder.jsonl"]
