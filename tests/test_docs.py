"""Run every block of code and commands of the README and the docs, page by page, each alone in an empty folder."""

import ast
import contextlib
import doctest
import glob
import importlib
import io
import json
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result
from test_imports import modules

from minesweeper import player
from minesweeper.player.logic.clauses import exactly
from minesweeper.player.parallel import workers

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
BLOCK = re.compile(r'(?ms)^```(?P<language>\w+)(?: title="(?P<file>[^"]+)")?\n(?P<text>.*?)^```$(?P<gap>\n*)')
# A shell block that begins with a prompt shows one command and its output. A block of text directly after any other
# block is its output, too.
PROMPT = "$ "


@dataclass
class Block:
    """A block of a page: its language, the file that it is the content of, its text, and the output below it."""

    language: str
    file: str | None
    text: str
    output: str | None = None

    @property
    def lines(self) -> list[str]:
        """The commands of a shell block, without comments."""
        return [line.partition("  #")[0].strip() for line in self.text.splitlines()]


def blocks_of(page: Path) -> list[Block]:
    found: list[Block] = []
    text = page.read_text(encoding="utf-8")
    end = -1
    for match in BLOCK.finditer(text):
        block = Block(match["language"], match["file"], match["text"])
        if block.language == "text":
            assert match.start() == end, f"{page}: no block above has the output {block.text!r}"
            found[-1].output = block.text
        else:
            if block.language == "sh" and block.text.startswith(PROMPT):
                line, _, block.output = block.text.removeprefix(PROMPT).partition("\n")
                block.text = f"{line}\n"
            found.append(block)
        end = match.end()
    assert text.count("\n```") + text.startswith("```") == 2 * len(BLOCK.findall(text)), (
        f"{page}: block without language"
    )
    return found


BLOCKS = {page.relative_to(ROOT).as_posix(): blocks for page in PAGES if (blocks := blocks_of(page))}
LINES = [
    line
    for blocks in BLOCKS.values()
    for block in blocks
    if block.language in ("sh", "console")
    for line in block.lines
]
PYTHON = {page: [block.text for block in blocks if block.language == "python"] for page, blocks in BLOCKS.items()}

