"""Build the kernel for browsers and Node: ``scripts/web/static/kernel/kernel.wasm``, from the sources of player/kernel.

The compiler is the Clang of PyPI's ziglang, of the version below, so that every machine builds the same bytes.
"""

from __future__ import annotations

import gzip
import importlib.util
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

import click

ROOT: Final = Path(__file__).parents[2]
BUILT: Final = ROOT / "scripts/web/static/kernel/kernel.wasm"
REQUIREMENT: Final = "ziglang==0.17.1"
_THREADED: Final = ("rollout",)
_SMALL: Final = (
    *("cells", "chain", "closed_sets", "counterexample", "deciding", "difficulty", "effort", "engine"),
    *("finding", "games", "glyphs", "hints", "judging", "lattice", "layouts", "library", "metrics"),
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


def functions() -> list[str]:
    """List the functions that index.js calls: those of the C interface, and two of the C library."""
    calls = re.findall(r'#call\(\s*"(\w+)"|wasm\.mines_(\w+)', (BUILT.parent / "index.js").read_text())
    return ["malloc", "free", *(f"mines_{name}" for name in sorted({"".join(call) for call in calls}))]


def build(out: Path) -> None:
    """Compile the kernel to a WebAssembly module. Raises `CalledProcessError` with the messages of the compiler."""
    kernel = ROOT / "player/kernel"
    sources = [path for path in kernel.rglob("*.cpp") if path.stem != "python"]
    # The linker keeps the first copy of a function of a template, so the small ones come first.
    sources.sort(key=lambda path: (path.stem not in _SMALL, path))
    compiler = (sys.executable, "-m", "ziglang", "c++", *_TARGET)
    with tempfile.TemporaryDirectory() as folder:
        objects = []
        for path in [path for path in sources if path.stem not in _THREADED]:
            objects.append(f"{folder}/{path.stem}.o")
            level, source = "-Os" if path.stem in _SMALL else "-O3", str(path.relative_to(kernel))
            command = [*compiler, *_COMPILED, "-I.", level, source, "-o", objects[-1]]
            subprocess.run(command, cwd=kernel, check=True)
        exported = [f"-Wl,--export={name}" for name in functions()]
        subprocess.run([*compiler, *_LINKED, *exported, *objects, "-o", str(out)], check=True)


@click.command()
@click.option("--check", is_flag=True, help="Build in a temporary folder, and fail if the file in git differs.")
def main(check: bool) -> None:
    """Build the kernel for browsers and Node. Needs pip install ziglang==0.17.1."""
    if importlib.util.find_spec("ziglang") is None:
        raise click.ClickException(f"no compiler; expected PyPI's ziglang: pip install {REQUIREMENT}")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / BUILT.name
        build(out)
        built = out.read_bytes()
    if check and built != BUILT.read_bytes():
        raise click.ClickException(f"{BUILT.relative_to(ROOT)} is not built from these sources; run {sys.argv[0]}")
    if not check:
        BUILT.write_bytes(built)
    print(f"{BUILT.relative_to(ROOT)}: {len(built):,} bytes, {len(gzip.compress(built, 9, mtime=0)):,} gzipped")


if __name__ == "__main__":
    main()
