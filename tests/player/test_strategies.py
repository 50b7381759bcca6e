"""Strategies: their estimates against hand calculation and all layouts, and the loader."""

import logging
import pickle
import re
import sys
import textwrap
from collections.abc import Iterator
from functools import cache
from itertools import combinations, takewhile
from pathlib import Path
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray
from oracle import layouts
from rectangle import neighbours
from views import random_views

from minesweeper.player import HIDDEN, Cell, Grid, View, kernel_api, probabilities
from minesweeper.player.core.errors import BoardError, StrategyError
from minesweeper.player.core.recipe import StartRule
from minesweeper.player.logic import Deductions, closure
from minesweeper.player.play import strategies
from minesweeper.player.play.strategies import Knowledge, Strategy, choose_cell, usual_first_click
from minesweeper.player.play.strategies.loading import (
    STRATEGIES,
    default_strategy,
    describe_options,
    load_strategy,
    playable_strategies,
    quick_strategies,
    result_name,
    revision_note,
)
from minesweeper.player.play.strategies.local import (
    Local,
    cell_safety,
    frontier_progress,
    touches_clue,
    unconstrained_progress,
)


def knowledge_of(view: View) -> Knowledge:
    deductions = closure(view, "sat")
    return Knowledge(view, deductions.safe_map, deductions.mine_map)


@cache
def _analysed_views() -> list[tuple[View, Deductions]]:
    found: list[tuple[View, Deductions]] = []
    for view in takewhile(lambda _: len(found) < 250, random_views(13, 14)):
        known = closure(view, "sat")
        if not known.safe_map.any() and ((view.cells == HIDDEN) & ~known.mine_map).any():
            found.append((view, known))
    return found


def positions(count: int = 250) -> Iterator[tuple[View, Knowledge]]:
    """Random views with uncertain cells and no safe one, and the deductions of logic there."""
    for view, known in _analysed_views()[:count]:
        yield view, Knowledge(view, known.safe_map, known.mine_map)


def goes_on_by_trying(view: View, maps: NDArray[np.bool_], cell: Cell, clue: int) -> bool | None:
    """Compute `Knowledge.goes_on` from `maps`, all layouts of the view."""
    near = tuple(np.array(list(neighbours(view.rows, view.cols, cell))).reshape(-1, 2).T)
    fitting = maps[~maps[(slice(None), *cell)] & (maps[(slice(None), *near)].sum(axis=1) == clue)]
    if not len(fitting):
        return None
    safe = (view.cells == HIDDEN) & ~fitting.any(axis=0)
    safe[cell] = False
    return bool(safe.any())


def test_safety_is_the_mean_over_the_clues_of_a_cell() -> None:
    # The 1 in the corner has three hidden neighbours; the 2 between them shares two of these and has three more.
    view = View.from_text("3x4/4\n1###\n#2##\n####")
    safety = cell_safety(view, knowledge_of(view))
    for cell in [(0, 1), (1, 0)]:
        assert safety[cell] == pytest.approx(((1 - 1 / 2) + (1 - 2 / 7)) / 2)
    for cell in [(0, 2), (1, 2), (2, 0), (2, 1), (2, 2)]:
        assert safety[cell] == pytest.approx(1 - 2 / 7)
    for cell in [(0, 3), (1, 3), (2, 3)]:
        assert safety[cell] == pytest.approx(1 - 4 / 10)
    assert safety[0, 0] == safety[1, 1] == 0


def test_knowledge_has_the_probabilities_exact_where_logic_decides() -> None:
    certain = 0
    for view, knowledge in positions():
        chances = knowledge.chances
        assert knowledge.chances is chances
        assert (np.isnan(chances) == (view.cells != HIDDEN)).all()
        np.testing.assert_allclose(chances, probabilities(view).chances, rtol=0, atol=1e-12)
        assert (chances[knowledge.safe_map] == 0).all()
        assert (chances[knowledge.mine_map] == 1).all()
        certain += int(knowledge.mine_map.sum())
        for values in (chances, knowledge.safe_map, knowledge.mine_map, knowledge.uncertain):
            with pytest.raises(ValueError, match="read-only"):
                values[0, 0] = 1
    assert certain > 100


