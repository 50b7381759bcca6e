"""Mutation testing: plant small bugs one by one, and report those that the tests do not see.

A mutant changes one operator, number or word of a line of Python, C++ or JavaScript, outside comments and strings. Some
survivors are no bugs, because the changed program does the same. Files are restored after each mutant.
"""

from __future__ import annotations

import io
import os
import random
import re
import signal
import subprocess
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from subprocess import DEVNULL
from typing import Final, NamedTuple

import click

from minesweeper.scripts.console.terminal import Command

_PAIRS: Final = (
    "< <=, > >=, == !=, === !==, + -, += -=, && ||, and or, True False, true false, min max, any all, any_of all_of, "
    "++ --, |= &=, break continue"
)
_CHANGES: Final = (
    {"*": "+", "//": "*", "%": "+", "not": "", "!": "", "is": "is not"}
    | dict(pair.split() for pair in _PAIRS.split(", "))
    | dict(pair.split()[::-1] for pair in _PAIRS.split(", "))
)
# Comments and strings first, so that nothing in them is changed; templates and includes are no comparisons.
_OTHERS: Final = re.compile(
    r"""//[^\n]*|/\*.*?\*/|\#include[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|->|=>|::|<<=?|>>=?"""
    r"""|\w+<[\w:,&* ]*>|(?P<token>[=!]==?|[<>]=|&&|\|\||[-+|]=|\+\+|[-+*%<>&|!]|\b\w+\b)""",
    re.DOTALL,
)

_UNCACHED: Final = {"CCACHE_DISABLE": "1", "PYTHONDONTWRITEBYTECODE": "1"}
"""Caches that compare the size and time of a file can take one mutant for another."""


class Mutant(NamedTuple):
    """A file with `new` instead of the token `old` in `line`, and its whole changed `text`."""

    path: Path
    line: int
    old: str
    new: str
    text: str


def mutants(path: Path) -> Iterator[Mutant]:
    """Yield all mutants of a file, in order."""
    text = path.read_text(encoding="utf-8")
    for start, token in _python_tokens(text) if path.suffix == ".py" else _other_tokens(text):
        new = str(int(token) + 1) if token.isdecimal() else _CHANGES.get(token)
        if new is not None:
            changed = text[:start] + new + text[start + len(token) :]
            yield Mutant(path, text.count("\n", 0, start) + 1, token, new, changed)


def _python_tokens(text: str) -> Iterator[tuple[int, str]]:
    lines = [0]
    for line in text.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.OP, tokenize.NAME, tokenize.NUMBER):
            row, col = token.start
            yield lines[row - 1] + col, token.string


def _other_tokens(text: str) -> Iterator[tuple[int, str]]:
    for found in _OTHERS.finditer(text):
        if found["token"]:
            yield found.start(), found["token"]


def changed_lines(path: Path, revision: str) -> set[int]:
    """Return the numbers of the lines of a file that differ from a revision."""
    diff = subprocess.check_output(["git", "diff", "--unified=0", revision, "--", str(path)], text=True)
    hunks = re.findall(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", diff, re.MULTILINE)
    return {line for start, size in hunks for line in range(int(start), int(start) + int(size or 1))}


def ending(mutant: Mutant, steps: Sequence[str], seconds: float) -> str:
    """Return the end of the commands on a mutant: killed, survived or endless."""
    before, uncached = mutant.path.read_bytes(), os.environ | _UNCACHED
    mutant.path.write_text(mutant.text, encoding="utf-8")
    try:
        for step in steps:
            with subprocess.Popen(
                step, shell=True, stdout=DEVNULL, stderr=DEVNULL, start_new_session=True, env=uncached
            ) as process:
                try:
                    if process.wait(seconds):
                        return "killed"
                except subprocess.TimeoutExpired:
                    return "endless"
                finally:
                    with suppress(ProcessLookupError):  # of the shell and its children
                        os.killpg(process.pid, signal.SIGKILL)
    finally:
        mutant.path.write_bytes(before)
    return "survived"


@click.command(
    cls=Command, epilog="Example: mutate.py player/logic/reasons.py --test 'pytest -x tests/player/test_reasons.py'"
)
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--test", required=True, metavar="COMMAND", help="Tests that have to fail on each mutant.")
@click.option("--build", metavar="COMMAND", help="Builds the kernel before the tests; a failed build kills, too.")
@click.option("--against", metavar="REVISION", help="Change only lines that differ from this revision.")
@click.option("--count", type=click.IntRange(min=1), default=40, help="Number of mutants, drawn at random.")
@click.option("--seed", type=int, default=0, help="Determines the mutants.")
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), default=300, help="Limit of one mutant.")
def main(
    files: tuple[Path, ...], test: str, build: str | None, against: str | None, count: int, seed: int, seconds: float
) -> None:
    """Change FILES one token at a time, run the tests on each, and list the changes that no test sees.

    The commands run in a shell. Exit status 1 if any mutant survives.
    """
    steps = [step for step in (build, test) if step]
    for step in steps:
        if subprocess.run(step, shell=True, env=os.environ | _UNCACHED).returncode:
            raise click.ClickException(f"{step!r} fails before any change; expected success")
    found = [mutant for path in files for mutant in mutants(path)]
    if against is not None:
        lines = {path: changed_lines(path, against) for path in files}
        found = [mutant for mutant in found if mutant.line in lines[mutant.path]]
    chosen = random.Random(seed).sample(found, min(count, len(found)))
    ends: Counter[tuple[str, str]] = Counter()
    for mutant in sorted(chosen):
        end = ending(mutant, steps, seconds)
        ends[str(mutant.path.parent), end] += 1
        if end == "survived":
            line = mutant.text.splitlines()[mutant.line - 1].strip()
            click.echo(f"{mutant.path}:{mutant.line}: {mutant.old} -> {mutant.new or 'nothing'}: {line}")
    if build:
        subprocess.run(build, shell=True, check=True, env=os.environ | _UNCACHED)
    for folder in sorted({folder for folder, _ in ends}):
        survived, all_ends = (
            ends[folder, "survived"],
            sum(ends[folder, end] for end in ("killed", "endless", "survived")),
        )
        click.echo(f"{folder}: {all_ends - survived} of {all_ends} mutants killed")
    if any(end == "survived" for _, end in ends):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
