"""Stilted phrases per 100 sentences, by folder: docstrings, comments, option helps, error messages and Markdown.

A hit is a hint, not a proof. Rewrite the sentence with one subject, one active verb and a standard noun; do not swap
the flagged word for a synonym. docs/contributing.md has the rules. python-chess has 0.1 per 100, PySAT 0.5.
"""

from __future__ import annotations

import ast
import inspect
import io
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import click

PHRASES: Final = {
    "a free relative where a noun exists": r"""
        \b[Ww]hat[ ](?:is|was|are|were|has|have|had|it|they|can|could|that|nobody|nothing|comes?|came|takes|took|
            follows?|no|others|does|did|goes|remains?|lasts?|fails?|lies?|stands?|may|must|differs?|changed?|changes)\b
        |\b(?:[Ww]hoever|[Ww]hatever|[Nn]obody|[Ss]omebody|[Aa]nybody|[Ee]verybody)\b""",
    "an archaic or translated idiom": r"""
        \b(?:anew|[Ll]ikewise|pass(?:ed|es)?[ ]over|for[ ]want[ ]of|in[ ]vain|at[ ]hand|at[ ](?:its|their)[ ]end|
            under[ ]way|hangs?[ ]together|in[ ]so[ ]far|as[ ]yet|at[ ](?:its|their)[ ]word|
            by[ ](?:itself|themselves)[ ]alone|comes?[ ]of|came[ ]of|comes?[ ]to[ ]nothing|goes[ ]without|is[ ]none|
            are[ ]none|of[ ](?:its|their)[ ]own[ ]accord|so[ ]many|no[ ]more[ ]than[ ]that|be[ ]it|save[ ]for|
            make[ ]sure[ ]of|all[ ]there[ ]is|as[ ]it[ ]is[ ]now|let[ ]go)\b""",
    "code that speaks, knows or wants": r"""
        \b(?:[Tt]ells?|told|[Ss]ays[ ](?:so|that|what|whether|how)|is[ ]asked|are[ ]asked|
            knows?[ ](?:what|of|nothing|no)|wants?[ ]to)\b""",
}
_PHRASE: Final = re.compile("|".join(PHRASES.values()), re.VERBOSE)
_OPENING: Final = re.compile(r"(?:What|How|Whether|Who|Where|Whose)\b(?!.*\?)")
_SENTENCE_END: Final = re.compile(r"[.;?!](?:\s|$)")
_FEWEST_SENTENCES: Final = 20
"""Folders with fewer sentences are listed, but not held to the limit."""


class Text(NamedTuple):
    """A piece of prose, with its first line in the file. A docstring must not open with an interrogative."""

    line: int
    words: str
    docstring: bool = False


def python_texts(source: str) -> Iterator[Text]:
    """Yield the docstrings, attribute docstrings, option helps, messages of exceptions, and comments of a module."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield Text(node.lineno, inspect.cleandoc(text), docstring=True)
            case ast.keyword(arg="help" | "short_help" | "epilog", value=value) | ast.Raise(exc=ast.expr() as value):
                strings = [part.value for part in ast.walk(value) if isinstance(part, ast.Constant)]
                yield Text(value.lineno, " ".join(text for text in strings if isinstance(text, str) and " " in text))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield Text(token.start[0], token.string.lstrip("# "))


def slash_texts(source: str) -> Iterator[Text]:
    """Yield the ``//`` comments of C++ or JavaScript, except in lines with an address."""
    for number, line in enumerate(source.splitlines(), 1):
        _, slashes, comment = line.partition("//")
        if slashes and "://" not in line:
            yield Text(number, comment.strip())


def markdown_texts(source: str) -> Iterator[Text]:
    """Yield the lines of Markdown outside code blocks, without inline code."""
    in_code = False
    for number, line in enumerate(source.splitlines(), 1):
        if line.startswith("```"):
            in_code = not in_code
        elif not in_code:
            yield Text(number, re.sub(r"`[^`]*`", "X", line))


_READERS: Final[dict[str, tuple[str, Callable[[str], Iterator[Text]]]]] = {
    ".py": ("Python", python_texts),
    ".cpp": ("C++", slash_texts),
    ".hpp": ("C++", slash_texts),
    ".js": ("JavaScript", slash_texts),
    ".md": ("text", markdown_texts),
}


def hits(text: Text) -> list[str]:
    """Return the stilted phrases of a text."""
    found = [match[0] for match in _PHRASE.finditer(text.words)]
    if text.docstring and (opening := _OPENING.match(text.words.partition("\n")[0])):
        found.append(f"{opening[0]} ... (opens a docstring)")
    return found


def sentences(text: Text, suffix: str) -> int:
    """Count the sentences of a text; one without an end, such as an error message, counts in Python only."""
    return len(_SENTENCE_END.findall(text.words)) or int(suffix == ".py")


@click.command(epilog="Example: python scripts/dev/prose.py --show player")
@click.option("--show", is_flag=True, help="Print every hit as FILE:LINE: phrase.")
@click.option("--limit", type=float, metavar="N", help="Exit with 1 if a folder has more than N per 100 sentences.")
@click.argument("paths", nargs=-1, type=click.Path(exists=True))
def main(show: bool, limit: float | None, paths: tuple[str, ...]) -> None:
    """Count stilted phrases per 100 sentences in the tracked files below PATHS, or in all files of the checkout."""
    listed = subprocess.run(["git", "ls-files", "-z", *paths], capture_output=True, text=True, check=True).stdout
    total: Counter[str] = Counter()
    stilted: Counter[str] = Counter()
    for file in map(Path, filter(None, listed.split("\0"))):
        if file.suffix not in _READERS or not file.is_file():
            continue
        language, read = _READERS[file.suffix]
        folder = f"{Path(*file.parent.parts[:2]).as_posix()} ({language})"
        for text in read(file.read_text(encoding="utf-8")):
            found = hits(text)
            total[folder] += sentences(text, file.suffix)
            stilted[folder] += len(found)
            if show:
                click.echo("".join(f"{file}:{text.line}: {phrase}\n" for phrase in found), nl=False)
    rates = {folder: 100 * stilted[folder] / max(count, 1) for folder, count in total.items()}
    for folder in sorted(rates, key=lambda folder: -rates[folder]):
        click.echo(f"{rates[folder]:6.1f} per 100{stilted[folder]:6} of {total[folder]:5}   {folder}")
    rate = 100 * stilted.total() / max(total.total(), 1)
    click.echo(f"{rate:6.1f} per 100{stilted.total():6} of {total.total():5}   all")
    over = [name for name in rates if limit is not None and rates[name] > limit and total[name] >= _FEWEST_SENTENCES]
    if over:
        click.echo(f"more than {limit:g} stilted phrases per 100 sentences: {', '.join(sorted(over))}", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
