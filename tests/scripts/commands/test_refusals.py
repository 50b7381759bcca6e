"""Commands and the page refuse the slow files of strangers quickly and in little memory."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import crafted
import numpy as np
import pytest
from click.testing import CliRunner

from minesweeper.player.errors import FormatError
from minesweeper.scripts.commands import analyse, autoplay
from minesweeper.scripts.commands.packs import command as packs
from minesweeper.scripts.web import jobs
from minesweeper.scripts.web.settings import ApiError

CPU_SECONDS = 1.0
MEGABYTES = 100


def refused(*arguments: str | Path) -> Callable[[Path], str]:
    """Return a function that runs a command on a file and returns its error."""
    command, *rest = arguments
    main = {"packs": packs.main, "analyse": analyse.main, "autoplay": autoplay.main}[str(command)]

    def run(path: Path) -> str:
        result = CliRunner().invoke(main, [*map(str, rest), str(path)])
        assert result.exit_code in (1, 2), result.output
        return result.stderr

    return run


def pasted(path: Path) -> str:
    with pytest.raises(FormatError) as error:
        jobs.read_pasted(path.read_bytes(), None)
    return str(error.value)


@pytest.fixture(scope="module")
def slow_files(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Path, str]]:
    folder = tmp_path_factory.mktemp("slow")
    database = crafted.slow_database(folder / "slow.db"), "not the tables of version 1"
    return [database, (crafted.repeated_rows(folder / "slow.parquet", 500_000, board="zz"), "500000 rows in")]


@pytest.mark.parametrize(
    "read",
    [
        pytest.param(refused("packs", "import", "--db", "new.db"), id="packs import"),
        pytest.param(refused("packs", "verify"), id="packs verify"),
        pytest.param(refused("analyse"), id="analyse"),
        pytest.param(refused("autoplay", "--from"), id="autoplay --from"),
        pytest.param(pasted, id="page"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_slow_files_are_refused_quickly(read: Callable[[Path], str], slow_files: list[tuple[Path, str]]) -> None:
    for path, cause in slow_files:
        before, began = _largest_memory(reset=True), time.process_time()
        assert cause in read(path)
        assert time.process_time() - began < CPU_SECONDS
        assert _largest_memory() - before < MEGABYTES


def _largest_memory(*, reset: bool = False) -> float:
    """Return the largest resident memory of this process in MB, since a reset; 0 on systems without /proc."""
    status = Path("/proc/self/status")
    if not status.exists():
        return 0
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    return int(re.findall(r"VmHWM:\s+(\d+)", status.read_text())[0]) / 1000


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="expected to be allowed on Linux only")
def test_a_pasted_file_cannot_take_all_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "read_position", lambda data, mines: np.empty(2**30, np.uint8))
    with pytest.raises(ApiError, match="512 MiB of memory"):
        jobs.read_pasted("", None)
    assert np.empty(2**30, np.uint8).size == 2**30
