"""Games in a window, with a drawn screen: the program clicks proved cells only, and stops when anything is amiss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, cast
from unittest.mock import Mock

import numpy as np
import pytest
from click.testing import CliRunner

from minesweeper.db.records import ON_SCREEN
from minesweeper.db.store import Store
from minesweeper.player.core.board import HIDDEN, View
from minesweeper.player.core.errors import ConfigError, DatabaseError, NoBoardFound
from minesweeper.player.core.game import Game, Status
from minesweeper.player.core.grid import Cell
from minesweeper.player.core.mine_range import MineRange
from minesweeper.player.core.recipe import Recipe
from minesweeper.player.play import on_screen
from minesweeper.player.play.games import play
from minesweeper.player.play.on_screen import ScreenGame, play_on_screen
from minesweeper.player.play.strategies.loading import load_strategy
from minesweeper.player.see.reading import Reading
from minesweeper.player.see.screen import Box, Pixel, Screen, ScreenError, Trigger
from minesweeper.scripts.commands.autoplay import main as autoplay

SIZE = 12
"""Pixels of a cell. Its grey is that of its value."""
EDGE, CLOSED, FLAG, MINE, UNREADABLE = 5, 200, 210, 220, 230
RECIPE = Recipe("8x9/10", seed=4)


class Desktop:
    """A screen with the window of a program that plays one puzzle after another."""

    def __init__(self, recipe: Recipe = RECIPE, at: Pixel = (40, 30)) -> None:
        self.recipe, self.at, self.games = recipe, at, 0
        self.unreadable: set[Cell] = set()
        self.before_click: Callable[[], None] = lambda: None
        self.clicks: list[Cell] = []
        self.restart()

    def restart(self) -> None:
        self.puzzle = self.recipe.puzzle(self.games)
        self.game = Game(self.puzzle.board)
        self.games += 1

    def picture(self, box: Box | None = None) -> np.ndarray[Any, Any]:
        view, mines = self.game.view, self.puzzle.board.mine_map
        values = np.where(view.cells == HIDDEN, CLOSED, 10 * view.cells + 10).astype(np.uint8)
        for cell in self.game.flags:
            values[cell] = FLAG
        for cell in self.unreadable:
            values[cell] = UNREADABLE
        if self.game.exploded:
            values[mines & (view.cells == HIDDEN)] = MINE
        whole = np.zeros((200, 220, 3), np.uint8)
        cells = np.kron(values, np.ones((SIZE, SIZE), np.uint8))
        left, top = self.at
        whole[top : top + cells.shape[0], left : left + cells.shape[1]] = cells[..., np.newaxis]
        return whole if box is None else whole[box[1] : box[3], box[0] : box[2]].copy()

    def move(self, pixel: Pixel) -> None:
        pass

    def click(self, pixel: Pixel, *, right: bool = False) -> None:
        self.before_click()
        cell = (pixel[1] - self.at[1]) // SIZE, (pixel[0] - self.at[0]) // SIZE
        self.clicks.append(cell)
        if self.game.status is Status.PLAYING:
            self.game.flag(cell) if right else self.game.open(cell)

    def act(self, action: Trigger) -> None:
        assert action == Trigger.from_text("key:F2")
        self.restart()


def read(picture: np.ndarray[Any, Any]) -> Reading:
    """Read a picture of a `Desktop`."""
    rows, cols = np.nonzero(picture[..., 0])
    if not len(rows):
        raise NoBoardFound("no board found")
    top, left = int(rows.min()), int(cols.min())
    values = picture[top : rows.max() + 1 : SIZE, left : cols.max() + 1 : SIZE, 0]
    marked = values >= CLOSED
    return Reading(
        cells=np.where(marked, HIDDEN, values // 10 - 1).astype(np.int8),
        flags=values == FLAG,
        mines_shown=values == MINE,
        mines=MineRange(),
        x_lines=tuple(float(left + SIZE * line) for line in range(values.shape[1] + 1)),
        y_lines=tuple(float(top + SIZE * line) for line in range(values.shape[0] + 1)),
        doubtful=tuple((int(row), int(col)) for row, col in np.argwhere(values == UNREADABLE)),
        chances=np.zeros((*values.shape, 13), np.float32),
    )


def read_again(picture: np.ndarray[Any, Any], before: Reading) -> Reading:
    """Read a picture of a `Desktop` whose window did not move."""
    if (reading := read(picture)).x_lines != before.x_lines:
        raise NoBoardFound("no board found")
    return reading


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_screen, "read_image", read)
    monkeypatch.setattr(on_screen, "read_again", read_again)
    seconds = count()
    monkeypatch.setattr(on_screen.time, "sleep", lambda _: None)
    monkeypatch.setattr(on_screen.time, "monotonic", lambda: next(seconds))


def game_on(desktop: Desktop) -> ScreenGame:
    return ScreenGame(cast(Screen, desktop), desktop.recipe.mines)


def play_one(desktop: Desktop, **settings: Any) -> on_screen.GameResult:
    return play_on_screen(game_on(desktop), load_strategy("local"), first_click=desktop.puzzle.first_click, **settings)


@pytest.mark.parametrize("flags", [False, True])
def test_a_game_on_the_screen_is_that_of_the_same_strategy_on_the_same_board(flags: bool) -> None:
    desktop = Desktop(Recipe("8x9/14", seed=4))
    game = game_on(desktop)
    results = []
    for index in range(12):
        if index:
            game.restart([Trigger.from_text("key:F2")])
        result = play_on_screen(game, load_strategy("local"), first_click=desktop.puzzle.first_click, flags=flags)
        expected = play(desktop.puzzle, "local")
        assert (result.won, result.opened, result.guesses) == (expected.won, expected.opened, expected.guesses)
        results.append(result.won)
    assert set(results) == {True, False}
    assert desktop.games == 12


def test_a_game_goes_on_from_the_position_that_the_window_shows() -> None:
    desktop = Desktop()
    desktop.game.open(desktop.puzzle.first_click)
    assert play_on_screen(game_on(desktop), load_strategy("local")).won == play(desktop.puzzle, "local").won
    assert desktop.puzzle.first_click not in desktop.clicks


def test_only_cells_of_the_board_are_clicked() -> None:
    desktop = Desktop()
    play_one(desktop, flags=True)
    assert all(0 <= row < 8 and 0 <= col < 9 for row, col in desktop.clicks)


def spoil(desktop: Desktop, after: int, change: Callable[[], None]) -> None:
    """Change something on the screen before one of the clicks."""

    def change_once() -> None:
        if len(desktop.clicks) == after:
            change()

    desktop.before_click = change_once


def test_a_window_that_moves_gets_no_further_click() -> None:
    desktop = Desktop()
    spoil(desktop, 1, lambda: setattr(desktop, "at", (47, 30)))
    with pytest.raises(ScreenError, match="moved or is covered"):
        play_one(desktop)
    assert len(desktop.clicks) == 2


def test_a_window_that_is_covered_gets_no_further_click(monkeypatch: pytest.MonkeyPatch) -> None:
    desktop = Desktop()
    shown = desktop.picture
    spoil(desktop, 1, lambda: setattr(desktop, "picture", lambda box=None: shown(box) * 0))
    with pytest.raises(ScreenError, match="moved or is covered"):
        play_one(desktop)
    assert len(desktop.clicks) == 2


@pytest.mark.parametrize("blank", [False, True])
@pytest.mark.parametrize("pictures", [2, 4, 5, 8])
def test_a_program_that_draws_slowly_does_not_stop_the_game(pictures: int, blank: bool) -> None:
    """For some pictures after a click, the window shows the clicked cell only, or nothing at all."""
    desktop = Desktop()
    drawn, opened_before, left = Desktop.picture, desktop.game.view.opened, 0

    def click(pixel: Pixel, *, right: bool = False) -> None:
        nonlocal opened_before, left
        opened_before, left = desktop.game.view.opened, pictures
        Desktop.click(desktop, pixel, right=right)

    def picture(box: Box | None = None) -> np.ndarray[Any, Any]:
        nonlocal left
        left -= 1
        if left < 0:
            return drawn(desktop, box)
        if blank:
            return drawn(desktop, box) * 0
        late = desktop.game.view.opened & ~opened_before
        late[desktop.clicks[-1]] = False
        whole = drawn(desktop)
        for row, col in np.argwhere(late).tolist():
            x, y = desktop.at[0] + SIZE * col, desktop.at[1] + SIZE * row
            whole[y : y + SIZE, x : x + SIZE] = CLOSED
        return whole if box is None else whole[box[1] : box[3], box[0] : box[2]].copy()

    desktop.click, desktop.picture = click, picture  # type: ignore[method-assign]
    assert play_one(desktop).won == play(desktop.puzzle, "local").won


def test_a_cell_that_somebody_else_opens_stops_the_game() -> None:
    desktop = Desktop()
    far = max(map(tuple, np.argwhere(desktop.puzzle.board.safe_map & ~opened(desktop)).tolist()))
    spoil(desktop, 0, lambda: desktop.game.open(far))
    with pytest.raises(ScreenError, match="opened without a click"):
        play_one(desktop)
    assert len(desktop.clicks) == 1


def opened(desktop: Desktop) -> np.ndarray[Any, Any]:
    """The cells that the first click opens, and their neighbours."""
    game = Game(desktop.puzzle.board)
    game.open(desktop.puzzle.first_click)
    return np.asarray(game.view.opened)


def test_a_click_that_the_program_overlooks_is_repeated() -> None:
    desktop = Desktop()
    clicked: set[Pixel] = set()

    def click(pixel: Pixel, *, right: bool = False) -> None:
        if pixel in clicked:
            Desktop.click(desktop, pixel, right=right)
        clicked.add(pixel)

    desktop.click = click  # type: ignore[method-assign]
    assert play_one(desktop).won == play(desktop.puzzle, "local").won


def test_a_click_that_opens_nothing_stops_the_game() -> None:
    desktop = Desktop()
    desktop.click = lambda pixel, right=False: None  # type: ignore[method-assign]
    with pytest.raises(ScreenError, match="opened nothing"):
        play_one(desktop)


def test_a_misread_clue_is_no_loss_of_the_strategy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mine that logic proved safe is a fault of the reading."""
    desktop = Desktop(Recipe("4x4/3", click=(3, 3), seed=1))
    monkeypatch.setattr(on_screen, "closure", lambda view: _all_safe(view))
    with pytest.raises(ScreenError, match="misread"):
        play_one(desktop)


