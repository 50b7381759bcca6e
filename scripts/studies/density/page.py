"""The page that the density study writes: tables, charts, and a CSV of the critical densities."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from minesweeper.player.stats import Interval, wilson
from minesweeper.scripts.charts import COLOURS, THEMES, Theme, drawing, paragraph, picture, shades, style_axes, table
from minesweeper.scripts.studies.density.fits import Fit, Line, fit_curve, fit_limit, fit_power
from minesweeper.scripts.studies.density.obstacles import LIMIT, MIDDLE, OBSTACLES, critical_density, expected
from minesweeper.scripts.studies.density.points import Curve, Family, Points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FIELDS: Final = "study,player,side,critical_density,low,high,slope,deviance,freedom,games"
_LARGE: Final = (4, 6)
_INTRODUCTION: Final = """\
Written by `python scripts/critical_density.py`, which plays what is missing in `points.csv` and makes this page anew;
`study.yaml` says what is measured. Every density has boards of its own. Curves are fitted by maximum likelihood to the
points between 20% and 80%; where the deviance is much larger than its degrees of freedom, the shape is not quite right
and the interval too narrow. Intervals hold 95%, from 1000 samples drawn with replacement from the boards of every
point."""
_CRITICAL: Final = """\
Square boards, {start} start at {first_click}. The *critical density* is where half the games are won, by a logistic
curve through the points near one half. `logic` never guesses, so what it wins is the solvable share. `local` is the
corrected player of *On the Critical Density of Minesweeper Boards*: the same heuristic, with complete logic and true
chances at sea. `published` is its program as it was published, by its own local logic, and is not measured here."""
_SCALING: Final = """\
The theorem (Louf, *Phase transition for Minesweeper*, 2025): on large boards of n cells with mine density p, the
solvable share depends on p * n^(1/6) only, so the critical density falls as n^(-1/6) and every fixed density fails in
the end. Here: {start} start at {first_click}, complete logic, no guesses. The curves are exp(-ln 2 * (p / critical)^k),
the chance to meet none of the obstacles that are scattered at random."""
_OBSTACLES: Final = """\
The curves do not collapse at these sizes, and the reason can be counted. The smallest pattern that stops logic has 6
mines: two by two cells with mines on one diagonal or the other, and mines beyond the four corners. About 2 n p^6 of
them are on a board; from this the theorem follows. But at the rim 4 mines do the same, and there are about 16 n^(1/2)
p^4 of those. They are outnumbered in the end, yet only as n^(-1/6): at the critical density of {board} they are still
{rim:.0%} of the smallest patterns, with those in the corners. *From obstacles* is the density at which half the boards
have none of the smallest patterns, taking all other boards for solvable. From size to size it is off by {offs}: larger
patterns stop logic, too. By this count p * n^(1/6) goes on to {large}, and in the end to (ln 2 / 2)^(1/6) =
{limit:.3f}. So the numbers do not contradict the theorem; boards that show its exponent have to be far larger than any
that can be played."""
_CLAIM: Final = "The claim is a limit of about {claim} for this player from a corner, on all boards large enough."
_NOT_FOR_GOOD: Final = """\
{where} No density can be kept for good, as the next section shows: on boards large enough logic stops at any, and
every guess that it leaves may lose. What looks like a limit is a slow fall."""
_Families = Mapping[Family, Sequence[int]]
_Floats = NDArray[np.float64]
Fitted = tuple[Curve, Fit | None]


def write_page(
    points: Points, critical: _Families, scaling: _Families, settings: Mapping[str, Any], folder: Path
) -> None:
    """Write README.md, critical.csv and the charts in light and dark to `folder`, from the points measured so far."""
    groups: dict[str, list[Fitted]] = {}
    for family, mines in critical.items():
        curve = points.curve(family, mines)
        if len(curve.games):
            groups.setdefault(family.player, []).append((curve, fit_curve(curve, "logistic")))
    curves = [points.curve(family, mines) for family, mines in scaling.items()]
    scaled = [(curve, fit_curve(curve, "poisson")) for curve in curves if len(curve.games)]
    claim = float(settings["claim"])
    for theme in THEMES:
        if groups:
            draw_critical(groups, claim, folder / f"critical-{theme}.png", theme)
        if any(fit for _, fit in scaled):
            draw_scaling(scaled, folder / f"scaling-{theme}.png", theme)
    _write_csv(groups, scaled, folder / "critical.csv")
    lines = ["# Mine density", "", *paragraph(_INTRODUCTION)]
    lines += [*_critical_lines(groups, claim, settings["critical"]), *_scaling_lines(scaled, settings["scaling"])]
    (folder / "README.md").write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


def _write_csv(groups: Mapping[str, Sequence[Fitted]], scaled: Sequence[Fitted], path: Path) -> None:
    studies = [("critical", fitted) for one in groups.values() for fitted in one]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(_FIELDS.split(","))
        for study, (curve, fit) in [*studies, *(("scaling", fitted) for fitted in scaled)]:
            if fit:
                numbers = (fit.critical, *fit.interval, fit.slope)
                row = (study, curve.family.player, curve.family.side, *(f"{number:.5f}" for number in numbers))
                writer.writerow([*row, f"{fit.deviance:.2f}", fit.freedom, int(curve.games.sum())])


def _critical_lines(groups: Mapping[str, Sequence[Fitted]], claim: float, study: Mapping[str, Any]) -> list[str]:
    lines = [
        "## Critical density",
        "",
        *paragraph(_CRITICAL.format(**study)),
        *picture("critical", "Win rates against mine density, and critical densities against the side of the board"),
        *table(
            ["player", "board", "critical density", "95% interval", "deviance / freedom", "games"],
            [[player, *_row(curve, fit)] for player, fitted in groups.items() for curve, fit in fitted],
        ),
    ]
    for player, fitted in groups.items():
        known = [(curve.family.side, fit) for curve, fit in fitted if fit]
        if len(known) > 1:
            line = fit_limit([side for side, _ in known], [fit for _, fit in known])
            side, largest = known[-1]
            text = (
                f"`{player}`: {largest.critical:.4f} at side {side}. A curve limit + c / side {_fits(line)}; its limit"
            )
            lines += paragraph(f"{text} is {_between(line.level)}.")
            if player == "local":
                lines += paragraph(f"{_CLAIM.format(claim=claim)} {_verdict(known, claim)}")
    return lines


def _verdict(known: Sequence[tuple[int, Fit]], claim: float) -> str:
    """Hold what was measured against the limit that was claimed."""
    side, largest = known[-1]
    low, high = largest.interval
    if low > claim:
        where = f"On boards up to side {side} the density is still higher."
    elif high >= claim:
        where = f"We agree for boards of side {side}: the interval there contains it."
    else:
        near = [f"{side}" for side, fit in known if fit.interval[0] <= claim <= fit.interval[1]]
        where = f"The intervals contain it at side {' and '.join(near)}, but it" if near else "It"
        where += f" is no limit: at side {side} the whole interval lies below it."
    return _NOT_FOR_GOOD.format(where=where)


def _scaling_lines(scaled: Sequence[Fitted], study: Mapping[str, Any]) -> list[str]:
    lines = [
        "## How it falls as boards grow",
        "",
        *paragraph(_SCALING.format(**study)),
        *picture("scaling", "Solvable shares against density, against rescaled density, and critical densities"),
        *table(
            ["board", "density p", "95% interval", "deviance / freedom", "boards", "p * n^(1/6)", "from obstacles"],
            [[*_row(curve, fit), *_against_theory(curve, fit)] for curve, fit in scaled],
        ),
    ]
    known = [(curve.family, fit) for curve, fit in scaled if fit]
    if len(known) < 2:
        return lines
    steps = [
        (one.side, other.side, fit_power([one.cells, other.cells], [fit, next_fit]).slope)
        for (one, fit), (other, next_fit) in pairwise(known)
    ]
    lines += table(
        ["from", "to", "exponent between the two", "95% interval"],
        [[one, other, f"{slope.value:.3f}", f"{slope.low:.3f} to {slope.high:.3f}"] for one, other, slope in steps],
    )
    smallest = int(study["smallest_side_fitted"])
    used = [(family.cells, fit) for family, fit in known if family.side >= smallest]
    if len(used) > 1:
        line = fit_power([cells for cells, _ in used], [fit for _, fit in used])
        inside = "contains" if line.slope.low <= -1 / 6 <= line.slope.high else "does not contain"
        text = f"One power of n through all sides from {smallest} on {_fits(line)}; its exponent"
        lines += paragraph(f"{text} {_between(line.slope)} {inside} -1/6 = -0.1667.")
    return lines + paragraph(_obstacles(known))


def _obstacles(known: Sequence[tuple[Family, Fit]]) -> str:
    """Say why the curves are not where the theorem will have them."""
    family, fit = known[-1]
    middle, all_of_them = (expected(family.side, fit.critical, obstacles) for obstacles in (MIDDLE, OBSTACLES))
    offs = [f"{critical_density(one.side) / fit.critical - 1:+.1%}" for one, fit in known]
    large = [f"{critical_density(10**power) * 10 ** (power / 3):.2f} at side 10^{power}" for power in _LARGE]
    return _OBSTACLES.format(
        board=f"{family.side}x{family.side}",
        rim=1 - middle / all_of_them,
        offs=", ".join(offs),
        large=" and ".join(large),
        limit=LIMIT,
    )


def _row(curve: Curve, fit: Fit | None) -> list[str]:
    board, games = f"{curve.family.side}x{curve.family.side}", f"{curve.games.sum()}"
    if fit is None:
        return [board, "not crossed", "", "", games]
    low, high = fit.interval
    return [board, f"{fit.critical:.4f}", f"{low:.4f} to {high:.4f}", f"{fit.deviance:.1f} / {fit.freedom}", games]


def _against_theory(curve: Curve, fit: Fit | None) -> list[str]:
    product = f"{fit.critical * curve.family.cells ** (1 / 6):.3f}" if fit else ""
    return [product, f"{critical_density(curve.family.side):.4f}"]


def _between(interval: Interval) -> str:
    return f"{interval.value:.4f} (95% interval {interval.low:.4f} to {interval.high:.4f})"


def _fits(line: Line) -> str:
    """Say whether a line is what the points are on, from chi-squared by Wilson and Hilferty's approximation."""
    if not line.freedom:
        return "goes through the two points"
    spread = 2 / (9 * line.freedom)
    tail = 1 - NormalDist().cdf(((line.misfit / line.freedom) ** (1 / 3) - 1 + spread) / spread**0.5)
    verdict = "fits" if tail > 0.05 else "does not fit"
    return f"{verdict} (chi-squared {line.misfit:.1f} on {line.freedom} degrees of freedom)"


