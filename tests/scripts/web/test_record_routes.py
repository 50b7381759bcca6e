"""Records of players: games are replayed before they are stored, and are secret from other players."""

import json
import sqlite3
from base64 import b64encode
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, replace
from datetime import UTC, date as Date, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from conftest import Visitor
from recordings import record
from starlette.testclient import TestClient

from minesweeper import Recipe, Store
from minesweeper.db.people import clicks_from_json, clicks_to_json
from minesweeper.generator.screening import screen
from minesweeper.player.core.board import Board, Puzzle, cells_of
from minesweeper.player.core.game import Game, Status
from minesweeper.player.core.grid import KINDS, Cell, Grid
from minesweeper.player.play.judgement import Verdict
from minesweeper.player.play.kaboom import Kaboom, Rules
from minesweeper.player.play.recorded_games import RecordedClick, record_game, review_recording
from minesweeper.scripts.web import routes
from minesweeper.scripts.web.app import create_app
from minesweeper.scripts.web.puzzles import board_token, daily_puzzle
from minesweeper.scripts.web.server import WorkerPool, digest
from minesweeper.scripts.web.settings import ApiError, Settings, max_body

# The first click proves the mine (0, 3). One of the six cells after it is a mine; the guess (0, 6) decides which.
BOARD = Board.from_text("...*....*.")
WIN = ((0, 0), (0, 6), (0, 9))
LOSS = ((0, 0), (0, 6), (0, 8))
OTHER = Board.from_text(".*....*...")


