"""`generate --cluster`: the same puzzles as with one process, even if workers are killed."""

import multiprocessing
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from minesweeper.db.parts import open_puzzles
from minesweeper.generator import pipeline
from minesweeper.generator.pipeline import Summary, generate
from minesweeper.player.parallel.cluster import Cluster
from minesweeper.scripts.commands.generate import main
from minesweeper.scripts.commands.packs.command import main as packs

pytestmark = pytest.mark.faults

_FEW = ("--size", "9x9", "--mines", "10", "--count", "400", "--seed", "7")
_MANY = ("--preset", "expert", "--count", "20000", "--seed", "7")


@pytest.fixture(scope="module", autouse=True)
def _extras() -> None:
    pytest.importorskip("distributed", reason="a cluster needs the extra cluster")
    pytest.importorskip("pyarrow", reason="parts need the extra parquet")


@pytest.mark.parametrize(
    ("options", "width"), [(_FEW, 2), pytest.param(_MANY, 4, marks=pytest.mark.long)], ids=["few", "many"]
)
def test_killed_workers_do_not_change_the_puzzles(
    tmp_path: Path, options: tuple[str, ...], width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert CliRunner().invoke(main, [*options, "--workers", "1", "--db", str(tmp_path / "one.db")]).exit_code == 0
    expected = _ids(tmp_path / "one.db")
    count = int(options[options.index("--count") + 1])
    killed: list[int] = []
    others = set(multiprocessing.active_children())  # servers of other tests

    def killing(*args: Any, workers: Cluster, **settings: Any) -> Summary:
        started = set(multiprocessing.active_children()) - others
        pids = [worker.pid for worker in started if worker.pid is not None]
        assert len(pids) == workers.width == width

        def kill(run: Any) -> None:
            # Kill the first after an eighth of the puzzles, the second after a quarter.
            while len(killed) < width // 2 and run.kept >= (1 + len(killed)) * count // 8:
                killed.append(pids.pop())
                os.kill(killed[-1], signal.SIGKILL)

        return generate(*args, workers=workers, **settings | {"report": kill})

    monkeypatch.setattr(pipeline, "generate", killing)
    database, folder = ("--db", str(tmp_path / "many.db")), ("--out", str(tmp_path / "many"))
    # Starting a cluster takes seconds, and `test_cluster` already tests a database with few puzzles.
    for where in [folder] if options == _FEW else [database, folder]:
        killed.clear()
        result = CliRunner().invoke(main, [*options, "--cluster", f"local:{width}", *where])
        assert result.exit_code == 0, result.output
        assert len(killed) == width // 2
        assert _ids(Path(where[1])) == expected
    assert len(expected) == len(set(expected)) == count
    verified = CliRunner().invoke(packs, ["verify", "--db", str(tmp_path / "many")])
    assert verified.output.splitlines()[-1] == f"{count} puzzles proved, 0 failed"


def _ids(path: Path) -> list[str]:
    with open_puzzles(path) as store:
        return [record.id for record in store.puzzles()]
