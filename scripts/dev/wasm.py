"""Build the kernel for browsers and Node: the modules of ``scripts/web/static/kernel``, from player/kernel.

``more.wasm`` has the functions that few games need, so that pages load them later or not at all. ``deal.wasm`` has
those of a game that deals boards and gives hints, and little code for them: see ``MINES_SMALL`` in the sources.

The compiler is the Clang of PyPI's ziglang, of the version below, so that every machine builds the same bytes.
"""

from __future__ import annotations

import gzip
import importlib.util
import itertools
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

import click

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = ROOT / "scripts/web/static/kernel"
_MORE: Final = ("read_picture", "board_read", "fewest_clicks")
_DEAL: Final = (
    *(
        "room",
        "sample",
        "search",
        "set_view",
        "set_range",
        "closure",
        "find_hint",
        "find_path",
        "step",
        "explain",
        "open",
    ),
    "chord",
)
REQUIREMENT: Final = "ziglang==0.17.1"
_THREADED: Final = ("rollout",)
_NOT_DEAL: Final = ("count", "search", "see")
"""Layers that ``deal.wasm`` does without."""
_SMALL: Final = (
    *("cells", "chain", "chord_problem", "closed_sets", "counterexample", "deciding", "difficulty", "effort", "engine"),
    *("fewest_clicks", "finding", "games", "glyphs", "hints", "judging", "lattice", "layouts", "library", "metrics"),
    *("mine_swap", "optimal", "path", "proof_clauses", "puzzle_ids", "reading", "reasons", "recording"),
    *("repair", "rules", "screening", "sentences", "view", "view_solver"),
)
"""Compiled for size: the search for boards and the games of strategies spend little time in them, or none."""
_TARGET: Final = ("-target", "wasm32-wasi", "-g0")
_COMPILED: Final = (
    "-c",
    "-std=c++17",
    "-msimd128",
    "-fno-exceptions",
    "-fno-rtti",
    "-Wall",
    "-Wextra",
    "-Wshadow",
    "-Werror",
)
_LINKED: Final = ("-mexec-model=reactor", "-O3", "-Wl,--strip-all", "-Wl,--gc-sections", "-Wl,-z,stack-size=1048576")


def functions() -> dict[str, list[str]]:
    """Return the functions that kernel.js calls, by their modules: of the C interface, two of the C library."""
    text = (PACKAGE / "kernel.js").read_text()
    always, calls = set(re.findall(r"wasm\.mines_(\w+)", text)), set(re.findall(r'#call\(\s*"(\w+)"', text))
    chosen = {"kernel.wasm": calls.difference(_MORE), "more.wasm": calls.intersection(_MORE), "deal.wasm": set(_DEAL)}
    return {
        module: ["malloc", "free", *(f"mines_{name}" for name in sorted(names | always))]
        for module, names in chosen.items()
    }


def build(folder: Path) -> None:
    """Compile the kernel to WebAssembly modules. Raises `CalledProcessError` with the messages of the compiler."""
    kernel = ROOT / "player/kernel"
    sources = [path for path in kernel.rglob("*.cpp") if path.stem not in ("python", *_THREADED)]
    # The linker keeps the first copy of a function of a template, so the small ones come first.
    sources.sort(key=lambda path: (path.stem not in _SMALL, path))
    compiler = (sys.executable, "-m", "ziglang", "c++", *_TARGET)
    with tempfile.TemporaryDirectory() as compiled:
        objects: dict[bool, list[str]] = {False: [], True: []}
        for path, is_deal in itertools.product(sources, objects):
            if is_deal and path.parent.name in _NOT_DEAL:
                continue
            objects[is_deal].append(f"{compiled}/{path.stem}-{is_deal}.o")
            level = ("-Oz", "-DMINES_SMALL") if is_deal else ("-Os",) if path.stem in _SMALL else ("-O3",)
            command = [*compiler, *_COMPILED, "-I.", *level, str(path.relative_to(kernel)), "-o", objects[is_deal][-1]]
            subprocess.run(command, cwd=kernel, check=True)
        for module, names in functions().items():
            linked = [*(f"-Wl,--export={name}" for name in names), *objects[module == "deal.wasm"]]
            subprocess.run([*compiler, *_LINKED, *linked, "-o", str(folder / module)], check=True)


@click.command()
@click.option("--check", is_flag=True, help="Build in a temporary folder, and fail if a file in git differs.")
def main(check: bool) -> None:
    """Build the kernel for browsers and Node. Needs pip install ziglang==0.17.1."""
    if importlib.util.find_spec("ziglang") is None:
        raise click.ClickException(f"no compiler; expected PyPI's ziglang: pip install {REQUIREMENT}")
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder))
        for name in functions():
            built, kept = (Path(folder) / name).read_bytes(), PACKAGE / name
            shown = kept.relative_to(ROOT)
            if check and built != kept.read_bytes():
                raise click.ClickException(f"{shown} is not built from these sources; run {sys.argv[0]}")
            if not check:
                kept.write_bytes(built)
            print(f"{shown}: {len(built):,} bytes, {len(gzip.compress(built, 9, mtime=0)):,} gzipped")


if __name__ == "__main__":
    main()
