"""Judge by how much one strategy wins more than another, from the decisions in which they differ.

Wins are noisy: a tenth of a percent takes 170,000 games. The judge looks at what is decided instead. Let the new
strategy play a game. At each of its guesses let Q(cell) be the chance to win if that cell is opened and the *other*
strategy plays on, and V = Q(the other's cell) the chance to win if the other takes over before the guess. Then

    chance of the new one - chance of the other = mean over games of the sum over guesses of Q(new's cell) - V,

since from one guess to the next Q(new's cell) is, on average over what the cell and logic show, the V of the next
guess, or at the end of the game 1 for a win and 0 for a loss: the sum telescopes, its first V is the chance of the
other, and what is left at the end is the chance of the new one (Kakade and Langford, *Approximately optimal approximate
reinforcement learning*, ICML 2002, lemma 6.1). Where both open the same cell the difference is 0, so only the other
guesses have to be looked at. There, Q is estimated from fresh uniform layouts, the same for both cells, played on by
the other strategy. Such an estimate has the right mean, whatever the number of layouts, so the mean over games has; and
its interval, from the spread over games, includes the noise of both. The luck of surviving a cell is taken out: with
`s` its known safety and `r` its mean result given survival in all other layouts, `r (survived - s)` has mean 0 and is
subtracted.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

import click
import numpy as np

from minesweeper.player import kernel_api
from minesweeper.player.board import Cell, View
from minesweeper.player.play.games import play
from minesweeper.player.recipe import MAX_SEED, Recipe, Stream
from minesweeper.player.stats import Interval, mean_interval
from minesweeper.player.strategies import Knowledge, Strategy, load_strategy, revision_note
from minesweeper.player.strategies.rollout import without_luck
from minesweeper.player.why.wording import counted
from minesweeper.player.words import Preset
from minesweeper.player.workers import WorkerDied, available_workers, interruptible, map_ranges
from minesweeper.scripts import options as common
from minesweeper.scripts.arena import CLICK_HELP, DEFAULT_CLICK, Entrant, parse_arena
from minesweeper.scripts.options import from_decorator, option, with_options
from minesweeper.scripts.settings import ConfigError
from minesweeper.scripts.terminal import INTERRUPTED, Command, progress_bar

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PURPOSE: Final = 3


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the judge makes of one game: how much its decisions gain, as a chance to win, over those of the other."""

    game: int
    gain: float
    guesses: int
    different: int
    won: bool


@dataclass(frozen=True)
class Options:
    """The arguments and options of the judge."""

    new: str = from_decorator(click.argument("new", shell_complete=common.complete_strategies))
    other: str = from_decorator(click.argument("other", default="champion", shell_complete=common.complete_strategies))
    board: str | None = from_decorator(common.board_option)
    size: str | None = from_decorator(common.size_option)
    mines: int | None = from_decorator(common.mines_option)
    start: str = option(type=common.START_RULES, default="opening", help="Start rule.")
    first_click: str = option(default=DEFAULT_CLICK, metavar=CLICK_HELP, help="Where boards are opened.")
    games: int = option(type=click.IntRange(min=1), default=1000, help="Games of the new strategy.")
    layouts: int = option(type=click.IntRange(min=2), default=256, help="Layouts for each decision that differs.")
    seed: int = option(type=click.IntRange(0, MAX_SEED), default=0, help="Fixes the boards and layouts.")
    results: Path | None = option(
        type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.jsonl", help="Keep results, and go on from them."
    )
    workers: int | None = from_decorator(common.workers_option)
    presets: Mapping[str, Preset] = from_decorator(common.config_option)
    as_json: bool = option("--json", "as_json", is_flag=True, help="Print the result as JSON.")


