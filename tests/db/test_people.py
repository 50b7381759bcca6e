"""Games of people and their statistics."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from minesweeper.db.people import GameStats, HumanGame, Unranked, daily_streak, player_record
from minesweeper.db.store import Store
from minesweeper.player.board import Board
from minesweeper.player.play.recorded_games import RecordedClick

BOARD = Board.from_text("...*....*.")


def game(name: str, won: bool = True, seconds: float = 2.0, board: Board = BOARD, **more: object) -> HumanGame:
    clicks = (RecordedClick(0, (0, 0), ((0, 0),)), RecordedClick(0.5, (0, 1), ((0, 4), (0, 5)), helped=True))
    return HumanGame(name, "classic", "Classic", board, clicks, won, seconds, 4, "2026-01-02 03:04:05", **more)  # type: ignore[arg-type]


def test_a_game_is_stored_once_and_whole(tmp_path: Path) -> None:
    stats = GameStats(4, 3, 2, 0.25, 1, 0, 0.125)
    with Store(tmp_path / "people.db") as store:
        store.add_human_games([("one", game("a", day="2026-01-02")), ("two", game("b"))])
        store.add_human_games([("one", game("a", won=False))])
        store.set_game_stats("a", stats)
        (kept,) = store.human_games("one")
        assert kept == game("a", day="2026-01-02", stats=stats, number=1)
        assert store.human_game("play:2", "two").name == "b"
        with pytest.raises(ValueError, match="play:2"):
            store.human_game("play:2", "one")
        store.delete_player("one")
        assert [other.name for other in store.human_games()] == ["b"]


def test_a_game_on_a_known_board_is_unranked(tmp_path: Path) -> None:
    with Store(tmp_path / "people.db") as store:
        turned = Board.from_text(".*....*...")
        store.add_human_games(
            [("one", game("a")), ("one", game("b")), ("one", game("c", board=turned)), ("two", game("d"))]
        )
        store.add_human_games([("one", game("e", unranked=Unranked.HELP))])
        assert {one.name: one.unranked for one in store.human_games()} == {
            "a": "",
            "b": "repeat",
            "c": "",
            "d": "",
            "e": "help",
        }


def test_a_game_is_compared_with_the_best_ranked_game_like_it(tmp_path: Path) -> None:
    boards = [Board.from_text(text) for text in ("*........*", "**........", "***.......", "*.*.......")]
    with Store(tmp_path / "people.db") as store:
        store.add_human_games([("one", game("a", seconds=4)), ("one", game("b", seconds=1))])
        store.add_human_games(("one", game(f"c{i}", seconds=5 - i, board=board)) for i, board in enumerate(boards))
        store.add_human_games([("two", game("d", seconds=0.5)), ("one", game("e", board=boards[0], won=False))])
        assert store.compare_human_game("one", game("b", seconds=1)) == (Unranked.REPEAT, 2.0)
        assert store.compare_human_game("one", game("c3", seconds=2)) == (Unranked.NO, 4.0)
        assert store.compare_human_game("one", game("new", board=boards[2])) == (Unranked.NO, 3.0)
        assert store.compare_human_game("two", game("d")) == (Unranked.NO, None)


def test_unranked_games_change_no_statistics() -> None:
    stats = GameStats(4, 4, 2, 0.5, 1, 2, 0)
    games = [
        game("a", won=False, number=1, stats=GameStats(4, 1, 2, 0, 3, 0, 0)),
        game("b", number=2, seconds=2.5, stats=stats),
        game("c", number=3, seconds=1.25, stats=stats),
        game("d", number=4, seconds=0.5, stats=stats, unranked=Unranked.HELP),
        game("e", number=5, won=False, unranked=Unranked.REPEAT),
    ]
    (kind,) = player_record(games, date(2026, 1, 2))["kinds"]
    assert [kind[group] for group in ("ranked", "help", "repeat")] == [
        {"games": 3, "wins": 2},
        {"games": 1, "wins": 1},
        {"games": 1, "wins": 0},
    ]
    assert (kind["best_seconds"], kind["mean_seconds"]) == (1.25, 1.875)
    assert (kind["best_bbbv_per_second"], kind["best_efficiency"]) == (4 / 1.25, 1)
    assert (kind["forced"], kind["needless"], kind["mean_luck"]) == (5, 4, 0.5)
    assert (kind["streak"], kind["longest_streak"]) == (2, 2)


@pytest.mark.parametrize(
    ("days", "today", "streak", "longest"),
    [
        ([], 5, 0, 0),
        ([3, 4, 5], 5, 3, 3),
        ([3, 4], 5, 2, 2),
        ([1, 2, 3, 5], 5, 1, 3),
        ([1, 2], 5, 0, 2),
        ([2, 3], 5, 0, 2),
        ([4, 4, 5], 5, 2, 2),
    ],
)
def test_a_daily_streak_lasts_until_a_day_is_missed(days: list[int], today: int, streak: int, longest: int) -> None:
    games = [game(f"{i}", day=f"2026-01-{day:02}") for i, day in enumerate(days)]
    games += [game("lost", won=False, day="2026-01-05"), game("helped", unranked=Unranked.HELP, day="2026-01-05")]
    found = daily_streak(games, date(2026, 1, today))
    assert (found["streak"], found["longest"]) == (streak, longest)
