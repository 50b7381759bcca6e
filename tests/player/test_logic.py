"""Both engines against an oracle that tries every layout, positions worked out by hand, each other and formulas."""

from importlib import metadata
from itertools import islice, product
from pathlib import Path
from typing import get_args

import numpy as np
import oracle
import pytest
import yaml
from hypothesis import given, strategies as st
from numpy.typing import NDArray
from oracle import Assignments, layouts
from pysat.formula import CNF
from pysat.solvers import Solver
from rectangle import neighbours
from views import random_views, wide_view

import minesweeper as ms
from minesweeper.player import HIDDEN, Board, Game, Grid, View, count_layouts, kernel_api
from minesweeper.player.core.errors import BoardError, EngineError, InconsistentView
from minesweeper.player.core.steps import Engine, Step, Tier
from minesweeper.player.kernel_api import available
from minesweeper.player.logic import NativeReasoner, Reasoner, closure, reasoner
from minesweeper.player.logic.clauses import CardinalityEncoding, CountEncoding, between, exactly
from minesweeper.player.logic.rules import Contradiction
from minesweeper.player.logic.sat import SatReasoner, count_backbone

POSITIONS = yaml.safe_load((Path(__file__).parent / "positions.yaml").read_text())


@pytest.mark.parametrize("position", POSITIONS, ids=lambda position: position["name"])
def test_positions_worked_out_by_hand(engine: Engine, position: dict[str, object]) -> None:
    view = View.from_text("\n".join(position["view"]))  # type: ignore[arg-type]
    assert len(layouts(view)) == position["layouts"]
    deductions = closure(view, engine)
    drawn = np.where(view.cells >= 0, ".", np.where(deductions.safe_map, "s", np.where(deductions.mine_map, "m", "?")))
    assert ["".join(row) for row in drawn.tolist()] == position["closure"]
    assert deductions.tiers.max() == position["tier"]


def test_closure_equals_brute_force(engine: Engine, share: float) -> None:
    by_tier = np.zeros(5, dtype=int)
    for view in islice(random_views(1), int(1500 * share)):
        fitting = layouts(view)
        deductions = closure(view, engine)
        hidden = view.cells == HIDDEN
        assert np.array_equal(deductions.safe_map, hidden & ~fitting.any(axis=0)), view
        assert np.array_equal(deductions.mine_map, fitting.all(axis=0)), view
        assert np.array_equal(deductions.tiers > 0, deductions.safe_map | deductions.mine_map), view
        by_tier += np.bincount(deductions.tiers.ravel(), minlength=5)
    assert (by_tier[[1, 2, 4]] > 50 * share).all(), by_tier
    assert by_tier[3] > 5 * share, by_tier


def test_contradictions_are_found_and_named(engine: Engine, share: float) -> None:
    found = 0
    for view in islice(random_views(2, 14, consistent=False), int(1000 * share)):
        if len(layouts(view)):
            closure(view, engine)
            continue
        with pytest.raises(InconsistentView) as caught:
            closure(view, engine)
        found += 1
        clues, with_count = caught.value.clues, caught.value.mine_count
        every = Assignments(view)
        assert not len(every.fitting(clues, with_count)), view
        for left_out in clues:
            assert len(every.fitting([clue for clue in clues if clue != left_out], with_count)), view
        if with_count:
            assert len(every.fitting(clues, False)), view
    assert found > 130 * share


@pytest.mark.parametrize("encoding", sorted({*get_args(CountEncoding), *get_args(CardinalityEncoding)}))
def test_count_encodings_allow_exactly_the_counts_between(encoding: CountEncoding | CardinalityEncoding) -> None:
    for size, least, most in product(range(1, 6), range(-1, 6), range(-1, 7)):
        variables = list(range(1, size + 1))
        formula, top = between(variables, least, most, size, encoding)
        assert top >= size
        with formula.solver() as solver:
            for values in product((1, -1), repeat=size):
                assumptions = [sign * variable for sign, variable in zip(values, variables, strict=True)]
                assert solver.solve(assumptions=assumptions) == (least <= values.count(1) <= most)


