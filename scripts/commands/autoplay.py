"""The command `autoplay`: play games with a strategy, record the results, watch or review one game."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from itertools import repeat
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final

import click

from minesweeper.db.records import ON_SCREEN, GameRecord, Sample
from minesweeper.db.store import GameRecorder, Store
from minesweeper.player.core.board import Board, Puzzle, cells_of
from minesweeper.player.core.errors import BoardError, ConfigError, Fault, WorkerDied, counted
from minesweeper.player.core.grid import Cell, Grid, in_words
from minesweeper.player.core.recipe import MAX_SEED, Recipe, StartRule, parse_click
from minesweeper.player.core.results import FromPosition, GameResult, PuzzleList, PuzzleSource, forfeits_in_words
from minesweeper.player.core.steps import Engine
from minesweeper.player.logic import choose_engine, closure
from minesweeper.player.logic.probability import probabilities, sample_layouts
from minesweeper.player.parallel.workers import Workers, at_most, interruptible, worker_pool
from minesweeper.player.play.games import play, play_many
from minesweeper.player.play.stats import wilson
from minesweeper.player.play.strategies import Strategy, call_strategy, is_bundled
from minesweeper.player.play.strategies.loading import (
    STRATEGIES,
    default_strategy,
    describe_options,
    load_strategy,
    playable_strategies,
    result_name,
)
from minesweeper.scripts.console import options as common
from minesweeper.scripts.console.arguments import shown_by
from minesweeper.scripts.console.options import BoardOptions, WorkOptions, from_decorator, option, with_options
from minesweeper.scripts.console.terminal import (
    INTERRUPTED,
    Bar,
    Command,
    columns,
    database_option,
    logging_to,
    print_rows,
    progress_bar,
)

if TYPE_CHECKING:
    from minesweeper.player.play.replay import ReplayedGuess

_RANDOM_GAMES: Final = 100
_RESULTS: Final = "Results"
_ONE_GAME: Final = "One game"
_SCREEN: Final = "On the screen"
_REVIEW: Final = columns("click, cell, safety: safe, value, rating, best, outcome")
_STRATEGIES: Final = columns("name: strategy, summary: opens, options, revision")


def _list_strategies(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted:
        return
    kinds = {name: STRATEGIES[name].load() for name in playable_strategies()}
    rows = [(name, STRATEGIES[name].summary, describe_options(kind), kind.revision) for name, kind in kinds.items()]
    print_rows([dict(zip(_STRATEGIES, row, strict=True)) for row in rows], _STRATEGIES)
    click.echo("Set options as in --strategy local,progress=0.3. A strategy's revision increases when its choices")
    click.echo("change; results of revision 3 of champion are stored as champion#3.")
    context.exit()


@dataclass(frozen=True)
class AutoplayOptions:
    """The options of `autoplay`; those that are None were not given."""

    strategy: str | None = option(
        metavar="NAME|FILE.py[:CLASS]|exec:COMMAND",
        shell_complete=common.complete_strategies,
        help="Strategy: see --list. Files and commands are executed. [default: champion, or local without the kernel]",
    )
    listed: bool = option(
        "--list",
        "listed",
        is_flag=True,
        is_eager=True,
        callback=_list_strategies,
        help="List strategies and options.",
    )
    games: int | None = option(type=click.IntRange(min=1), help="Games to play. [default: 100, or all stored puzzles]")
    boards: BoardOptions = from_decorator(common.board_options)
    start: str = from_decorator(common.start_option, group=common.BOARDS)
    first_click: str = option(
        group=common.BOARDS,
        default="strategy",
        show_default=False,
        metavar="strategy|center|corner|random|R,C",
        help="First click; rows and columns count from 0. [default: chosen by the strategy]",
    )
    seed: int | None = option(
        type=click.IntRange(0, MAX_SEED), help="Seed of boards and strategy. [default: random; 0 for stored puzzles]"
    )
    puzzle: str | None = option(
        metavar="ID", shell_complete=common.complete_puzzles, help="Play only this stored puzzle."
    )
    source: str | None = option(
        "--from",
        "source",
        metavar="FILE|-|ID",
        help="Play from a position, read like that of analyse; not recorded.",
    )
    db: str = from_decorator(database_option, group=_RESULTS)
    record: bool = option("--record/--no-record", group=_RESULTS, default=True, help="Store the results.")
    time_limit: float = option(
        type=click.FloatRange(0, 86_400, min_open=True),
        default=60.0,
        show_default=True,
        metavar="SECONDS",
        help="Limit of one game; a longer game counts as lost.",
    )
    work: WorkOptions = from_decorator(common.work_options)
    watch: bool = option(group=_ONE_GAME, is_flag=True, help="Watch one game in the terminal.")
    review: bool = option(group=_ONE_GAME, is_flag=True, help="Review every guess of one game.")
    index: int = option(
        group=_ONE_GAME,
        type=click.IntRange(min=0),
        default=0,
        show_default=False,
        help="Game to watch or review, from 0. [default: 0]",
    )
    replay: str | None = option(
        group=_ONE_GAME,
        metavar="ID|last",
        shell_complete=common.complete_games,
        help="Watch or review this recorded game.",
    )
    speed: float = option(
        group=_ONE_GAME, type=click.FloatRange(0.1, 1000), default=8, help="Clicks per second for --watch."
    )
    screen: bool = option(
        group=_SCREEN,
        is_flag=True,
        help="Play the board in a window on this screen, of a program that runs here; sites with rankings forbid help.",
    )
    actions: tuple[str, ...] = option(
        *("--next", "actions"),
        group=_SCREEN,
        multiple=True,
        metavar="key:NAME|click:X,Y",
        help="Key or click that starts the next game, e.g. key:F2 or key:ctrl+n; repeatable. The first of several "
        "closes a window that covers a finished game.",
    )
    flags: bool = option(group=_SCREEN, is_flag=True, help="Flag the mines that logic finds.")
    dry_run: Path | None = option(
        group=_SCREEN,
        type=common.PATH,
        metavar="FILE.png",
        help="Click nothing: draw the chances and the next click over a picture of the screen.",
    )
    as_json: bool = option(
        "--json", "as_json", group=_RESULTS, is_flag=True, help="Print the summary, or the review, as JSON."
    )


@click.command(
    cls=Command,
    short_help="Play games with a strategy and record the results.",
    epilog="Example: autoplay --strategy local --games 1000 --size 16x30 --mines 99",
)
@with_options(AutoplayOptions)
def main(options: AutoplayOptions) -> None:
    """Play games by logic, guess only where no cell is certain, and record the results.

    Plays the puzzles of the database, or random boards if --board or --size is given. --watch, --review and --replay
    show one game and record nothing.
    """
    engine = choose_engine(options.work.engine)
    if options.source is not None:
        options = replace(options, record=False)
    with logging_to(options.work.verbose, options.work.log_file):
        if options.screen:
            _play_on_screen(options)
            return
        session = _session(options)
        if options.watch or options.review or options.replay is not None:
            _show_one(session, engine, options)
            return
        with (
            worker_pool(options.work.workers, options.work.cluster) as workers,
            Store(options.db) if options.record else nullcontext() as store,
        ):
            totals = _play(session, engine, workers, store, options.time_limit)
    _print_totals(totals, session, options)
    if totals.games < len(session.games):
        sys.exit(INTERRUPTED)


@dataclass(frozen=True)
class PlannedGames:
    """A strategy and the games that it plays: `boards` describes them, `keys` are their names in the database."""

    name: str
    strategy: Strategy
    puzzles: PuzzleSource
    games: range
    seed: int
    boards: str
    keys: Iterable[str | Sample]


@dataclass
class Totals:
    """Sums over the games played so far."""

    games: int = 0
    wins: int = 0
    guesses: int = 0
    seconds: float = 0.0
    faults: Counter[Fault] = field(default_factory=Counter)

    def add(self, result: GameResult) -> None:
        """Add a game."""
        self.games += 1
        self.wins += result.won
        self.guesses += result.guesses
        if result.fault is not None:
            self.faults[result.fault] += 1


def _session(options: AutoplayOptions) -> PlannedGames:
    """Return the games that the options select: a recorded game, a position, random boards or stored puzzles."""
    random = options.boards.size is not None or options.boards.board is not None
    chosen = {"--replay": options.replay, "--from": options.source, "--puzzle": options.puzzle, "random boards": random}
    named = [name for name, value in chosen.items() if value not in (None, False)]
    if len(named) > 1:
        raise BoardError(f"{named[0]} excludes {named[1]}; choose one of {', '.join(chosen)}")
    if options.replay is not None:
        return _recorded_game(options.db, options.replay, options.seed or 0)
    if not random and options.boards.mines is not None and options.source is None:
        raise BoardError(f"--mines {options.boards.mines} without --size; expected both, e.g. --size 16x30 --mines 99")
    name = options.strategy or default_strategy()
    strategy = load_strategy(name)
    if options.source is not None:
        return _position(name, strategy, options.source, options)
    return _random_boards(name, strategy, options) if random else _stored_puzzles(name, strategy, options)


def _random_boards(name: str, strategy: Strategy, options: AutoplayOptions) -> PlannedGames:
    board = options.boards.chosen()
    seed = common.drawn_seed() if options.seed is None else options.seed
    recipe = board.recipe(
        _first_click(strategy, board.grid, board.mines, options), StartRule.named(options.start), seed
    )
    games = range(options.games or max(_RANDOM_GAMES, options.index + 1))
    keys = (Sample(recipe, index) for index in games)
    return PlannedGames(name, strategy, recipe, games, seed, f"{recipe.title}, seed {seed}", keys)


def _first_click(strategy: Strategy, grid: Grid, mines: int, options: AutoplayOptions) -> Cell | None:
    """Return the first click, or None for a random cell of each board."""
    if options.first_click != "strategy":
        return parse_click(options.first_click, grid)
    rule = StartRule.named(options.start)
    return call_strategy(strategy, lambda: grid.nearest(strategy.first_click(grid, mines, rule)))


def _stored_puzzles(name: str, strategy: Strategy, options: AutoplayOptions) -> PlannedGames:
    with Store(options.db, create=False) as store:
        if options.puzzle is not None:
            puzzles = [store.puzzle(options.puzzle).puzzle]
        else:
            puzzles = [record.puzzle for record in store.puzzles(limit=options.games)]
    if not puzzles:
        raise BoardError(f"no puzzles in {options.db!r}; generate some, or play random boards with --board or --size")
    keys, boards = (puzzle.id for puzzle in puzzles), f"{counted(len(puzzles), 'puzzle')} of {options.db}"
    return PlannedGames(name, strategy, PuzzleList(puzzles), range(len(puzzles)), options.seed or 0, boards, keys)


def _position(name: str, strategy: Strategy, source: str, options: AutoplayOptions) -> PlannedGames:
    """Return games from a position: a puzzle itself, or a view with a random layout for each game.

    A board gets the first click of the options. A view without an open cell means random boards.
    """
    shown = shown_by(source, options.db, options.boards.mines)
    seed = common.drawn_seed() if options.seed is None else options.seed
    if isinstance(shown, Board):
        shown = _opened(shown, strategy, seed, options)
    if isinstance(shown, Puzzle):
        count = options.games or options.index + 1
        puzzles = PuzzleList([shown] * count)
        return PlannedGames(
            name, strategy, puzzles, range(count), seed, f"{shown.board.title} of {source}", repeat(source)
        )
    cells = cells_of(shown.opened)
    if not cells:
        boards = replace(options.boards, board=shown.name, size=None, mines=None)
        return _random_boards(name, strategy, replace(options, boards=boards, seed=seed))
    count = options.games or max(_RANDOM_GAMES, options.index + 1)
    layouts = (Board(layout, shown.grid) for layout in sample_layouts(shown, count, seed))
    fitting = FromPosition([Puzzle(board, cells[0]) for board in layouts], cells[1:])
    return PlannedGames(name, strategy, fitting, range(count), seed, f"{shown.title} of {source}", repeat(source))


def _opened(board: Board, strategy: Strategy, seed: int, options: AutoplayOptions) -> Puzzle:
    """Return a board with its first click. Raises `BoardError` if the cell is a mine."""
    cell = _first_click(strategy, board.grid, board.mines, options)
    if cell is None:
        cell = Random(seed).choice(cells_of(board.safe_map) or [(0, 0)])
    if board.mine_map[cell]:
        raise BoardError(f"the first click {cell} is a mine; choose a safe cell with --first-click R,C")
    return Puzzle(board, cell)


def _recorded_game(db: str, number: str, seed: int) -> PlannedGames:
    """Return a recorded game, to play it again."""
    with Store(db, create=False) as store:
        game = store.game(number)
        puzzle = store.puzzle_of(game)
    name, _, revision = game.strategy.partition("#")
    strategy = load_strategy(name)
    if game.strategy != result_name(name, strategy):
        played = f"game {number} was played by revision {revision or 1} of {name}"
        raise BoardError(f"{played}; only games of its present revision can be replayed")
    if isinstance(game.board, Sample):
        recipe, index = game.board.recipe, game.board.index
        return PlannedGames(name, strategy, recipe, range(index, index + 1), recipe.seed, in_words(recipe.name), ())
    return PlannedGames(name, strategy, PuzzleList([puzzle]), range(1), seed, f"puzzle {puzzle.id}", ())


def _show_one(session: PlannedGames, engine: Engine, options: AutoplayOptions) -> None:
    """Play one game of a session and show or review it."""
    from minesweeper.player.play.replay import Replay, luck, review
    from minesweeper.scripts.console.watch import watch

    index = options.index if options.replay is None else 0
    if index >= len(session.games):
        raise BoardError(f"no game with index {index}; expected --index 0 to {len(session.games) - 1}")
    puzzle = session.puzzles.puzzle(session.games[index])
    opened = session.puzzles.opened if isinstance(session.puzzles, FromPosition) else ()
    result = play(
        puzzle,
        session.strategy,
        seed=session.seed,
        engine=engine,
        keep_moves=True,
        opened=opened,
        time_limit=options.time_limit,
    )
    replay = Replay(puzzle, result.moves)
    if result.fault is not None:
        given_up = f"gave this game up after {options.time_limit:g} s (--time-limit)"
        forfeited = f"{session.name} forfeits this game: {result.fault}; -v logs the details"
        click.echo(given_up if result.fault is Fault.OUT_OF_TIME else forfeited, err=True)
    title = f"{session.name} on {puzzle.board.title}"
    if not options.review:
        watch(replay, title, options.speed)
        return
    guesses = review(replay)
    if options.as_json:
        game = {"strategy": session.name, **puzzle.board.size_to_json(), "won": result.won, "luck": luck(guesses)}
        click.echo(json.dumps(game | {"reviewed_guesses": [guess.to_json() for guess in guesses]}))
        return
    click.echo(f"{title}: {'won' if result.won else 'lost'}, {counted(len(guesses), 'guess')}")
    if guesses:
        print_rows([_guess_as_row(guess) for guess in guesses], _REVIEW)
        click.echo(f"luck: {luck(guesses):.2%}, the product of the safeties")


def _guess_as_row(guess: ReplayedGuess) -> dict[str, object]:
    (row, col), others = guess.best.cell, len(guess.best_cells) - 1
    return {
        "click": guess.click,
        "cell": f"{guess.cell[0]},{guess.cell[1]}",
        "safety": f"{guess.chosen.safety:.2%}",
        "value": f"{guess.chosen.value:.2%} {guess.evaluation.kind}",
        "rating": guess.rating,
        "best": f"{guess.best.value:.2%} at {row},{col}" + (f" and {others} more" if others else ""),
        "outcome": "" if guess.survived else "a mine",
    }


def _play(session: PlannedGames, engine: Engine, workers: Workers, store: Store | None, time_limit: float) -> Totals:
    """Play the games and store each result; Ctrl-C stops after the finished games."""
    totals = Totals()
    began = time.perf_counter()
    workers = at_most(workers, len(session.games))
    name = result_name(session.name, session.strategy)
    recording = nullcontext() if store is None else GameRecorder(store)
    with interruptible() as stop, recording as recorder, progress_bar(" games", len(session.games)) as bar:
        results = play_many(
            session.puzzles,
            session.games,
            session.strategy,
            seed=session.seed,
            engine=engine,
            workers=workers,
            stop=stop,
            time_limit=time_limit,
            isolated=not is_bundled(session.strategy),
        )
        try:
            for key, result in zip(session.keys, results, strict=False):
                _note(result, name, key, totals, recorder, bar)
        except WorkerDied as error:
            raise click.ClickException(f"{error}; {counted(totals.games, 'game')} before it are stored") from error
    totals.seconds = time.perf_counter() - began
    return totals


def _note(
    result: GameResult, name: str, key: str | Sample, totals: Totals, recorder: GameRecorder | None, bar: Bar
) -> None:
    """Add a finished game to the totals, and record it for the strategy `name`."""
    totals.add(result)
    bar.set_postfix(won=f"{totals.wins / totals.games:.1%}", refresh=False)
    bar.update()
    if recorder is not None:
        played = (result.won, result.opened, result.guesses, result.seconds, result.fault)
        recorder.add(GameRecord(name, key, *played))


def _print_totals(totals: Totals, session: PlannedGames, options: AutoplayOptions) -> None:
    click.echo(
        json.dumps(_as_json(totals, session, options)) if options.as_json else _in_words(totals, session, options)
    )


def _play_on_screen(options: AutoplayOptions) -> None:
    """Play in the window of another program until the games are played or something stops them."""
    from minesweeper.player.play.on_screen import ScreenGame, decide, play_on_screen
    from minesweeper.player.see.overlay import draw_over
    from minesweeper.player.see.screen import Screen, Trigger

    count = options.games or 1
    actions = [Trigger.from_text(text) for text in options.actions]
    if count > 1 and not actions:
        raise ConfigError("more than one game on the screen needs --next, e.g. --next key:F2 or --next click:640,120")
    name = options.strategy or default_strategy()
    strategy = load_strategy(name)
    seed = common.drawn_seed() if options.seed is None else options.seed
    game = ScreenGame(Screen(), options.boards.mines)
    if game.won:
        game.restart(actions)
    begun = bool(game.view.opened.any())
    first_click = None if begun else _first_click(strategy, game.view.grid, game.mines, options)
    if options.dry_run is not None:
        cells = decide(game, strategy, first_click).cells
        known, chances = closure(game.view), probabilities(game.view).chances
        draw_over(game.picture, game.reading, known, chances, cells[0]).save(options.dry_run)
        click.echo(f"{game.view.title}: {counted(len(cells), 'next click')} drawn in {options.dry_run}")
        return
    recipe = Recipe(game.view.grid, game.mines, first_click, StartRule.named(options.start), seed)
    keys = [Sample(recipe, index) for index in range(count)]
    session = PlannedGames(name, strategy, PuzzleList([]), range(count), seed, f"{recipe.name} on the screen", keys)
    totals, began = Totals(), time.perf_counter()
    try:
        with (
            Store(options.db) if options.record else nullcontext() as store,
            nullcontext() if store is None else GameRecorder(store) as recorder,
            progress_bar(" games", count) as bar,
        ):
            for key in keys:
                if totals.games:
                    game.restart(actions)
                result = play_on_screen(
                    game,
                    strategy,
                    first_click=first_click,
                    seed=seed + key.index,
                    flags=options.flags,
                    uncover=actions[:-1][:1],
                )
                _note(result, result_name(name, strategy) + ON_SCREEN, key, totals, recorder, bar)
    finally:
        totals.seconds = time.perf_counter() - began
        _print_totals(totals, session, options)


def _in_words(totals: Totals, session: PlannedGames, options: AutoplayOptions) -> str:
    lines = [f"{session.name} on {session.boards}"]
    if totals.games:
        rate = wilson(totals.wins, totals.games).in_percent()
        lines.append(f"{totals.wins} of {counted(totals.games, 'game')} won: {rate}")
        speed = totals.games / totals.seconds
        lines.append(f"{totals.guesses / totals.games:.2f} guesses per game, {speed:.1f} games per second")
    if totals.faults:
        lines.append(f"{forfeits_in_words(totals.faults)}; -v logs each")
    if totals.games < len(session.games):
        lines.append(f"interrupted: {totals.games} of {counted(len(session.games), 'game')}")
    if options.record:
        lines.append(f"recorded in {options.db}")
    return "\n".join(lines)


def _as_json(totals: Totals, session: PlannedGames, options: AutoplayOptions) -> dict[str, object]:
    rate = wilson(totals.wins, totals.games)
    return {
        "strategy": session.name,
        "boards": session.boards,
        "seed": session.seed,
        "games": totals.games,
        "wins": totals.wins,
        **(rate.percent_columns("win") | ({} if totals.games else {"win_percent": None})),
        "guesses_per_game": totals.guesses / totals.games if totals.games else None,
        "forfeits": {str(fault): games for fault, games in totals.faults.items()},
        "seconds": round(totals.seconds, 3),
        "interrupted": totals.games < len(session.games),
        "db": options.db if options.record else None,
    }
