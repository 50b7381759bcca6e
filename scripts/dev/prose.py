"""Stilted phrases in docstrings, comments, option helps, error messages and Markdown.

Rewrite the sentence with one subject, one active verb and a standard noun; do not swap the flagged word for a synonym.
docs/contributing.md has the rules.
"""

from __future__ import annotations

import ast
import inspect
import io
import re
import subprocess
import sys
import tokenize
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


_READERS: Final[dict[str, Callable[[str], Iterator[Text]]]] = {
    ".py": python_texts,
    **dict.fromkeys((".cpp", ".hpp", ".js"), slash_texts),
    ".md": markdown_texts,
}


def hits(text: Text) -> list[str]:
    """Return the stilted phrases of a text."""
    found = [match[0] for match in _PHRASE.finditer(text.words)]
    if text.docstring and (opening := _OPENING.match(text.words.partition("\n")[0])):
        found.append(f"{opening[0]} ... (opens a docstring)")
    return found


@click.command(epilog="Example: python scripts/dev/prose.py player")
@click.argument("paths", nargs=-1, type=click.Path(exists=True))
def main(paths: tuple[str, ...]) -> None:
    """Print the stilted phrases in tracked files, all or those below PATHS, and exit with 1 if there are any."""
    listed = subprocess.run(["git", "ls-files", "-z", *paths], capture_output=True, text=True, check=True).stdout
    found = [
        f"{file}:{text.line}: {phrase}"
        for file in map(Path, filter(None, listed.split("\0")))
        if file.suffix in _READERS and file.is_file()
        for text in _READERS[file.suffix](file.read_text(encoding="utf-8"))
        for phrase in hits(text)
    ]
    for line in found:
        click.echo(line)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
