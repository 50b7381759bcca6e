"""Other grids than the rectangle: neighbours, logic, chances, paths, ids, metrics, games and Kaboom."""

import math
import pickle
import sys
from itertools import combinations
from pathlib import Path
from random import Random

import gymnasium
import numpy as np
import pytest
from plain_grid import Cells, plain_neighbours

import minesweeper as ms
import minesweeper.envs
from minesweeper import HIDDEN, play, play_many
from minesweeper.generator.repair import repair_range
from minesweeper.player.core.board import cells_of
from minesweeper.player.core.errors import BoardError
from minesweeper.player.core.grid import KINDS, Grid
from minesweeper.player.core.recipe import StartRule
from minesweeper.player.logic import Engine
from minesweeper.player.logic.effort import path_effort
from minesweeper.player.logic.metrics import _ids_in_python, ids_of_many, measures
from minesweeper.player.logic.path_check import check_path
from minesweeper.player.logic.probability import sample_layouts
from minesweeper.player.logic.reasons import counterexample, easiest_step, reason
from minesweeper.player.logic.unavoidable import unavoidable_guesses
from minesweeper.player.play.strategies.optimal import best_start, different_cells
from minesweeper.player.play.strategies.program import draw

sys.path.append(str(Path(__file__).parents[2] / "docs/checker"))
from check_path import check

NAMES = [*KINDS, "holes", "torus holes", "hex holes", "hex torus holes"]
Layouts = list[set[tuple[int, int]]]
Moved = dict[tuple[int, int], tuple[int, int]]


def grid_named(rows: int, cols: int, name: str) -> Grid:
    """Return a grid; ``holes`` in its name are about a fifth of its cells."""
    kind, holes, _ = name.partition("holes")
    hole_map = np.random.default_rng(rows).random((rows, cols)) < (0.2 if holes else 0)
    return Grid(rows, cols, kind.strip()).with_holes(hole_map)


def small_grid(name: str) -> Grid:
    """Return a grid of 12 to 30 cells."""
    wraps_rows, wraps_cols = name.startswith(("torus", "hex torus")) or "vertical" in name, "torus" in name
    return grid_named(6 if wraps_rows else 4, 5 if wraps_cols or "cylinder" in name else 4, name)


def neighbours(grid: Grid) -> Cells:
    return plain_neighbours(*grid.shape, grid.label)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", [(6, 5), (8, 9)])
def test_neighbours_are_the_cells_whose_middles_are_near(name: str, size: tuple[int, int]) -> None:
    grid = grid_named(*size, name)
    near = neighbours(grid)
    marks = np.random.default_rng(1).random(size) < 0.4
    counts = grid.count(marks)
    assert grid.cells == len(near)
    assert [divmod(number, grid.cols) for number in grid.numbers] == list(near)
    assert not counts[grid.hole_map].any()
    for cell, expected in near.items():
        number = cell[0] * grid.cols + cell[1]
        assert set(found := list(grid.neighbours(cell))) == expected
        assert len(found) == len(expected)
        assert {divmod(other, size[1]) for other in grid.numbered[number]} == expected
        assert {divmod(other, size[1]) for other in grid.around(np.array([number])).tolist()} == expected
        assert counts[cell] == sum(bool(marks[other]) for other in expected)


@pytest.mark.parametrize("name", NAMES)
def test_one_clue_tells_all_its_neighbours_to_the_engine(name: str) -> None:
    """With one mine, the cells that are no neighbours are safe, those at the corners of a seam as well."""
    grid = grid_named(6, 5, name)
    near = neighbours(grid)
    for clue in near:
        cells = np.full(grid.shape, HIDDEN, dtype=np.int8)
        cells[clue] = 1
        if near[clue]:
            known = ms.closure(ms.View(cells, 1, grid))
            assert set(cells_of(known.safe_map)) == set(near) - {clue} - near[clue]


