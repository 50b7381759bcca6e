"""Fits of all measured curves, as rows of a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from fits import Fit, Line, fit_curve, fit_limit, fit_power
from points import Curve, Family, Points

from minesweeper.player.core.recipe import StartRule
from minesweeper.scripts.console.terminal import columns

FIT_COLUMNS: Final = columns("study, player, start, side, critical_density, low, high, slope, deviance, freedom, games")
LINE_COLUMNS: Final = columns("line, player, start, sides, value, low, high, chi_squared, freedom")

Families = Mapping[Family, Sequence[int]]
"""The numbers of mines to fit, by family."""
Fitted = tuple[Curve, Fit | None]
Series = tuple[str, StartRule]
"""A player and its start rule."""
Groups = Mapping[Series, Sequence[Fitted]]


def fit_critical(points: Points, families: Families, *, far_too: bool = False) -> Groups:
    """Fit logistic curves to the measured families, grouped by player and start; `far_too` as in `fit_curve`."""
    groups: dict[Series, list[Fitted]] = {}
    for family, mines in families.items():
        curve = points.curve(family, mines)
        if len(curve.games):
            fit = fit_curve(curve, "logistic", far_too=far_too)
            groups.setdefault((family.player, family.rule), []).append((curve, fit))
    return groups


def fit_scaling(points: Points, families: Families) -> list[Fitted]:
    """Fit Poisson curves to the measured families."""
    curves = [points.curve(family, mines) for family, mines in families.items()]
    return [(curve, fit_curve(curve, "poisson")) for curve in curves if len(curve.games)]


def common_side(groups: Groups) -> int:
    """Return the side measured for most groups; of several, the largest."""
    sides = Counter(curve.family.side for fitted in groups.values() for curve, _ in fitted)
    return max(sides, key=lambda side: (sides[side], side))


def at_side(groups: Groups, side: int) -> dict[Series, Fitted]:
    """Return the fit at one side of each group that has one."""
    found = {series: [one for one in fitted if one[0].family.side == side] for series, fitted in groups.items()}
    return {series: fitted[0] for series, fitted in found.items() if fitted}


def fit_rows(study: str, fitted: Sequence[Fitted]) -> Iterator[dict[str, Any]]:
    """Yield a row for each curve that crosses one half."""
    for curve, fit in fitted:
        if fit:
            low, high = fit.interval
            yield {
                "study": study,
                "player": curve.family.player,
                "start": curve.family.rule,
                "side": curve.family.side,
                "critical_density": f"{fit.critical:.5f}",
                "low": f"{low:.5f}",
                "high": f"{high:.5f}",
                "slope": f"{fit.slope:.5f}",
                "deviance": f"{fit.deviance:.2f}",
                "freedom": fit.freedom,
                "games": int(curve.games.sum()),
            }


def line_rows(groups: Groups, scaled: Sequence[Fitted], smallest_side: int) -> Iterator[dict[str, Any]]:
    """Yield the limit of ``limit + c / side`` for each group, and the exponents of powers of the number of cells."""
    for series, fitted in groups.items():
        known = [(curve.family.side, fit) for curve, fit in fitted if fit]
        if len(known) > 1:
            sides, fits = [side for side, _ in known], [fit for _, fit in known]
            yield _line_row("limit", series, sides, fit_limit(sides, fits))
    found = [(curve.family, fit) for curve, fit in scaled if fit]
    large = [one for one in found if one[0].side >= smallest_side]
    for part in [*pairwise(found), *([large] if len(large) > 1 else [])]:
        line = fit_power([family.cells for family, _ in part], [fit for _, fit in part])
        family = part[0][0]
        yield _line_row("exponent", (family.player, family.rule), [family.side for family, _ in part], line)


def _line_row(name: str, series: Series, sides: Sequence[int], line: Line) -> dict[str, Any]:
    interval = line.level if name == "limit" else line.slope
    return {
        "line": name,
        "player": series[0],
        "start": series[1],
        "sides": f"{sides[0]} to {sides[-1]}",
        "value": round(interval.value, 4),
        "low": round(interval.low, 4),
        "high": round(interval.high, 4),
        "chi_squared": round(line.misfit, 1),
        "freedom": line.freedom,
    }
