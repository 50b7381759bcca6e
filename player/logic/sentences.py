"""Sentences: templates in the files ``words/LANGUAGE.json``, one for each name, filled with values.

The page fills the same templates, see ``words.js``. ``{count}`` in a template is a value. ``{count:cell|cells}`` is its
first form for one, else its last form; ``#`` in a form is the number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from minesweeper.player.core.errors import ConfigError, did_you_mean
from minesweeper.player.core.grid import Cell

TEMPLATES: Final = Path(__file__).with_name("words")
LANGUAGES: Final = tuple(sorted(path.stem for path in TEMPLATES.glob("*.json")))
ENGLISH: Final = "en"
_VALUE: Final = re.compile(r"\{(\w+)(?::([^}]*))?\}")


@dataclass(frozen=True, slots=True)
class NamedClue:
    """A clue and its cell."""

    clue: int
    cell: Cell


@dataclass(frozen=True, init=False, slots=True)
class Sentence:
    """The name of a template and its values: numbers, texts, cells, clues, sentences, and lists of these."""

    name: str
    values: Mapping[str, Any] = field(hash=False)

    def __init__(self, name: str, /, **values: Any) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "values", values)

    def in_words(self, language: str = ENGLISH) -> str:
        """Fill the template of a language. Raises `ConfigError` for a language without a file."""

        def filled(place: re.Match[str]) -> str:
            name, forms = place.groups()
            value = self.values[name]
            if forms is None:
                return _in_words(value, language)
            one, *_, many = forms.split("|")
            return (one if value == 1 else many).replace("#", str(value))

        return _VALUE.sub(filled, _templates(language)[self.name])


def listed(parts: Sequence[str], language: str = ENGLISH) -> str:
    """Join parts with commas and *and*."""
    if len(parts) < 2:
        return "".join(parts)
    return Sentence("list.and", first=", ".join(parts[:-1]), last=parts[-1]).in_words(language)


def _in_words(value: object, language: str) -> str:
    match value:
        case Sentence():
            return value.in_words(language)
        case NamedClue():
            return Sentence("clue.at", clue=value.clue, cell=value.cell).in_words(language)
        case list():
            return listed([_in_words(one, language) for one in value], language)
    return str(value)


@cache
def _templates(language: str) -> Mapping[str, str]:
    if language not in LANGUAGES:
        suggestion = did_you_mean(language, LANGUAGES)
        raise ConfigError(f"unknown language {language!r}{suggestion}; languages: {', '.join(LANGUAGES)}")
    templates: Mapping[str, str] = json.loads((TEMPLATES / f"{language}.json").read_text("utf-8"))
    return templates
