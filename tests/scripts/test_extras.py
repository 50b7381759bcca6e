"""Commands and tools whose extra is not installed: one line that names it, before any work."""

import json
import subprocess
import sys
from pathlib import Path

from processes import one_line

ROOT = Path(__file__).parents[2]
WITHOUT_EXTRAS = """
import runpy, sys
sys.modules |= dict.fromkeys(
    "PIL dask distributed matplotlib ms_toollib mss playwright pyarrow pydantic starlette uvicorn uvloop".split()
)
"""
# Runs command lines, of the installed package or of the tools in a folder, and prints the result of each.
PROGRAM = f"""{WITHOUT_EXTRAS}
import io, json
from contextlib import redirect_stderr, redirect_stdout
_, tools, *lines = sys.argv
for line in lines:
    is_tool = line.endswith(".py")
    sys.argv = [line] if is_tool else ["minesweeper", *line.split()]
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        try:
            if is_tool:
                runpy.run_path(tools + line, run_name="__main__")
            else:
                runpy.run_module("minesweeper", run_name="__main__", alter_sys=True)
        except SystemExit as end:
            code = end.code
    print(json.dumps([code, out.getvalue(), err.getvalue()]))
"""
HELP = f"""{WITHOUT_EXTRAS}
for program in sys.argv[1:]:
    sys.argv = [program, "--help"]
    try:
        runpy.run_path(program, run_name="__main__")
    except SystemExit as end:
        assert end.code == 0
"""


EXTRAS = {
    "generate --board beginner --count 1 --out parts": "parquet",
    "generate --board beginner --count 1 --cluster local:2": "cluster",
    "packs merge empty.db --into parts/": "parquet",
    "positions --out many": "parquet",
    "packs import puzzles.parquet --db new.db": "parquet",
    "autoplay --board beginner --games 1 --cluster local:2": "cluster",
    "autoplay --screen --mines 10": "screen",
    "leaderboard --board beginner --games 1 --strategy random --chart chart.svg": "charts",
    "match random local --board beginner --cluster local:2": "cluster",
    "review game.avf": "replays",
    "sweep": "web",
    "draw_pictures.py": "test",
}


def test_a_missing_extra_is_named_in_one_line_before_any_work(tmp_path: Path) -> None:
    given = ["empty.db", "game.avf", "puzzles.parquet"]
    for name in given:
        (tmp_path / name).touch()
    (tmp_path / "puzzles.parquet").write_bytes(b"PAR1")
    command = [sys.executable, "-c", PROGRAM, f"{ROOT}/scripts/dev/", *EXTRAS]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
    for (line, extra), result in zip(EXTRAS.items(), ended.stdout.splitlines(), strict=True):
        code, output, errors = json.loads(result)
        assert (code, output) == (2, ""), line
        assert f"pip install 'minesweeper-toolkit[{extra}]'" in one_line(errors), line
    assert sorted(path.name for path in tmp_path.iterdir()) == given


def test_the_help_of_development_tools_needs_no_extra(tmp_path: Path) -> None:
    tools = [path for path in sorted((ROOT / "scripts" / "dev").glob("*.py")) if "__main__" in path.read_text()]
    result = subprocess.run(
        [sys.executable, "-c", HELP, *map(str, tools)], cwd=tmp_path, capture_output=True, text=True
    )
    assert (result.returncode, result.stderr) == (0, "")
    shown = [line.split()[1] for line in result.stdout.splitlines() if line.startswith("Usage: ")]
    assert shown == [tool.name for tool in tools]
