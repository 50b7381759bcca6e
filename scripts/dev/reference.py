"""The generated parts of the documentation: the help of every command, and the tables of the database and of clicks.

The pages call these functions by cog: ``cog -r docs/reference/*.md`` writes the results into the pages.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from typing import Final

import click
from click.testing import CliRunner

import minesweeper_toolkit
from minesweeper.db import file
from minesweeper.db.columns import PUZZLE_COLUMNS
from minesweeper.player.play.click_rows import CLICK_COLUMNS
from minesweeper.scripts import commands

_WIDTH: Final = 80
_MEANINGS: Final = {column.name: column.meaning for column in PUZZLE_COLUMNS}
# The comments of columns in schema.sql.
_COMMENTS: Final = {"TABLE": r"(?m)^    (\w+) .*  -- (.+)$", "VIEW": r"(?m)\bAS (\w+),?  -- (.+)$"}


def click_columns() -> str:
    """Return the columns of the clicks of recorded games as a table in Markdown."""
    rows = [f"| `{column.name}` | {column.meaning} |" for column in CLICK_COLUMNS]
    return "\n".join(["| column | meaning |", "| --- | --- |", *rows])


def helps() -> str:
    """Return the help of every command and of its subcommands as Markdown."""
    texts = []
    for name in commands.NAMES:
        # Some commands have a short form.
        words = name if hasattr(minesweeper_toolkit, name) else f"minesweeper {name}"
        command = commands.load(name)
        subcommands = list(command.commands) if isinstance(command, click.Group) else []
        for level, arguments in [("##", [])] + [("###", [subcommand]) for subcommand in subcommands]:
            help_text = CliRunner().invoke(command, [*arguments, "--help"], prog_name=words, terminal_width=_WIDTH)
            texts.append(f"{level} {' '.join([words, *arguments])}\n\n```txt\n{help_text.output.strip()}\n```\n")
    return "\n".join(texts)


def tables() -> str:
    """Return a Markdown table of the columns of every table and view of the database."""
    texts = []
    with closing(sqlite3.connect(":memory:")) as connection:
        file.create_tables(connection)
        for statement in file.SCHEMA.read_text(encoding="utf-8").split(";\n\n"):
            if found := re.search(r"(?m)^CREATE (TABLE|VIEW) (\w+)", statement):
                kind, table = found.groups()
                meanings = _MEANINGS | dict(re.findall(_COMMENTS[kind], statement))
                about = " ".join(re.findall(r"(?m)^-- (.+)", statement))
                rows = connection.execute(
                    "SELECT name, lower(type) FROM pragma_table_info(?) WHERE ? <> 'puzzle_list' OR name NOT IN "
                    "(SELECT name FROM pragma_table_info('puzzles'))",
                    [table, table],
                )
                lines = [f"| `{name}` | {type_} | {meanings[name]} |" for name, type_ in rows]
                head = [f"### {table}", "", about, "", "| column | type | meaning |", "| --- | --- | --- |"]
                texts.append("\n".join([*head, *lines, ""]))
    return "\n".join(texts)
