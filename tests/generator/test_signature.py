"""Signatures: fixed seeds give the same puzzles, steps and solution paths in every version, puzzles with both engines.

A digest changes only with sampling, the rules, the closure, the tiers or the definition of a path.
"""

import hashlib

import pytest

from minesweeper.generator.screening import screen_range
from minesweeper.player.core.recipe import Recipe
from minesweeper.player.logic.path import solution_paths

BEGINNER = Recipe("9x9/10", seed=1)
INTERMEDIATE = Recipe("16x16/40", click=None, seed=2)
EXPERT = Recipe("16x30/99", seed=3)
CORNER = Recipe("16x30/99", click=(0, 0), rule="safe", seed=4)
WIDE = Recipe("30x50/300", seed=5)
DENSE = Recipe("7x70/70", click=None, rule="safe", seed=6)


def _signature(recipe: Recipe, candidates: int, engine: str) -> str:
    digest = hashlib.sha256()
    for kept in screen_range(recipe, 0, candidates, engine):
        digest.update(f"{kept.index} {kept.puzzle.id} {tuple(kept.screening.tally)}\n".encode())
    return digest.hexdigest()[:16]


@pytest.mark.parametrize(
    ("recipe", "candidates", "expected"),
    [
        (BEGINNER, 100, "1c205bd287775eda"),
        (INTERMEDIATE, 40, "c6fbb8205ca878d3"),
        (EXPERT, 30, "80148efaaa0f7102"),
        (DENSE, 50, "2390597301c31645"),
    ],
    ids=lambda value: value.name if isinstance(value, Recipe) else None,
)
def test_both_engines_keep_these_puzzles(recipe: Recipe, candidates: int, expected: str, engine: str) -> None:
    assert _signature(recipe, candidates, engine) == expected


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("recipe", "candidates", "expected"),
    [
        (BEGINNER, 5000, "607645f843e3fcef"),
        (INTERMEDIATE, 3000, "289132bd111fcc49"),
        (EXPERT, 3000, "63fd038fd85dc293"),
        (CORNER, 3000, "dc7d82143b595ad9"),
        (WIDE, 1000, "7e131c1c738c5b59"),
        (DENSE, 3000, "0a1502f7d3f53ec7"),
    ],
    ids=lambda value: value.name if isinstance(value, Recipe) else None,
)
def test_the_kernel_keeps_these_puzzles(recipe: Recipe, candidates: int, expected: str) -> None:
    assert _signature(recipe, candidates, "native") == expected


@pytest.mark.kernel
def test_1000_expert_boards_keep_their_solution_paths() -> None:
    """Of equally small sets of clues, a step names the first one: few boards show a difference in such a choice."""
    paths = solution_paths(kept.puzzle for kept in screen_range(Recipe("expert"), 0, 6215))
    hashes = [int(path.hash, 16).to_bytes(8, "little") for path in paths]
    blocks = [hashlib.sha256(b"".join(hashes[at : at + 200])).hexdigest()[:8] for at in range(0, len(hashes), 200)]
    assert blocks == ["d54d9630", "3eb9ed67", "5a54de02", "c75b2247", "48384355"]
