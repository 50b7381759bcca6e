"""Which of the solvable puzzles a run keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from minesweeper.generator.screening import Screening
from minesweeper.player.board import Puzzle
from minesweeper.player.measure.difficulty import WORDS, difficulty
from minesweeper.player.measure.metrics import metrics


@dataclass(frozen=True)
class PuzzleFilter:
    """Conditions that all must hold; None is no condition.

    `difficulty` is a word of `player.measure.difficulty.WORDS`; `needs_mine_count` says whether the number of mines
    must be needed, or must not; `min_bbbv` is the least 3BV, `min_score` the least score of difficulty.
    """

    difficulty: str | None = None
    needs_mine_count: bool | None = None
    min_bbbv: int | None = None
    min_score: int | None = None

    @property
    def name(self) -> str:
        """The conditions as text, empty if there are none; equal texts mean equal conditions."""
        conditions = []
        if self.difficulty is not None:
            # The cuts are named, so that a run begins anew if they are others.
            least = WORDS[self.difficulty]
            below = next((cut for cut in WORDS.values() if cut > least), None)
            cuts = f"from {least:g}" if below is None else f"{least:g} to {below:g}"
            conditions.append(f"{self.difficulty} for its size, {cuts}")
        if self.needs_mine_count is not None:
            conditions.append("with mine count" if self.needs_mine_count else "without mine count")
        if self.min_bbbv is not None:
            conditions.append(f"3BV {self.min_bbbv} or more")
        if self.min_score is not None:
            conditions.append(f"score {self.min_score} or more")
        return ", ".join(conditions)

    @property
    def options(self) -> list[str]:
        """The options of `generate` that ask for this."""
        words = []
        if self.difficulty is not None:
            words += ["--difficulty", self.difficulty]
        if self.needs_mine_count is not None:
            words += ["--needs-mine-count", "yes" if self.needs_mine_count else "no"]
        if self.min_bbbv is not None:
            words += ["--min-3bv", str(self.min_bbbv)]
        if self.min_score is not None:
            words += ["--min-score", str(self.min_score)]
        return words

    def accepts(self, puzzle: Puzzle, screening: Screening) -> bool:
        """Say whether a solvable puzzle is wanted."""
        if self.needs_mine_count is not None and self.needs_mine_count != (screening.tally.mine_count > 0):
            return False
        if self.difficulty is not None or self.min_score is not None:
            rated = difficulty(screening.tally, screening.clues_at_once, puzzle.board.safe_cells)
            if self.difficulty not in (None, rated.word) or rated.score < (self.min_score or 0):
                return False
        return self.min_bbbv is None or metrics(puzzle.board).bbbv >= self.min_bbbv


NO_FILTER: Final = PuzzleFilter()
