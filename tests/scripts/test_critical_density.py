"""The study of mine density: fits against known answers, and the command that goes on where it stopped."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from generator.sampling import Recipe
from player.autoplay import play
from player.strategies import load_strategy

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from density_study import LOGIC, Curve, Family, Fit, Points, count_wins, fit_curve, fit_limit, fit_logistic, fit_power  # noqa: E402

SCRIPT = [sys.executable, str(ROOT / "scripts" / "critical_density.py")]
ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT)}
FAMILY = Family("local", 8, "safe", (0, 0), 5)
STUDY = """
seed: 3
claim: 0.159
critical: {players: [local, logic], start: safe, first_click: corner, sides: [5, 6], densities: [0.08, 0.16, 0.4],
           games: %d}
scaling: {start: opening, first_click: center, sides: {10: 20, 16: 20}, scaled_densities: [0.2, 0.5, 0.9],
          smallest_side_fitted: 10}
"""


def made_up(critical: float, width: float, games: int, seed: int) -> Curve:
    density = np.linspace(critical - 3 * width, critical + 3 * width, 9)
    rates = 1 / (1 + np.exp((density - critical) / width))
    wins = np.random.default_rng(seed).binomial(games, rates)
    return Curve(FAMILY, density, np.full(9, games), wins)


def test_exact_rates_give_back_the_curve() -> None:
    density = np.linspace(0.1, 0.2, 7)
    games = np.full(7, 10**9)
    wins = np.round(games / (1 + np.exp((density - 0.147) / 0.013)))
    critical, width = fit_logistic(density, games, wins[np.newaxis])
    assert critical[0] == pytest.approx(0.147, abs=1e-7)
    assert width[0] == pytest.approx(0.013, abs=1e-7)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    fits = [fit_curve(made_up(0.2, 0.03, 100, seed), seed) for seed in range(200)]
    inside = sum(fit.interval[0] <= 0.2 <= fit.interval[1] for fit in fits if fit)
    # 95% of 200 are 190; a binomial count is outside 179 to 199 once in about 4000 times.
    assert 179 <= inside <= 199


def test_a_step_is_found_between_its_points() -> None:
    curve = Curve(FAMILY, np.array([0.1, 0.2, 0.3, 0.4]), np.full(4, 50), np.array([50, 50, 0, 0]))
    fit = fit_curve(curve)
    assert fit is not None
    assert 0.2 < fit.interval[0] <= fit.critical <= fit.interval[1] < 0.3


def test_no_crossing_no_critical_density() -> None:
    assert fit_curve(Curve(FAMILY, np.array([0.1, 0.2]), np.full(2, 50), np.array([50, 30]))) is None


def test_a_power_law_is_given_back() -> None:
    cells = [100, 1000, 10_000, 100_000]
    random = np.random.default_rng(1)
    fits = [Fit(2 * n**-0.2, 0.01, 2 * n**-0.2 * np.exp(random.normal(0, 0.01, 1000))) for n in cells]
    power = fit_power(cells, fits)
    assert (power.factor, power.exponent) == (pytest.approx(2), pytest.approx(-0.2))
    assert power.low < -0.2 < power.high
    assert power.high - power.low < 0.02


def test_a_limit_is_given_back() -> None:
    random = np.random.default_rng(2)
    values = {side: 0.16 + 0.5 / side for side in (8, 16, 32, 64)}
    fits = [Fit(value, 0.01, random.normal(value, 0.002, 1000)) for value in values.values()]
    limit = fit_limit(list(values), fits)
    assert limit.value == pytest.approx(0.16)
    assert 0.155 < limit.low < 0.16 < limit.high < 0.165


def test_wins_are_those_of_the_games() -> None:
    recipe = Recipe(8, 8, 10, (0, 0), "safe", 5)
    local = [play(recipe.puzzle(index), load_strategy("local"), seed=5) for index in range(5, 30)]
    assert count_wins("local", recipe, range(5, 30)) == sum(game.won for game in local)
    assert count_wins(LOGIC, recipe, range(5, 30)) == sum(game.won and not game.guesses for game in local)


def test_points_add_up_and_a_gap_is_noticed(tmp_path: Path) -> None:
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


def study(folder: Path, games: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "study.yaml").write_text(STUDY % games)
    command = [*SCRIPT, "--config", "study.yaml", "--output", "out", *arguments]
    return subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)


def totals(folder: Path) -> dict[tuple[str, ...], tuple[int, int]]:
    found: dict[tuple[str, ...], tuple[int, int]] = {}
    with (folder / "out" / "points.csv").open() as file:
        for row in csv.DictReader(file):
            key = row["player"], row["rows"], row["mines"], row["start"]
            games, wins = found.get(key, (0, 0))
            found[key] = games + int(row["games"]), wins + int(row["wins"])
    return found


def test_a_study_goes_on_where_it_stopped(tmp_path: Path) -> None:
    once, twice = tmp_path / "once", tmp_path / "twice"
    once.mkdir()
    twice.mkdir()
    result = study(once, 25, "--workers", "2")
    assert result.returncode == 0, result.stderr
    study(twice, 11, "--workers", "1")
    study(twice, 25)
    assert totals(twice) == totals(once)
    page = (once / "out" / "README.md").read_text()
    assert page == (twice / "out" / "README.md").read_text()
    for name in re.findall(r'(?:src|srcset)="(.*?)"', page):
        assert (once / "out" / name).read_bytes().startswith(b"\x89PNG")
    before = totals(once)
    assert study(once, 25, "--only-page").returncode == 0
    assert totals(once) == before


@pytest.mark.parametrize(
    ("old", "new"),
    [("seed: 3", "sed: 3"), ("local,", "nobody,"), ("0.4]", "1.4]"), ("[5, 6]", "[5, 0]"), ("safe", "sure")],
)
def test_wrong_settings_are_one_line(tmp_path: Path, old: str, new: str) -> None:
    (tmp_path / "study.yaml").write_text((STUDY % 5).replace(old, new))
    command = [*SCRIPT, "--config", "study.yaml", "--output", "out"]
    result = subprocess.run(command, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True)
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()
