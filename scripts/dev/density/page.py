"""The page that the density study writes: tables, charts, and a CSV of the critical densities."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from minesweeper.player.game import StartRule
from minesweeper.player.stats import Interval, wilson
from minesweeper.scripts.charts import (
    COLOURS,
    TEXT_SIZE,
    THEMES,
    Theme,
    drawing,
    name_ends,
    paragraph,
    picture,
    shades,
    style_axes,
    table,
)
from minesweeper.scripts.dev.density.fits import LN2, Fit, Line, fit_curve, fit_limit, fit_power
from minesweeper.scripts.dev.density.obstacles import LIMIT, MIDDLE, OBSTACLES, critical_density, expected
from minesweeper.scripts.dev.density.points import Curve, Family, Points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FIELDS: Final = "study,player,start,side,critical_density,low,high,slope,deviance,freedom,games"
_LARGE: Final = (4, 6)
_INTRODUCTION: Final = """\
Written by `python scripts/dev/critical_density.py`, which plays what is missing in `points.csv`;
`study.yaml` says what is measured. Every density has boards of its own. Curves are fitted by maximum likelihood to the
points between 20% and 80%, or to the four nearest to one half. Intervals hold 95%, from 1000 samples drawn with
replacement from the boards of every point. Where the deviance is larger than its degrees of freedom, the points are
further from the curve than chance alone takes them, or the shape is not quite right. Then the variance counts
deviance / freedom times (quasi-likelihood): intervals are wider by the root of that, with Student's t for the few
points it is known from. Exponents and chi-squares of lines are made of these wider intervals, and a line that does not
fit has its own widened in the same way."""
_CRITICAL: Final = """\
Square boards, first click at {first_click}. A *safe* start is just no mine, an *opening* start a zero. The *critical
density* is where half the games are won, by a logistic curve through the points near one half. `logic` never guesses,
so what it wins is the solvable share. `local` is the corrected player of *On the Critical Density of Minesweeper
Boards*: the same heuristic, with complete logic and true chances at sea. `published` is its program as it was
published, by its own local logic. That boards turn from solvable to hopeless at a critical density, and that deciding
by SAT is hardest there, Dempsey and Guinn measured for logic alone (*A Phase Transition in Minesweeper*, FUN 2021,
doi 10.4230/LIPIcs.FUN.2021.12)."""
_CLAIM: Final = """\
The paper (fwyr.dev/projects/minesweeper) claims a limit of about {claim} on all boards large enough; its program begins
in a corner that is no mine. What a logistic curve says depends on the points it goes through. Win rates fall slowly
where boards are sparse, and faster later on, and a logistic falls alike on both sides: drawn through all densities it
misses the crossing to be nearer to the far points, as its deviance tells. Here are both curves, at side {side}."""
_CORNER: Final = """\
A corner has three neighbours, so a safe start there is a zero with a chance of (1 - p)^3 only: {sparse:.0%} at density
{density:g}. Otherwise `logic` has a single clue and mostly ends at once. That is why its curve from a safe start is
flat and low where boards are sparse, while from an opening start nearly all of them are solved, and why its critical
densities of the two starts differ. A player that guesses loses less by it. At side {side}, percent of games won:"""
_SCALING: Final = """\
The theorem (Louf, *Phase transition for Minesweeper*, arXiv 2506.01634, 2025): on boards of n cells with mine density
p, nearly all can be won if p is far below n^(-1/6), nearly none by any player if it is far above, and in between the
chance stays away from both 0 and 1. So the critical density falls as n^(-1/6), and every fixed density fails in the
end. Here: {start} start at {first_click}, complete logic, no guesses. The curves are exp(-ln 2 * (p / critical)^k), the
chance to meet none of the obstacles that are scattered at random."""
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
_NOT_FOR_GOOD: Final = """\
{where} No density can be kept for good, as the next section shows: on boards large enough logic stops at any, and
every guess that it leaves may lose. What looks like a limit is a slow fall."""
_Families = Mapping[Family, Sequence[int]]
_Floats = NDArray[np.float64]
Fitted = tuple[Curve, Fit | None]
Who = tuple[str, StartRule]
"""Who plays, and from which start."""

Groups = Mapping[Who, Sequence[Fitted]]


def write_page(
    points: Points, critical: _Families, scaling: _Families, settings: Mapping[str, Any], folder: Path
) -> None:
    """Write README.md, critical.csv and the charts in light and dark to `folder`, from the points measured so far."""
    groups: dict[Who, list[Fitted]] = {}
    for family, mines in critical.items():
        curve = points.curve(family, mines)
        if len(curve.games):
            groups.setdefault((family.player, family.rule), []).append((curve, fit_curve(curve, "logistic")))
    curves = [points.curve(family, mines) for family, mines in scaling.items()]
    scaled = [(curve, fit_curve(curve, "poisson")) for curve in curves if len(curve.games)]
    claim = float(settings["claim"])
    for theme in THEMES:
        if groups:
            draw_critical(groups, claim, folder / f"critical-{theme}.png", theme)
        if any(fit for _, fit in scaled):
            draw_scaling(scaled, folder / f"scaling-{theme}.png", theme)
    _write_csv(groups, scaled, folder / "critical.csv")
    lines = ["# Mine density", "", *paragraph(_INTRODUCTION), *_critical_lines(groups, settings["critical"])]
    if groups:
        lines += [*_claim_lines(groups, claim), *_corner_lines(groups)]
    lines += _scaling_lines(scaled, settings["scaling"])
    (folder / "README.md").write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


def _write_csv(groups: Groups, scaled: Sequence[Fitted], path: Path) -> None:
    studies = [("critical", fitted) for one in groups.values() for fitted in one]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(_FIELDS.split(","))
        for study, (curve, fit) in [*studies, *(("scaling", fitted) for fitted in scaled)]:
            if fit:
                family = curve.family
                numbers = (fit.critical, *fit.interval, fit.slope)
                row = (study, family.player, family.rule, family.side, *(f"{number:.5f}" for number in numbers))
                writer.writerow([*row, f"{fit.deviance:.2f}", fit.freedom, int(curve.games.sum())])


def _critical_lines(groups: Groups, study: Mapping[str, Any]) -> list[str]:
    lines = [
        "## Critical density",
        "",
        *paragraph(_CRITICAL.format(**study)),
        *picture("critical", "Win rates against mine density, and critical densities against the side of the board"),
        *table(
            ["player", "start", "board", "critical density", "95% interval", "deviance / freedom", "games"],
            [[*who, *_row(curve, fit)] for who, fitted in groups.items() for curve, fit in fitted],
        ),
    ]
    for who, fitted in groups.items():
        known = [(curve.family.side, fit) for curve, fit in fitted if fit]
        if len(known) > 1:
            line = fit_limit([side for side, _ in known], [fit for _, fit in known])
            side, largest = known[-1]
            text = f"{_name(who)}: {largest.critical:.4f} at side {side}. A curve limit + c / side {_fits(line)}; its"
            lines += paragraph(f"{text} limit is {_between(line.level)}.")
    return lines


def _name(who: Who) -> str:
    player, rule = who
    return f"`{player}`, {rule} start"


def _common_side(groups: Groups) -> int:
    """The side at which most were measured, the largest of several."""
    sides = Counter(curve.family.side for fitted in groups.values() for curve, _ in fitted)
    return max(sides, key=lambda side: (sides[side], side))


def _at_side(groups: Groups, side: int) -> dict[Who, Fitted]:
    """What was measured at one side."""
    found = {who: [one for one in fitted if one[0].family.side == side] for who, fitted in groups.items()}
    return {who: fitted[0] for who, fitted in found.items() if fitted}


def _claim_lines(groups: Groups, claim: float) -> list[str]:
    side = _common_side(groups)
    both = {
        who: (curve, near, whole)
        for who, (curve, near) in _at_side(groups, side).items()
        if near and (whole := fit_curve(curve, "logistic", far_too=True))
    }
    head = ["player", "start", "near one half", "95% interval", "deviance / freedom"]
    head += ["through all", "95% interval", "deviance / freedom", "games"]
    lines = ["## The published density", "", *paragraph(_CLAIM.format(claim=claim, side=side))]
    lines += table(
        head,
        [
            [*who, *_estimate(near), *_estimate(whole), int(curve.games.sum())]
            for who, (curve, near, whole) in both.items()
        ],
    )
    for who in [(player, StartRule.SAFE) for player in ("published", "local")]:
        if who in both:
            curve, near, whole = both[who]
            text = (
                f"{_name(who)}, {curve.games.sum()} games: through all densities {_held(whole, claim)}; near one half"
            )
            lines += paragraph(f"{text} {_held(near, claim)}.")
    known = [(curve.family.side, fit) for curve, fit in groups.get(("local", StartRule.SAFE), []) if fit]
    return lines + (paragraph(f"`local` on boards of other sides: {_verdict(known, claim)}") if known else [])


def _estimate(fit: Fit) -> list[str]:
    low, high = fit.interval
    return [f"{fit.critical:.4f}", f"{low:.4f} to {high:.4f}", f"{fit.deviance:.1f} / {fit.freedom}"]


def _held(fit: Fit, claim: float) -> str:
    """Hold a critical density against the one that was claimed."""
    low, high = fit.interval
    if high - low > fit.critical / 2:
        return f"it is {fit.critical:.4f}, but the interval, {low:.4f} to {high:.4f}, is too wide to say anything"
    where = "contains" if low <= claim <= high else "lies above" if low > claim else "lies below"
    return f"it is {fit.critical:.4f}, and the interval, {low:.4f} to {high:.4f}, {where} {claim:g}"


def _corner_lines(groups: Groups) -> list[str]:
    """Set the starts beside each other at one side; nothing if nobody was measured from both."""
    side = _common_side(groups)
    curves = {who: curve for who, (curve, _) in _at_side(groups, side).items()}
    players = [player for player, rule in curves if rule is StartRule.SAFE and (player, StartRule.OPENING) in curves]
    shown = [(player, rule) for player in players for rule in (StartRule.SAFE, StartRule.OPENING)]
    if not shown:
        return []
    densities = sorted({float(density) for who in shown for density in curves[who].density})
    sparse = densities[0]
    text = _CORNER.format(side=side, density=round(sparse, 3), sparse=(1 - sparse) ** 3)
    head = ["density", "(1 - p)^3", *map(_name, shown)]
    rows = [
        [f"{density:.3f}", f"{(1 - density) ** 3:.0%}", *(_rate_at(curves[who], density) for who in shown)]
        for density in densities
    ]
    return ["## The corner", "", *paragraph(text), *table(head, rows)]


def _rate_at(curve: Curve, density: float) -> str:
    """The percent of games won at a density, with the interval; nothing if it was not measured."""
    place = np.flatnonzero(curve.density == density)
    if not len(place):
        return ""
    rate = wilson(int(curve.wins[place[0]]), int(curve.games[place[0]]))
    return f"{100 * rate.value:.0f} ({100 * rate.low:.0f} to {100 * rate.high:.0f})"


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
    return [board, *_estimate(fit), games]


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


def draw_critical(groups: Groups, claim: float, path: Path, theme: Theme) -> None:
    """Draw the win rates of all at one side, and critical densities against the side of the board."""
    side = _common_side(groups)
    with _panels(path, theme) as (left, right):
        drawn = _drawn(groups)
        colours = dict(zip(drawn, shades(len(drawn), theme), strict=True))
        shown = _at_side(drawn, side)
        _draw_curves(left, [(_short(who), colours[who], *fitted) for who, fitted in shown.items()], 0)
        left.set_title(f"Games won on {side}x{side}, %", loc="left")
        left.set_xlabel("mines per cell")
        left.locator_params(axis="x", nbins=5)
        right.axhline(claim, color=COLOURS[theme]["dim"], linestyle="--", linewidth=1)
        ends = [(f"claimed: {claim:g}", COLOURS[theme]["dim"], claim)]
        least, most = claim, claim
        for who, fitted in drawn.items():
            sides, values, reach = _measured(fitted)
            if sides:
                right.errorbar(sides, values, yerr=reach, fmt="o-", color=colours[who], capsize=2, markersize=4)
                ends.append((_short(who), colours[who], float(values[-1])))
                least, most = min(least, *values), max(most, *values)
        # The interval of a handful of games goes on beyond the panel, or nothing else could be told apart.
        right.set_ylim(0.85 * least, 1.1 * most)
        right.set_title("Critical density", loc="left")
        _side_axis(right, sorted({curve.family.side for fitted in groups.values() for curve, _ in fitted}))
        name_ends(right, ends)


def draw_scaling(fitted: Sequence[Fitted], path: Path, theme: Theme) -> None:
    """Draw solvable shares of three sizes against density times cells^(1/6), and critical density against the side."""
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
        # Logarithmic axes label decades, of which there is none in this range.
        ticks = [0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3]
        shown = [tick for tick in ticks if 0.9 * values.min() < tick < 1.1 * max(limit)]
        right.set_yticks(shown, [f"{tick:g}" for tick in shown])
        right.set_yticks([], minor=True)
        _side_axis(right, sides)
        ends = [("measured", dot, float(values[-1])), ("counted obstacles", best, counted[-1])]
        name_ends(right, [*ends, ("n → ∞", dim, float(limit[-1]))])


def _drawn(groups: Groups) -> Groups:
    """The few that a chart has room for: those with several sides, and players who would not be seen otherwise."""
    several = {who: fitted for who, fitted in groups.items() if len(fitted) > 1}
    seen = {player for player, _ in several}
    return several | {who: fitted for who, fitted in groups.items() if who[0] not in seen}


def _short(who: Who) -> str:
    player, rule = who
    return player if rule is StartRule.SAFE else f"{player}, {rule}"


def _measured(fitted: Sequence[Fitted]) -> tuple[list[int], _Floats, _Floats]:
    """The sides of boards with a critical density, these densities, and how far their intervals reach either way."""
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
    """Draw win rates against density * cells^exponent, and in the free corner the names from the uppermost curve down.

    `others` are names, colours and where one half is won, of curves besides.
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
    """Make the axis of sides logarithmic, and label so few of them that they don't touch."""
    axes.set_xscale("log")
    few = [side for place, side in enumerate(sides) if not place % max(1, round(len(sides) / 5))]
    axes.set_xticks(few, [f"{side}" for side in few])
    axes.set_xticks([], minor=True)
    axes.set_xlabel("side of the board, cells")


@contextmanager
def _panels(path: Path, theme: Theme) -> Iterator[tuple[Axes, Axes]]:
    """Two panels in the colours of a theme, as wide as the page that shows them, written to a file at the end."""
    with drawing(path, theme, "density", (8, 3.6), w_pad=0.1, h_pad=0.08) as figure:
        left, right = figure.subplots(1, 2)
        yield left, right
        for axes in (left, right):
            style_axes(axes, theme)
