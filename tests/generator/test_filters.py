"""The filters of `generate` and `puzzles`."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from minesweeper import Recipe, Store
from minesweeper.db.records import PuzzleRecord
from minesweeper.generator import Limits, PuzzleFilter, Task, generate
from minesweeper.generator.rated_puzzles import puzzles
from minesweeper.generator.screening import FoundPuzzle, screen
from minesweeper.generator.search import find_puzzles
from minesweeper.player.core.difficulty import WORDS
from minesweeper.player.core.errors import BoardError
from minesweeper.player.core.steps import Tally
from minesweeper.player.logic.fewest_clicks import fixed_plan
from minesweeper.player.logic.metrics import measures
from minesweeper.scripts.commands.generate import main

RECIPE = Recipe("9x9/10", seed=5)
HARD = PuzzleFilter(difficulty="fiendish", tier="mine count", needs_mine_count=True, min_bbbv=12)


def stored(path: Path, chosen: PuzzleFilter, *counts: int, workers: int = 1) -> list[PuzzleRecord]:
    with Store(path) as store:
        for count in counts:
            generate(Task(RECIPE, certified=False, filter=chosen), Limits(count), store, workers=workers)
        return list(store.puzzles())


def test_a_filtered_run_keeps_exactly_the_puzzles_that_match(tmp_path: Path) -> None:
    filtered = stored(tmp_path / "hard.db", HARD, 6)
    everything = stored(tmp_path / "all.db", PuzzleFilter(), filtered[-1].sample_index or 0)
    matching = [
        record
        for record in everything
        if record.difficulty is not None
        and record.difficulty.word == "fiendish"
        and record.tally is not None
        and record.tally[3] > 0
        and record.with_measures().measured.bbbv >= 12
    ]
    last = everything[-1].sample_index
    assert last is not None
    assert [one for one in filtered if one.sample_index is not None and one.sample_index <= last] == matching[:6]
    assert len(matching) >= 3


def test_a_filtered_run_is_resumed_and_has_its_own_key(tmp_path: Path) -> None:
    at_once = stored(tmp_path / "once.db", HARD, 6)
    assert stored(tmp_path / "twice.db", HARD, 3, 6, workers=2) == at_once
    with Store(tmp_path / "twice.db") as store:
        other = generate(Task(RECIPE, certified=False), Limits(3), store, workers=1)
        assert (other.run.id, other.run.kept) != (1, 6)
        assert [row["kept"] for row in store.db["runs"].rows] == [6, 3]


@pytest.mark.parametrize("engine", ["native", "sat"])
def test_a_bound_keeps_the_puzzles_that_just_meet_it(engine: str) -> None:
    recipe = Recipe("8x8/26", seed=2)
    one = next(one for one in puzzles(recipe, None, certified=False) if one.metrics and one.metrics.buried)
    assert one.metrics is not None
    efficiency = fixed_plan(one.board).efficiency
    for name, bound, beyond in (
        ("min_bbbv", one.metrics.bbbv, one.metrics.bbbv + 1),
        ("min_score", one.difficulty.score, one.difficulty.score + 1),
        ("max_bbbv", one.metrics.bbbv, one.metrics.bbbv - 1),
        ("max_score", one.difficulty.score, one.difficulty.score - 0.01),
        ("where", f"bbbv = {one.metrics.bbbv} AND difficulty > 0", f"bbbv > {one.metrics.bbbv} -- more"),
        ("min_efficiency", efficiency, efficiency + 0.01),
        ("max_efficiency", efficiency, efficiency - 0.01),
        ("max_buried", one.metrics.buried / 26, (one.metrics.buried - 1) / 26),
    ):
        for value, kept in ((bound, 1), (beyond, 0)):
            task = Task(recipe, engine, certified=False, filter=PuzzleFilter(**{name: value}))
            assert len(find_puzzles(task, range(one.index, one.index + 1))["id"]) == kept, (name, value)


@pytest.mark.parametrize(("size", "seed"), [("9x9/10", 5), ("9x9/10", 52), ("4x4/2", 2)])
def test_an_efficiency_that_only_the_plan_of_fewest_clicks_has_is_found(size: str, seed: int) -> None:
    puzzle = Recipe(size, seed=seed).puzzle(0)
    measured, plan = measures(puzzle), fixed_plan(puzzle.board)
    for least, kept in ((plan.efficiency, True), (2 * plan.efficiency, False)):
        assert PuzzleFilter(min_efficiency=least).accepts_metrics(measured, lambda: puzzle.board) is kept


@pytest.mark.parametrize(
    ("chosen", "tally", "kept"),
    [
        (PuzzleFilter(tier="1 clue"), Tally(30, 0, 0, 0), True),
        (PuzzleFilter(tier="1 clue"), Tally(30, 1, 0, 0), False),
        (PuzzleFilter(needs_mine_count=True), Tally(30, 0, 0, 1), True),
        (PuzzleFilter(needs_mine_count=True), Tally(30, 1, 1, 0), False),
        (PuzzleFilter(needs_mine_count=False), Tally(30, 1, 1, 0), True),
        (PuzzleFilter(needs_mine_count=False), Tally(30, 0, 0, 1), False),
        (PuzzleFilter("easy"), Tally(0, 0, 0, 0), True),  # The first click opens everything: the score is 0.
        (PuzzleFilter("easy", min_score=1), Tally(0, 0, 0, 0), False),
        (PuzzleFilter("fiendish"), Tally(0, 0, 0, 0), False),
    ],
)
def test_each_condition_on_the_solution_decides_alone(chosen: PuzzleFilter, tally: Tally, kept: bool) -> None:
    assert chosen.accepts_solution(71, tally, 1) is kept
    assert chosen.needs_difficulty is (chosen.difficulty is not None)


def test_a_name_has_the_scores_of_its_difficulty() -> None:
    (_, first), (second, low), (_, high), *_, (last, most) = WORDS.items()
    assert first < low < high < most
    assert PuzzleFilter(second).name == f"{second} for its size, {low:g} to {high:g}"
    assert PuzzleFilter(last).name == f"{last} for its size, from {most:g}"


def test_equal_names_mean_equal_conditions() -> None:
    filters = [
        PuzzleFilter(word, tier, needs, least, score)
        for word in (None, "easy", "hard")
        for tier in (None, "1 clue", "mine count")
        for needs in (None, True, False)
        for least in (None, 0, 9)
        for score in (None, 0, 30)
    ]
    assert len({each.name for each in filters}) == len(filters)
    assert PuzzleFilter().name == ""


def test_rejects_unknown_values_and_impossible_ones() -> None:
    with pytest.raises(ValueError, match=r"unknown difficulty 'hrd' \(did you mean 'hard'\?\); expected easy, "):
        PuzzleFilter("hrd")
    with pytest.raises(BoardError, match="no 9x9/10 board has a 3BV of 72: it has 71 safe cells"):
        Task(RECIPE, filter=PuzzleFilter(min_bbbv=72))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], PuzzleFilter()),
        (["--difficulty", "hard", "--needs-mine-count", "no", "--min-3bv", "7"], PuzzleFilter("hard", None, False, 7)),
        (["--tier", "mine count", "--min-score", "9"], PuzzleFilter(tier="mine count", min_score=9)),
        (["--max-3bv", "12", "--max-score", "9"], PuzzleFilter(max_bbbv=12, max_score=9)),
        (["--difficulty", "hard", "--where", "islands < 4"], PuzzleFilter("hard", where="islands < 4")),
    ],
)
def test_options_and_filters_correspond(tmp_path: Path, options: list[str], expected: PuzzleFilter) -> None:
    path = tmp_path / "some.db"
    command = ["--size", "6x6", "--mines", "7", "--seed", "3", "--count", "4", "--workers", "1", "--db", str(path)]
    result = CliRunner().invoke(main, [*command, *options, "--max-candidates", "2000"])
    assert result.exit_code in (0, 1), result.output
    assert [word for pair in expected.options.items() for word in pair] == options
    with Store(path) as store:
        records = list(store.puzzles())
        (row,) = store.db["runs"].rows
    arguments = json.loads(row["arguments"])
    assert ("filter" in arguments, arguments.get("min_score")) == (False, expected.min_score)
    assert records
    assert all(expected.accepts(FoundPuzzle(0, record.puzzle, screen(record.puzzle, "sat"))) for record in records)
    assert expected.where is None or {record.measured.islands for record in records if record.measured} <= set(range(4))
