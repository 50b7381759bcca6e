"""The command `minesweeper match`: test whether one strategy wins more than another, with as few games as possible.

Both play the same boards until a sequential test (`SequentialTest`) decides. Results are stored in the
database like those of `leaderboard`, so an interrupted match continues when it is run again.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import click

from minesweeper.db.series import SeriesKey
from minesweeper.db.store import Store
from minesweeper.player.core.errors import ConfigError, counted
from minesweeper.player.core.lazy_numpy import np
from minesweeper.player.core.recipe import Recipe
from minesweeper.player.logic import choose_engine
from minesweeper.player.parallel.workers import interruptible, worker_pool
from minesweeper.player.play.comparison import Comparison, compare_wins
from minesweeper.player.play.stats import SequentialTest
from minesweeper.player.play.strategies.loading import revision_note
from minesweeper.scripts.console import options as common
from minesweeper.scripts.console.arena import ArenaOptions, Entrant, continue_series, print_end
from minesweeper.scripts.console.options import WorkOptions, from_decorator, option, with_options
from minesweeper.scripts.console.terminal import Command, database_option, logging_to, progress_bar

if TYPE_CHECKING:
    from numpy.typing import NDArray

NOT_ACCEPTED: Final = 1
_BOARDS_PER_LOOK: Final = 100
_FIRST_TURN: Final = 200


@dataclass(frozen=True)
class MatchOptions(ArenaOptions):
    """The arguments and options of a match."""

    first: str = from_decorator(click.argument("first", shell_complete=common.complete_strategies))
    second: str = from_decorator(click.argument("second", shell_complete=common.complete_strategies))
    gain: float = option(type=float, default=0.5, metavar="PERCENT", help="Lead to prove.")
    null: float = option(type=float, default=0.0, metavar="PERCENT", help="Lead that is too small.")
    alpha: float = option(type=float, default=0.05, help="Probability of accepting if the lead is --null.")
    beta: float = option(type=float, default=0.05, help="Probability of rejecting if the lead is --gain.")
    max_games: int = option(
        type=click.IntRange(min=1), default=1_000_000, help="Stop undecided after this many boards."
    )
    db: str = from_decorator(database_option)
    work: WorkOptions = from_decorator(common.work_options)
    as_json: bool = option("--json", "as_json", is_flag=True, help="Print the result as JSON.")

    def test(self) -> SequentialTest:
        """Return the test for these leads and error probabilities. Raises `ConfigError`."""
        try:
            return SequentialTest(self.null / 100, self.gain / 100, self.alpha, self.beta)
        except ValueError as error:
            raise ConfigError(str(error)) from error


@click.command(
    cls=Command,
    short_help="Test whether one strategy wins more than another.",
    epilog="Example: minesweeper match local random --board beginner --start safe --gain 2",
)
@with_options(MatchOptions)
def main(options: MatchOptions) -> None:
    """Test whether strategy FIRST wins --gain percent more games than strategy SECOND.

    The default boards are those of the preset expert. Exits with 0 if FIRST wins more, and with 1 if it does not or if
    --max-games boards do not decide. A strategy given as a file or command is executed.
    """
    test = options.test()
    arena = options.arena(options.max_games)
    with logging_to(options.work.verbose, options.work.log_file):
        entrants = Entrant.from_text(options.first), Entrant.from_text(options.second)
        if entrants[0].name == entrants[1].name:
            raise ConfigError(f"both strategies are {options.first!r}; expected two different ones")
        recipes = arena.recipe(entrants[0].strategy), arena.recipe(entrants[1].strategy)
        with Store(options.db) as store:
            score, interrupted = _play(store, entrants, recipes, test, options)
    if options.as_json:
        click.echo(json.dumps(_as_json(score, recipes, test)))
    else:
        click.echo(_in_words(score, recipes, test))
    print_end(entrants, interrupted)
    sys.exit(0 if _verdict(test, score) else NOT_ACCEPTED)


def _play(
    store: Store,
    entrants: tuple[Entrant, Entrant],
    recipes: tuple[Recipe, Recipe],
    test: SequentialTest,
    options: MatchOptions,
) -> tuple[Comparison, bool]:
    """Play both in turn until the test decides; return the score and True if interrupted."""
    engine = choose_engine(options.work.engine)
    most = options.max_games
    series = list(zip(entrants, recipes, strict=True))
    names = [entrant.name for entrant in entrants]
    won = [store.series.results(SeriesKey(entrant.name, recipe)).won for entrant, recipe in series]
    score = _score(test, names, won, most)
    with (
        worker_pool(options.work.workers, options.work.cluster) as workers,
        interruptible() as stop,
        progress_bar(" boards") as bar,
    ):
        bar.update(score.games)
        while _verdict(test, score) is None and score.games < most and not stop():
            target = min(most, score.games + max(_FIRST_TURN, score.games // 4))
            won = [
                continue_series(store, entrant, recipe, target, engine=engine, workers=workers, stop=stop).won
                for entrant, recipe in series
            ]
            score = _score(test, names, won, most, since=score.games)
            bar.set_postfix(ratio=f"{_ratio(test, score):.2f} in {test.lower:.2f} to {test.upper:.2f}", refresh=False)
            bar.update(score.games - bar.n)
        return score, _verdict(test, score) is None and score.games < most


def _score(
    test: SequentialTest, names: list[str], won: list[NDArray[np.bool_]], most: int, since: int = 0
) -> Comparison:
    first, second = won
    boards = first_decision(test, first, second, most, since)
    return compare_wins(names[0], names[1], first[:boards], second[:boards])


def _verdict(test: SequentialTest, score: Comparison) -> bool | None:
    return test.verdict(score.only_first, score.only_second, score.games)


def _ratio(test: SequentialTest, score: Comparison) -> float:
    return test.log_likelihood_ratio(score.only_first, score.only_second, score.games)


def first_decision(
    test: SequentialTest, first: NDArray[np.bool_], second: NDArray[np.bool_], most: int, since: int = 0
) -> int:
    """Return the number of common boards after which the test first decides, or the last at which it was applied.

    The test is applied after every 100 boards and after `most`, so the verdict depends on the boards alone, not on
    interruptions or stored games. The first `since` boards are known to give no verdict.
    """
    boards = min(len(first), len(second), most)
    ends = [*range(max(since, _BOARDS_PER_LOOK), boards + 1, _BOARDS_PER_LOOK), *[most] * (boards == most)]
    ahead, behind = np.cumsum(first[:boards] & ~second[:boards]), np.cumsum(second[:boards] & ~first[:boards])
    decided = (end for end in ends if test.verdict(int(ahead[end - 1]), int(behind[end - 1]), end) is not None)
    return next(decided, ends[-1] if ends else 0)


def _in_words(score: Comparison, recipes: tuple[Recipe, Recipe], test: SequentialTest) -> str:
    first, second, lead = score.first, score.second, score.difference
    verdicts = {
        True: f"{first} wins more: a lead of {test.gain:.2%} is accepted against {test.null:.2%}",
        False: f"{first} does not win more: a lead of {test.gain:.2%} is rejected against {test.null:.2%}",
        None: "undecided",
    }
    bounds = f"log-likelihood ratio {_ratio(test, score):.2f}, bounds {test.lower:.2f} and {test.upper:.2f}"
    lines = [
        f"{first} against {second} on {counted(score.games, 'board')}: {_boards(recipes)}",
        f"{first}: {score.first_wins} won, {score.first_rate.in_percent()}",
        f"{second}: {score.second_wins} won, {score.second_rate.in_percent()}",
        f"lead of {first}: {100 * lead.value:+.2f} ±{100 * lead.margin:.2f} percent of the games; "
        f"{counted(score.only_first, 'board')} won only by {first}, {score.only_second} only by {second}",
        f"{verdicts[_verdict(test, score)]} ({bounds})",
    ]
    return "\n".join([*lines, *filter(None, [revision_note([first, second])])])


def _boards(recipes: tuple[Recipe, Recipe]) -> str:
    first, second = recipes
    others = "" if first == second else f" and {second.click_name}, different boards"
    return f"{first.title}{others}, seed {first.seed}"


def _as_json(score: Comparison, recipes: tuple[Recipe, Recipe], test: SequentialTest) -> dict[str, object]:
    return {
        **score.to_json(),
        **recipes[0].to_json(),
        "second_first_click": recipes[1].to_json()["first_click"],
        **score.difference.percent_columns("lead"),
        "log_likelihood_ratio": _ratio(test, score),
        "lower_bound": test.lower,
        "upper_bound": test.upper,
        "accepted": _verdict(test, score),
    }
