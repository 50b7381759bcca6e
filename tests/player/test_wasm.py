"""Tests of the WebAssembly kernel, the package minesweeper-kernel: it gives the results of Python."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import astuple, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from minesweeper import Recipe, difficulty, probabilities, read_position
from minesweeper.db.people import clicks_to_json
from minesweeper.generator.screening import screen_range
from minesweeper.player.core.board import HIDDEN, View, cells_of
from minesweeper.player.core.errors import BoardError, FormatError
from minesweeper.player.core.game import Game, Status
from minesweeper.player.core.grid import KINDS, Cell, Grid
from minesweeper.player.core.steps import Tier
from minesweeper.player.kernel_api import kernel, native_view
from minesweeper.player.logic import Deductions, closure
from minesweeper.player.logic.deduction import Deduction
from minesweeper.player.logic.metrics import measures
from minesweeper.player.logic.reasons import chain_to_safe, easiest_step
from minesweeper.player.logic.sentences import ENGLISH, LANGUAGES
from minesweeper.player.logic.unavoidable import unavoidable_guesses
from minesweeper.player.play.judgement import Verdict
from minesweeper.player.play.kaboom import MODES, Kaboom, Rules
from minesweeper.player.play.recorded_games import (
    EVF_MODES,
    RecordedClick,
    decided_guesses,
    record_game,
    review_recording,
)

HERE = Path(__file__).parent / "wasm"
BOARDS = ("9x9/10", "16x16/40", "16x30/99", "5x5/12", "1x12/4", "24x30/150")
HOLES = (
    "9x12/16 holes 3#6.3#/#10.#/12./4.4#4./4.4#4./4.4#4./12./#10.#/3#6.3#",
    "6x10/10 hex torus holes 10./3.2#5./10./6.#3./#9./10.",
)
GRIDS = (*(f"10x12/{20 + 2 * number} {kind}" for kind, number in KINDS.items() if kind), *HOLES)
NODE = shutil.which("node")

pytestmark = [pytest.mark.skipif(NODE is None, reason="needs Node"), pytest.mark.kernel]


def fits(rows: int, cols: int, kind: str) -> bool:
    """Return whether a grid of this size may have a kind."""
    try:
        Grid(rows, cols, kind)
    except BoardError:
        return False
    return True


def number(cell: Cell, cols: int) -> int:
    return cell[0] * cols + cell[1]


def numbers(marks: Any) -> list[int]:
    return np.flatnonzero(marks).tolist()


def fields_of(view: View) -> dict[str, Any]:
    cells = view.cells.ravel().tolist()
    return {"rows": view.rows, "cols": view.cols, "mines": view.mines, "grid": view.grid.label, "cells": cells}


def deals(seeds: Iterable[int]) -> Iterator[dict[str, Any]]:
    """Yield the first solvable board and a random board of recipes with different seeds."""
    for seed in seeds:
        names = ("9x9/10", "16x16/40", "16x30/99", *GRIDS)
        name = names[seed % len(names)]
        recipe = Recipe(name, seed=seed * 0x9E3779B97F4A7C15 % 2**63)
        rows, cols, mines = recipe.rows, recipe.cols, recipe.mines
        assert recipe.click is not None
        fields = {"rows": rows, "cols": cols, "mines": mines, "click": number(recipe.click, cols)}
        fields |= {"grid": recipe.grid.label}
        # JSON numbers of JavaScript have 53 bits.
        fields |= {"seed": str(recipe.seed)}
        found = next(one for start in range(0, 10**6, 100) for one in screen_range(recipe, start, start + 100))
        board = {"mines": numbers(found.puzzle.board.mine_map), "click": fields["click"]}
        screening, safe = found.screening, found.puzzle.board.safe_cells
        score, rating = difficulty(screening.tally, screening.clues_at_once, safe)
        found_fields = {"index": found.index, "tally": list(screening.tally), "difficulty": rating, "score": score}
        found_fields |= {"measures": list(astuple(measures(found.puzzle)))}
        yield {"kind": "deal", **fields, "found": {**board, **found_fields}}
        del fields["click"]
        safe_start = Recipe(recipe.name, click=None, rule="safe", seed=recipe.seed)
        puzzle = safe_start.puzzle(seed)
        found_board = {"mines": numbers(puzzle.board.mine_map), "click": number(puzzle.first_click, cols)}
        yield {"kind": "board", **fields, "start": "safe", "index": seed, "found": found_board}


def position(random: Random) -> tuple[View, Deductions]:
    """Return a position of a random game, with some of the certain cells open."""
    recipe = Recipe(random.choice(BOARDS + GRIDS), click=None, rule="safe", seed=random.getrandbits(63))
    puzzle = recipe.puzzle(0)
    game = Game(puzzle)
    for _ in range(random.randrange(40)):
        known = closure(game.view)
        certain = cells_of(known.safe_map)
        hidden = cells_of((game.view.cells == HIDDEN) & ~puzzle.board.mine_map)
        if len(hidden) < 2:
            break
        game.open(random.choice(certain if certain and random.random() < 0.95 else hidden))
    return game.view, closure(game.view)


def hint_fields(hint: Deduction | None, cols: int) -> dict[str, Any] | None:
    if hint is None:
        return None
    lists = {"safe": hint.safe, "mines": hint.mines, "clues": hint.clues}
    return {
        "tier": int(hint.tier),
        "smallest": hint.smallest,
        "cell": number(hint.cell, cols),
        "mine": hint.mine,
        **{name: [number(cell, cols) for cell in cells] for name, cells in lists.items()},
    }


def positions(count: int, random: Random, language: str) -> Iterator[dict[str, Any]]:
    """Yield positions with their closure, chances and easiest deduction, some with known cells."""
    for _ in range(count):
        view, known = position(random)
        given = {cell: True for cell in cells_of(known.mine_map) if random.random() < 0.5}
        # Most positions have easy deductions; the cells that they decide are given, until a harder one follows.
        while random.random() < 0.98 and (step := easiest_step(view, given=given)) is not None:
            if step.tier > Tier.TWO_CLUES or random.random() < 0.02:
                break
            given |= dict.fromkeys(step.safe, False) | dict.fromkeys(step.mines, True)
        marks = np.zeros(view.cells.shape, dtype=int)
        for cell, mine in given.items():
            marks[cell] = 1 + mine
        hint = easiest_step(view, given=given)
        chances = probabilities(view)
        found = {
            "known": (known.safe_map + 2 * known.mine_map).ravel().tolist(),
            "hint": hint_fields(hint, view.cols),
            "chain": [step.in_words(language) for step in chain_to_safe(view)],
            "words": hint and hint.in_words(language),
            "chances": [None if math.isnan(chance) else chance for chance in chances.chances.ravel().tolist()],
            "log_layouts": chances.log_layouts,
            "unavoidable": [
                {
                    "cells": [number(cell, view.cols) for cell in one.cells],
                    "words": one.in_words(language),
                    "is_proof": True,
                }
                for one in unavoidable_guesses(view)
            ],
        }
        yield {"kind": "position", **fields_of(view), "given": marks.ravel().tolist(), "found": found}


def values(found: object, *names: str) -> dict[str, Any]:
    return {name: getattr(found, name) for name in names}


def step_fields(step: kernel.HintStep) -> dict[str, Any]:
    hint = step.hint
    says = values(step.sentence, "name", "clue", "other", "count", "need", "mines", "rest", "places")
    parts = values(hint, "tier", "smallest", "safe", "mines", "clues")
    return {**parts, "cell": (hint.safe or hint.mines)[0], "mine": not hint.safe, "says": says}


def judged(count: int, random: Random) -> Iterator[dict[str, Any]]:
    """Yield judged clicks of one to three cells, with the chain to a safe cell and a counterexample."""
    for _ in range(count):
        view, known = position(random)
        hidden = numbers(view.cells == HIDDEN)
        cells = random.sample(hidden, min(len(hidden), random.choice([1, 1, 2, 3])))
        marks = (known.safe_map + 2 * known.mine_map).astype(np.uint8)
        found = native_view(view).judge(marks, cells)
        flags = np.where(known.mine_map & (np.array([[random.random() < 0.5]])), np.uint8(2), np.uint8(0))
        open_question = next((cell for cell in hidden if not marks.flat[cell]), None)
        pair = None if open_question is None else native_view(view).counterexample(open_question)
        guesses, layouts = found.guesses, [found.safe_layout, found.mined_layout]
        kind = (None, "estimate", "win_probability")[guesses.kind]
        rated = [values(one, "cell", "safety", "progress", "value") for one in guesses.ratings]
        yield {
            "kind": "judged",
            **fields_of(view),
            "clicked": cells,
            "flags": flags.ravel().tolist(),
            "asked": open_question,
            "found": {
                "verdict": tuple(Verdict)[found.verdict],
                "safety": found.safety,
                "bestCell": found.best_cell,
                "bestSafety": found.best_safety,
                "chances": [None if math.isnan(share) else share for share in found.chances] or None,
                "evaluation": kind and {"kind": kind, "ratings": rated},
                "loss": found.loss,
                "uncertainCell": found.uncertain_cell,
                "layouts": [numbers(list(one)) for one in layouts] if found.safe_layout else None,
                "step": step_fields(found.step) if found.step.hint.tier else None,
                "chain": [step_fields(step) for step in native_view(view).chain(flags)],
                "counterexample": pair and [numbers(list(one)) for one in pair],
            },
        }


def kaboom_clicks(count: int, random: Random) -> Iterator[dict[str, Any]]:
    """Yield the verdicts of random games of Kaboom, before each of their clicks."""
    kaboom: Kaboom | None = None
    clicks = 0
    for _ in range(count):
        while kaboom is None or kaboom.status is not Status.PLAYING:
            switches = [random.random() < 0.5 for _ in range(3)]
            rules = Rules(*switches, mode=random.choice(MODES))
            rows, cols, mines = random.choice([(8, 8, 8), (10, 10, 20), (9, 9, 10), (16, 16, 40)])
            kind = random.choice(list(KINDS)) if (rows, cols) == (10, 10) else ""
            kaboom, clicks = Kaboom(Grid(rows, cols, kind), mines, rules=rules, seed=random.getrandbits(64)), 0
        view = kaboom.view
        hidden = cells_of(view.cells == HIDDEN)
        survived = [cell for cell in hidden if kaboom.judge(cell).survived]
        cell = random.choice(survived if survived and random.random() < 0.95 else hidden)
        why = {number(one, view.cols): str(kaboom.judge(one)) for one in hidden}
        granted = view.cells == HIDDEN if len(hidden) == view.cells.size else kaboom.guessable
        clicks += 1
        outcome = kaboom.click(cell)
        yield {
            "kind": "kaboom",
            **fields_of(view),
            "rules": {name: getattr(kaboom.rules, name) for name in Rules.__dataclass_fields__},
            "cell": number(cell, view.cols),
            "random": {"seed": str(kaboom.seed), "clicks": clicks},
            "found": {
                "why": [why.get(at) for at in range(view.cells.size)],
                "granted": numbers(granted),
                "click": {
                    "why": str(outcome.why),
                    "survived": outcome.survived,
                    "isFair": True,
                    "cells": kaboom.view.cells.ravel().tolist(),
                    "mines": [] if outcome.layout is None else numbers(outcome.layout.mine_map),
                },
            },
        }


def games(count: int, random: Random) -> Iterator[dict[str, Any]]:
    """Yield games of random clicks, flags and chords with the view after each click and chord."""
    for at in range(count):
        name = (*BOARDS, *GRIDS)[at % len(BOARDS + GRIDS)]
        puzzle = Recipe(name, click=None, rule="safe", seed=random.getrandbits(63)).puzzle(0)
        board, cols = puzzle.board, puzzle.board.cols
        game = Game(board)
        moves, views = [], []
        game_cells = [divmod(at, cols) for at in board.grid.numbers]
        to_open = [puzzle.first_click]
        while game.status is Status.PLAYING and len(moves) < 60:
            chord = bool(moves) and random.random() < 0.5
            if chord:
                # Right flags around a clue, and sometimes a wrong one.
                cell = random.choice([cell for cell in game_cells if game.view.cells[cell] != HIDDEN])
                for near in board.grid.neighbours(cell):
                    is_flagged = bool(board.mine_map[near]) != (random.random() < 0.02)
                    if is_flagged and game.view.cells[near] == HIDDEN and near not in game.flags:
                        game.flag(near)
            else:
                cell = to_open.pop() if to_open else random.choice(game_cells)
                if cell in game.flags:
                    continue
            marks = [int(divmod(at, cols) in game.flags) for at in range(board.rows * cols)]
            (game.chord if chord else game.open)(cell)
            moves.append({"flags": marks, "chord": chord, "cell": number(cell, cols)})
            views.append(",".join(map(str, game.view.cells.ravel().tolist())))
        fields = {"rows": board.rows, "cols": cols, "mines": board.mines, "grid": board.grid.label}
        mine_map = board.mine_map.ravel().astype(int).tolist()
        yield {"kind": "game", **fields, "mine_map": mine_map, "moves": moves, "found": {"views": views}}


def reviews(count: int, random: Random) -> Iterator[dict[str, Any]]:
    """Yield the reviews of games of mostly sensible clicks and chords."""
    for _ in range(count):
        name = random.choice(BOARDS + GRIDS)
        puzzle = Recipe(name, click=None, rule="safe", seed=random.getrandbits(63)).puzzle(0)
        board = puzzle.board
        game = Game(board)
        clicks: list[RecordedClick] = []
        while game.status is Status.PLAYING and len(clicks) < 30:
            known = closure(game.view)
            hidden = cells_of(game.view.cells == HIDDEN)
            safe = cells_of(known.safe_map) if random.random() < 0.9 else ()
            cell = random.choice(safe or hidden) if clicks else puzzle.first_click
            near = [cell, *board.grid.neighbours(cell)]
            cells = tuple(one for one in hidden if one in near) if random.random() < 0.1 and clicks else (cell,)
            seconds = round((clicks[-1].seconds if clicks else 0) + random.random(), 3)
            clicks.append(RecordedClick(seconds, cell, cells, random.random() < 0.1))
            for one in sorted(cells, key=lambda cell: bool(board.mine_map[cell])):
                game.open(one)
        recording = record_game(board, clicks, clicks[-1].seconds + 0.5, len(clicks) + 3, "")
        recording = replace(recording, mode=random.choice(EVF_MODES))
        found = json.loads(json.dumps(review_recording(recording).to_json()))
        # The page does not show these.
        without = {
            "program",
            "player",
            "fewest_clicks",
            "fewest_clicks_bound",
            "mode",
            "pluck",
            "zini",
            "click",
            "loss",
            "loss_kind",
        }
        for judged in (found, *found["judgements"]):
            for key in without & judged.keys():
                del judged[key]
            if judged.get("step"):
                del judged["step"]["reason"]["given"]
            if guess := judged.get("guess"):
                judged["guess"] = {name: guess[name] for name in ("kind", "value", "best_value", "rating")}
        yield {
            "kind": "review",
            "mine_map": board.mine_map.ravel().astype(int).tolist(),
            "board": board.size_to_json(),
            "entry": {
                "recorded_clicks": clicks_to_json(clicks),
                "seconds": recording.seconds,
                "clicks": recording.click_count,
                **decided_guesses(recording.mode),
            },
            "found": found,
        }


def texts() -> Iterator[dict[str, Any]]:
    """Yield positions in the page's own text, and texts that cannot be read."""
    names = ("9x9/10", "5x7/8", "16x30/99", "6x5/4 torus", "6x8/6 hex vertical cylinder", *HOLES)
    views = [Recipe(name, click=None, rule="safe", seed=5).puzzle(3).view for name in names]
    written = [view.to_text() for view in views]
    written += ["1x3/1\r\n?1?", "", " \n", "chess", "it's"]
    written += [
        "#1#",
        "1x3/1\n#1",
        "1x3/1\n#a#",
        "1x4/1\n#1#",
        "1x3/1\n#?1",
        "*1*\n121",
        "*1*\n232",
        "*2",
        "5x1/1 torus\n#\n1\n0\n0\n0",
        "2x3/1\n#1-\n##-",
        "2x3/1 holes 3./2.#\n#1.\n##-",
        "2x3/1 holes 3./2.#\n#1.\n###",
        "2x3/1 holes 2.#/3.\n#1.\n##-",
        "2x3/1 holes 2./2.\n#1.\n##-",
        "a\tb" * 40,
    ]
    for text in written:
        for mines in (None, 1):
            found: dict[str, Any]
            try:
                view = read_position(text, mines)
                found = fields_of(view)
            except (FormatError, BoardError):
                found = {"isRefused": True}
            yield {"kind": "text", "text": text, "mines": mines, "found": found}


