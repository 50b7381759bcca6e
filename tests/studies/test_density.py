"""The study of mine density: fits against known answers, and the program that continues after an interruption."""

import csv
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from density import main, measure, read_tasks
from fits import Fit, Shape, fit_curve, fit_limit, fit_power, fit_shape, student, widening
from numpy.typing import NDArray
from obstacles import OBSTACLES, critical_density, expected
from points import LOGIC, Curve, Family, Points, count_wins
from processes import error_line
from results import Fitted, fit_rows, line_rows

from minesweeper.player.core.errors import ConfigError
from minesweeper.player.core.recipe import Recipe, StartRule
from minesweeper.player.play.games import play
from minesweeper.player.play.strategies.loading import load_strategy
from minesweeper.scripts.console.settings import read_settings

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
FAMILY = Family("local", 8, "safe", (0, 0), 5)
STUDY = """
seed: 3
claim: 0.159
critical: {players: [local, logic], start: safe, first_click: corner, sides: {5: [%d, 2.0], 6: [25, 0.2]},
           densities: [0.08, 0.16, 0.4], also: [{player: logic, start: opening, sides: {6: [20, 0.2]}}]}
scaling: {start: opening, first_click: center, sides: {10: 20, 16: 20}, scaled_densities: [0.2, 0.5, 0.9],
          smallest_side_fitted: 10}
"""


def rates(shape: Shape, density: NDArray[np.float64], critical: float, steepness: float) -> NDArray[np.float64]:
    """Return win rates by formulas other than those of the fit: odds, and the probability of no event."""
    if shape == "logistic":
        odds = np.exp(steepness * (critical - density))
        return np.asarray(odds / (1 + odds))
    return np.asarray(0.5 ** ((density / critical) ** steepness))


def made_up(shape: Shape, critical: float, steepness: float, games: int, seed: int) -> Curve:
    density = critical * np.linspace(0.5, 1.5, 9)
    wins = np.random.default_rng(seed).binomial(games, rates(shape, density, critical, steepness))
    return Curve(FAMILY, density, np.full(9, games), wins)


SHAPES: list[tuple[Shape, float]] = [("logistic", 40.0), ("poisson", 4.5)]


@pytest.mark.parametrize(("shape", "steepness"), SHAPES)
def test_exact_rates_give_back_the_curve(shape: Shape, steepness: float) -> None:
    density = np.linspace(0.1, 0.2, 7)
    games = np.full(7, 10**9)
    wins = np.round(games * rates(shape, density, 0.147, steepness)).astype(np.int64)
    critical, _ = fit_shape(shape, density, games, wins[np.newaxis])
    assert critical[0] == pytest.approx(0.147, abs=1e-7)
    fit = fit_curve(Curve(FAMILY, density, games, wins), shape)
    assert fit is not None
    assert fit.rate(density) == pytest.approx(rates(shape, density, 0.147, steepness), abs=1e-6)
    rise = 1e-5
    fall = rates(shape, 0.147 * np.exp(np.array([0, rise])), 0.147, steepness)
    assert fit.slope == pytest.approx((fall[0] - fall[1]) / rise, rel=1e-3)
    assert fit.deviance < 0.1


@pytest.mark.parametrize(("shape", "steepness"), SHAPES)
def test_95_percent_intervals_contain_the_truth_in_95_percent(shape: Shape, steepness: float) -> None:
    found = [fit_curve(made_up(shape, 0.2, steepness, 100, seed), shape, seed, resamples=300) for seed in range(200)]
    inside = sum(fit.interval[0] <= 0.2 <= fit.interval[1] for fit in found if fit)
    # 95% of 200 are 190; a binomial count is outside 179 to 199 once in about 4000 times.
    assert 179 <= inside <= 199
    deviance = np.mean([fit.deviance / fit.freedom for fit in found if fit])
    assert 0.8 < deviance < 1.3


@pytest.mark.parametrize(("shape", "steepness"), SHAPES)
def test_intervals_widen_where_points_scatter_more_than_chance(shape: Shape, steepness: float) -> None:
    games, times, density, random = 100, 3, 0.2 * np.linspace(0.5, 1.5, 9), np.random.default_rng(8)
    sure = rates(shape, density, 0.2, steepness)
    # Each point has its own rate from a beta distribution, so that wins vary `times` as much as binomial ones.
    size = (games - times) / (times - 1)
    own = random.beta(size * sure, size * (1 - sure), size=(150, 9))
    curves = [Curve(FAMILY, density, np.full(9, games), wins) for wins in random.binomial(games, own)]
    found = [fit for curve in curves if (fit := fit_curve(curve, shape, resamples=200))]
    # 94% of 150 are 141; a binomial count is below 131 once in a thousand times.
    assert sum(fit.interval[0] <= 0.2 <= fit.interval[1] for fit in found) >= 131
    inside = 0
    for fit in found:
        plain = (fit.draws / fit.critical) ** (1 / widening(fit.deviance, fit.freedom))
        low, high = fit.critical * np.quantile(plain, [0.025, 0.975])
        inside += low <= 0.2 <= high
    assert inside < 123


