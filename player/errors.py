"""The errors of the toolkit, and the words that their messages share."""

from __future__ import annotations

from collections.abc import Iterable


class BoardError(ValueError):
    """Text or numbers that describe no board, puzzle or view."""


def counted(number: int, word: str) -> str:
    """Return a number with its noun: ``1 mine``, ``2 mines``, ``0 guesses``."""
    plural = "es" if word.endswith("s") else "s"
    return f"{number} {word}{plural * (number != 1)}"


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """Return a suggestion to append to a message about an unknown name: `` (did you mean 'expert'?)``.

    Case is ignored. Return an empty string if no choice is similar to `word`.
    """
    from difflib import get_close_matches

    by_lower_case = {choice.lower(): choice for choice in choices}
    close = get_close_matches(word.lower(), by_lower_case, n=1)
    return f" (did you mean {by_lower_case[close[0]]!r}?)" if close else ""
