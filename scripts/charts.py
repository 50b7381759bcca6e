"""What charts with axes have in common: colours of series, the look of axes, and files that the same numbers repeat."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from minesweeper.scripts.contest.chart import COLOURS, Theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def shades(count: int, theme: Theme) -> Any:
    """Colours for so many series in order, that stand out from the paper of the theme."""
    import matplotlib as mpl

    return mpl.colormaps["viridis"](np.linspace(0.25, 0.95, count) if theme == "dark" else np.linspace(0, 0.85, count))


def style_axes(axes: Axes, theme: Theme) -> None:
    """Give axes the colours of a theme, a grid, and lines on the left and below only."""
    colours = COLOURS[theme]
    axes.set_facecolor(colours["paper"])
    axes.set_title(axes.get_title(loc="left"), loc="left", fontweight="bold", color=colours["ink"])
    axes.tick_params(colors=colours["dim"], labelsize=8, which="both")
    axes.xaxis.label.set_color(colours["dim"])
    axes.yaxis.label.set_color(colours["dim"])
    axes.grid(color=colours["grid"], linewidth=0.7)
    axes.set_axisbelow(True)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(colours["grid"])


def save_chart(figure: Figure, path: Path, theme: Theme) -> None:
    """Write a figure to a file that does not tell when it was made."""
    dated = {"Date": None} if path.suffix.lower() == ".svg" else None
    figure.savefig(path, dpi=120, facecolor=COLOURS[theme]["paper"], metadata=dated)