def test_students_t_has_the_values_of_the_tables() -> None:
    tables = {1: 12.706, 2: 4.303, 3: 3.182, 10: 2.228, 30: 2.042, 120: 1.980}
    assert {freedom: round(student(freedom), 3) for freedom in tables} == tables
    assert [widening(*case) for case in [(2.0, 3), (5.0, 0), (3.0, 3)]] == [1, 1, 1]
    assert widening(12.0, 3) == pytest.approx(2 * 3.1824 / 1.96, rel=1e-4)


def test_the_fit_to_all_points_is_biased_unless_rates_are_logistic() -> None:
    honest = made_up("logistic", 0.2, 40.0, 10_000, 3)
    near, whole = fit_curve(honest), fit_curve(honest, far_too=True)
    assert near is not None
    assert whole is not None
    assert [near.used.all(), whole.used.all()] == [False, True]
    assert whole.critical == pytest.approx(near.critical, abs=0.001)
    skew = made_up("poisson", 0.2, 4.5, 10_000, 3)
    near, whole = fit_curve(skew), fit_curve(skew, far_too=True)
    assert near is not None
    assert whole is not None
    assert whole.deviance / whole.freedom > 10
    assert abs(whole.critical - 0.2) > 2 * abs(near.critical - 0.2)


def test_a_step_is_found_between_its_points() -> None:
    curve = Curve(FAMILY, np.array([0.1, 0.2, 0.3, 0.4]), np.full(4, 50), np.array([50, 50, 0, 0]))
    for shape, _ in SHAPES:
        fit = fit_curve(curve, shape)
        assert fit is not None
        assert 0.2 < fit.interval[0] <= fit.critical <= fit.interval[1] < 0.3


def test_no_crossing_no_critical_density() -> None:
    assert fit_curve(Curve(FAMILY, np.array([0.1, 0.2]), np.full(2, 50), np.array([50, 30]))) is None


def fits_at(values: list[float], spread: float) -> list[Fit]:
    random = np.random.default_rng(1)
    return [Fit("logistic", v, 1.0, v * np.exp(random.normal(0, spread, 1000)), np.full(9, True)) for v in values]


def test_a_power_law_is_given_back() -> None:
    cells = [100, 1000, 10_000, 100_000]
    power = fit_power(cells, fits_at([2 * n**-0.2 for n in cells], 0.01))
    assert (np.exp(power.level.value), power.slope.value) == (pytest.approx(2), pytest.approx(-0.2))
    assert power.slope.low < -0.2 < power.slope.high
    assert power.slope.high - power.slope.low < 0.02
    assert (power.misfit, power.freedom) == (pytest.approx(0, abs=1e-9), 2)
    bent = fit_power(cells, fits_at([2 * n**-0.2 * (1 + 10 / n) for n in cells], 0.01))
    assert bent.misfit > 10
    assert bent.slope.margin > 3 * power.slope.margin


def test_a_limit_is_given_back() -> None:
    values = {side: 0.16 + 0.5 / side for side in (8, 16, 32, 64)}
    limit = fit_limit(list(values), fits_at(list(values.values()), 0.01)).level
    assert limit.value == pytest.approx(0.16)
    assert 0.155 < limit.low < 0.16 < limit.high < 0.165


def mine_swaps(rows: int, cols: int, most: int, beyond: tuple[int, int, int, int]) -> list[tuple[int, int]]:
    """Return the numbers of mines and safe cells of the mine swaps of a window with at most `most` mines.

    A swap changes every row and column of the window. `beyond` has the numbers of rows and columns above, below, left
    and right of the window; each cell there whose clue would change has to be a mine.
    """
    above, below, left, right = beyond
    found = []
    for change in product((-1, 0, 1), repeat=rows * cols):
        grid = np.array(change).reshape(rows, cols)
        if grid.sum() or not (grid.any(axis=0).all() and grid.any(axis=1).all()):
            continue
        wide = np.pad(grid, ((above, below), (left, right)))
        seen = np.pad(wide, 1)
        seen = sum(seen[r : r + len(wide), c : c + len(wide[0])] for r in range(3) for c in range(3)) - wide
        mines = int((grid == 1).sum()) + int(((seen != 0) & (wide == 0)).sum())
        if mines <= most:
            found.append((mines, int((grid == -1).sum())))
    return found


