"""Draw win rates against mine density, and what becomes of critical densities as boards grow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from minesweeper.player.stats import wilson
from minesweeper.scripts.charts import COLOURS, Theme, save_chart, shades, style_axes
from minesweeper.scripts.studies.density.fits import Fit
from minesweeper.scripts.studies.density.obstacles import LIMIT, critical_density
from minesweeper.scripts.studies.density.points import Curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Fitted = tuple[Curve, Fit | None]


def draw_critical(groups: Mapping[str, Sequence[Fitted]], claim: float, path: Path, theme: Theme) -> None:
    """Draw a panel of curves for each player, and the critical densities of all against the side of the board."""
    panels = len(groups) + 1
    with _Page(panels, path, theme) as axes:
        for place, (player, fitted) in enumerate(groups.items()):
            _draw_curves(axes[place], fitted, f"{player}: games won", "mines per cell", theme, 0)
        last = axes[-1]
        last.set_title("Critical density, half the games won", loc="left")
        for place, (player, fitted) in enumerate(groups.items()):
            sides = [curve.family.side for curve, fit in fitted if fit]
            fits = [fit for _, fit in fitted if fit]
            values = np.array([fit.critical for fit in fits])
            reach = np.abs(np.array([fit.interval for fit in fits]).reshape(-1, 2).T - values)
            colour = COLOURS[theme]["best" if place else "dot"]
            last.errorbar(sides, values, yerr=reach, fmt="o-", color=colour, label=player, capsize=3, markersize=5)
        last.axhline(claim, color=COLOURS[theme]["dim"], linestyle="--", linewidth=1, label=f"claimed limit {claim}")
        last.set_xlabel("side of the board, cells")
        last.set_ylabel("mines per cell, with 95% intervals")
        _legend(last, theme)


def draw_scaling(fitted: Sequence[Fitted], path: Path, theme: Theme) -> None:
    """Draw solvable shares against density, plain and times cells^(1/6), and critical density against cells."""
    with _Page(3, path, theme) as axes:
        _draw_curves(axes[0], fitted, "Solvable share", "mines per cell, p", theme, 0)
        _draw_curves(axes[1], fitted, "The same, density rescaled", "p · n$^{1/6}$", theme, 1 / 6)
        x = np.linspace(*axes[1].get_xlim(), 200)
        label = "theorem, n → ∞"
        axes[1].plot(x, 100 * np.exp(-np.log(2) * (x / LIMIT) ** 6), "--", color=COLOURS[theme]["dim"], label=label)
        _legend(axes[1], theme)
        last = axes[2]
        last.set_title("Critical density", loc="left")
        sides = [curve.family.side for curve, fit in fitted if fit]
        cells = np.array(sides) ** 2
        values = np.array([fit.critical for _, fit in fitted if fit])
        reach = np.abs(np.array([fit.interval for _, fit in fitted if fit]).reshape(-1, 2).T - values)
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


class _Page:
    """A row of panels in the colours of a theme, written to a file at the end."""

    def __init__(self, panels: int, path: Path, theme: Theme) -> None:
        import matplotlib as mpl
        from matplotlib.figure import Figure

        self._settings = mpl.rc_context({"font.size": 9, "svg.hashsalt": "density", "svg.fonttype": "path"})
        self._settings.__enter__()
        self._path, self._theme = path, theme
        self._figure = Figure(figsize=(4.4 * panels, 3.6), facecolor=COLOURS[theme]["paper"])
        self._figure.set_layout_engine("constrained", w_pad=0.1, h_pad=0.08)
        self._axes: list[Axes] = self._figure.subplots(1, panels, squeeze=False)[0].tolist()

    def __enter__(self) -> list[Axes]:
        return self._axes

    def __exit__(self, *error: Any) -> None:
        try:
            if error[0] is None:
                for axes in self._axes:
                    style_axes(axes, self._theme)
                save_chart(self._figure, self._path, self._theme)
        finally:
            self._settings.__exit__(None, None, None)