def test_known_mines_are_taken_off_the_clues() -> None:
    view = View.from_text("3x3/3\n1##\n12#\n###")
    mines = np.zeros((3, 3), dtype=bool)
    mines[0, 1] = True
    safety = cell_safety(view, Knowledge(view, np.zeros_like(mines), mines))
    assert safety[0, 1] == 0
    # The 1 next to (2, 0) has its mine; the 2 needs one more among five cells.
    assert safety[2, 0] == pytest.approx((1 + (1 - 1 / 5)) / 2)
    assert safety[2, 2] == pytest.approx(1 - 1 / 5)


def test_estimates_stay_within_0_and_1() -> None:
    seen = 0
    for view, knowledge in positions():
        for values in (cell_safety(view, knowledge), unconstrained_progress(view.grid, knowledge)):
            assert ((values >= 0) & (values <= 1)).all(), view
        safety = cell_safety(view, knowledge)
        assert (safety[~knowledge.uncertain] == 0).all()
        assert (safety[knowledge.uncertain] > 0).all(), view
        seen += len(knowledge.uncertain_cells)
    assert seen > 1000


def test_unconstrained_progress_is_the_probability_of_a_zero() -> None:
    compared = 0
    for view, knowledge in positions():
        unconstrained = knowledge.uncertain & ~touches_clue(view)
        progress = unconstrained_progress(view.grid, knowledge)
        for cell in [cell for cell in knowledge.uncertain_cells if unconstrained[cell]]:
            others = [other for other in knowledge.uncertain_cells if other != cell]
            near = [other for other in neighbours(view.rows, view.cols, cell) if knowledge.uncertain[other]]
            spread = list(combinations(others, knowledge.remaining_mines))
            zeros = sum(not set(near) & set(mines) for mines in spread)
            assert progress[cell] == pytest.approx(zeros / len(spread) if near else 0), (view, cell)
            compared += 0 < zeros < len(spread)
    assert compared > 100


@pytest.mark.parametrize("has_kernel", [True, False])
def test_goes_on_equals_the_result_from_all_layouts(has_kernel: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not has_kernel:
        monkeypatch.setattr(kernel_api, "available", lambda: False)
    outcomes = {None: 0, True: 0, False: 0}
    for view, knowledge in positions(120 if has_kernel else 40):
        maps = layouts(view)
        for cell in knowledge.uncertain_cells:
            for clue in range(9):
                expected = goes_on_by_trying(view, maps, cell, clue)
                assert knowledge.goes_on(cell, clue) is expected, (view, cell, clue)
                outcomes[expected] += 1
    assert min(outcomes.values()) > 30, outcomes


def test_known_mines_and_open_cells_have_no_clues_to_suppose() -> None:
    view = View.from_text("1x3/1\n1##")
    knowledge = knowledge_of(view)
    assert knowledge.goes_on((0, 1), 0) is None
    with pytest.raises(BoardError, match="expected a hidden cell"):
        knowledge.goes_on((0, 0), 1)


def test_after_is_the_closure_of_the_supposed_view() -> None:
    view = View.from_text("3x4/4\n1###\n#2##\n####")
    knowledge = knowledge_of(view)
    assert knowledge.after((0, 1), 0) is None
    after = knowledge.after((0, 1), 1)
    assert after is not None
    assert after.mine_map[1, 0]
    assert after.safe_map[0, 2]


def test_frontier_progress_is_the_share_of_helpful_clues() -> None:
    for view, knowledge in positions(60):
        maps = layouts(view)
        touching = touches_clue(view)
        for cell in [cell for cell in knowledge.uncertain_cells if touching[cell]]:
            outcomes = [goes_on_by_trying(view, maps, cell, clue) for clue in range(9)]
            possible = [outcome for outcome in outcomes if outcome is not None]
            expected = sum(possible) / len(possible)
            assert frontier_progress(view, knowledge, cell) == pytest.approx(expected), (view, cell)


@pytest.mark.parametrize("weights", [(1.0, 0.2), (1.0, 0.0), (0.0, 1.0), (0.5, 2.0)])
def test_local_chooses_the_best_score_though_it_stops_early(weights: tuple[float, float]) -> None:
    safety_weight, progress_weight = weights
    for view, knowledge in positions(120):
        safety, unconstrained = cell_safety(view, knowledge), ~touches_clue(view)
        scores = {}
        for cell in knowledge.uncertain_cells:
            progress = (
                float(unconstrained_progress(view.grid, knowledge)[cell])
                if unconstrained[cell]
                else frontier_progress(view, knowledge, cell)
            )
            scores[cell] = safety_weight * float(safety[cell]) + progress_weight * progress
        choice = Local(safety=safety_weight, progress=progress_weight).choose(view, knowledge)
        assert scores[choice] == pytest.approx(max(scores.values())), view


def test_random_reaches_every_uncertain_cell_and_no_other() -> None:
    strategy = load_strategy("random")
    view, knowledge = next(pair for pair in positions() if pair[1].mine_map.any())
    strategy.begin(Random(1))
    chosen = {strategy.choose(view, knowledge) for _ in range(500)}
    assert chosen == set(knowledge.uncertain_cells)


def test_every_named_strategy_can_be_made_and_described() -> None:
    assert {name: info.load().name for name, info in STRATEGIES.items()} == {name: name for name in STRATEGIES}
    assert {"random", "local"} <= set(quick_strategies()) <= set(playable_strategies()) <= set(STRATEGIES)
    for name in playable_strategies():
        assert isinstance(load_strategy(name), Strategy)
    assert default_strategy() == ("champion" if kernel_api.available() else "local")


def test_without_the_kernel_its_strategies_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_api, "available", lambda: False)
    assert playable_strategies() == ["random", "published", "local"]
    assert default_strategy() == "local"
    with pytest.raises(StrategyError, match="strategy 'champion' needs the kernel"):
        load_strategy("champion")