@pytest.mark.parametrize(("most", "beyond"), [(6, (1, 1, 1, 1)), (4, (0, 1, 1, 1)), (3, (0, 1, 0, 1))])
def test_there_are_no_other_obstacles_as_small(most: int, beyond: tuple[int, int, int, int]) -> None:
    found = [one for rows in (1, 2, 3) for cols in (1, 2, 3) for one in mine_swaps(rows, cols, most, beyond)]
    # Each variant is one layout; both orientations in a corner are among the windows.
    known = [(one.mines, one.safe) for one in OBSTACLES if one.mines == most for _ in range(one.ways)]
    assert sorted(found) == sorted(known)


def test_obstacles_have_the_expected_number() -> None:
    side, density, boards = 40, 0.2, 2000
    random = np.random.default_rng(4)
    seen = 0
    for _ in range(boards):
        mines = random.random((side, side)) < density
        a, b, c, d = mines[1:-2, 1:-2], mines[1:-2, 2:-1], mines[2:-1, 1:-2], mines[2:-1, 2:-1]
        corners = mines[:-3, :-3] & mines[:-3, 3:] & mines[3:, :-3] & mines[3:, 3:]
        seen += int((corners & (a == d) & (b == c) & (a != b)).sum())
    wanted = boards * expected(side, density, OBSTACLES[:1])
    assert abs(seen - wanted) < 4 * wanted**0.5
    assert expected(100, critical_density(100)) == pytest.approx(np.log(2), rel=1e-6)


def test_count_wins_agrees_with_single_games() -> None:
    recipe = Recipe("8x8/10", click=(0, 0), rule="safe", seed=5)
    local = [play(recipe.puzzle(index), load_strategy("local"), seed=5) for index in range(5, 30)]
    assert count_wins("local", recipe, range(5, 30)) == sum(game.won for game in local)
    assert count_wins(LOGIC, recipe, range(5, 30)) == sum(game.won and not game.guesses for game in local)


def test_densities_share_no_board() -> None:
    assert not set(FAMILY.indices(10, 0, 1000)) & set(FAMILY.indices(11, 0, 1000))
    assert FAMILY.indices(10, 7, 9) == FAMILY.indices(10, 0, 9)[7:]


def test_points_add_up_and_a_gap_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    points = Points(path)
    points.add(FAMILY, 10, 30, 20)
    points.add(FAMILY, 10, 5, 1)
    again = Points(path)
    assert (again.games[FAMILY, 10], again.wins[FAMILY, 10]) == (35, 21)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], lines[2]]))
    with pytest.raises(ValueError, match="expected the games from 0 on"):
        Points(path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (",20\n", ",31\n"),
        (",20\n", ",-1\n"),
        ("8,8", "8,9"),
        ("30,20", "30"),
        ("safe", "sure"),
        ("0,0", "0"),
        ("10", "x"),
    ],
)
def test_wrong_points_are_an_error(tmp_path: Path, old: str, new: str) -> None:
    path = tmp_path / "points.csv"
    Points(path).add(FAMILY, 10, 30, 20)
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(ConfigError, match="expected"):
        Points(path)


def study(folder: Path, *arguments: str) -> Result:
    folder.mkdir(exist_ok=True)
    (folder / "study.yaml").write_text(STUDY % 25)
    return CliRunner().invoke(
        main, ["--config", str(folder / "study.yaml"), "--output", str(folder / "out"), *arguments]
    )


def totals(folder: Path) -> dict[tuple[str, ...], tuple[int, int]]:
    found: dict[tuple[str, ...], tuple[int, int]] = {}
    with (folder / "out" / "points.csv").open() as file:
        for row in csv.DictReader(file):
            key = row["player"], row["rows"], row["mines"], row["start"]
            games, wins = found.get(key, (0, 0))
            found[key] = games + int(row["games"]), wins + int(row["wins"])
    return found


