"""The command `minesweeper gain`: estimate the lead of one strategy from the decisions that differ.

docs/explanation/gain.md has the equation, its proof and the estimate.
"""

from __future__ import annotations

import json
import math
import os
import sys
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final

import click

from minesweeper.player.core.board import View
from minesweeper.player.core.errors import ConfigError, StrategyError, WorkerDied, counted
from minesweeper.player.core.grid import Cell
from minesweeper.player.core.lazy_numpy import np
from minesweeper.player.core.recipe import Recipe, Stream
from minesweeper.player.logic.probability import probabilities
from minesweeper.player.parallel.workers import available_workers, interruptible, map_ranges
from minesweeper.player.play.games import play
from minesweeper.player.play.stats import Interval, mean_interval
from minesweeper.player.play.strategies import Knowledge, Strategy, choose_cell
from minesweeper.player.play.strategies.loading import load_strategy, revision_note
from minesweeper.player.play.strategies.rollout import Trials, reduce_variance
from minesweeper.scripts.console import options as common
from minesweeper.scripts.console.arena import ArenaOptions, Entrant
from minesweeper.scripts.console.options import from_decorator, option, with_options
from minesweeper.scripts.console.terminal import INTERRUPTED, Command, progress_bar

_PURPOSE: Final = 3


@dataclass(frozen=True, slots=True)
class GameGain:
    """The gain of one game's decisions over those of the other strategy, as a probability to win."""

    game: int
    gain: float
    guesses: int
    different: int
    won: bool
    forfeited: bool = False


@dataclass(frozen=True)
class GainOptions(ArenaOptions):
    """The arguments and options of the command."""

    new: str = from_decorator(click.argument("new", shell_complete=common.complete_strategies))
    other: str = from_decorator(click.argument("other", default="champion", shell_complete=common.complete_strategies))
    games: int = option(type=click.IntRange(min=1), default=1000, help="Games of the new strategy.")
    layouts: int = option(type=click.IntRange(min=2), default=256, help="Layouts per different decision.")
    workers: int | None = from_decorator(common.workers_option)
    results: Path | None = option(
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE.jsonl",
        help="Store results, and continue from them.",
    )
    as_json: bool = option("--json", "as_json", is_flag=True, help="Print the result as JSON.")


@click.command(
    cls=Command,
    short_help="Estimate a lead from the decisions that differ.",
    epilog="Example: minesweeper gain rollout,layouts=128 champion --start safe",
)
@with_options(GainOptions)
def main(options: GainOptions) -> None:
    """Estimate the difference of the win rates of strategies NEW and OTHER, in percent of games.

    NEW plays. Where its decision differs from OTHER's, OTHER plays on from both cells in the same random layouts. OTHER
    is a strategy of the native engine. NEW may be a file or a program, exec:COMMAND, which is executed; logic opens the
    certain cells for it. The default boards are those of the preset expert. docs/explanation/gain.md has the proof.
    """
    new, other = Entrant.from_text(options.new), Entrant.of_kernel(options.other, "OTHER")
    if new.name == other.name:
        raise ConfigError(f"both strategies are {options.new!r}; expected two different ones")
    arena = options.arena(options.games)
    recipe = arena.recipe(new.strategy)
    settings = {
        "new": new.name,
        "other": other.name,
        "boards": recipe.title,
        "seed": recipe.seed,
        "layouts": options.layouts,
    }
    gains = [] if options.results is None else _read(options.results, settings)
    del gains[options.games :]
    work = partial(gains_of, recipe, options.new, options.other, options.layouts)
    interrupted = _play_missing(work, gains, options, settings)
    players = {"new": new.name, "other": other.name}
    summary = {**players, **recipe.to_json(), "layouts_per_decision": options.layouts, **_summary(gains)}
    click.echo(json.dumps(summary) if options.as_json else _in_words(gains, settings))
    if not options.as_json and (note := revision_note([new.name, other.name])):
        click.echo(note)
    if interrupted:
        click.echo("interrupted" + (": run the same command to continue" if options.results else ""), err=True)
        sys.exit(INTERRUPTED)


def gains_of(recipe: Recipe, new: str, other: str, layouts: int, games: range) -> list[GameGain]:
    """Let `new` play these puzzles of a recipe, and compare its decisions with those of `other`."""
    gains = []
    player = _Player(load_strategy(new), load_strategy(other), other, layouts)
    for game in games:
        player.begin_game(recipe.seed, game)
        result = play(recipe.puzzle(game), player, seed=recipe.seed)
        forfeited = result.fault is not None
        guesses = result.guesses + forfeited
        gains.append(GameGain(game, player.gain, guesses, player.different, result.won, forfeited))
    return gains


