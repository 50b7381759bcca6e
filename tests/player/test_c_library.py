"""The C library from programs in C, C++, Rust and Java, docs/c and docs/games: they find what Python finds."""

from __future__ import annotations

import math
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from random import Random

import numpy as np
import pytest
from test_vectors import POSITIONS
from test_wasm import position

from minesweeper.generator.rated_puzzles import deal
from minesweeper.player.core.board import View
from minesweeper.player.core.errors import InconsistentView
from minesweeper.player.core.grid import KINDS
from minesweeper.player.logic import closure
from minesweeper.player.logic.probability import probabilities
from minesweeper.player.logic.reasons import easiest_step

ROOT = Path(__file__).parents[2]
KERNEL = find_spec("minesweeper.player._kernel")
LIBRARY = Path(KERNEL.origin).parent / "library" if KERNEL and KERNEL.origin else Path("none")
JNA = Path("/usr/share/java/jna.jar")

pytestmark = pytest.mark.skipif(
    not any(LIBRARY.glob("libminesweeper.*")), reason="needs a C++ compiler and pip install -e ."
)


def compiled(language: str, folder: Path, source: str = "c/solve") -> list[str]:
    """Compile an example of a language into a folder; return its command."""
    program, path = str(folder / "program"), ROOT / "docs" / source
    options = ["-L", str(LIBRARY), "-lminesweeper", "-o", program]
    strict = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", str(ROOT / "player/kernel/api")]
    name = path.stem.title()
    command = {
        "C": ["cc", "-std=c99", *strict, str(path.with_suffix(".c")), *options],
        "C++": ["g++", "-std=c++20", *strict, str(path.with_suffix(".cpp")), *options],
        "Rust": ["rustc", "--edition", "2021", "-D", "warnings", str(path.with_suffix(".rs")), *options],
        "Java": ["javac", "-cp", str(JNA), "-d", str(folder), str(path.with_name(f"{name}.java"))],
    }[language]
    if shutil.which(command[0]) is None or (language == "Java" and not JNA.exists()):
        pytest.skip(f"needs the tools of {language}")
    subprocess.run(command, check=True)
    java = ["java", "-XX:TieredStopAtLevel=1", f"-Djna.library.path={LIBRARY}", "-cp", f"{JNA}:{folder}", name]
    return java if language == "Java" else [program]


def digits(marks: np.ndarray) -> str:
    return "".join(map(str, marks.astype(int).ravel()))


def line_of(view: View) -> str:
    """Return the line that the programs print, from the results of Python."""
    try:
        chances = probabilities(view)
    except InconsistentView:
        return "no layout of the mines fits this view"
    known, hint = closure(view), easiest_step(view)
    parts = np.zeros(view.cells.shape, dtype=int)
    for part, cells in enumerate((hint.safe, hint.mines, hint.clues) if hint else (), 1):
        for cell in cells:
            parts[cell] = part
    shown = [f"{chance:.12f}" for chance in chances.chances.ravel() if not math.isnan(chance)]
    words = [digits(known.safe_map + 2 * known.mine_map), f"{chances.log_layouts:.12f}"]
    return " ".join([*words, str(int(hint.tier) if hint else 0), digits(parts) if hint else "", *shown])


def vectors() -> list[View]:
    """The positions of docs/vectors."""
    fields = [[line.split() for line in part.splitlines()] for part in POSITIONS]
    rows = [["".join(line[1]) for line in lines if line[0] == "view"] for lines in fields]
    return [View.from_text("\n".join(one), int(lines[1][1])) for one, lines in zip(rows, fields, strict=True)]


@cache
def views_and_lines(count: int) -> tuple[list[View], list[str]]:
    """Return the positions of docs/vectors and of random games, with the lines that programs print."""
    random = Random("views")
    views = vectors() + [position(random)[0] for _ in range(count)]
    return views, [line_of(view) for view in views]


def output_of(command: list[str], text: str = "") -> str:
    """Run a program that finds the library; return its output."""
    found = {"LD_LIBRARY_PATH": str(LIBRARY), "DYLD_LIBRARY_PATH": str(LIBRARY)}
    run = subprocess.run(command, input=text, capture_output=True, text=True, check=True, env=os.environ | found)
    return run.stdout


