"""The bound against best play on small boards, and mine swaps against the boards that they make."""

import json
from itertools import combinations

import pytest
from click.testing import CliRunner
from luck import GameFate, game_fate, main, separate_swaps, swapped, win_bound

from minesweeper import Cell, Game, Grid, Puzzle, play
from minesweeper.generator.screening import mine_swaps
from minesweeper.player.core.recipe import Recipe, StartRule
from minesweeper.player.play.strategies.loading import load_strategy
from minesweeper.player.play.strategies.optimal import best_start, layout_board, start_layouts

pytestmark = pytest.mark.long


@pytest.mark.parametrize("rule", StartRule)
@pytest.mark.parametrize(("rows", "cols", "mines", "cell"), [(4, 4, 4, (0, 0)), (3, 5, 4, (0, 0)), (4, 4, 6, (0, 0))])
def test_best_play_is_within_the_bound(rows: int, cols: int, mines: int, cell: Cell, rule: StartRule) -> None:
    layouts = start_layouts(Grid(rows, cols), mines, cell, rule)
    bound = sum(win_bound(Puzzle(layout_board(Grid(rows, cols), layout), cell)) for layout in layouts) / len(layouts)
    best = best_start(Grid(rows, cols), mines, cell, rule, most_states=3_000_000).rate
    assert best <= bound + 1e-9
    assert bound < 1


def test_swapped_boards_have_the_same_clues_except_on_swapped_cells() -> None:
    recipe = Recipe("16x16/50", click=(2, 2), rule=StartRule.SAFE, seed=3)
    seen = 0
    for index in range(60):
        puzzle = recipe.puzzle(index)
        chosen = separate_swaps(puzzle)
        for swaps in (swaps for count in (1, 2) for swaps in combinations(sorted(chosen), count)):
            other = swapped(puzzle.board, swaps)
            both = ~(puzzle.board.mine_map | other.mine_map)
            assert other.mines == puzzle.board.mines
            assert (other.clues[both] == puzzle.board.clues[both]).all()
            assert not other.mine_map[puzzle.first_click]
            seen += 1
    assert seen > 20


def test_after_an_unavoidable_guess_the_swapped_board_is_not_lost() -> None:
    strategy = load_strategy("champion")
    recipe = Recipe("16x16/60", click=(2, 2), seed=5)
    fates = set()
    for index in range(12):
        puzzle = recipe.puzzle(index)
        fate = game_fate(puzzle, strategy, recipe.seed)
        fates.add(fate)
        result = play(puzzle, strategy, seed=recipe.seed, keep_moves=True)
        assert (fate is GameFate.WON) == result.won
        if fate is GameFate.UNAVOIDABLE_GUESS:
            row, col = result.moves[-1].cells[-1]
            (swap, *_) = [found for found in mine_swaps(puzzle) if row * 16 + col in found.mines + found.safe]
            game = Game(swapped(puzzle.board, [swap.mines + swap.safe]))
            for cell in [cell for move in result.moves for cell in move.cells]:
                game.open(cell)
            assert not game.exploded
    assert {GameFate.UNAVOIDABLE_GUESS, GameFate.OTHER_GUESS} <= fates


def test_the_table_adds_up() -> None:
    result = CliRunner().invoke(
        main,
        ["--board", "8x8/14", "--games", "20", "--bound-boards", "40", "--workers", "1", "--json"],
        catch_exceptions=False,
    )
    assert result.exit_code == 0
    for row in json.loads(result.stdout):
        assert row["win_percent"] + row["unavoidable_percent"] + row["guess_percent"] == pytest.approx(100)
        assert row["win_percent_low"] <= row["win_percent"] <= row["win_percent_high"]
        assert row["bound_percent"] < 100
