"""The public names of the packages exist, load nothing before they are used, and have examples with right output."""

import ast
import doctest
import importlib
import os
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_imports import modules

import minesweeper
from minesweeper import Board, Grid, Puzzle, Recipe, View, db, generator, player
from minesweeper.player.core.errors import BoardError

PACKAGES = (minesweeper, player, db, generator)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_every_public_name_exists(package: object) -> None:
    names = importlib.import_module(package.__name__).__all__
    assert names
    for name in names:
        assert getattr(package, name).__class__ is not type(package), name


def test_public_names_are_those_of_their_modules() -> None:
    assert minesweeper.Board is player.Board is importlib.import_module("minesweeper.player.core.board").Board
    assert minesweeper.Store is importlib.import_module("minesweeper.db.store").Store
    assert minesweeper.__version__ == importlib.import_module("minesweeper.player.version").VERSION


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import minesweeper.db, minesweeper.generator; from minesweeper import puzzles", {"numpy", "sqlite3"}),
        (
            "from minesweeper import Board, Game, Recipe; import minesweeper.player.core.results",
            {"minesweeper.player.render"},
        ),
        ("from minesweeper import Board, Game, Recipe, solve; import minesweeper.player.core.results", {"click"}),
    ],
)
def test_names_load_nothing_that_they_do_not_need(code: str, absent: set[str]) -> None:
    command = [sys.executable, "-c", f"{code}; import sys; print({absent!r} & sys.modules.keys())"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "set()\n"


SHARED = {
    # The functions of a module of a file format, which db/formats/registry.py describes.
    *("batches", "looks_like", "read", "write", "write_file", "board_from_text", "view_from_text", "to_text"),
    # Tasks and puzzles of other games have the verbs of the library.
    *("generate", "positions", "solve"),
    # In places of their own: logs, records, files and columns.
    *("log", "save", "rate", "reader", "draw"),
}
"""Names with one meaning in several modules."""


def test_no_two_public_names_of_the_library_mean_different_things() -> None:
    places: dict[str, list[str]] = {}
    for module, path in modules().items():
        if module.startswith("scripts."):
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            names = [node.name] if isinstance(node, ast.ClassDef | ast.FunctionDef) else []
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            names += [target.id for target in targets if isinstance(target, ast.Name)]
            for name in names:
                if not name.startswith("_"):
                    places.setdefault(name, []).append(module)
    twice = {name: found for name, found in places.items() if len(set(found)) > 1 and name not in SHARED}
    assert twice == {}


STORE = {
    *("path", "close", "db", "integrity_errors"),
    *("puzzles", "puzzle", "ids", "count", "rate", "add_games", "games", "game", "puzzle_of", "leaderboard"),
    # What the programs of the toolkit store.
    *("people", "proofs", "runs", "series"),
    # What its formats write.
    "tables",
}


def test_a_store_has_only_what_its_users_need(tmp_path: Path) -> None:
    with minesweeper.Store(tmp_path / "puzzles.db") as store:
        assert {name for name in dir(store) if not name.startswith("_")} == STORE


CONSTANTS = {"Cell", "HIDDEN", "__version__"}
"""Names without a docstring of their own."""


@pytest.mark.parametrize("name", sorted(set(minesweeper.__all__) - CONSTANTS))
def test_examples_show_their_output(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    examples = doctest.DocTestFinder().find(getattr(minesweeper, name), name, globs={"ms": minesweeper})
    own = next((test for test in examples if test.name == name), None)
    assert own is not None
    assert own.examples, f"the docstring of {name} has no example"
    report: list[str] = []
    failed = [doctest.DocTestRunner().run(test, out=report.append).failed for test in examples]
    assert not any(failed), "".join(report)


TYPED = Path(__file__).with_name("typed_names.py")


def test_a_program_with_every_public_name_runs_and_has_types(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = set(re.findall(r"ms\.(\w+)", TYPED.read_text()))
    assert named == set(minesweeper.__all__)
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(TYPED))
    above = Path(player.__file__).parents[2]
    # An installed package must declare by itself that it has types.
    environment = os.environ if above.name == "site-packages" else os.environ | {"MYPYPATH": str(above)}
    command = ["mypy", "--strict", "--follow-imports=silent", "--cache-dir", os.devnull, str(TYPED)]
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr


ANY: Any = minesweeper
BEGINNER = Recipe("beginner")
KINDS: dict[str, Callable[[], object]] = {
    "'abc' is no seed; expected a whole number": lambda: ANY.Recipe("9x9/10", seed="abc"),
    "1.5 is no seed; expected a whole number": lambda: ANY.Recipe("9x9/10", seed=1.5),
    "10.0 is no number of mines; expected a whole number": lambda: ANY.Recipe(Grid(9, 9), 10.0),
    "True is no number of mines; expected a whole number": lambda: ANY.Recipe(Grid(9, 9), True),
    "'a' is no number of a puzzle; expected a whole number": lambda: ANY.Recipe("9x9/10").puzzle("a"),
    "puzzle -1 is out of range; expected 0 to 9223372036854775807": lambda: BEGINNER.puzzle(-1),
    "'a' is no seed; expected a whole number in Kaboom": lambda: ANY.Kaboom("9x9/10", seed="a"),
    "9.0 is no number of rows; expected a whole number": lambda: ANY.Grid(9.0, 9),
    "expected the kind of a grid such as 'torus', got int": lambda: ANY.Grid(9, 9, 3),
    "rows of unequal lengths; expected as many cells in every row": lambda: ANY.Board([[True], [True, False]]),
    "expected the text of a board, got int": lambda: ANY.Board.from_text(3),
    "expected the text of a view, got int": lambda: ANY.View.from_text(3),
    "expected a Grid, got tuple": lambda: ANY.Board.from_cells((2, 2), [(0, 0)]),
    "expected a Board, got str": lambda: ANY.Puzzle("..*", (0, 0)),
    "unknown engine 3; engines: auto, native, sat": lambda: ANY.closure("1x2/1\n#1", engine=3),
    "expected a number of seconds, got str": lambda: ANY.closure("1x2/1\n#1", time_limit="3"),
    "'5' is no number of games; expected a whole number": lambda: ANY.play_many(BEGINNER, "5", "random"),
    "'2' is no number of games; expected a whole number": lambda: ANY.positions(BEGINNER, "2"),
    "expected a number of workers or a cluster, got str": lambda: [*ANY.play_many(BEGINNER, 1, "random", workers="2")],
    "0 workers; expected 1 or more": lambda: [*ANY.play_many(BEGINNER, 1, "random", workers=0)],
    "expected puzzles, got int": lambda: [*ANY.play_many([3], 1, "champion")],
    "expected puzzles, got str": lambda: [*ANY.play_many(["3"], 1, "random")],
    # This ran forever.
    "1.5 is no number of puzzles; expected a whole number": lambda: ANY.puzzles("9x9/10", 1.5),
    "expected puzzles, got View": lambda: ANY.paper_form(View("1x2/1\n#1")),
    "expected a Puzzle or a Tally, got str": lambda: ANY.difficulty("x"),
    "expected a Puzzle, got int": lambda: ANY.certify(3),
    "expected a Recipe, got Puzzle": lambda: ANY.mine_maps(Puzzle(Board.from_text(".*"), (0, 0)), range(2)),
    "expected a range of numbers, got int": lambda: ANY.mine_maps(BEGINNER, 2),
    "expected given cells as {(row, col): True for a mine}, got int": lambda: ANY.reason("1x2/1\n#1", (0, 0), given=3),
    "expected a number of seconds, got list": lambda: ANY.reason("1x2/1\n#1", (0, 0), seconds=[]),
    "expected the path of a database, got int": lambda: ANY.Store(3),
    "expected a map of mines, got str; Board.from_text reads text": lambda: ANY.Board("..*"),
    "expected a list of cells, got int": lambda: ANY.Board.from_cells(Grid(2, 2), 3),
    "expected the bytes of a board, got int": lambda: ANY.Board.from_bytes(Grid(2, 2), 3),
    "expected a list of puzzles, got int": lambda: ANY.save(3, "puzzles.jsonl"),
    "no puzzle 1 in a list of 1; expected at most as many games": lambda: [
        *ANY.play_many([BEGINNER.puzzle(0)], 2, "champion")
    ],
    "unknown moment 3; expected 'guess' or 'every move'": lambda: ANY.positions(BEGINNER, 2, when=3),
}


@pytest.mark.parametrize(("message", "call"), KINDS.items(), ids=KINDS)
def test_a_wrong_kind_of_argument_gets_a_line(message: str, call: Callable[[], object]) -> None:
    with pytest.raises((BoardError, TypeError, ValueError)) as caught:
        call()
    assert str(caught.value) == message.removesuffix(" in Kaboom")