def _all_safe(view: View) -> Any:
    hidden = view.cells == HIDDEN
    return type("Known", (), {"safe_map": hidden, "mine_map": hidden & False})()


def test_a_doubtful_cell_counts_as_hidden_and_is_never_clicked() -> None:
    desktop = Desktop()
    desktop.game.open(desktop.puzzle.first_click)
    doubtful = next(map(tuple, np.argwhere(desktop.game.view.cells > 0).tolist()))
    desktop.unreadable = {doubtful}
    game = game_on(desktop)
    assert game.view.cells[doubtful] == HIDDEN
    with pytest.raises(ScreenError, match="cannot be read"):
        play_on_screen(game, load_strategy("local"))
    assert doubtful not in desktop.clicks


@pytest.mark.parametrize("action", ["move", "click"])
def test_a_window_that_covers_a_won_game_does_not_hide_the_win(action: str) -> None:
    """Also where a click opened other cells that were to be clicked."""
    solvable = [
        recipe for seed in range(40) if play((recipe := Recipe("8x9/10", seed=seed)).puzzle(0), "local").guesses == 0
    ]
    assert len(solvable) > 10
    for recipe in solvable:
        desktop = Desktop(recipe)

        def cover(pixel: Pixel, desktop: Desktop = desktop, **button: bool) -> None:
            getattr(Desktop, action)(desktop, pixel, **button)
            if desktop.game.status is Status.WON:
                desktop.picture = lambda box=None: Desktop.picture(desktop, box) * 0  # type: ignore[method-assign]

        setattr(desktop, action, cover)
        assert play_one(desktop).won


