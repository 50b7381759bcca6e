"""Screening finds exactly the solvable puzzles, and certificates reject false claims."""

import pickle
import sys
from dataclasses import replace
from functools import cache
from itertools import product
from random import Random
from types import SimpleNamespace

import ms_toollib
import numpy as np
import pytest
from oracle import layouts
from plain_clauses import clauses_of, follows, hard_path_steps, kernel_clauses

from minesweeper import HIDDEN, Board, Grid, Puzzle, Recipe, solution_path
from minesweeper.generator.certify import certify, read_certificate
from minesweeper.generator.screening import FoundPuzzle, screen, screen_by_sat, screen_range
from minesweeper.player import kernel_api
from minesweeper.player.core.errors import ProofFailed
from minesweeper.player.core.game import Game, Status
from minesweeper.player.core.steps import Tier

certify_module = sys.modules["minesweeper.generator.certify"]

EXPERT = Recipe("16x30/99", seed=7)


def _solved_by_enumeration(puzzle: Puzzle) -> bool:
    game = Game(puzzle.board)
    game.open(puzzle.first_click)
    while game.status is Status.PLAYING:
        view = game.view
        safe = (view.cells == HIDDEN) & ~layouts(view).any(axis=0)
        if not safe.any():
            return False
        for row, col in np.argwhere(safe).tolist():
            if game.view.cells[row, col] == HIDDEN and game.status is Status.PLAYING:
                game.open((row, col))
    return True


@pytest.mark.parametrize(
    "recipe", [Recipe("4x4/4", click=(0, 0), rule="safe", seed=1), Recipe("4x5/4", click=None, seed=2)]
)
def test_agrees_with_enumeration_of_all_layouts(recipe: Recipe) -> None:
    puzzles = [recipe.puzzle(index) for index in range(150)]
    verdicts = [screen(puzzle).solved for puzzle in puzzles]
    assert verdicts == [_solved_by_enumeration(puzzle) for puzzle in puzzles]
    assert 10 < sum(verdicts) < 140


