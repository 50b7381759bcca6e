"""Commands and tools whose extra is not installed: one line that names it, before any work."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from processes import one_line

ROOT = Path(__file__).parents[2]
WITHOUT_EXTRAS = """
import runpy, sys
sys.modules |= dict.fromkeys(
    "PIL dask distributed matplotlib ms_toollib playwright pyarrow pydantic starlette uvicorn uvloop".split()
)
"""
# Runs a program in the installed package or in `scripts/dev`.
PROGRAM = f"""{WITHOUT_EXTRAS}
program = sys.argv.pop(1)
sys.argv[0] = program
run = runpy.run_path if program.endswith(".py") else runpy.run_module
run(program, run_name="__main__", **(dict() if program.endswith(".py") else dict(alter_sys=True)))
"""
HELP = f"""{WITHOUT_EXTRAS}
for program in sys.argv[1:]:
    sys.argv = [program, "--help"]
    try:
        runpy.run_path(program, run_name="__main__")
    except SystemExit as end:
        assert end.code == 0
"""


def run(folder: Path, line: str) -> subprocess.CompletedProcess[str]:
    first, *others = line.split()
    program = [str(ROOT / "scripts" / "dev" / first)] if first.endswith(".py") else ["minesweeper", first]
    command = [sys.executable, "-c", PROGRAM, *program, *others]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("line", "extra"),
    [
        ("generate --board beginner --count 1 --out parts", "parquet"),
        ("generate --board beginner --count 1 --cluster local:2", "cluster"),
        ("packs merge empty.db --into parts/", "parquet"),
        ("positions many", "parquet"),
        ("packs import puzzles.parquet --db new.db", "parquet"),
        ("autoplay --board beginner --games 1 --cluster local:2", "cluster"),
        ("leaderboard --board beginner --games 1 --strategy random --chart chart.svg", "charts"),
        ("match random local --board beginner --cluster local:2", "cluster"),
        ("review game.avf", "replays"),
        ("sweep", "web"),
        ("load.py", "web"),
        ("soak.py", "test"),
        ("bench_page.py", "test"),
        ("draw_pictures.py", "test"),
    ],
)
def test_names_a_missing_extra_in_one_line_before_any_work(tmp_path: Path, line: str, extra: str) -> None:
    given = ["empty.db", "game.avf", "puzzles.parquet"]
    for name in given:
        (tmp_path / name).touch()
    (tmp_path / "puzzles.parquet").write_bytes(b"PAR1")
    result = run(tmp_path, line)
    assert f"pip install 'minesweeper-toolkit[{extra}]'" in one_line(result.stderr)
    assert (result.returncode, result.stdout) == (2, "")
    assert sorted(path.name for path in tmp_path.iterdir()) == given


def test_the_help_of_development_tools_needs_no_extra(tmp_path: Path) -> None:
    tools = [path for path in sorted((ROOT / "scripts" / "dev").glob("*.py")) if "__main__" in path.read_text()]
    result = subprocess.run(
        [sys.executable, "-c", HELP, *map(str, tools)], cwd=tmp_path, capture_output=True, text=True
    )
    assert (result.returncode, result.stderr) == (0, "")
    shown = [line.split()[1] for line in result.stdout.splitlines() if line.startswith("Usage: ")]
    assert shown == [tool.name for tool in tools]
