"""Judgements of actions, against all layouts of small views."""

from collections import Counter
from functools import cache, partial

import pytest
from oracle import layouts
from views import random_views, wide_view, wins_after

from minesweeper.player.core.board import HIDDEN, View, cells_of
from minesweeper.player.core.errors import BoardError, InconsistentView
from minesweeper.player.core.results import EvaluationKind
from minesweeper.player.logic import closure
from minesweeper.player.logic.reasons import chain_to_safe
from minesweeper.player.play.judgement import Verdict, judge


def test_every_action_is_judged_as_all_layouts_judge_it() -> None:
    judged: Counter[Verdict] = Counter()
    compared = longest = 0
    for view in random_views(5, 12):
        if min(judged[verdict] for verdict in Verdict) >= 20 and compared >= 30:
            break
        maps = layouts(view)
        chances = maps.mean(axis=0)
        hidden = view.cells == HIDDEN
        wins = cache(partial(wins_after, view))
        for cell in cells_of(hidden):
            one = judge(view, cell)
            judged[one.verdict] += 1
            expected = {0: Verdict.CERTAIN, 1: Verdict.MINE}.get(
                chances[cell], Verdict.NEEDLESS if (chances[hidden] == 0).any() else Verdict.FORCED
            )
            assert one.verdict is (Verdict.FIRST if hidden.all() else expected)
            assert one.safety == pytest.approx(1 - chances[cell])
            assert one.uncertain_cell == (None if one.verdict in (Verdict.FIRST, Verdict.CERTAIN) else cell)
            if one.verdict is Verdict.NEEDLESS:
                assert one.step == chain_to_safe(view)[-1]
                longest = max(longest, len(chain_to_safe(view)))
            if one.verdict is Verdict.FORCED:
                assert one.layouts is not None
                safe, mined = (board.mine_map for board in one.layouts)
                assert (safe[cell], mined[cell]) == (False, True)
                assert all((maps == layout).all(axis=(1, 2)).any() for layout in (safe, mined))
            else:
                assert one.layouts is None
            best = one.solved.best
            assert one.best_safety == (None if best is None else pytest.approx(1 - chances[best]))
            if one.loss is None or one.loss_kind is not EvaluationKind.WIN_PROBABILITY:
                assert one.verdict is not Verdict.CERTAIN
                continue
            compared += 1
            most = max(map(wins, cells_of(hidden)))
            assert one.loss * len(maps) == pytest.approx(most - wins(cell), abs=1e-6)
    assert longest > 1


def test_several_cells_are_certain_only_together() -> None:
    view = View.from_text("2x5/2\n#121#\n#####")
    assert judge(view, (0, 0), (1, 2)).verdict is Verdict.CERTAIN
    mixed = judge(view, (0, 0), (1, 1))
    assert (mixed.verdict, mixed.safety, mixed.uncertain_cell) == (Verdict.MINE, 0, (1, 1))
    one = judge("1x6/2\n#1####", (0, 0), (0, 3))
    # Of the 2 * 3 layouts, two have both mines elsewhere.
    assert (one.verdict, one.safety, one.loss) == (Verdict.FORCED, pytest.approx(2 / 6), None)
    assert judge("1x3/1\n#1#", (0, 0), (0, 2)).safety == 0
    half = judge("1x5/1\n#1###", (0, 3), (0, 0))
    assert (half.verdict, half.safety, half.uncertain_cell) == (Verdict.NEEDLESS, pytest.approx(1 / 2), (0, 0))


def test_a_known_mine_is_no_guess_though_no_cell_is_safe() -> None:
    mine, forced, worse = (judge("1x6/3\n#2####", (0, col)) for col in (0, 3, 4))
    assert (mine.verdict, mine.guess, mine.loss) == (Verdict.MINE, None, pytest.approx(2 / 3))
    assert forced.loss == 0
    assert worse.loss == pytest.approx(1 / 3)
    assert forced.guess is not None
    assert forced.to_json()["probabilities"] == [[1, None, 1, 0.333333, 0.333333, 0.333333]]


def test_a_needless_guess_has_its_step_in_a_component_too_wide_to_enumerate() -> None:
    view = wide_view(48)
    found = closure(view)
    step = judge(view, cells_of((view.cells == HIDDEN) & ~found.safe_map & ~found.mine_map)[0]).step
    assert step is not None
    assert {*step.safe} & {*cells_of(found.safe_map)}


def test_rejects_wrong_actions() -> None:
    for cells in ([(0, 1)], [(2, 0)], [(-1, 0)], []):
        with pytest.raises(BoardError, match="expected"):
            judge("2x5/2\n#121#\n#####", *cells)
    with pytest.raises(InconsistentView):
        judge("1x3/1\n#8#", (0, 0))
