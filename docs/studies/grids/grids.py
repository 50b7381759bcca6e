"""The share of solvable boards against mine density on each grid, and how the critical density falls as boards grow.

The critical density, at which half the boards are solvable, is fitted as in the study of mine density beside this one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click
import numpy as np
from fits import Fit, fit_curve, fit_power
from points import LOGIC, Curve, Family

from minesweeper.generator.screening import screen_range
from minesweeper.player.core.errors import BoardError, ConfigError
from minesweeper.player.core.grid import Grid
from minesweeper.player.core.recipe import Recipe, StartRule
from minesweeper.scripts.console.charts import THEMES, Theme, check_chart, drawing, name_ends, shades, style_axes
from minesweeper.scripts.console.options import from_decorator, option, with_options
from minesweeper.scripts.console.terminal import Command, TableStyle, columns, output_options, print_rows

_GRIDS: Final = ("", "cylinder", "torus", "hex", "hex cylinder", "hex torus", "ring")
_DENSITIES: Final = tuple(range(6, 41, 2))
_POINTS: Final = columns("grid, rows, cols, mines, games, solvable")
_CRITICAL: Final = columns(
    "grid, side, critical, critical_low: from, critical_high: to, exponent, exponent_low: least, exponent_high: most"
)

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Options:
    """The options of the study."""

    grids: tuple[str, ...] = option(
        *("--grid", "grids"),
        multiple=True,
        default=_GRIDS,
        metavar="NAME",
        help="Repeatable; empty for the rectangle, ring for a disc with a hole of a third of its width.",
    )
    sides: tuple[int, ...] = option(
        *("--side", "sides"),
        multiple=True,
        type=click.IntRange(6, 512),
        default=(8, 16, 32, 64, 128),
        metavar="N",
        help="Sides of the square boards, even numbers. Repeatable.",
    )
    games: int = option(type=click.IntRange(min=1), default=1000, show_default=True, help="Boards at each density.")
    seed: int = option(type=click.IntRange(min=0), default=1, show_default=True)
    study: Path | None = option(
        type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER", help="Write tables and charts to a folder."
    )
    style: TableStyle = from_decorator(output_options)


@click.command(cls=Command, epilog="Example: python docs/studies/grids/grids.py --grid torus --side 16 --games 100")
@with_options(Options)
def main(options: Options) -> None:
    """Measure the share of solvable boards on several grids, and fit their critical densities."""
    points = [row for name in options.grids for side in options.sides for row in measured(name, side, options)]
    fits = {(name, side): _fitted(points, name, side) for name in options.grids for side in options.sides}
    rows = list(_critical(fits, options))
    if options.study is not None:
        options.study.mkdir(parents=True, exist_ok=True)
        check_chart(options.study / "grids.png")
        for file_name, found, titles in (("points.csv", points, _POINTS), ("critical.csv", rows, _CRITICAL)):
            with (options.study / file_name).open("w", encoding="utf-8", newline="") as file, redirect_stdout(file):
                print_rows(found, titles, "csv")
        for theme in THEMES:
            draw(points, fits, options, options.study / f"grids-{theme}.png", theme)
    print_rows(rows, _CRITICAL, options.style)


def grid_named(name: str, side: int) -> Grid:
    """Return a square grid, or a ring in a square."""
    if name != "ring":
        return Grid(side, side, name)
    middle = (side - 1) / 2
    down, right = np.indices((side, side)) - middle
    distance = np.hypot(down, right) / (side / 2)
    return Grid(side, side).with_holes((distance > 1) | (distance < 1 / 3))


def measured(name: str, side: int, options: Options) -> Iterator[Row]:
    """Yield the solvable boards of a grid at each density, up to the second density at which there are nearly none."""
    few, grid = 0, grid_named(name, side)
    for number, percent in enumerate(_DENSITIES):
        mines = round(grid.cells * percent / 100)
        try:
            recipe = Recipe(grid, mines, seed=options.seed)
        except BoardError:
            return
        # Each density has boards of its own.
        first = number * 2**32
        solvable = sum(1 for _ in screen_range(recipe, first, first + options.games, count_clues=False))
        yield {"grid": name, "rows": side, "cols": side, "mines": mines, "games": options.games, "solvable": solvable}
        few += solvable < options.games / 100
        if few == 2:
            return


def _fitted(points: Sequence[Row], name: str, side: int) -> Fit:
    own = [row for row in points if (row["grid"], row["rows"]) == (name, side)]
    mines, games, solvable = (np.array([row[key] for row in own]) for key in ("mines", "games", "solvable"))
    family = Family(LOGIC, side, StartRule.OPENING, (side // 2, side // 2), 0)
    fit = fit_curve(Curve(family, mines / grid_named(name, side).cells, games, solvable))
    if fit is None:
        raise ConfigError(f"too few boards of {name or 'the rectangle'} with side {side}; expected more --games")
    return fit


def _critical(fits: Mapping[tuple[str, int], Fit], options: Options) -> Iterator[Row]:
    """Yield the critical density of each board, and of each grid the exponent of the number of cells."""
    for name in options.grids:
        for side in options.sides:
            fit = fits[name, side]
            low, high = fit.interval
            row = {"grid": name, "side": side, "critical": round(fit.critical, 4)}
            row |= {"critical_low": round(low, 4), "critical_high": round(high, 4)}
            yield row | dict.fromkeys(("exponent", "exponent_low", "exponent_high"))
        if len(options.sides) > 2:
            cells = [grid_named(name, side).cells for side in options.sides]
            line = fit_power(cells, [fits[name, side] for side in options.sides])
            slope = line.slope
            found = {"exponent": slope.value, "exponent_low": slope.low, "exponent_high": slope.high}
            row = {"grid": name, "side": None, "critical": None, "critical_low": None, "critical_high": None}
            yield row | {key: round(value, 3) for key, value in found.items()}


def draw(
    points: Sequence[Row], fits: Mapping[tuple[str, int], Fit], options: Options, path: Path, theme: Theme
) -> None:
    """Draw the shares of the middle size and the critical densities of all sizes."""
    middle = options.sides[len(options.sides) // 2]
    with drawing(path, theme, "grids", (9.5, 3.8)) as figure:
        left, right = figure.subplots(1, 2)
        ends_right = []
        for name, colour in zip(options.grids, shades(len(options.grids), theme), strict=True):
            label = name or "rectangle"
            own = [row for row in points if (row["grid"], row["rows"]) == (name, middle)]
            shares = [100 * row["solvable"] / row["games"] for row in own]
            cells = grid_named(name, middle).cells
            left.plot([100 * row["mines"] / cells for row in own], shares, "o-", ms=3, color=colour, label=label)
            critical = [100 * fits[name, side].critical for side in options.sides]
            right.plot(options.sides, critical, "o-", ms=3, color=colour)
            ends_right.append((label, colour, critical[-1]))
        left.set(title=f"Solvable {middle}x{middle} boards, %", xlabel="mines, %")
        left.legend(frameon=False, labelcolor="linecolor")
        right.set(title="Critical density, %", xlabel="side of the board", xscale="log", yscale="log")
        right.set_xticks(options.sides, [str(side) for side in options.sides], minor=False)
        right.minorticks_off()
        levels = [8, 10, 12, 15, 20, 25, 30]
        right.set_yticks(levels, [str(level) for level in levels])
        for axes in (left, right):
            style_axes(axes, theme)
        name_ends(right, ends_right)


if __name__ == "__main__":
    main()
