"""The sequential probability ratio test: play on common boards until it is clear which of two players wins more.

Every board gives one of three results: only the first player won it, only the second, or both did the same. The test
weighs two claims about the mean of these (counted as 1, -1 and 0), which is the difference of the win rates.

The bounds are Wald's (*Sequential tests of statistical hypotheses*, Annals of Mathematical Statistics 16, 1945). The
probabilities of the three results are not known, so each claim is represented by the likeliest ones that it allows
(Li, Liu and Ying, *Generalized sequential probability ratio test for separate families of hypotheses*, Sequential
Analysis 33, 2014). Chess programs are compared in this way.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Final

_UNSEEN: Final = 1e-3
"""What a result that never came up counts for: without it, its likelihood would stay zero for ever."""


@dataclass(frozen=True)
class SequentialTest:
    """Is the first player ahead by `gain` (true), or only by `null` (false)? Both are differences of win rates.

    A difference of `null` is taken for `gain` with probability `alpha` at most, and the other way round `beta`. Raises
    `ValueError` unless -1 < null < gain < 1 and both error probabilities lie between 0 and 0.5.
    """

    null: float
    gain: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not -1 < self.null < self.gain < 1:
            raise ValueError(f"expected a gain above {self.null}, both between -1 and 1: {self.gain}")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError(f"expected error probabilities between 0 and 0.5: {self.alpha} and {self.beta}")

    @property
    def lower(self) -> float:
        """The log-likelihood ratio at which the gain is rejected."""
        return log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The log-likelihood ratio at which the gain is accepted."""
        return log((1 - self.beta) / self.alpha)

    def log_likelihood_ratio(self, only_first: int, only_second: int, boards: int) -> float:
        """Weigh the claims by what came of `boards` boards: positive numbers speak for the gain."""
        counts = (only_second or _UNSEEN, boards - only_first - only_second or _UNSEEN, only_first or _UNSEEN)
        ratio = 0.0
        for sign, mean in ((1, self.gain), (-1, self.null)):
            ratio += sign * sum(
                count * log(chance) for count, chance in zip(counts, _likeliest(counts, mean), strict=True)
            )
        return ratio

    def verdict(self, only_first: int, only_second: int, boards: int) -> bool | None:
        """Accept the gain (True), reject it (False), or ask for more boards (None)."""
        ratio = self.log_likelihood_ratio(only_first, only_second, boards)
        if ratio >= self.upper:
            return True
        return False if ratio <= self.lower else None


def _likeliest(counts: tuple[float, float, float], mean: float) -> list[float]:
    """Return the likeliest probabilities of the results -1, 0 and 1, by their counts, that have this mean.

    They are ``share / (1 + tilt * (result - mean))`` with the tilt that gives the mean (Van den Bergh, proposition 1.1
    of the note that supports Fishtest, hardy.uhasselt.be/Fishtest/support_MLE_multinomial.pdf).
    """
    total = sum(counts)
    terms = [(count / total, result - mean) for count, result in zip(counts, (-1, 0, 1), strict=True)]
    # Between these ends all probabilities are positive, and the sum below falls from plus to minus infinity.
    low, high = -1 / (1 - mean), 1 / (1 + mean)
    for _ in range(200):
        tilt = (low + high) / 2
        if not low < tilt < high:
            break
        if sum(share * distance / (1 + tilt * distance) for share, distance in terms) > 0:
            low = tilt
        else:
            high = tilt
    return [share / (1 + tilt * distance) for share, distance in terms]