@given(st.integers(0, 8), st.integers(-1, 9))
def test_binomial_clauses_allow_exactly_the_count(size: int, count: int) -> None:
    with Solver("minisat22", bootstrap_with=exactly(range(1, size + 1), count)) as solver:
        for values in product((1, -1), repeat=size):
            assumptions = [sign * variable for variable, sign in enumerate(values, 1)]
            assert solver.solve(assumptions=assumptions) == (values.count(1) == count)


def test_count_encodings_decide_the_same() -> None:
    rng = np.random.default_rng(3)
    for _ in range(300):
        cells = int(rng.integers(3, 9))
        clues = []
        for _ in range(int(rng.integers(1, 4))):
            chosen = sorted(rng.choice(cells, int(rng.integers(1, cells + 1)), replace=False).tolist())
            clues.append(([cell + 1 for cell in chosen], int(rng.integers(0, len(chosen) + 1))))
        sea, mines = int(rng.integers(0, 4)), int(rng.integers(0, cells + 2))
        answers = []
        for encoding in get_args(CountEncoding):
            try:
                safe, mined, at_sea = count_backbone(clues, sea, mines, encoding)
                answers.append((sorted(safe), sorted(mined), at_sea))
            except Contradiction:
                answers.append(None)
        assert answers[0] == answers[1], (clues, sea, mines)


def test_rounds_use_the_easiest_tier_that_yields_anything() -> None:
    for view in islice(random_views(4, 30), 300):
        knowledge = SatReasoner(view.grid, view.mines)
        opened = np.flatnonzero(view.cells.ravel() >= 0)
        knowledge.learn(opened.tolist(), view.cells.ravel()[opened].tolist())
        known: dict[int, bool] = {}
        while steps := knowledge.advance():
            assert len({step.tier for step in steps}) == 1
            claims = {cell: False for step in steps for cell in step.safe}
            claims |= {cell: True for step in steps for cell in step.mines}
            assert claims
            assert known.keys().isdisjoint(claims)
            assert steps[0].tier is Tier.ONE_CLUE or not _by_one_clue(view, known)
            known |= claims


def _by_one_clue(view: View, known: dict[int, bool]) -> bool:
    """Return True if a single clue decides an unknown cell."""
    for at in np.argwhere(view.cells >= 0).tolist():
        around = [row * view.cols + col for row, col in neighbours(view.rows, view.cols, tuple(at))]
        around = [cell for cell in around if view.cells.ravel()[cell] == HIDDEN]
        open_cells = [cell for cell in around if cell not in known]
        need = view.cells[tuple(at)] - sum(known.get(cell, False) for cell in around)
        if open_cells and need in (0, len(open_cells)):
            return True
    return False


@pytest.mark.parametrize("size", [(0, 5, 0), (5, 0, 0), (-1, 5, 0), (4001, 1, 0), (3, 3, -1), (3, 3, 10)])
@pytest.mark.kernel
def test_rejects_impossible_boards(size: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="expected"):
        NativeReasoner(Grid(*size[:2]), size[2])


@pytest.mark.parametrize(
    ("cells", "clues"), [([9], [0]), ([-1], [0]), ([0], [9]), ([0], [-1]), ([2**62], [0]), ([0], [2**62])]
)
def test_rejects_invalid_cells_and_clues(cells: list[int], clues: list[int], engine: Engine) -> None:
    knowledge = reasoner(Grid(3, 3), 1, engine)
    with pytest.raises(ValueError, match="expected"):
        knowledge.learn(cells, clues)
    assert knowledge.advance() == []


def test_rejects_an_unknown_engine() -> None:
    with pytest.raises(EngineError, match="'slow'"):
        reasoner(Grid(3, 3), 1, "slow")


def test_a_large_sparse_board_is_closed_without_recursion(engine: Engine) -> None:
    side = 1000 if engine == "native" else 300
    cells = np.zeros((side, side), dtype=np.int8)
    cells[1:, 1:] = HIDDEN
    deductions = closure(View(cells, 5), engine)
    assert deductions.safe_map[1, 1:].all()
    assert deductions.safe_map[1:, 1].all()