def check_equal(cases: Iterator[dict[str, Any]], count: int, language: str = ENGLISH) -> None:
    """Fail if the WebAssembly kernel gives another result in any case."""
    assert NODE is not None
    lines = "".join(json.dumps(case) + "\n" for case in cases)
    command = [NODE, f"--import=data:text/javascript,globalThis.name='{language}'", HERE / "compare.mjs"]
    done = subprocess.run(command, input=lines, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    assert done.stdout == f"0 of {count} cases differ\n"


def test_the_tests_of_the_package() -> None:
    assert NODE is not None
    done = subprocess.run([NODE, "--test", HERE / "kernel.test.mjs"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("count", [20, pytest.param(1000, marks=pytest.mark.long)])
def test_the_same_boards(count: int) -> None:
    check_equal(deals(range(count)), 2 * count)


FEW_OR_MANY = [(50, 1), *(pytest.param(1000, seed, marks=pytest.mark.long) for seed in range(10))]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("count", "seed"), FEW_OR_MANY)
def test_the_same_positions_and_words(count: int, seed: int, language: str) -> None:
    check_equal(positions(count, Random(f"positions {seed}"), language), count, language)


@pytest.mark.parametrize(("count", "seed"), FEW_OR_MANY)
def test_the_same_judgements(count: int, seed: int) -> None:
    check_equal(judged(count, Random(f"judged {seed}")), count)


@pytest.mark.parametrize(("count", "seed"), FEW_OR_MANY)
def test_the_same_verdicts_in_kaboom(count: int, seed: int) -> None:
    check_equal(kaboom_clicks(count, Random(f"kaboom {seed}")), count)


def test_the_same_games() -> None:
    # Ten games on each board and each grid.
    check_equal(games(150, Random(3)), 150)


def test_the_same_neighbours() -> None:
    sides = [(5, 5), (6, 5), (6, 9), (10, 12), (1, 1), (2, 3)]
    fitting = [(rows, cols, name) for rows, cols in sides for name in KINDS if fits(rows, cols, name)]
    fitting += [(9, 12, HOLES[0].split(" ", 1)[1]), (6, 10, HOLES[1].split(" ", 1)[1])]
    cases = (
        {
            "kind": "neighbours",
            "rows": rows,
            "cols": cols,
            "grid": name,
            "found": {"around": [sorted(Grid(rows, cols, name).numbered[cell]) for cell in range(rows * cols)]},
        }
        for rows, cols, name in fitting
    )
    assert {name for *_, name in fitting} > set(KINDS)
    check_equal(cases, len(fitting))


def test_the_same_texts() -> None:
    cases = list(texts())
    check_equal(iter(cases), len(cases))


@pytest.mark.parametrize("count", [20, pytest.param(100, marks=pytest.mark.long)])
def test_the_same_reviews(count: int) -> None:
    check_equal(reviews(count, Random(4)), count)