def test_a_window_that_covers_the_board_is_closed() -> None:
    """Only the picture without it shows that the game was won: the last click may have opened more than itself."""
    desktop = Desktop()
    drawn, is_open = desktop.picture, True

    def close(action: Trigger) -> None:
        nonlocal is_open
        is_open = False

    def picture(box: Box | None = None) -> np.ndarray[Any, Any]:
        return drawn(box) * (not is_open or desktop.game.status is Status.PLAYING)

    desktop.act, desktop.picture = close, picture  # type: ignore[method-assign]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(on_screen, "_win", lambda *_: False)
        assert play_one(desktop, uncover=[Trigger.from_text("key:esc")]).won == play(desktop.puzzle, "local").won
    assert not is_open


def test_a_lost_game_with_an_explosion_that_looks_like_a_clue_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        on_screen, "read_again", lambda *seen: replace(r := read_again(*seen), mines_shown=r.flags & False)
    )
    recipe = Recipe("8x9/14", seed=4)
    games = (play(recipe.puzzle(index), "local") for index in range(50))
    lost = next(index for index, game in enumerate(games) if not game.won and game.opened < 50)
    desktop = Desktop(recipe)
    while desktop.games <= lost:
        desktop.restart()

    def picture(box: Box | None = None) -> np.ndarray[Any, Any]:
        whole = Desktop.picture(desktop)
        if desktop.game.exploded:
            row, col = desktop.clicks[-1]
            x, y = desktop.at[0] + SIZE * col, desktop.at[1] + SIZE * row
            whole[y : y + SIZE, x : x + SIZE] = 20
        return whole if box is None else whole[box[1] : box[3], box[0] : box[2]].copy()

    desktop.picture = picture  # type: ignore[method-assign]
    assert not play_one(desktop).won


