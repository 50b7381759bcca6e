"""Runs of `generate`: the puzzles do not depend on workers, interruptions and resumption."""

import logging
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pytest

from minesweeper import Grid, Recipe, Store
from minesweeper.db.records import Run
from minesweeper.generator import Limits, PuzzleFilter, generate, pipeline
from minesweeper.generator.search import Found, Method, Task, try_first
from minesweeper.player.core.errors import OutOfTime, ProofFailed, WorkerDied
from minesweeper.player.parallel.workers import map_ranges

RECIPE = Recipe("9x9/14", click=None, seed=5)
TASK = Task(RECIPE)


def _stored(path: Path) -> list[tuple[str, int | None, str | None]]:
    with Store(path, create=False) as store:
        query = "SELECT id, sample_index, certificate FROM puzzles ORDER BY rowid"
        return list(store.db.execute(query))


def test_the_puzzles_do_not_depend_on_the_workers(tmp_path: Path) -> None:
    for number in (1, 2, 3):
        with Store(tmp_path / f"{number}.db") as store:
            summary = generate(TASK, Limits(40), store, workers=number)
            assert (summary.ending, summary.found, summary.run.kept) == ("done", 40, 40)
    one, two, three = (_stored(tmp_path / f"{number}.db") for number in (1, 2, 3))
    assert one == two == three
    assert [index for _, index, _ in one] == sorted(index for _, index, _ in one if index is not None)


def test_a_run_resumes_where_it_stopped(tmp_path: Path) -> None:
    with Store(tmp_path / "whole.db") as store:
        generate(TASK, Limits(60), store, workers=1)
    with Store(tmp_path / "parts.db") as store:
        for count, limit in ((7, None), (60, 30), (60, 50), (60, None), (60, None)):
            summary = generate(TASK, Limits(count, limit), store, workers=2)
        assert (summary.candidates, summary.found, summary.ending) == (0, 0, "done")
    assert _stored(tmp_path / "whole.db") == _stored(tmp_path / "parts.db")


def test_limits_of_candidates_and_time(tmp_path: Path) -> None:
    with Store(tmp_path / "a.db") as store:
        summary = generate(TASK, Limits(10**6, max_candidates=100), store, workers=2)
        assert (summary.ending, summary.run.candidates, summary.run.next_index) == ("candidates", 100, 100)
        summary = generate(TASK, Limits(10**6, seconds=1e-9), store, workers=2)
        assert summary.ending == "time"


@pytest.mark.parametrize("number", [1, 2])
def test_an_interruption_keeps_the_puzzles(tmp_path: Path, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "_SECONDS_PER_TRANSACTION", 0)
    sent = []

    def interrupt(run: Run) -> None:
        if run.kept and not sent:
            sent.append(os.kill(os.getpid(), signal.SIGINT))

    with Store(tmp_path / "a.db") as store:
        summary = generate(TASK, Limits(10**6), store, workers=number, report=interrupt)
        assert summary.ending == "interrupted"
        assert 0 < summary.run.kept == store.count()
        count = summary.run.kept + 10
        generate(TASK, Limits(count), store, workers=1)
    with Store(tmp_path / "b.db") as store:
        generate(TASK, Limits(count), store, workers=1)
    assert _stored(tmp_path / "a.db") == _stored(tmp_path / "b.db")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_killed_worker_loses_no_stored_puzzle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "_SECONDS_PER_TRANSACTION", 0)
    others = set(active_children())  # servers of other tests

    def kill_a_worker(run: Run) -> None:
        for child in list(set(active_children()) - others)[:1]:
            child.kill()

    with Store(tmp_path / "a.db") as store:
        with pytest.raises(WorkerDied, match="killed"):
            generate(TASK, Limits(10**6), store, workers=2, report=kill_a_worker)
        assert store.count() > 0


def test_a_failed_proof_stops_the_run_and_stores_nothing_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("search", "certify"):
        monkeypatch.setattr(sys.modules[f"minesweeper.generator.{module}"], "contradictory", lambda _: False)
    with Store(tmp_path / "a.db") as store:
        with pytest.raises(ProofFailed):
            generate(TASK, Limits(5), store, workers=1)
        assert store.count() == 0
        assert generate(Task(RECIPE, "sat", certified=False), Limits(5), store, workers=1).found == 5
    assert all(certificate is None for _, _, certificate in _stored(tmp_path / "a.db"))


