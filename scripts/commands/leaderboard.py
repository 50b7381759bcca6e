"""The command `minesweeper leaderboard`: rank strategies by games on the same boards.

Results are stored in the database, so a second run plays only the missing games.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from minesweeper.db.series import SeriesKey, SeriesResults
from minesweeper.db.store import Store
from minesweeper.player.core.errors import ConfigError, did_you_mean
from minesweeper.player.core.grid import in_words
from minesweeper.player.core.lazy_numpy import np
from minesweeper.player.core.recipe import MAX_SEED, Recipe, parse_board, standard_presets
from minesweeper.player.logic import choose_engine
from minesweeper.player.parallel.workers import interruptible, worker_pool
from minesweeper.player.play.comparison import Comparison, compare_wins
from minesweeper.player.play.stats import wilson
from minesweeper.player.play.strategies.loading import quick_strategies, revision_note
from minesweeper.scripts.console import options as common
from minesweeper.scripts.console.arena import (
    CLICK_HELP,
    CLICKS,
    DEFAULT_CLICK,
    Arena,
    Entrant,
    continue_series,
    parse_arena,
    print_end,
)
from minesweeper.scripts.console.charts import COLOURS, Theme, check_chart, drawing, style_axes
from minesweeper.scripts.console.options import BoardOptions, WorkOptions, from_decorator, option, with_options
from minesweeper.scripts.console.settings import presets_in, read_settings
from minesweeper.scripts.console.terminal import (
    Command,
    Row,
    TableStyle,
    columns,
    database_option,
    logging_to,
    output_options,
    print_rows,
    progress_bar,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

_TURNS: Final = 10
_OUTPUT: Final = "Output"
_PANEL_WIDTH: Final = 5.2
_PANELS_ABREAST: Final = 2
_CONFIG_KEYS: Final = ("strategies", "boards", "starts", "games", "first_click", "seed", "presets")
_BOARD_KEYS: Final = ("board", "start", "games", "first_click", "seed")
_FIELDS: Final = columns(
    "rows, cols, mines, start, first_click, seed, strategy, games, wins, win_percent, win_percent_low, "
    "win_percent_high, guesses_per_game, seconds_per_game, forfeits, behind_percent, behind_percent_low, "
    "behind_percent_high, p_value"
)
_TABLE: Final = columns(
    "player: strategy, games, wins, win_rate: win %, interval: 95% interval, guesses, milliseconds: ms/game, behind, p"
)
_PAIRS_FIELDS: Final = columns(
    "rows, cols, mines, start, first_click, seed, first, second, games, only_first, only_second, "
    "lead_percent, lead_percent_low, lead_percent_high, p_value"
)
_PAIRS_TABLE: Final = columns(
    "first, second, games, only_first: only first won, only_second: only second won, lead: lead %, p"
)


@dataclass(frozen=True)
class Entry:
    """The results of one entrant in one arena. Its series may hold more games than the arena ranks."""

    arena: Arena
    recipe: Recipe
    entrant: Entrant
    results: SeriesResults

    @property
    def won(self) -> NDArray[np.bool_]:
        """One value per board of the arena: True if it was won."""
        return self.results.won[: self.arena.games]

    @property
    def wins(self) -> int:
        """The number of boards won."""
        return int(np.count_nonzero(self.won))


@dataclass(frozen=True)
class LeaderboardOptions:
    """The options of `leaderboard`; those not given are None or empty."""

    config: Path | None = option(type=common.PATH, metavar="FILE.yaml", help="Boards, strategies and games.")
    strategies: tuple[str, ...] = option(
        "--strategy",
        "strategies",
        multiple=True,
        metavar="NAME|FILE.py|exec:COMMAND",
        shell_complete=common.complete_strategies,
        help="Strategy; repeatable. Files and commands are executed. [default: all fast strategies]",
    )
    boards: tuple[str, ...] = option(
        *("--board", "--preset", "boards"),
        group=common.BOARDS,
        multiple=True,
        metavar="ROWSxCOLS/MINES|PRESET",
        shell_complete=common.complete_presets,
        help="Boards; repeatable. [default: beginner, intermediate, expert]",
    )
    size: str | None = from_decorator(common.size_option, group=common.BOARDS)
    mines: int | None = from_decorator(common.mines_option, group=common.BOARDS)
    starts: tuple[str, ...] = option(
        *("--start", "starts"),
        group=common.BOARDS,
        multiple=True,
        type=common.START_RULES,
        help="Start rule; repeatable. [default: opening]",
    )
    first_click: str | None = option(
        group=common.BOARDS, metavar=CLICKS, help=f"{CLICK_HELP} [default: {DEFAULT_CLICK}]"
    )
    games: int | None = option(type=click.IntRange(min=1), help="Games per strategy and board. [default: 200]")
    seed: int | None = option(
        group=common.BOARDS, type=click.IntRange(0, MAX_SEED), help="Seed of the boards. [default: 0]"
    )
    db: str = from_decorator(database_option)
    each_game: bool = option(is_flag=True, help="Store every game as well as the totals.")
    time_limit: float | None = option(
        type=click.FloatRange(0, min_open=True),
        metavar="SECONDS",
        help="Time for each game, after which it is lost. The stored results do not name it.",
    )
    pairs: bool = option(
        group=_OUTPUT, is_flag=True, help="Print a comparison of every two strategies instead of the ranking."
    )
    chart: Path | None = option(
        group=_OUTPUT, type=common.PATH, metavar="FILE.svg", help="Draw the ranking as .svg, .png or .pdf."
    )
    theme: Theme = from_decorator(common.theme_option, group=_OUTPUT)
    work: WorkOptions = from_decorator(common.work_options)
    style: TableStyle = from_decorator(output_options, group=_OUTPUT)


@click.command(cls=Command, epilog="Example: minesweeper leaderboard --board 9x9/10 --board expert --games 1000 --csv")
@with_options(LeaderboardOptions)
def main(options: LeaderboardOptions) -> None:
    """Rank strategies by games on the same boards.

    Win rates have 95% Wilson intervals. Each strategy is compared with the best on the same boards: the difference of
    the win rates and McNemar's p-value; --pairs compares every two. The milliseconds per game are CPU time, or wall
    time for a strategy that is another program. Results are stored: run again with more --games to play only the
    missing ones.

    A config file may set strategies, boards, starts, games, first_click, seed and presets. A board is a name, or a
    mapping with board and its own start, games, first_click or seed. Options override the file.
    """
    settings = {} if options.config is None else read_settings(options.config)
    arenas, names = _read_arenas(settings, options), _read_names(settings, options)
    if options.chart is not None:
        check_chart(options.chart)
    with logging_to(options.work.verbose, options.work.log_file):
        entrants = [Entrant.from_text(name) for name in names]
        recipes = [[arena.recipe(entrant.strategy) for entrant in entrants] for arena in arenas]
        with Store(options.db) as store:
            groups, interrupted = _play(store, arenas, entrants, recipes, options)
    rankings = [[_row(entry, group[0]) for entry in group] for group in groups]
    if options.pairs:
        _print(list(map(_paired, groups)), _PAIRS_TABLE, _PAIRS_FIELDS, options.style)
    else:
        _print(rankings, _TABLE, _FIELDS, options.style)
    if options.style == "table" and (note := revision_note([entrant.name for entrant in entrants])):
        click.echo(note)
    if options.chart is not None and any(rankings):
        panels = [(str(ranking[0]["boards"]), ranking) for ranking in rankings if ranking]
        draw_chart(panels, options.chart, options.theme)
    print_end(entrants, interrupted)


def _print(
    groups: Sequence[Sequence[Row]], table: Mapping[str, str], fields: Mapping[str, str], style: TableStyle
) -> None:
    """Print the rows of all arenas as JSON or CSV, or a table for each arena."""
    if style != "table" or not any(groups):
        print_rows(
            (row for group in groups for row in group), fields, style, empty="no two strategies on the same boards"
        )
        return
    for place, group in enumerate(filter(None, groups)):
        click.echo(("\n" if place else "") + str(group[0]["boards"]))
        forfeits = {"forfeits": "forfeits"} if any(row.get("forfeits") for row in group) else {}
        print_rows(group, {**table, **forfeits})


def _read_names(settings: Mapping[str, Any], options: LeaderboardOptions) -> list[str]:
    names = options.strategies or settings.get("strategies", quick_strategies())
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names) or not names:
        raise ConfigError(f"strategies are not a list of names: {names!r}; expected e.g. [champion, local]")
    return list(dict.fromkeys(names))


def _read_arenas(settings: Mapping[str, Any], options: LeaderboardOptions) -> list[Arena]:
    """Combine options, config file and defaults. Raises `ConfigError` or `BoardError`."""
    _check_keys(settings, _CONFIG_KEYS, "the config file")
    defaults: dict[str, Any] = {"games": 200, "first_click": DEFAULT_CLICK, "seed": 0}
    presets = {**standard_presets(), **presets_in(settings, options.config)}
    given_boards = options.boards
    if options.size is not None or options.mines is not None:
        given_boards = (*given_boards, BoardOptions(None, options.size, options.mines, presets).chosen().name)
    boards = given_boards or settings.get("boards", ["beginner", "intermediate", "expert"])
    starts = options.starts or settings.get("starts", ["opening"])
    for what, values in (("boards", boards), ("starts", starts)):
        if not isinstance(values, list | tuple) or not values:
            raise ConfigError(f"{what} are not a list: {values!r}")
    arenas = []
    for entry in boards:
        board = entry if isinstance(entry, dict) else {"board": entry}
        _check_keys(board, _BOARD_KEYS, "a board")
        layers: tuple[Mapping[str, Any], ...] = (defaults, settings, board, vars(options))
        own: dict[str, Any] = {
            name: value for layer in layers for name in defaults if (value := layer.get(name)) is not None
        }
        for name in ("games", "seed"):
            if not isinstance(own[name], int) or not (name == "games") <= own[name] <= MAX_SEED:
                raise ConfigError(f"invalid {name} of board {board.get('board')!r}: {own[name]!r}; expected an integer")
        own_starts = [board["start"]] if "start" in board and not options.starts else starts
        size, click_name = parse_board(str(board.get("board")), presets), str(own["first_click"])
        arenas += [parse_arena(size, str(start), click_name, own["seed"], own["games"]) for start in own_starts]
    return arenas


def _check_keys(settings: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    for key in settings:
        if key not in known:
            raise ConfigError(f"unknown key {key!r} in {where}{did_you_mean(key, known)}; keys: {', '.join(known)}")


def _play(
    store: Store,
    arenas: Sequence[Arena],
    entrants: Sequence[Entrant],
    recipes: Sequence[Sequence[Recipe]],
    options: LeaderboardOptions,
) -> tuple[list[list[Entry]], bool]:
    """Play the missing games, strategies in turn; return the ranked entries of each arena and True if interrupted."""
    engine = choose_engine(options.work.engine)
    total = sum(arena.games * len(entrants) for arena in arenas)
    groups: list[list[Entry]] = []
    with (
        worker_pool(options.work.workers, options.work.cluster) as workers,
        interruptible() as stop,
        progress_bar(" games", total) as bar,
    ):
        for arena, row in zip(arenas, recipes, strict=True):
            results = [
                store.series.results(SeriesKey(one.name, recipe)) for one, recipe in zip(entrants, row, strict=True)
            ]
            bar.update(sum(min(one.games, arena.games) for one in results))
            for turn in range(1, _TURNS + 1):
                for place, (entrant, recipe) in enumerate(zip(entrants, row, strict=True)):
                    if not stop():
                        bar.set_description(f"{in_words(recipe.name)} {recipe.rule} {entrant.name}", refresh=False)
                    results[place] = continue_series(
                        store,
                        entrant,
                        recipe,
                        arena.games * turn // _TURNS,
                        engine=engine,
                        workers=workers,
                        stop=stop,
                        report=bar.update,
                        each_game=options.each_game,
                        time_limit=options.time_limit,
                    )
            entries = [Entry(arena, *entry) for entry in zip(row, entrants, results, strict=True)]
            played = [entry for entry in entries if entry.won.size]
            groups.append(sorted(played, key=lambda entry: -entry.wins / entry.won.size))
        return groups, stop()


def _paired(entries: Sequence[Entry]) -> list[dict[str, object]]:
    """Return a row for every two entries of one arena, best first, that play the same boards."""
    pairs: list[dict[str, object]] = []
    for better, worse in combinations(entries, 2):
        if lead := compare(better, worse):
            family = better.recipe.to_json() | {"boards": better.recipe.title}
            pairs.append(family | lead.to_json() | _columns("lead", lead))
    return pairs


def _row(entry: Entry, best: Entry) -> dict[str, object]:
    rate = wilson(entry.wins, entry.won.size)
    games, guesses, seconds = entry.results.games, entry.results.guesses, entry.results.seconds
    lead = None if entry is best else compare(best, entry)
    unknown = ("behind_percent", "behind_percent_low", "behind_percent_high", "p_value", "behind", "p")
    return {
        **entry.recipe.to_json(),
        "boards": entry.recipe.title,
        "strategy": entry.entrant.name,
        "player": entry.entrant.shown,
        "games": entry.won.size,
        "wins": entry.wins,
        **rate.percent_columns("win"),
        "win_rate": f"{100 * rate.value:.2f}",
        "interval": f"{100 * rate.low:.2f} to {100 * rate.high:.2f}",
        "guesses_per_game": round(guesses / games, 4),
        "guesses": f"{guesses / games:.3f}",
        "forfeits": entry.results.forfeits,
        "seconds_per_game": round(seconds / games, 6),
        "milliseconds": f"{1000 * seconds / games:.2f}",
        **(dict.fromkeys(unknown) if lead is None else _columns("behind", lead)),
    }


def compare(first: Entry, second: Entry) -> Comparison | None:
    """Compare two entries board by board; return None if they have no boards in common."""
    if first.recipe != second.recipe or not min(first.won.size, second.won.size):
        return None
    return compare_wins(first.entrant.name, second.entrant.name, first.won, second.won)


def _columns(name: str, lead: Comparison) -> dict[str, object]:
    difference = lead.difference
    return {
        **difference.percent_columns(name),
        "p_value": lead.p_value,
        name: f"{100 * difference.value:.2f} ±{100 * difference.margin:.2f}",
        "p": f"{lead.p_value:.2g}",
    }


def draw_chart(panels: Sequence[tuple[str, Sequence[Mapping[str, Any]]]], path: Path, theme: Theme = "light") -> None:
    """Draw a panel for each title and its rows, best first, and write the picture to `path`.

    A row has strategy, games, win_percent, win_percent_low and win_percent_high. Equal rows give identical files.
    """
    columns = min(_PANELS_ABREAST, len(panels))
    lines = math.ceil(len(panels) / columns)
    height = 0.9 + 0.32 * max(len(rows) for _, rows in panels)
    size = (_PANEL_WIDTH * columns, height * lines + 0.3)
    with drawing(path, theme, "leaderboard", size, dpi=160, h_pad=0.12, w_pad=0.12) as figure:
        grid = figure.subplots(lines, columns, squeeze=False).flat
        for axes, (title, rows) in zip(grid, panels, strict=False):
            _draw_panel(axes, title, rows, theme)
        for axes in grid[len(panels) :]:
            axes.axis("off")


def _draw_panel(axes: Axes, title: str, rows: Sequence[Mapping[str, Any]], theme: Theme) -> None:
    colours = COLOURS[theme]
    for place, row in enumerate(rows):
        colour = colours["best" if place == 0 else "dot"]
        low, high = row["win_percent_low"], row["win_percent_high"]
        # A second decimal is noise if the interval is wide.
        value = f"{row['win_percent']:.{2 if high - low < 0.5 else 1}f}"
        axes.plot([low, high], [place, place], color=colour, linewidth=2.2, solid_capstyle="round", alpha=0.55)
        axes.plot(row["win_percent"], place, "o", color=colour, markersize=6)
        beside: Any = {"xytext": (6, 0), "textcoords": "offset points", "va": "center"}
        axes.annotate(value, (high, place), color=colours["ink"], **beside)
    low, high = min(row["win_percent_low"] for row in rows), max(row["win_percent_high"] for row in rows)
    room = max(high - low, 1.0)
    axes.set_xlim(low - 0.06 * room, high + 0.18 * room)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_yticks(range(len(rows)), [row["strategy"] for row in rows])
    axes.set_title(title, loc="left")
    games = sorted({row["games"] for row in rows})
    played = f"{games[0]:,} games each" if len(games) == 1 else f"{games[0]:,} to {games[-1]:,} games"
    axes.set_xlabel(f"games won, percent, with 95% intervals; {played}")
    style_axes(axes, theme)
    axes.grid(visible=False, axis="y")
