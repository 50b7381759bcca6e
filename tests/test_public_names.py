"""The public names of the packages exist, are those of their modules, and load nothing before they are used."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys

import pytest
from test_imports import modules

import minesweeper
from minesweeper import db, generator, player

PACKAGES = (minesweeper, player, db, generator)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_every_public_name_exists(package: object) -> None:
    names = importlib.import_module(package.__name__).__all__
    assert len(names) > 8
    for name in names:
        assert getattr(package, name).__class__ is not type(package), name


def test_public_names_are_those_of_their_modules() -> None:
    assert minesweeper.Board is player.Board is importlib.import_module("minesweeper.player.board").Board
    assert minesweeper.Store is importlib.import_module("minesweeper.db.store").Store
    assert minesweeper.__version__ == importlib.import_module("minesweeper.player.version").VERSION


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import minesweeper, minesweeper.db, minesweeper.generator", "numpy"),
        (
            "from minesweeper import Board, Game, Recipe; import minesweeper.player.results",
            "minesweeper.player.drawing",
        ),
        ("from minesweeper import Board, Game, Recipe; import minesweeper.player.results", "click"),
        ("from minesweeper import solve", "click"),
        ("from minesweeper import puzzles", "sqlite3"),
        ("from minesweeper import puzzles", "numpy"),
    ],
)
def test_names_load_nothing_that_they_do_not_need(code: str, absent: str) -> None:
    command = [sys.executable, "-c", f"{code}; import sys; print({absent!r} in sys.modules)"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "False\n"


def test_no_two_public_classes_have_one_name() -> None:
    places: dict[str, list[str]] = {}
    for module, path in modules().items():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(module)
    twice = {name for name, found in places.items() if len(found) > 1}
    assert twice <= {"Evaluation", "Group"}
