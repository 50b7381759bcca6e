"""The faces of the packages: every name is there, and looking at a face loads nothing."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from minesweeper import db, generator, player

FACES = (player, db, generator)


@pytest.mark.parametrize("face", FACES, ids=lambda face: face.__name__)
def test_every_name_of_a_face_is_there(face: object) -> None:
    names = importlib.import_module(face.__name__).__all__
    assert len(names) > 9
    for name in names:
        assert getattr(face, name).__class__ is not type(face), name


def test_the_names_of_a_face_are_those_of_its_rooms() -> None:
    assert player.Board is importlib.import_module("minesweeper.player.board").Board
    assert db.Store is importlib.import_module("minesweeper.db.store").Store
    assert generator.screen is importlib.import_module("minesweeper.generator.screening").screen


def test_looking_at_a_face_loads_no_room() -> None:
    code = "import sys, minesweeper.player, minesweeper.db, minesweeper.generator; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
