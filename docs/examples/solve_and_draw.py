"""Solve a position and draw it.

Everything that follows from the clues and the number of mines is in two arrays, with the exact probability of a mine in
every other cell; `explanation` derives it step by step. The drawing marks the cell to open. A notebook draws boards,
views and puzzles by itself.

![The position](position.svg)
"""

from pathlib import Path

from minesweeper.player import View, explanation, solve
from minesweeper.player.svg import draw_svg

found = solve(View.from_text("5x8/9\n########\n#3223###\n#1002#31\n#2101110\n##100000"))
print(found)
print(found.chances)
for step in explanation(found.view):
    print(step.in_words())
Path("position.svg").write_text(draw_svg(found.view.cells, found.view.name, marked=found.best), encoding="utf-8")