COMMANDS = {
    **{name: f"commands.{name}" for name in ("generate", "autoplay", "review", "analyse", "gemhunter")},
    **{
        f"minesweeper {name}": f"commands.{name}"
        for name in ("leaderboard", "match", "gain", "optimal", "conform", "answer", "tasks")
    },
    "packs": "commands.packs.command",
}
# The beginnings of lines that are not run here, each with the reason.
NOT_RUN = {
    "pip install": "needs a network; .ci/run installs",
    "pytest": "runs these tests",
    "ruff check": "a step of .ci/run",
    ".ci/run": "runs these tests",
    "node --test": "tests/scripts/web/test_javascript.py runs it",
    "node_modules/.bin/": "a step of .ci/run",
    "mkdocs build": "a step of .ci/run",
    "python scripts/dev/mutate.py": "tests/scripts/dev/test_mutate.py tests it on less",
    "cog -r": "test_generated_parts_are_current checks its result",
    "autoplay --screen": "needs a screen with a game; player/test_on_screen.py plays on a drawn one",
    "gnome-mines --small": "opens a window",
    "for c in generate": "needs the commands on the path; console/test_options.py tries it for one of them",
    "env _": "the same",
    "cmake": "builds the kernel again; .ci/run builds it, and test_c_library.py runs the examples",
    "cc docs/c/": "the same",
    "python scripts/dev/amalgamate.py": "test_amalgamate.py compiles its files",
    "g++": "the same",
    "cc -I . -c docs/c/": "the same",
    "review recordings": "test_review_command.py runs it",
    "review *.evf": "the same",
    "review play:": "the same",
    "review sweep-record.json": "the same",
    "sweep": "serves until it is stopped; tests/scripts/web runs it",
    "dask": "runs until it is stopped; tests/player/test_cluster.py runs it",
    "python scripts/dev/bench.py": "test_bench.py runs it, and another revision takes minutes to build",
    "python docs/studies/dense/": "test_tables.py runs it",
    "python docs/studies/density/": "test_density.py runs it",
    "PYTHONPATH=docs/studies/density python docs/studies/grids/": "test_tables.py runs it",
    "python docs/studies/people/": "test_people_study.py runs it",
    "git clone": "needs a network",
    "python docs/studies/race/": "test_race.py runs it",
    "python docs/studies/strength/": "test_luck.py and test_tables.py run them",
    "python docs/studies/kaboom/": "test_tables.py runs it",
    "python scripts/dev/draw_pictures.py": "test_pictures.py runs it",
    "python scripts/dev/figures.py": "test_bench.py runs it",
    "python scripts/dev/collection.py": "test_collection.py runs it",
    "python minesweeper-2026-01-01/": "the same",
    "jupytext": "a build of the site converts and executes the notebooks",
    "cadical": "needs CaDiCaL; the pages check the proof of PySAT's",
    "drat-trim": "needs drat-trim",
    "uvicorn minesweeper_environments": "serves until it is stopped; .ci/environments runs it",
    "locust": "runs until it is stopped; test_bench.py runs it",
    "python scripts/dev/prose.py": "a step of .ci/run",
    "python scripts/dev/wasm.py": "a step of .ci/run",
    "python docs/vectors/vectors.py": "test_vectors.py checks its result",
    "python docs/studies/audit/audit.py": "needs checkouts of other projects",
    "python check_vectors.py": "takes minutes; test_vectors.py runs it",
    "python tests/fuzz/fuzz.py": "test_parsers.py runs it",
    "python tests/fuzz/fuzz_files.py": "runs until its time is up",
}
# Replacements so that a line takes a second: numbers, boards, and recordings in formats that the tests cannot write.
SMALLER = {
    "--count 250000000": "--count 5",
    "--count 100000000": "--count 5",
    "--board expert --games 1000000": "--board 6x6/5 --games 5",
    "--size 4000x4000 --mines 480000": "--size 40x40 --mines 48",
    "docs/examples/learn.py --minutes 5 --games 4000": (
        f"{shlex.quote(str(DOCS))}/examples/learn.py --minutes 0.005 --games 10"
    ),
    "docs/checker/": f"{shlex.quote(str(DOCS))}/checker/",
    "docs/tutorials/game.evf": shlex.quote(str(DOCS / "tutorials" / "game.evf")),
    "beginner --count 300": "beginner --count 3",
    "--count 100000 --seed 7": "--count 300 --seed 7",
    "docs/tasks/": f"{shlex.quote(str(DOCS))}/tasks/",
    "tasks --bundled": "tasks --board 6x6/8 --count 5",
    "tcp://SCHEDULER:8786": "local:2",
    "champion --board beginner --games 200": "champion --board 6x6/5 --games 10",
    'solver.js" --preset expert': 'solver.js" --preset beginner --games 2',
    'solver.js" --board expert': 'solver.js" --board 6x6/5 --games 4',
    "count: 1000": "count: 2",
    "--preset expert --games 1000": "--preset expert --games 5",
    "position.txt --games 1000": "position.txt --games 5",
    "leaderboard --games 2000": "leaderboard --board 6x6/5 --games 10",
    "champion progress --board expert": "champion progress --board 6x6/5 --max-games 200",
    "champion --games 2000 --results gains": "champion --games 5 --layouts 8 --board 6x6/8 --results other",
    " gains.jsonl": " gains.jsonl --board 6x6/8 --games 5 --layouts 8",
    "4x4 5x5/1-4 --strategies champion": "3x3 4x4/1-2 --strategies champion --games 20",
    "./scripts/web/static/kernel/": f"{ROOT}/scripts/web/static/kernel/",
    "node solver.js": f"sh {shlex.quote(str(DOCS / 'examples/players/random.sh'))}",
}
# The exit statuses of commands that show a failure, or that end without an answer.
STATUS = {
    "minesweeper match": 1,
    "generate --preset beginner --difficulty fiendish": 1,
    "generate --preset exprt": 2,
    "packs verify altered.jsonl": 1,
}
# Each command of these pages runs in a new process: workers and the readers of Parquet depend on what their parent has
# imported and allocated.
FRESH = ("docs/how-to/parquet.md", "docs/how-to/cluster.md", "docs/how-to/billion.md")
CELLS_OF_NUMPY = """
import numpy as np
from minesweeper.player import Board, Game, Grid, Puzzle, Recipe, View, counterexample, reason

board = Board.from_cells(Grid(8, 9), np.argwhere(np.eye(8, 9, dtype=bool)))
puzzle = Puzzle(board, (np.int64(0), np.intp(8)))
Game(board).open(np.array([7, 0]))
for row, col in zip(*np.nonzero(puzzle.view.cells < 0)):
    reason(puzzle.view, (row, col)), counterexample(puzzle.view, (row, col))
print(Recipe(Grid(*np.array([8, 9])), mines=8, click=np.array([0, 8]), rule="safe", seed=7))
"""


