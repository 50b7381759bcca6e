"""Limits and headers of requests, and the worker processes."""

import asyncio
import os
import select
import shlex
import signal
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from conftest import Visitor
from starlette.testclient import TestClient

from minesweeper import InconsistentView, View, closure
from minesweeper.scripts.web.app import create_app
from minesweeper.scripts.web.server import WorkerPool
from minesweeper.scripts.web.settings import ApiError, Settings


def test_other_names_other_pages_and_other_types_are_refused(client: TestClient) -> None:
    body: dict[str, str] = {}
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 400
    assert client.get("/", headers={"Host": "localhost:8123"}).status_code == 200
    assert client.post("/api/record/delete", json=body, headers={"Origin": "http://evil.example"}).status_code == 403
    assert client.post("/api/record/delete", json=body, headers={"Origin": "http://127.0.0.1"}).status_code == 200
    assert client.post("/api/record/delete", data=body).status_code == 415


@pytest.mark.parametrize("path", ["options", "puzzle", "leaderboard", "record", "nothing"])
def test_the_api_refuses_requests_of_other_sites(client: TestClient, path: str) -> None:
    """A local server once computed, and kept, what the pictures of any web site requested."""
    own = client.get(f"/api/{path}", headers={"Sec-Fetch-Site": "same-origin"})
    foreign = client.get(f"/api/{path}", headers={"Sec-Fetch-Site": "cross-site"})
    assert (own.status_code == 403, foreign.status_code) == (False, 403)
    assert foreign.json() == {"error": "This request comes from another page.", "code": "bad_input"}
    assert "set-cookie" not in foreign.headers


@pytest.mark.parametrize("path", ["/", "/share/board-1x8-0x0-AQ"])
def test_links_of_other_sites_open_pages(client: TestClient, path: str) -> None:
    assert client.get(path, headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}).status_code == 200


@pytest.mark.parametrize(("path", "most"), [("watch", 16_384), ("record", 524_288), ("recording", 540_672)])
@pytest.mark.parametrize("more", [0, 1])
@pytest.mark.parametrize("has_length", [True, False])
def test_larger_bodies_are_refused_with_and_without_a_length(
    client: TestClient, path: str, most: int, more: int, has_length: bool
) -> None:
    body = b" " * (most + more)
    headers = {"Content-Type": "application/json"}
    response = client.post(f"/api/{path}", content=body if has_length else iter([body]), headers=headers)
    assert response.status_code == (413 if more else 422)


def test_a_damaged_database_is_one_sentence_without_its_path(tmp_path: Path) -> None:
    database = tmp_path / "damaged.db"
    database.write_bytes(b"SQLite format 3\0" + bytes(5000))
    with TestClient(create_app(Settings(database=database)), base_url="http://127.0.0.1") as client:
        answer = Visitor(client).get("/leaderboard", 500)
    assert answer == {"error": "The database of this server cannot be used now.", "code": "broken"}


def with_pool(work: Callable[[WorkerPool], Coroutine[Any, Any, None]], **limits: Any) -> None:
    """Run a coroutine in a new thread: the browser tests leave an event loop running in this one."""

    async def run() -> None:
        pool = WorkerPool(1, **limits)
        try:
            await work(pool)
        finally:
            await pool.close()

    with ThreadPoolExecutor(1) as threads:
        threads.submit(asyncio.run, run()).result()


def test_work_that_takes_too_long_is_cut_off_and_the_next_is_done() -> None:
    async def work(pool: WorkerPool) -> None:
        with pytest.raises(ApiError, match=r"This takes more than 0\.05 seconds"):
            await pool.run(0.05, signal.pause)
        assert await pool.run(60, print, "This is no part of the result.") is None
        assert await pool.run(60, abs, -3) == 3
        with pytest.raises(InconsistentView):
            await pool.run(60, closure, View.from_text("1x2/1\n0#"))
        with pytest.raises(ApiError, match="ended before the job was done"):
            await pool.run(60, os._exit, 1)
        assert await asyncio.gather(*(pool.run(60, abs, -n) for n in range(5))) == list(range(5))

    with_pool(work, waiting=4)


def test_a_process_that_ended_while_it_waited_loses_no_job() -> None:
    async def work(pool: WorkerPool) -> None:
        idle = await pool.run(60, os.getpid)
        os.kill(idle, signal.SIGKILL)
        os.waitid(os.P_PID, idle, os.WEXITED | os.WNOWAIT)
        assert await pool.run(60, os.getpid) != idle

    with_pool(work, waiting=4)


def test_work_that_is_cut_off_ends_with_all_that_it_has_begun(tmp_path: Path) -> None:
    """A subprocess that reads a recorded game once survived the end of its worker."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    async def work(pool: WorkerPool) -> None:
        asked = asyncio.create_task(pool.run(600, os.system, f"sleep 600 < {shlex.quote(str(pipe))}"))
        opened = await asyncio.to_thread(os.open, pipe, os.O_WRONLY)
        asked.cancel()
        await asyncio.wait([asked])
        # The pipe closes when no process has it open.
        closed = select.poll()
        closed.register(opened, 0)
        assert closed.poll(60_000)
        os.close(opened)

    with_pool(work, waiting=4)


def test_processes_run_no_file_of_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without PYTHONSAFEPATH each new process imports a file, such as a download, with the name of Python's module."""
    (tmp_path / "selectors.py").write_text("raise SystemExit('not this file')")
    monkeypatch.chdir(tmp_path)

    async def work(pool: WorkerPool) -> None:
        assert await pool.run(60, abs, -3) == 3
        assert await pool.run(60, os.getenv, "PYTHONSAFEPATH") is None

    with_pool(work, waiting=4)


def test_whoever_comes_first_is_served_first() -> None:
    async def work(pool: WorkerPool) -> None:
        served: list[int] = []

        async def ask(number: int) -> None:
            # A client that returns at once must not overtake those who wait.
            for turn in range(2):
                await pool.run(60, abs, number)
                served.append(turn)

        await asyncio.gather(*(ask(number) for number in range(20)))
        assert served == [0] * 20 + [1] * 20

    with_pool(work, waiting=100)


def test_an_answer_that_nobody_waits_for_is_not_given_to_the_next(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    async def work(pool: WorkerPool) -> None:
        asked = asyncio.create_task(pool.run(60, pipe.read_text))
        # A pipe opens for writing when the job reads from it; closing it ends the job.
        opened = await asyncio.to_thread(pipe.open, "w")
        asked.cancel()
        opened.close()
        assert await pool.run(60, abs, -3) == 3

    with_pool(work, waiting=4)


def test_no_more_work_waits_than_is_allowed() -> None:
    async def work(pool: WorkerPool) -> None:
        answers = await asyncio.gather(*(pool.run(60, abs, -n) for n in range(5)), return_exceptions=True)
        assert sum(isinstance(answer, ApiError) and answer.status == 429 for answer in answers) == 2
        assert [answer for answer in answers if isinstance(answer, int)] == [0, 1, 2]

    with_pool(work, waiting=2)


def test_head_is_answered_and_no_pattern_is_shown_to_people(client: TestClient, visitor: Visitor) -> None:
    assert client.head("/").status_code == 200
    assert visitor.get("/puzzle?id=nonsense", 422)["error"].endswith("Only digits and the letters a to f are allowed.")