@click.command(cls=Command, epilog="Example: python scripts/judge.py rollout,layouts=128 champion --start safe")
@with_options(Options)
def main(options: Options) -> None:
    """Estimate how many percent of games strategy NEW wins more than strategy OTHER.

    NEW plays; where it decides otherwise than OTHER, both cells are played on by OTHER in common random layouts. OTHER
    is a strategy of the native engine; a NEW that is a file or a program is run. Boards are those of the preset expert
    unless --board or --size and --mines say otherwise. The text at the top of scripts/judge.py derives why that
    is right.
    """
    new, other = Entrant.from_text(options.new), Entrant.from_text(options.other)
    if not kernel_api.available() or options.other not in kernel_api.BASES:
        raise ConfigError(f"expected the other strategy among {', '.join(kernel_api.BASES[1:])}: {options.other!r}")
    board = options.board or ("expert" if options.size is None else None)
    chosen = common.chosen_board(board, options.size, options.mines, options.presets)
    arena = parse_arena(chosen, options.start, options.first_click, options.seed, options.games)
    recipe = arena.recipe(new.strategy)
    asked = {
        "new": new.name,
        "other": other.name,
        "boards": recipe.title,
        "seed": recipe.seed,
        "layouts": options.layouts,
    }
    verdicts = [] if options.results is None else _read(options.results, asked)
    del verdicts[options.games :]
    judge = partial(judge_games, recipe, options.new, options.other, options.layouts)
    interrupted = _go_on(judge, verdicts, options, asked)
    found = {**asked, **_summary(verdicts)}
    click.echo(json.dumps(found) if options.as_json else _in_words(verdicts, asked))
    if not options.as_json and (note := revision_note([new.name, other.name])):
        click.echo(note)
    if interrupted:
        click.echo("interrupted" + (": run the same command to go on" if options.results else ""), err=True)
        sys.exit(INTERRUPTED)


def judge_games(recipe: Recipe, new: str, other: str, layouts: int, games: range) -> list[Verdict]:
    """Let `new` play these puzzles of a recipe, and judge its decisions by `other`, a strategy of the kernel."""
    verdicts = []
    judge = _Judge(load_strategy(new), load_strategy(other), other, layouts)
    for game in games:
        judge.begin_game(recipe.seed, game)
        result = play(recipe.puzzle(game), judge, seed=recipe.seed)
        verdicts.append(Verdict(game, judge.gain, result.guesses, judge.different, result.won))
    return verdicts


class _Judge(Strategy):
    """Plays as `new`, and adds up what its decisions gain over those of `other`."""

    name = "judge"

    def __init__(self, new: Strategy, other: Strategy, base: str, layouts: int) -> None:
        self._new, self._other, self._base, self._layouts = new, other, base, layouts
        self.gain, self.different = 0.0, 0

    def begin_game(self, seed: int, game: int) -> None:
        self.gain, self.different = 0.0, 0
        self._stream = Stream(seed, game, _PURPOSE)

    def begin(self, random: Random) -> None:
        self._new.begin(random)

    def choose(self, view: View, knowledge: Knowledge) -> Cell:
        chosen = self._new.choose(view, knowledge)
        others = self._other.choose(view, knowledge)
        if chosen != others:
            self.different += 1
            seed = self._stream.below(2**63)
            self.gain += float(
                np.mean(advantages(view, knowledge.mine_map, chosen, others, self._base, self._layouts, seed))
            )
        return chosen


def advantages(
    view: View, known_mines: NDArray[np.bool_], chosen: Cell, others: Cell, base: str, layouts: int, seed: int
) -> NDArray[np.float64]:
    """Estimate Q(chosen) - Q(others) in each of so many layouts, at least 2; the mean has the right expectation."""
    trials = kernel_api.Trials(view, known_mines, seed, base)
    safe, worth = trials.run((chosen, others), range(layouts))
    mine, _ = kernel_api.probabilities(view)
    safety = np.array([1 - mine[chosen], 1 - mine[others]])
    adjusted = without_luck(safe, worth, safety)
    return np.asarray(adjusted[:, 0] - adjusted[:, 1])