@pytest.mark.kernel
@pytest.mark.parametrize("page", BLOCKS)
def test_the_blocks_of_a_page_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All blocks of a page run in order, from an empty folder, in one Python namespace; the output shown is printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(workers, "available_workers", lambda: 1)
    if page in FRESH:
        monkeypatch.setattr(sys.modules[__name__], "COMMANDS", {})
    # The links of a page name the files beside it.
    for name in re.findall(r"\]\((\w+\.\w+)\)", (ROOT / page).read_text(encoding="utf-8")):
        if not name.endswith(".md"):
            shutil.copy((ROOT / page).parent / name, tmp_path)
    names: dict[str, Any] = {}
    for block in BLOCKS[page]:
        printed = run_block(block, names)
        if block.output is not None:
            matches = doctest.OutputChecker().check_output(block.output, printed, doctest.ELLIPSIS)
            assert matches, f"{block.text}\nexpected:\n{block.output}\nprinted:\n{printed}"


def run_block(block: Block, names: dict[str, Any]) -> str:
    """Run a block and return its output."""
    if block.file is not None:
        Path(block.file).write_text(smaller(block.text), encoding="utf-8")
    elif block.language == "python":
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(block.text, "a block", "exec"), names)
        return printed.getvalue()
    elif block.language == "sh":
        return "".join(run_line(line) for line in block.lines)
    elif block.language == "console":
        assert all(any(line.startswith(begin) for begin in NOT_RUN) for line in block.lines), block.text
    elif block.language == "sql":
        with contextlib.closing(sqlite3.connect("minesweeper.db")) as connection:
            connection.executescript(block.text)
    elif block.language == "json":
        lines = block.text.splitlines()
        for text in lines if all(line.startswith("{") for line in lines) else [block.text]:
            json.loads(text)
    elif block.language == "yaml":
        yaml.safe_load(block.text)
    else:
        # Blocks of py need other frameworks: .ci/environments plays such games.
        assert block.language in ("txt", "html", "js", "ts", "py", "c"), (
            f"a block in the unknown language {block.language}"
        )
    return ""


def run_line(line: str) -> str:
    """Run a line of a shell block unless `NOT_RUN` exempts it. Return its output."""
    if any(line.startswith(begin) for begin in NOT_RUN):
        return ""
    result = run(smaller(line))
    known = next((status for begin, status in STATUS.items() if line.startswith(begin)), 0)
    assert result.exit_code in (0, known), f"{line}\n{result.output}"
    assert "Traceback" not in result.output, f"{line}\n{result.output}"
    return result.output


def run(line: str) -> Result:
    """Run a shell line, with `COMMANDS` in this process and the others by bash.

    Returns the result of the last command of a pipe; the earlier ones must succeed.
    """
    redirected = re.fullmatch(r"(.*) > ([\w.]+)", line)
    line, target = redirected.groups() if redirected else (line, None)
    given: bytes | None = None
    *first, last = line.split(" | ")
    for part in first:
        result = run_one(part, given)
        assert result.exit_code == 0, result.output
        given = result.stdout_bytes
    result = run_one(last, given)
    if target:
        Path(target).write_bytes(result.stdout_bytes)
        result.output_bytes = b""
    return result


def run_one(part: str, given: bytes | None) -> Result:
    name = next((name for name in COMMANDS if re.match(rf"{re.escape(name)}(?= |$)", part)), None)
    if name is None or ">(" in part:
        toolkit = f"{shlex.quote(sys.executable)} -m minesweeper"
        define = f'minesweeper() {{ {toolkit} "$@"; }}; '
        define += "".join(f'{name}() {{ {toolkit} {name} "$@"; }}; ' for name in ("generate", "packs"))
        done = subprocess.run(["bash", "-c", f"{define} {part}"], input=given, capture_output=True)
        return Result(CliRunner(), done.stdout, done.stderr, done.stdout + done.stderr, None, done.returncode, None)
    words = [file for word in shlex.split(part[len(name) :]) for file in sorted(glob.glob(word)) or [word]]
    main = importlib.import_module(f"minesweeper.scripts.{COMMANDS[name]}").main
    return CliRunner().invoke(main, words, input=given)


