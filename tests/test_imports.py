"""Rules between files: imports down the packages, includes down the layers of the kernel, and limits that agree."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from minesweeper.player.core.grid import MAX_SIDE
from minesweeper.scripts.web.settings import MAX_PAGE_SEED, MAX_PAGE_SIDE

ROOT = Path(__file__).parents[1]
PACKAGES = ("player", "db", "generator", "scripts")
"""Lowest first: a package imports itself and the packages before it."""
FLOORS = ("version", "core", "kernel_api", "parallel", "logic", "render", "see", "play", "gems")
"""The parts of `player`, lowest first, with the same rule."""
DRAWN = {(name, "player.render.svg") for name in ("player.core.board", "player.core.game", "player.logic.deduction")}
"""Notebooks draw a value by its own method, which loads the drawing on first use."""
KERNEL = ROOT / "player" / "kernel"
LAYERS = ("base", "planes", "logic", "count", "search", "explain", "make", "see", "api")
"""The folders of the kernel, lowest first: a file includes its own layer and the layers before it."""


def modules() -> dict[str, Path]:
    """Return the file of every module, by the module's name without ``minesweeper.``."""
    files = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    return {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in files}


@cache
def imported_names(name: str, source: str) -> tuple[str, ...]:
    """Return the full names that a module imports, in functions too."""
    found: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} has a relative import"
            found += [f"{node.module or ''}.{alias.name}" for alias in node.names]
    return tuple(found)


def imports(sources: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield pairs of modules of the toolkit: the one that imports, and the one that it imports."""
    for name, source in sources.items():
        for imported in imported_names(name, source):
            parts = imported.removeprefix("minesweeper.").split(".") if imported.startswith("minesweeper.") else []
            while parts and ".".join(parts) not in sources and parts[-1] != "_kernel":
                parts.pop()
            if parts:
                yield name, ".".join(parts)


def unit(module: str) -> str:
    """Return the file or folder right below the package that a module belongs to."""
    return ".".join(module.split(".")[:2])


def violations(sources: dict[str, str]) -> list[str]:
    """Describe all violations of the rules in modules, given by name and source text."""
    found = []
    graph: dict[str, set[str]] = {}
    for name, imported in imports(sources):
        package, other = name.split(".")[0], imported.split(".")[0]
        if imported.endswith("_kernel"):
            if name != "player.kernel_api":
                found.append(f"{name} imports the kernel; only player.kernel_api may")
            continue
        if PACKAGES.index(other) > PACKAGES.index(package):
            found.append(f"{name} imports {imported} of a higher package")
        if package == other == "player" and "." in name and "." in imported and (name, imported) not in DRAWN:
            floor, lower = (FLOORS.index(module.split(".")[1]) for module in (name, imported))
            if lower > floor:
                found.append(f"{name} imports {imported} of a higher part of player")
        if unit(imported) == "scripts.dev" != unit(name):
            found.append(f"{name} imports the development tool {imported}")
        if "." in name:
            if imported == package:
                found.append(f"{name} imports the public API of its own package")
            graph.setdefault(name, set()).add(imported)
    try:
        tuple(TopologicalSorter(graph).static_order())
    except CycleError as error:
        found.append("import cycle: " + " <- ".join(error.args[1]))
    return found


def sources() -> dict[str, str]:
    return {name: path.read_text(encoding="utf-8") for name, path in modules().items()}


def test_imports_follow_the_rules() -> None:
    assert violations(sources()) == []


@pytest.mark.parametrize(
    ("module", "text", "violation"),
    [
        ("player.core.board", "from minesweeper.db.store import Store", "of a higher package"),
        ("db.file", "def late():\n    import minesweeper.generator.pipeline", "of a higher package"),
        ("player.core.grid", "from minesweeper.player.logic import closure", "of a higher part of player"),
        ("player.core.board", "def late():\n    from minesweeper.player.core.game import Game", "import cycle"),
        ("player.logic.clauses", "def late():\n    from minesweeper.player.logic.sat import conflict", "import cycle"),
        ("player.core.game", "from minesweeper.player import _kernel", "imports the kernel"),
        ("player.core.game", "from minesweeper.player import Board", "public API of its own package"),
        ("scripts.console.arena", "from minesweeper.scripts.dev.bench import main", "development tool"),
    ],
)
def test_every_violation_is_found(module: str, text: str, violation: str) -> None:
    changed = sources()
    changed[module] += f"\n{text}\n"
    assert any(violation in found for found in violations(changed))


def includes_of_higher_layers(sources: dict[str, str]) -> list[str]:
    """Describe the includes of the kernel's files, given by name and source text, that break the order of layers."""
    return [
        f"{name} includes {included}"
        for name, source in sources.items()
        for included in re.findall(r'^#include "(.+)"', source, re.MULTILINE)
        if included not in sources or LAYERS.index(included.split("/")[0]) > LAYERS.index(name.split("/")[0])
    ]


def test_the_kernel_includes_its_own_layer_and_lower_ones() -> None:
    files = {path.relative_to(KERNEL).as_posix(): path.read_text("utf-8") for path in KERNEL.rglob("*.[ch]*")}
    assert includes_of_higher_layers(files) == []
    files["logic/closure.cpp"] += '\n#include "count/counts.hpp"\n#include "closure.hpp"\n'
    assert len(includes_of_higher_layers(files)) == 2


@pytest.mark.parametrize(
    ("path", "definition", "limit"),
    [
        ("player/kernel/base/grid.hpp", r"kMaxSide = (\d+);", MAX_SIDE),
        ("scripts/web/static/kernel/grids.js", r"const MAX_SIDE = (\d+);", MAX_SIDE),
        ("db/schema.sql", r"(?:rows|cols) BETWEEN 1 AND (\d+)", MAX_SIDE),
        ("scripts/web/static/js/core/sizes.js", r"const MAX_PAGE_SIDE = (\d+);", MAX_PAGE_SIDE),
    ],
)
def test_a_limit_is_the_same_in_every_language(path: str, definition: str, limit: int) -> None:
    found = re.findall(definition, (ROOT / path).read_text(encoding="utf-8"))
    assert set(map(int, found)) == {limit}


def test_seeds_of_the_page_are_whole_numbers_of_javascript() -> None:
    assert MAX_PAGE_SEED == 2**53 - 1
