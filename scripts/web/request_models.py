"""Models of the JSON bodies of requests."""

from __future__ import annotations

from datetime import date as Date
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from minesweeper.player.measure.difficulty import WORDS
from minesweeper.player.recipe import StartRule
from minesweeper.player.steps import Tier
from minesweeper.scripts.web.settings import MAX_CELLS, MAX_RECORDING, MAX_SEED, MAX_SIDE

Side = Annotated[int, Field(ge=1, le=MAX_SIDE)]
Cells = Annotated[list[Annotated[int, Field(ge=0, lt=MAX_CELLS)]], Field(max_length=MAX_CELLS)]
Mines = Annotated[int, Field(ge=0, le=MAX_CELLS)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


def _known_difficulty(word: str) -> str:
    if word not in WORDS:
        raise ValueError(f"unknown difficulty {word!r}; difficulties: {', '.join(WORDS)}")
    return word


class EmptyRequest(_Strict):
    """A request without arguments."""


class CellRequest(_Strict):
    """A click on a cell, counted from 0; `turn` numbers the moves, because requests may arrive out of order."""

    row: Annotated[int, Field(ge=0, lt=MAX_SIDE)]
    col: Annotated[int, Field(ge=0, lt=MAX_SIDE)]
    turn: Annotated[int, Field(ge=0)] | None = None


class KaboomRules(_Strict):
    """The options of a Kaboom game, see `player.kaboom.game.Rules`."""

    opening_start: bool = True
    guess_anywhere: bool = False
    outside_counts: bool = True
    mode: Literal["uniform", "cruelest"] = "uniform"


class NewGame(_Strict):
    """A new game; the mode determines which fields are used.

    `game` is the id of a game whose board is played again. With the same `seed` random boards are equal, and
    Kaboom gives equal answers to equal clicks.
    """

    mode: Literal["classic", "no-guess", "pack", "daily", "kaboom", "shared", "again"]
    preset: Annotated[str, Field(max_length=40)] | None = None
    rows: Side | None = None
    cols: Side | None = None
    mines: Mines | None = None
    start: Annotated[StartRule, Field(strict=False)] = StartRule.OPENING
    tier: Annotated[str, AfterValidator(lambda title: Tier.titled(title).title)] | None = None
    difficulty: Annotated[str, AfterValidator(_known_difficulty)] | None = None
    puzzle: Annotated[str, Field(pattern="^[0-9a-fA-F]{1,20}$")] | None = None
    date: Annotated[Date, Field(strict=False)] | None = None
    rules: KaboomRules = KaboomRules()
    token: Annotated[str, Field(max_length=600)] | None = None
    game: Annotated[str, Field(max_length=40)] | None = None
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)] | None = None


class HelpRequest(_Strict):
    """Help for the player: the cells that it opens and flags, as ``row * cols + col``; none if it only shows cells."""

    safe: Cells = []
    mines: Cells = []


class WatchRequest(_Strict):
    """A puzzle, as the token of a share link, and the strategy that plays it."""

    token: Annotated[str, Field(max_length=600)]
    strategy: Annotated[str, Field(max_length=1000)]


class PositionRequest(_Strict):
    """A position in any format; with `base64`, the text is base64 of the file's bytes."""

    text: Annotated[str, Field(min_length=1, max_length=14_000)]
    base64: bool = False
    mines: Mines | None = None


class RecordingRequest(_Strict):
    """A recorded game of another program: its bytes in base64; the suffix of its name gives the format."""

    name: Annotated[str, Field(max_length=200)]
    data: Annotated[str, Field(max_length=MAX_RECORDING * 4 // 3 + 4)]


class SaveRequest(_Strict):
    """A position to write in a format: rows of characters, where `*` marks a mine for formats that store mines."""

    cells: Annotated[list[Annotated[str, Field(max_length=MAX_SIDE)]], Field(min_length=1, max_length=MAX_SIDE)]
    mines: Mines

    format: Annotated[str, Field(max_length=20)]
