"""Every exchange format: round trips, known examples, and invalid files."""

import csv
import hashlib
import io
import json
import re
import sqlite3
import tracemalloc
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow
import pytest
from hypothesis import given, settings, strategies as st
from pyarrow import parquet
from sample_records import BOARDS_ONLY, COMPLETE, RECIPE, WITH_CLICK, records, sampled, saved_game

from minesweeper import HIDDEN, Board, Game, Grid, Puzzle, Recipe, Store, View, paper_form, read_position, solution_path
from minesweeper.db import formats
from minesweeper.db.formats import jsonl, mbf, mine, ptt, reading, save, sgt
from minesweeper.db.formats.board_text import to_text as board_text
from minesweeper.db.formats.format import MAX_BYTES, imported_record
from minesweeper.db.formats.positions import read_shown, write_drawn
from minesweeper.db.formats.registry import FORMATS, Format, format_named
from minesweeper.db.records import PuzzleRecord
from minesweeper.generator import puzzles
from minesweeper.player.core.errors import BoardError, FormatError
from minesweeper.player.core.steps import PathEffort
from minesweeper.player.render.text import draw

TATHAM = "9x9:4,4,mb071b49fbd1cb6a0d5868"
PLAIN = "9x9:4,4,u004000007c00010022080"
READABLE = [*COMPLETE, *WITH_CLICK, *BOARDS_ONLY]


def read(path: Path, pack: Format) -> list[PuzzleRecord | Board]:
    with reading(path, pack) as found:
        return list(found)


def unproved(record: PuzzleRecord) -> PuzzleRecord:
    return replace(record, tally=None, clues_at_once=None, effort=None, certificate=None)


def test_every_format_is_tested() -> None:
    assert {*READABLE, "html", "pdf", "svg", "png", "text", "link"} == {known.name for known in FORMATS}


def test_solution_paths_are_written_with_their_puzzles(tmp_path: Path) -> None:
    packed = [sampled(index) for index in range(5)]
    assert save(packed, tmp_path / "a.path") == 5
    lines = [json.loads(line) for line in (tmp_path / "a.path").read_text().splitlines()]
    assert lines == [solution_path(record.puzzle).to_json() for record in packed]


def test_saved_games_of_sgt_are_puzzles() -> None:
    params, _, described = TATHAM.partition(":")
    _, _, plain = PLAIN.partition(":")
    game = saved_game(PARAMS=params, DESC=described, NSTATES="2", MOVE="O1,1")
    private = saved_game(PARAMS=params, DESC="r1,u,cafe", PRIVDESC=plain)
    assert sgt.looks_like(game)
    read = list(sgt.read(io.BytesIO(game + private + game)))
    assert [record.puzzle for record in read if isinstance(record, PuzzleRecord)] == [sgt.from_id(TATHAM)] * 3


@pytest.mark.parametrize(
    ("game", "complaint"),
    [
        (saved_game(GAME="Solo"), "saved game of 'Solo'; expected one of Mines"),
        (saved_game(), "PARAMS or DESC is missing in the saved game"),
        (saved_game(DESC="r10,u,cafe"), "no mines yet; click first, then save: 'r10,u,cafe'"),
        (saved_game(DESC="4,4,m00"), "2 hexadecimal digits; expected 21"),
        (saved_game(DESC="4,4,m00", AUXINFO="0" * (1 << 21)) + b"UI:2:D0\n", "too long; expected at most 1 MiB"),
    ],
)
def test_saved_games_without_a_puzzle_are_explained(game: bytes, complaint: str) -> None:
    with pytest.raises(FormatError, match=re.escape(complaint)):
        list(sgt.read(io.BytesIO(game)))