def small_view(random: Random, name: str) -> tuple[ms.View, Layouts]:
    """Return a view of a small board with 5 to 13 hidden cells, and its layouts by brute force."""
    grid = small_grid(name)
    near = neighbours(grid)
    # Cells that are hidden together leave some undecided: list cells by their distance from one of them.
    hidden = random.sample(sorted(near), 1)
    for cell in hidden:
        hidden += sorted(near[cell] - set(hidden))
    del hidden[random.randint(5, min(13, len(near) - 2)) :]
    mines = random.randint(1, len(hidden) // 2)
    mined = set(random.sample(hidden, mines))
    cells = np.full((grid.rows, grid.cols), HIDDEN, dtype=np.int8)
    for cell in set(near) - set(hidden):
        cells[cell] = len(near[cell] & mined)
    layouts = [
        layout
        for layout in map(set, combinations(hidden, mines))
        if all(len(near[cell] & layout) == cells[cell] for cell in near if cells[cell] != HIDDEN)
    ]
    return ms.View(cells, mines, grid), layouts


@pytest.mark.parametrize("engine", ["native", "sat"])
@pytest.mark.parametrize("name", NAMES)
def test_closure_and_chances_are_those_of_all_layouts(name: str, engine: Engine) -> None:
    random = Random(name)
    for _ in range(40):
        view, layouts = small_view(random, name)
        known = ms.closure(view, engine, chances=engine == "native")
        for cell in map(tuple, np.argwhere(view.cells == HIDDEN).tolist()):
            share = sum(cell in layout for layout in layouts) / len(layouts)
            assert (known.safe_map[cell], known.mine_map[cell]) == (share == 0, share == 1)
            if known.chances is not None:
                assert known.chances[cell] == pytest.approx(share)
        drawn = {tuple(map(tuple, np.argwhere(layout).tolist())) for layout in sample_layouts(view, 5, seed=1)}
        assert drawn <= {tuple(sorted(layout)) for layout in layouts}


@pytest.mark.parametrize("name", NAMES)
def test_reasons_and_unavoidable_guesses_hold_in_all_layouts(name: str) -> None:
    random = Random(name)
    for _ in range(20):
        view, layouts = small_view(random, name)
        near = neighbours(view.grid)
        known = ms.closure(view)
        hint = easiest_step(view)
        assert hint is None or all(list(cells) == sorted(cells) for cells in (hint.safe, hint.mines, hint.clues))
        for cell in map(tuple, np.argwhere(known.safe_map | known.mine_map).tolist()):
            step = reason(view, cell)
            assert step.mine == known.mine_map[cell]
            hidden = [at for at in near if view.cells[at] == HIDDEN]
            touched = sorted(set(hidden) & set().union({cell}, *(near[clue] for clue in step.clues)))
            # Without the mine count, any number of mines may lie in the other cells.
            numbers = [view.mines] if step.mine_count else range(len(touched) + 1)
            for count in numbers:
                for layout in map(set, combinations(hidden if step.mine_count else touched, count)):
                    if all(len(near[clue] & layout) == view.cells[clue] for clue in step.clues):
                        assert (cell in layout) == step.mine
        for guess in unavoidable_guesses(view):
            for board in guess.layouts:
                assert {tuple(at) for at in np.argwhere(board.mine_map).tolist()} in layouts


@pytest.mark.parametrize("name", NAMES)
def test_both_layouts_of_an_undecided_cell_fit_on_its_grid(name: str) -> None:
    random = Random(name)
    for _ in range(10):
        view, layouts = small_view(random, name)
        for cell in {cell for layout in layouts for cell in layout if not all(cell in one for one in layouts)}:
            safe, mined = counterexample(view, cell)
            assert (safe.grid, mined.grid) == (view.grid, view.grid)
            assert [board.mine_map[cell] for board in (safe, mined)] == [False, True]
            for board in (safe, mined):
                assert {tuple(at) for at in np.argwhere(board.mine_map).tolist()} in layouts


@pytest.mark.parametrize("name", NAMES[1:])
def test_puzzles_are_solved_and_proved_on_every_grid(name: str) -> None:
    grid = grid_named(12, 14, name)
    recipe = ms.Recipe(grid, grid.cells * (15 if "hex" in name else 19) // 100, seed=1)
    for puzzle in ms.puzzles(recipe, 8):
        assert puzzle == recipe.puzzle(puzzle.index)
        assert puzzle.certificate is not None
        path = ms.solution_path(puzzle)
        assert path.solved
        check(path.to_json())
        assert check_path(path.to_json(), puzzle.board) == ms.Puzzle(puzzle.board, puzzle.first_click)
        assert path_effort(path).steps == len(path.steps)
        by_sat = play(puzzle, "random", engine="sat")
        assert (by_sat.won, by_sat.guesses) == (True, 0)
        form = ms.paper_form(puzzle)
        assert form.grid == puzzle.board.grid
        solved = ms.closure(form)
        assert np.array_equal(solved.mine_map, puzzle.board.mine_map)


def test_a_path_of_another_grid_is_refused_by_the_checker() -> None:
    path = ms.solution_path(next(ms.puzzles(ms.Recipe("12x14/34 torus", seed=1), 1))).to_json()
    with pytest.raises(ValueError, match="does not follow"):
        check(path | {"grid": "hex"})


@pytest.mark.parametrize("name", NAMES[1:])
def test_images_have_one_canonical_id_and_both_ways_to_compute_it_agree(name: str) -> None:
    puzzles = [ms.Recipe(grid_named(8, 10, name), 16, seed=3).puzzle(index) for index in range(8)]
    assert [*ids_of_many(puzzles)] == [*map(_ids_in_python, puzzles)]
    puzzle = puzzles[0]
    canonical = next(ids_of_many([puzzle])).canonical_id
    near = neighbours(puzzle.board.grid)
    for twin, (grid, places) in zip(puzzle.images(), puzzle.board.grid.images(puzzle.first_click), strict=True):
        moved = {divmod(number, 10): divmod(int(place), grid.cols) for number, place in enumerate(places)}
        there = neighbours(grid)
        assert all(there[moved[cell]] == {moved[other] for other in near[cell]} for cell in near)
        mines = [moved[tuple(cell)] for cell in np.argwhere(puzzle.board.mine_map).tolist()]
        image = ms.Puzzle(ms.Board.from_cells(grid, mines), moved[puzzle.first_click])
        assert twin == image
        (ids,) = ids_of_many([image])
        assert ids.canonical_id == canonical
        assert ids == _ids_in_python(image)


def isomorphisms(one: Cells, other: Cells) -> list[Moved]:
    """Return every way to move the cells of a grid to those of another one that keeps all neighbours."""
    cells = list(one)[:1]
    for cell in cells:
        cells += sorted(one[cell] - set(cells))
    found: list[Moved] = [{}]
    for i, cell in enumerate(cells):
        before = [(near, near in one[cell]) for near in cells[:i]]
        beside = next((near for near, touch in before if touch), None)
        found = [
            moved | {cell: place}
            for moved in found
            for place in sorted(set(other if beside is None else other[moved[beside]]) - set(moved.values()))
            if all((moved[near] in other[place]) == touch for near, touch in before)
        ]
    return found


@pytest.mark.parametrize(("name", "count"), [*zip(KINDS, (8, 56, 48, 336, 2, 28, 12, 168), strict=True)])
def test_hexagons_moved_by_a_row_across_sides_that_meet_had_another_canonical_id(name: str, count: int) -> None:
    puzzle = ms.Recipe(Grid(6, 7, name), 9, seed=3).puzzle(5)
    swapped = {"cylinder": "vertical cylinder", "vertical cylinder": "cylinder"}.get(name, name)
    grids = [Grid(6, 7, name), *([] if "hex" in name else [Grid(7, 6, swapped)])]
    moves = [(grid, moved) for grid in grids for moved in isomorphisms(neighbours(puzzle.board.grid), neighbours(grid))]
    assert len(moves) == count
    mines = cells_of(puzzle.board.mine_map)
    images = [
        ms.Puzzle(ms.Board.from_cells(grid, [moved[cell] for cell in mines]), moved[puzzle.first_click])
        for grid, moved in moves
    ]
    assert len({ids.canonical_id for ids in ids_of_many(images)}) == 1


def plain_measures(board: ms.Board, click: tuple[int, int]) -> tuple[int, int, int, int, int]:
    """Return 3BV, openings, islands, buried mines and the cells of the first opening."""
    near = neighbours(board.grid)
    mined = {cell for cell in near if board.mine_map[cell]}
    zeros = {cell for cell in near if cell not in mined and not near[cell] & mined}

    def groups(cells: set[tuple[int, int]]) -> list[set[tuple[int, int]]]:
        found: list[set[tuple[int, int]]] = []
        for start in sorted(cells):
            if any(start in group for group in found):
                continue
            group, waiting = {start}, [start]
            while waiting:
                new = near[waiting.pop()] & cells - group
                group |= new
                waiting += new
            found.append(group)
        return found

    openings = [group.union(*(near[cell] for cell in group)) for group in groups(zeros)]
    isolated = set(near) - mined - set().union(*openings)
    first = next((len(opening) for opening in openings if click in opening and click in zeros), 1)
    buried = sum(near[cell] <= mined for cell in mined)
    return len(openings) + len(isolated), len(openings), len(groups(isolated)), buried, first


@pytest.mark.parametrize("name", NAMES[1:])
def test_measures_are_those_of_the_definitions(name: str) -> None:
    recipe = ms.Recipe(grid_named(8, 9, name), 18, None, "safe", 2)
    for index in range(10):
        puzzle = recipe.puzzle(index)
        found = measures(puzzle)
        counted = (found.bbbv, found.openings, found.islands, found.buried, found.first_opening)
        assert counted == plain_measures(puzzle.board, puzzle.first_click)
        # No plan with flags needs more clicks than opening everything, and each mine flagged saves at least its click.
        assert 0 < found.greedy_zini <= found.bbbv
        assert 0 < found.human_zini <= found.bbbv


@pytest.mark.parametrize("name", NAMES[1:])
@pytest.mark.parametrize("strategy", ["safest", "progress", "lookahead", "champion"])
def test_games_of_the_kernel_are_those_played_move_by_move(name: str, strategy: str) -> None:
    recipe = ms.Recipe(grid_named(8, 8, name), 14, seed=4)
    for index, fast in enumerate(play_many(recipe, range(12), strategy)):
        slow = play(recipe.puzzle(index), strategy, keep_moves=True)
        assert (fast.won, fast.opened, fast.guesses) == (slow.won, slow.opened, slow.guesses)


@pytest.mark.parametrize("strategy", ["local", "efficient", "published", "rollout,layouts=20"])
@pytest.mark.parametrize("name", ["hex torus", "torus holes"])
def test_every_strategy_plays_on_every_grid(strategy: str, name: str) -> None:
    recipe = ms.Recipe(grid_named(8, 8, name), 10, seed=1)
    assert sum(game.won for game in play_many(recipe, range(6), strategy)) >= 3


def test_all_first_clicks_on_a_torus_are_equally_good() -> None:
    grid = Grid(5, 5, "torus")
    assert different_cells(grid) == [(0, 0)]
    assert len({best_start(grid, 2, click, StartRule.SAFE).rate for click in [(0, 0), (1, 3), (4, 4)]}) == 1


@pytest.mark.parametrize("name", NAMES[1:])
def test_kaboom_is_fair_on_every_grid(name: str) -> None:
    grid = small_grid(name)
    near = neighbours(grid)
    for seed in range(6):
        game, random = ms.Kaboom(grid, 3, seed=seed), Random(seed)
        while game.status.value == "playing":
            hidden = [cell for cell in near if game.view.cells[cell] == HIDDEN]
            layouts = [
                layout
                for layout in map(set, combinations(hidden, 3))
                if all(len(near[at] & layout) == game.view.cells[at] for at in near if at not in hidden)
            ]
            cell = random.choice(hidden)
            certain = {at for at in hidden if not any(at in layout for layout in layouts)}
            outcome = game.click(cell)
            assert outcome.survived or any(cell in layout for layout in layouts)
            assert outcome.survived or cell not in certain


@pytest.mark.parametrize("name", NAMES[1:])
def test_repaired_boards_are_solved(name: str) -> None:
    grid = grid_named(12, 12, name)
    recipe = ms.Recipe(grid, grid.cells * (28 if "hex" in name else 36) // 100, seed=1)
    found = [one for one in repair_range(recipe, 0, 10) if one is not None]
    assert found
    assert all(ms.solution_path(one.puzzle).solved for one in found)


@pytest.mark.parametrize("name", NAMES[1:])
def test_environments_play_on_every_grid(name: str) -> None:
    label = grid_named(8, 8, name).label
    environment = gymnasium.make("Minesweeper-v0", board=f"8x8/10 {label}", render_mode="ansi")
    environment.reset(seed=1)
    view = ms.View.from_text(str(environment.render()))
    assert view.grid.label == label
    assert ms.closure(view).complete


@pytest.mark.parametrize("name", NAMES)
def test_names_and_texts_are_read_back(name: str) -> None:
    grid = grid_named(8, 10, name)
    assert Grid.named(grid.name) == grid
    assert pickle.loads(pickle.dumps(grid)) == grid
    puzzle = ms.Recipe(f"8x10/12 {grid.label}".rstrip(), seed=1).puzzle(0)
    assert ms.Recipe(puzzle.board.name) == ms.Recipe(grid, 12)
    assert ms.View.from_text(puzzle.view.to_text()) == puzzle.view
    assert draw(puzzle.view, None) == puzzle.view.lines
    assert ms.Board.from_text(puzzle.board.to_text(clues=True), grid) == puzzle.board
    assert ms.Board.from_text(puzzle.board.to_text(), grid.kind) == puzzle.board
    assert ms.analyse(puzzle).to_json().get("grid", "") == grid.label


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("8x8 tours", r"unknown grid 'tours' \(did you mean 'torus'\?\); grids: cylinder, "),
        ("4x8 torus", "4x8 torus has 4 rows that wrap; expected 5 or more"),
        ("8x4 cylinder", "8x4 cylinder has 4 columns that wrap; expected 5 or more"),
        ("7x8 hex torus", "7x8 hex torus has 7 rows of hexagons that wrap; expected an even number"),
        ("5x5 holes", "no holes; expected rows of '.' for a cell and '#' for a hole"),
        ("4x5 holes 5./2.#2./3.2#", "the rows of the holes make 3x5; expected 4x5"),
        ("2x3 holes 3./2#", "row 2 of the holes has 2 cells; row 1 has 3"),
        ("2x3 holes 3./2.9", "row 2 of the holes is '2.9'; expected rows of '.' for a cell"),
        ("1x1 holes 9999.9999#", "size '1x19998' is out of range; expected sides of 1 to 4000 cells"),
        ("300x4000 holes " + "4000./" * 300, "251x4000 is too large for a grid with holes; expected at most 1,000,000"),
        ("2x2 holes 2#/2#", "every cell of the grid is a hole; expected at least one cell"),
        ("2000x2000 torus", "2000x2000 torus has 4,000,000 cells; expected at most 1,000,000 on such a grid"),
    ],
)
def test_impossible_grids_are_refused(text: str, message: str) -> None:
    with pytest.raises(BoardError, match=message):
        Grid.named(text)


def test_holes_may_be_spelled_in_any_way() -> None:
    grid = Grid.named("2x5 torus holes ..#../5.".replace("torus ", ""))
    assert grid == Grid.named("2x5 holes 2.#2./.....") == Grid(2, 5, "", bytes([0, 0, 1] + 7 * [0]))
    assert grid.label == "holes 2.#2./5."
    assert {grid, Grid(2, 5).with_holes(grid.hole_map)} == {grid}
    assert Grid(2, 5, "", bytes(10)) == Grid(2, 5)


def test_a_process_has_no_limited_number_of_maps_of_holes() -> None:
    for number in range(1, 5000):
        grid = Grid(1, 14).with_holes(np.array([[bool(number >> bit & 1) for bit in range(14)]]))
        board = ms.Board.from_bytes(grid, bytes(2))
        assert ms.Board.from_text(board.to_text()) == board
        if number % 100 == 0:
            assert ms.closure(ms.Puzzle(board, divmod(grid.numbers[0], 14))).complete


def test_a_named_hole_cannot_have_a_mine_or_the_first_click() -> None:
    shape = "holes 3./.#./3."
    with pytest.raises(BoardError, match=r"mine \(1, 1\) is in a hole of the grid"):
        ms.Board(np.eye(3, dtype=np.bool_), shape)
    with pytest.raises(BoardError, match=r"mine \(1, 1\) is a hole"):
        ms.Board.from_cells(ms.Grid(3, 3, shape), [(1, 1)])
    with pytest.raises(BoardError, match=r"first click \(1, 1\) is a hole; expected a cell of the grid"):
        ms.Recipe(ms.Grid(3, 3, shape), 1, (1, 1), "safe")
    with pytest.raises(BoardError, match="the holes '-' in the rows are not those of the named grid"):
        ms.View.from_text("3x3/1 holes 3./.#./3.\n###\n#-#\n##-")
    assert ms.Recipe(ms.Grid(3, 3, shape), 1, "center", "safe").click == (0, 1)


def test_no_cell_is_nearer_to_a_hole_than_the_nearest() -> None:
    grid = ms.Grid(5, 6, "holes #5./.4#./.4#./.4#./6#")
    cells = [divmod(number, 6) for number in grid.numbers]
    for place in np.ndindex(5, 6):
        assert math.dist(place, grid.nearest(place)) == min(math.dist(place, cell) for cell in cells)
    assert grid.nearest((0, 6)) == (0, 6)  # It is refused as it was given.


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", [(2, 2), (3, 2), (2, 5), (4, 6), (6, 5), (6, 6)])
def test_random_first_clicks_leave_room_for_the_mines_everywhere(name: str, size: tuple[int, int]) -> None:
    """Inner cells do not have the largest start zone on narrow boards of hexagons."""
    try:
        grid = grid_named(*size, name)
    except BoardError:
        return
    room = grid.cells - 1 - max(map(len, neighbours(grid).values()))
    recipe = ms.Recipe(grid, room, None)
    assert [ms.mine_maps(recipe, range(9))[i].sum() for i in range(9)] == 9 * [room]
    with pytest.raises(BoardError, match=f"expected 0 to {room}"):
        ms.Recipe(grid, room + 1, None)


def test_a_rectangle_cannot_be_confused_with_a_torus() -> None:
    board = ms.Recipe("8x8/10", seed=1).puzzle(0).board
    torus = ms.Board(board.mine_map, "torus")
    assert board != torus
    assert ms.Puzzle(board, (4, 4)).id != ms.Puzzle(torus, (4, 4)).id
    assert ms.Recipe("8x8/10") != ms.Recipe("8x8/10 torus")
