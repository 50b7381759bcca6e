"""The estimate of `champion`, computed again by enumeration of all layouts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import islice

import numpy as np
import oracle
import pytest
from numpy.typing import NDArray
from views import random_view, wins_after

from minesweeper.player.board import HIDDEN, Cell, View, count_neighbours
from minesweeper.player.chance.probability import count_layouts
from minesweeper.player.kernel_api import available
from minesweeper.player.logic import closure
from minesweeper.player.results import EvaluationKind
from minesweeper.player.strategies.kernel_strategies import evaluate, rate

pytestmark = pytest.mark.skipif(not available(), reason="the kernel was not built")

ROUNDING = 1e-9
SWAPS = ("AB", "A/B", "AB/BA", "AB.AB", "A/B/./A/B")
"""Mine swaps: the cells A are mines and the cells B are safe, or the reverse."""


def near(a: Cell, b: Cell) -> bool:
    return max(abs(a[0] - b[0]), abs(a[1] - b[1])) == 1


def groups(cells: list[Cell], links: list[tuple[Cell, Cell]]) -> list[set[Cell]]:
    """Return the connected groups of cells."""
    group = {cell: {cell} for cell in cells}
    for a, b in links:
        if group[a] is not group[b]:
            group[a] |= group[b]
            for cell in group[b]:
                group[cell] = group[a]
    return list({id(one): one for one in group.values()}.values())


class Estimate:
    """A position as its layouts, (layouts, rows, cols), and its unknown cells; `everything` ignores sealed parts."""

    def __init__(
        self, maps: NDArray[np.bool_], unknown: NDArray[np.bool_], opened: NDArray[np.bool_], everything: bool
    ) -> None:
        self.maps, self.unknown, self.opened = maps, unknown, opened
        self.mine = maps.mean(axis=0)
        self.cells: list[Cell] = [(int(row), int(col)) for row, col in np.argwhere(unknown)]
        clues = [(int(row), int(col)) for row, col in np.argwhere(opened)]
        around = [[cell for cell in self.cells if near(cell, clue)] for clue in clues]
        constrained = sorted({cell for some in around for cell in some})
        self.components = groups(constrained, [(some[0], cell) for some in around for cell in some])
        self.first = next((some[0] for some in around if some), None)
        self.everything = everything

    @cached_property
    def focus(self) -> list[Cell]:
        """All cells, or those outside clusters with a certain number of mines, or the first of these clusters."""
        if self.everything:
            return self.cells
        touching = [(a, b) for a in self.cells for b in self.cells if near(a, b)]
        linked = [(min(part), cell) for part in self.components for cell in part]
        loose, first = [], []
        for cluster in groups(self.cells, touching + linked):
            parts = [part for part in self.components if part <= cluster]
            certain = all(len(set(self._mines_in(part))) == 1 for part in parts)
            if not certain or cluster != set().union(*parts):
                loose += cluster
            if self.first in cluster:
                first += cluster
        return sorted(loose or first)

    def _mines_in(self, cells: set[Cell]) -> list[int]:
        return [int(count) for count in self.maps[:, *zip(*cells, strict=True)].sum(axis=1)]

    def after(self, cell: Cell) -> Iterator[tuple[float, Estimate]]:
        """Pass the probability of each clue of a cell, and the position after it."""
        clues = self.maps[:, max(cell[0] - 1, 0) : cell[0] + 2, max(cell[1] - 1, 0) : cell[1] + 2].sum(axis=(1, 2))
        unknown, opened = self.unknown.copy(), self.opened.copy()
        unknown[cell], opened[cell] = False, True
        for clue in range(9):
            left = self.maps[(clues == clue) & ~self.maps[:, *cell]]
            if len(left):
                yield len(left) / len(self.maps), Estimate(left, unknown, opened, everything=False)

    def outlook(self, next_: Estimate) -> tuple[int, float]:
        """Return the number of safe cells after a clue, and the probability of surviving the guess after it."""
        risks = [next_.mine[cell] for cell in self.focus if next_.unknown[cell]]
        safe = risks.count(0)
        return safe, 1 - 0.05 / (1 + safe) if safe else 1 - min(risks, default=1)

    def one_ply(self, cell: Cell) -> float:
        return sum(chance * self.outlook(next_)[1] for chance, next_ in self.after(cell))

    def best_reply(self) -> float:
        return max(self.one_ply(cell) for cell in self.focus if self.mine[cell] < 1)

    def two_plies(self, cell: Cell) -> float:
        value = 0.0
        for chance, next_ in self.after(cell):
            safe, survival = self.outlook(next_)
            if safe == 0:
                survival = next_.best_reply()
            elif safe <= 4 and chance > 0.02 - ROUNDING:
                survival = 1 - 0.7 * (1 - next_.follow(chance, 1, survival))
            value += chance * survival
        return value

    def follow(self, reached: float, depth: int, otherwise: float) -> float:
        """Return the probability of surviving the guesses after a safe cell."""
        safe = [cell for cell in self.focus if self.mine[cell] == 0]
        if all(self.mine[cell] in (0, 1) for cell in self.focus):
            return 1
        if not safe:
            return otherwise
        unknown_near = count_neighbours(self.unknown)
        cell = max(safe, key=lambda one: unknown_near[one])
        value = 0.0
        for chance, next_ in self.after(cell):
            count, survival = self.outlook(next_)
            if 0 < count <= 4 and depth < 4 and reached * chance > 0.02 - ROUNDING:
                survival = next_.follow(reached * chance, depth + 1, survival)
            elif count == 0 and reached * chance > 0.03 - ROUNDING:
                survival = next_.best_reply()
            value += chance * survival
        return value

    def swaps(self, known_mines: NDArray[np.bool_]) -> Iterator[tuple[float, list[Cell], list[Cell]]]:
        """Pass the probability of each possible swap, one way round; its cells; and the unknown mines that it needs."""
        rows, cols = self.unknown.shape
        for text in SWAPS:
            shape = [((r, c), x) for r, row in enumerate(text.split("/")) for c, x in enumerate(row) if x != "."]
            for top, left in np.ndindex(rows, cols):
                placed = {(top + r, left + c): letter for (r, c), letter in shape}
                if not all(r < rows and c < cols and self.unknown[r, c] for r, c in placed):
                    continue
                others = [cell for cell in np.ndindex(rows, cols) if cell not in placed]
                change = {
                    cell: sum((letter == "A") - (letter == "B") for own, letter in placed.items() if near(own, cell))
                    for cell in others
                }
                solid = [cell for cell in others if change[cell] and not known_mines[cell]]
                if all(self.unknown[cell] for cell in solid):
                    chance = self._probability(
                        {**{c: x == "A" for c, x in placed.items()}, **dict.fromkeys(solid, True)}
                    )
                    yield chance, list(placed), solid

    def _probability(self, pins: dict[Cell, bool]) -> float:
        """Return the probability of these mines and safe cells, if parts of the position were independent."""
        alone = [{cell} for cell in pins if not any(cell in part for part in self.components)]
        product = 1.0
        for part in [*self.components, *alone]:
            fits = [self.maps[:, *cell] == mine for cell, mine in pins.items() if cell in part]
            product *= float(np.all(fits, axis=0).mean()) if fits else 1
        return product

    def values(self, known_mines: NDArray[np.bool_]) -> dict[Cell, float]:
        """Return the estimate for each cell that may be safe."""
        in_swaps, needed = np.zeros(self.unknown.shape), np.zeros(self.unknown.shape)
        for chance, cells, solid in self.swaps(known_mines):
            if chance > 0.0002 - ROUNDING:
                for cell in cells:
                    in_swaps[cell] += chance
                for cell in solid:
                    needed[cell] += 2 * chance
        found = {}
        for cell in self.cells:
            if (risk := self.mine[cell]) == 1:
                continue
            later = min(in_swaps[cell], risk) + min(needed[cell], risk) / 2
            found[cell] = (1 + 0.9 * min(later, risk, 1 - risk) / (1 - risk)) * self.two_plies(cell)
        return found


def check(view: View) -> bool:
    """Compare the estimates of all cells; return whether a swap is possible."""
    known = closure(view).mine_map
    found = evaluate(view, known)
    assert found.kind is EvaluationKind.ESTIMATE
    maps = oracle.layouts(view)
    position = Estimate(maps, (view.cells == HIDDEN) & ~known, view.cells != HIDDEN, everything=True)
    expected = position.values(known)
    assert {rating.cell: rating.value for rating in found.ratings} == pytest.approx(expected, abs=1e-9)
    assert all(rating.value <= 1 + 1e-9 for rating in found.ratings)
    return any(chance > 0.0002 - ROUNDING for chance, _, _ in position.swaps(known))


def test_the_estimate_in_a_corner() -> None:
    assert check(View.from_text("4x5/7\n1####\n#####\n#####\n#####"))


def early_views(seed: int, most_layouts: int) -> Iterator[View]:
    """Pass random views that need a guess and have too many layouts for an exact evaluation."""
    rng = np.random.default_rng(seed)
    while True:
        view = random_view(rng, 20)
        guess = (view.cells >= 0).any() and not closure(view).safe_map.any()
        if guess and 1_000 < count_layouts(view) < most_layouts:
            yield view


@pytest.mark.parametrize("views", [3, pytest.param(60, marks=pytest.mark.long)])
def test_the_estimate_equals_enumeration(views: int) -> None:
    with_swaps = sum(check(view) for view in islice(early_views(5, 6_000), views))
    assert with_swaps > views / 3


@pytest.mark.long
def test_the_estimate_loses_less_against_the_game_tree_than_lookahead() -> None:
    losses = []
    for view in islice(early_views(1, 1_500), 20):
        known = closure(view).mine_map
        found = evaluate(view, known)
        wins = {rating.cell: wins_after(view, rating.cell) for rating in found.ratings}
        chosen = found.ratings[0].cell, rate(view, known, "lookahead")[0].cell
        losses.append([(max(wins.values()) - wins[cell]) / count_layouts(view) for cell in chosen])
    of_estimate, of_lookahead = np.mean(losses, axis=0)
    assert of_estimate < 0.01
    assert of_estimate < of_lookahead
