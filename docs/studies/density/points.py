"""Measured points of win rate against mine density, and the games that they need."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from minesweeper.generator.screening import screen_range
from minesweeper.player.core.errors import ConfigError
from minesweeper.player.core.grid import Grid
from minesweeper.player.core.recipe import Recipe, StartRule, parse_click
from minesweeper.player.play.games import play_many
from minesweeper.player.play.strategies.loading import load_strategy

LOGIC: Final = "logic"
"""The player that never guesses: its wins are the solvable puzzles."""

MOST_GAMES: Final = 1 << 32
"""The most games at one density: the boards of the next density have the next indices."""

_FIELDS: Final = ("player", "rows", "cols", "mines", "start", "first_click", "seed", "first", "games", "wins")
_Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Family:
    """A player, the side of its square boards, and its start."""

    player: str
    side: int
    rule: StartRule
    click: tuple[int, int] | None
    seed: int

    def recipe(self, mines: int) -> Recipe:
        """Return the recipe of the boards with this number of mines."""
        return Recipe(Grid(self.side, self.side), mines, self.click, self.rule, self.seed)

    def indices(self, mines: int, first: int, stop: int) -> range:
        """Return the indices of that recipe for the games from `first` to `stop` - 1.

        No two densities share an index: boards with the same index and similar numbers of mines resemble each other, so
        results on them would not be independent.
        """
        start = mines * MOST_GAMES
        return range(start + first, start + stop)

    @property
    def cells(self) -> int:
        return self.side * self.side


def count_wins(player: str, recipe: Recipe, games: range) -> int:
    """Count the wins of a player on the puzzles of a range of indices."""
    if player == LOGIC:
        return sum(1 for _ in screen_range(recipe, games.start, games.stop, count_clues=False))
    return sum(result.won for result in play_many(recipe, games, load_strategy(player), seed=recipe.seed))


class Points:
    """Games and wins by family and number of mines, stored in a CSV file to which rows are appended."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.games: Counter[tuple[Family, int]] = Counter()
        self.wins: Counter[tuple[Family, int]] = Counter()
        if path.exists():
            self._read()

    def add(self, family: Family, mines: int, games: int, wins: int) -> None:
        """Append the result of the next games of a point."""
        row = (family.player, family.side, family.side, mines, family.rule, family.recipe(mines).click_name)
        new = not self._path.exists()
        with self._path.open("a", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            if new:
                writer.writerow(_FIELDS)
            writer.writerow([*row, family.seed, self.games[family, mines], games, wins])
        self.games[family, mines] += games
        self.wins[family, mines] += wins

    def _read(self) -> None:
        with self._path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                try:
                    side, rule = int(row["rows"]), StartRule.named(row["start"])
                    click = parse_click(row["first_click"], Grid(side, side))
                    family = Family(row["player"], side, rule, click, int(row["seed"]))
                    key = family, int(row["mines"])
                    first, games, wins = int(row["first"]), int(row["games"]), int(row["wins"])
                    if not 0 <= wins <= games or row["rows"] != row["cols"]:
                        raise ValueError("expected square boards and at most as many wins as games")
                except (KeyError, TypeError, ValueError) as error:
                    raise ConfigError(f"wrong row in {self._path}: {row}; expected {', '.join(_FIELDS)}") from error
                if first != self.games[key]:
                    raise ConfigError(f"gap in {self._path}: {row}; expected the games from {self.games[key]} on")
                self.games[key] += games
                self.wins[key] += wins

    def curve(self, family: Family, mines: Iterable[int]) -> Curve:
        """Return the measured points of a family, among these numbers of mines."""
        measured = sorted(number for number in set(mines) if self.games[family, number])
        keys = [(family, number) for number in measured]
        return Curve(
            family,
            np.array(measured) / family.cells,
            np.array([self.games[key] for key in keys]),
            np.array([self.wins[key] for key in keys]),
        )


@dataclass(frozen=True, eq=False)
class Curve:
    """Games and wins of a family at increasing densities."""

    family: Family
    density: _Floats
    games: NDArray[np.int64]
    wins: NDArray[np.int64]
