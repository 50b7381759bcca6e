"""Check a collection of puzzles without a solver: python check_collection.py FOLDER [PUZZLES OF EACH SHARD]

Compares the checksums, recomputes what the mines determine in a random sample of puzzles, and checks the solution paths
in sample/ by check_path.py. Needs pyarrow.
"""

import hashlib
import json
import random
import sys
from pathlib import Path

from check_path import check
from pyarrow import parquet


def board_of(row):
    """Return the mines of a row: {cell: is a mine}."""
    bits = bytes.fromhex(row["mine_bits"])
    cells = [(r, c) for r in range(row["rows"]) for c in range(row["cols"])]
    return {cell: bool(bits[i // 8] >> (7 - i % 8) & 1) for i, cell in enumerate(cells)}


def opened(board, near, clues, first):
    """Return the cells that a click opens."""
    found, waiting = {first}, [first]
    while waiting:
        for cell in near[waiting.pop()] if clues[first] == 0 else ():
            if cell not in found:
                found.add(cell)
                waiting += [cell] if clues[cell] == 0 else []
    return found


def measured(row):
    """Recompute the columns that the mines and the first click determine."""
    board, first = board_of(row), (row["first_row"], row["first_col"])
    near = {(r, c): board.keys() & {(r + i, c + j) for i in (-1, 0, 1) for j in (-1, 0, 1)} for r, c in board}
    clues = {cell: sum(board[other] for other in near[cell]) for cell in board if not board[cell]}
    if clues.get(first) != 0:
        raise ValueError("the first click is no zero")
    openings, closed = 0, set(clues)
    for cell in clues:
        if clues[cell] == 0 and cell in closed:
            openings += 1
            closed -= opened(board, near, clues, cell)
    first_opening = len(opened(board, near, clues, first))
    return {
        "mines": sum(board.values()),
        "openings": openings,
        "bbbv": openings + len(closed),
        "first_opening": first_opening,
    }


def fail(message):
    """End with a message."""
    sys.exit(f"wrong: {message}")


def check_sample(name, lines, rows):
    """Check solution paths against the rows of their puzzles; return their number."""
    for line in lines:
        path = json.loads(line)
        check(path)
        row = rows[path["id"]]
        board = {(r, c): mark == "*" for r, marks in enumerate(path["board"]) for c, mark in enumerate(marks)}
        if board != board_of(row) or path["first_click"] != [row["first_row"], row["first_col"]]:
            fail(f"{name}: the path of {path['id']} is of another puzzle")
    return len(lines)


def main(folder, most):
    sums = dict(reversed(line.split("  ")) for line in (folder / "SHA256SUMS").read_text().splitlines())
    found = (path for path in folder.rglob("*.*") if "__pycache__" not in path.parts)
    files = {path.relative_to(folder).as_posix(): path for path in found if path.is_file()}
    if files.keys() != sums.keys():
        fail(f"missing or unknown files: {sorted(files.keys() ^ sums.keys())}")
    for name, path in files.items():
        if hashlib.sha256(path.read_bytes()).hexdigest() != sums[name]:
            fail(f"{name} has another checksum")
    splits, rows, checked, paths = {}, 0, 0, 0
    for name in sorted(name for name in files if name.endswith(".parquet")):
        table, split = parquet.read_table(files[name]), name.removeprefix("data/").split("-")[0]
        rows += len(table)
        for seed in table["seed"].unique().to_pylist():
            if splits.setdefault(seed, split) != split:
                fail(f"{name}: {splits[seed]} has the seed {seed}, too")
        for place in random.sample(range(len(table)), min(most, len(table))):
            row = table.slice(place, 1).to_pylist()[0]
            wrong = {key: value for key, value in measured(row).items() if row[key] != value}
            if wrong:
                fail(f"{name}, row {place}: expected {wrong}")
            checked += 1
        sample = name.replace("data/", "sample/").replace(".parquet", ".jsonl")
        first = {row["id"]: row for row in table.slice(0, 100).to_pylist()}
        paths += check_sample(sample, files[sample].read_text().splitlines(), first)
    print(f"{len(files)} checksums of {rows} puzzles, {checked} puzzles and {paths} solution paths are right")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 100)
