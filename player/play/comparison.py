"""Comparison of strategies on the same boards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import astuple, dataclass, replace
from typing import Any

from minesweeper.player.core.results import forfeits_in_words
from minesweeper.player.core.steps import Engine
from minesweeper.player.parallel.workers import Workers
from minesweeper.player.play.games import Puzzles, play_many
from minesweeper.player.play.stats import Interval, mcnemar, paired_difference, wilson
from minesweeper.player.play.strategies.loading import StrategyLike, as_strategy


@dataclass(frozen=True)
class Comparison:
    """The results of two strategies on the same boards; `only_first` counts the boards that only the first one won.

    `more` compares the first strategy with the third one and each further one. `failures` are texts
    with the number of games that a strategy lost by errors, illegal moves or time-outs, and the first reason.

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
    more: tuple[Comparison, ...] = ()
    failures: tuple[str, ...] = ()

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

    def to_json(self) -> dict[str, str | int]:
        """Return the names and the numbers of games of the first two strategies as plain data for JSON."""
        return {name: value for name, value in vars(self).items() if isinstance(value, str | int)}

    @property
    def _rates(self) -> list[tuple[str, Interval]]:
        return [(self.first, self.first_rate), *((one.second, one.second_rate) for one in (self, *self.more))]

    @property
    def _leads(self) -> list[tuple[str, str]]:
        return [
            (f"{one.first} - {one.second}", f"{one.difference.in_percent()}, p = {one.p_value:.2g}")
            for one in (self, *self.more)
        ]

    def _repr_html_(self) -> str:
        from minesweeper.player.render.svg import rates_in_html

        notes = [f"{pair}: {lead}" for pair, lead in self._leads]
        rates = [(name, astuple(rate)) for name, rate in self._rates]
        return rates_in_html(f"{self.games} games on the same boards", rates, [*notes, *self.failures])

    def __str__(self) -> str:
        rows = [(name, rate.in_percent()) for name, rate in self._rates]
        head = f"{self.games} games on the same boards"
        if self.more:
            rows += self._leads
        else:
            head += f", p = {self.p_value:.2g}"
            rows.append(("difference", self.difference.in_percent()))
        width = max(len(name) for name, _ in rows)
        return "\n".join([head, *(f"{name:{width}}  {rate}" for name, rate in rows), *self.failures])


def compare(
    first: StrategyLike,
    second: StrategyLike,
    *others: StrategyLike | Puzzles,
    puzzles: Puzzles | None = None,
    games: int | range = 1000,
    seed: int = 0,
    engine: Engine = "auto",
    workers: Workers = 1,
    time_limit: float | None = None,
) -> Comparison:
    """Let two or more strategies play the same boards and compare how often they win.

    :param first: a name such as ``"champion"``, an instance, a class or a function, see `as_strategy`
    :param second: the strategy to compare it with
    :param others: further strategies, each compared with the first; the last one is `puzzles` unless that is given
    :param seed: the seed of the strategies' own random choices
    :param time_limit: seconds per game, after which it counts as lost and is stopped, with any number of workers

    A game in which a strategy raises an exception or makes an illegal move counts as lost; the result has their number
    and the first text.

    The other parameters are those of `play_many`.

    ``print(compare("champion", "random", recipe))`` writes it as text. Raises `StrategyError`, and `TypeError` if
    `puzzles` is of another type.

    >>> print(ms.compare("champion", "random", ms.Recipe("expert", seed=3), games=40))
    40 games on the same boards, p = 0.21
    champion    60.00% (95% interval 44.60% to 73.65%)
    random      45.00% (95% interval 30.71% to 60.17%)
    difference  15.00% (95% interval -4.46% to 33.04%)
    """
    given: list[Any] = [first, second, *others]
    boards = given.pop() if puzzles is None else puzzles
    if len(given) < 2:
        raise TypeError("expected two or more strategies, then a Recipe, a PuzzleSource or a list of puzzles")
    strategies = [as_strategy(one) for one in given]
    names = [one if isinstance(one, str) else strategy.name for one, strategy in zip(given, strategies, strict=True)]
    won, failures = [], []
    for name, strategy in zip(names, strategies, strict=True):
        played = play_many(
            boards,
            games,
            strategy,
            seed=seed,
            engine=engine,
            workers=workers,
            time_limit=time_limit,
            forfeits=True,
        )
        results = list(played)
        won.append([result.won for result in results])
        if faults := Counter(result.fault for result in results if result.fault is not None):
            why = next(result.error for result in results if result.fault is not None)
            failures.append(f"{name}: {forfeits_in_words(faults)}, counted as lost; the first: {why}")
    pairs = [compare_wins(names[0], name, won[0], wins) for name, wins in zip(names[1:], won[1:], strict=True)]
    return replace(pairs[0], more=tuple(pairs[1:]), failures=tuple(failures))


def compare_wins(first: str, second: str, first_won: Iterable[bool], second_won: Iterable[bool]) -> Comparison:
    """Compare two strategies by their wins on the same boards, in order; further boards of either are ignored."""
    pairs = Counter(zip(map(bool, first_won), map(bool, second_won), strict=False))
    both, only_first, only_second = pairs[True, True], pairs[True, False], pairs[False, True]
    games = pairs.total()
    return Comparison(first, second, games, both + only_first, both + only_second, only_first, only_second)
