"""Fuzz a parser by coverage, with atheris (the extra ``fuzz``): ``python tests/fuzz/fuzz.py jsonl --seconds 3600``.

Without a name, all parsers are fuzzed in turn. An unexpected exception ends the run and writes its input to a file. Add
that file to the corpus together with the fix.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import ModuleType

import atheris


class Sources(MetaPathFinder):
    """Finder that loads every module of the toolkit from its source.

    atheris cannot instrument modules from the loaders of an editable installation.
    """

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name.partition(".")[0] != "minesweeper":
            return None
        others = sys.meta_path[sys.meta_path.index(self) + 1 :]
        found = (finder.find_spec(name, path, target) for finder in others)
        spec = next((spec for spec in found if spec is not None), None)
        if spec is not None and spec.origin is not None and spec.origin.endswith(".py"):
            spec.loader = SourceFileLoader(name, spec.origin)
        return spec


sys.meta_path.insert(0, Sources())
sys.path.append(str(Path(__file__).parents[1] / "db"))  # for sample_records
# The YAML parser is Python code, too.
with atheris.instrument_imports(include=["minesweeper", "parsers", "yaml"]):
    import yaml as yaml
    from parsers import NAMED, PARSERS, corpus, lacking, parse


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("parsers", nargs="*", metavar="PARSER", help=f"one of {', '.join(PARSERS)}; default: all")
    reader.add_argument("--seconds", type=int, default=60, help="time for each parser (default 60)")
    options = reader.parse_args()
    names = options.parsers or list(PARSERS)
    if unknown := set(names) - set(PARSERS):
        reader.error(f"unknown parser {', '.join(unknown)}; parsers: {', '.join(PARSERS)}")
    if len(names) == 1:
        fuzz(names[0], options.seconds)
    # libFuzzer ends its process, so each parser gets its own.
    failed = [
        name
        for name in names
        if subprocess.run([sys.executable, __file__, name, "--seconds", str(options.seconds)], check=False).returncode
    ]
    sys.exit(f"unexpected exceptions in {', '.join(failed)}" if failed else 0)


def fuzz(name: str, seconds: int) -> None:
    """Fuzz one parser for some seconds."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as elsewhere:
        packs = lacking(name, Path(elsewhere)) if name in NAMED else ()
        for number, kept in enumerate([*corpus(name, Path(elsewhere)), *packs]):
            (Path(folder) / str(number)).write_bytes(kept)
        limits = ["-timeout=60", "-rss_limit_mb=4096", f"-artifact_prefix={name}.found-"]
        arguments = [sys.argv[0], folder, f"-max_total_time={seconds}", "-print_final_stats=1", *limits]
        atheris.Setup(arguments, lambda data: parse(name, data))
        atheris.Fuzz()


if __name__ == "__main__":
    main()