def smaller(text: str) -> str:
    for large, small in SMALLER.items():
        text = text.replace(large, small)
    return text


def test_every_exception_is_used() -> None:
    texts = [block.text for blocks in BLOCKS.values() for block in blocks]
    assert [begin for begin in NOT_RUN | STATUS if not any(line.startswith(begin) for line in LINES)] == []
    assert [large for large in SMALLER if not any(large in text for text in texts)] == []


def test_pictures_are_beside_their_page() -> None:
    """MkDocs leaves the addresses in HTML as they are and, with `use_directory_urls`, moves the pages."""
    assert "use_directory_urls: false" in (ROOT / "mkdocs.yml").read_text()
    shown = [(page, name) for page in PAGES for name in re.findall(r'\bsrc(?:set)?="([^"]+)"', page.read_text())]
    assert [name for page, name in shown if not (page.parent / name).is_file()] == []


@pytest.mark.faults
def test_python_of_the_docs_has_types(tmp_path: Path) -> None:
    """mypy --strict accepts the examples of the library and the strategies; NumPy integers are accepted as cells."""
    pages = ["".join(PYTHON[page]) for page in ("README.md", "docs/library.md")]
    strategies = [block.text for block in BLOCKS["docs/tutorials/strategy.md"] if block.file]
    for number, block in enumerate([*pages, *strategies, CELLS_OF_NUMPY]):
        (tmp_path / f"block_{number}.py").write_text(block)
    above = Path(player.__file__).parents[2]
    # An installed package must declare by itself that it has types.
    environment = os.environ if above.name == "site-packages" else os.environ | {"MYPYPATH": str(above)}
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir", os.devnull, "."]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr


CODE = re.compile(r":\n\n((?:    .*\n|\n)*    .*import .*\n(?:    .*\n|\n)*)")


def examples() -> list[tuple[str, str]]:
    """Return the Python code in docstrings, with the names of the modules."""
    found = []
    for name, path in modules().items():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                found += [(name, dedent(code)) for code in CODE.findall(f"{ast.get_docstring(node)}\n")]
    return found


EXAMPLES = examples()


@pytest.mark.parametrize(("name", "code"), EXAMPLES, ids=lambda text: text.splitlines()[0])
def test_an_example_runs(name: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code, name, "exec"), {})


def test_packages_and_strategies_have_an_example() -> None:
    assert {name for name, _ in EXAMPLES} >= {"player", "db", "generator", "player.play.strategies"}


def test_generated_parts_are_current() -> None:
    """The helps of the commands and the columns of the database stand in their pages."""
    pages = [str(path) for path in sorted((DOCS / "reference").glob("*.md"))]
    command = [sys.executable, "-m", "cogapp", "--check", "--check-fail-msg=run: cog -r docs/reference/*.md", *pages]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_clauses_of_a_clue_are_as_many_as_the_page_says() -> None:
    most = max(len(exactly(range(1, cells + 1), clue)) for cells in range(9) for clue in range(cells + 1))
    assert f"at most {most} clauses" in (DOCS / "explanation" / "sat.md").read_text()


def test_every_installed_command_is_completed() -> None:
    commands = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    (named,) = re.findall(r"for c in ([a-z ]+);", (DOCS / "how-to" / "completion.md").read_text())
    assert set(named.split()) == set(commands)


def test_a_release_dates_its_citation(tmp_path: Path) -> None:
    for name in (
        "README.md",
        "CHANGELOG.md",
        "CITATION.cff",
        "pyproject.toml",
        "scripts/web/static/kernel/package.json",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    command = [sys.executable, ROOT / ".ci" / "address.py", tmp_path, "https://example.org/it", "v0.1.0", "2026-11-28"]
    subprocess.run(command, check=True)
    citation = (tmp_path / "CITATION.cff").read_text()
    assert citation.endswith("repository-code: https://example.org/it\ndate-released: 2026-11-28\n")