class _Player(Strategy):
    """A strategy that plays as `new` and sums the gains of its decisions over those of `other`."""

    name = "gain"

    def __init__(self, new: Strategy, other: Strategy, base: str, layouts: int) -> None:
        self._new, self._other, self._base, self._layouts = new, other, base, layouts
        self.forfeits = new.forfeits
        self.gain, self.different = 0.0, 0

    def begin_game(self, seed: int, game: int) -> None:
        self.gain, self.different = 0.0, 0
        self._stream = Stream(seed, game, _PURPOSE)

    def begin(self, random: Random) -> None:
        self._new.begin(random)

    def close(self) -> None:
        self._new.close()

    def choose(self, view: View, knowledge: Knowledge) -> Cell:
        others = self._other.choose(view, knowledge)
        try:
            chosen = choose_cell(self._new, view, knowledge)
        except StrategyError:
            # A program that fails loses the game.
            self.different += 1
            self.gain -= self._worth(view, knowledge, others)[0]
            raise
        if chosen != others:
            self.different += 1
            worth = self._worth(view, knowledge, chosen, others)
            self.gain += worth[0] - worth[1]
        return chosen

    def _worth(self, view: View, knowledge: Knowledge, *cells: Cell) -> list[float]:
        """Return unbiased estimates of Q(cell) from the same layouts."""
        trials = Trials(view, knowledge.mine_map, self._stream.below(2**63), self._base)
        safe, worth = trials.run(cells, range(self._layouts))
        chances = probabilities(view).chances
        safety = np.array([1 - chances[cell] for cell in cells])
        means: list[float] = reduce_variance(safe, worth, safety).mean(axis=0).tolist()
        return means


def _play_missing(work: Any, gains: list[GameGain], options: GainOptions, settings: dict[str, object]) -> bool:
    """Play and store the missing games; return True if interrupted."""
    numbers = range(len(gains), options.games)
    workers = options.workers or available_workers()
    with (
        interruptible() as stop,
        progress_bar(" games", options.games, initial=len(gains), in_lines=True) as bar,
        closing(map_ranges(work, numbers, workers, stop=stop)) as pieces,
    ):
        try:
            for _, piece in pieces:
                if options.results is not None:
                    _append(options.results, settings, piece)
                gains += piece
                bar.update(len(piece))
        except WorkerDied as error:
            raise click.ClickException(f"{error}; run the same command to continue") from error
        return len(gains) < options.games


def _read(path: Path, settings: dict[str, object]) -> list[GameGain]:
    """Read the games that a file holds for these settings; cut off an incomplete last line."""
    if not path.exists():
        return []
    if not path.is_file():
        raise ConfigError(f"{str(path)!r} is not a regular file; expected a file of results")
    gains: list[GameGain] = []
    lines = path.read_text(encoding="utf-8").split("\n")
    if lines[0] != json.dumps(settings):
        raise ConfigError(
            f"{str(path)!r} has results for other settings; expected the same strategies, boards and layouts"
        )
    for line in lines[1:-1]:
        try:
            gains.append(GameGain(**json.loads(line)))
        except (ValueError, TypeError) as error:
            raise ConfigError(f"invalid line in {str(path)!r}: {line!r}; expected one game per line") from error
    if [one.game for one in gains] != list(range(len(gains))):
        raise ConfigError(f"missing or repeated games in {str(path)!r}; expected games 0, 1, 2, ... in order")
    if lines[-1]:  # An interrupted write left part of a line.
        os.truncate(path, len("\n".join(lines[:-1]).encode()) + 1)
    return gains


def _append(path: Path, settings: dict[str, object], gains: list[GameGain]) -> None:
    try:
        with path.open("a", encoding="utf-8") as file:
            if file.tell() == 0:
                file.write(json.dumps(settings) + "\n")
            file.writelines(json.dumps(asdict(one)) + "\n" for one in gains)
    except OSError as error:
        raise ConfigError(f"cannot write results to {str(path)!r}: {error.strerror}") from error


def interval(values: list[float]) -> Interval:
    """Return the mean with its 95% interval, from the spread over games."""
    mean = float(np.mean(values)) if values else 0.0
    return mean_interval(mean, float(np.std(values, ddof=1)) if len(values) > 1 else 0.0, len(values))


def _summary(gains: list[GameGain]) -> dict[str, object]:
    gain = interval([one.gain for one in gains])
    games = max(len(gains), 1)
    return {
        "games": len(gains),
        **gain.percent_columns("gain"),
        "guesses_per_game": sum(one.guesses for one in gains) / games,
        "different_per_game": sum(one.different for one in gains) / games,
        "wins": sum(one.won for one in gains),
        "forfeits": sum(one.forfeited for one in gains),
    }


def _in_words(gains: list[GameGain], settings: dict[str, object]) -> str:
    gain = interval([one.gain for one in gains])
    found = _summary(gains)
    forfeits = sum(one.forfeited for one in gains)
    margin = f"±{100 * gain.margin:.3f}" if math.isfinite(gain.margin) else "and no interval from one game"
    return (
        f"{settings['new']} against {settings['other']}, in {counted(len(gains), 'game')}: "
        f"{settings['boards']}, seed {settings['seed']}\n"
        f"{settings['new']} wins {100 * gain.value:+.3f} {margin} percent more of the games (95% interval)\n"
        f"{found['different_per_game']:.2f} of {found['guesses_per_game']:.2f} guesses per game differ; "
        f"{settings['layouts']} layouts" + (f"; {counted(forfeits, 'game')} forfeited" if forfeits else "")
    )
