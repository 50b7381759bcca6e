"""Solve a position and draw it.

`solve` finds all cells whose value follows from the clues and the number of mines, and the exact probability of a mine
in every other cell. `explanation` derives them step by step. The drawing marks the cell to open. Notebooks draw
boards, views and puzzles automatically.

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