def draw_critical(groups: Mapping[str, Sequence[Fitted]], claim: float, path: Path, theme: Theme) -> None:
    """Draw a panel of curves for each player, and the critical densities of all against the side of the board."""
    panels = len(groups) + 1
    with _panels(panels, path, theme) as axes:
        for place, (player, fitted) in enumerate(groups.items()):
            _draw_curves(axes[place], fitted, f"{player}: games won", "mines per cell", theme, 0)
        last = axes[-1]
        last.set_title("Critical density, half the games won", loc="left")
        for place, (player, fitted) in enumerate(groups.items()):
            sides, values, reach = _measured(fitted)
            colour = COLOURS[theme]["best" if place else "dot"]
            last.errorbar(sides, values, yerr=reach, fmt="o-", color=colour, label=player, capsize=3, markersize=5)
        last.axhline(claim, color=COLOURS[theme]["dim"], linestyle="--", linewidth=1, label=f"claimed limit {claim}")
        last.set_xlabel("side of the board, cells")
        last.set_ylabel("mines per cell, with 95% intervals")
        _legend(last, theme)


def draw_scaling(fitted: Sequence[Fitted], path: Path, theme: Theme) -> None:
    """Draw solvable shares against density, plain and times cells^(1/6), and critical density against cells."""
    with _panels(3, path, theme) as axes:
        _draw_curves(axes[0], fitted, "Solvable share", "mines per cell, p", theme, 0)
        _draw_curves(axes[1], fitted, "The same, density rescaled", "p · n$^{1/6}$", theme, 1 / 6)
        x = np.linspace(*axes[1].get_xlim(), 200)
        label = "theorem, n → ∞"
        axes[1].plot(x, 100 * np.exp(-np.log(2) * (x / LIMIT) ** 6), "--", color=COLOURS[theme]["dim"], label=label)
        _legend(axes[1], theme)
        last = axes[2]
        last.set_title("Critical density", loc="left")
        sides, values, reach = _measured(fitted)
        cells = np.array(sides) ** 2
        counted = [critical_density(side) for side in sides]
        last.plot(cells, counted, color=COLOURS[theme]["best"], label="from the smallest obstacles")
        last.errorbar(cells, values, yerr=reach, fmt="o", color=COLOURS[theme]["dot"], capsize=3, label="measured, 95%")
        limit = LIMIT * cells ** (-1 / 6)
        last.plot(cells, limit, "--", color=COLOURS[theme]["dim"], label="theorem, n → ∞: slope -1/6")
        last.set_xscale("log")
        last.set_yscale("log")
        # Logarithmic axes label decades, of which there is none in this range.
        ticks = [0.05, 0.06, 0.08, 0.1, 0.15, 0.2, 0.25, 0.3]
        shown = [tick for tick in ticks if 0.9 * values.min() < tick < 1.1 * max(limit)]
        last.set_yticks(shown, [f"{tick:g}" for tick in shown])
        last.set_yticks([], minor=True)
        last.set_xlabel("cells, n (log scale)")
        last.set_ylabel("mines per cell (log scale)")
        _legend(last, theme)


