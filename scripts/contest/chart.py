"""Draw a leaderboard: a panel for every family of boards, a dot with its interval for every strategy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from minesweeper.scripts.charts import COLOURS, Theme, drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Row = Mapping[str, Any]

_PANEL_WIDTH: Final = 5.2
_COLUMNS: Final = 2


def draw_chart(panels: Sequence[tuple[str, Sequence[Row]]], path: Path, theme: Theme = "light") -> None:
    """Draw panels, each a title and the rows of a leaderboard, best first, and write the picture to `path`.

    A row has strategy, games, win_percent, win_percent_low and win_percent_high. The same rows give the same file.
    """
    columns = min(_COLUMNS, len(panels))
    lines = math.ceil(len(panels) / columns)
    height = 0.9 + 0.32 * max(len(rows) for _, rows in panels)
    size = (_PANEL_WIDTH * columns, height * lines + 0.3)
    with drawing(path, theme, "leaderboard", size, dpi=160, h_pad=0.12, w_pad=0.12) as figure:
        grid = figure.subplots(lines, columns, squeeze=False).flat
        for axes, (title, rows) in zip(grid, panels, strict=False):
            _draw_panel(axes, title, rows, COLOURS[theme])
        for axes in grid[len(panels) :]:
            axes.axis("off")


def _draw_panel(axes: Axes, title: str, rows: Sequence[Row], colours: Mapping[str, str]) -> None:
    axes.set_facecolor(colours["paper"])
    axes.set_title(title, loc="left", color=colours["ink"], fontsize=10, fontweight="bold")
    for place, row in enumerate(rows):
        colour = colours["best" if place == 0 else "dot"]
        low, high = row["win_percent_low"], row["win_percent_high"]
        axes.plot([low, high], [place, place], color=colour, linewidth=2.2, solid_capstyle="round", alpha=0.55)
        axes.plot(row["win_percent"], place, "o", color=colour, markersize=6)
        axes.annotate(
            f"{row['win_percent']:.{_decimals(high - low)}f}",
            (high, place),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            color=colours["ink"],
        )
    axes.set_yticks(range(len(rows)), [row["strategy"] for row in rows], color=colours["ink"])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    low, high = min(row["win_percent_low"] for row in rows), max(row["win_percent_high"] for row in rows)
    room = max(high - low, 1.0)
    axes.set_xlim(low - 0.06 * room, high + 0.18 * room)
    games = sorted({row["games"] for row in rows})
    played = f"{games[0]:,} games each" if len(games) == 1 else f"{games[0]:,} to {games[-1]:,} games"
    axes.set_xlabel(f"games won, percent, with 95% intervals; {played}", color=colours["dim"], fontsize=8)
    axes.tick_params(axis="x", colors=colours["dim"], labelsize=8, length=0)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color=colours["grid"], linewidth=0.8)
    axes.set_axisbelow(True)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _decimals(width: float) -> int:
    """As many decimals as an interval of this width in percent makes meaningful."""
    return 2 if width < 0.5 else 1