@pytest.mark.kernel
@pytest.mark.parametrize("cols", [15, 16, 17, 18, 31, 32, 33, 34, 63, 64, 65, 66])
def test_boards_of_all_widths_of_the_kernels_registers_agree_with_the_definition(cols: int) -> None:
    """Both engines solve boards with few and with many rows, and stop at the same cells."""
    for rows in (5, 17):
        recipe = Recipe(Grid(rows, cols), rows * cols // 7, seed=cols)
        for puzzle in map(recipe.puzzle, range(6)):
            native, sat = (screen(puzzle, engine) for engine in ("native", "sat"))
            assert native.tally == sat.tally
            assert sat.clues_at_once in (None, native.clues_at_once)
            assert np.array_equal(native.stuck_at, sat.stuck_at)


def test_the_tally_counts_every_decided_cell() -> None:
    for kept in screen_range(EXPERT, 0, 150):
        board = kept.puzzle.board
        first = len(Game(board).open(kept.puzzle.first_click))
        decided = 16 * 30 - 99 - first
        assert decided <= sum(kept.screening.tally) <= decided + 99
        hard = screen_by_sat(kept.puzzle).hard_steps
        for tier in (Tier.MORE_CLUES, Tier.MINE_COUNT):
            claimed = sum(len(s.step.safe) + len(s.step.mines) for s in hard if s.step.tier is tier)
            assert kept.screening.tally[tier - 1] == claimed


@cache
def _with_hard_steps() -> list[FoundPuzzle]:
    found = (replace(kept, screening=screen_by_sat(kept.puzzle)) for kept in screen_range(EXPERT, 0, 400))
    return [kept for kept in found if kept.screening.hard_steps]


def test_a_found_puzzle_survives_pickling() -> None:
    kept = _with_hard_steps()[3]
    there = pickle.loads(pickle.dumps(kept))
    assert type(there) is FoundPuzzle
    for one in (kept, there):
        assert (one.index, one.puzzle.id) == (kept.index, EXPERT.puzzle(kept.index).id)
        assert one.screening.tally == screen(one.puzzle).tally
        assert certify(one) == certify(kept)


def test_solutions_are_certified() -> None:
    found = _with_hard_steps()
    assert len(found) > 10
    for kept in found:
        certificate = certify(kept)
        assert certificate.proofs > 0
        assert "python-sat" in str(certificate)


@pytest.mark.kernel
def test_rejects_claims_that_do_not_follow() -> None:
    for kept in _with_hard_steps():
        for hard in kept.screening.hard_steps:
            claimed = {*hard.step.safe, *hard.step.mines}
            others = set(np.flatnonzero(np.frombuffer(hard.undecided, np.bool_)).tolist()) - claimed
            mines = kept.puzzle.board.mine_map.ravel()
            for cell in sorted(others)[:20]:
                claim = {"mines": (cell,)} if mines[cell] else {"safe": (cell,)}
                # The claim is true on this board but does not follow from the clues.
                assert not follows(kept.puzzle.board, replace(hard, step=replace(hard.step, **claim)))
            wrong = replace(hard, step=replace(hard.step, safe=hard.step.mines, mines=hard.step.safe))
            assert not follows(kept.puzzle.board, wrong)


@pytest.mark.kernel
@pytest.mark.parametrize("recipe", [EXPERT, Recipe("6x6/8", click=None, seed=3)])
def test_the_kernel_prepares_the_clauses_that_python_does(recipe: Recipe) -> None:
    def alike(clauses: list[list[int]] | None) -> object:
        return clauses and sorted(map(sorted, clauses))

    random = Random(1)
    found, rejected = 0, 0
    for kept in screen_range(recipe, 0, 400):
        board = kept.puzzle.board
        hard_steps = hard_path_steps(kept.puzzle)
        for hard, kind in product(
            [*hard_steps, *screen_by_sat(kept.puzzle).hard_steps], ("safe", "mines", "clues", "tier")
        ):
            another: object = random.choice([Tier.MORE_CLUES, Tier.MINE_COUNT])
            if kind != "tier":
                another = (*getattr(hard.step, kind), random.randrange(len(board.cells)))
            changed = replace(hard, step=replace(hard.step, **{kind: another}))
            assert alike(kernel_clauses(board, hard)) == alike(clauses_of(board, hard))
            assert alike(kernel_clauses(board, changed)) == alike(clauses_of(board, changed))
            found, rejected = found + 1, rejected + (clauses_of(board, changed) is None)
    assert 0 < rejected < found


@pytest.mark.kernel
def test_rejects_a_path_with_a_step_that_does_not_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    for kept in _with_hard_steps()[:8]:
        hard_steps = hard_path_steps(kept.puzzle)
        board = kept.puzzle.board
        proofs = [kernel_clauses(board, hard) for hard in hard_steps]
        used = {cell for hard in hard_steps for cell in hard.step.safe + hard.step.mines + hard.step.clues}
        for number, hard in enumerate(hard_steps):
            for kind in ("safe", "mines"):
                claims = getattr(hard.step, kind)
                for place, cell in product(range(len(claims)), {0, 217, 479} - used):
                    step = replace(hard.step, **{kind: (*claims[:place], cell, *claims[place + 1 :])})
                    wrong = kernel_clauses(board, replace(hard, step=step)) or []
                    claimed = [*proofs[:number], wrong, *proofs[number + 1 :]]
                    found = [SimpleNamespace(path="path", clues_at_once=2, proofs=claimed)]
                    puzzles = SimpleNamespace(certify=lambda _, found=found: found)
                    monkeypatch.setattr(kernel_api, "native_puzzles", lambda *_, puzzles=puzzles: puzzles)
                    with pytest.raises(ProofFailed, match=kept.puzzle.id):
                        certify(kept)
        monkeypatch.undo()


@pytest.mark.kernel
@pytest.mark.parametrize("recipe", [EXPERT, Recipe("6x6/8", click=None, seed=3), Recipe("8x8/14", click=None, seed=2)])
def test_a_path_shows_the_clues_at_once(recipe: Recipe) -> None:
    shown = set()
    for kept, uncounted in zip(
        screen_range(recipe, 0, 1000), screen_range(recipe, 0, 1000, count_clues=False), strict=True
    ):
        assert uncounted.screening.clues_at_once is None
        assert certify(uncounted).clues_at_once == kept.screening.clues_at_once
        shown |= {kept.screening.clues_at_once}
    assert len(shown) > 2


@pytest.mark.kernel
def test_a_certificate_has_the_hash_of_the_path() -> None:
    for kept in screen_range(EXPERT, 0, 60):
        certificate = certify(kept)
        path = solution_path(kept.puzzle)
        assert read_certificate(str(certificate)).path == certificate.path == path.hash
        assert certificate.proofs == sum(step.tier > Tier.TWO_CLUES for step in path.steps)


@pytest.mark.parametrize(
    ("recipe", "low", "high"),
    [
        (Recipe("9x9/10", seed=3), 0.88, 0.94),
        (Recipe("16x16/40", seed=3), 0.65, 0.75),
        (Recipe("16x30/99", seed=3), 0.12, 0.20),
    ],
)
def test_known_shares_of_solvable_boards(recipe: Recipe, low: float, high: float) -> None:
    share = sum(1 for _ in screen_range(recipe, 0, 1000)) / 1000
    assert low < share < high


@pytest.mark.parametrize(("rows", "cols", "mines"), [(16, 30, 99), (16, 16, 40), (9, 9, 10)])
def test_solvable_boards_of_ms_toollib_are_solvable(rows: int, cols: int, mines: int) -> None:
    for _ in range(15):
        clues, solvable = ms_toollib.laymine_solvable(rows, cols, mines, rows // 2, cols // 2, 100_000)
        assert solvable
        puzzle = Puzzle(Board(np.array(clues) == -1), (rows // 2, cols // 2))
        assert puzzle.board.mines == mines
        assert screen(puzzle).solved, puzzle.board.to_text()
