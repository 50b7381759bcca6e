"""Help over HTTP: it is correct, and it follows from the view."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import crafted
import numpy as np
import pytest
from conftest import Visitor, view_of
from starlette.testclient import TestClient

from minesweeper.db.formats.positions import read_position, read_shown
from minesweeper.player.board import HIDDEN, Board, Puzzle, View
from minesweeper.player.why.analysis import solve
from minesweeper.player.words import counted
from minesweeper.scripts.web.share_links import board_token

# In the first row the middle cell is safe, its neighbours are mines, and the ends are safe.
PUZZLE = Puzzle(Board.from_text(".*.*.\n.....\n....."), (2, 0))


def shared(visitor: Visitor, puzzle: Puzzle) -> Any:
    return visitor.new(mode="shared", token=board_token(puzzle))


def test_a_hint_names_the_cells_and_the_clues_and_says_why(visitor: Visitor) -> None:
    game = shared(visitor, PUZZLE)
    hint = visitor.move(game, "hint")
    assert hint["found"]
    assert (hint["tier"], hint["tier_name"], hint["reason"]["mine_count"]) == (2, "2 clues", False)
    assert [0, 2] in hint["safe"]
    assert len(hint["reason"]["clues"]) == 2
    for clue in hint["reason"]["clues"]:
        assert str(tuple(clue)) in hint["words"]
    for row, col in hint["safe"]:
        assert not PUZZLE.board.mine_map[row, col]
    for row, col in hint["mines"]:
        assert PUZZLE.board.mine_map[row, col]
    assert visitor.get(f"/games/{game['id']}")["helped"]


def test_flagged_mines_are_not_hinted_at_again(visitor: Visitor) -> None:
    game = shared(visitor, PUZZLE)
    told: set[tuple[int, ...]] = set()
    for _ in range(20):
        hint = visitor.move(game, "hint")
        if not hint["found"]:
            break
        cells = {tuple(cell) for cell in hint["mines"] + hint["safe"]}
        assert cells.isdisjoint(told)
        told |= cells
        for cell in hint["mines"]:
            game = visitor.move(game, "flag", tuple(cell))
        for cell in hint["safe"]:
            if game["status"] == "playing":
                game = visitor.move(game, "open", tuple(cell))
        if game["status"] == "won":
            return
    raise AssertionError("expected hints to lead to the win")


def stuck(visitor: Visitor) -> Iterator[Any]:
    """Games in which the cheat stops at a guess."""
    while True:
        game = visitor.move(visitor.new(mode="classic", preset="expert"), "open", (8, 15))
        cheat = visitor.move(game, "cheat")
        if cheat["guess"]:
            yield cheat


def test_a_cheat_that_stops_proves_that_a_guess_is_needed(visitor: Visitor) -> None:
    cheat = next(stuck(visitor))
    game, guess = cheat["game"], cheat["guess"]
    assert "guess" in cheat["words"]
    row, col = guess["cell"]
    boards = [Board.from_cells(16, 30, map(tuple, mines)) for mines in guess["layouts"]]
    values = view_of(game).cells
    for board in boards:
        assert board.mines == 99
        assert (board.clues[values != HIDDEN] == values[values != HIDDEN]).all()
    assert boards[0].mine_map[row, col] != boards[1].mine_map[row, col]
    assert visitor.ask(game, "may-guess")["allowed"]
    hint = visitor.move(game, "hint")
    assert not hint["found"]
    assert hint["guess"]["cell"] == guess["cell"]
    chances = visitor.ask(game, "probabilities")
    assert chances["best"] == guess["cell"]
    assert chances["chances"][row][col] == guess["mine_probability"]
    assert 0 < chances["chances"][row][col] < 1
    assert chances["best"] == list(solve(view_of(game)).best or ())
    assert visitor.ask(game, "check-flags") == {
        "wrong": [],
        "unproven": [],
        "words": f"No flag is certainly wrong. Not certain to be right: 0 of {counted(len(game['flags']), 'flag')}.",
    }


def test_wrong_flags_are_found_by_logic_alone(visitor: Visitor) -> None:
    game = shared(visitor, PUZZLE)
    chances = np.array(visitor.ask(game, "probabilities")["chances"], dtype=float)
    row, col = np.argwhere(chances == 0)[0].tolist()
    visitor.move(game, "flag", (row, col))
    answer = visitor.ask(game, "check-flags")
    assert answer["wrong"] == [[row, col]]


def test_a_loss_by_a_needless_guess_is_explained(visitor: Visitor) -> None:
    game = shared(visitor, PUZZLE)
    visitor.ask(game, "explain", 409)
    lost = visitor.move(game, "open", (0, 1))
    why = visitor.ask(lost, "explain")
    assert why["cell"] == [0, 1]
    assert why["kind"] in ("proven_mine", "guess_while_safe")
    assert why["safe"]
    if why["kind"] == "proven_mine":
        assert why["mine_probability"] == 1
        assert why["reason"]["clues"]
    for row, col in why["hint"]["safe"]:
        assert not PUZZLE.board.mine_map[row, col]


def test_a_loss_by_a_forced_guess_is_nobodys_fault(visitor: Visitor, client: TestClient) -> None:
    for cheat in stuck(visitor):
        game = cheat["game"]
        lost = visitor.move(game, "open", tuple(cheat["guess"]["cell"]))
        if lost["status"] == "lost":
            why = visitor.ask(lost, "explain")
            assert why["kind"] == "guess_forced"
            assert why["mine_probability"] == cheat["guess"]["mine_probability"]
            assert why["safe"] == []
            assert why["hint"] is None
            return


@pytest.mark.parametrize("question", ["may-guess", "check-flags", "probabilities"])
def test_help_is_noted(visitor: Visitor, question: str) -> None:
    game = shared(visitor, PUZZLE)
    visitor.ask(game, question)
    assert visitor.get(f"/games/{game['id']}")["helped"]


@pytest.mark.parametrize("question", ["may-guess", "check-flags", "probabilities"])
def test_help_ends_with_the_game(visitor: Visitor, question: str) -> None:
    game = visitor.move(shared(visitor, PUZZLE), "open", (0, 1))
    visitor.ask(game, question, 409)
    visitor.move(game, "hint", status=409)
    visitor.move(game, "cheat", status=409)


KABOOMS = [
    {"rows": 6, "cols": 6, "mines": 9, "rules": {"opening_start": False, "outside_counts": outside}}
    for outside in (True, False)
]


@pytest.mark.parametrize("kaboom", KABOOMS)
def test_whoever_follows_the_hints_survives_kaboom(visitor: Visitor, kaboom: dict[str, Any]) -> None:
    """A hint once named the cell with the lowest chance of a mine even if the adversary grants no guess there."""
    guesses = 0
    for _ in range(6):
        game = visitor.new(mode="kaboom", **kaboom)
        first = visitor.move(game, "hint")
        assert (first["found"], first["guess"]) == (False, None)
        game = visitor.move(game, "open", (0, 0))
        while game["status"] == "playing":
            allowed = visitor.ask(game, "may-guess")["allowed"]
            hint = visitor.move(game, "hint")
            for mine in hint["mines"] if hint["found"] else []:
                game = visitor.move(game, "flag", tuple(mine))
            if hint["found"] and not hint["safe"]:
                continue
            if not hint["found"]:
                assert allowed
                guesses += 1
                assert visitor.ask(game, "probabilities")["best"] == hint["guess"]["cell"]
            game = visitor.move(game, "open", tuple(hint["safe"][0] if hint["found"] else hint["guess"]["cell"]))
        assert game["status"] == "won"
    assert guesses


def test_before_the_first_click_no_help_says_that_one_must_guess(visitor: Visitor) -> None:
    for mode in ("classic", "kaboom"):
        game = visitor.new(mode=mode, preset="beginner")
        words = [visitor.move(game, verb)["words"] for verb in ("hint", "cheat")]
        assert {*words, visitor.ask(game, "may-guess")["words"]} == {"The first click is always safe: open any cell."}


def test_looking_at_a_position_elsewhere_is_help_while_the_game_goes_on(visitor: Visitor) -> None:
    game = shared(visitor, PUZZLE)
    position = visitor.move(game, "analyse")
    assert position == {key: game[key] for key in ("rows", "cols", "mines", "cells", "flags")}
    assert visitor.get(f"/games/{game['id']}")["helped"]


def saved(client: TestClient, cells: list[str], mines: int, name: str, status: int = 200) -> bytes:
    body = {"cells": cells, "mines": mines, "format": name}
    response = client.post("/api/position/save", json=body)
    assert response.status_code == status, response.text
    return response.content


def test_positions_are_saved_in_every_format(visitor: Visitor, client: TestClient) -> None:
    view = View.from_text("3x4/2\n####\n1121\n0000")
    formats = visitor.get("/options")["formats"]
    assert {"text", "view.board", "mbf", "sgt", "jsonl", "svg"} <= {one["name"] for one in formats}
    for one in formats:
        data = saved(client, ["*#*#", "1121", "0000"], 2, one["name"])
        if one["name"] in ("text", "view.board", "view.mine"):
            assert read_position(data) == view
        elif one["name"] in ("jsonl", "csv", "sgt", "mine", "board", "mbf", "ptt", "path"):
            board = read_shown(data)
            assert (board.board if isinstance(board, Puzzle) else board) == Board.from_text("*.*.\n....\n....")
        else:
            assert b"<svg" in data
    saved(client, ["####", "1121", "0000"], 2, "mbf", 422)
    saved(client, ["####", "1121", "0000"], 2, "parquet", 422)
    saved(client, ["####", "1121", "0000"], 2, "nonsense", 422)
    saved(client, ["**", "**"], 4, "mbf", 422)


def test_crafted_files_are_refused(client: TestClient, tmp_path: Path) -> None:
    slow = crafted.slow_database(tmp_path / "pack.db"), "not the tables of version 1"
    repeated = crafted.repeated_rows(tmp_path / "pack.parquet", 1, board="00" * 12_000_000), "row group of 22 MiB"
    for path, cause in (slow, repeated):
        body = {"text": b64encode(path.read_bytes()).decode(), "base64": True}
        answer = client.post("/api/analyse", json=body)
        assert answer.status_code == 422
        assert cause in answer.json()["error"], answer.json()