@pytest.mark.parametrize("mines", [65, 66])
def test_the_mine_count_decides_a_component_of_more_than_64_mines(engine: Engine, mines: int) -> None:
    cells = np.full((1, 261), HIDDEN, dtype=np.int8)
    cells[0, 1::2] = 1
    mine_map = np.zeros((1, 261), dtype=np.bool_)
    mine_map[0, 2 * (mines == 65) :: 4] = True
    deductions = closure(View(cells, mines), engine)
    assert np.array_equal(deductions.mine_map, mine_map)
    assert np.array_equal(deductions.safe_map, (cells == HIDDEN) & ~mine_map)


def test_it_is_said_why_the_kernel_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = Path(kernel_api.__file__)

    class Installed:
        def locate_file(self, path: str) -> Path:
            return found

    monkeypatch.setattr(metadata, "distribution", lambda name: Installed())
    monkeypatch.setattr(kernel_api, "EXTENSION_SUFFIXES", [])
    assert kernel_api.why_missing() == "was not built at installation: no C++ compiler was found"
    found = tmp_path / "not_there.py"
    assert kernel_api.why_missing().startswith("was not built for the source tree in ")
    monkeypatch.setattr(kernel_api, "EXTENSION_SUFFIXES", [".pyi"])
    assert kernel_api.why_missing().startswith("cannot be loaded (")


def _random_board(rng: np.random.Generator, longest: int) -> Board:
    rows, cols = (int(side) for side in rng.integers(1, longest + 1, 2))
    mine_map: NDArray[np.bool_] = rng.random((rows, cols)) < rng.uniform(0.05, 0.35)
    mine_map[rng.integers(rows), rng.integers(cols)] = False
    return Board(mine_map)


def _canonical(steps: list[Step]) -> list[tuple[object, ...]]:
    return sorted((int(step.tier), step.safe, step.mines, step.clues) for step in steps)


