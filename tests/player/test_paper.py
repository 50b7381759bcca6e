"""Paper forms: one layout fits the printed clues, and two fit without any one of them that was revealed."""

import hashlib

import numpy as np
import oracle
import pytest
from hypothesis import given, settings, strategies as st
from pysat.solvers import Solver
from rectangle import count_neighbours, neighbours

from minesweeper import HIDDEN, Board, Cell, Puzzle, Recipe, View, closure
from minesweeper.generator import puzzles
from minesweeper.player.core.errors import BoardError, EngineError
from minesweeper.player.core.limits import time_limit
from minesweeper.player.core.steps import Tier
from minesweeper.player.logic.paper import paper_form, paper_forms
from minesweeper.player.logic.path import solution_path

pytestmark = pytest.mark.kernel
SIZES = ("beginner", "intermediate", "expert")


def layouts(view: View, *, counted: bool = True, most: int = 2) -> list[list[bool]]:
    """List up to `most` layouts by SAT, encoded here on its own."""
    hidden = [tuple(cell) for cell in np.argwhere(view.cells == HIDDEN).tolist()]
    number = {cell: place for place, cell in enumerate(hidden, 1)}
    found: list[list[bool]] = []
    with Solver("minicard") as solver:
        # Models have the variables that occur; this clause, with a free variable, has all.
        solver.add_clause([*number.values(), len(hidden) + 1])
        for row, col in np.argwhere(view.cells >= 0).tolist():
            near = [number[cell] for cell in neighbours(view.rows, view.cols, (row, col)) if cell in number]
            solver.add_atmost(near, int(view.cells[row, col]))
            solver.add_atmost([-cell for cell in near], len(near) - int(view.cells[row, col]))
        if counted:
            solver.add_atmost(list(number.values()), view.mines)
            solver.add_atmost([-cell for cell in number.values()], len(hidden) - view.mines)
        while len(found) < most and solver.solve():
            model = solver.get_model()[: len(hidden)]
            found.append([literal > 0 for literal in model])
            solver.add_clause([-literal for literal in model])
    return found


def without(view: View, cell: tuple[int, int]) -> View:
    cells = view.cells.copy()
    cells[cell] = HIDDEN
    return View(cells, view.mines)


def revealed(puzzle: Puzzle, form: View) -> list[tuple[int, int]]:
    return [tuple(cell) for cell in np.argwhere((form.cells != HIDDEN) & (puzzle.view.cells == HIDDEN)).tolist()]


@pytest.mark.parametrize(("size", "count"), [("beginner", 20), ("intermediate", 4), ("expert", 1)])
@pytest.mark.parametrize("counted", [True, False])
def test_one_layout_fits_and_two_without_any_revealed_clue(size: str, count: int, counted: bool) -> None:
    for puzzle in puzzles(Recipe(size, seed=3), count):
        form = paper_form(puzzle, mine_count=counted)
        (layout,) = layouts(form, counted=counted)
        assert layout == puzzle.board.mine_map[form.cells == HIDDEN].tolist()
        assert form.mines == puzzle.board.mines
        assert (form.cells == puzzle.board.clues)[form.cells != HIDDEN].all()
        for cell in revealed(puzzle, form):
            assert len(layouts(without(form, cell), counted=counted)) == 2


@st.composite
def small_puzzles(draw: st.DrawFn) -> Puzzle:
    rows, cols = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    mines = draw(st.lists(st.booleans(), min_size=rows * cols, max_size=rows * cols))
    click = draw(st.integers(0, rows * cols - 1))
    mines[click] = False
    return Puzzle(Board(np.array(mines).reshape(rows, cols)), divmod(click, cols))


@given(puzzle=small_puzzles(), easy=st.booleans())
@settings(deadline=None)
def test_forms_of_small_boards_by_brute_force(puzzle: Puzzle, easy: bool) -> None:
    form = paper_form(puzzle, "easy" if easy else "minimal")
    if (form.cells == HIDDEN).any():
        assert len(oracle.layouts(form)) == 1
    if not easy:
        assert all(len(oracle.layouts(without(form, cell))) > 1 for cell in revealed(puzzle, form))


