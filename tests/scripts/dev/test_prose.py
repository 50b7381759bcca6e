"""The prose check: the texts that it reads, its phrases, and its limit."""

import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from minesweeper.scripts.dev.prose import Text, hits, main, markdown_texts, python_texts, slash_texts

SOURCE = '''"""A module."""
LIMIT = 3
"""An attribute docstring."""


def function(text):
    """Return it."""
    name = "a name"  # A comment.
    option(help="An option " f"of {name} here.")
    raise ValueError(f"expected a size: {text!r}")
'''


def test_python_prose_is_docstrings_comments_helps_and_messages() -> None:
    assert sorted((text.line, text.words) for text in python_texts(SOURCE)) == [
        (1, "A module."),
        (3, "An attribute docstring."),
        (7, "Return it."),
        (8, "A comment."),
        (9, "An option of   here."),
        (10, "expected a size: "),
    ]


def test_other_languages_have_comments_and_paragraphs() -> None:
    assert [*slash_texts('int a;  // A count.\nopen("https://example.org");\n')] == [Text(1, "A count.")]
    assert [text.words for text in markdown_texts("Use `what is`.\n```\ncode\n```\nEnd.")] == ["Use X.", "End."]


@pytest.mark.parametrize(
    ("words", "phrases"),
    [
        ("What is not wanted is passed over.", ["What is", "passed over"]),
        ("Whoever runs it is told that nobody waits.", ["Whoever", "told", "nobody"]),
        ("The option tells whether it is under way.", ["tells", "under way"]),
        ("Skip the puzzles that the filter rejects.", []),
    ],
)
def test_stilted_phrases_are_found(words: str, phrases: list[str]) -> None:
    assert hits(Text(1, words)) == phrases


@pytest.mark.parametrize(
    ("words", "count"),
    [("Whether it fits.", 1), ("How long is a game? A measurement.", 0), ("Return how it fits.", 0)],
)
def test_docstrings_do_not_open_with_an_interrogative(words: str, count: int) -> None:
    assert len(hits(Text(1, words, docstring=True))) == count
    assert not hits(Text(1, words))


def test_stilted_phrases_of_tracked_files_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for folder, text in {"good": "Plain.", "bad": "Plain.\nIt is in vain."}.items():
        Path(folder).mkdir()
        Path(folder, "page.md").write_text(text)
    Path("good", "untracked.md").write_text("It is in vain.")
    subprocess.run("git init -q && git add */page.md", shell=True, check=True)
    every, good = CliRunner().invoke(main, []), CliRunner().invoke(main, ["good"])
    assert (every.exit_code, every.stdout) == (1, "bad/page.md:2: in vain\n")
    assert (good.exit_code, good.stdout) == (0, "")
