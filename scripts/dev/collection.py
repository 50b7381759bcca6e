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
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import count as counted_from, islice
from pathlib import Path
from typing import Any, Final

import click

from minesweeper.db.columns import MEASURES, PUZZLE_COLUMNS, WRITTEN
from minesweeper.db.formats.parquet import pyarrow
from minesweeper.generator.pipeline import Task, find_columns
from minesweeper.player.core.board import Board, Puzzle
from minesweeper.player.core.grid import Grid
from minesweeper.player.core.recipe import Recipe
from minesweeper.player.logic.path import solution_path
from minesweeper.player.parallel.processes import start_method
from minesweeper.player.version import VERSION

CHECKERS: Final = Path(__file__).resolve().parents[2] / "docs/checker"
SHARES: Final = {"9x9/10": 2, "16x16/40": 3, "16x30/99": 5}
"""Of each ten puzzles."""
SPLITS: Final = {"train": 18, "validation": 1, "test": 1}
"""Of each twenty puzzles."""
FIRST_SEED: Final = 2**62
"""Lower seeds are for other uses: the bundled tasks for language models have seed 1."""
SEEDS_OF_SPLIT: Final = 2**40
SEEDS_OF_DAY: Final = 10_000
SHARD: Final = 50_000
CANDIDATES: Final = 2000
SAMPLED: Final = 10
"""Solution paths of the first puzzles of each shard."""
KEYS: Final = (
    *("id", "canonical_id", "rows", "cols", "mines", "first_row", "first_col", "start", "board"),
    *("steps_1_clue", "steps_2_clues", "steps_more_clues", "steps_mine_count", "clues_at_once"),
    *("difficulty", "difficulty_word", *MEASURES, "seed", "index", "certificate"),
)
COLUMNS: Final = [column for column in PUZZLE_COLUMNS if column.key in KEYS]
_PLACES: Final = [WRITTEN.index(one.name) for one in COLUMNS]


@dataclass(frozen=True)
class Shard:
    """A file of a collection: the first `count` puzzles of a recipe."""

    split: str
    board: str
    seed: int
    count: int
    name: str

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield its puzzles by column key, without an end."""
        task = Task(Recipe(self.board, seed=self.seed))
        for start in counted_from(0, CANDIDATES):
            for row in zip(*find_columns(task, 0, range(start, start + CANDIDATES)), strict=True):
                values = {one.key: row[place] for one, place in zip(COLUMNS, _PLACES, strict=True)}
                yield {**values, "board": values["board"].hex()}


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
    rows = list(islice(shard.rows(), shard.count))
    with sample.open("w", encoding="ascii") as lines:
        for row in rows[:SAMPLED]:
            board = Board.from_bytes(Grid(row["rows"], row["cols"]), bytes.fromhex(row["board"]))
            steps = solution_path(Puzzle(board, (row["first_row"], row["first_col"]))).to_json()
            lines.write(json.dumps({"id": row["id"], **steps}, separators=(",", ":")) + "\n")
    arrow, parquet = pyarrow()
    types = {int: arrow.int64(), float: arrow.float64()}
    schema = arrow.schema(
        arrow.field(one.key, types.get(one.type, arrow.string()), metadata={"description": one.meaning})
        for one in COLUMNS
    )
    table = arrow.Table.from_pylist(rows, schema=schema)
    parquet.write_table(table, path.with_suffix(".part"), compression="zstd", row_group_size=10_000)
    path.with_suffix(".part").rename(path)


def repeated(folder: Path, column: str) -> int:
    """Return the number of rows whose value of a column an earlier row has."""
    _, parquet = pyarrow()
    table = parquet.read_table(folder / "data", columns=[column])
    return int(table.num_rows - len(table[column].unique()))


def card(folder: Path, shards: list[Shard], date: str) -> str:
    """Return the README of a collection."""
    puzzles: Counter[tuple[str, str]] = Counter()
    for shard in shards:
        puzzles[shard.board, shard.split] += shard.count
    total = sum(puzzles.values())
    fields = "".join(f"| `{one.key}` | {one.type.__name__} | {one.meaning} |\n" for one in COLUMNS)
    fields = fields.replace("| bytes |", "| str |").replace(
        "most significant bit first", "most significant first, in hex"
    )
    sizes = "".join(
        f"| {board} | " + " | ".join(f"{puzzles[board, split]:,}" for split in SPLITS) + " |\n" for board in SHARES
    )
    equal, alike = repeated(folder, "id"), repeated(folder, "canonical_id")
    files = "".join(f'      - split: {split}\n        path: "data/{split}-*.parquet"\n' for split in SPLITS)
    seeds = "".join(
        f"* {split}: {min(found)} to {max(found)}\n"
        for split in SPLITS
        if (found := [shard.seed for shard in shards if shard.split == split])
    )
    return f"""---
license: mit
pretty_name: No-guess Minesweeper puzzles, {date}
tags: [minesweeper, puzzles, logic, reasoning]
size_categories: [{"n<1K" if total < 1000 else "1K<n<1M" if total < 10**6 else "1M<n<100M"}]
configs:
  - config_name: default
    data_files:
{files}---
# No-guess Minesweeper puzzles, {date}

{total:,} Minesweeper puzzles that logic solves from the first click without a guess. Each one is proved.

| board | {" | ".join(SPLITS)} |
| --- | {" | ".join("---" for _ in SPLITS)} |
{sizes}
A board `ROWSxCOLS/MINES` has that size and number of mines. A puzzle is a board with its first click, on a zero.

## Fields

Cells are counted from 0. Values without a unit are numbers of cells, clicks or clues, as their meaning says.

| field | type | meaning |
| --- | --- | --- |
{fields}
The tiers of deductions are one clue, two clues, more clues, and the number of mines on the board.

## How it was made

The Minesweeper toolkit {VERSION} sampled boards with the first click in the centre and kept those that complete logic
solves. SAT proved every step of more than two clues again; `certificate` names the proof. Command:

    python scripts/dev/collection.py FOLDER --date {date} --count {total}

**Uniformity.** The puzzles of a board are a uniform sample, with replacement, of all its solvable boards: each shard
has the solvable ones among consecutive random boards of its seed. No puzzle was changed, chosen or left out. Equal
boards can therefore occur twice, mostly small ones. Here {equal} rows have the board of an earlier row,
and {alike} have it rotated, mirrored or as it is.

**Splits.** Each shard has a seed of its own. The seeds of the splits, and of other dates, do not overlap:

{seeds}
The bundled tasks of the toolkit for language models have seed 1, and tasks that you write have the seed that you
choose. Do not train on seeds from {FIRST_SEED} on if you want to test on this collection.

## Check it

`python check_collection.py .` compares the checksums. It then recomputes clues, openings and 3BV of a random sample,
and checks the solution paths in `sample/` step by step. It needs Python and pyarrow, and nothing of the toolkit.

## Licence

MIT, as the toolkit.
"""


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
