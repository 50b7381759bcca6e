"""Solvable puzzles without a database: `puzzles`."""

import pickle
from itertools import islice
from pathlib import Path

import pytest

import minesweeper as ms
from minesweeper.db import Store
from minesweeper.db.formats import reading
from minesweeper.generator import Limits, PuzzleFilter, Task, generate, puzzles, save
from minesweeper.player import Board, Puzzle, Recipe
from minesweeper.player.core.errors import BoardError, NotSolvable

RECIPE = Recipe("8x8/12", click=(3, 3), seed=5)


def test_puzzles_and_ratings_equal_those_that_generate_stores(tmp_path: Path) -> None:
    with Store(tmp_path / "some.db") as store:
        generate(Task(RECIPE, filter=PuzzleFilter("hard")), Limits(6), store, workers=1)
        stored = list(store.puzzles())
    found = list(puzzles(RECIPE, 6, difficulty="hard"))
    assert found == [record.puzzle for record in stored]
    for puzzle, record in zip(found, stored, strict=True):
        assert (puzzle.difficulty, puzzle.tally, puzzle.clues_at_once, puzzle.metrics, puzzle.index) == (
            record.difficulty,
            record.tally,
            record.clues_at_once,
            record.measured,
            record.sample_index,
        )
        assert puzzle.difficulty.word == "hard"
        assert str(puzzle.certificate) == record.certificate


def test_saved_puzzles_keep_their_rating(tmp_path: Path) -> None:
    found = list(puzzles(RECIPE, 3))
    assert save([*found, Puzzle(found[0].board, found[0].first_click)], tmp_path / "some.jsonl") == 4
    with Store(tmp_path / "some.db") as store:
        generate(Task(RECIPE), Limits(3), store, workers=1)
        stored = list(store.puzzles())
    with reading(tmp_path / "some.jsonl") as reader:
        *saved, plain = reader
    assert saved == stored
    assert (plain.puzzle, plain.verdict) == (found[0], "unknown")


def test_a_rated_puzzle_equals_the_plain_one() -> None:
    (rated,) = puzzles(RECIPE, 1, certified=False)
    plain = Puzzle(rated.board, rated.first_click)
    assert rated == plain == rated
    assert len({rated, plain, pickle.loads(pickle.dumps(rated))}) == 1
    assert pickle.loads(pickle.dumps(rated)).difficulty == rated.difficulty
    assert rated != next(puzzles(RECIPE, 1, min_score=50))


def test_workers_find_the_same_puzzles() -> None:
    alone = list(puzzles(RECIPE, 30, needs_mine_count=False, min_bbbv=20))
    assert len(alone) == 30
    assert list(puzzles(RECIPE, 30, needs_mine_count=False, min_bbbv=20, workers=2)) == alone


def test_a_loop_may_be_left_early_and_small_recipes_run_out() -> None:
    assert len(list(islice(puzzles(RECIPE, 10**6), 3))) == 3
    # One mine in a row of three whose end is opened: two layouts, both solvable.
    assert len(list(puzzles(Recipe("1x3/1", click=(0, 0), rule="safe", seed=1), 99))) == 2
    assert len(list(puzzles(Recipe("1x3/1", click=(0, 0), rule="safe", seed=1), None))) == 2
    assert list(puzzles(RECIPE, 0)) == []
    for recipe in (RECIPE, Recipe("expert", seed=1)):
        assert list(islice(puzzles(recipe, None), 3)) == list(puzzles(recipe, 3))
    assert list(puzzles("9x9/10", 2)) == list(puzzles(Recipe("9x9/10"), 2))


def test_a_dealt_puzzle_is_solvable_from_the_click_and_random_without_a_seed() -> None:
    assert ms.deal("expert", click=(0, 0), seed=7) == next(puzzles(Recipe("expert", click=(0, 0), seed=7), 1))
    found = [ms.deal("9x9/10", click=(2, 5), rule="safe") for _ in range(9)]
    assert len(set(found)) > 1
    for puzzle in [*found, ms.deal(ms.Grid(12, 12, "hex"), 25, (0, 3)), ms.deal("9x9/10", difficulty="expert")]:
        assert ms.solution_path(Puzzle(puzzle.board, puzzle.first_click)).steps
    assert puzzle.difficulty.word == "expert"


@pytest.mark.kernel
def test_a_dense_board_is_repaired() -> None:
    dense = ms.deal("16x30/170", click=(8, 0), seed=1)
    assert dense.record.method == "repair"
    assert ms.solution_path(dense).steps
    for conditions in ({"difficulty": "fiendish"}, {"min_score": 10**6}):
        with pytest.raises(BoardError, match=r"no puzzle among 20,000 boards of 3x3/1, .* or other conditions$"):
            ms.deal("3x3/1", rule="safe", **conditions)
    with pytest.raises(BoardError, match=r"repaired ones; expected fewer mines$"):
        ms.deal("9x9/79", rule="safe")
    with pytest.raises(ms.OutOfTime):
        ms.deal("9x9/79", rule="safe", time_limit=1e-9)


def test_wrong_arguments_are_rejected_before_the_search() -> None:
    with pytest.raises(ValueError, match=r"unknown difficulty 'simple'; expected easy, medium"):
        puzzles(RECIPE, 3, difficulty="simple")
    with pytest.raises(ValueError, match="negative number of puzzles: -1"):
        puzzles(RECIPE, -1)
    with pytest.raises(TypeError, match="10 is no recipe; expected a Recipe, or a board such as"):
        puzzles(10, 3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"unknown preset 'exprt' \(did you mean 'expert'\?\)"):
        puzzles("exprt", 3)
    with pytest.raises(TypeError, match="colour"):
        puzzles(RECIPE, 3, colour="red")


@pytest.mark.kernel
def test_certify_and_difficulty_take_a_puzzle() -> None:
    for puzzle in ms.puzzles("9x9/12", 20):
        plain = Puzzle(puzzle.board, puzzle.first_click)
        assert ms.certify(plain) == ms.certify(puzzle) == puzzle.certificate
        assert ms.difficulty(plain) == puzzle.difficulty
    stuck = Puzzle(Board.from_text("..*\n..."), (0, 0))
    for refuse in (ms.certify, ms.difficulty):
        with pytest.raises(NotSolvable, match="expected a solvable puzzle"):
            refuse(stuck)
