"""Every format and printed form as input of every reader of positions: analyse, packs import, page and library."""

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from processes import error_line
from recordings import record, record_played
from sample_records import BOARDS_ONLY, COMPLETE, WITH_CLICK, saved_game
from starlette.testclient import TestClient

from minesweeper import HIDDEN, Board, Grid, Recipe, View, read_position
from minesweeper.db.formats import board_text, mine, save
from minesweeper.db.formats.format import imported_record
from minesweeper.db.formats.registry import format_named
from minesweeper.db.formats.sgt import to_id
from minesweeper.db.records import GameRecord, Sample
from minesweeper.db.store import Import, Store
from minesweeper.generator.screening import screen_range
from minesweeper.player.core.errors import BoardError, FormatError
from minesweeper.player.gems.puzzle import TRAP, GemPuzzle
from minesweeper.player.gems.text import puzzle_text
from minesweeper.player.render.text import draw
from minesweeper.scripts.commands.analyse import main as analyse
from minesweeper.scripts.commands.autoplay import main as autoplay
from minesweeper.scripts.commands.packs.command import main as packs
from minesweeper.scripts.web.app import create_app
from minesweeper.scripts.web.settings import Settings

RECIPE = Recipe("9x12/10", click=(4, 4), seed=7)
KEPT = next(iter(screen_range(RECIPE, 0, 50)))
PUZZLE, BOARD = KEPT.puzzle, KEPT.puzzle.board
VIEW = PUZZLE.view
HIDDEN_VIEW = View.hidden(BOARD.grid, BOARD.mines)
READABLE = [*COMPLETE, *WITH_CLICK, *BOARDS_ONLY]
FOR_THE_PAGE = {*READABLE} - {"db", "parquet"}
"""A database or a Parquet file is too long to be pasted."""


@pytest.fixture(autouse=True)
def database(folder: Path) -> Path:
    """Create the default database of the current folder, with one puzzle and one game."""
    path = folder / "minesweeper.db"
    with Store(path) as store:
        with Import(store) as batch:
            batch.add([imported_record(PUZZLE)])
        store.add_games([GameRecord("random", Sample(RECIPE, KEPT.index), False, 1, 1, 0.1)])
    return path


@pytest.fixture(scope="module")
def page() -> Iterator[TestClient]:
    with TestClient(create_app(Settings(database=Path("nothing.db"))), base_url="http://127.0.0.1") as client:
        yield client


_PARAMS, _DESC = to_id(PUZZLE).split(":", 1)
SAVED = saved_game(PARAMS=f"{_PARAMS}n{BOARD.mines}", DESC=_DESC, VERSION="1", NSTATES="2", MOVE="O4,4").decode()


def shown(*words: str, columns: str = "80") -> str:
    """Return the output of `packs` or `analyse` for the stored puzzle."""
    command = {"packs": packs, "analyse": analyse}[words[0]]
    return CliRunner().invoke(command, [*words[1:], PUZZLE.id], env={"COLUMNS": columns}).output


PRINTED: dict[str, Callable[[], str]] = {
    "packs show": lambda: shown("packs", "show"),
    "packs show, narrow": lambda: shown("packs", "show", columns="20"),
    "packs show in colours": lambda: draw(VIEW, colour=True, marked=[PUZZLE.first_click]) + f"\n\n{VIEW.name}\n",
    "packs show --solved": lambda: shown("packs", "show", "--solved"),
    "packs show --view": lambda: shown("packs", "show", "--view"),
    "analyse": lambda: shown("analyse"),
    "analyse --json": lambda: shown("analyse", "--json"),
    "view text": VIEW.to_text,
    "rows alone": lambda: VIEW.to_text().partition("\n")[2],
    "[view]": lambda: board_text.to_text(VIEW),
    "JSMinesweeper's view": lambda: mine.to_text(VIEW),
    "Gem Hunter": lambda: puzzle_text(GemPuzzle(np.where(VIEW.cells == HIDDEN, np.int8(-3), VIEW.cells))),
    "Gem Hunter, solved": lambda: puzzle_text(GemPuzzle(np.where(BOARD.mine_map, np.int8(TRAP), BOARD.clues))),
    "board text": lambda: BOARD.to_text(clues=True),
    "saved by Simon Tatham's Mines": lambda: SAVED,
}
OTHER_VIEWS = {
    "Gem Hunter, solved": View(np.where(BOARD.mine_map, np.int8(HIDDEN), BOARD.clues), BOARD.mines),
    "board text": HIDDEN_VIEW,
}
"""The views of these forms; the others show `VIEW`."""
IMPORTED = ("packs show --solved", "board text", "saved by Simon Tatham's Mines")
"""Outputs with mines; the others are views."""
NAMES_NO_MINES = ("rows alone", "Gem Hunter")


def analysed(source: str, *options: str, data: bytes | None = None) -> View:
    """Return the view that the command `analyse` reads from a source."""
    result = CliRunner().invoke(analyse, [source, "--json", *options], input=data)
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.output)
    return View.from_text("\n".join(found["view"]), found["mines"])


