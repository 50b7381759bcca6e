"""Write the C library as files that a project can take as they are: ``minesweeper.cpp`` and its header.

python scripts/dev/amalgamate.py --out FOLDER
g++ -std=c++17 -O2 -pthread -c minesweeper.cpp

``minesweeper.hpp`` has handles for C++20.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import click

KERNEL: Final = Path(__file__).resolve().parents[2] / "player" / "kernel"
HEADER: Final = KERNEL / "api" / "minesweeper.h"
_INCLUDE: Final = re.compile(r'^#include "(.+)"\n', re.MULTILINE)
_ONCE: Final = re.compile(r"^#pragma once\n", re.MULTILINE)


def amalgamated() -> str:
    """Return all sources of the library as one file: each header where it is first included, then the sources."""
    sources = sorted(path for path in KERNEL.rglob("*.cpp") if path.name != "python.cpp")
    done = {HEADER}

    def text_of(path: Path) -> str:
        def included(match: re.Match[str]) -> str:
            places = [folder / match[1] for folder in (path.parent, KERNEL)]
            header = next(place.resolve() for place in places if place.exists())
            if header in done:
                return ""
            done.add(header)
            return text_of(header)

        return f"// {path.relative_to(KERNEL)}\n{_INCLUDE.sub(included, _ONCE.sub('', path.read_text()))}"

    return '#include "minesweeper.h"\n' + "".join(map(text_of, sources))


def write(folder: Path) -> None:
    """Write the files into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "minesweeper.cpp").write_text(amalgamated())
    for header in (HEADER, HEADER.with_suffix(".hpp")):
        (folder / header.name).write_text(header.read_text())


@click.command(help=__doc__)
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), required=True, help="The folder of the files.")
def main(out: Path) -> None:
    """Write the files."""
    write(out)


if __name__ == "__main__":
    main()
