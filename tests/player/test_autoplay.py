"""Games played by logic and a strategy: fair, reproducible, and won whenever logic alone can win."""

import gc
import itertools
import re
import time
from pathlib import Path

import numpy as np
import pytest

from minesweeper.generator.screening import screen
from minesweeper.player import (
    HIDDEN,
    Board,
    Cell,
    Knowledge,
    Puzzle,
    Recipe,
    Strategy,
    View,
    closure,
    compare,
    kernel_api,
    metrics,
    play,
    play_many,
)
from minesweeper.player.core.errors import StrategyError
from minesweeper.player.core.game import Game, Status
from minesweeper.player.core.results import GameResult, PuzzleList, PuzzleSource
from minesweeper.player.core.steps import Engine, Tier
from minesweeper.player.play.strategies.kernel_strategies import play_batch
from minesweeper.player.play.strategies.loading import load_strategy, playable_strategies
from minesweeper.player.play.strategies.random_cell import RandomCell


class Spy(RandomCell):
    """Plays at random and keeps its arguments."""

    name = "spy"

    def __init__(self) -> None:
        self.seen: list[tuple[View, Knowledge]] = []

    def choose(self, view: View, knowledge: Knowledge) -> Cell:
        self.seen.append((view, knowledge))
        return super().choose(view, knowledge)


class Fixed(Strategy):
    """Always chooses the same cell."""

    name = "fixed"

    def __init__(self, cell: Cell) -> None:
        self.cell = cell

    def choose(self, view: View, knowledge: Knowledge) -> Cell:
        return self.cell


RECIPE = Recipe("8x9/14", click=(0, 0), rule="safe", seed=5)


def test_puzzles_that_logic_solves_are_won_without_a_guess() -> None:
    recipe = Recipe("9x9/12", seed=3)
    solvable = 0
    for index in range(50):
        puzzle = recipe.puzzle(index)
        result = play(puzzle, load_strategy("random"))
        if screen(puzzle, "sat").solved:
            solvable += 1
            assert result == GameResult(True, 81 - 12, 0, 0.0)
        else:
            assert result.guesses > 0
    assert 10 < solvable < 50


def test_a_strategy_guesses_only_where_logic_finds_no_safe_cell() -> None:
    spy = Spy()
    for index in range(30):
        play(RECIPE.puzzle(index), spy)
    assert len(spy.seen) > 30
    for view, knowledge in spy.seen:
        deductions = closure(view, "sat")
        assert not deductions.safe_map.any(), view
        assert not knowledge.safe_map.any()
        assert np.array_equal(deductions.mine_map, knowledge.mine_map), view
        assert np.array_equal(knowledge.uncertain, (view.cells == HIDDEN) & ~deductions.mine_map)


def test_a_strategy_has_no_path_to_the_mines() -> None:
    puzzle = next(RECIPE.puzzle(index) for index in range(100) if play(RECIPE.puzzle(index), Spy()).guesses > 1)
    spy = Spy()
    play(puzzle, spy)
    reached: dict[int, object] = {}
    queue: list[object] = [part for pair in spy.seen for part in pair]
    while queue:
        thing = queue.pop()
        if id(thing) in reached or isinstance(thing, type) or callable(thing):
            continue
        reached[id(thing)] = thing
        queue += gc.get_referents(thing)
        if isinstance(thing, np.ndarray) and thing.base is not None:
            queue.append(thing.base)
    assert not [thing for thing in reached.values() if isinstance(thing, Board | Puzzle | Game)]
    mines = puzzle.board.mine_map
    arrays = [thing for thing in reached.values() if isinstance(thing, np.ndarray)]
    assert len(arrays) >= 3 * len(spy.seen)
    for array in arrays:
        assert array.size != mines.size or not np.array_equal(array.reshape(mines.shape), mines)


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ((0, 0), "strategy fixed chose (0, 0), which is already open"),
        ((-1, 0), "strategy fixed chose (-1, 0), which is off the board"),
        ((0, 7), "strategy fixed chose (0, 7), which is off the board"),
        ((0, 1), "strategy fixed chose (0, 1), which is known to be a mine"),
    ],
)
def test_moves_against_the_rules_are_refused(cell: Cell, message: str) -> None:
    # The only neighbour of the first click is a mine; nothing is known of the other cells.
    puzzle = Puzzle(Board.from_text(".*.*..."), (0, 0))
    with pytest.raises(StrategyError, match=re.escape(message)):
        play(puzzle, Fixed(cell))


