"""The JSON that requests may hold."""

from __future__ import annotations

from datetime import date as Date
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from minesweeper.player.game import StartRule
from minesweeper.player.measure.difficulty import WORDS
from minesweeper.player.steps import Tier
from minesweeper.scripts.web.settings import MAX_CELLS, MAX_RECORDING, MAX_SIDE, MOST_SEED

Side = Annotated[int, Field(ge=1, le=MAX_SIDE)]
Mines = Annotated[int, Field(ge=0, le=MAX_CELLS)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


def _known_difficulty(word: str) -> str:
    if word not in WORDS:
        raise ValueError(f"expected a difficulty, {', '.join(WORDS)}: {word!r}")
    return word


class Nothing(_Strict):
    """A request that says it all by its address."""


class CellRequest(_Strict):
    """A cell, counted from 0, and the number of the move, since moves may overtake each other on their way."""

    row: Annotated[int, Field(ge=0, lt=MAX_SIDE)]
    col: Annotated[int, Field(ge=0, lt=MAX_SIDE)]
    turn: Annotated[int, Field(ge=0)] | None = None


class KaboomRules(_Strict):
    """The options of a Kaboom game, as in `player.kaboom.game.Rules`."""

    opening_start: bool = True
    guess_anywhere: bool = False
    outside_counts: bool = True
    mode: Literal["uniform", "cruelest"] = "uniform"


class NewGame(_Strict):
    """What to play; which fields count depends on the mode.

    `game` is one of the player's games whose board is to be played, or watched, again; with the same `seed` chance
    deals the same board, and Kaboom answers the same clicks alike.
    """

    mode: Literal["classic", "no-guess", "pack", "daily", "kaboom", "shared", "watch", "again"]
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
    strategy: Annotated[str, Field(max_length=1000)] | None = None
    game: Annotated[str, Field(max_length=40)] | None = None
    seed: Annotated[int, Field(ge=0, le=MOST_SEED)] | None = None


class NextRequest(_Strict):
    """Whether the player beside you may guess where nothing is certain."""

    guess: bool = False


class StepRequest(_Strict):
    """How many moves the autoplayer is to make."""

    moves: Annotated[int, Field(ge=1, le=50)] = 1


class AnalyseRequest(_Strict):
    """A position in any format; with `base64`, the text is bytes in that encoding."""

    text: Annotated[str, Field(min_length=1, max_length=14_000)]
    base64: bool = False
    mines: Mines | None = None


class RecordingRequest(_Strict):
    """A game that another program recorded: its bytes in base64; the ending of its name tells its kind."""

    name: Annotated[str, Field(max_length=200)]
    data: Annotated[str, Field(max_length=MAX_RECORDING * 4 // 3 + 4)]


class PositionRequest(_Strict):
    """A position, row by row, as games show it."""

    cells: Annotated[list[Annotated[str, Field(max_length=MAX_SIDE)]], Field(min_length=1, max_length=MAX_SIDE)]
    mines: Mines


class SaveRequest(PositionRequest):
    """A position to write in a format; its mines are marked `*` if the format holds them."""

    format: Annotated[str, Field(max_length=20)]
