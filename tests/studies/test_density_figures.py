"""The numbers in the README of the density study, fitted again to points.csv."""

import math
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from density import read_tasks
from fits import Fit, Shape, fit_curve
from points import Curve, Family, Points

from minesweeper.scripts.console.settings import read_settings

pytestmark = pytest.mark.long

FOLDER = Path(__file__).parents[2] / "docs" / "studies" / "density"
PAGE = (FOLDER / "README.md").read_text()
CRITICAL, SCALING = (
    {task.family: task.mines for task in tasks} for tasks in read_tasks(read_settings(FOLDER / "study.yaml"))
)


def rows(head: str) -> list[list[str]]:
    """Return the cells of the table whose header begins with `head`."""
    table = PAGE[PAGE.index(f"| {head}") :].split("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]


def fits(
    families: Mapping[Family, Sequence[int]], shape: Shape, *, far_too: bool = False
) -> dict[tuple[str, str, int], tuple[Curve, Fit]]:
    """Return the fits of all families, by player, start and side."""
    points = Points(FOLDER / "points.csv")
    curves = {family: points.curve(family, mines) for family, mines in families.items()}
    return {
        (family.player, str(family.rule), family.side): (curve, fit)
        for family, curve in curves.items()
        if (fit := fit_curve(curve, shape, far_too=far_too, resamples=2))
    }


def same(printed: str, found: float, step: float) -> bool:
    """Return whether a printed number is `found`, up to 0.7 of its last digit."""
    return abs(float(printed) - found) < 0.7 * step


def test_critical_densities() -> None:
    found, fitted = 0, fits(CRITICAL, "logistic")
    for player, start, board, printed, _, deviance, games in rows("player | start | board"):
        if printed.startswith("0."):
            curve, fit = fitted[player, start, int(board.split("x")[0])]
            assert int(games) == curve.games.sum(), (player, board, start)
            assert same(printed, fit.critical, 1e-4), (player, board, start)
            assert same(deviance.split(" / ")[0], fit.deviance, 0.1)
            found += 1
    assert found >= 24


def test_fits_near_one_half_and_to_all_points() -> None:
    side = re.search(r"at side (\d+)\.\n\n\| player \| start \| near", PAGE)
    assert side is not None
    near, every = fits(CRITICAL, "logistic"), fits(CRITICAL, "logistic", far_too=True)
    for player, start, printed, _, _, whole, _, deviance, _ in rows("player | start | near"):
        key = player, start, int(side[1])
        assert same(printed, near[key][1].critical, 1e-4)
        assert same(whole, every[key][1].critical, 1e-4)
        assert same(deviance.split(" / ")[0], every[key][1].deviance, 0.1)


def test_scaling_and_exponents() -> None:
    critical: list[tuple[int, float]] = []
    fitted = fits(SCALING, "poisson")
    for board, printed, _, deviance, _, product, _ in rows("board | density p"):
        side = int(board.split("x")[0])
        _, fit = fitted["logic", "opening", side]
        assert same(printed, fit.critical, 1e-4)
        assert same(product, fit.critical * side ** (1 / 3), 1e-3)
        assert same(deviance.split(" / ")[0], fit.deviance, 0.1)
        critical.append((side, fit.critical))
    exponents = [cells[2] for cells in rows("from | to")]
    for printed, ((one, high), (other, low)) in zip(exponents, pairwise(critical), strict=True):
        assert same(printed, math.log(low / high) / math.log(other**2 / one**2), 1e-3)
