"""The race of the Gem Hunter algorithms as a chart and as a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from minesweeper.player.board import parse_size
from minesweeper.scripts.charts import COLOURS, Theme, save_chart, shades, style_axes
from minesweeper.scripts.studies.page_parts import paragraph, picture, table

_PUBLISHED_SIZES: Final = ("5x5", "9x9", "11x11", "15x15", "20x20")
PUBLISHED: Final = {
    "backtracking": dict(zip(_PUBLISHED_SIZES, (0.0, 0.0068, 0.0554, 1.2528, 3.053), strict=True)),
    "brute-force": dict(zip(_PUBLISHED_SIZES, (0.02, 0.0, 0.06, 1.25, 2.8), strict=True)),
}
"""Seconds that another Gem Hunter program was reported to take, by algorithm and size."""

_MARKERS: Final = {"sat": "o", "sat, distributed": "v", "dpll": "D", "backtracking": "^", "brute-force": "s"}
_THEMES: Final[tuple[Theme, ...]] = ("light", "dark")
_INTRODUCTION: Final = """\
Written by `python scripts/compare_algorithms.py --page scripts/race`. Milliseconds of processor time from the puzzle to
one solution: {repeats} repeats on {boards} boards of each size, of which the table has the median, the fastest and the
slowest board. Every answer was checked against the clues and, on boards with one solution, against that. An algorithm
is ended after {timeout:g} s a board. *Published* is the time that
another program was reported to take, on boards and on a machine of its own."""
_THIN: Final = """\
Few clues that hang together are harder than many: {boards} boards each, and not only such with one solution."""
_TIMES: Final = ("algorithm", "median", "fastest", "slowest", "timed out")
_KIND: Final = ("density", "hidden", "unique")
Row = Mapping[str, Any]


def write_page(rows: Sequence[Row], folder: Path, *, boards: int, repeats: int, timeout: float) -> None:
    """Write README.md and the chart in light and dark to `folder`. The first kind of boards is the main one."""
    kind = [rows[0][key] for key in _KIND]
    main = [row for row in rows if [row[key] for key in _KIND] == kind]
    for theme in _THEMES:
        draw_chart(main, timeout, folder / f"race-{theme}.png", theme)
    thin = [row for row in rows if row not in main]
    lines = [
        "# The race of the Gem Hunter algorithms",
        "",
        *paragraph(_INTRODUCTION.format(boards=boards, repeats=repeats, timeout=timeout)),
        *picture("race", "Time for a solution against the size of the board, for each algorithm"),
        *table(["size", *_TIMES, "published"], [[*_cells(row, "size"), _published(row)] for row in main]),
        "## Large boards with few clues",
        "",
        *paragraph(_THIN.format(boards=2 * boards)),
        *table(
            ["size", "traps per cell", "gems unknown", *_TIMES],
            [_cells(row, "size", "density", "hidden") for row in thin],
        ),
    ]
    (folder / "README.md").write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


def _cells(row: Row, *keys: str) -> list[str]:
    times = ["" if row[f"{key}_ms"] is None else f"{row[f'{key}_ms']:.1f}" for key in ("median", "fastest", "slowest")]
    return [*(str(row[key]) for key in keys), row["algorithm"], *times, str(row["timed_out"] or "")]


def _published(row: Row) -> str:
    seconds = PUBLISHED.get(row["algorithm"], {}).get(row["size"])
    return "" if seconds is None else f"{1000 * seconds:.1f}"


def draw_chart(rows: Sequence[Row], timeout: float, path: Path, theme: Theme = "light") -> None:
    """Draw medians against cells, both on logarithmic scales, with the range over boards; time-outs are crosses."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    colours = COLOURS[theme]
    with mpl.rc_context({"font.size": 9, "svg.hashsalt": "race", "svg.fonttype": "path"}):
        figure = Figure(figsize=(8.4, 4.4), facecolor=colours["paper"])
        figure.set_layout_engine("constrained")
        axes = figure.subplots()
        sizes = {row["size"]: int(np.prod(parse_size(row["size"]))) for row in rows}
        for (name, marker), colour in zip(_MARKERS.items(), shades(len(_MARKERS), theme), strict=True):
            mine = [row for row in rows if row["algorithm"] == name]
            timed = [row for row in mine if row["median_ms"] is not None]
            cells = [sizes[row["size"]] for row in timed]
            medians = np.array([row["median_ms"] for row in timed])
            reach = np.array(
                [[row["median_ms"] - row["fastest_ms"], row["slowest_ms"] - row["median_ms"]] for row in timed]
            )
            if timed:
                axes.errorbar(
                    cells, medians, yerr=reach.T, fmt=f"{marker}-", color=colour, label=name, capsize=2, markersize=4
                )
            late = [sizes[row["size"]] for row in mine if row["timed_out"]]
            axes.plot(late, [1000 * timeout] * len(late), "x", color=colour, markersize=7)
        known = [
            (int(np.prod(parse_size(size))), 1000 * seconds)
            for size, seconds in PUBLISHED["backtracking"].items()
            if seconds
        ]
        axes.plot(
            *zip(*known, strict=True), "P:", color=colours["dim"], markersize=5, label="backtracking, as published"
        )
        if any(row["timed_out"] for row in rows):
            axes.axhline(1000 * timeout, color=colours["dim"], linewidth=0.8)
            note = f"{timeout:g} s: time-outs are crosses"
            place = (0.01, 1000 * timeout)
            axes.annotate(note, place, xycoords=("axes fraction", "data"), color=colours["dim"], va="bottom")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xticks(list(sizes.values()), list(sizes), rotation=30)
        axes.set_xticks([], minor=True)
        axes.set_title("Gem Hunter: processor time for a solution", loc="left")
        axes.set_ylabel("milliseconds (log scale): median, fastest and slowest board")
        axes.set_xlabel("size of the board, by cells (log scale)")
        style_axes(axes, theme)
        figure.legend(loc="outside right upper", frameon=False, fontsize=8, labelcolor=colours["ink"])
        save_chart(figure, path, theme)
