"""Games of people in the database."""

from pathlib import Path

import pytest

from minesweeper import Board, Store
from minesweeper.db.people import GameStats, HumanGame, Unranked
from minesweeper.player.play.recorded_games import RecordedClick

BOARD = Board.from_text("...*....*.")


def game(name: str, won: bool = True, seconds: float = 2.0, board: Board = BOARD, **more: object) -> HumanGame:
    clicks = (RecordedClick(0, (0, 0), ((0, 0),)), RecordedClick(0.5, (0, 1), ((0, 4), (0, 5)), helped=True))
    return HumanGame(name, "classic", "Classic", board, clicks, won, seconds, 4, "2026-01-02 03:04:05", **more)  # type: ignore[arg-type]


def test_a_game_is_stored_once_and_whole(tmp_path: Path) -> None:
    stats = GameStats(4, 3, 2, 0.25, 1, 0, 0.125)
    with Store(tmp_path / "people.db") as store:
        store.people.add([("one", game("a", day="2026-01-02")), ("two", game("b"))])
        store.people.add([("one", game("a", won=False))])
        store.people.set_stats("a", stats)
        (kept,) = store.people.games("one")
        assert kept == game("a", day="2026-01-02", stats=stats, number=1)
        store.people.add([("three", game("c", stats=stats))])
        assert store.people.game("c").stats == stats
        store.people.delete("three")
        assert store.people.game("play:2", "two").name == "b"
        with pytest.raises(ValueError, match="play:2"):
            store.people.game("play:2", "one")
        store.people.delete("one")
        assert [other.name for other in store.people.games()] == ["b"]


def test_a_game_on_a_known_board_is_unranked(tmp_path: Path) -> None:
    with Store(tmp_path / "people.db") as store:
        turned = Board.from_text(".*....*...")
        store.people.add([("one", game("a")), ("one", game("b")), ("one", game("c", board=turned)), ("two", game("d"))])
        store.people.add([("one", game("e", unranked=Unranked.HELP))])
        assert {one.name: one.unranked for one in store.people.games()} == {
            "a": "",
            "b": "repeat",
            "c": "",
            "d": "",
            "e": "help",
        }


def test_a_game_is_compared_with_the_best_ranked_game_like_it(tmp_path: Path) -> None:
    boards = [Board.from_text(text) for text in ("*........*", "**........", "***.......", "*.*.......")]
    with Store(tmp_path / "people.db") as store:
        store.people.add([("one", game("a", seconds=4)), ("one", game("b", seconds=1))])
        store.people.add(("one", game(f"c{i}", seconds=5 - i, board=board)) for i, board in enumerate(boards))
        store.people.add([("two", game("d", seconds=0.5)), ("one", game("e", board=boards[0], won=False))])
        assert store.people.best_before("one", game("b", seconds=1)) == 2.0
        assert store.people.best_before("one", game("c3", seconds=2)) == 4.0
        assert store.people.best_before("one", game("new", board=boards[2])) == 3.0
        assert store.people.best_before("two", game("d")) is None
