"""Generating: the same puzzles whatever the workers, interruptions and resumptions."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from minesweeper.db.records import Run
from minesweeper.db.store import Store
from minesweeper.generator import pipeline
from minesweeper.generator.certify import ProofFailed
from minesweeper.generator.pipeline import Limits, Method, Task, generate
from minesweeper.player import kernel_api
from minesweeper.player.recipe import Recipe
from minesweeper.player.workers import WorkerDied, map_together

RECIPE = Recipe(9, 9, 14, None, "opening", 5)
TASK = Task(RECIPE, "sat")


def _stored(path: Path) -> list[tuple[str, int | None, str | None]]:
    with Store(path, create=False) as store:
        return [(record.id, record.index, record.certificate) for record in store.puzzles()]


def test_the_number_of_workers_changes_nothing(tmp_path: Path) -> None:
    for number in (1, 2, 3):
        with Store(tmp_path / f"{number}.db") as store:
            summary = generate(TASK, Limits(40), store, workers=number)
            assert (summary.ending, summary.found, summary.run.kept) == ("done", 40, 40)
    one, two, three = (_stored(tmp_path / f"{number}.db") for number in (1, 2, 3))
    assert one == two == three
    assert [index for _, index, _ in one] == sorted(index for _, index, _ in one if index is not None)


def test_a_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
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


def test_small_boards_run_out(tmp_path: Path) -> None:
    with Store(tmp_path / "a.db") as store:
        summary = generate(Task(Recipe(3, 4, 2, (0, 0), "opening", 1), "sat"), Limits(1000), store, workers=1)
        assert summary.ending == "exhausted"
        assert summary.run.kept == store.count() > 0


@pytest.mark.parametrize("number", [1, 2])
def test_an_interruption_keeps_what_was_found(tmp_path: Path, number: int) -> None:
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


_find_rows = pipeline.find_rows


def fatal(task: Task, engine: str, run: int, numbers: range) -> object:
    """Kills its process after a while; it has a name, so that processes of all kinds can be told of it."""
    if numbers.start > 200:
        os.kill(os.getpid(), signal.SIGKILL)
    return _find_rows(task, engine, run, numbers)


def test_a_killed_worker_loses_nothing_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "find_rows", fatal)
    with Store(tmp_path / "a.db") as store:
        with pytest.raises(WorkerDied, match="killed"):
            generate(TASK, Limits(10**6), store, workers=2)
        assert store.count() > 0


def test_a_failed_proof_stops_the_run_and_stores_nothing_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(kept: object) -> None:
        raise ProofFailed("not so")

    monkeypatch.setattr(pipeline, "certify", refuse)
    with Store(tmp_path / "a.db") as store:
        with pytest.raises(ProofFailed):
            generate(TASK, Limits(5), store, workers=1)
        assert store.count() == 0
        assert generate(Task(RECIPE, "sat", certified=False), Limits(5), store, workers=1).found == 5
    assert all(certificate is None for _, _, certificate in _stored(tmp_path / "a.db"))


def test_two_runs_in_one_database_do_not_meet(tmp_path: Path) -> None:
    with Store(tmp_path / "a.db") as store:
        first = generate(TASK, Limits(5), store, workers=1)
        second = generate(Task(Recipe(9, 9, 14, None, "opening", 6), "sat"), Limits(5), store, workers=1)
        assert first.run.id != second.run.id
        assert store.count(run=first.run.id) == store.count(run=second.run.id) == 5


@pytest.mark.parametrize(("count", "seconds", "begun"), [(1, 60.0, [1]), (1, 0.0, [1, 2]), (9, 60.0, [2])])
def test_few_puzzles_need_no_other_processes_unless_they_take_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, seconds: float, begun: list[int]
) -> None:
    who: list[int] = []

    def noted(work: object, numbers: range, workers: int, *rest: Any, **settings: Any) -> Any:
        who.append(workers)
        return map_together(work, numbers, workers, *rest, **settings)  # type: ignore[arg-type]

    monkeypatch.setattr(pipeline, "map_together", noted)
    monkeypatch.setattr(pipeline, "_ALONE", seconds)
    with Store(tmp_path / "a.db") as store:
        assert generate(TASK, Limits(count), store, workers=2).found == count
    assert who == begun


@pytest.mark.skipif(not kernel_api.available(), reason="needs the kernel")
@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("method", ["rejection", "repair"])
def test_a_candidate_that_takes_longer_than_the_time_limit_is_given_up(
    number: int, method: Method, tmp_path: Path
) -> None:
    """Each of these takes seconds to be measured."""
    task = Task(Recipe(1000, 1000, 60_000, (500, 500), "opening", 1), method=method)
    with Store(tmp_path / "puzzles.db") as store:
        summary = generate(task, Limits(10, seconds=0.1), store, workers=number)
    assert (summary.ending, summary.found, summary.candidates) == ("time", 0, 0)
