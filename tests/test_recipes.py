"""The recipes of docs/contributing.md, applied to a copy of the package: the result works."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import nanobind
import pytest

from minesweeper.player import Board, kernel_api
from minesweeper.player.parallel.workers import available_workers

ROOT = Path(__file__).parents[1]
PACKAGES = ("player", "db", "generator", "scripts")

STRATEGY = """
from minesweeper.player.core.board import View
from minesweeper.player.core.grid import Cell
from minesweeper.player.play.strategies import Knowledge, Strategy


class Last(Strategy):
    name = "last"

    def choose(self, view: View, knowledge: Knowledge) -> Cell:
        return knowledge.uncertain_cells[-1]
"""
FORMAT = """
from minesweeper.db.formats.format import lines, reader, text_of, writer
from minesweeper.player.core.board import Board

write = writer(lambda record: record.puzzle.board.to_text().replace("\\n", "|").encode() + b"\\n")
read = reader(lines, lambda line: Board.from_text(text_of(line).replace("|", "\\n")))
"""
COMMAND = """
import click

from minesweeper.scripts.console.terminal import Command


@click.command(cls=Command, epilog="Example: minesweeper greet")
def main() -> None:
    \"\"\"Greet.\"\"\"
    click.echo("hello")
"""
RISKIEST = """        {"riskiest", [](Guesser& guesser) {
             std::reverse(guesser.candidates_.begin(), guesser.candidates_.end());
         }},"""
METRICS = "    Metrics metrics;"
CORNERS = """
    const auto& mine = puzzle.mine;
    const std::size_t row = static_cast<std::size_t>(puzzle.grid->cols);
    metrics.corners = mine.front() + mine[row - 1] + mine[mine.size() - row] + mine.back();
"""
MEANING = '    corners: int = field(metadata={"title": "mined corners", "meaning": "mines in corners of the board"})'


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the packages under their installed name."""
    package = tmp_path / "minesweeper"
    shutil.copytree(ROOT / ".source" / "minesweeper", package, ignore=shutil.ignore_patterns(*PACKAGES))
    for name in PACKAGES:
        shutil.copytree(ROOT / name, package / name, ignore=shutil.ignore_patterns("static", "__pycache__"))
    if kernel_api.available():
        shutil.copy(kernel_api.kernel.__file__, package / "player")
    return package


