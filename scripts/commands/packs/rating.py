"""The commands `packs rate` and `packs stats`: how hard puzzles are, and what is in a database."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

import click

from minesweeper.db.facts import Use, used
from minesweeper.db.records import PuzzleRecord
from minesweeper.db.store import Store
from minesweeper.player.measure.difficulty import WORDS
from minesweeper.player.steps import Tier
from minesweeper.scripts.commands.packs.selection import Selection, selection_options
from minesweeper.scripts.terminal import Command, database_option

_BARS: Final = 10
_BAR: Final = 40
_KINDS: Final = used(Use.COUNTED)
_SPREAD: Final = used(Use.SPREAD)


@click.command(cls=Command, epilog="Example: packs rate --db pack.db")
@database_option
def rate(db: str) -> None:
    """Work out the metrics and the difficulty of the puzzles that lack them, as imported ones do."""
    with Store(db, create=False) as store:
        rated, total = store.rate(), store.count()
    click.echo(f"{rated} of {total} puzzles rated" if rated else f"nothing to do, all {total} puzzles are rated")


@click.command(cls=Command, epilog="Example: packs stats --size 16x30 --start opening")
@selection_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@database_option
def stats(db: str, selection: Selection, as_json: bool) -> None:
    """Sum up puzzles: how many of each kind, and how their metrics and difficulty are spread."""
    summary = Summary()
    with Store(db, create=False) as store:
        for record in selection.puzzles(store):
            summary.add(record)
    click.echo(json.dumps(summary.as_json()) if as_json else "\n".join(summary.lines()))


@dataclass
class Summary:
    """Counts of puzzles by what they are, and of values by how often they occur: its size is that of the counts."""

    puzzles: int = 0
    kinds: dict[str, Counter[str]] = field(default_factory=lambda: {fact.title: Counter() for fact in _KINDS})
    values: dict[str, Counter[int]] = field(default_factory=lambda: {fact.key: Counter() for fact in _SPREAD})

    def add(self, record: PuzzleRecord) -> None:
        """Count one more puzzle."""
        self.puzzles += 1
        measured = record.with_measures()
        for fact in _KINDS:
            if (kind := fact.read(measured)) is not None:
                self.kinds[fact.title][str(kind)] += 1
        for fact in _SPREAD:
            if isinstance(value := fact.read(measured), int | float):
                self.values[fact.key][int(value)] += 1

    def as_json(self) -> dict[str, object]:
        """Return everything as what JSON can hold; the distributions are pairs of value and count."""
        return {
            "puzzles": self.puzzles,
            **{name.replace(" ", "_"): dict(_ordered(name, counts)) for name, counts in self.kinds.items()},
            "distributions": {name: sorted(counts.items()) for name, counts in self.values.items()},
        }

    def lines(self) -> list[str]:
        """Say everything in words, tables and small histograms."""
        lines = [f"{self.puzzles} puzzles"]
        if not self.puzzles:
            return lines
        for name, counts in self.kinds.items():
            lines += ["", name]
            lines += [
                f"  {value:<24}{count:>9}  {count / self.puzzles:7.2%}" for value, count in _ordered(name, counts)
            ]
        for fact in _SPREAD:
            if values := self.values[fact.key]:
                lines += ["", f"{fact.title}: {_spread(values)}", *histogram(values)]
        return lines


def _ordered(name: str, counts: Counter[str]) -> list[tuple[str, int]]:
    """List the counts of a kind: tiers and words from easy to hard, others by how many they are."""
    order: dict[str, list[str]] = {"hardest tier": [tier.title for tier in Tier], "difficulty": list(WORDS)}
    if name in order:
        return [(value, counts[value]) for value in order[name] if counts[value]]
    return counts.most_common()


def _spread(counts: Counter[int]) -> str:
    total = sum(counts.values())
    mean = sum(value * count for value, count in counts.items()) / total
    return f"{min(counts)} to {max(counts)}, median {_median(counts, total)}, mean {mean:.1f}"


def _median(counts: Counter[int], total: int) -> int:
    """Find the middle value, the lower one of two."""
    seen = 0
    for value in sorted(counts):
        seen += counts[value]
        if 2 * seen >= total:
            return value
    raise ValueError("expected at least one value: none")


def histogram(counts: Counter[int]) -> list[str]:
    """Draw counts of whole numbers as at most 10 bars of equal width; the longest has 40 marks."""
    low, high = min(counts), max(counts)
    width = -(-(high - low + 1) // _BARS)
    bars: Counter[int] = Counter()
    for value, count in counts.items():
        bars[(value - low) // width] += count
    most = max(bars.values())
    ranges = [(low + bar * width, low + (bar + 1) * width - 1) for bar in range(max(bars) + 1)]
    names = [f"{first}" if width == 1 else f"{first}-{last}" for first, last in ranges]
    margin = max(map(len, names))
    return [
        f"  {name:>{margin}} {'#' * -(-_BAR * bars[bar] // most):<{_BAR}} {bars[bar]}" for bar, name in enumerate(names)
    ]
