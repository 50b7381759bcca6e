"""Curves fitted to win rates, and lines fitted to the critical densities of boards of several sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from statistics import NormalDist
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray
from points import Curve

from minesweeper.player.play.stats import Interval

RESAMPLES: Final = 1000
MOST_FAR: Final = 0.3
FEWEST_POINTS: Final = 4
LN2: Final = float(np.log(2))
Shape = Literal["logistic", "poisson"]
_Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Fit:
    """A curve fitted to win rates.

    `critical` is the density at which half the games are won. `slope` is the decrease of the rate there per unit of
    the logarithm of the density. `used` marks the fitted points. `deviance` is twice the difference of log-likelihoods
    between the points' own rates and the curve, about chi-squared with `freedom` degrees if the curve is right.
    `draws` are the critical densities of the bootstrap samples, spread by `widening`.
    """

    shape: Shape
    critical: float
    slope: float
    draws: _Floats
    used: NDArray[np.bool_]
    deviance: float = 0.0

    @property
    def freedom(self) -> int:
        return int(self.used.sum()) - 2

    @property
    def interval(self) -> tuple[float, float]:
        """Return the 95% percentile interval of the critical density."""
        low, high = np.quantile(self.draws, [0.025, 0.975])
        return float(low), float(high)

    def rate(self, density: _Floats) -> _Floats:
        """Return the win rate at these densities."""
        if self.shape == "logistic":
            return np.asarray(1 / (1 + np.exp(-4 * self.slope * (1 - density / self.critical))))
        return np.asarray(np.exp(-LN2 * (density / self.critical) ** (2 * self.slope / LN2)))


def fit_curve(
    curve: Curve, shape: Shape = "logistic", seed: int = 0, *, far_too: bool = False, resamples: int = RESAMPLES
) -> Fit | None:
    """Fit a curve by maximum likelihood; return None unless win rates cross one half between measured densities.

    The shape need only be right near the crossing, so points with rates from 0.2 to 0.8 are fitted, or the
    `FEWEST_POINTS` nearest to one half; with `far_too`, all points. Resampling the boards of a point with replacement
    gives a binomial number of wins.
    """
    rates = curve.wins / curve.games
    if len(rates) < 2 or not rates.min() < 0.5 < rates.max():
        return None
    far = np.abs(rates - 0.5)
    used = far <= (0.5 if far_too else max(MOST_FAR, np.sort(far)[:FEWEST_POINTS][-1]))
    density, games, wins, rates = curve.density[used], curve.games[used], curve.wins[used], rates[used]
    drawn = np.random.default_rng(seed).binomial(games, rates, size=(resamples, len(rates)))
    critical, slope = fit_shape(shape, density, games, np.concatenate([wins[np.newaxis], drawn]))
    fit = Fit(shape, float(critical[0]), float(slope[0]), critical[1:], used)
    fitted = fit.rate(density)
    deviance = float(2 * (_surprise(wins, games * fitted) + _surprise(games - wins, games * (1 - fitted))).sum())
    # A sample without a crossing near the points may have one at any distance, so the distance is clipped.
    apart = np.clip(fit.draws / fit.critical, 0.1, 10) ** widening(deviance, fit.freedom)
    return replace(fit, deviance=deviance, draws=fit.critical * apart)


def _surprise(seen: NDArray[np.int64], expected: _Floats) -> _Floats:
    """Return seen * log(seen / expected), 0 where nothing was seen."""
    return np.asarray(seen * np.log(np.where(seen > 0, seen, 1) / np.where(seen > 0, expected, 1)))


def widening(misfit: float, freedom: int) -> float:
    """Return the factor by which 95% intervals grow if points scatter more than chance allows, at least 1.

    Quasi-likelihood (Wedderburn, Biometrika 61, 1974) multiplies the variance by misfit / freedom. Student's t replaces
    the normal distribution, because that factor is an estimate from few points.
    """
    if not 0 < freedom < misfit:
        return 1.0
    return float(np.sqrt(misfit / freedom) * student(freedom) / NormalDist().inv_cdf(0.975))


@cache
def student(freedom: int) -> float:
    """Return the 97.5% quantile of Student's t: sqrt(freedom) * tan(a) with density cos(a)^(freedom - 1) of a."""
    ends = np.linspace(0, np.pi / 2, 100_001)
    share = np.cumsum(np.cos((ends[1:] + ends[:-1]) / 2) ** (freedom - 1))
    return float(np.sqrt(freedom) * np.tan(np.interp(0.95 * share[-1], share, ends[1:])))


