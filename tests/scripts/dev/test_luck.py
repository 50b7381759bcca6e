"""The bound against the best play on small boards, and coins against boards made to have them."""

from __future__ import annotations

import json
from itertools import combinations

import pytest
from click.testing import CliRunner

from minesweeper.player import kernel_api
from minesweeper.player.board import Board, Cell, Puzzle
from minesweeper.player.game import Game, StartRule
from minesweeper.player.play.games import play
from minesweeper.player.recipe import Recipe
from minesweeper.player.strategies import load_strategy
from minesweeper.player.strategies.optimal import best_start, layout_board, start_layouts
from minesweeper.scripts.dev.luck import Fate, fate, hope, main, separate_coins


@pytest.mark.parametrize("rule", StartRule)
@pytest.mark.parametrize(("rows", "cols", "mines", "cell"), [(4, 4, 4, (0, 0)), (3, 5, 4, (0, 0)), (4, 4, 6, (0, 0))])
def test_nobody_wins_more_than_the_bound(rows: int, cols: int, mines: int, cell: Cell, rule: StartRule) -> None:
    layouts = start_layouts(rows, cols, mines, cell, rule)
    bound = sum(hope(Puzzle(layout_board(rows, cols, layout), cell)) for layout in layouts) / len(layouts)
    best = best_start(rows, cols, mines, cell, rule, most_states=3_000_000).rate
    assert best <= bound + 1e-9
    assert bound < 1


def test_boards_that_differ_by_coins_show_the_same_until_one_is_opened() -> None:
    recipe = Recipe(16, 16, 50, (2, 2), StartRule.SAFE, 3)
    seen = 0
    for index in range(60):
        puzzle = recipe.puzzle(index)
        chosen = separate_coins(puzzle)
        for made in (made for count in (1, 2) for made in combinations(sorted(chosen), count)):
            mine_map = puzzle.board.mine_map.copy()
            for coin in made:
                mine_map.ravel()[list(coin)] ^= True
            other = Board(mine_map)
            both = ~(puzzle.board.mine_map | other.mine_map)
            assert other.mines == puzzle.board.mines
            assert (other.clues[both] == puzzle.board.clues[both]).all()
            assert not other.mine_map[puzzle.first_click]
            seen += 1
    assert seen > 20


def test_a_game_lost_to_a_coin_is_told_from_one_lost_to_another_guess() -> None:
    strategy = load_strategy("champion")
    recipe = Recipe(16, 16, 60, (2, 2), StartRule.OPENING, 5)
    fates = {}
    for index in range(12):
        puzzle = recipe.puzzle(index)
        fates[index] = fate(puzzle, strategy, recipe.seed)
        result = play(puzzle, strategy, seed=recipe.seed, keep_moves=True)
        assert (fates[index] is Fate.WON) == result.won
        if fates[index] is Fate.COIN:
            # With the coin the other way round, the same clicks show the same up to the last, which then is safe.
            fatal = result.moves[-1].cells[-1]
            number = fatal[0] * 16 + fatal[1]
            (coin, *_) = [cells for cells in _exchanges(puzzle) if number in cells]
            mine_map = puzzle.board.mine_map.copy()
            mine_map.ravel()[list(coin)] ^= True
            game = Game(Board(mine_map))
            for cell in [cell for move in result.moves for cell in move.cells]:
                game.open(cell)
            assert not game.exploded
    assert {Fate.COIN, Fate.GUESS} <= set(fates.values())


def _exchanges(puzzle: Puzzle) -> list[tuple[int, ...]]:
    return [found.mines + found.safe for found in kernel_api.mine_swaps(puzzle)]


def test_the_table_adds_up() -> None:
    result = CliRunner().invoke(
        main,
        ["--board", "8x8/14", "--games", "20", "--bound-boards", "40", "--workers", "1", "--json"],
        catch_exceptions=False,
    )
    assert result.exit_code == 0
    for row in json.loads(result.stdout):
        assert row["win_percent"] + row["coin_percent"] + row["guess_percent"] == pytest.approx(100)
        assert row["win_percent_low"] <= row["win_percent"] <= row["win_percent_high"]
        assert row["bound_percent"] < 100