@pytest.mark.parametrize("name", READABLE)
def test_every_format_is_a_position(tmp_path: Path, page: TestClient, name: str) -> None:
    # The content is enough to recognise the format.
    path = tmp_path / "position"
    save([imported_record(PUZZLE)], path, format_named(name))
    expected = HIDDEN_VIEW if name in BOARDS_ONLY else VIEW
    data = path.read_bytes()
    assert read_position(path) == read_position(data) == expected
    assert analysed("position") == analysed("-", data=data) == expected
    assert read_position(data, opened=[PUZZLE.first_click]) == VIEW
    assert (read_position(data, opened="all").cells == np.where(BOARD.mine_map, HIDDEN, BOARD.clues)).all()
    if name in FOR_THE_PAGE:
        answer = page.post("/api/position", json={"text": base64.b64encode(data).decode(), "base64": True})
        assert answer.status_code == 200, answer.text
        assert answer.json()["cells"] == expected.lines
    result = CliRunner().invoke(packs, ["import", "position", "--db", "new.db"])
    assert result.output == "1 puzzle imported, 0 skipped as duplicates\n", result.stderr
    result = CliRunner().invoke(packs, ["import", "-", "--db", "piped.db"], input=data)
    assert result.output == "1 puzzle imported, 0 skipped as duplicates\n", result.stderr


@pytest.mark.parametrize("name", PRINTED)
def test_every_printed_form_is_a_position(page: TestClient, name: str) -> None:
    text, expected = PRINTED[name](), OTHER_VIEWS.get(name, VIEW)
    mines = BOARD.mines if name in NAMES_NO_MINES else None
    options = () if mines is None else ("--mines", str(mines))
    assert read_position(text, mines) == expected
    assert analysed("-", *options, data=text.encode()) == expected
    answer = page.post("/api/position", json={"text": text} | ({} if mines is None else {"mines": mines}))
    assert answer.status_code == 200, answer.text
    assert answer.json()["cells"] == expected.lines
    Path("printed.txt").write_text(text, encoding="utf-8")
    result = CliRunner().invoke(packs, ["import", "printed.txt", "--db", "new.db"])
    if name in IMPORTED:
        assert result.output == "1 puzzle imported, 0 skipped as duplicates\n", result.stderr
    else:
        line = error_line(result)
        assert "analyse reads views" in line or "mines" in line or "'board'" in line


def test_a_recorded_game_is_its_board_and_first_click(folder: Path, page: TestClient) -> None:
    record_played(folder / "game.evf", RECIPE, KEPT.index)
    assert read_position(folder / "game.evf") == analysed("game.evf") == VIEW
    assert analysed("game.evf", "--opened", "all") == analysed(PUZZLE.id, "--opened", "all")
    result = CliRunner().invoke(packs, ["import", "game.evf", "--db", "new.db"])
    assert result.output == "1 puzzle imported, 0 skipped as duplicates\n", result.stderr
    with Store("new.db", create=False) as store:
        assert [record.puzzle for record in store.puzzles()] == [PUZZLE]
    # Recorded games need a file name.
    data = (folder / "game.evf").read_bytes()
    piped = CliRunner().invoke(analyse, ["-"], input=data)
    assert "or a recorded game in a file (.avf, .evf, .mvf, .rmv)" in error_line(piped)
    answer = page.post("/api/position", json={"text": base64.b64encode(data).decode(), "base64": True})
    assert answer.status_code == 422
    (folder / "broken.evf").write_bytes(data[:50])
    for command, words in ((analyse, ["broken.evf"]), (packs, ["import", "broken.evf", "--db", "new.db"])):
        assert "expected a complete evf file" in error_line(CliRunner().invoke(command, words))


def test_a_recorded_game_that_began_with_a_mine_is_a_board(folder: Path) -> None:
    mined = tuple(np.argwhere(BOARD.mine_map)[0].tolist())
    record(folder / "lost.evf", BOARD, [mined])
    assert read_position(folder / "lost.evf") == HIDDEN_VIEW


@pytest.mark.parametrize("board", ["9x9/10", "40x30/250"])
def test_the_output_of_autoplay_is_a_position(board: str, page: TestClient) -> None:
    shown = CliRunner().invoke(autoplay, ["--watch", "--board", board, "--seed", "3", "--strategy", "safest"]).output
    view = read_position(shown)
    assert view.name == board
    assert (view.cells != HIDDEN).any()
    assert analysed("-", data=shown.encode()) == view
    error_line(CliRunner().invoke(packs, ["import", "-", "--db", "new.db"], input=shown.encode()))
    if view.cells.size < 100:  # The page has a time limit.
        answer = page.post("/api/position", json={"text": shown})
        assert answer.status_code == 200, answer.text
        assert answer.json()["cells"] == view.lines


