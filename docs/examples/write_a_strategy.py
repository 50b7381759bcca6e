"""Write a strategy, and count its wins on 1,000 beginner boards.

A strategy chooses a cell where logic finds no safe one. It receives the view and the deductions of logic. This one
opens the cell farthest from the middle, because cells with few neighbours are most likely zeros. Saved as a file, the
class plays in every command: `autoplay --strategy ./mine.py`.
"""

from minesweeper.player import Cell, Knowledge, Recipe, Strategy, View, play_many


class Corners(Strategy):
    name = "corners"

    def choose(self, view: View, knowledge: Knowledge) -> Cell:
        middle_row, middle_col = view.rows / 2, view.cols / 2
        return max(knowledge.uncertain_cells, key=lambda at: abs(at[0] - middle_row) + abs(at[1] - middle_col))


recipe = Recipe(rows=9, cols=9, mines=10, click=(4, 4), rule="opening", seed=7)
print(sum(result.won for result in play_many(recipe, range(1000), Corners())), "of 1000 games won")