def _measured(fitted: Sequence[Fitted]) -> tuple[list[int], _Floats, _Floats]:
    """The sides of boards with a critical density, these densities, and how far their intervals reach either way."""
    fits = [fit for _, fit in fitted if fit]
    values = np.array([fit.critical for fit in fits])
    reach = np.abs(np.array([fit.interval for fit in fits]).reshape(-1, 2).T - values)
    return [curve.family.side for curve, fit in fitted if fit], values, reach


def _draw_curves(axes: Axes, fitted: Sequence[Fitted], title: str, label: str, theme: Theme, exponent: float) -> None:
    axes.set_title(title, loc="left")
    for (curve, fit), colour in zip(fitted, shades(len(fitted), theme), strict=True):
        scale = curve.family.cells**exponent
        rates = [wilson(int(w), int(g)) for w, g in zip(curve.wins, curve.games, strict=True)]
        values = np.array([rate.value for rate in rates])
        reach = np.array([[r.value - r.low for r in rates], [r.high - r.value for r in rates]])
        name = f"{curve.family.side}x{curve.family.side}"
        axes.errorbar(
            curve.density * scale, 100 * values, yerr=100 * reach, fmt="o", color=colour, markersize=3, elinewidth=0.8
        )
        if fit:
            near = curve.density[fit.used]
            x = np.linspace(near.min(), near.max(), 200)
            axes.plot(x * scale, 100 * fit.rate(x), color=colour, linewidth=1.4, label=name)
        else:
            axes.plot(curve.density * scale, 100 * values, ":", color=colour, linewidth=1, label=name)
    axes.axhline(50, color=COLOURS[theme]["dim"], linewidth=0.6)
    axes.set_ylim(-3, 103)
    axes.set_xlabel(label)
    axes.set_ylabel("percent of boards, with 95% intervals")
    _legend(axes, theme)


def _legend(axes: Axes, theme: Theme) -> None:
    axes.legend(frameon=False, fontsize=7.5, labelcolor=COLOURS[theme]["ink"])


@contextmanager
def _panels(count: int, path: Path, theme: Theme) -> Iterator[list[Axes]]:
    """A row of panels in the colours of a theme, written to a file at the end."""
    with drawing(path, theme, "density", (4.4 * count, 3.6), w_pad=0.1, h_pad=0.08) as figure:
        panels: list[Axes] = figure.subplots(1, count, squeeze=False)[0].tolist()
        yield panels
        for axes in panels:
            style_axes(axes, theme)