def add_line(path: Path, after: str, line: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(after) == 1
    path.write_text(text.replace(after, f"{after}\n{line}"), encoding="utf-8")


def run(copy: Path, *arguments: str) -> str:
    # An editable installation would hide the copy.
    start = "import sys; sys.meta_path[:] = [one for one in sys.meta_path if 'ScikitBuild' not in type(one).__name__]"
    code = f"{start}; from minesweeper.scripts.commands import main; main()"
    environment = os.environ | {"PYTHONPATH": str(copy.parent), "MINESWEEPER_DB": str(copy.parent / "own.db")}
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.check_output(command, cwd=copy.parent, env=environment, text=True)


def build_kernel(copy: Path) -> None:
    """Build the Python module of a copy without optimisation. Its layers are compiled as by CMakeLists.txt."""
    if (compiler := shutil.which("c++")) is None:
        pytest.skip("needs a C++ compiler")
    kernel, bindings = copy / "player" / "kernel", Path(nanobind.include_dir()).parent
    units = defaultdict(list) | {"nanobind": [bindings / "src" / "nb_combined.cpp"]}
    for source in sorted(kernel.glob("*/*.cpp")):
        if source.name != "library.cpp":
            units["python" if source.name == "python.cpp" else source.parent.name].append(source.relative_to(kernel))
    for name, sources in units.items():
        (kernel / f"{name}.cpp").write_text("".join(f'#include "{source.as_posix()}"\n' for source in sources))
    headers = [".", bindings / "include", bindings / "ext/robin_map/include", sysconfig.get_path("include")]
    options = ["-O0", "-std=c++17", "-fPIC", "-fvisibility=hidden", *(f"-I{folder}" for folder in headers)]
    # With relative paths, ccache finds the objects of earlier runs.
    run_compiler = partial(subprocess.run, cwd=kernel, check=True)
    cached = ["ccache", compiler] if shutil.which("ccache") else [compiler]
    with ThreadPoolExecutor(available_workers()) as pool:
        list(pool.map(run_compiler, ([*cached, *options, "-c", f"{name}.cpp"] for name in units)))
    undefined = ["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else ["-pthread"]
    module = copy / "player" / Path(kernel_api.kernel.__file__).name
    run_compiler([compiler, "-shared", *undefined, "-o", module, *(f"{name}.o" for name in units)])


def test_a_strategy_is_a_file_and_a_line(copy: Path) -> None:
    strategies = copy / "player" / "play" / "strategies"
    (strategies / "last.py").write_text(STRATEGY)
    line = '    "last": StrategyInfo("last:Last", "the last uncertain cell", needs_kernel=False),'
    add_line(strategies / "loading.py", "STRATEGIES: Final = {", line)
    options = ["--preset", "beginner", "--games", "5", "--seed", "7", "--no-record", "--workers", "1"]
    assert run(copy, "autoplay", "--strategy", "last", *options).startswith("last on 9x9/10")


def test_a_format_is_a_file_and_a_line(copy: Path) -> None:
    formats = copy / "db" / "formats"
    (formats / "bars.py").write_text(FORMAT)
    add_line(formats / "registry.py", "FORMATS: Final = (", '    Format("bars", "bars", (".bars",), "bars"),')
    run(copy, *["generate", "--preset", "beginner", "--count", "3", "--seed", "7", "--workers", "1"])
    run(copy, *["packs", "export", "own.bars"])
    assert len((copy.parent / "own.bars").read_text().splitlines()) == 3
    assert "3" in run(copy, *["packs", "import", "own.bars", "--db", "other.db"])


def test_a_command_is_a_file(copy: Path) -> None:
    (copy / "scripts" / "commands" / "greet.py").write_text(COMMAND)
    assert run(copy, "greet") == "hello\n"
    assert "greet" in run(copy, "--help")


def test_a_grid_is_a_line_of_python_and_one_of_javascript(copy: Path) -> None:
    static = copy / "scripts" / "web" / "static" / "kernel"
    shutil.copytree(ROOT / "scripts" / "web" / "static" / "kernel", static)
    add_line(copy / "player" / "core" / "grid.py", '    "hex torus": 7,', '    "sides": 0b10100101 << 8,')
    add_line(static / "grids.js", '  "hex torus": 7,', "  sides: 0b10100101 << 8,")
    size = ["--size", "9x9 sides", "--mines", "20", "--seed", "7"]
    run(copy, "generate", *size, "--count", "5", "--workers", "1")
    assert "5 puzzles proved, 0 failed" in run(copy, "packs", "verify", "--workers", "1")
    view = "2x2/1 sides\n1#\n##"  # the mine touches the corner, so it is not in the opposite one
    (copy.parent / "view.txt").write_text(view)
    assert json.loads(run(copy, "analyse", "--json", "view.txt"))["safe_cells"] == [[1, 1]]
    script = f"""
        import {{ Grid, loadKernel, viewOf }} from "{(static / "index.js").as_uri()}";
        const kernel = await loadKernel();
        const view = viewOf({json.dumps(view)});
        console.log(JSON.stringify([new Grid(3, 3, "sides").around(4), [...kernel.closure(view)]]));
    """
    found = subprocess.check_output(["node", "--input-type=module", "-e", script], text=True)
    assert json.loads(found) == [[1, 3, 5, 7], [0, 0, 0, 1]]


@pytest.mark.kernel
def test_a_measure_and_a_strategy_of_the_kernel_are_told_in_three_files_and_two(copy: Path) -> None:
    guesser, loading = "player/kernel/search/guesser.cpp", "player/play/strategies/loading.py"
    add_line(copy / guesser, '        {"safest"},', RISKIEST)
    line = '    "riskiest": StrategyInfo("kernel_strategies:riskiest", "the highest probability of a mine below 1"),'
    add_line(copy / loading, "STRATEGIES: Final = {", line)
    make = copy / "player" / "kernel" / "make"
    add_line(make / "metrics.hpp", "struct Metrics {", "    int corners = 0;")
    add_line(make / "metrics.hpp", "kMetrics[] = {", '    {"corners", &Metrics::corners},')
    add_line(make / "metrics.cpp", METRICS, CORNERS)
    add_line(copy / "player" / "logic" / "metrics.py", '"meaning": "mines that touch no safe cell"})', MEANING)
    build_kernel(copy)
    run(copy, *["generate", "--preset", "beginner", "--count", "20", "--seed", "7", "--workers", "1"])
    puzzles = json.loads(run(copy, *["packs", "list", "--json"]))
    boards = [Board.from_text("\n".join(one["board"])).mine_map for one in puzzles]
    counts = [int(board[[0, 0, -1, -1], [0, -1, 0, -1]].sum()) for board in boards]
    assert [one["corners"] for one in puzzles] == counts
    assert len({*counts}) > 1
    mined = json.loads(run(copy, *["packs", "list", "--json", "--where", "corners > 0"]))
    assert mined == [one for one in puzzles if one["corners"] > 0]
    assert f"mined corners     {counts[0]}" in run(copy, "packs", "show", puzzles[0]["id"])
    (copy.parent / "view.txt").write_text("1x6/2\n#1####")
    guess = json.loads(run(copy, "analyse", "--json", "--strategy", "riskiest", "view.txt"))["guess"]
    assert guess["safety"] == 0.5  # as in (0, 0) and (0, 2); elsewhere 2/3
