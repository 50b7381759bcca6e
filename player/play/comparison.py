"""Comparison of two strategies on the same boards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from minesweeper.player.core.steps import Engine
from minesweeper.player.parallel.workers import Workers
from minesweeper.player.play.games import Puzzles, play_many
from minesweeper.player.play.stats import Interval, mcnemar, paired_difference, wilson
from minesweeper.player.play.strategies import Strategy
from minesweeper.player.play.strategies.loading import as_strategy


@dataclass(frozen=True)
class Comparison:
    """The results of two strategies on the same boards; `only_first` counts the boards that only the first one won.

    >>> ms.compare("champion", "random", ms.Recipe("expert", seed=3), games=40).difference.value
    0.15
    """

    first: str
    second: str
    games: int
    first_wins: int
    second_wins: int
    only_first: int
    only_second: int

    @property
    def first_rate(self) -> Interval:
        """The win rate of the first strategy, with its 95% Wilson interval."""
        return wilson(self.first_wins, self.games)

    @property
    def second_rate(self) -> Interval:
        """The win rate of the second strategy, with its 95% Wilson interval."""
        return wilson(self.second_wins, self.games)

    @property
    def difference(self) -> Interval:
        """The first win rate minus the second, with its 95% interval for paired results."""
        return paired_difference(self.only_first, self.only_second, self.games)

    @property
    def p_value(self) -> float:
        """McNemar's p-value, in [0, 1], of the hypothesis that both win equally often."""
        return mcnemar(self.only_first, self.only_second)

    def __str__(self) -> str:
        width = max(len(self.first), len(self.second), len("difference"))
        rows = [(self.first, self.first_rate), (self.second, self.second_rate), ("difference", self.difference)]
        lines = [f"{self.games} games on the same boards, p = {self.p_value:.2g}"]
        return "\n".join([*lines, *(f"{name:{width}}  {rate.in_percent()}" for name, rate in rows)])


def compare(
    first: Strategy | str,
    second: Strategy | str,
    puzzles: Puzzles,
    *,
    games: int | range = 1000,
    seed: int = 0,
    engine: Engine = "auto",
    workers: Workers = 1,
    time_limit: float | None = None,
) -> Comparison:
    """Let two strategies play the same boards and compare how often they win.

    :param first: a strategy, or the text from which `load_strategy` creates one, such as ``"champion"``
    :param second: the strategy to compare it with
    :param seed: the seed of the strategies' own random choices
    :param time_limit: seconds per game, after which it counts as lost

    The other parameters are those of `play_many`.

    ``print(compare("champion", "random", recipe))`` writes it as text. Raises `StrategyError`, and `TypeError` if
    `puzzles` is of another type.

    >>> print(ms.compare("champion", "random", ms.Recipe("expert", seed=3), games=40))
    40 games on the same boards, p = 0.21
    champion    60.00% (95% interval 44.60% to 73.65%)
    random      45.00% (95% interval 30.71% to 60.17%)
    difference  15.00% (95% interval -4.46% to 33.04%)
    """
    strategies = [as_strategy(first), as_strategy(second)]
    first_name, second_name = (one if isinstance(one, str) else one.name for one in (first, second))
    won = []
    for strategy in strategies:
        results = play_many(puzzles, games, strategy, seed=seed, engine=engine, workers=workers, time_limit=time_limit)
        won.append([result.won for result in results])
    return compare_wins(first_name, second_name, *won)


def compare_wins(first: str, second: str, first_won: Iterable[bool], second_won: Iterable[bool]) -> Comparison:
    """Compare two strategies by their wins on the same boards, in order; further boards of either are ignored."""
    pairs = Counter(zip(map(bool, first_won), map(bool, second_won), strict=False))
    both, only_first, only_second = pairs[True, True], pairs[True, False], pairs[False, True]
    games = pairs.total()
    return Comparison(first, second, games, both + only_first, both + only_second, only_first, only_second)