def _go_on(judge: Any, verdicts: list[Verdict], options: Options, asked: dict[str, object]) -> bool:
    """Judge the games that are missing, and keep each; return whether that was interrupted."""
    numbers = range(len(verdicts), options.games)
    workers = options.workers or available_workers()
    with (
        interruptible() as stop,
        progress_bar(" games", options.games, initial=len(verdicts)) as bar,
        closing(map_ranges(judge, numbers, workers, stop=stop)) as pieces,
    ):
        try:
            for _, piece in pieces:
                if options.results is not None:
                    _keep(options.results, asked, piece)
                verdicts += piece
                bar.update(len(piece))
        except WorkerDied as error:
            raise click.ClickException(f"{error}; run the same command to go on") from error
        return len(verdicts) < options.games


def _read(path: Path, asked: dict[str, object]) -> list[Verdict]:
    """Read the verdicts kept in a file for these settings, up to the first that is missing or cut off."""
    if not path.exists():
        return []
    if not path.is_file():
        raise ConfigError(f"expected a regular file for the results: {str(path)!r}")
    verdicts: list[Verdict] = []
    lines = path.read_text(encoding="utf-8").split("\n")
    try:
        kept = json.loads(lines[0])
    except ValueError:
        kept = None
    if kept != asked:
        raise ConfigError(f"expected a file of results for the same strategies, boards and layouts: {str(path)!r}")
    for line in lines[1:-1]:
        try:
            verdicts.append(Verdict(**json.loads(line)))
        except (ValueError, TypeError) as error:
            raise ConfigError(f"expected a game in each line after the first of {str(path)!r}: {line!r}") from error
    if [verdict.game for verdict in verdicts] != list(range(len(verdicts))):
        raise ConfigError(f"expected the games in order, each once: {str(path)!r}")
    if lines[-1]:  # cut off while it was written
        os.truncate(path, len("\n".join(lines[:-1]).encode()) + 1)
    return verdicts


def _keep(path: Path, asked: dict[str, object], verdicts: list[Verdict]) -> None:
    try:
        with path.open("a", encoding="utf-8") as file:
            if file.tell() == 0:
                file.write(json.dumps(asked) + "\n")
            file.writelines(json.dumps(asdict(verdict)) + "\n" for verdict in verdicts)
    except OSError as error:
        raise ConfigError(f"expected a file that can be written, {error.strerror}: {str(path)!r}") from error


def interval(gains: list[float]) -> Interval:
    """The mean with its 95% interval, from the spread over games."""
    mean = float(np.mean(gains)) if gains else 0.0
    return mean_interval(mean, float(np.std(gains, ddof=1)) if len(gains) > 1 else 0.0, len(gains))


def _summary(verdicts: list[Verdict]) -> dict[str, object]:
    gain = interval([verdict.gain for verdict in verdicts])
    games = max(len(verdicts), 1)
    return {
        "games": len(verdicts),
        **gain.percent_columns("gain"),
        "guesses": sum(verdict.guesses for verdict in verdicts) / games,
        "different": sum(verdict.different for verdict in verdicts) / games,
        "won": sum(verdict.won for verdict in verdicts),
    }


def _in_words(verdicts: list[Verdict], asked: dict[str, object]) -> str:
    gain = interval([verdict.gain for verdict in verdicts])
    found = _summary(verdicts)
    margin = f"±{100 * gain.margin:.3f}" if math.isfinite(gain.margin) else "and no interval from one game"
    return (
        f"{asked['new']} against {asked['other']}, judged on {counted(len(verdicts), 'game')}: {asked['boards']}, "
        f"seed {asked['seed']}\n"
        f"{asked['new']} wins {100 * gain.value:+.3f} {margin} percent of the games more (95% interval)\n"
        f"{found['different']:.2f} of {found['guesses']:.2f} guesses a game differ; {asked['layouts']} layouts for each"
    )


if __name__ == "__main__":
    main()
