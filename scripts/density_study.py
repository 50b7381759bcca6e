"""Win rates against mine density: measured points in a file, and the curves fitted to them."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from generator.config import ConfigError
from generator.sampling import Recipe
from generator.screening import screen_range
from player.autoplay import play_many
from player.game import StartRule
from player.stats import Interval
from player.strategies import load_strategy

LOGIC: Final = "logic"
"""Who opens only what logic proves, and never guesses: wins are solvable puzzles."""

RESAMPLES: Final = 1000
_FIELDS: Final = ("player", "rows", "cols", "mines", "start", "first_click", "seed", "first", "games", "wins")
_Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Family:
    """Who plays square boards of one size, and from where; the boards of a density are those of `recipe`."""

    player: str
    side: int
    rule: StartRule
    click: tuple[int, int] | None
    seed: int

    def recipe(self, mines: int) -> Recipe:
        """The boards with so many mines."""
        return Recipe(self.side, self.side, mines, self.click, self.rule, self.seed)

    @property
    def cells(self) -> int:
        return self.side * self.side


def count_wins(player: str, recipe: Recipe, games: range) -> int:
    """Count the wins of a strategy, or the puzzles that `LOGIC` solves, among the puzzles that `games` numbers."""
    if player == LOGIC:
        return sum(1 for _ in screen_range(recipe, games.start, games.stop))
    return sum(result.won for result in play_many(recipe, games, load_strategy(player), seed=recipe.seed))


class Points:
    """Games and wins by family and number of mines, kept in a CSV file to which rows are only ever added."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.games: Counter[tuple[Family, int]] = Counter()
        self.wins: Counter[tuple[Family, int]] = Counter()
        if path.exists():
            self._read()

    def add(self, family: Family, mines: int, games: int, wins: int) -> None:
        """Store the next games of a point."""
        row = (family.player, family.side, family.side, mines, family.rule, family.recipe(mines).click_name)
        new = not self._path.exists()
        with self._path.open("a", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            if new:
                writer.writerow(_FIELDS)
            writer.writerow([*row, family.seed, self.games[family, mines], games, wins])
        self.games[family, mines] += games
        self.wins[family, mines] += wins

    def _read(self) -> None:
        with self._path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                try:
                    click = None if row["first_click"] == "random" else _pair(row["first_click"])
                    rule: StartRule = "safe" if row["start"] == "safe" else "opening"
                    family = Family(row["player"], int(row["rows"]), rule, click, int(row["seed"]))
                    key = family, int(row["mines"])
                    first, games, wins = int(row["first"]), int(row["games"]), int(row["wins"])
                except (KeyError, TypeError, ValueError) as error:
                    raise ConfigError(f"expected rows of {', '.join(_FIELDS)} in {self._path}: {row}") from error
                if first != self.games[key]:
                    raise ConfigError(f"expected the games from {self.games[key]} on in {self._path}: {row}")
                self.games[key] += games
                self.wins[key] += wins

    def curve(self, family: Family, mines: Iterable[int]) -> Curve:
        """The points of a family that were measured, of those numbers of mines."""
        measured = sorted(number for number in set(mines) if self.games[family, number])
        keys = [(family, number) for number in measured]
        return Curve(
            family,
            np.array(measured) / family.cells,
            np.array([self.games[key] for key in keys]),
            np.array([self.wins[key] for key in keys]),
        )


def _pair(text: str) -> tuple[int, int]:
    row, col = text.split(",")
    return int(row), int(col)


@dataclass(frozen=True, eq=False)
class Curve:
    """Games and wins of a family at rising densities."""

    family: Family
    density: _Floats
    games: NDArray[np.int64]
    wins: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Fit:
    """A logistic curve through measured win rates.

    `critical` is the density at which half the games are won, `width` the distance over which the odds fall by e;
    `draws` are critical densities of `RESAMPLES` bootstrap samples: every point's wins drawn again.
    """

    critical: float
    width: float
    draws: _Floats

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% percentile interval of the critical density."""
        low, high = np.quantile(self.draws, [0.025, 0.975])
        return float(low), float(high)


def fit_curve(curve: Curve, seed: int = 0) -> Fit | None:
    """Fit a logistic curve by maximum likelihood; None unless win rates cross one half between measured densities."""
    rates = curve.wins / curve.games
    if len(rates) < 2 or not rates.min() < 0.5 < rates.max():
        return None
    critical, width = fit_logistic(curve.density, curve.games, curve.wins[np.newaxis])
    random = np.random.default_rng(seed)
    drawn = random.binomial(curve.games, rates, size=(RESAMPLES, len(rates)))
    return Fit(float(critical[0]), float(width[0]), fit_logistic(curve.density, curve.games, drawn)[0])


def fit_logistic(density: _Floats, games: NDArray[np.int64], wins: NDArray[np.int64]) -> tuple[_Floats, _Floats]:
    """Fit ``1 / (1 + exp((density - critical) / width))`` to rows of wins, shape (samples, densities).

    Newton's method on the likelihood (iteratively reweighted least squares), with a penalty that matters only where
    the data would make the curve a step. Returns the critical densities and the widths, one for each row.
    """
    centre, scale = density.mean(), density.std()
    x = (density - centre) / scale
    level, slope = np.zeros(len(wins)), np.full(len(wins), -1.0)
    penalty = 1e-3
    for _ in range(100):
        rate = 1 / (1 + np.exp(-np.clip(level[:, None] + slope[:, None] * x, -30, 30)))
        error = wins - games * rate
        weight = games * rate * (1 - rate)
        first, second = error.sum(1), (error * x).sum(1) - penalty * slope
        a, b, c = weight.sum(1) + penalty, (weight * x).sum(1), (weight * x * x).sum(1) + penalty
        determinant = a * c - b * b
        step = np.array([c * first - b * second, a * second - b * first]) / determinant
        # Steps are bounded: far out, the likelihood is flat and a full step would overshoot.
        step /= np.maximum(1, np.abs(step).max(0) / 2)
        level, slope = level + step[0], slope + step[1]
        if np.abs(step).max() < 1e-9:
            break
    return centre - scale * level / slope, -scale / slope


@dataclass(frozen=True)
class Power:
    """A power law, critical density = factor * cells ** exponent, with the exponent's 95% interval."""

    factor: float
    exponent: float
    low: float
    high: float


def fit_power(cells: Sequence[int], fits: Sequence[Fit]) -> Power:
    """Fit a power law to critical densities by least squares on logarithms, weighted by their precision.

    The interval comes from fitting every bootstrap sample. Needs at least two sizes.
    """
    levels, exponents = _fit_lines(np.log(np.array(cells, dtype=np.float64)), np.log(_with_draws(fits)))
    low, high = np.quantile(exponents[1:], [0.025, 0.975])
    return Power(float(np.exp(levels[0])), float(exponents[0]), float(low), float(high))


def fit_limit(sides: Sequence[int], fits: Sequence[Fit]) -> Interval:
    """Fit ``limit + something / side`` to critical densities, and return the limit with its 95% interval.

    As `fit_power` does it. A rim that is easier than the middle would act like this.
    """
    limits, _ = _fit_lines(1 / np.array(sides, dtype=np.float64), _with_draws(fits))
    low, high = np.quantile(limits[1:], [0.025, 0.975])
    return Interval(float(limits[0]), float(low), float(high))


def _with_draws(fits: Sequence[Fit]) -> _Floats:
    """Critical densities by fit and bootstrap sample, the measured ones first."""
    return np.array([np.concatenate([[fit.critical], fit.draws]) for fit in fits])


def _fit_lines(x: _Floats, y: _Floats) -> tuple[_Floats, _Floats]:
    """Fit a line to each column of `y`, points weighted by how little they vary; return levels at 0 and slopes."""
    weight = 1 / np.maximum(y[:, 1:].std(axis=1), 1e-9) ** 2
    middle = (weight * x).sum() / weight.sum()
    slopes = (weight * (x - middle)) @ y / (weight * (x - middle) ** 2).sum()
    return (weight @ y) / weight.sum() - slopes * middle, slopes
