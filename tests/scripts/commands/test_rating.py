"""Metrics and difficulty in the database: `packs rate`, `packs stats` and, with the times of people, `packs people`."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from statistics import median_low

import pytest
from click.testing import CliRunner
from processes import ended
from sample_records import RECIPE, filled, sampled

from minesweeper import Board, Recipe
from minesweeper.db.formats.format import imported_record
from minesweeper.db.people import GameStats, HumanGame, Unranked
from minesweeper.db.store import Import, Store
from minesweeper.generator import Limits, Task, generate, puzzles
from minesweeper.generator.screening import screen
from minesweeper.player.logic.effort import clues_at_once, effort_of
from minesweeper.player.logic.metrics import measures, metrics
from minesweeper.player.play.recorded_games import RecordedClick
from minesweeper.scripts.commands.packs.command import histogram, main
from minesweeper.scripts.commands.packs.hardness import rate


@pytest.fixture
def imported(folder: Path) -> Path:
    """Store 30 puzzles without metrics in the default database of the current folder."""
    return filled(folder / "minesweeper.db", 30)


def packs(*arguments: str) -> str:
    return ended(CliRunner().invoke(main, list(arguments))).output


def test_rate_computes_missing_metrics_once(imported: Path) -> None:
    with Store(imported) as store:
        assert store.count(where="bbbv IS NULL AND difficulty IS NOT NULL") == 30
    assert packs("rate") == "30 of 30 puzzles rated\n"
    assert packs("rate") == "nothing to do: 30 puzzles already rated\n"
    with Store(imported) as store:
        for record in store.puzzles():
            assert record.measured == measures(record.puzzle)
            assert record.tally is not None
            assert record.clues_at_once == clues_at_once(record.puzzle, record.tally)
        assert store.count(where="bbbv IS NULL") == 0


@pytest.mark.kernel
def test_rate_measures_solution_paths_on_request(folder: Path) -> None:
    path = folder / "minesweeper.db"
    with Store(path) as store:
        generate(Task(RECIPE), Limits(120), store, workers=1)
        stuck = next(puzzle for puzzle in map(RECIPE.puzzle, range(200)) if not screen(puzzle).solved)
        with Import(store) as batch:
            batch.add([imported_record(stuck)])
    assert packs("rate") == "1 of 121 puzzles rated\n"
    assert packs("rate", "--path") == "120 of 121 puzzles rated\n"
    assert packs("rate", "--path") == "nothing to do: 121 puzzles already rated\n"
    with Store(path) as store:
        records = list(store.puzzles())
        efforts = [record.effort for record in records if record.effort is not None]
        assert [record.effort for record in records[:-1]] == [effort_of(record.puzzle) for record in records[:-1]]
        assert records[-1].effort is None
        assert store.count(where="path_hard_steps > 0") == sum(effort.hard_steps > 0 for effort in efforts) > 0
    listed = json.loads(packs("list", "--json", "--where", "path_longest_wait >= 12"))
    waits = [effort.longest_wait for effort in efforts]
    assert [row["path_longest_wait"] for row in listed] == [wait for wait in waits if wait >= 12] != []
    found = json.loads(packs("stats", "--json"))["distributions"]
    assert found["path_steps"] == sorted(map(list, Counter(effort.steps for effort in efforts).items()))
    assert "open path steps" in packs("stats")
    assert f"open path steps   {efforts[0].open_steps}" in packs("show", records[0].id)


def test_selects_puzzles_by_difficulty(imported: Path) -> None:
    with Store(imported) as store:
        words = Counter(record.difficulty.word for record in store.puzzles() if record.difficulty is not None)
        assert len(words) > 1
        for word, count in words.items():
            found = list(store.puzzles(difficulty=word))
            assert len(found) == count == store.count(difficulty=word)
            assert all(record.difficulty is not None and record.difficulty.word == word for record in found)


def test_stats_count_everything_once(imported: Path) -> None:
    found = json.loads(packs("stats", "--json"))
    with Store(imported) as store:
        records = list(store.puzzles())
    assert found["puzzles"] == 30
    assert found["counts"]["boards"] == {"9x9/10": 30}
    assert sum(found["counts"]["difficulty_word"].values()) == sum(found["counts"]["hardest_tier"].values()) == 30
    bbbv = [metrics(record.puzzle.board).bbbv for record in records]
    assert found["distributions"]["bbbv"] == sorted(map(list, Counter(bbbv).items()))
    text = packs("stats")
    assert f"median {median_low(bbbv)}, mean" in text
    assert "30 puzzles" in text


def test_every_output_has_the_first_opening(imported: Path) -> None:
    packs("rate")
    opened = [len(sampled(i).puzzle.board.opening(sampled(i).puzzle.first_click)) for i in range(30)]
    listed = json.loads(packs("list", "--json"))
    assert [row["first_opening"] for row in listed] == opened
    few = json.loads(packs("list", "--json", "--where", "first_opening < 20"))
    assert [row["sample_index"] for row in few] == [index for index, cells in enumerate(opened) if cells < 20] != []
    assert ["first", "opening", str(opened[0])] in [
        line.split() for line in packs("show", listed[0]["id"]).splitlines()
    ]
    found = json.loads(packs("stats", "--json"))["distributions"]["first_opening"]
    assert found == sorted(map(list, Counter(opened).items()))
    for name in ("jsonl", "csv"):
        text = packs("export", "-", "--format", name, "--limit", "1")
        assert "first_opening" in text
        assert str(opened[0]) in text


def test_a_histogram_has_at_most_ten_bars_that_add_up() -> None:
    counts = Counter({3: 5, 4: 10, 30: 1, 77: 2})
    bars = histogram(counts)
    assert len(bars) == 10
    assert sum(int(bar.split()[-1]) for bar in bars) == 18
    assert bars[0].count("#") == 40
    assert [bar.split()[0] for bar in histogram(Counter([1, 2, 2, 4]))] == ["1", "2", "3", "4"]


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


def test_compares_scores_with_seconds(database: str) -> None:
    rows = json.loads(packs("people", "--json", "--db", database))
    assert {(row["rows"], row["cols"], row["mines"]) for row in rows} == {(9, 9, 10)}
    assert [sum(row[key] for row in rows) for key in ("games", "wins", "helped_games")] == [12, 6, 6]
    assert all(row["median_seconds"] < 500 for row in rows)
    assert all(row["needless_per_game"] == 2 for row in rows)
    assert "9x9/10: rank correlation of score and seconds +1.00, 6 games" in packs("people", "--db", database)


def test_too_few_games_give_no_correlation(tmp_path: Path) -> None:
    path = str(tmp_path / "minesweeper.db")
    puzzle = next(iter(puzzles(Recipe("9x9/10", seed=3), 1, workers=1)))
    clicks = (RecordedClick(0.0, puzzle.first_click, (puzzle.first_click,)),)
    with Store(path) as store:
        store.people.add([("one", HumanGame("a", "classic", "", puzzle.board, clicks, True, 1.0, 3, "2026-01-01"))])
    assert "9x9/10: too few games won without help to compare score and seconds (1)" in packs("people", "--db", path)
