"""Commands and the page refuse the slow files of strangers."""

from collections.abc import Callable
from pathlib import Path

import crafted
import numpy as np
import pytest
from click.testing import CliRunner

from minesweeper.scripts.commands import analyse, autoplay
from minesweeper.scripts.commands.packs import command as packs
from minesweeper.scripts.web import jobs
from minesweeper.scripts.web.settings import ApiError


def refused(*arguments: str | Path) -> Callable[[Path], str]:
    """Return a function that runs a command on a file and returns its error."""
    command, *rest = arguments
    main = {"packs": packs.main, "analyse": analyse.main, "autoplay": autoplay.main}[str(command)]

    def run(path: Path) -> str:
        result = CliRunner().invoke(main, [*map(str, rest), str(path)])
        assert result.exit_code in (1, 2), result.output
        return result.stderr

    return run


@pytest.fixture(scope="module")
def slow_files(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Path, str]]:
    folder = tmp_path_factory.mktemp("slow")
    database = crafted.database(folder / "slow.db", crafted.CHANGES["generated column"])
    return [
        (database, "database of another layout"),
        (crafted.repeated_rows(folder / "slow.parquet", 500_000, board="zz"), "500000 rows in"),
    ]


@pytest.mark.parametrize(
    "read",
    [
        pytest.param(refused("packs", "import", "--db", "new.db"), id="packs import"),
        pytest.param(refused("packs", "verify"), id="packs verify"),
        pytest.param(refused("analyse"), id="analyse"),
        pytest.param(refused("autoplay", "--from"), id="autoplay --from"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_slow_files_are_refused(read: Callable[[Path], str], slow_files: list[tuple[Path, str]]) -> None:
    for path, cause in slow_files:
        assert cause in read(path)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="expected to be allowed on Linux only")
def test_a_pasted_file_cannot_take_all_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "read_position", lambda data, mines: np.empty(2**30, np.uint8))
    with pytest.raises(ApiError, match="512 MiB of memory"):
        jobs.read_pasted("", None)
    assert np.empty(2**30, np.uint8).size == 2**30
