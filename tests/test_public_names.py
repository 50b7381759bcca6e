"""The public names of the packages exist, load nothing before they are used, and have examples with right output."""

import ast
import doctest
import importlib
import subprocess
import sys
from pathlib import Path

import pytest
from test_imports import modules

import minesweeper
from minesweeper import db, generator, player

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