@pytest.fixture(autouse=True)
def jobs_run_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run jobs in this process, on a fixed day."""

    async def run(_: WorkerPool, __: float, work: Callable[..., Any], *args: Any) -> Any:
        return work(*args)

    monkeypatch.setattr(WorkerPool, "run", run)
    monkeypatch.setattr(routes, "now", lambda: datetime(2026, 2, 3, 12, tzinfo=UTC))


def finished(*cells: Cell, board: Board = BOARD, **more: Any) -> dict[str, Any]:
    """Return a request with a game of one click a second, the first at the start."""
    clicks = [[second, list(cell), [list(cell)], 0] for second, cell in enumerate(cells)]
    return {
        "id": "game-1",
        "mode": "shared",
        "title": "Shared 1x10/2",
        "token": board_token(Puzzle(board, (0, 0))),
        "unranked": "",
        "seconds": len(cells) - 1,
        "clicks": len(cells),
        "recorded_clicks": clicks,
        **more,
    }


def kaboom_game(
    seed: int, rows: int = 6, cols: int = 6, mines: int = 8, grid: str = ""
) -> tuple[dict[str, Any], Kaboom]:
    """Return a request with a whole game of Kaboom, and the game."""
    rules = Rules(opening_start=True)
    kaboom, clicks = Kaboom(Grid(rows, cols, grid), mines, rules=rules, seed=seed), []
    while kaboom.status is Status.PLAYING:
        cell = (cells_of(kaboom.safe_map) or cells_of(kaboom.guessable))[0]
        clicks.append(RecordedClick(len(clicks) / 4, cell, (cell,)))
        kaboom.click(cell)
    size: dict[str, Any] = {"rows": rows, "cols": cols, "mines": mines, "rules": asdict(rules), "seed": seed}
    if grid:
        size["grid"] = grid
    seconds, sent = len(clicks) / 4, clicks_to_json(clicks)
    more = {"id": f"kaboom-{seed}", "mode": "kaboom", "seconds": seconds, "recorded_clicks": sent}
    return {name: value for name, value in finished(*WIN).items() if name != "token"} | size | more, kaboom


def test_a_win_is_stored_as_the_replay_and_the_review_show_it(player: Visitor) -> None:
    stored = player.post("/record", **finished(*WIN, clicks=4))
    clicks = [RecordedClick(second, cell, (cell,)) for second, cell in enumerate(WIN)]
    expected = review_recording(record_game(BOARD, clicks, 2, 4, "sweep"))
    assert (stored["id"], stored["kind"], stored["won"], stored["unranked"]) == ("game-1", "shared 1x10/2", True, "")
    assert (stored["seconds"], stored["clicks"], stored["best_before"]) == (2, 4, None)
    assert (stored["bbbv"], stored["luck"]) == (expected.measures.bbbv, pytest.approx(expected.luck))
    assert (stored["forced"], stored["needless"]) == (expected.count(Verdict.FORCED), expected.count(Verdict.NEEDLESS))
    assert stored["stuck_seconds"] == expected.stuck_seconds
    assert stored["efficiency"] == expected.measures.bbbv / 4
    (listed,) = player.get("/record")["games"]
    assert listed | {"best_before": None} == stored
    whole = player.get("/record/game-1")
    assert whole == listed | {"mines": ["...*....*."], "recorded_clicks": finished(*WIN)["recorded_clicks"]}


def test_a_loss_has_no_values_that_depend_on_the_whole_board(player: Visitor) -> None:
    stored = player.post("/record", **finished(*LOSS))
    assert (stored["won"], stored["forced"], stored["needless"], stored["luck"]) == (False, 1, 0, 0)
    assert "bbbv" not in stored


def test_what_the_library_plays_is_accepted(player: Visitor) -> None:
    recipe = Recipe("9x9/10", seed=3)
    for index in range(6):
        puzzle = recipe.puzzle(index)
        game, clicks = Game(puzzle.board), [puzzle.first_click]
        game.open(puzzle.first_click)
        # Every game opens its safe cells in order; every other game ends on a mine.
        order = cells_of(~puzzle.board.mine_map) if index % 2 else cells_of(puzzle.board.mine_map)
        for cell in order:
            if game.status is Status.PLAYING and game.view.cells[cell] < 0:
                clicks.append(cell)
                game.open(cell)
        stored = player.post("/record", **finished(*clicks, board=puzzle.board, id=f"game-{index}"))
        assert stored["won"] == (game.status is Status.WON)
    assert [game["id"] for game in player.get("/record")["games"]] == [f"game-{index}" for index in reversed(range(6))]


@pytest.mark.parametrize("seed", [0, 1, 2, 2**53 - 1])
def test_kaboom_is_replayed_with_its_seed(player: Visitor, seed: int) -> None:
    sent, kaboom = kaboom_game(seed)
    stored = player.post("/record", **sent)
    assert stored["won"] == (kaboom.status is Status.WON)
    assert (stored["kind"], stored["luck"]) == ("kaboom 6x6/8", None)
    mines = player.get(f"/record/{sent['id']}")["mines"]
    assert Board.from_text("\n".join(mines)).clues[kaboom.view.cells >= 0].tolist() == [
        clue for clue in kaboom.view.cells.ravel().tolist() if clue >= 0
    ]


CLICKS = finished(*WIN)["recorded_clicks"]


@pytest.mark.parametrize("grid", [*filter(None, KINDS), "hex torus holes 6./2.2#2./2.2#2./6./4.2#/6."])
def test_games_on_other_grids_are_replayed_and_kept_with_their_grid(player: Visitor, grid: str) -> None:
    sent, kaboom = kaboom_game(1, grid=grid)
    stored = player.post("/record", **sent)
    assert (stored["won"], stored["kind"]) == (kaboom.status is Status.WON, f"kaboom 6x6/8 {grid}")
    puzzle = Recipe(f"6x6/5 {grid}", seed=3).puzzle(0)
    game, clicks = Game(puzzle.board), []
    for cell in (puzzle.first_click, *cells_of(puzzle.board.safe_map)):
        if game.status is Status.PLAYING and game.view.cells[cell] < 0:
            game.open(cell)
            clicks.append(cell)
    stored = player.post("/record", **finished(*clicks, board=puzzle.board, token=board_token(puzzle)))
    assert (stored["won"], stored["kind"]) == (True, f"shared 6x6/5 {grid}")
    whole = player.get("/record/game-1")
    assert (whole["grid"], whole["mines"]) == (grid, puzzle.board.to_text().splitlines())
    player.post("/record", 422, **sent | {"grid": "moebius"})
    player.post("/record", 422, **sent | {"grid": "holes 5./2.#2."})
    player.post("/record", 422, **sent | {"grid": f"holes 2000#{'/2000.' * 99}"})
    player.post("/record", 422, **kaboom_game(1, rows=6, cols=4)[0] | {"grid": "torus"})


KABOOM = kaboom_game(1)[0]
TODAY = Date(2026, 2, 3)


@pytest.mark.parametrize(
    ("changed", "cause"),
    [
        ({"recorded_clicks": CLICKS[:-1]}, "the clicks do not end the game"),
        ({"recorded_clicks": [*CLICKS, [2, [0, 4], [[0, 4]], 0]]}, "click 4 follows the end of the game"),
        ({"recorded_clicks": [*CLICKS[:2], CLICKS[1], CLICKS[2]]}, "click 3 does not open"),
        ({"recorded_clicks": [*CLICKS[:2], [2, [1, 0], [[1, 0]], 0]]}, "click 3 does not open"),
        ({"recorded_clicks": [*CLICKS[:2], [0.5, [0, 9], [[0, 9]], 0]]}, "click 3 was made after 0.5 s"),
        ({"recorded_clicks": [*CLICKS[:2], [2.1, [0, 9], [[0, 9]], 0]]}, "click 3 was made after 2.1 s"),
        ({"recorded_clicks": []}, "recorded_clicks"),
        ({"recorded_clicks": [[0, [0, 0], [[0, 0]]]]}, "recorded_clicks.0"),
        ({"recorded_clicks": [[0, [0, -1], [[0, 0]], 0]]}, "recorded_clicks.0.1.1"),
        ({"recorded_clicks": [[0, [0, 0], [[0, 0]], 2]]}, "recorded_clicks.0.3"),
        ({"recorded_clicks": [["0", [0, 0], [[0, 0]], 0]]}, "recorded_clicks.0.0"),
        ({"seconds": 1.5}, "click 3 was made after 2 s"),
        ({"seconds": -1}, "seconds"),
        ({"seconds": 1e9}, "seconds"),
        ({"clicks": -1}, "clicks"),
        ({"clicks": 1.5}, "clicks"),
        ({"id": ""}, "id"),
        ({"id": "play:1"}, "id"),
        ({"id": "a" * 41}, "id"),
        ({"mode": "chess"}, "mode"),
        ({"title": "a" * 201}, "title"),
        ({"title": "\x1b[2J"}, "title"),
        ({"unranked": "no"}, "unranked"),
        ({"won": True}, "won"),
        ({"token": None}, "damaged"),
        ({"token": "board-1x10-0x3-EAg"}, "damaged"),
        ({"token": "board-1x10-0x0-EAg-"}, "damaged"),
        ({"token": "daily-2026-99-99-beginner"}, "damaged"),
        ({"token": "daily-2026-01-01-tiny"}, "damaged"),
        ({"token": "kaboom-9x9-10-111-uniform"}, "damaged"),
        ({"day": "yesterday"}, "day"),
        ({"day": f"{TODAY}"}, "The day is not that of a daily puzzle"),
        ({"day": f"{TODAY}", "token": "daily-2026-01-01-beginner"}, "The day is not that of a daily puzzle"),
        ({"day": "2026-01-01", "token": "daily-2026-01-01-beginner"}, "The day is not today"),
        (KABOOM | {"seed": None}, "needs rows, cols, mines, rules and a seed"),
        (KABOOM | {"rules": None}, "needs rows, cols, mines, rules and a seed"),
        (KABOOM | {"rules": KABOOM["rules"] | {"mode": "kind"}}, "rules.mode"),
        (KABOOM | {"seed": 2}, "click"),
        (KABOOM | {"seed": -1}, "seed"),
        (KABOOM | {"seed": 2**53}, "seed"),
        (KABOOM | {"mines": 33}, "33 mines do not fit 6x6"),
        (KABOOM | {"rows": 101}, "rows"),
        (KABOOM | {"recorded_clicks": KABOOM["recorded_clicks"][:-1]}, "the clicks do not end the game"),
    ],
)
def test_a_game_that_does_not_fit_is_refused_in_one_sentence(
    player: Visitor, changed: dict[str, Any], cause: str
) -> None:
    answer = player.post("/record", 422, **finished(*WIN) | changed)
    assert answer["code"] == "bad_input"
    assert cause in answer["error"]
    assert "\n" not in answer["error"]
    assert player.get("/record")["games"] == []


@pytest.mark.parametrize("digits", [20, 400, 4300, 100_000])
@pytest.mark.parametrize("path", ["/record", "/recording", "/watch", "/position", "/position/save", "/record/delete"])
def test_huge_numbers_and_deep_nesting_are_refused(player: Visitor, path: str, digits: int) -> None:
    """A number of 4,300 digits once ended the saving of all games."""
    good = json.dumps(finished(*WIN))
    huge, deep = "9" * digits, "[" * digits + "]" * digits
    bodies = [f'{{"mines": {huge}}}', f'{{"mines": {deep}}}', deep, huge, f'{{"a": {huge}}}', f'{{"a": {deep}}}']
    if path == "/record":
        bodies += [good.replace('"clicks": 3', f'"clicks": {value}') for value in (huge, f"-{huge}", f"0.{huge}", deep)]
        bodies += [good.replace("[[0, ", f"[[{value}, ", 1) for value in (huge, f"1e{huge}", "NaN", "Infinity", deep)]
        bodies += [good.replace('"seconds": 2', f'"seconds": {value}') for value in (huge, f"1e{huge}", "NaN", deep)]
    headers = {"Content-Type": "application/json"}
    for body in bodies:
        assert body != good
        response = player.client.post(f"/api{path}", content=body, headers=headers)
        assert response.status_code == (422 if len(body) <= max_body(f"/api{path}") else 413), body[:60]
        assert response.json()["code"] == "bad_input"
    assert player.post("/record", **finished(*WIN))["won"]


def test_the_server_decides_about_repeats_and_help(player: Visitor) -> None:
    assert player.post("/record", **finished(*WIN))["unranked"] == ""
    assert player.post("/record", **finished(*LOSS, id="again"))["unranked"] == "repeat"
    # A click of a program is help, even if the browser denies it.
    helped = finished((0, 0), (0, 1), board=OTHER, id="helped")
    helped["recorded_clicks"][1][3] = 1
    assert player.post("/record", **helped)["unranked"] == "help"
    asked = finished((0, 0), (0, 1), board=Board.from_text(".*......*."), id="asked", unranked="help")
    assert player.post("/record", **asked)["unranked"] == "help"
    assert [game["unranked"] for game in player.get("/record")["games"]] == ["help", "help", "repeat", ""]


def test_a_game_is_stored_once(player: Visitor, database_of_people: Path) -> None:
    first = player.post("/record", **finished(*WIN))
    assert player.post("/record", **finished(*WIN)) == first
    assert player.post("/record", **finished(*LOSS, title="Another")) == first
    (listed,) = player.get("/record")["games"]
    assert listed["title"] == "Shared 1x10/2"
    player.client.cookies.clear()
    assert player.post("/record", 409, **finished(*WIN))["code"] == "conflict"
    with Store(database_of_people) as store:
        assert len(store.people.games()) == 1


def test_the_best_time_before_is_that_of_ranked_wins_alike(player: Visitor) -> None:
    turned = Board(BOARD.mine_map[:, ::-1])
    assert player.post("/record", **finished(*WIN))["best_before"] is None
    slow = finished((0, 9), (0, 3), (0, 0), board=turned, id="slow", seconds=9)
    slow["token"] = board_token(Puzzle(turned, (0, 9)))
    assert player.post("/record", **slow)["best_before"] == 2
    assert player.post("/record", **slow)["best_before"] == 2
    assert player.post("/record", **kaboom_game(0)[0])["best_before"] is None


@pytest.mark.parametrize(("days", "status"), [(-2, 422), (-1, 200), (0, 200), (1, 200), (2, 422)])
def test_a_daily_puzzle_counts_for_its_day_in_every_time_zone(player: Visitor, days: int, status: int) -> None:
    day = TODAY + timedelta(days)
    puzzle = daily_puzzle("beginner", day)
    mine = cells_of(puzzle.board.mine_map)[0]
    sent = finished(puzzle.first_click, mine, mode="daily", token=f"daily-{day}-beginner")
    assert player.post("/record", **sent)["day"] is None
    assert player.post("/record", status, **sent | {"id": "game-2", "day": f"{day}"}).get("day", f"{day}") == f"{day}"


def test_the_daily_puzzle_follows_from_its_date() -> None:
    recipe = Recipe("9x9/10", seed=20260203)
    solvable = (puzzle for index in count() if screen(puzzle := recipe.puzzle(index), "sat").solved)
    assert daily_puzzle("beginner", TODAY) == next(solvable)


def test_a_stored_puzzle_is_named_by_its_id(player: Visitor, database_of_people: Path, pack: Path) -> None:
    database_of_people.write_bytes(pack.read_bytes())
    with Store(database_of_people) as store:
        puzzle = next(iter(store.puzzles())).puzzle
    mine = cells_of(puzzle.board.mine_map)[0]
    sent = finished(puzzle.first_click, mine, mode="pack", id="stored")
    stored = player.post("/record", **sent | {"token": f"puzzle-{puzzle.id}"})
    assert (stored["kind"], stored["won"]) == ("pack 9x9/10", False)
    assert player.post("/record", 404, **sent | {"token": "puzzle-ffff00001111"})["code"] == "not_found"
    assert player.get("/record/stored")["mines"] == puzzle.board.to_text().splitlines()


def test_a_player_is_a_cookie_that_scripts_and_other_pages_cannot_use(
    player: Visitor, database_of_people: Path
) -> None:
    player.client.cookies.set("sweep_session", "short")
    response = player.client.post("/api/record", json=finished(*WIN))
    cookie = response.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    key = response.cookies["sweep_session"]
    assert len(key) == 32
    assert key.encode() not in database_of_people.read_bytes()
    player.client.cookies.clear()
    assert player.get("/record")["games"] == []
    player.get("/record/game-1", 404)
    player.client.cookies.set("sweep_session", "x" * 32)
    assert player.get("/record")["games"] == []
    player.get("/record/game-1", 404)
    assert player.post("/record/delete") == {"deleted": True}
    player.client.cookies.clear()
    player.client.cookies.set("sweep_session", key)
    assert player.get("/record/game-1")["won"]
    player.get("/record/game-2", 404)


def test_a_player_deletes_their_record_and_no_other(player: Visitor, database_of_people: Path) -> None:
    player.post("/record", **finished(*WIN))
    player.client.cookies.clear()
    player.post("/record", **finished(*WIN, id="game-2"))
    player.post("/record/delete")
    assert player.get("/record")["games"] == []
    with Store(database_of_people) as store:
        assert [game.name for game in store.people.games()] == ["game-1"]


def test_without_a_database_there_is_no_record() -> None:
    with TestClient(create_app(Settings()), base_url="http://127.0.0.1") as client:
        player = Visitor(client)
        assert player.post("/record", 501, **finished(*WIN))["code"] == "no_database"
        assert player.get("/record")["games"] == []
        assert "set-cookie" not in client.post("/api/record", json=finished(*WIN)).headers


def test_the_cost_of_a_game_does_not_grow_with_the_record(
    player: Visitor, database_of_people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end of a game once read the player's whole record."""
    connect = sqlite3.connect
    steps = 0

    class Counting(sqlite3.Connection):
        def set_progress_handler(self, *_: Any) -> None:
            """Count every step, instead of the calls of the deadline of the database."""
            super().set_progress_handler(count, 1)

    def count() -> None:
        nonlocal steps
        steps += 1

    def counting(*args: Any, **options: Any) -> sqlite3.Connection:
        connection = connect(*args, **options, factory=Counting)
        connection.set_progress_handler()
        return connection

    monkeypatch.setattr(sqlite3, "connect", counting)

    def cost(**sent: Any) -> int:
        before = steps
        player.post("/record", **sent)
        return steps - before

    few = cost(**finished(*WIN))
    recipe = Recipe("9x9/10", seed=7)
    with Store(database_of_people) as store:
        name = digest(player.client.cookies["sweep_session"])
        (game,) = store.people.games(name)
        store.people.add((name, replace(game, name=f"old{i}", board=recipe.puzzle(i).board)) for i in range(300))
    many = cost(**finished(*LOSS, id="game-2"))
    assert many < 2 * few


