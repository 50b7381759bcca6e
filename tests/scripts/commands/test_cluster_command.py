"""`generate --cluster`: whatever becomes of its workers, the same puzzles as on one process, in a file or a folder."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from minesweeper.db.parts import open_puzzles
from minesweeper.generator import pipeline
from minesweeper.generator.pipeline import Summary, generate
from minesweeper.player.cluster import Cluster
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
def test_half_of_the_workers_are_killed_and_the_ids_are_those_of_one_process(
    tmp_path: Path, options: tuple[str, ...], width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert CliRunner().invoke(main, [*options, "--workers", "1", "--db", str(tmp_path / "one.db")]).exit_code == 0
    expected = _ids(tmp_path / "one.db")
    count = int(options[options.index("--count") + 1])
    killed: list[int] = []

    def killing(*args: Any, workers: Cluster, **settings: Any) -> Summary:
        pids = list(workers._client.run(os.getpid).values())
        assert len(pids) == width

        def kill(run: Any) -> None:
            # The first once some puzzles are there, the second later.
            while len(killed) < width // 2 and run.kept >= (1 + len(killed)) * count // 8:
                killed.append(pids.pop())
                os.kill(killed[-1], signal.SIGKILL)

        return generate(*args, workers=workers, **settings | {"report": kill})

    monkeypatch.setattr(pipeline, "generate", killing)
    database, folder = ("--db", str(tmp_path / "many.db")), ("--out", str(tmp_path / "many"))
    # With few puzzles, starting a cluster takes the longest, and a database has a test in `test_cluster` already.
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