@pytest.mark.parametrize("name", COMPLETE)
@given(
    expected=st.lists(records(), min_size=1, max_size=4, unique_by=lambda record: record.id), known=st.integers(0, 2)
)
@settings(max_examples=8)
def test_complete_formats_keep_everything(
    tmp_path_factory: pytest.TempPathFactory, name: str, expected: list[PuzzleRecord], known: int
) -> None:
    path = tmp_path_factory.mktemp("pack") / f"pack.{name}"
    expected = [[record, unproved(record), replace(unproved(record), refuted=True)][known] for record in expected]
    assert save(expected, path) == len(expected)
    assert read(path, format_named(name)) == expected


@pytest.mark.parametrize("name", [*WITH_CLICK, *BOARDS_ONLY])
@given(record=records())
@settings(max_examples=12)
def test_other_formats_keep_the_board(
    tmp_path_factory: pytest.TempPathFactory, name: str, record: PuzzleRecord
) -> None:
    path = tmp_path_factory.mktemp("pack") / f"pack.{name}"
    assert save([record], path) == 1
    (found,) = read(path, format_named(name))
    if name in WITH_CLICK:
        assert isinstance(found, PuzzleRecord)
        assert (found.puzzle, found.tally, found.method) == (record.puzzle, None, "imported")
    else:
        assert found == record.puzzle.board


@given(record=records())
@settings(max_examples=20)
def test_game_ids_are_read_masked_or_not(record: PuzzleRecord) -> None:
    for masked in (True, False):
        assert sgt.from_id(sgt.to_id(record.puzzle, masked=masked)) == record.puzzle


def test_the_bits_of_a_game_id_have_no_gap_between_rows_and_begin_with_the_highest() -> None:
    """By hand: the rows *.*.. ..*.. *...* are the bits 1010 0001 0010 001, and a zero fills the last digit."""
    puzzle = Puzzle(Board.from_text("*.*..\n..*..\n*...*"), (0, 4))
    assert sgt.to_id(puzzle, masked=False) == "5x3:4,0,ua122"
    assert sgt.from_id("5x3:4,0,ua122") == puzzle
    # To mask them, the first half is XORed with the SHA-1 of the second one and "0", then the second with that of it.
    first = 0xA1 ^ hashlib.sha1(b"\x22" + b"0").digest()[0]
    second = (0x22 ^ hashlib.sha1(bytes([first]) + b"0").digest()[0]) & 0xFE
    assert sgt.to_id(puzzle) == f"5x3:4,0,m{first:02x}{second:02x}"


def test_the_mask_of_a_long_game_id_goes_on_after_20_bytes() -> None:
    def xor(data: bytes, seed: bytes) -> bytes:
        mask = b"".join(hashlib.sha1(seed + number).digest() for number in (b"0", b"1"))
        return bytes(one ^ other for one, other in zip(data, mask, strict=False))

    puzzle = Recipe("16x30/99", seed=3).puzzle(0)
    data = puzzle.board.to_bytes()
    first = xor(data[:30], data[30:])
    assert sgt.to_id(puzzle).endswith("m" + (first + xor(data[30:], first)).hex())


def test_addresses_and_comments_are_read_with_game_ids(tmp_path: Path) -> None:
    path = tmp_path / "pack"
    address = "https://www.chiark.greenend.org.uk/~sgtatham/puzzles/js/mines.html#"
    for text in (f"# one\n\n{address}{TATHAM}\n#two\n{TATHAM}\n", f"{address}{TATHAM}\n{address}{PLAIN}"):
        path.write_text(text)
        with reading(path) as found:
            read = [one.puzzle for one in found if isinstance(one, PuzzleRecord)]
        assert read == [sgt.from_id(TATHAM)] * 2


def test_tathams_example_and_its_url() -> None:
    puzzle = sgt.from_id(TATHAM)
    assert puzzle == sgt.from_id(PLAIN) == sgt.from_id(TATHAM.replace(":", "n10:", 1))
    assert (sgt.to_id(puzzle), sgt.to_id(puzzle, masked=False)) == (TATHAM, PLAIN)
    assert ptt.to_query(puzzle.board) == "b=1&m=0100003s000g08g80"
    assert ptt.from_url("https://example.org/ms/#/board?m=0100003S000g08g80&x=1&b=1") == puzzle.board


