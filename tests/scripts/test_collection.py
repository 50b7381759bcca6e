"""scripts/dev/collection.py builds the same files again, and docs/checker/check_collection.py finds planted faults."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet

from minesweeper.scripts.dev.collection import FIRST_SEED, SEEDS_OF_SPLIT, main, shards_of, size_category, sums

SHARD = "train-9x9-10-00000"


def build(folder: Path) -> Path:
    main([str(folder), "--count", "200", "--date", "2026-01-01", "--workers", "1"], standalone_mode=False)
    return folder


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("first") / "collection")


def check(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-B", "-P", str(folder / "check_collection.py"), str(folder), "5"]
    return subprocess.run(command, capture_output=True, text=True, env={"PYTHONPATH": str(folder)})


def test_a_collection_has_equal_files_when_it_is_built_again(built: Path, tmp_path: Path) -> None:
    again = build(tmp_path / "again")
    assert (again / "SHA256SUMS").read_text() == (built / "SHA256SUMS").read_text()
    (again / f"data/{SHARD}.parquet").unlink()
    build(again)
    assert sums(again) == sums(built)


def test_the_category_is_a_decade() -> None:
    found = [size_category(total) for total in (999, 1000, 99_999, 10**6, 10**7, 2 * 10**9)]
    assert found == ["n<1K", "1K<n<10K", "10K<n<100K", "1M<n<10M", "10M<n<100M", "1B<n<10B"]


def test_the_checker_needs_no_toolkit_and_accepts_it(built: Path) -> None:
    done = check(built)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("21 checksums of 200 puzzles, ")


def with_other(column: str, change: Callable[[Any], Any]) -> Callable[[Path], None]:
    """Return a function that changes a column of all rows of a shard."""

    def plant(folder: Path) -> None:
        path = folder / f"data/{SHARD}.parquet"
        table = parquet.read_table(path)
        values = pyarrow.array([change(value) for value in table[column].to_pylist()], table[column].type)
        parquet.write_table(table.set_column(table.schema.names.index(column), column, values), path)

    return plant


def with_other_path(folder: Path) -> None:
    path = folder / f"sample/{SHARD}.jsonl"
    first, *others = path.read_text().splitlines()
    steps = json.loads(first)
    steps["steps"][0]["clues"] = steps["steps"][0]["clues"][1:]
    path.write_text("\n".join([json.dumps(steps), *others]) + "\n")


@pytest.mark.parametrize(
    ("plant", "cause"),
    [
        (with_other("bbbv", lambda value: value + 1), "expected {'bbbv'"),
        (with_other("mine_bits", lambda value: value[::-1]), "first click|expected|path of"),
        (with_other("seed", lambda value: value + SEEDS_OF_SPLIT), "the seed"),
        (with_other_path, "step 1"),
        (with_other_path, "checksum"),
    ],
)
def test_the_checker_finds_a_wrong_value(
    built: Path, tmp_path: Path, plant: Callable[[Path], None], cause: str
) -> None:
    folder = tmp_path / "collection"
    subprocess.run(["cp", "-r", built, folder], check=True)
    plant(folder)
    if cause != "checksum":
        (folder / "SHA256SUMS").write_text(sums(folder))
    done = check(folder)
    assert done.returncode == 1
    assert any(word in done.stderr for word in cause.split("|")), done.stderr


def test_seeds_of_splits_and_days_do_not_overlap() -> None:
    seeds = [shard.seed for date in ("2026-01-01", "2026-01-02", "9999-12-31") for shard in shards_of(10**7, date)]
    assert len(seeds) == len(set(seeds)) >= 600
    assert FIRST_SEED <= min(seeds) <= max(seeds) < 2**63
    assert sum(shard.count for shard in shards_of(10**7, "2026-01-01")) == 10**7


def test_the_card_names_every_column(built: Path) -> None:
    text = (built / "README.md").read_text()
    names = parquet.read_schema(built / f"data/{SHARD}.parquet").names
    assert all(f"| `{name}` |" in text for name in names)
    assert {"difficulty", "bbbv", "certificate"} <= set(names)
