"""Keeping only some of the solvable puzzles: the filters of `generate`."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from minesweeper.db.records import PuzzleRecord
from minesweeper.db.store import Store
from minesweeper.generator.filters import PuzzleFilter
from minesweeper.generator.pipeline import Limits, Task, generate
from minesweeper.generator.screening import screen
from minesweeper.player.recipe import Recipe
from minesweeper.scripts.commands.generate import main

RECIPE = Recipe(9, 9, 10, (4, 4), "opening", 5)
HARD = PuzzleFilter(difficulty="fiendish", needs_mine_count=True, min_bbbv=12)


def kept(path: Path, wanted: PuzzleFilter, *counts: int, workers: int = 1) -> list[PuzzleRecord]:
    with Store(path) as store:
        for count in counts:
            generate(Task(RECIPE, certified=False, wanted=wanted), Limits(count), store, workers=workers)
        return list(store.puzzles())


def test_what_is_kept_is_what_is_wanted_and_nothing_else_of_it_is_left_out(tmp_path: Path) -> None:
    chosen = kept(tmp_path / "hard.db", HARD, 12)
    everything = kept(tmp_path / "all.db", PuzzleFilter(), chosen[-1].index or 0)
    fits = [
        record
        for record in everything
        if record.difficulty is not None
        and record.difficulty.word == "fiendish"
        and record.tally is not None
        and record.tally[3] > 0
        and record.with_measures().measured.bbbv >= 12
    ]
    last = everything[-1].index
    assert last is not None
    assert [record for record in chosen if record.index is not None and record.index <= last] == fits[:12]
    assert len(fits) >= 3


def test_a_filtered_run_is_resumed_and_is_another_than_the_unfiltered_one(tmp_path: Path) -> None:
    at_once = kept(tmp_path / "once.db", HARD, 12)
    assert kept(tmp_path / "twice.db", HARD, 5, 12, workers=2) == at_once
    with Store(tmp_path / "twice.db") as store:
        other = generate(Task(RECIPE, certified=False), Limits(3), store, workers=1)
        assert (other.run.id, other.run.kept) != (1, 12)
        assert store.run(1).kept == 12


def test_equal_names_mean_equal_conditions() -> None:
    several = [
        PuzzleFilter(word, needs, least, score)
        for word in (None, "easy", "hard")
        for needs in (None, True, False)
        for least in (None, 0, 9)
        for score in (None, 0, 30)
    ]
    assert len({wanted.name for wanted in several}) == len(several)
    assert PuzzleFilter().name == ""


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ([], PuzzleFilter()),
        (["--difficulty", "hard", "--needs-mine-count", "no", "--min-3bv", "7"], PuzzleFilter("hard", False, 7)),
        (["--min-score", "30"], PuzzleFilter(min_score=30)),
    ],
)
def test_the_command_asks_for_it(tmp_path: Path, options: list[str], wanted: PuzzleFilter) -> None:
    path = tmp_path / "some.db"
    command = ["--size", "6x6", "--mines", "7", "--seed", "3", "--count", "4", "--workers", "1", "--db", str(path)]
    result = CliRunner().invoke(main, [*command, *options, "--max-candidates", "2000"])
    assert result.exit_code in (0, 1), result.output
    assert wanted.options == options
    with Store(path) as store:
        records = list(store.puzzles())
    assert records
    assert all(wanted.accepts(record.puzzle, screen(record.puzzle, "sat")) for record in records)