def test_first_clicks_fit_every_board() -> None:
    for rows, cols in [(1, 1), (1, 7), (2, 2), (9, 9), (16, 30), (30, 50)]:
        row, col = usual_first_click(Grid(rows, cols), StartRule.OPENING)
        assert 0 <= row < rows
        assert 0 <= col < cols
        assert usual_first_click(Grid(rows, cols), StartRule.SAFE) == (0, 0)


OWN_MODULE = """
from minesweeper.player.play.strategies import Strategy

class Last(Strategy):
    name, revision = "last", 3
    def __init__(self, *, nth=1, loud=False):
        self.options = nth, loud
    def choose(self, view, knowledge):
        return knowledge.uncertain_cells[-1]

class Nameless(Strategy):
    choose = Last.choose
"""


def test_a_strategy_of_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_ways.py").write_text(OWN_MODULE)
    monkeypatch.chdir(tmp_path)
    strategy = load_strategy("own_ways:Last,nth=2,loud=yes")
    assert strategy.options == (2, True)  # type: ignore[attr-defined]
    assert result_name("own_ways:Last", strategy) == "own_ways:Last#3"
    assert result_name("local", load_strategy("local")) == "local"
    assert load_strategy("own_ways:Nameless").name == "Nameless"


def test_a_strategy_of_a_file_is_found_by_a_spawned_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "spawned.py").write_text(OWN_MODULE)
    monkeypatch.chdir(tmp_path)
    pickled = pickle.dumps(load_strategy("./spawned.py:Last,nth=2,loud=yes"))
    monkeypatch.delitem(sys.modules, next(name for name in sys.modules if name.startswith("strategy_spawned")))
    assert pickle.loads(pickled).options == (2, True)


