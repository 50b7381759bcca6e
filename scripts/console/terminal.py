"""Shared parts of the commands: one-line errors, common options, tables, colours, progress bars and logs.

Commands are made with ``@click.command(cls=Command)`` or ``@click.group(cls=CommandGroup)``.
"""

from __future__ import annotations

import atexit
import functools
import io
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Literal, NoReturn, ParamSpec, TypeVar, cast

import click

from minesweeper.player.core.errors import MinesweeperError, did_you_mean
from minesweeper.player.core.grid import in_words
from minesweeper.player.version import VERSION

_P = ParamSpec("_P")
_T = TypeVar("_T")
_F = TypeVar("_F", bound=Callable[..., Any])
Row = Mapping[str, object]
TableStyle = Literal["table", "json", "csv"]

DEFAULT_DATABASE: Final = "minesweeper.db"
_LEAST_COLUMN: Final = 30
DELAY_SECONDS: Final = 2.0
SECONDS_PER_LINE: Final = 5.0
INTERRUPTED: Final = 130
_EXTRA: Final = re.compile(r"Got unexpected extra arguments? \((\S+).*\)")
_NUMBER: Final = re.compile(r"a valid (integer|float)( range)?\.")
_NUMBERS: Final = {"integer": "whole number", "float": "number"}