def test_a_study_continues_after_an_interruption(tmp_path: Path) -> None:
    once, twice = tmp_path / "once", tmp_path / "twice"
    result = study(once, "--workers", "1")
    assert result.exit_code == 0, result.stderr
    for name, theme in product(("critical", "scaling"), ("light", "dark")):
        assert (once / "out" / f"{name}-{theme}.png").read_bytes().startswith(b"\x89PNG")
    (twice / "out").mkdir(parents=True)
    (twice / "study.yaml").write_text(STUDY % 25)
    points, settings = twice / "out" / "points.csv", read_settings(twice / "study.yaml")
    tasks = [*read_tasks(settings)[0], *read_tasks(settings)[1]]
    # Interrupted within a point, then with fewer games wanted, and then to the end.
    asked = iter([False] * 20)
    measure(Points(points), tasks, 1, lambda: next(asked, True))
    stopped = totals(twice)
    assert 0 < sum(games for games, _ in stopped.values()) < sum(games for games, _ in totals(once).values())
    measure(Points(points), [replace(task, games=min(task.games, 11)) for task in tasks], 1, lambda: False)
    assert stopped != totals(twice) != totals(once)
    measure(Points(points), tasks, 1, lambda: False)
    assert totals(twice) == totals(once)
    again = study(twice, "--only-fit", "--no-charts")
    assert (again.exit_code, again.stdout) == (0, result.stdout)
    assert totals(twice) == totals(once)
    assert (once / "out" / "critical.csv").read_text() == (twice / "out" / "critical.csv").read_text()


def test_the_table_has_every_fit_and_line() -> None:
    density = np.linspace(0.1, 0.3, 5)
    families = {side: Family("local", side, StartRule.SAFE, (0, 0), 5) for side in (16, 32)}
    fitted: list[Fitted] = []
    for side, critical in ((16, 0.2), (32, 0.18)):
        wins = np.round(1000 * rates("logistic", density, critical, 40)).astype(np.int64)
        curve = Curve(families[side], density, np.full(5, 1000), wins)
        fitted.append((curve, fit_curve(curve)))
    rows = [*fit_rows("critical", fitted)]
    assert [float(row["critical_density"]) for row in rows] == [
        pytest.approx(0.2, abs=1e-3),
        pytest.approx(0.18, abs=1e-3),
    ]
    assert [(row["side"], row["games"]) for row in rows] == [(16, 5000), (32, 5000)]
    lines = [*line_rows({("local", StartRule.SAFE): fitted}, fitted, 16)]
    assert [line["line"] for line in lines] == ["limit", "exponent", "exponent"]
    assert lines[0]["value"] == pytest.approx(0.16, abs=2e-3)
    assert lines[1]["value"] == pytest.approx(np.log(0.9) / np.log(4), abs=2e-3)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("seed: 3", "sed: 3"),
        ("local,", "nobody,"),
        ("0.4],", "1.4],"),
        ("6: [25", "0: [25"),
        ("6: [25, 0.2]", "6: 25"),
        ("6: [25, 0.2]", "6: [25]"),
        ("6: [25, 0.2]", "6: [25, 0.01]"),
        ("safe", "sure"),
        ("opening, sides", "sure, sides"),
        ("player: logic", "play: logic, start: 1, player: nobody"),
        ("{player: logic, start: opening, sides: {6: [20, 0.2]}}", "logic"),
        ("also: [", "also: 7, more: ["),
        ("0.159", "half"),
        ("0.159", ".nan"),
        ("0.159", "[0.1]"),
        ("seed: 3", "seed: .inf"),
        ("seed: 3", "seed: -1"),
        ("10: 20", "0: 20"),
        ("10: 20", "-8: 20"),
        ("10: 20", "10: 0"),
        ("10: 20", "10: .inf"),
        ("10: 20", f"10: {10**30}"),
        ("0.9]", "0.9, .nan]"),
        ("smallest_side_fitted: 10", "smallest_side_fitted: all"),
        ("seed: 3", "seed: 3\n- 4"),
        ("seed: 3", "seed: !!python/object/apply:os.getcwd []"),
    ],
)
def test_wrong_settings_are_rejected_in_one_line(tmp_path: Path, old: str, new: str) -> None:
    (tmp_path / "study.yaml").write_text((STUDY % 5).replace(old, new))
    error_line(CliRunner().invoke(main, ["--config", str(tmp_path / "study.yaml"), "--output", str(tmp_path / "out")]))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["study.yaml", "large.yaml"])
def test_the_study_files_are_valid(name: str) -> None:
    critical, scaling = read_tasks(read_settings(ROOT / "docs" / "studies" / "density" / name))
    assert {task.family.side for task in scaling} >= {32, 1000}
    assert all(task.mines and task.games for task in [*critical, *scaling])
