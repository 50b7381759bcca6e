"""The charts of the density study, each in light and dark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from fits import LN2, Fit
from numpy.typing import NDArray
from obstacles import LIMIT, critical_density
from points import Curve
from results import Fitted, Groups, Series, at_side, common_side

from minesweeper.player.core.recipe import StartRule
from minesweeper.player.play.stats import wilson
from minesweeper.scripts.console.charts import COLOURS, TEXT_SIZE, Theme, drawing, name_ends, shades, style_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_Floats = NDArray[np.float64]


def draw_critical(groups: Groups, claim: float, path: Path, theme: Theme) -> None:
    """Draw win rates at one side, and critical densities against the side of the board."""
    side = common_side(groups)
    with _panels(path, theme) as (left, right):
        drawn = _drawn(groups)
        colours = dict(zip(drawn, shades(len(drawn), theme), strict=True))
        shown = at_side(drawn, side)
        _draw_curves(left, [(_short(series), colours[series], *fitted) for series, fitted in shown.items()], 0)
        left.set_title(f"Games won on {side}x{side}, %", loc="left")
        left.set_xlabel("mines per cell")
        left.locator_params(axis="x", nbins=5)
        right.axhline(claim, color=COLOURS[theme]["dim"], linestyle="--", linewidth=1)
        ends = [(f"claimed: {claim:g}", COLOURS[theme]["dim"], claim)]
        least, most = claim, claim
        for series, fitted in drawn.items():
            sides, values, reach = _measured(fitted)
            if sides:
                right.errorbar(sides, values, yerr=reach, fmt="o-", color=colours[series], capsize=2, markersize=4)
                ends.append((_short(series), colours[series], float(values[-1])))
                least, most = min(least, *values), max(most, *values)
        # Intervals of few games are cut off, so that the other values remain distinguishable.
        right.set_ylim(0.85 * least, 1.1 * most)
        right.set_title("Critical density", loc="left")
        _side_axis(right, sorted({curve.family.side for fitted in groups.values() for curve, _ in fitted}))
        name_ends(right, ends)


def draw_scaling(fitted: Sequence[Fitted], path: Path, theme: Theme) -> None:
    """Draw solvable shares of three sizes against density * cells^(1/6), and critical densities against the side."""
    dim = COLOURS[theme]["dim"]
    known = [(curve, fit) for curve, fit in fitted if fit]
    few = [known[place] for place in sorted({0, len(known) // 2, len(known) - 1})]
    with _panels(path, theme) as (left, right):
        named = [f"{curve.family.side}" for curve, _ in few]
        colours = shades(len(few), theme)
        _draw_curves(
            left, list(zip(named, colours, *zip(*few, strict=True), strict=True)), 1 / 6, [("n → ∞", dim, LIMIT)]
        )
        x = np.linspace(*left.get_xlim(), 200)
        left.plot(x, 100 * np.exp(-LN2 * (x / LIMIT) ** 6), "--", color=dim, linewidth=1)
        left.set_title("Boards solved, by side, %", loc="left")
        left.set_xlabel("mines per cell · n$^{1/6}$")
        sides, values, reach = _measured(fitted)
        counted, limit = [critical_density(side) for side in sides], LIMIT * np.array(sides) ** (-1 / 3)
        best, dot = COLOURS[theme]["best"], COLOURS[theme]["dot"]
        right.plot(sides, counted, color=best)
        right.errorbar(sides, values, yerr=reach, fmt="o-", color=dot, capsize=2, markersize=4)
        right.plot(sides, limit, "--", color=dim, linewidth=1)
        right.set_title("Critical density", loc="left")
        right.set_yscale("log")
        # The range has no power of ten, which are the default labels of a logarithmic axis.
        ticks = [0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3]
        shown = [tick for tick in ticks if 0.9 * values.min() < tick < 1.1 * max(limit)]
        right.set_yticks(shown, [f"{tick:g}" for tick in shown])
        right.set_yticks([], minor=True)
        _side_axis(right, sides)
        ends = [("measured", dot, float(values[-1])), ("counted obstacles", best, counted[-1])]
        name_ends(right, [*ends, ("n → ∞", dim, float(limit[-1]))])


def _drawn(groups: Groups) -> Groups:
    """Return the groups of several sides, and those of players that would otherwise be missing from the chart."""
    several = {series: fitted for series, fitted in groups.items() if len(fitted) > 1}
    players = {player for player, _ in several}
    return several | {series: fitted for series, fitted in groups.items() if series[0] not in players}


def _short(series: Series) -> str:
    player, rule = series
    return player if rule is StartRule.SAFE else f"{player}, {rule}"


def _measured(fitted: Sequence[Fitted]) -> tuple[list[int], _Floats, _Floats]:
    """Return sides, their critical densities, and the distances to both ends of the intervals."""
    fits = [fit for _, fit in fitted if fit]
    values = np.array([fit.critical for fit in fits])
    reach = np.abs(np.array([fit.interval for fit in fits]).reshape(-1, 2).T - values)
    return [curve.family.side for curve, fit in fitted if fit], values, reach


def _draw_curves(
    axes: Axes,
    series: Sequence[tuple[str, Any, Curve, Fit | None]],
    exponent: float,
    others: Sequence[tuple[str, Any, float]] = (),
) -> None:
    """Draw win rates against density * cells^exponent, with the names in the order of the curves.

    `others` are further names, with their colours and places of one half on the axis.
    """
    named = [*others]
    for name, colour, curve, fit in series:
        x = curve.density * curve.family.cells**exponent
        rates = [wilson(int(w), int(g)) for w, g in zip(curve.wins, curve.games, strict=True)]
        values = np.array([rate.value for rate in rates])
        reach = np.array([[r.value - r.low for r in rates], [r.high - r.value for r in rates]])
        axes.errorbar(x, 100 * values, yerr=100 * reach, fmt="o", color=colour, markersize=3, elinewidth=0.8, alpha=0.7)
        if fit:
            line = np.linspace(x.min(), x.max(), 400)
            axes.plot(line, 100 * fit.rate(line / curve.family.cells**exponent), color=colour, linewidth=1.6)
        else:
            axes.plot(x, 100 * values, ":", color=colour, linewidth=1)
        named.append((name, colour, fit.critical * curve.family.cells**exponent if fit else float(x[0])))
    axes.set_ylim(-3, 103)
    for place, (name, colour, _) in enumerate(sorted(named, key=lambda one: one[2])):
        above: Any = {"xytext": (0, 1.3 * TEXT_SIZE * place), "textcoords": "offset points"}
        axes.annotate(name, (0.03, 0.04), xycoords="axes fraction", color=colour, **above)


def _side_axis(axes: Axes, sides: Sequence[int]) -> None:
    """Make the axis of sides logarithmic, with about five labels."""
    axes.set_xscale("log")
    few = [side for place, side in enumerate(sides) if not place % max(1, round(len(sides) / 5))]
    axes.set_xticks(few, [f"{side}" for side in few])
    axes.set_xticks([], minor=True)
    axes.set_xlabel("side of the board, cells")


@contextmanager
def _panels(path: Path, theme: Theme) -> Iterator[tuple[Axes, Axes]]:
    """Yield two panels in the colours of a theme, and write them to a file."""
    with drawing(path, theme, "density", (8, 3.6), w_pad=0.1, h_pad=0.08) as figure:
        left, right = figure.subplots(1, 2)
        yield left, right
        for axes in (left, right):
            style_axes(axes, theme)
