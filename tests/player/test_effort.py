"""Clues at once: the kernel, SAT and trying all sets of clues agree."""

from itertools import combinations

import numpy as np
import pytest
from rectangle import neighbours

from minesweeper import HIDDEN, Board, Cell, OutOfTime, Puzzle, Recipe, View, time_limit
from minesweeper.generator import puzzles
from minesweeper.generator.screening import screen
from minesweeper.player.core.game import Game, Status
from minesweeper.player.core.steps import Tier
from minesweeper.player.logic.effort import clues_at_once, path_effort
from minesweeper.player.logic.path import SolutionPath, solution_path, solution_paths


def solvable(recipe: Recipe, count: int) -> list[Puzzle]:
    return [puzzle for puzzle in map(recipe.puzzle, range(count)) if screen(puzzle).solved]


def by_trying(puzzle: Puzzle) -> int:
    """Return the least number of clues at once that solves a puzzle, by trying 1, 2, ... clues at a time."""
    board = puzzle.board
    for size in range(board.mine_map.size):
        known: dict[Cell, bool] = {}
        game = Game(board)
        game.open(puzzle.first_click)
        while game.status is Status.PLAYING and (decided := decided_by(game.view, known, size)):
            known |= decided
            for cell, mine in decided.items():
                if not mine and game.status is Status.PLAYING:
                    game.open(cell)
        if game.status is Status.WON:
            return size
    raise AssertionError("not solvable without the mine count")


def decided_by(view: View, known: dict[Cell, bool], size: int) -> dict[Cell, bool]:
    """Return the cells decided by some set of `size` clues together with the known cells."""
    shown = view.cells.tolist()
    clues = []
    for cell in np.argwhere(view.cells >= 0).tolist():
        near = list(neighbours(view.rows, view.cols, tuple(cell)))
        unknown = frozenset(other for other in near if shown[other[0]][other[1]] == HIDDEN and other not in known)
        if unknown:
            clues.append((unknown, shown[cell[0]][cell[1]] - sum(known.get(other, False) for other in near)))
    decided: dict[Cell, bool] = {}
    for chosen in combinations(clues, min(size, len(clues))):
        cells = sorted(frozenset().union(*(unknown for unknown, _ in chosen)))
        bits = (np.arange(2 ** len(cells))[:, None] >> np.arange(len(cells))) & 1
        for unknown, need in chosen:
            bits = bits[bits[:, [cells.index(cell) for cell in unknown]].sum(axis=1) == need]
        for number, cell in enumerate(cells):
            if bits[:, number].min() == bits[:, number].max():
                decided[cell] = bool(bits[0, number])
    return decided


def test_clues_at_once_equals_trying_all_sets() -> None:
    found = set()
    small, long = Recipe("5x5/6", rule="safe", seed=4), Recipe("4x9/9", click=(0, 0), seed=4)
    for puzzle in [*solvable(small, 900), *solvable(long, 4000)]:
        screening = screen(puzzle)
        if screening.tally[3] or not screening.tally[2]:
            continue
        assert screening.clues_at_once == by_trying(puzzle), puzzle.board.to_text()
        assert clues_at_once(puzzle, screening.tally) == screening.clues_at_once
        found.add(screening.clues_at_once)
    assert found == {3, 4}


def test_easy_puzzles_need_the_clues_of_their_tier() -> None:
    seen = set()
    for puzzle in solvable(Recipe("9x9/10", seed=7), 60):
        screening = screen(puzzle)
        if screening.tally.hardest <= Tier.TWO_CLUES:
            assert screening.clues_at_once == (2 if screening.tally[1] else 1)
            seen.add(screening.clues_at_once)
    assert seen == {1, 2}
    empty = Puzzle(Board(np.zeros((3, 3), dtype=np.bool_)), (0, 0))
    assert screen(empty).clues_at_once == 0
    assert clues_at_once(empty, screen(empty).tally) == 0


def test_symmetric_puzzles_need_equally_many() -> None:
    for puzzle in solvable(Recipe("6x9/12", click=(2, 2), seed=5), 300):
        counts = {screen(image).clues_at_once for image in puzzle.images()}
        assert len(counts) == 1


def by_definition(path: SolutionPath, number: int) -> int:
    """Count the steps made while a step is open, by replaying the path from every moment."""
    assert isinstance(path.start, Puzzle)
    board, step = path.start.board, path.steps[number]

    def taken(after: int) -> list[list[bool]]:
        game, mines = Game(path.start), set[Cell]()
        for earlier in path.steps[:after]:
            mines.update(earlier.mines)
            for cell in earlier.safe:
                game.open(cell)
        cells = game.view.cells
        every = [(row, col) for row in range(board.rows) for col in range(board.cols)] if step.mine_count else []
        around = [(clue, *neighbours(board.rows, board.cols, clue)) for clue in step.clues]
        return [[bool(cells[cell] >= 0 or cell in mines) for cell in part] for part in (*around, every)]

    at_the_time = taken(number)
    return number - next(after for after in range(number + 1) if taken(after) == at_the_time)


@pytest.mark.kernel
def test_the_effort_of_a_path_follows_its_definition() -> None:
    counts = 0
    found_puzzles = [*puzzles(Recipe("7x7/10", seed=3), 8), *puzzles(Recipe("4x4/6", rule="safe", seed=3), 25)]
    for path in solution_paths(found_puzzles):
        waits = [by_definition(path, number) for number in range(len(path.steps))]
        found = path_effort(path)
        assert found.longest_wait == max(waits, default=0)
        assert found.steps == len(path.steps)
        assert found.hard_steps == sum(len(step.clues) > 2 or step.mine_count for step in path.steps)
        # Count the open steps before each step is made.
        opened = [sum(n - waits[n] <= at <= n for n in range(at, len(waits))) for at in range(len(waits))]
        assert found.open_steps == pytest.approx(np.mean(opened) if opened else 0, abs=0.0005)
        counts += sum(step.mine_count for step in path.steps)
    assert counts > 3


def test_the_effort_of_the_path_of_a_view_is_refused() -> None:
    path = SolutionPath(View.from_text("1x3/1\n#1#"), False, "0" * 16, ())
    with pytest.raises(TypeError, match="path of a view"):
        path_effort(path)


@pytest.mark.kernel
def test_measuring_and_packing_a_path_keep_the_time_limit() -> None:
    path = next(solution_paths(puzzles("9x9/10", 1)))
    opening = solution_path(Puzzle(Board(np.zeros((30, 30), dtype=np.bool_)), (0, 0)))  # a path without a step
    for work in (lambda: path_effort(path), path.steps_to_bytes, lambda: path_effort(opening)):
        with pytest.raises(OutOfTime), time_limit(1e-9):
            work()


@pytest.mark.kernel
def test_measuring_a_path_lists_no_neighbours_in_its_first_opening() -> None:
    """These lists took up to a second to release after the time limit."""
    board = Board(np.zeros((59, 61), dtype=np.bool_))
    path_effort(solution_path(Puzzle(board, (29, 30))))
    assert len(board.grid.numbered) < 100
