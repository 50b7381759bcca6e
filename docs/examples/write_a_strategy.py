"""Write a strategy, and see how many of 1,000 beginner boards it wins.

A strategy is asked only where logic has nothing left to say. It is given what a player sees and what logic knows, and
names the cell to open: here the one farthest from the middle, as what has few neighbours is the likeliest to be a zero.
Saved as a file, the class plays in every command: `autoplay --strategy ./mine.py`.
"""

from minesweeper.player import Cell, Knowledge, Recipe, Strategy, View, play_many


class Corners(Strategy):
    name = "corners"

    def choose(self, view: View, knowledge: Knowledge) -> Cell:
        middle_row, middle_col = view.rows / 2, view.cols / 2
        return max(knowledge.uncertain_cells, key=lambda at: abs(at[0] - middle_row) + abs(at[1] - middle_col))


recipe = Recipe(rows=9, cols=9, mines=10, click=(4, 4), rule="opening", seed=7)
print(sum(result.won for result in play_many(recipe, range(1000), Corners())), "of 1000 games won")
