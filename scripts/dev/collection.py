"""Build a dated collection of certified no-guess puzzles, for publication: Parquet shards with measures, a card,
checksums, and a checker that needs none of this code.

    python scripts/dev/collection.py minesweeper-2026-01-01 --date 2026-01-01 --count 100000

The files depend only on the options, the toolkit and the version of pyarrow. An interrupted build continues when the
command runs again.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import shutil
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, islice
from pathlib import Path
from string import Template
from typing import Final

import click

from minesweeper.db.columns import MEASURES, PUZZLE_COLUMNS
from minesweeper.db.formats import parquet
from minesweeper.db.tables import tables_of
from minesweeper.generator.rated_puzzles import puzzles
from minesweeper.player.core.difficulty import WORDS
from minesweeper.player.core.recipe import Recipe
from minesweeper.player.logic.path import solution_path
from minesweeper.player.parallel.processes import start_method
from minesweeper.player.version import VERSION

CHECKERS: Final = Path(__file__).resolve().parents[2] / "docs/checker"
CARD: Final = Path(__file__).with_name("collection_card.txt")
SHARES: Final = {"9x9/10": 2, "16x16/40": 3, "16x30/99": 5}
"""Of each ten puzzles."""
SPLITS: Final = {"train": 18, "validation": 1, "test": 1}
"""Of each twenty puzzles."""
FIRST_SEED: Final = 2**62
"""Lower seeds are for other uses: the bundled tasks for language models have seed 1."""
SEEDS_OF_SPLIT: Final = 2**40
SEEDS_OF_DAY: Final = 10_000
SHARD: Final = 50_000
SAMPLED: Final = 10
"""Solution paths of the first puzzles of each shard."""
KEYS: Final = (
    *("id", "canonical_id", "rows", "cols", "mines", "first_row", "first_col", "start", "mine_bits"),
    *("steps_1_clue", "steps_2_clues", "steps_more_clues", "steps_mine_count", "clues_at_once"),
    *("difficulty", "difficulty_word", *MEASURES, "seed", "sample_index", "certificate"),
)
COLUMNS: Final = [column for column in PUZZLE_COLUMNS if column.name in KEYS]


@dataclass(frozen=True)
class Shard:
    """A file of a collection: the first `count` puzzles of a recipe."""

    split: str
    board: str
    seed: int
    count: int
    name: str


def shards_of(count: int, date: str) -> list[Shard]:
    """Divide `count` puzzles of a date, YYYY-MM-DD, into shards, each with a seed of its own."""
    shards = []
    for number, (split, of_twenty) in enumerate(SPLITS.items()):
        seed = FIRST_SEED + number * SEEDS_OF_SPLIT + int(date.replace("-", "")) * SEEDS_OF_DAY
        for board, of_ten in SHARES.items():
            left = count * of_ten * of_twenty // 200
            for part in range(-(-left // SHARD)):
                name = f"data/{split}-{board.replace('/', '-')}-{part:05}.parquet"
                shards.append(Shard(split, board, seed, min(SHARD, left - part * SHARD), name))
                seed += 1
    return shards


def build(folder: Path, shard: Shard) -> None:
    """Write a shard and its sample of solution paths, unless they are there."""
    path, sample = folder / shard.name, folder / shard.name.replace("data/", "sample/").replace(".parquet", ".jsonl")
    if path.exists():
        return
    found = puzzles(Recipe(shard.board, seed=shard.seed), shard.count)
    first = list(islice(found, SAMPLED))
    with sample.open("w", encoding="ascii") as lines:
        for puzzle in first:
            lines.write(json.dumps({"id": puzzle.id, **solution_path(puzzle).to_json()}, separators=(",", ":")) + "\n")
    records = (puzzle.record for puzzle in chain(first, found))
    parquet.write_file(tables_of(records), path.with_suffix(".part"), columns=[one.name for one in COLUMNS])
    path.with_suffix(".part").rename(path)


def repeated(folder: Path, column: str) -> int:
    """Return the number of rows whose value of a column an earlier row has."""
    _, files = parquet.pyarrow()
    table = files.read_table(folder / "data", columns=[column])
    return int(table.num_rows - len(table[column].unique()))


def size_category(total: int) -> str:
    """Return the category of a number of rows on Hugging Face, which are decades."""
    names = ["n<1K", "1K", "10K", "100K", "1M", "10M", "100M", "1B", "10B"]
    decade = max(0, len(str(total)) - 3)
    return names[0] if decade == 0 else f"{names[decade]}<n<{names[decade + 1]}"


def card(folder: Path, shards: list[Shard], date: str) -> str:
    """Return the README of a collection."""
    counts: Counter[tuple[str, str]] = Counter()
    for shard in shards:
        counts[shard.board, shard.split] += shard.count
    total = sum(counts.values())
    fields = "".join(f"| `{one.name}` | {one.type.__name__} | {one.meaning} |\n" for one in COLUMNS)
    fields = fields.replace("| bytes |", "| str |").replace(
        "most significant bit first", "most significant first, in hex"
    )
    sizes = "".join(
        f"| {board} | " + " | ".join(f"{counts[board, split]:,}" for split in SPLITS) + " |\n" for board in SHARES
    )
    files = "".join(f'      - split: {split}\n        path: "data/{split}-*.parquet"\n' for split in SPLITS)
    seeds = "".join(
        f"* {split}: {min(found)} to {max(found)}\n"
        for split in SPLITS
        if (found := [shard.seed for shard in shards if shard.split == split])
    )
    return Template(CARD.read_text(encoding="utf-8")).substitute(
        date=date,
        category=size_category(total),
        files=files,
        puzzles=f"{total:,}",
        splits=" | ".join(SPLITS),
        rule=" | ".join("---" for _ in SPLITS),
        sizes=sizes,
        fields=fields,
        version=VERSION,
        arrow=parquet.pyarrow()[0].__version__,
        words=", ".join(f"{word} from {least:g}" for word, least in WORDS.items()),
        total=total,
        equal=repeated(folder, "id"),
        alike=repeated(folder, "canonical_id"),
        seeds=seeds,
        first_seed=FIRST_SEED,
    )


def sums(folder: Path) -> str:
    """Return the SHA-256 of every file of a collection, in the form of sha256sum."""
    names = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "SHA256SUMS")
    return "".join(
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder).as_posix()}\n" for path in names
    )


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--count", type=click.IntRange(200), default=10_000_000, show_default=True, help="Puzzles.")
@click.option("--date", type=click.DateTime(["%Y-%m-%d"]), required=True, help="Date, which determines the seeds.")
@click.option("--workers", type=click.IntRange(1), help="Processes; by default one for each core.")
def main(folder: Path, count: int, date: datetime, workers: int | None) -> None:
    """Build a collection of certified no-guess puzzles in FOLDER."""
    day = date.strftime("%Y-%m-%d")
    shards = shards_of(count, day)
    for name in ("data", "sample"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    with multiprocessing.get_context(start_method()).Pool(workers) as pool:
        pool.starmap(build, [(folder, shard) for shard in shards], chunksize=1)
    for name in ("check_collection.py", "check_path.py"):
        shutil.copyfile(CHECKERS / name, folder / name)
    (folder / "README.md").write_text(card(folder, shards, day), encoding="utf-8")
    text = sums(folder)
    (folder / "SHA256SUMS").write_text(text, encoding="ascii")
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(f"{sum(shard.count for shard in shards):,} puzzles in {len(shards)} shards, {size:,} bytes")
    print(f"SHA-256 of SHA256SUMS: {hashlib.sha256(text.encode()).hexdigest()}")


if __name__ == "__main__":
    main()