@pytest.mark.parametrize(
    ("rows", "cols", "size"), [(9, 9, "1"), (16, 16, "2"), (16, 30, "3"), (30, 16, "1630"), (5, 100, "100005")]
)
def test_urls_name_sizes(rows: int, cols: int, size: str) -> None:
    board = Board.from_cells(Grid(rows, cols), [(0, 1), (rows - 1, cols - 1)])
    query = ptt.to_query(board)
    assert query.startswith(f"b={size}&m=8")
    assert ptt.from_url(query) == board


def test_mbf_bytes() -> None:
    board = Board.from_cells(Grid(2, 3), [(0, 2), (1, 0)])
    assert mbf.to_bytes(board) == bytes([3, 2, 0, 2, 2, 0, 0, 1])
    assert mbf.from_bytes(bytes([3, 2, 0, 2, 0, 1, 2, 0])) == board
    many = Board.from_cells(Grid(20, 20), [divmod(cell, 20) for cell in range(300)])
    assert mbf.to_bytes(many)[:4] == bytes([20, 20, 1, 44])
    assert mbf.from_bytes(mbf.to_bytes(many)) == many
    with pytest.raises(FormatError, match="1x256/0 is too large"):
        mbf.to_bytes(Board.from_cells(Grid(1, 256), []))


@given(record=records())
@settings(max_examples=20)
def test_views_are_read_in_every_text_form(record: PuzzleRecord) -> None:
    game = Game(record.puzzle.board)
    game.open(record.puzzle.first_click)
    view = game.view
    assert read_position(view.to_text()) == read_position(mine.to_text(view)) == read_position(board_text(view)) == view
    assert read_position("\ufeff" + mine.to_text(view).replace("\n", "\r\n")) == view


def test_marks_are_hidden_cells_of_a_view() -> None:
    view = View(np.array([[HIDDEN, 1], [1, HIDDEN]], dtype=np.int8), 1)
    for text in ("2x2x1\nF1\n1H", "2x2x1\nh1\n1?\n", "2x2x1\nM1\n1m"):
        assert read_position(text) == view
    for marks in ("U1\n1F", "?1\n1X", "@1\n1#"):
        head = "# MINESWEEPER-BOARD v0.1\n# Render: ascii\n# by hand\nauthor: a:b\nrows: 2\ncolumns: 2\nmines: 1\n\n"
        assert read_position(f"{head}[real]\n*1\n11\n\n[view]\n{marks}\n") == view


def test_a_drawing_is_a_view_a_puzzle_or_a_board() -> None:
    view, board = View.from_text("2x3/1 hex\n1##\n1##"), Board.from_text("..*\n...")
    drawn = draw(view)
    assert read_shown(f"game 7\n{drawn}\nboard 2x3/1 hex\n") == view
    assert read_shown(f"{drawn}\nmines 1\n") == read_shown(drawn, 1) == View(view.cells, 1)
    assert read_shown(f"{draw(board)}\nfirst click 1,0\n") == Puzzle(board, (1, 0))
    # A first click beside hidden cells is no puzzle, and a drawing ends where its rows do.
    assert read_shown(f"{drawn}\nfirst click 0,0\nmines 1\n") == View(view.cells, 1)
    assert read_shown(f"{drawn}\n7 1 # #\nmines 1\n") == View(view.cells, 1)
    with pytest.raises(FormatError, match=r"the drawing shows 2x3 cells; expected all of 3x3"):
        read_shown(f"{drawn}\nboard 3x3/1\n")
    with pytest.raises(FormatError, match="lacks the number of mines"):
        read_shown(drawn)


def test_a_drawn_position_with_all_its_mines_is_written_as_a_puzzle() -> None:
    written = write_drawn(["01*", "012", "#2*"], 2, "sgt")
    assert read_shown(io.BytesIO(written)) == Puzzle(Board.from_text("..*\n...\n..*"), (0, 0))


