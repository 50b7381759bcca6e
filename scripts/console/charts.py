"""Colours, axes and reproducible files for charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from minesweeper.db.formats.target import write_whole
from minesweeper.player.core.errors import ConfigError
from minesweeper.player.core.lazy_numpy import np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Theme = Literal["light", "dark"]

THEMES: Final[tuple[Theme, ...]] = ("light", "dark")
TEXT_SIZE: Final = 9
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
    """Raise `ConfigError` unless `path` has a known suffix and a folder, and matplotlib is installed."""
    if path.suffix.lower() not in SUFFIXES:
        raise ConfigError(f"unknown chart format: {str(path)!r}; expected {', '.join(SUFFIXES)}")
    if not path.absolute().parent.is_dir():
        raise ConfigError(f"no folder for the chart: {str(path)!r}; create it first")
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ConfigError("charts need matplotlib: pip install 'minesweeper-toolkit[charts]'") from error


def shades(count: int, theme: Theme) -> Any:
    """Return `count` colours for ordered series, all with enough contrast for text."""
    import matplotlib as mpl

    places = np.linspace(0.95, 0.25, count + 1) if theme == "dark" else np.linspace(0, 0.85, count + 1)
    return mpl.colormaps["viridis"](places[:-1])[:: -1 if theme == "dark" else 1]


def style_axes(axes: Axes, theme: Theme) -> None:
    """Apply the colours of a theme, a grid, and lines on the left and below only."""
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


def name_ends(axes: Axes, ends: Sequence[tuple[str, Any, float]]) -> None:
    """Label lines at their right ends, moved up where labels would overlap."""
    axes.figure.canvas.draw()
    to_pixels, back = axes.transData, axes.transData.inverted()
    lowest = -np.inf
    for name, colour, value in sorted(ends, key=lambda end: end[2]):
        height = max(to_pixels.transform((1, value))[1], lowest)
        lowest = height + 1.3 * TEXT_SIZE * axes.figure.dpi / 72
        axes.annotate(
            name,
            (1.02, back.transform((0, height))[1]),
            xycoords=("axes fraction", "data"),
            color=colour,
            va="center",
            annotation_clip=False,
        )


@contextmanager
def drawing(
    path: Path, theme: Theme, salt: str, size: tuple[float, float], dpi: int = 120, **padding: float
) -> Iterator[Figure]:
    """Yield a figure in the colours of a theme, and write it to a file without a date. Raises `OSError`."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    paper = COLOURS[theme]["paper"]
    with mpl.rc_context(
        {"font.size": TEXT_SIZE, "font.family": "sans-serif", "svg.hashsalt": salt, "svg.fonttype": "path"}
    ):
        figure = Figure(figsize=size, facecolor=paper)
        figure.set_layout_engine("constrained", **padding)
        yield figure
        kind = path.suffix.lower().removeprefix(".")
        dated: Any = {"Date": None} if kind == "svg" else None
        write_whole(path, lambda stream: figure.savefig(stream, format=kind, dpi=dpi, facecolor=paper, metadata=dated))