OLD_TABLE = """CREATE TABLE running_games (
    id TEXT PRIMARY KEY,  -- id of the game on the page
    player TEXT NOT NULL,  -- digest of the player's secret
    state TEXT NOT NULL,  -- the game, as JSON
    saved TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP  -- time of the last move (UTC)
);
CREATE INDEX running_games_by_player ON running_games (player, saved);
INSERT INTO running_games (id, player, state) VALUES ('running', 'somebody', '{}');
"""
OLD_GAME = """INSERT INTO human_games
    (id, player, mode, title, rows, cols, grid, mine_bits, recorded_clicks, won, seconds, clicks, unranked, day,
    ended) VALUES (?, ?, ?, ?, 1, 10, '', x'1080', ?, ?, 2.5, 4, ?, ?, '2026-01-02 03:04:05')"""


def test_games_of_older_databases_are_listed_reviewed_and_kept(player: Visitor, database_of_people: Path) -> None:
    """The layout of older versions has a table of unfinished games, and its finished games may have no statistics."""
    key = "k" * 32
    won = "[[0.0,[0,0],[[0,0]],0],[1.25,[0,6],[[0,6]],0],[2.5,[0,9],[[0,9]],1]]"
    lost = "[[0.0,[0,0],[[0,0]],0],[2.5,[0,6],[[0,6],[0,8]],1]]"
    rows = [
        (f"old-{number}", digest(key), mode, "No-guess 1x10/2, medium", clicks, clicks == won, unranked, day)
        for number, (mode, clicks, unranked, day) in enumerate(
            [
                ("classic", won, "", None),
                ("daily", lost, "", "2026-01-02"),
                ("kaboom", won, "help", None),
                ("shared", lost, "repeat", None),
                ("no-guess", won, "", None),
                ("pack", won, "repeat", None),
            ]
        )
    ]
    with closing(sqlite3.connect(database_of_people)) as connection:
        connection.executescript(OLD_TABLE)
        connection.executemany(OLD_GAME, rows)
        connection.commit()
    player.client.cookies.set("sweep_session", key)
    # A request computes the statistics of four games.
    for known in (4, 6, 6):
        games = player.get("/record")["games"]
        assert [game["id"] for game in games] == [f"old-{number}" for number in reversed(range(6))]
        assert sum(game["forced"] is not None for game in games) == known
    assert [game["won"] for game in games] == [True, True, False, True, False, True]
    assert [game["luck"] for game in games if game["mode"] == "kaboom"] == [None]
    for game in games:
        whole = player.get(f"/record/{game['id']}")
        assert whole["mines"] == ["...*....*."]
        assert whole["recorded_clicks"] == json.loads(won if whole["won"] else lost)
        assert whole["title"] == "No-guess 1x10/2, medium"
    player.post("/record", **finished(*WIN))
    with closing(sqlite3.connect(database_of_people)) as connection:
        assert connection.execute("SELECT id, state FROM running_games").fetchall() == [("running", "{}")]


