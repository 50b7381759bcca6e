"""Boards, puzzles and views as text, bytes and symmetries."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from plain_images import SYMMETRIES, turned
from rectangle import neighbours

from minesweeper import Board, Grid, Puzzle, View
from minesweeper.player.core.errors import BoardError
from minesweeper.player.logic.metrics import ids_of_many

shapes = st.tuples(st.integers(1, 9), st.integers(1, 9))
boards = shapes.flatmap(lambda shape: arrays(bool, shape)).map(Board)


@given(boards)
def test_text_and_bytes_come_back(board: Board) -> None:
    assert Board.from_text(board.to_text()) == board
    assert Board.from_text(board.to_text(clues=True)) == board
    assert Board.from_bytes(board.grid, board.to_bytes()) == board
    assert hash(Board.from_text(board.to_text())) == hash(board)


@given(boards)
def test_clues_count_the_mines_around(board: Board) -> None:
    for row in range(board.rows):
        for col in range(board.cols):
            around = sum(bool(board.mine_map[cell]) for cell in neighbours(board.rows, board.cols, (row, col)))
            assert board.clues[row, col] == (-1 if board.mine_map[row, col] else around)


@given(boards)
def test_images_keep_clues_and_canonical_id(board: Board) -> None:
    safe = np.argwhere(~board.mine_map).tolist()
    if safe:
        puzzle = Puzzle(board, tuple(safe[len(safe) // 2]))
        images = list(puzzle.images())
        assert set(images) == {turned(puzzle, symmetry) for symmetry in SYMMETRIES}
        assert len({one.canonical_id for one in ids_of_many(images)}) == 1
        for image in images:
            assert sorted(image.board.clues.ravel()) == sorted(board.clues.ravel())
            assert image.board.clues[image.first_click] == board.clues[puzzle.first_click]
            assert (image.id == puzzle.id) == (image == puzzle)


def plain_ids(puzzle: Puzzle) -> tuple[str, str, bytes]:
    ids = [turned(puzzle, symmetry).id for symmetry in SYMMETRIES]
    return ids[0], min(ids), puzzle.board.to_bytes()


def test_ids_equal_those_of_hashlib_at_every_length_of_a_block() -> None:
    """SHA-256 hashes 64 bytes at once, and needs nine of the last block for itself."""
    puzzles = [Puzzle(Board.from_cells(Grid(1, cols), [(0, cols - 1)]), (0, 0)) for cols in range(9, 1100, 8)]
    assert [(ids.id, ids.canonical_id) for ids in ids_of_many(puzzles)] == [plain_ids(one)[:2] for one in puzzles]


@given(st.integers(1, 70), st.integers(1, 70), st.integers(0, 2**32))
def test_ids_equal_those_of_hashlib(rows: int, cols: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    several = []
    for _ in range(3):
        mine_map = rng.random((rows, cols)) < 0.3
        click = tuple(rng.integers((rows, cols)).tolist())
        mine_map[click] = False
        several.append(Puzzle(Board(mine_map), click))
    assert list(ids_of_many(several)) == list(map(plain_ids, several))


@pytest.mark.parametrize("side", [1000, pytest.param(4000, marks=pytest.mark.long)])
def test_ids_of_large_boards(side: int) -> None:
    puzzle = Puzzle(Board.unchecked(Grid(side, side), bytes(side**2 - 1) + b"\1"), (side - 1, 0))
    assert next(ids_of_many([puzzle])) == plain_ids(puzzle)


def test_id_depends_on_the_first_click_and_stays_the_same() -> None:
    board = Board.from_text("..*\n...")
    assert Puzzle(board, (0, 0)).id != Puzzle(board, (1, 0)).id
    # Stored databases rely on this very value.
    assert Puzzle(board, (0, 0)).id == "81592b18e14d7fe88108"


def test_the_view_of_a_puzzle_shows_the_opening_of_its_first_click() -> None:
    assert Puzzle(Board.from_text("..*\n..."), (0, 0)).view == View.from_text("01#\n01#", 1)


@given(shapes, st.data())
def test_views_come_back_from_text(shape: tuple[int, int], data: st.DataObject) -> None:
    cells = data.draw(arrays(np.int8, shape, elements=st.integers(-1, 8)))
    view = View(cells, data.draw(st.integers(0, int((cells < 0).sum()))))
    assert View.from_text(view.to_text()) == view
    assert View.from_text("\n".join(view.to_text().splitlines()[1:]), view.mines) == view


def test_arrays_are_read_only_copies() -> None:
    mines = np.zeros((2, 2), dtype=bool)
    board = Board(mines)
    mines[0, 0] = True
    assert board.mines == 0
    with pytest.raises(ValueError, match="read-only"):
        board.mine_map[0, 0] = True
    with pytest.raises(ValueError, match="read-only"):
        board.clues[0, 0] = 3
    with pytest.raises(ValueError, match="read-only"):
        View.hidden(Grid(2, 2), 1).cells[0, 0] = 3


@pytest.mark.parametrize("text", ["16*30", "0x5", "5x0", "-1x5", "x", "", "4001x1", "9" * 30 + "x1", "١x٢", "3x3x3"])
def test_bad_sizes_are_echoed(text: str) -> None:
    with pytest.raises(BoardError) as caught:
        Grid.named(text)
    assert repr(text) in str(caught.value)


@given(st.integers(1, 4000), st.integers(1, 4000))
def test_sizes_come_back(rows: int, cols: int) -> None:
    assert Grid.named(f"{rows}x{cols}") == Grid(rows, cols)


BAD_BOARDS = {"": "no text", "..\n.": "row 2", ".x": "'x'", "*2": "touches 1 mine$", "." * 4001: "1 to 4000"}


@pytest.mark.parametrize(
    ("text", "mines", "message"),
    [
        ("##\n##", None, "number of mines"),
        ("2x2/1\n##\n##", 2, "given number of mines, 2"),
        ("2x3/1\n##\n##", None, "expected 2x3"),
        ("2x2/5\n##\n##", None, "expected 0 to 4"),
        ("9#", 1, "'9'"),
        ("1?#", 1, "'#' and '\\?'"),
    ],
)
def test_bad_views_are_refused(text: str, mines: int | None, message: str) -> None:
    with pytest.raises(BoardError, match=message):
        View.from_text(text, mines)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Board(np.zeros(4, dtype=bool)), "expected two dimensions"),
        (lambda: Board(np.zeros((2, 2), dtype=np.int64)), "int64"),  # type: ignore[arg-type]
        (lambda: View(np.full((2, 2), 9), 0), "clue 0 to 8"),  # type: ignore[arg-type]
        (lambda: View(View.from_text("1#", 1), 2), "2 mines given; the position has 1"),
        *((lambda holes=holes: Grid(2, 5, "", holes), "a byte 0 or 1") for holes in (bytes(9), bytes(9) + b"\2")),
        (lambda: Board.from_bytes(Grid(3, 3), b"\0"), "1 byte for"),
        (lambda: Board.from_bytes(Grid(3, 3), b"\0\1"), "zeros after"),
        (lambda: Puzzle(Board.from_text("*."), (0, 0)), "safe cell"),
        (lambda: Puzzle(Board.from_text("*."), (0, 2)), "cell of 1x2"),
        (lambda: Board.from_cells(Grid(2, 2), [(0, 0), (0, 0)]), "given twice"),
        *((lambda text=text: Board.from_text(text), message) for text, message in BAD_BOARDS.items()),
    ],
)
def test_bad_boards_are_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(BoardError, match=message):
        make()