def test_a_puzzle_of_a_pack_is_chosen_by_its_index(tmp_path: Path) -> None:
    found = [RECIPE.puzzle(index) for index in range(3)]
    save([imported_record(puzzle) for puzzle in found], tmp_path / "three.jsonl")
    assert [read_shown(tmp_path / "three.jsonl", index=index) for index in range(3)] == found
    with pytest.raises(FormatError, match="no puzzle with index 3 in JSON lines; puzzles: 3"):
        read_shown(tmp_path / "three.jsonl", index=3)


def test_the_view_in_the_json_of_analyse_is_read() -> None:
    found = {"view": ["1##", "1##"], "mines": 1, "grid": "hex"}
    assert read_shown(json.dumps(found)) == View.from_text("2x3/1 hex\n1##\n1##")
    for wrong in ({"mines": "one"}, {"mines": 1.5}, {"view": "1##"}, {"view": [1]}):
        with pytest.raises((FormatError, BoardError)):
            read_shown(json.dumps(found | wrong))


def test_a_view_is_not_read_as_a_board() -> None:
    with pytest.raises(FormatError, match="view with 1 hidden cells"):
        mine.board_from_text("2x2x1\nF1\n1H")
    with pytest.raises(FormatError, match=r"clue 2 at \(1, 1\) is wrong; expected 1"):
        mine.board_from_text("2x2x1\nF1\n12")


