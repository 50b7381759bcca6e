"""Suggestions for names that do not exist."""

from __future__ import annotations

import pytest

from minesweeper.player.errors import did_you_mean


@pytest.mark.parametrize(
    ("word", "suggestion"),
    [("exprt", " (did you mean 'expert'?)"), ("EXPERT", " (did you mean 'expert'?)"), ("xyz", ""), ("", "")],
)
def test_suggests_the_most_similar_name(word: str, suggestion: str) -> None:
    assert did_you_mean(word, ["beginner", "expert", "super-expert"]) == suggestion