def test_stored_puzzles_and_games_are_positions() -> None:
    assert analysed(PUZZLE.id) == analysed(PUZZLE.id[:6]) == analysed("game:1") == analysed("game:last") == VIEW
    opened = analysed(PUZZLE.id, "--opened", "all")
    assert int((opened.cells == HIDDEN).sum()) == BOARD.mines


def test_one_puzzle_of_a_pack_is_chosen(tmp_path: Path) -> None:
    save(map(imported_record, map(RECIPE.puzzle, range(3))), tmp_path / "pack.jsonl")
    assert analysed("pack.jsonl", "--index", "2") == RECIPE.puzzle(2).view
    with pytest.raises(FormatError, match="no puzzle with index 3 in JSON lines; puzzles: 3"):
        read_position(tmp_path / "pack.jsonl", index=3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no position in empty input"),
        ("once upon a time", "expected a view under ROWSxCOLS/MINES, a drawing with rulers, a Gem Hunter grid, JSON"),
        ("1,_\n_,1", "a Gem Hunter grid with unknown cells lacks the number of traps"),
        ("  0 1\n0 1 #\n1 # #", "the drawing lacks the number of mines"),
        ("9x9/10\n  0 1\n0 1 #\n1 # #", "the drawing shows 2x2 cells; expected all of 9x9"),
        ("  0 1\n0 1 !\n", "invalid '!' in row 0 of the drawing; expected #, . or a clue"),
        ("<svg>", "a drawing is only written, not read"),
    ],
)
def test_rejects_other_text_with_the_forms_it_tried(text: str, message: str) -> None:
    with pytest.raises((FormatError, BoardError)) as caught:
        read_position(text)
    assert message in str(caught.value)


def test_rejects_cells_that_cannot_be_opened() -> None:
    mined = tuple(np.argwhere(BOARD.mine_map)[0].tolist())
    for source, opened, message in (
        (BOARD, mined, "is a mine"),
        (BOARD, (9, 0), "outside the board of 9x12"),
        (VIEW, (0, 0), "cannot open cells of a view"),
    ):
        text = source.to_text()
        with pytest.raises(FormatError, match=message):
            read_position(text, opened=[opened])


def test_a_board_that_is_open_needs_no_more_clicks() -> None:
    assert (
        read_position(Board.from_cells(Grid(1, 3), [(0, 0)]).to_text(), opened=[(0, 2), (0, 1)]).to_text()
        == "1x3/1\n#10"
    )


def test_recorded_games_are_listed_by_the_id_that_replays_them() -> None:
    (game,) = json.loads(CliRunner().invoke(packs, ["games", "--json"]).output)
    assert (game["id"], game["strategy"], game["won"], game["puzzle_id"]) == (1, "random", False, None)
    assert game["sample_index"] == KEPT.index
    assert CliRunner().invoke(packs, ["games"]).exit_code == 0


def test_autoplay_plays_from_any_position(tmp_path: Path) -> None:
    def played(*options: str) -> dict[str, object]:
        result = CliRunner().invoke(autoplay, [*options, "--strategy", "safest", "--seed", "1", "--json"])
        assert result.exit_code == 0, result.stderr
        found: dict[str, object] = json.loads(result.stdout)
        return found

    assert played("--from", PUZZLE.id)["win_percent"] == 100
    # Two independent 50/50 guesses: one game of four is won.
    (tmp_path / "guesses.txt").write_text("1x6/2\n#1##1#\n")
    wins = played("--from", "guesses.txt", "--games", "400", "--workers", "1")["wins"]
    assert isinstance(wins, int)
    assert 60 <= wins <= 140
    (tmp_path / "view.txt").write_text(VIEW.to_text())
    assert played("--from", "view.txt", "--games", "5", "--workers", "1")["db"] is None
    shown = CliRunner().invoke(autoplay, ["--from", "guesses.txt", "--watch", "--strategy", "safest", "--seed", "1"])
    assert "on 1x6/2" in shown.output
    error_line(CliRunner().invoke(autoplay, ["--from", "none.txt"]))


def test_autoplay_opens_a_board_without_a_first_click(tmp_path: Path) -> None:
    def played(*options: str) -> Result:
        return CliRunner().invoke(autoplay, ["--from", *options, "--strategy", "safest", "--seed", "1", "--json"])

    (tmp_path / "board.txt").write_text("....\n....\n...*\n*...\n")
    for where in ("strategy", "corner", "random", "1,1"):
        found = json.loads(played("board.txt", "--first-click", where).stdout)
        assert (found["wins"], found["games"], found["boards"]) == (1, 1, "4x4/2 of board.txt")
    (tmp_path / "other.txt").write_text("4x4/1\n" + 4 * "####\n")
    assert json.loads(played("other.txt", "--games", "3").stdout)["boards"].startswith("4x4/1, opening start at")
    line = error_line(played("board.txt", "--first-click", "2,3"))
    assert line == "Error: the first click (2, 3) is a mine; choose a safe cell with --first-click R,C\n"