def test_a_won_board_that_flashes_is_won() -> None:
    desktop = Desktop(Recipe("8x9/10", seed=4))
    flashes = count()

    def picture(box: Box | None = None) -> np.ndarray[Any, Any]:
        whole = Desktop.picture(desktop, box)
        if desktop.game.status is Status.WON and next(flashes) < 8:
            whole[whole > 0] = MINE
        return whole

    desktop.picture = picture  # type: ignore[method-assign]
    assert play_one(desktop).won


def test_no_new_game_is_an_error() -> None:
    desktop = Desktop()
    desktop.act = lambda action: None  # type: ignore[method-assign]
    game = game_on(desktop)
    play_on_screen(game, load_strategy("local"), first_click=desktop.puzzle.first_click)
    with pytest.raises(ScreenError, match="no new game"):
        game.restart([Trigger.from_text("key:F2")])


def test_games_on_the_screen_are_recorded_without_their_boards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desktop = Desktop()
    monkeypatch.setattr("minesweeper.player.see.screen.Screen", lambda: desktop)
    command = ["--screen", "--mines", "10", "--strategy", "local", "--db", str(tmp_path / "games.db")]
    dry = CliRunner().invoke(autoplay, [*command, "--dry-run", str(tmp_path / "next.png")])
    assert (dry.exit_code, desktop.clicks) == (0, [])
    assert (tmp_path / "next.png").read_bytes().startswith(b"\x89PNG")
    assert CliRunner().invoke(autoplay, [*command, "--games", "2", "--next", "key:F2"]).exit_code == 0
    with Store(tmp_path / "games.db") as store:
        games = [record for _, _, record in store.games()]
        assert [record.strategy for record in games] == ["local" + ON_SCREEN] * 2
        with pytest.raises(DatabaseError, match="played on the screen"):
            store.puzzle_of(games[0])


def test_each_game_on_the_screen_draws_its_own_choices(monkeypatch: pytest.MonkeyPatch) -> None:
    seeded = Mock(side_effect=Random)
    monkeypatch.setattr(on_screen, "Random", seeded)
    monkeypatch.setattr("minesweeper.player.see.screen.Screen", Desktop)
    for _ in range(3):
        command = "--screen --mines 10 --strategy local --no-record --games 2 --next key:F2"
        assert CliRunner().invoke(autoplay, command.split()).exit_code == 0
    assert len({call.args for call in seeded.call_args_list}) == 6


@pytest.mark.parametrize("text", ["F2", "key:", "click:3", "click:a,b", "drag:1,2"])
def test_unknown_actions_are_one_line(text: str) -> None:
    with pytest.raises(ConfigError, match="expected key:NAME"):
        Trigger.from_text(text)


def test_actions() -> None:
    assert Trigger.from_text("key:ctrl+n") == Trigger(keys=("ctrl", "n"))
    assert Trigger.from_text("click:12,7") == Trigger(point=(12, 7))
