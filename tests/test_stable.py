"""The promises of docs/reference/stable.md hold in the code."""

import inspect
import re
from pathlib import Path

import pytest

import minesweeper as ms

ROOT = Path(__file__).parents[1]
BLOCKS = dict(re.findall(r"(?ms)^```(\w+)\n(.*?)^```", (ROOT / "docs/reference/stable.md").read_text(encoding="utf-8")))
SOURCES = {"c": "player/kernel/api/minesweeper.h", "ts": "scripts/web/static/kernel/index.d.ts"}


def words(text: str) -> str:
    """Return the words of declarations, without comments."""
    return " ".join(re.sub(r"/\*.*?\*/|\bMINES_API\b", " ", text, flags=re.DOTALL).split())


@pytest.mark.parametrize("language", SOURCES)
def test_declarations_stay(language: str) -> None:
    source = words((ROOT / SOURCES[language]).read_text(encoding="utf-8"))
    promised = re.findall(r"\S[^;{]*(?:\{.*?\}[^;]*)?;", words(BLOCKS[language]))
    assert len(promised) > 8
    for declaration in promised:
        assert f" {declaration} " in source


@pytest.mark.parametrize("line", BLOCKS["py"].splitlines())
def test_functions_keep_their_parameters(line: str) -> None:
    name, parameters = re.fullmatch(r"ms\.(\w+)\((.*)\)", line).groups()  # type: ignore[union-attr]
    signature = inspect.signature(getattr(ms, name)).parameters.values()
    positional, _, named = parameters.partition(", *, ")
    kinds = {one.name: one.kind for one in signature}
    assert list(kinds)[: len(positional.split(", "))] == positional.split(", ")
    for one in filter(None, named.replace("**", "").split(", ")):
        assert kinds[one] in (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)