@pytest.mark.parametrize("language", ["C", "Rust", "Java"])
@pytest.mark.parametrize("count", [100, pytest.param(1000, marks=pytest.mark.long)])
def test_programs_in_other_languages_find_the_same(language: str, count: int, tmp_path: Path) -> None:
    program = compiled(language, tmp_path)
    views, lines = views_and_lines(count)
    text = "".join(
        f"{view.rows} {view.cols} {KINDS[view.grid.kind]} {view.mines} {''.join(view.lines)}\n" for view in views
    )
    for view, found, expected in zip(views, output_of(program, text).splitlines(), lines, strict=True):
        if found != expected:
            # The last of the twelve digits of a number can be rounded in another way.
            pairs = zip(found.split(), expected.split(), strict=True)
            differing = [(one, other) for one, other in pairs if one != other]
            assert all(abs(float(one) - float(other)) <= 2e-12 for one, other in differing), view.to_text()


WRONG = [
    "2x5/2\n#121#\n#####\n",
    "2 5 0 2 #121#\n",
    "2 5 0 2 #121#####A\n",
    "2 5 0 -2 #121######\n",
    "2 5 1 2 #121######\n",
]


@pytest.mark.parametrize("language", ["C", "Rust", "Java"])
def test_wrong_input_of_an_example_gets_a_line_and_status_2(language: str, tmp_path: Path) -> None:
    program, found = compiled(language, tmp_path), {"LD_LIBRARY_PATH": str(LIBRARY), "DYLD_LIBRARY_PATH": str(LIBRARY)}
    for text in WRONG:
        run = subprocess.run(program, input=text, capture_output=True, text=True, env=os.environ | found, check=False)
        assert run.returncode == 2, (text, run)
        assert run.stderr.endswith("; expected lines ROWS COLS KIND MINES CELLS, such as 2 5 0 2 #121######\n"), run


def test_the_first_example_prints_chances_and_a_hint(tmp_path: Path) -> None:
    program = compiled("C", tmp_path, "c/hint")
    assert output_of(program) == "   0%s    1*    2*    1    0% \n   0%s 100%    0%  100%    0% \n"


def command_of(language: str, source: str, folder: Path) -> list[str]:
    """Return the command of an example in any language."""
    path = ROOT / "docs" / source
    if language == "Python":
        return [sys.executable, str(path.with_suffix(".py"))]
    if language != "JavaScript":
        return compiled(language, folder, source)
    if shutil.which("node") is None:
        pytest.skip("needs node")
    module = (ROOT / "scripts/web/static/kernel/index.js").as_uri()
    script = folder / "program.mjs"
    script.write_text(path.with_suffix(".mjs").read_text().replace("minesweeper-kernel", module))
    return ["node", str(script)]


@pytest.mark.parametrize(("page", "source"), [("no-guess", "deal"), ("hints", "hint")])
@pytest.mark.parametrize("language", ["C", "C++", "Rust", "Java", "JavaScript", "Python"])
def test_programs_for_games_print_the_same(page: str, source: str, language: str, tmp_path: Path) -> None:
    text = (ROOT / f"docs/how-to/{page}.md").read_text(encoding="utf-8")
    if source == "deal":
        board = deal("16x30/99", click=(3, 20), seed=7).board
        expected = "".join("".join("*" if mine else "." for mine in row) + "\n" for row in board.mine_map)
    else:
        (expected,) = re.findall(r"```txt\n(.*?)```", text, re.DOTALL)
    printed = output_of(command_of(language, f"games/{source}", tmp_path))
    if (language, source) == ("Python", "hint"):
        expected = expected.replace("two.safe 1 2", printed.splitlines()[-1])
    assert printed == expected


def test_the_pages_for_games_have_the_programs() -> None:
    pages = "".join((ROOT / f"docs/how-to/{page}.md").read_text(encoding="utf-8") for page in ("no-guess", "hints"))
    programs = sorted((ROOT / "docs/games").iterdir())
    assert len(programs) == 12
    for path in programs:
        assert f'title="{path.name}"\n{path.read_text(encoding="utf-8")}```' in pages