def fit_shape(
    shape: Shape, density: _Floats, games: NDArray[np.int64], wins: NDArray[np.int64]
) -> tuple[_Floats, _Floats]:
    """Fit a curve to each row of `wins`, shape (samples, densities); return critical densities and slopes.

    ``logistic`` is ``1 / (1 + exp((density - critical) / width))``. ``poisson`` is ``exp(-ln 2 * (density / critical)
    ** power)``, the probability of no obstacle if obstacles are scattered at random and their number grows as a power
    of the density. The method is Fisher scoring, with a penalty that matters only if the curve would become a step.
    """
    logistic = shape == "logistic"
    measure = density if logistic else np.log(density)
    centre, scale = measure.mean(), measure.std()
    x = (measure - centre) / scale
    half = 0.0 if logistic else np.log(LN2)
    level, slope = np.full(len(wins), half), np.full(len(wins), -1.0 if logistic else 1.0)
    penalty = 1e-3
    for _ in range(100):
        line = np.clip(level[:, None] + slope[:, None] * x, -25, 25 if logistic else 3)
        rate = 1 / (1 + np.exp(-line)) if logistic else np.exp(-np.exp(line))
        change = rate * (1 - rate) if logistic else -rate * np.exp(line)
        spread = np.maximum(rate * (1 - rate), 1e-12)
        error, weight = (wins - games * rate) * change / spread, games * change**2 / spread
        first, second = error.sum(1), (error * x).sum(1) - penalty * slope
        a, b, c = weight.sum(1) + penalty, (weight * x).sum(1), (weight * x * x).sum(1) + penalty
        determinant = a * c - b * b
        step = np.array([c * first - b * second, a * second - b * first]) / determinant
        # Bound the step: where the likelihood is flat, a full step would overshoot.
        step /= np.maximum(1, np.abs(step).max(0) / 2)
        level, slope = level + step[0], slope + step[1]
        if np.abs(step).max() < 1e-9:
            break
    crossing = centre + scale * (half - level) / slope
    if logistic:
        return crossing, -slope / scale * crossing / 4
    return np.exp(crossing), slope / scale * LN2 / 2


@dataclass(frozen=True)
class Line:
    """A line fitted to critical densities, or their logarithms: values with 95% intervals.

    `misfit` is about chi-squared with `freedom` degrees if a line is right; a larger one widens the intervals.
    """

    level: Interval
    slope: Interval
    misfit: float
    freedom: int


def fit_power(cells: Sequence[int], fits: Sequence[Fit]) -> Line:
    """Fit critical density = exp(level) * cells ** slope, as `fit_line`."""
    return fit_line(np.log(np.array(cells, dtype=np.float64)), np.log(_with_draws(fits)))


def fit_limit(sides: Sequence[int], fits: Sequence[Fit]) -> Line:
    """Fit critical density = level + slope / side, as `fit_line`: the effect of easier edges."""
    return fit_line(1 / np.array(sides, dtype=np.float64), _with_draws(fits))


def _with_draws(fits: Sequence[Fit]) -> _Floats:
    """Return critical densities, shape (fits, 1 + samples), measured values first."""
    return np.array([np.concatenate([[fit.critical], fit.draws]) for fit in fits])


def fit_line(x: _Floats, y: _Floats) -> Line:
    """Fit a line to the first column of `y` by least squares; needs at least two points.

    The other columns are bootstrap samples. Their variance gives the weights of the points, and lines fitted to each of
    them give the intervals, which grow by `widening`.
    """
    weight = 1 / np.maximum(y[:, 1:].std(axis=1), 1e-9) ** 2
    middle = (weight * x).sum() / weight.sum()
    slopes = (weight * (x - middle)) @ y / (weight * (x - middle) ** 2).sum()
    levels = (weight @ y) / weight.sum() - slopes * middle
    misfit = float((weight * (y[:, 0] - levels[0] - slopes[0] * x) ** 2).sum())
    freedom = len(x) - 2
    wider = widening(misfit, freedom)
    return Line(_interval(levels, wider), _interval(slopes, wider), misfit, freedom)


def _interval(values: _Floats, wider: float) -> Interval:
    """Return the first value with the 95% interval of the others, whose distances to it grow by a factor."""
    low, high = np.quantile(values[0] + wider * (values[1:] - values[0]), [0.025, 0.975])
    return Interval(float(values[0]), float(low), float(high))
