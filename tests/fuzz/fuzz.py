"""Fuzz a parser by coverage, with atheris (the extra ``fuzz``): ``python tests/fuzz/fuzz.py jsonl --seconds 3600``.

Without a name, all of them in turn. What a parser should not do with some bytes ends this, and the bytes are kept in
the file that it names: put them into the corpus, with the change that mends it.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["minesweeper", "parsers"]):
    from parsers import CORPUS, PARSERS, parse


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("parsers", nargs="*", metavar="PARSER", help=f"of {', '.join(PARSERS)}; all unless given")
    reader.add_argument("--seconds", type=int, default=60, help="for each parser (60)")
    options = reader.parse_args()
    names = options.parsers or list(PARSERS)
    if unknown := set(names) - set(PARSERS):
        reader.error(f"expected a parser of {', '.join(PARSERS)}: {', '.join(unknown)}")
    if len(names) == 1:
        fuzz(names[0], options.seconds)
    # libFuzzer ends the process it works in, so each gets one of its own.
    failed = [
        name
        for name in names
        if subprocess.run([sys.executable, __file__, name, "--seconds", str(options.seconds)], check=False).returncode
    ]
    sys.exit(f"fuzzing found something: {', '.join(failed)}" if failed else 0)


def fuzz(name: str, seconds: int) -> None:
    """Feed a parser for so long; what is found to reach new code is forgotten at the end."""
    with tempfile.TemporaryDirectory() as folder:
        for kept in CORPUS.glob(f"{name}.*"):
            (Path(folder) / kept.name).write_bytes(kept.read_bytes())
        limits = ["-max_len=4096", "-timeout=60", "-rss_limit_mb=4096", f"-artifact_prefix={name}.found-"]
        arguments = [sys.argv[0], folder, f"-max_total_time={seconds}", "-print_final_stats=1", *limits]
        atheris.Setup(arguments, lambda data: parse(name, data))
        atheris.Fuzz()


if __name__ == "__main__":
    main()