def test_a_lost_game_ends_at_the_mine() -> None:
    puzzle = Puzzle(Board.from_text(".*.*..."), (0, 0))
    assert play(puzzle, Fixed((0, 3))) == GameResult(False, 1, 1, 0.0)
    assert play(puzzle, Fixed((0, 2)), keep_moves=True).moves[-1].tier is not Tier.FIRST_CLICK


@pytest.mark.parametrize("name", ["random", "local"])
def test_moves_replay_the_game(name: str) -> None:
    reasons = set()
    for index in range(40):
        puzzle = Recipe("9x9/16", click=(0, 0), rule="safe", seed=5).puzzle(index)
        result = play(puzzle, load_strategy(name), keep_moves=True)
        game, opened = Game(puzzle.board), 0
        for move in result.moves:
            reasons.add(move.reason)
            for cell in move.cells:
                found = game.open(cell)
                opened += len(found)
                assert found or move is result.moves[-1]
            assert all(puzzle.board.mine_map[mine] for mine in move.mines)
        assert opened == result.opened
        assert (game.status is Status.WON) == result.won
        assert sum(move.is_guess for move in result.moves) == result.guesses
        assert play(puzzle, load_strategy(name)) == GameResult(result.won, result.opened, result.guesses, 0.0)
    assert reasons == {"guess", *(tier.title for tier in Tier)}


def test_chances_come_from_the_seed_and_the_puzzle_alone() -> None:
    puzzles = [RECIPE.puzzle(index) for index in range(40)]
    results = [play(puzzle, RandomCell(), seed=1, keep_moves=True) for puzzle in puzzles]
    assert [play(puzzle, RandomCell(), seed=1, keep_moves=True) for puzzle in reversed(puzzles)] == results[::-1]
    assert [play(puzzle, RandomCell(), seed=2, keep_moves=True) for puzzle in puzzles] != results


@pytest.mark.parametrize("name", ["random", "local"])
def test_results_do_not_depend_on_the_workers(name: str) -> None:
    games = range(10, 34)
    one_by_one = [play(RECIPE.puzzle(index), load_strategy(name), seed=4) for index in games]
    for workers in (1, 3):
        assert list(play_many(RECIPE, games, load_strategy(name), seed=4, workers=workers)) == one_by_one
    puzzles = [RECIPE.puzzle(index) for index in games]
    assert list(play_many(PuzzleList(puzzles), 24, name, seed=4)) == list(play_many(puzzles, 24, name, seed=4))
    assert list(play_many(puzzles, len(puzzles), name, seed=4)) == one_by_one


def test_wrong_arguments_name_the_expected_type() -> None:
    for call, expected in (
        (lambda: play(RECIPE, "random"), "expected a Puzzle"),
        (lambda: play_many(7, 5, "random"), "expected a Recipe"),
        (lambda: play_many(RECIPE.puzzle(0), 5, "random"), "expected a Recipe"),
        (lambda: play_many(RECIPE, 5, 3), "expected a name, a Strategy, or a function of a view"),
        (lambda: compare("random", 3, RECIPE), "expected a name, a Strategy, or a function of a view"),
        (lambda: metrics(RECIPE), "expected a Board or a Puzzle"),
    ):
        with pytest.raises((TypeError, StrategyError), match=expected):
            call()


