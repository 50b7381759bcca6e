"""What charts with axes have in common: colours of series, the look of axes, and files that the same numbers repeat."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from minesweeper.scripts.settings import ConfigError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Theme = Literal["light", "dark"]

SUFFIXES: Final = (".svg", ".png", ".pdf")
COLOURS: Final[dict[Theme, dict[str, str]]] = {
    "light": {
        "paper": "#ffffff",
        "ink": "#1f2328",
        "dim": "#59636e",
        "grid": "#e4e7eb",
        "best": "#0a6b5d",
        "dot": "#4c78a8",
    },
    "dark": {
        "paper": "#0d1117",
        "ink": "#e6edf3",
        "dim": "#9198a1",
        "grid": "#21262d",
        "best": "#3fb68b",
        "dot": "#79a8dc",
    },
}


def check_chart(path: Path) -> None:
    """Raise `ConfigError` unless a chart can be drawn to `path`: its ending is known, and matplotlib is there."""
    if path.suffix.lower() not in SUFFIXES:
        raise ConfigError(f"expected a chart file ending in {', '.join(SUFFIXES)}: {str(path)!r}")
    if not path.absolute().parent.is_dir():
        raise ConfigError(f"expected a folder that exists for the chart: {str(path)!r}")
    try:
        import matplotlib  # noqa: F401 (asking whether it is there)
    except ImportError as error:
        raise ConfigError(f"expected matplotlib for charts, pip install '.[charts]': {str(path)!r}") from error


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