def test_a_game_whose_review_takes_too_long_is_stored_without_statistics(
    player: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(*_: object) -> None:
        raise ApiError("This takes more than 20 seconds and was stopped.", 503)

    with monkeypatch.context() as patch:
        patch.setattr(routes.jobs, "stats_of", slow)
        assert player.post("/record", **finished(*WIN))["forced"] is None
        assert player.get("/record")["games"][0]["forced"] is None
    assert player.get("/record")["games"][0]["forced"] == 1


def recorded(board: Board, tmp_path: Path) -> dict[str, str]:
    path = tmp_path / "game.evf"
    record(path, board, WIN)
    return {"name": "mine.evf", "data": b64encode(path.read_bytes()).decode()}


def test_a_game_of_another_program_is_decoded(player: Visitor, tmp_path: Path) -> None:
    game = player.post("/recording", **recorded(BOARD, tmp_path))
    assert (game["rows"], game["cols"], game["mines"], game["title"]) == (1, 10, ["...*....*."], "mine.evf")
    assert [click[1:] for click in game["recorded_clicks"]] == [[list(cell), [list(cell)], 0] for cell in WIN]
    # What the browser reviews is what Python reviews.
    clicks = clicks_from_json(game["recorded_clicks"])
    review = review_recording(record_game(BOARD, clicks, game["seconds"], game["clicks"], "sweep"))
    assert [one.verdict for one in review.judgements] == [Verdict.FIRST, Verdict.FORCED, Verdict.CERTAIN]


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        (
            {"name": "mine.txt", "data": ""},
            "'mine.txt' is no recorded game: expected a .avf, .evf, .mvf, .rawvf, .rmv file",
        ),
        ({"name": "mine.mvf", "data": "AAAA"}, "'mine.mvf' is broken: expected a complete mvf file"),
        ({"name": "mine.mvf", "data": "é"}, "The data is not base64."),
    ],
)
def test_what_is_no_recording_is_refused_in_one_line(player: Visitor, sent: dict[str, str], words: str) -> None:
    assert player.post("/recording", 422, **sent) == {"error": words, "code": "bad_input"}
