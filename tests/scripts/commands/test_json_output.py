"""The JSON of all commands: one spelling for each thing, which ``docs/reference/json.md`` describes."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sample_records import human_game

from minesweeper import Board, Store
from minesweeper.scripts.commands import load

REFERENCE = Path(__file__).parents[3] / "docs/reference"
POSITION = "2x5/2\n#121#\n#####\n"
GUESS = "3x3/4\n###\n#4#\n###\n"
LINES = [
    ("generate --preset beginner --count 2 --seed 7 --json", ""),
    ("packs list --json", ""),
    ("packs show cae060802bc3 --json", ""),
    ("packs stats --json", ""),
    ("packs verify --json", ""),
    ("packs verify bad.jsonl --json", ""),
    ("autoplay --preset beginner --games 2 --seed 1 --strategy random --workers 1 --json", ""),
    ("autoplay --workers 1 --json", ""),
    ("packs games --json", ""),
    ("packs games --people --json", ""),
    ("packs people --json", ""),
    ("review play:1 --json", ""),
    ("autoplay --size 5x5 --mines 8 --start safe --strategy random --seed 3 --review --json", ""),
    ("analyse - --all --json", POSITION),
    ("analyse - --think 0.1 --json", GUESS),
    ("analyse - --why 0,0 --json", POSITION),
    ("analyse - --why 0,0 --json", GUESS),
    ("analyse - --json", "1x2/0\n1#\n"),
    ("gemhunter solve - --json", "1,_\n_,1\n"),
    ("gemhunter solve - --json", "3,_\n_,1\n"),
    ("leaderboard --board 4x4/3 --games 2 --strategy random --strategy local --workers 1 --json", ""),
    ("leaderboard --board 4x4/3 --games 2 --strategy random --strategy local --workers 1 --pairs --json", ""),
    ("match random local --board 4x4/3 --max-games 2 --workers 1 --json", ""),
    ("gain random safest --board 4x4/3 --games 2 --layouts 2 --workers 1 --json", ""),
    ("optimal 3x3/2 --json", ""),
]
CELLS = {"clues", "cells", "safe", "safe_cells", "mine_cells", "given", "best_cells"}
CELL = {"cell", "first_click", "second_first_click", "best_cell", "uncertain_cell"}
ROWS_OF_TEXT = {"board", "view", "last_view"}
BOOLEANS = {
    *("won", "survived", "consistent", "complete", "mine", "mine_count", "smallest", "known", "accepted", "sat"),
    *("interrupted", "needs_mine_count", "first_is_zero", "helped"),
}


def is_cell(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(type(one) is int for one in value)


def is_list_of_text(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def objects_in(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        yield from objects_in(one)


def outputs(folder: Path) -> Iterator[tuple[str, Any]]:
    (folder / "bad.jsonl").write_text('{"board": ["**"]}\n')
    game = human_game()
    easy = human_game(name="-b", board=Board.from_text("....*"), recorded_clicks=game.recorded_clicks[:1])
    with Store("minesweeper.db") as store:
        store.people.add([("somebody", game), ("somebody", easy)])
    for line, text in LINES:
        name, *words = line.split()
        result = CliRunner().invoke(load(name), words, input=text)
        assert result.exit_code in (0, 1), line + result.output
        yield line, json.loads(result.stdout)


@pytest.mark.kernel
def test_every_command_spells_the_same_thing_alike_and_the_page_describes_it(folder: Path) -> None:
    pages = [(REFERENCE / name).read_text() for name in ("json.md", "database.md")]
    described = set(re.findall(r"`(\w+)`", "".join(pages)))
    seen: set[str] = set()
    for line, found in outputs(folder):
        # Other objects are numbers by kind, such as {"solvable": 2}.
        for one in (one for one in objects_in(found) if not all(type(value) is int for value in one.values())):
            for key, value in one.items():
                where = f"{line}: {key} = {value!r}"
                seen.add(key)
                if value is None or isinstance(value, dict):
                    continue
                if key in BOOLEANS:
                    assert isinstance(value, bool), where
                elif key in CELL:
                    assert is_cell(value), where
                elif key in CELLS:
                    assert all(map(is_cell, value)), where
                elif key in ROWS_OF_TEXT:
                    assert is_list_of_text(value), where
                elif key in ("layouts", "solutions") and isinstance(value, list):
                    assert all(map(is_list_of_text, value)), where
                elif key == "mines":
                    assert type(value) is int if "rows" in one else all(map(is_cell, value)), where
                elif re.fullmatch(r"\d+,\d+", str(value)):
                    pytest.fail(f"a cell as text: {where}")
    assert {re.sub("(?<=_percent)_(low|high)$", "", key) for key in seen} <= described
