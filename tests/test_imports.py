"""The house: imports go down, between packages and between rooms, and one module alone knows the kernel."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("player", "db", "generator", "scripts")
"""From the ground floor up: a package imports from itself and from those before it."""


def modules() -> dict[str, Path]:
    """Every module of the house by its name without ``minesweeper.``."""
    files = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    return {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in files}


@cache
def named(name: str, source: str) -> tuple[str, ...]:
    """All that a module imports anywhere in its text, inside functions too."""
    found: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} imports from a place that is not named in full"
            found += [f"{node.module or ''}.{alias.name}" for alias in node.names]
    return tuple(found)


def imports(name: str, source: str, known: dict[str, Path]) -> Iterator[str]:
    """Yield the modules of the house that a module imports."""
    for target in named(name, source):
        parts = target.removeprefix("minesweeper.").split(".") if target.startswith("minesweeper.") else []
        while parts and ".".join(parts) not in known and parts[-1] != "_kernel":
            parts.pop()
        if parts:
            yield ".".join(parts)


def room(module: str) -> str:
    """The room that a module is in: the file or folder right below its package."""
    return ".".join(module.split(".")[:2])


def arrows(sources: dict[str, str]) -> list[tuple[str, str]]:
    known = {name: Path() for name in sources}
    return [(name, target) for name, source in sources.items() for target in imports(name, source, known)]


def complaints(sources: dict[str, str]) -> list[str]:
    """Say what is wrong with the arrows between modules, given by name and text."""
    found = []
    graph: dict[str, set[str]] = {}
    for name, target in arrows(sources):
        if target.endswith("_kernel"):
            found += [f"{name} knows the kernel"] if name != "player.kernel_api" else []
            continue
        package, other = name.split(".")[0], target.split(".")[0]
        if PACKAGES.index(other) > PACKAGES.index(package):
            found.append(f"{name} imports {target}, which goes up")
        # What a package's face shows is no arrow: nothing in the package looks at its face.
        if "." in name:
            if "." not in target and other == package:
                found.append(f"{name} imports the face of its own package")
            if room(name) != room(target):
                graph.setdefault(room(name), set()).add(room(target))
    try:
        tuple(TopologicalSorter(graph).static_order())
    except CycleError as error:
        found.append("a circle: " + " <- ".join(error.args[1]))
    return found


def test_imports_go_down_and_not_in_circles() -> None:
    assert complaints({name: path.read_text() for name, path in modules().items()}) == []


@pytest.mark.parametrize(
    ("module", "text", "complaint"),
    [
        ("player.board", "from minesweeper.db.store import Store", "which goes up"),
        ("db.file", "def late():\n    import minesweeper.generator.pipeline", "which goes up"),
        ("player.board", "def late():\n    from minesweeper.player.game import Game", "a circle"),
        ("player.game", "from minesweeper.player import _kernel", "knows the kernel"),
        ("player.game", "from minesweeper.player import Board", "the face"),
    ],
)
def test_every_wrong_arrow_is_caught(module: str, text: str, complaint: str) -> None:
    sources = {name: path.read_text() for name, path in modules().items()}
    sources[module] += f"\n{text}\n"
    assert any(complaint in found for found in complaints(sources))