def test_games_are_timed_in_cpu_time_and_those_of_other_programs_in_wall_time(monkeypatch: pytest.MonkeyPatch) -> None:
    class Elsewhere(RandomCell):
        forfeits = True

    readings = itertools.count()
    monkeypatch.setattr(time, "process_time", lambda: 1.0 * next(readings))
    monkeypatch.setattr(time, "perf_counter", lambda: 10.0 * next(readings))
    recipe = Recipe("9x9/10", seed=3)
    assert play(recipe.puzzle(0), RandomCell()).seconds == 1
    assert play(recipe.puzzle(0), Elsewhere()).seconds == 10
    if kernel_api.available():
        for games in (
            play_batch(recipe, range(5), "safest"),
            play_batch(PuzzleList([recipe.puzzle(index) for index in range(5)]), range(5), "safest"),
        ):
            assert sum(game.seconds for game in games) == pytest.approx(1)


@pytest.mark.parametrize("workers", [1, 2])
def test_stopping_keeps_the_games_without_a_gap(workers: int) -> None:
    results: list[GameResult] = []
    strategy = RandomCell()
    for result in play_many(RECIPE, range(4000), strategy, workers=workers, stop=lambda: len(results) >= 20):
        results.append(result)  # noqa: PERF402 (stop looks at what there is so far)
    assert 20 <= len(results) < 4000
    assert results == [play(RECIPE.puzzle(index), strategy) for index in range(len(results))]


class InBatches(RandomCell):
    """Plays whole batches, and creates a file when it does."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def play_batch(self, puzzles: PuzzleSource, games: range, seed: int, engine: Engine) -> list[GameResult] | None:
        self.trace.touch()
        return [play(puzzles.puzzle(index), self, seed=seed, engine=engine) for index in games]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_strategy_may_play_whole_batches(workers: int, tmp_path: Path) -> None:
    trace = tmp_path / "batch"
    results = list(play_many(RECIPE, range(30), InBatches(trace), seed=9, workers=workers))
    assert trace.exists()
    assert results == list(play_many(RECIPE, range(30), RandomCell(), seed=9))


def test_boards_of_one_cell_or_no_mine_or_only_mines_are_won_at_once() -> None:
    for text, opened in [(".", 1), ("...\n...", 6), ("*.", 1), ("***\n*.*", 1)]:
        board = Board.from_text(text)
        click = tuple(np.argwhere(~board.mine_map)[0].tolist())
        assert play(Puzzle(board, click), RandomCell()) == GameResult(True, opened, 0, 0.0)


@pytest.mark.parametrize("name", playable_strategies())
def test_large_boards_are_no_trouble(name: str) -> None:
    puzzle = Recipe("30x50/210", click=(3, 3), seed=1).puzzle(0)
    assert play(puzzle, load_strategy(name)).opened > 10


def test_a_comparison_pairs_the_results_on_the_same_boards() -> None:
    recipe, games = Recipe("9x9/16", click=(0, 0), rule="safe", seed=5), range(50)
    found = compare("local", RandomCell(), recipe, games=games, workers=2)
    local, random = ([result.won for result in play_many(recipe, games, name)] for name in ("local", "random"))
    assert (found.first, found.second, found.games) == ("local", "random", 50)
    assert (found.first_wins, found.second_wins) == (sum(local), sum(random))
    pairs = list(zip(local, random, strict=True))
    assert (found.only_first, found.only_second) == (pairs.count((True, False)), pairs.count((False, True)))
    assert found.first_rate.low <= found.first_rate.value <= found.first_rate.high
    assert found.difference.value == pytest.approx(found.first_rate.value - found.second_rate.value)
    assert found.difference.low > 0
    assert found.p_value < 0.05
    assert str(found).startswith("50 games on the same boards, p = ")
    assert f"difference  {found.difference.value:.2%} (95% interval " in str(found)


def test_a_strategy_compared_with_itself_has_two_rows() -> None:
    rows = str(compare("random", "random", RECIPE, games=5)).splitlines()
    assert [row.split()[0] for row in rows] == ["5", "random", "random", "difference"]