def test_easy_forms_need_two_clues_at_a_time_and_the_mine_count_for_buried_mines_only() -> None:
    sample = list(puzzles(Recipe("expert", seed=5), 30))
    found_buried = 0
    for puzzle, form in zip(sample, paper_forms(sample, "easy"), strict=True):
        mines = puzzle.board.mine_map
        buried = int((mines & (count_neighbours(~mines) == 0)).sum())
        assert form.tally.mine_count == buried
        assert form.tally._replace(mine_count=0).hardest <= Tier.TWO_CLUES
        assert form.in_words().startswith(("easy: one clue", "medium: two clues"))
        assert form.in_words().endswith("then the number of mines") == (buried > 0)
        found_buried += buried
        assert form.revealed == len(revealed(puzzle, form.view))
        found = closure(form.view)
        assert (found.mine_map == puzzle.board.mine_map).all()
    assert found_buried


def test_further_clues_can_be_spared() -> None:
    for puzzle in puzzles(Recipe("intermediate", seed=2), 5):
        least, more = paper_form(puzzle), paper_form(puzzle, 10)
        assert more.extends(least.cells)
        assert len(revealed(puzzle, more)) == len(revealed(puzzle, least)) + 10
        everything = paper_form(puzzle, 10**6)
        assert ((everything.cells == HIDDEN) == puzzle.board.mine_map).all()
        with pytest.raises(BoardError, match="0 to 1,000,000"):
            paper_form(puzzle, 10**6 + 1)


def fits(view: View, known: dict[Cell, bool], clues: list[Cell]) -> bool:
    """Return whether SAT finds a layout that fits the clues, known cells and the mine count."""
    mines = {tuple(one): number for number, one in enumerate(np.argwhere(view.cells == HIDDEN).tolist(), 1)}
    with Solver("minicard") as solver:
        for one, mine in known.items():
            solver.add_clause([mines[one] if mine else -mines[one]])
        for clue in clues:
            near = [mines[one] for one in neighbours(view.rows, view.cols, clue) if one in mines]
            solver.add_atmost(near, int(view.cells[clue]))
            solver.add_atmost([-one for one in near], len(near) - int(view.cells[clue]))
        solver.add_atmost(list(mines.values()), view.mines)
        solver.add_atmost([-one for one in mines.values()], len(mines) - view.mines)
        return bool(solver.solve())


def test_a_step_of_many_clues_with_the_mine_count_is_found_in_time() -> None:
    """The search for a minimal set of clues took more than four minutes for this form."""
    form = paper_form(Recipe("expert", seed=11).puzzle(64))
    with time_limit(60):
        path = solution_path(form)
    known: dict[Cell, bool] = {}
    for step in path.steps:
        decided = {**dict.fromkeys(step.safe, False), **dict.fromkeys(step.mines, True)}
        if not step.smallest:
            first = min(decided)
            for clue in step.clues:
                others = [one for one in step.clues if one != clue]
                assert fits(form, known | {first: not decided[first]}, others)
        known |= decided
    assert not all(step.smallest for step in path.steps)
    assert len(known) == int((form.cells == HIDDEN).sum())


def test_forms_are_the_same_everywhere() -> None:
    """The digest is of one machine; the order of the tries uses integers only."""
    made = [paper_form(puzzle).to_text() for size in SIZES for puzzle in puzzles(Recipe(size, seed=7), 5)]
    assert hashlib.sha256("\n".join(made).encode()).hexdigest()[:16] == "0737f9a0ce2a5569"


def test_a_buried_mine_needs_the_mine_count() -> None:
    puzzle = Puzzle(Board.from_text("**.\n**.\n..."), (2, 2))
    assert len(layouts(paper_form(puzzle))) == len(layouts(paper_form(puzzle, "easy"))) == 1
    with pytest.raises(BoardError, match="touches no safe cell; only the number of mines decides it"):
        paper_form(puzzle, mine_count=False)


@pytest.mark.parametrize("clues", ["plenty", -1, 1.5])
def test_other_clues_are_refused(clues: object) -> None:
    with pytest.raises(BoardError, match="expected minimal, easy or a number"):
        paper_form(Recipe("beginner").puzzle(0), clues)  # type: ignore[arg-type]


def test_without_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("minesweeper.player.kernel_api._failure", ImportError("no module"))
    with pytest.raises(EngineError, match="a paper form needs the native engine"):
        paper_form(Recipe("beginner").puzzle(0))