def test_the_documented_example_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    documentation = strategies.__doc__ or ""
    example = documentation.partition(":\n\n")[2].partition("\n\nSaved as")[0]
    (tmp_path / "documented.py").write_text(textwrap.dedent(example))
    monkeypatch.chdir(tmp_path)
    view = View.from_text("2x3/1\n11#\n###")
    assert load_strategy("documented:ReadingOrder").choose(view, knowledge_of(view)) == (1, 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nope", "unknown strategy 'nope'; expected random, "),
        ("", "unknown strategy ''; expected random, "),
        ("Champoin", "unknown strategy 'Champoin' (did you mean 'champion'?); expected random, "),
        ("no_such_module:Thing", "cannot import 'no_such_module'"),
        (":Thing", "cannot import ''"),
        ("minesweeper.player.core.board:Board", "no strategy 'Board' in minesweeper.player.core.board"),
        ("minesweeper.player.play.strategies:Strategy", "'minesweeper.player.play.strategies:Strategy' cannot play"),
        ("local,safty=1", "unknown option 'safty' of strategy local (did you mean 'safety'?); options are safety, "),
        ("local,progress", "option progress of strategy local is '': expected a number"),
        ("local,progress=-1", "progress is -1.0: expected a number from 0"),
        ("local,progress=much", "option progress of strategy local is 'much': expected a number"),
        ("local,progress=nan", "progress is nan: expected a number from 0"),
        ("random,seed=1", "unknown option 'seed' of strategy random; random has no options"),
    ],
)
def test_strategies_that_cannot_be_loaded_are_named(text: str, message: str) -> None:
    with pytest.raises(StrategyError, match=re.escape(message)):
        load_strategy(text)


OWN_FILE = """
import numpy as np
from minesweeper.player.play.strategies import Strategy

class Mine(Strategy):
    name = "mine"
    def __init__(self, *, answer="numpy"):
        self.answer = answer
    def choose(self, view, knowledge):
        if self.answer == "error":
            return 1 // 0
        answers = {"none": None, "float": (0.0, 1.0), "text": "here", "numpy": np.argwhere(knowledge.uncertain)[0]}
        return answers[self.answer]
"""


@pytest.fixture
def own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "mine.py"
    path.write_text(OWN_FILE)
    return path


def test_a_file_is_a_strategy(own_file: Path) -> None:
    view = View.from_text("2x3/1\n11#\n###")
    for text in ("./mine.py", "mine.py:Mine", str(own_file)):
        strategy = load_strategy(text)
        assert result_name(text, strategy) == "mine.py:Mine"
        cell = choose_cell(strategy, view, knowledge_of(view))
        assert cell == (1, 0)
        assert all(type(number) is int for number in cell)
    assert result_name("./mine.py,answer=none", load_strategy("./mine.py,answer=none")) == "mine.py:Mine,answer=none"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("none", r"strategy mine chose None: expected a cell \(row, column\)"),
        ("float", r"strategy mine chose \(0.0, 1.0\): expected a cell"),
        ("text", "strategy mine chose 'here': expected a cell"),
        ("error", "strategy mine failed: ZeroDivisionError"),
    ],
)
def test_an_invalid_answer_of_a_file_is_one_line_and_its_traceback_is_logged(
    own_file: Path, answer: str, message: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    view = View.from_text("2x3/1\n11#\n###")
    with pytest.raises(StrategyError, match=message):
        choose_cell(load_strategy(f"./mine.py,answer={answer}"), view, knowledge_of(view))
    if answer == "error":
        assert "return 1 // 0" in caplog.text


def test_files_without_one_strategy_are_refused(own_file: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("1 // 0\n")
    (tmp_path / "wrong.py").write_text("def\n")
    (tmp_path / "empty.py").write_text("from minesweeper.player.play.strategies import Strategy\n")
    (tmp_path / "two.py").write_text(OWN_FILE + OWN_FILE.replace("Mine", "Yours"))
    for text, message in {
        "absent.py": "no such file: 'absent.py'",
        "broken.py": "file 'broken.py' failed: ZeroDivisionError",
        "wrong.py": "file 'wrong.py' failed: SyntaxError",
        "empty.py": "found no class with a method choose.* or moves.* in 'empty.py'",
        "two.py": "found Mine and Yours in 'two.py'",
        "two.py:Ours": "no strategy 'Ours' in two.py",
    }.items():
        with pytest.raises(StrategyError, match=message):
            load_strategy(text)
    assert load_strategy("two.py:Yours").name == "mine"


def test_options_and_revisions_are_described() -> None:
    assert describe_options(Local) == "safety=1.0,progress=0.2"
    assert revision_note(["local", "champion#2"]) == (
        "champion#2: revision 2 of the strategy; results of other revisions are separate"
    )
    assert revision_note(["local"]) is None
