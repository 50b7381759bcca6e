"""The page that the density study writes: tables, charts, and a CSV of the critical densities."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from density_chart import Fitted, draw_critical, draw_scaling
from density_study import Family, Points, Power, fit_curve, fit_limit, fit_power
from leaderboard_chart import Theme

from player.stats import Interval

_THEMES: Final[tuple[Theme, ...]] = ("light", "dark")
_FIELDS: Final = ("study", "player", "side", "critical_density", "low", "high", "width", "games")
_Families = Mapping[Family, Sequence[int]]


def write_page(
    points: Points, critical: _Families, scaling: _Families, settings: Mapping[str, Any], folder: Path
) -> None:
    """Write README.md, critical.csv and the charts in light and dark to `folder`, from the points measured so far."""
    groups: dict[str, list[Fitted]] = {}
    for family, mines in critical.items():
        curve = points.curve(family, mines)
        if len(curve.games):
            groups.setdefault(family.player, []).append((curve, fit_curve(curve)))
    curves = [points.curve(family, mines) for family, mines in scaling.items()]
    scaled = [(curve, fit_curve(curve)) for curve in curves if len(curve.games)]
    smallest = int(settings["scaling"]["smallest_side_fitted"])
    used = [(c.family.cells, fit) for c, fit in scaled if fit and c.family.side >= smallest]
    power = fit_power([cells for cells, _ in used], [fit for _, fit in used]) if len(used) > 1 else None
    claim = float(settings["claim"])
    for theme in _THEMES:
        if groups:
            draw_critical(groups, claim, folder / f"critical-{theme}.png", theme)
        if any(fit for _, fit in scaled):
            draw_scaling(scaled, power, folder / f"scaling-{theme}.png", theme)
    _write_csv(groups, scaled, folder / "critical.csv")
    lines = [*_critical_lines(groups, claim, settings), "", *_scaling_lines(scaled, power, smallest, settings)]
    (folder / "README.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _write_csv(groups: Mapping[str, Sequence[Fitted]], scaled: Sequence[Fitted], path: Path) -> None:
    studies = [("critical", fitted) for one in groups.values() for fitted in one]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(_FIELDS)
        for study, (curve, fit) in [*studies, *(("scaling", fitted) for fitted in scaled)]:
            if fit:
                numbers = (fit.critical, *fit.interval, fit.width)
                row = (study, curve.family.player, curve.family.side, *(f"{number:.5f}" for number in numbers))
                writer.writerow([*row, int(curve.games.sum())])


def _critical_lines(groups: Mapping[str, Sequence[Fitted]], claim: float, settings: Mapping[str, Any]) -> list[str]:
    study = settings["critical"]
    lines = [
        "# Mine density",
        "",
        "Written by `python scripts/critical_density.py`, which plays what is missing in `points.csv` and makes this",
        "page anew; `study.yaml` says what is measured. Intervals hold 95%.",
        "",
        "## Critical density",
        "",
        f"Square boards, {study['start']} start at {study['first_click']}. The *critical density* is where a logistic",
        "curve, fitted by maximum likelihood, says that half the games are won; its interval comes from drawing every",
        "point's wins again 1000 times. `logic` never guesses, so what it wins is the solvable share.",
        "",
        *_picture("critical", "Win rates against mine density, and critical densities against the side of the board"),
        "",
        "| player | board | critical density | 95% interval | games |",
        "| --- | --- | --- | --- | --- |",
    ]
    for player, fitted in groups.items():
        for curve, fit in fitted:
            size = f"{curve.family.side}x{curve.family.side}"
            if fit:
                low, high = fit.interval
                lines.append(
                    f"| {player} | {size} | {fit.critical:.4f} | {low:.4f} to {high:.4f} | {curve.games.sum()} |"
                )
            else:
                lines.append(f"| {player} | {size} | not crossed | | {curve.games.sum()} |")
    for player, fitted in groups.items():
        known = [(curve.family.side, fit) for curve, fit in fitted if fit]
        if len(known) < 2:
            continue
        side, largest = known[-1]
        limit = fit_limit([side for side, _ in known], [fit for _, fit in known])
        lines += [
            "",
            f"`{player}`: {largest.critical:.4f} at side {side}. If critical densities behave as limit + c / side, the",
            f"limit is {limit.value:.4f}, 95% interval {limit.low:.4f} to {limit.high:.4f}.",
        ]
        if player == "local":
            lines.append(_verdict(limit, claim))
    return lines


def _verdict(limit: Interval, claim: float) -> str:
    if limit.low <= claim <= limit.high:
        agrees = f"This agrees with the limit of about {claim} claimed for this player from a corner."
    else:
        agrees = f"This does not agree with the limit of about {claim} claimed for this player from a corner."
    return (
        f"{agrees}\nIt is no limit for good, though: the next section shows that on boards large enough logic stops"
        "\nat any density, and every guess that it leaves may lose. It is where boards of these sizes are heading."
    )


def _scaling_lines(
    scaled: Sequence[Fitted], power: Power | None, smallest: int, settings: Mapping[str, Any]
) -> list[str]:
    study = settings["scaling"]
    lines = [
        "## How it falls as boards grow",
        "",
        "The theorem: on large boards of n cells with mine density p, the solvable share depends on p * n^(1/6) only,",
        "so the critical density falls as n^(-1/6) and every fixed density fails in the end. Here:",
        f"{study['start']} start at {study['first_click']}, complete logic, no guesses.",
        "",
        *_picture("scaling", "Solvable shares against density, against rescaled density, and critical densities"),
        "",
        "| board | critical density p | 95% interval | p * n^(1/6) | boards |",
        "| --- | --- | --- | --- | --- |",
    ]
    for curve, fit in scaled:
        size = f"{curve.family.side}x{curve.family.side}"
        if fit:
            low, high = fit.interval
            product = fit.critical * curve.family.cells ** (1 / 6)
            lines.append(
                f"| {size} | {fit.critical:.4f} | {low:.4f} to {high:.4f} | {product:.3f} | {curve.games.sum()} |"
            )
        else:
            lines.append(f"| {size} | not crossed | | | {curve.games.sum()} |")
    known = [(curve.family, fit) for curve, fit in scaled if fit]
    if len(known) > 1:
        lines += ["", "| from | to | exponent between the two | 95% interval |", "| --- | --- | --- | --- |"]
    for (smaller, one), (larger, other) in pairwise(known):
        step = fit_power([smaller.cells, larger.cells], [one, other])
        lines.append(f"| {smaller.side} | {larger.side} | {step.exponent:.3f} | {step.low:.3f} to {step.high:.3f} |")
    if power:
        inside = "contains" if power.low <= -1 / 6 <= power.high else "does not contain"
        lines += [
            "",
            f"Sides from {smallest} on give the exponent {power.exponent:.4f} (95% interval {power.low:.4f} to "
            f"{power.high:.4f}), which {inside} -1/6 = -0.1667.",
            *_reasons(power),
        ]
    return lines


def _reasons(power: Power) -> list[str]:
    """Say what the exponent means."""
    if power.low <= -1 / 6 <= power.high:
        return ["The curves over p * n^(1/6) fall on each other as far as the intervals can tell."]
    return [
        "The curves do not collapse at these sizes: over p * n^(1/6) they still move, less from size to size.",
        "",
        "An exponent of -1/k would come of patterns of k mines that stop logic; here k is about "
        f"{-1 / power.exponent:.1f}.",
        "A likely reason, not tested here: 6 mines are the fewest that do, but patterns of 7 and more are far more",
        "numerous, and rarer only by a factor p for each further mine. They vanish no faster than the critical density",
        "itself, so boards that show the exponent -1/6 for certain would have to be larger by far.",
    ]


def _picture(name: str, words: str) -> list[str]:
    return [
        "<picture>",
        f'  <source media="(prefers-color-scheme: dark)" srcset="{name}-dark.png">',
        f'  <img alt="{words}" src="{name}-light.png">',
        "</picture>",
    ]