def _same_rounds_in_a_game(board: Board, rng: np.random.Generator) -> int:
    """Play a game with both engines, guess where logic stops, and return the number of positions compared."""
    size = board.rows, board.cols, board.mines
    reasoners: list[Reasoner] = [NativeReasoner(Grid(*size[:2]), size[2]), SatReasoner(Grid(*size[:2]), size[2])]
    clues = board.clues.ravel()
    closed = clues >= 0
    positions = 0
    while closed.any():
        guess = int(rng.choice(np.flatnonzero(closed)))
        game = Game(board)
        news = [row * board.cols + col for row, col in game.open((guess // board.cols, guess % board.cols))]
        news = [cell for cell in news if closed[cell]]
        while True:
            closed[news] = False
            for knowledge in reasoners:
                knowledge.learn(news, clues[news].tolist())
            native, sat = (knowledge.advance() for knowledge in reasoners)
            assert _canonical(native) == _canonical(sat), board
            positions += 1
            if not native:
                break
            news = [cell for step in native for cell in step.safe]
    return positions


@pytest.mark.kernel
def test_rounds_equal_those_of_sat(share: float) -> None:
    rng = np.random.default_rng(13)
    positions = sum(_same_rounds_in_a_game(_random_board(rng, 16), rng) for _ in range(int(150 * share)))
    assert positions > 1800 * share


@pytest.mark.kernel
@pytest.mark.long
def test_rounds_equal_those_of_sat_in_100_000_positions() -> None:
    rng = np.random.default_rng(14)
    positions = 0
    while positions < 100_000:
        positions += _same_rounds_in_a_game(_random_board(rng, 40), rng)


@pytest.mark.kernel
def test_wide_component_falls_back_to_sat() -> None:
    view = wide_view(48)
    native, sat = closure(view, "native"), closure(view, "sat")
    assert np.array_equal(native.safe_map, sat.safe_map)
    assert np.array_equal(native.mine_map, sat.mine_map)
    assert np.array_equal(native.tiers, sat.tiers)


@pytest.mark.kernel
def test_clue_on_a_known_mine_is_a_contradiction() -> None:
    knowledge = NativeReasoner(Grid(2, 2), 3)
    knowledge.learn([0], [3])
    assert [step.mines for step in knowledge.advance()] == [(1, 2, 3)]
    knowledge.learn([1], [2])
    with pytest.raises(InconsistentView):
        knowledge.advance()


@pytest.mark.kernel
def test_clue_may_repeat_but_not_change() -> None:
    knowledge = NativeReasoner(Grid(1, 3), 1)
    with pytest.raises(ValueError, match="expected"):
        knowledge.learn([0, 1], [0])
    knowledge.learn([0], [0])
    knowledge.learn([0], [0])
    with pytest.raises(ValueError, match="does not change"):
        knowledge.learn([0], [1])


def models(formula: CNF) -> list[list[int]]:
    """Enumerate all models, over all variables."""
    with Solver("minisat22", bootstrap_with=formula) as solver:
        return list(solver.enum_models())


def test_every_model_is_a_layout_and_every_layout_a_model() -> None:
    contradictory = 0
    for view in islice(random_views(41, consistent=False), 200):
        formula = ms.cnf(view)
        assert formula.cells == [tuple(cell) for cell in np.argwhere(view.cells == HIDDEN).tolist()]
        found = models(formula)
        expected = {tuple(layout[view.cells == HIDDEN].tolist()) for layout in oracle.layouts(view)}
        assert {tuple(literal > 0 for literal in model[: len(formula.cells)]) for model in found} == expected
        assert len(found) == len(expected)
        contradictory += not found
        if available():
            assert count_layouts(view) == len(found)
    assert 10 < contradictory < 150


@pytest.mark.parametrize("encoding", get_args(CardinalityEncoding))
def test_the_models_of_every_encoding_are_the_layouts(encoding: CardinalityEncoding) -> None:
    for view, spare in product(islice(random_views(43, consistent=False), 60), (0, 1)):
        numbers = range(max(view.mines - spare, 0), view.mines + 1)
        formula = ms.cnf(view.cells, mines=numbers, encoding=encoding)
        some = np.concatenate([oracle.layouts(View(view.cells, mines)) for mines in numbers])
        expected = set(map(tuple, some[:, view.cells == HIDDEN].tolist()))
        found: set[tuple[bool, ...]] = set()
        with Solver("minisat22", bootstrap_with=formula) as solver:
            while solver.solve():
                model = [literal for literal in solver.get_model() or () if abs(literal) <= len(formula.cells)]
                found.add(tuple(literal > 0 for literal in model))
                solver.add_clause([-literal for literal in model])
        assert found == expected


def test_dimacs_has_the_map_and_is_read_by_pysat() -> None:
    formula = ms.cnf("2x3/1\n1##\n1##")
    text = formula.to_dimacs()
    assert text.startswith("c Minesweeper 2x3/1: every model is a layout.")
    assert "\nc 3 = (1, 1)\n" in text
    assert CNF(from_string=text).clauses == formula.clauses


def test_too_many_variables_are_refused() -> None:
    with pytest.raises(BoardError, match="need too many variables"):
        ms.cnf(ms.View.hidden(ms.Grid(1000, 1000), 200_000))
    with pytest.raises(BoardError, match="need too many variables"):
        ms.cnf(ms.View.hidden(ms.Grid(60, 60), 10), encoding="totalizer")
    with pytest.raises(BoardError, match="too many binomial clauses; expected another encoding"):
        ms.cnf(ms.View.hidden(ms.Grid(16, 30), 99), encoding="binomial")


def test_a_wrong_encoding_is_named_with_the_nearest() -> None:
    with pytest.raises(BoardError, match=r"unknown encoding 'netwrok' \(did you mean 'network'\?\)"):
        ms.cnf("1x1/0\n#", encoding="netwrok")  # type: ignore[arg-type]
