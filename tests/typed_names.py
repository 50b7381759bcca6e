"""A program with every public name, for type checkers and to run."""

from pathlib import Path

import numpy as np

import minesweeper as ms


class Mine(ms.Strategy):
    """The first uncertain cell."""

    name = "mine"

    def choose(self, view: ms.View, knowledge: ms.Knowledge) -> ms.Cell:
        return knowledge.uncertain_cells[0]


def best(found: ms.Solved) -> ms.Cell | None:
    """Return the best cell."""
    return found.best


cells = np.array([[-1, 1, 2, 1, -1], [-1, -1, -1, -1, -1]])
view: ms.View = ms.View(cells, mines=2)
solved: ms.Solved = ms.solve([[-1, 1, 2, 1, -1], [-1, -1, -1, -1, -1]], mines=2)
analysis: ms.Analysis = ms.analyse(["?121F", "?????"], mines=2)
known: ms.Deductions = ms.closure(view)
counted: ms.Probabilities = ms.probabilities(cells.astype(float), mines=2)
judged: ms.Judgement = ms.judge(view, (0, 0))
step: ms.Deduction = ms.reason(view, (0, 0))
recipe: ms.Recipe = ms.Recipe(ms.Grid(9, 9), 10, rule=ms.StartRule.SAFE, seed=7)
puzzle: ms.Puzzle = next(ms.puzzles(ms.Recipe("9x9/10", seed=7), 1))
dealt: ms.Puzzle = ms.deal("expert", click=(3, 4), difficulty="hard")
path: ms.SolutionPath = ms.solution_path(puzzle)
played: ms.Positions = ms.positions(recipe, 3)
guesses: ms.SolvedViews = ms.solve_many([cells], ms.MineRange(1, 4, density=0.2))
many: ms.SolvedViews = ms.solve_many([view, solved, "2x5/2\n?121F\n?????"])
labels: ms.SolvedViews = ms.solve_many(played.views, 10)
game: ms.Game = ms.Game(ms.Board(ms.mine_maps(recipe, range(1))[0]))
opened: list[ms.Cell] = game.open(recipe.click or (4, 4))
playing: bool = game.status is ms.Status.PLAYING
result: ms.GameResult = ms.play(puzzle, Mine())
listed: ms.PuzzleList = ms.PuzzleList([puzzle])
results: list[ms.GameResult] = list(ms.play_many(recipe, 3, "champion"))
compared: ms.Comparison = ms.compare(Mine(), "random", recipe, games=3)
score: float = ms.difficulty(puzzle).score + ms.metrics(puzzle).bbbv
plan: ms.ClickPlan = ms.fewest_clicks(puzzle, (4, 4), time_limit=10)
proofs: int = ms.certify(puzzle).proofs
form: ms.View = ms.paper_form(puzzle)
clauses: int = len(ms.cnf(view).clauses)
kaboom: ms.Kaboom = ms.Kaboom("9x9/10", seed=1)
saved: int = ms.save([puzzle], Path("one.jsonl"))
read: ms.View = ms.read_position(view.to_text())
try:
    seen: list[ms.Reading] = [ms.read_image(np.zeros((9, 9, 3), np.uint8)), *ms.read_boards("shot.png")]
except ms.NoBoardFound as missing:
    print(missing)
hidden: bool = bool((read.cells == ms.HIDDEN).any())
version: str = ms.__version__
with ms.time_limit(60), ms.Store("games.db") as store:
    print(best(solved), store.path, labels.best.shape, many)
for text in ("1x3/1\n#2#", "1x1/9\n#"):
    try:
        ms.solve(text)
    except (ms.InconsistentView, ms.TooWide, ms.OutOfTime) as error:
        print(error)
    except ms.MinesweeperError as error:
        print("no position:", error)