def command_errors(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """Print errors that the user can fix as one line on stderr, and their notes below it, and exit with 2.

    These are the toolkit's own errors, wrong options, and files that cannot be read or written. Ctrl-C
    exits with 130 and a closed pipe (``| head``) with 0, both silently. Other errors are defects and keep their
    traceback.
    """

    @functools.wraps(function)
    def guarded(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        try:
            result = function(*args, **kwargs)
            sys.stdout.flush()
            return result
        except click.ClickException as error:
            _fail(_with_suggestion(error))
        except (KeyboardInterrupt, click.Abort):
            sys.exit(INTERRUPTED)
        except BrokenPipeError as error:
            if _stdout_is_gone():
                sys.exit(0)
            if error.filename is None:
                raise
            _fail(f"{error.strerror}: {os.fspath(error.filename)!r}")
        except MemoryError:
            _fail("out of memory; stored data is safe")
        except OSError as error:
            if error.filename is None and not _stdout_is_gone():
                raise
            _fail(f"{error.strerror}: {'stdout' if error.filename is None else repr(os.fspath(error.filename))}")
        except MinesweeperError as error:
            _fail(str(error), getattr(error, "__notes__", ()))

    return guarded


def _with_suggestion(error: click.ClickException) -> str:
    """Return the message of an error, with the nearest choice for a wrong option or value."""
    if isinstance(error, click.NoSuchOption):
        return f"no such option {error.option_name}{did_you_mean(error.option_name, error.possibilities or ())}"
    if isinstance(error, click.NoSuchCommand):
        suggestion = did_you_mean(error.command_name, error.possibilities or ())
        return f"no such command {error.command_name!r}{suggestion}; --help lists all"
    if isinstance(error, click.UsageError) and (extra := _EXTRA.match(error.message)) and error.ctx is not None:
        return f"unexpected {extra[1]!r}{_as_option(extra[1], error.ctx)}; expected options as in --help"
    if isinstance(error, click.BadOptionUsage) and error.ctx is not None and "requires" in error.message:
        for param in error.ctx.command.get_params(error.ctx):
            if error.option_name in param.opts:
                return f"no value for {error.option_name}; expected {param.make_metavar(error.ctx)}"
    kind = error.param.type if isinstance(error, click.BadParameter) and error.param is not None else None
    value, wrong, _ = error.message.partition(" is not one of ")
    if not wrong or not isinstance(kind, click.Choice):
        return _NUMBER.sub(lambda kind: f"a {_NUMBERS[kind[1]]}.", error.format_message())
    return error.format_message().removesuffix(".") + did_you_mean(value.strip("'"), map(str, kind.choices))


def _as_option(word: str, context: click.Context) -> str:
    """Suggest an option for a word that was given without one: its name, or a board."""
    from minesweeper.player.core.recipe import standard_presets

    flags = [flag for param in context.command.get_params(context) for flag in param.opts]
    if "--board" in flags and (word in standard_presets() or "/" in word):
        return f" (did you mean --board {word}?)"
    return f" (did you mean '--{word}'?)" if f"--{word}" in flags else ""


def _stdout_is_gone() -> bool:
    """Return whether stdout cannot be written; if so, redirect it so that Python does not fail again at exit."""
    try:
        # A flush alone would succeed, because a failed write empties the buffer.
        print(flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return True
    return False


def _open_closed_streams() -> None:
    """Replace streams that were closed with ``<&-`` or ``>&-``: an empty stdin, and a stdout that fails on writing.

    Otherwise the next opened file, a database, would get the descriptor of stdout.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, os.O_WRONLY if name == "stderr" else os.O_RDONLY)
            setattr(sys, name, os.fdopen(opened, "w" if number else "r", encoding="utf-8"))


def _fail(message: str, notes: Iterable[str] = ()) -> NoReturn:
    click.echo("\n".join([f"Error: {' '.join(message.split())}", *notes]), err=True)
    sys.exit(2)


class Command(click.Command):
    """A click command with one-line errors, ``-h``, and options in groups over the whole width of the terminal.

    All have ``--version``, and the help of a program's own command shows it.
    """

    def __init__(self, *args: Any, **settings: Any) -> None:
        context = {"help_option_names": ["-h", "--help"], "max_content_width": sys.maxsize}
        context |= settings.get("context_settings") or {}
        super().__init__(*args, **{**settings, "context_settings": context})

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options without a group, then those of each group, see `options.with_options`."""
        groups: dict[str, str] = getattr(self.callback, "option_groups", {})
        sections: dict[str, list[tuple[str, str]]] = {"": []}
        for param in self.get_params(ctx):
            if isinstance(param, click.Option) and (record := param.get_help_record(ctx)) is not None:
                sections.setdefault(groups.get(str(param.name), ""), []).append(record)
        for title, records in sections.items():
            with formatter.section(title or "Options"):
                formatter.write_dl(records, col_max=max(_LEAST_COLUMN, formatter.width * 3 // 10))

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        params = super().get_params(ctx)
        version = click.version_option(VERSION, prog_name="minesweeper-toolkit", hidden=ctx.parent is not None)
        return [*params[:-1], *version(lambda: None).__click_params__, *params[-1:]]  # type: ignore[attr-defined]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, [_with_rows(argument) for argument in args])
        except click.BadOptionUsage as error:
            error.ctx = ctx  # for `_with_suggestion`
            raise

    @command_errors
    def main(self, args: Sequence[str] | None = None, standalone_mode: bool = True, **settings: Any) -> Any:  # type: ignore[override]
        """Run without click's error messages, which take several lines for a wrong option.

        `invoke` is guarded as well, so only errors in reading the options get this far.
        """
        _open_closed_streams()
        # Print characters outside the encoding of the terminal as \\u2665, as Python does on stderr.
        if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
            sys.stdout.reconfigure(errors="backslashreplace")
        try:
            result = super().main(args, standalone_mode=False, **settings)
        finally:
            # Ctrl-C during Python's own shutdown would print a traceback.
            atexit.register(signal.signal, signal.SIGINT, signal.SIG_DFL)
        if standalone_mode and isinstance(result, int):
            sys.exit(result)
        return result

    def invoke(self, ctx: click.Context) -> Any:
        return command_errors(super().invoke)(ctx)


def _with_rows(argument: str) -> str:
    """Replace ``holes @FILE`` at the end of a board or size by the rows in the file."""
    words, marker, path = argument.partition("holes @")
    if not marker:
        return argument
    rows = Path(path).read_text(encoding="utf-8", errors="replace").split()
    return f"{words}holes {'/'.join(rows)}"


class CommandGroup(Command, click.Group):
    """A click group of commands; without arguments it prints its help."""

    command_class = Command

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(ctx, formatter)
        self.format_commands(ctx, formatter)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, args or ["--help"])


def not_a_file(context: click.Context, parameter: click.Parameter, path: str | None) -> str | None:
    """Refuse the name of a new database or folder that has the ending of a file of puzzles, e.g. ``puzzles.csv``."""
    is_database = parameter.name == "db"
    if path is None or Path(path).exists() or Path(path).suffix in ("", ".db" if is_database else ""):
        return path
    # The list of formats is not loaded otherwise.
    from minesweeper.db.formats.registry import format_by_extension

    pack = format_by_extension(path)
    if pack is None or (pack.name == "db" and is_database):
        return path
    kind = "a database" if is_database else "a folder of Parquet files"
    advice = f"packs export writes and packs import reads {pack.extensions[0]} files"
    raise click.BadParameter(f"{path!r} has the ending of {pack.title}; expected {kind}; {advice}", context, parameter)


database_option = click.option(
    "--db",
    callback=not_a_file,
    metavar="PATH",
    default=DEFAULT_DATABASE,
    envvar="MINESWEEPER_DB",
    show_default=True,
    show_envvar=True,
    help="The database file.",
)


def output_options(function: _F) -> _F:
    """Add ``--json`` and ``--csv``, given to the command as `style`, for `print_rows`."""
    for style, text in (("csv", "Print comma-separated values."), ("json", "Print a JSON array of objects.")):
        function = click.option(f"--{style}", "style", flag_value=style, help=text)(function)
    return click.option("--table", "style", flag_value="table", default=True, hidden=True)(function)


def columns(text: str) -> dict[str, str]:
    """Read column keys and headings from text: ``strategy, games, win_rate: win %``. A heading defaults to its key."""
    named = (name.strip().partition(": ") for name in text.split(","))
    return {key: heading or key for key, _, heading in named}


def print_rows(
    rows: Iterable[Row],
    columns: Mapping[str, str],
    style: TableStyle = "table",
    *,
    fields: Iterable[str] | None = None,
    empty: str = "",
) -> None:
    """Print the values of rows for the keys of `columns`, which maps them to the headings of a table.

    JSON and CSV use the keys, or `fields` if given, and are printed row by row; a row may lack some. In CSV, a cell is
    ``ROW,COL``, and true and false are 1 and 0. None is blank in tables and CSV. Without rows, `empty` is printed in
    place of a table: the reason.
    """
    keys = list(columns if fields is None else fields)
    if style == "json":
        import json

        print_json([json.dumps({key: row[key] for key in keys if key in row})] for row in rows)
    elif style == "csv":
        import csv

        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(keys)
        writer.writerows([_in_csv(row.get(key)) for key in keys] for row in rows)
    else:
        rows = list(rows)
        click.echo("\n".join(table_lines(rows, columns)) if rows or not empty else empty)


def print_json(batches: Iterable[Sequence[str]]) -> None:
    """Print an array of objects, given as JSON in batches, one on each line."""
    before = "["
    for objects in batches:
        click.echo(before + ",\n ".join(objects), nl=False)
        before = ",\n "
    click.echo("[]" if before == "[" else "]")


def _in_csv(value: object) -> object:
    if isinstance(value, list):
        return ",".join(map(str, value))
    return int(value) if isinstance(value, bool) else value


def table_lines(rows: Iterable[Row], columns: Mapping[str, str]) -> list[str]:
    """Return a table as lines: numbers right-aligned, text left-aligned, two spaces between columns."""
    import tabulate

    tabulate.MIN_PADDING = 0  # Otherwise headings are padded by two spaces.
    rows = list(rows)
    numeric = [all(isinstance(row[key], int | float | None) for row in rows) for key in columns]
    lines = tabulate.tabulate(
        [[in_words(value) if isinstance(value := row[key], str) else value for key in columns] for row in rows],
        list(columns.values()),
        tablefmt="plain",
        floatfmt=".4g",
        colalign=["right" if number else "left" for number in numeric] if rows else None,
        disable_numparse=[place for place, number in enumerate(numeric) if not number],
    )
    return [line.rstrip() for line in lines.splitlines()]


def wants_colour() -> bool:
    """Return whether stdout is a terminal that shows colours and ``NO_COLOR`` (no-color.org) is not set."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


# The default formats of tqdm leave no room for a postfix in 80 columns.
BAR: Final = "{desc}{n_fmt}/{total_fmt} {bar} {elapsed}<{remaining}, {rate_noinv_fmt}{postfix}"
_BAR_WITHOUT_TOTAL: Final = "{desc}{n_fmt}{unit} {elapsed}, {rate_noinv_fmt}{postfix}"


class Bar:
    """A progress bar that shows nothing, with the methods of tqdm that are used here."""

    n: float = 0

    def update(self, by: float = 1) -> None: ...

    def set_description(self, text: str, refresh: bool = True) -> None: ...

    def set_postfix(self, *, refresh: bool = True, **values: object) -> None: ...

    def set_postfix_str(self, text: str, refresh: bool = True) -> None: ...


class BarOfLines(Bar):
    """A progress bar for logs and pipes: a line on stderr every few seconds."""

    def __init__(self, unit: str, total: int | None, initial: int) -> None:
        self.n = initial
        self._of = unit if total is None else f" of {total}{unit}"
        self._began = self._printed = time.monotonic()

    def update(self, by: float = 1) -> None:
        self.n += by
        now = time.monotonic()
        if now - self._printed >= SECONDS_PER_LINE:
            self._printed = now
            click.echo(f"{self.n}{self._of} after {now - self._began:.0f} s", err=True)


@contextmanager
def progress_bar(
    unit: str, total: int | None = None, desc: str = "", *, in_lines: bool = False, **settings: Any
) -> Iterator[Bar]:
    """Show a progress bar if stderr is a terminal. Otherwise tqdm is not imported, which is slow.

    All bars look the same: number, total, bar, time passed and left, units per second. With `in_lines`, other
    destinations get lines.
    """
    if not sys.stderr.isatty():
        yield BarOfLines(unit, total, settings.get("initial", 0)) if in_lines else Bar()
        return
    from tqdm import tqdm

    settings |= {"bar_format": _BAR_WITHOUT_TOTAL if total is None else BAR, "desc": desc and f"{desc}: "}
    tqdm.monitor_interval = 0  # no thread: see `start_method`
    with tqdm(total=total, unit=unit, dynamic_ncols=True, miniters=1, **settings) as bar:
        yield cast(Bar, bar)


def with_progress(
    items: Iterable[_T],
    unit: str,
    total: int | None = None,
    *,
    in_lines: bool = False,
    size: Callable[[_T], int] | None = None,
) -> Iterator[_T]:
    """Yield items, and count them, or their sizes, in a progress bar if they take more than 2 seconds."""
    with progress_bar(unit, total, in_lines=in_lines, delay=DELAY_SECONDS) as bar:
        for item in items:
            yield item
            bar.update(1 if size is None else size(item))


@contextmanager
def logging_to(verbose: bool, log_file: Path | None) -> Iterator[None]:
    """Send log records, including those of worker processes, to the terminal or a file or both."""
    if not verbose and log_file is None:
        yield
        return
    import logging

    from tqdm import tqdm

    class AboveTheBar(logging.Handler):
        """A log handler that writes to stderr without breaking the progress bar."""

        def emit(self, record: logging.LogRecord) -> None:
            tqdm.write(self.format(record), file=sys.stderr)

    handlers: list[logging.Handler] = [AboveTheBar()] if verbose else []
    if log_file is not None:
        if log_file.is_file():
            with log_file.open("rb") as stream:
                if b"\0" in stream.read(1000):
                    why = f"{str(log_file)!r} is not a log; expected a new file, or an older log to add to"
                    raise click.BadParameter(why, param_hint="--log-file")
        handlers.append(logging.FileHandler(log_file, encoding="utf-8"))
    form = "%(asctime)s %(processName)s %(name)s: %(message)s"
    # Worker processes send their records to this process: see `player.parallel.workers`.
    logging.basicConfig(level=logging.INFO, format=form, handlers=handlers, force=True)
    try:
        yield
    finally:
        for handler in handlers:
            logging.getLogger().removeHandler(handler)
            handler.close()