@pytest.mark.parametrize("name", ["mbf", "mine", "board", "svg"])
def test_formats_for_one_puzzle_refuse_two(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"pack.{name}"
    with pytest.raises(FormatError, match=f"the format {name} holds one puzzle"):
        save([sampled(0), sampled(1)], path)
    assert list(tmp_path.iterdir()) == []
    assert formats.save_each([sampled(0), sampled(1)], tmp_path, format_named(name)) == 2
    assert {file.stem for file in tmp_path.iterdir()} == {sampled(0).id, sampled(1).id}


HUGE = b"1000000000x1000000000"
DIGITS = b"9" * 1_000_000
HOSTILE = {
    "empty": b"",
    "zip": b"PK\x03\x04" + bytes(range(256)) * 40,
    "gzip": b"\x1f\x8b\x08" + bytes(range(256)) * 40,
    "utf-16": "9x9:4,4,mb071b49f\n".encode("utf-16"),
    "latin-1": "b=é&m=0".encode("latin-1"),
    "nul": bytes(5000),
    "digits": DIGITS,
    "huge sgt": HUGE + b":4,4,m00",
    "huge mine": HUGE + b"x5\nHHH\n",
    "long mine": DIGITS + b"x" + DIGITS + b"x5\nHHH\n",
    "huge url": b"b=9999999999999999&m=" + b"0" * 500_000,
    "huge board": b"# MINESWEEPER-BOARD v0.1\nrows: 1000000000\ncolumns: 1000000000\nmines: 1\n\n[real]\n*\n",
    "huge csv": b"rows,cols,board\n1000000000,1000000000,00\n",
    "long csv": b"rows,cols,board\n" + DIGITS + b",1,00\n",
    "quoted csv": b'"' * 100_001,
    "huge mbf": b"\xff\xff\xff\xff" + b"\x00" * 50,
    "huge jsonl": b'{"board": [' + b'"",' * 300_000 + b'""], "first_click": [1e9999, 0]}\n',
    "deep jsonl": b"[" * 1_000_000,
    "long jsonl": b'{"board": ' + DIGITS + b"}",
    "database": b"SQLite format 3\0" + bytes(4000),
    "parquet": b"PAR1" + b"\xff" * 4000 + b"\xff\xff\xff\x7fPAR1",
}


@pytest.mark.parametrize("junk", HOSTILE)
@pytest.mark.parametrize("name", READABLE)
def test_junk_is_refused_in_one_line(tmp_path: Path, name: str, junk: str) -> None:
    path = tmp_path / "pack"
    path.write_bytes(HOSTILE[junk])
    if junk == "empty" and name in ("jsonl", "csv", "sgt", "ptt", "path"):
        assert read(path, format_named(name)) == []
        return
    tracemalloc.start()
    try:
        with pytest.raises((FormatError, BoardError)) as caught:
            read(path, format_named(name))
        assert tracemalloc.get_traced_memory()[1] < 64 * 2**20
    finally:
        tracemalloc.stop()
    assert 0 < len(str(caught.value)) < 500
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", READABLE)
def test_truncated_files_yield_no_other_puzzle(tmp_path: Path, name: str) -> None:
    whole, path = tmp_path / f"whole.{name}", tmp_path / "cut"
    save([sampled(0)], whole)
    (expected,) = read(whole, format_named(name))
    data = whole.read_bytes()
    for length in sorted({*range(0, len(data), max(1, len(data) // 40)), len(data) - 1}):
        path.write_bytes(data[:length])
        try:
            found = read(path, format_named(name))
        except (FormatError, BoardError):
            continue
        assert found in ([], [expected])


class Endless(io.RawIOBase):
    """A file without end and without line breaks."""

    def __init__(self) -> None:
        self.given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        buffer[:] = b"0" * len(buffer)
        self.given += len(buffer)
        return len(buffer)


@pytest.mark.parametrize("name", [known.name for known in FORMATS if known.readable and not known.in_file])
def test_no_more_than_one_puzzle_is_read_into_memory(name: str) -> None:
    endless = Endless()
    with (
        pytest.raises(FormatError, match="at most 16 MiB"),
        format_named(name).reading(io.BufferedReader(endless)) as found,
    ):
        list(found)
    assert endless.given < MAX_BYTES + 2**20


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        ("9x9:r10,u,abc", "no mines yet"),
        ("9x9n10a#12345", "no mines yet"),
        ("30x16n99#1", "no mines yet"),
        ("9x9:4,4,m00", "2 hexadecimal digits; expected 21 for 81 cells"),
        ("9x9:4,4,u004000007c00010022081", "zeros after the last of 81"),
        ("9x9n11:4,4,u004000007c00010022080", "10 mines; expected 11"),
        ("9x9:4,9,u004000007c00010022080", "cell of 9x9"),
        ("9x9:0,1,u004000007c00010022080", "is a mine"),
        ("0x9:4,4,u00", "is out of range"),
        ("hello", "WxH:x,y,mHEX"),
    ],
)
def test_a_bad_game_id_is_explained(bad: str, complaint: str) -> None:
    with pytest.raises((FormatError, BoardError)) as caught:
        list(sgt.read(io.BytesIO(f"{TATHAM}\n\n{bad}\n{TATHAM}\n".encode())))
    assert str(caught.value).startswith("line 3: ")
    assert complaint in str(caught.value)


def test_reading_goes_on_after_a_bad_record() -> None:
    reader = sgt.read(io.BytesIO(f"{TATHAM}\nnonsense\n{PLAIN}\n".encode()))
    first = next(reader)
    with pytest.raises(FormatError, match="line 2"):
        next(reader)
    assert list(reader) == [first]


def test_a_database_pack_is_one_file_that_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "pack.db"
    assert save([sampled(0), sampled(1), sampled(0)], path) == 2
    assert list(tmp_path.iterdir()) == [path]
    before = path.read_bytes()
    assert read(path, format_named("db")) == [sampled(0), sampled(1)]
    assert path.read_bytes() == before
    with Store(path, create=False) as store:
        assert list(store.puzzles()) == [sampled(0), sampled(1)]


@pytest.mark.parametrize(
    "trick",
    [
        "DROP TABLE puzzles; CREATE VIEW puzzles AS "
        "WITH RECURSIVE forever(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM forever) SELECT * FROM forever",
        "DROP TABLE puzzles; CREATE TABLE puzzles (id, rows)",
        "PRAGMA ignore_check_constraints = 1; UPDATE puzzles SET rows = 1000000000",
        "PRAGMA ignore_check_constraints = 1; UPDATE puzzles SET mine_bits = zeroblob(20000000)",
        "PRAGMA ignore_check_constraints = 1; UPDATE puzzles SET start = x'ff', engine = x'00'",
    ],
)
def test_a_hostile_database_is_refused(tmp_path: Path, trick: str) -> None:
    path = tmp_path / "pack.db"
    save([sampled(0)], path)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(trick)
    with pytest.raises(FormatError) as caught:
        read(path, format_named("db"))
    assert "\n" not in str(caught.value)


def test_a_database_that_is_no_longer_read_is_closed(tmp_path: Path) -> None:
    """After an error it stayed open until the garbage collector, in any thread, closed it."""
    path = tmp_path / "pack.db"
    save([sampled(0), sampled(1)], path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints = 1")
        connection.execute("UPDATE puzzles SET mine_bits = x'00' WHERE rowid = 1")
    with pytest.raises(FormatError), reading(path) as reader:
        next(reader)
    assert list(reader) == []


def decoded(link: str) -> list[list[int]]:
    """Decode a link as the documentation of pzprjs describes ``Number16``: rows of clues, -1 for empty cells."""
    genre, cols, rows, body = link.partition("?")[2].split("/")
    assert genre == "mines"
    cells: list[int] = []
    for char in body:
        cells += [int(char, 16)] if char in "0123456789abcdef" else [-1] * (int(char, 36) - 15)
    assert len(cells) == int(rows) * int(cols)
    return [cells[start : start + int(cols)] for start in range(0, len(cells), int(cols))]


def test_the_decoder_reads_the_example_of_pzprjs() -> None:
    rows = [[-1, 2, -1, -1, -1], [-1, -1, -1, -1, 1], [3, -1, -1, -1, -1], [-1, -1, 1, 3, -1], [0, -1, -1, -1, -1]]
    assert decoded("https://puzz.link/p?mines/5/5/g2m13l13g0j") == rows


@pytest.mark.kernel
def test_links_hold_forms_that_need_no_mine_count() -> None:
    stream = io.BytesIO()
    packed = [sampled(index) for index in range(10)]
    format_named("link").write(packed, stream)
    for record, link in zip(packed, stream.getvalue().decode().splitlines(), strict=True):
        assert decoded(link) == paper_form(record.puzzle, mine_count=False).cells.tolist()


@pytest.mark.kernel
def test_paper_forms_are_read_back(tmp_path: Path) -> None:
    for clues in ("minimal", "easy", 3):
        save([sampled(1)], tmp_path / "one.txt", format_named("text").with_options(clues=clues))
        form = paper_form(sampled(1).puzzle, clues)
        assert read_position(tmp_path / "one.txt") == form
        save([sampled(1)], tmp_path / "one.json", format_named("json").with_options(clues=clues))
        (found,) = json.loads((tmp_path / "one.json").read_text())
        assert View.from_text("\n".join(found["paper"]), found["mines"]) == form
        save([sampled(1)], tmp_path / "one.svg", format_named("svg").with_options(clues=clues))
        drawn = re.findall(r">(\d)</text>", (tmp_path / "one.svg").read_text())
        assert len(drawn) == int((form.cells != HIDDEN).sum())


@pytest.mark.parametrize("name", ["json", "jsonl", "csv", "parquet"])
def test_columns_are_chosen(tmp_path: Path, name: str) -> None:
    columns, path = ["bbbv", "board", "mine_bits", "difficulty_word"], tmp_path / f"pack.{name}"
    columns = [key for key in columns if key != "mine_bits" or name in ("csv", "parquet")]
    save([sampled(0), sampled(1)], path, format_named(name).with_options(columns=columns))
    if name == "parquet":
        rows = parquet.read_table(path).to_pylist()
    elif name == "csv":
        rows = list(csv.DictReader(path.read_text().splitlines()))
    else:
        text = path.read_text()
        rows = json.loads(text) if name == "json" else list(map(json.loads, text.splitlines()))
    assert [list(row) for row in rows] == [columns, columns]
    board = sampled(1).puzzle.board
    if "mine_bits" in columns:
        assert rows[1]["mine_bits"] == board.to_bytes().hex()
        rows[1]["board"] = rows[1]["board"].split("/")
    assert rows[1]["board"] == str(board).splitlines()
    with pytest.raises(FormatError, match="unknown column 'bbv' \\(did you mean 'bbbv'\\?\\); columns: id, "):
        save([sampled(0)], path, format_named(name).with_options(columns=["bbv"]))


def test_the_tables_had_different_columns(tmp_path: Path) -> None:
    for name in ("csv", "parquet", "jsonl"):
        save([sampled(0)], tmp_path / f"pack.{name}")
    (row,) = csv.DictReader((tmp_path / "pack.csv").read_text().splitlines())
    (line,) = map(json.loads, (tmp_path / "pack.jsonl").read_text().splitlines())
    assert parquet.read_schema(tmp_path / "pack.parquet").names == list(row)
    assert row.keys() - {"first_row", "first_col"} == line.keys() - {"first_click"}
    (cells,) = parquet.read_table(tmp_path / "pack.parquet").to_pylist()
    assert cells["grid"] == row["grid"] == line["grid"] == "rectangle"
    assert {name: "" if value is None else str(value) for name, value in cells.items()} == row | {
        name: str(cells[name]) for name in ("needs_mine_count", "first_is_zero")
    }


@pytest.mark.kernel
@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.name)
def test_the_bytes_depended_on_the_time_and_the_run(tmp_path: Path, known: Format) -> None:
    first, again = (tmp_path / f"{name}{known.extensions[0]}" for name in ("first", "again"))
    save([replace(sampled(0), run=1, created="2026-01-02 03:04:05")], first)
    save([replace(sampled(0), run=2, created="2027-01-02 03:04:05")], again)
    assert first.read_bytes() == again.read_bytes()
    if known.name == "db":
        with closing(sqlite3.connect(first)) as connection:
            assert connection.execute("SELECT created, run FROM puzzles").fetchall() == [("", None)]


def test_libreoffice_rounded_ids_of_digits() -> None:
    """By LibreOffice 7.4, from CSV to XLSX and back: two ids are 1.91864100639446E+018 and the like."""
    with reading(Path(__file__).with_name("libreoffice.csv")) as found:
        read = list(found)
    numbers = [10782, 14740, 25690, 38875, 78999]
    assert [one.puzzle for one in read if isinstance(one, PuzzleRecord)] == [RECIPE.puzzle(one) for one in numbers]


SPREADSHEETS = {
    "semicolons and decimal commas": lambda text: text.replace(",", ";").replace("1.375", "1,375"),
    "a mark, tabs and empty rows": lambda text: "\ufeff" + text.replace(",", "\t") + "\t" * 37 + "\r\n",
    "quoted cells": lambda text: re.sub("[^,\n]+", lambda field: f'"{field[0]}"', text).replace("\n", "\r\n"),
    "mine bits without their zeros": lambda text: text.replace("certificate\n", "mine_bits\n").replace(",\n", ",123\n"),
}


@pytest.mark.parametrize("change", SPREADSHEETS)
def test_a_table_that_a_spreadsheet_wrote_was_refused(tmp_path: Path, change: str) -> None:
    expected = [replace(sampled(index), effort=PathEffort(3, 1, 1.375, 2)) for index in range(3)]
    save(expected, tmp_path / "pack.csv")
    (tmp_path / "pack").write_text(SPREADSHEETS[change]((tmp_path / "pack.csv").read_text()), newline="")
    with reading(tmp_path / "pack") as found:
        assert list(found) == expected


def test_a_table_needs_a_board_and_a_click(tmp_path: Path) -> None:
    path = tmp_path / "pack.csv"
    path.write_text("board,first_row,first_col\n..*/...,1,0\n")
    (record,) = read(path, format_named("csv"))
    assert isinstance(record, PuzzleRecord)
    assert record.puzzle == Puzzle(Board.from_text("..*\n..."), (1, 0))
    for head, missing in (("board,first_row", "first_col"), ("first_row,first_col,mine_bits,rows", "cols")):
        path.write_text(f"{head}\n")
        with pytest.raises(FormatError, match=f"the column {missing} is missing"):
            read(path, format_named("csv"))


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ("00123,9,9,4,4,", "A spreadsheet may have changed them: export the column board instead"),
        (",,,4,4,", "the column board is empty"),
        (",,,0,0,.*,,1,0,0,0,1,0,1375,0", "invalid path_open_steps 1375; expected at most 1, the path_steps; if a"),
    ],
)
def test_a_damaged_row_names_the_column_to_export(tmp_path: Path, row: str, complaint: str) -> None:
    names = "mine_bits,rows,cols,first_row,first_col,board,verdict,steps_1_clue,steps_2_clues,steps_more_clues"
    names += ",steps_mine_count,path_steps,path_hard_steps,path_open_steps,path_longest_wait"
    (tmp_path / "pack.csv").write_text(f"{names}\n{row.ljust(names.count(',') - row.count(',') + len(row), ',')}\n")
    with pytest.raises(FormatError, match=complaint):
        read(tmp_path / "pack.csv", format_named("csv"))


@pytest.mark.parametrize("indent", [None, 0, 2])
def test_arrays_of_other_programs_are_read(tmp_path: Path, indent: int | None) -> None:
    packed = [sampled(index) for index in range(20)]
    (tmp_path / "a.json").write_text(json.dumps([jsonl.puzzle_to_json(record) for record in packed], indent=indent))
    assert read(tmp_path / "a.json", format_named("json")) == packed
    (tmp_path / "a.json").write_text((tmp_path / "a.json").read_text()[:-9])
    with pytest.raises(FormatError, match="invalid JSON"):
        read(tmp_path / "a.json", format_named("json"))


@pytest.mark.kernel
def test_parquet_has_paths_in_a_nested_column(tmp_path: Path) -> None:
    solved = [replace(sampled(index), puzzle=puzzle) for index, puzzle in enumerate(puzzles(RECIPE, 3))]
    save(solved, tmp_path / "with.parquet", format_named("parquet").with_options(steps=True))
    table = parquet.read_table(tmp_path / "with.parquet")
    found = [[step.to_json() for step in solution_path(record.puzzle).steps] for record in solved]
    assert table.column("path").to_pylist() == found
    assert read(tmp_path / "with.parquet", format_named("parquet")) == solved


def test_formats_refuse_the_options_of_others() -> None:
    with pytest.raises(FormatError, match="the format csv has no --steps; expected parquet or html or pdf"):
        format_named("csv").with_options(steps=True)
    with pytest.raises(FormatError, match="the format link has no --per-page; expected html or pdf"):
        format_named("link").with_options(per_page=3)


def test_notebooks_draw_boards_views_and_puzzles() -> None:
    puzzle = Puzzle(Board.from_text("..*\n...\n..."), (2, 0))
    game = Game(puzzle.board)
    game.open(puzzle.first_click)
    for drawn, mines, ones in (
        (puzzle.board, 1, 3),
        (puzzle, 0, 3),
        (game.view, 0, 3),
        (View.hidden(Grid(3, 3), 1), 0, 0),
    ):
        text = drawn._repr_svg_()
        assert text.startswith("<svg ")
        assert text.endswith("</svg>")
        assert (text.count("<circle"), text.count(">1</text>")) == (mines, ones)


def test_invalid_utf_8_in_parquet_is_named(tmp_path: Path) -> None:
    path = tmp_path / "pack.parquet"
    assert save([sampled(0)], path) == 1
    table = parquet.read_table(path)
    column = table.schema.get_field_index("method")
    words = pyarrow.array([b"\xff\xfe"]).view(pyarrow.string())
    parquet.write_table(table.set_column(column, "method", words), path)
    with pytest.raises(FormatError, match=r"(?i)utf-8"):
        read(path, format_named("parquet"))
