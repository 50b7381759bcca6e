"""`packs people`: ratings compared with the times of people, for games with known results."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from minesweeper import Board, Recipe, Store
from minesweeper.db.people import GameStats, HumanGame, Unranked
from minesweeper.generator import puzzles
from minesweeper.player.play.recorded_games import RecordedClick
from minesweeper.scripts.commands.packs.command import main
from minesweeper.scripts.commands.packs.hardness import rate


@pytest.fixture
def database(tmp_path: Path) -> str:
    """Store six puzzles, each won in score + 1 seconds and then lost with help, and a board that needs luck."""
    path = str(tmp_path / "minesweeper.db")
    with Store(path) as store:
        for number, puzzle in enumerate(puzzles(Recipe("9x9/10", seed=3), 6, workers=1)):
            clicks = (RecordedClick(0.0, puzzle.first_click, (puzzle.first_click,)),)
            game = HumanGame(f"a{number}", "classic", "Classic", puzzle.board, clicks, True, 1.0, 3, "2026-01-01")
            rated = rate(game)
            assert rated is not None
            lost = replace(game, name=f"b{number}", won=False, seconds=500.0, unranked=Unranked.HELP)
            store.people.add([("one", replace(game, seconds=rated.rating.score + 1)), ("two", lost)])
            assert rate(replace(game, mode="kaboom")) is None
            store.people.set_stats(f"b{number}", GameStats(9, 5, 8, 0.5, 0, 2, 0.0))
        luck = HumanGame("c", "classic", "Classic", Board.from_text("...*....*."), (), True, 1.0, 3, "2026-01-01")
        store.people.add([("one", luck)])
        for name, cell in (("d", (0, 9)), ("e", (0, 3))):
            clicks = (RecordedClick(0.0, cell, (cell,)),)
            store.people.add([("one", replace(luck, name=name, recorded_clicks=clicks))])
    return path


def people(*arguments: str) -> str:
    result = CliRunner().invoke(main, ["people", *arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_compares_scores_with_seconds(database: str) -> None:
    rows = json.loads(people("--json", "--db", database))
    assert {(row["rows"], row["cols"], row["mines"]) for row in rows} == {(9, 9, 10)}
    assert [sum(row[key] for row in rows) for key in ("games", "wins", "helped_games")] == [12, 6, 6]
    assert all(row["median_seconds"] < 500 for row in rows)
    assert all(row["needless_per_game"] == 2 for row in rows)
    assert "9x9/10: rank correlation of score and seconds +1.00, 6 games" in people("--db", database)


def test_too_few_games_give_no_correlation(tmp_path: Path) -> None:
    path = str(tmp_path / "minesweeper.db")
    puzzle = next(iter(puzzles(Recipe("9x9/10", seed=3), 1, workers=1)))
    clicks = (RecordedClick(0.0, puzzle.first_click, (puzzle.first_click,)),)
    with Store(path) as store:
        store.people.add([("one", HumanGame("a", "classic", "", puzzle.board, clicks, True, 1.0, 3, "2026-01-01"))])
    assert "9x9/10: too few games won without help to compare score and seconds (1)" in people("--db", path)