@pytest.mark.parametrize("recipe", [Recipe("9x9/10", seed=7), Recipe("16x30/99", seed=7)])
def test_the_puzzles_of_a_trial_are_kept_and_no_candidate_is_tried_twice(
    recipe: Recipe, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A trial solved the first hundred candidates, which the run then solved again."""
    caplog.set_level(logging.INFO, "minesweeper.generator.search")
    with Store(tmp_path / "tried.db") as store:
        trial = try_first(Task(recipe))
        assert trial.solvable
        begun = generate(Task(recipe), Limits(3), store, workers=1, trial=trial).run
    tried = [tuple(map(int, re.findall("[0-9]+", line)))[:2] for line in caplog.messages]
    assert all(first == before + 1 for (_, before), (first, _) in pairwise([(0, -1), *tried]))
    with Store(tmp_path / "plain.db") as store:
        run = generate(Task(recipe), Limits(3), store, workers=1).run
        assert (run.kept, run.candidates, run.next_index) == (begun.kept, begun.candidates, begun.next_index)
        # A session that resumes a run has no use for a trial.
        assert generate(Task(recipe), Limits(6), store, workers=1, trial=trial).run.kept == 6
    assert _stored(tmp_path / "tried.db") == _stored(tmp_path / "plain.db")[:3]


@pytest.mark.parametrize(("count", "least", "expected"), [(1, 0, [1]), (1, 10**6, [1, 2]), (9, 0, [2])])
def test_a_few_puzzles_start_no_processes_unless_the_search_takes_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, least: int, expected: list[int]
) -> None:
    started: list[int] = []

    def noted(work: object, numbers: range, workers: int, *rest: Any, **settings: Any) -> Any:
        started.append(workers)
        return map_ranges(work, numbers, workers, *rest, **settings)  # type: ignore[arg-type]

    monkeypatch.setattr(pipeline, "map_ranges", noted)
    task = Task(RECIPE, "sat", filter=PuzzleFilter(min_score=least))
    with Store(tmp_path / "a.db") as store:
        assert generate(task, Limits(count, max_candidates=60), store, workers=2).found == (0 if least else count)
    assert started == expected


@pytest.mark.kernel
@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("method", ["rejection", "repair"])
def test_a_candidate_that_takes_longer_than_the_time_limit_is_given_up(
    number: int, method: Method, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Sampling, solving and measuring one of these boards takes a tenth of a second.
    monkeypatch.setattr(pipeline, "_GRACE", 0)
    task = Task(Recipe(Grid(1000, 1000), 60_000, (500, 500), "opening", 1), method=method)
    with Store(tmp_path / "puzzles.db") as store:
        summary = generate(task, Limits(10, seconds=0.001), store, workers=number)
    assert (summary.ending, summary.found, summary.candidates) == ("time", 0, 0)


def test_puzzles_after_a_piece_without_time_are_not_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They would leave a gap, which the next session would not fill."""
    slow, find = {7}, pipeline.find_puzzles

    def in_time(task: Task, numbers: range) -> Found:
        if slow.intersection(numbers):
            raise OutOfTime("the time limit is over")
        return find(task, numbers)

    def one_by_one(work: Callable[[range], Any], numbers: range, *_: object, **__: object) -> Iterator[Any]:
        yield from ((numbers[i : i + 1], work(numbers[i : i + 1])) for i in range(60))

    monkeypatch.setattr(pipeline, "find_puzzles", in_time)
    monkeypatch.setattr(pipeline, "map_ranges", one_by_one)
    with Store(tmp_path / "puzzles.db") as store:
        first = generate(TASK, Limits(30, seconds=60), store, workers=1)
        assert (first.ending, first.run.next_index, first.candidates) == ("time", 7, 7)
        assert all((record.sample_index or 0) < 7 for record in store.puzzles())
        slow.clear()
        generate(TASK, Limits(30), store, workers=1)
    with Store(tmp_path / "whole.db") as store:
        generate(TASK, Limits(30), store, workers=1)
    assert _stored(tmp_path / "puzzles.db") == _stored(tmp_path / "whole.db")
