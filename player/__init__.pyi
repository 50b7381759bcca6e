from .core.board import HIDDEN as HIDDEN, Board as Board, Puzzle as Puzzle, View as View
from .core.errors import (
    InconsistentView as InconsistentView,
    MinesweeperError as MinesweeperError,
    NoBoardFound as NoBoardFound,
    OutOfTime as OutOfTime,
    TooWide as TooWide,
)
from .core.game import Game as Game, Status as Status
from .core.grid import Cell as Cell, Grid as Grid
from .core.limits import time_limit as time_limit
from .core.mine_range import MineRange as MineRange
from .core.recipe import Recipe as Recipe, StartRule as StartRule
from .core.results import GameResult as GameResult, PuzzleList as PuzzleList
from .kernel_api import mine_maps as mine_maps
from .logic import Deductions as Deductions, closure as closure
from .logic.bulk import (
    Positions as Positions,
    SolvedViews as SolvedViews,
    positions as positions,
    solve_many as solve_many,
)
from .logic.cnf import cnf as cnf
from .logic.deduction import Deduction as Deduction
from .logic.difficulty import difficulty as difficulty
from .logic.fewest_clicks import ClickPlan as ClickPlan, fewest_clicks as fewest_clicks
from .logic.metrics import metrics as metrics
from .logic.paper import paper_form as paper_form
from .logic.path import SolutionPath as SolutionPath, solution_path as solution_path
from .logic.probability import (
    Probabilities as Probabilities,
    count_layouts as count_layouts,
    probabilities as probabilities,
)
from .logic.reasons import counterexample as counterexample, explanation as explanation, reason as reason
from .play.analysis import Analysis as Analysis, analyse as analyse
from .play.comparison import Comparison as Comparison, compare as compare
from .play.games import play as play, play_many as play_many
from .play.judgement import Judgement as Judgement, judge as judge
from .play.kaboom import Kaboom as Kaboom
from .play.recorded_games import read_recording as read_recording, review_recording as review_recording
from .play.solving import Solved as Solved, solve as solve
from .play.strategies import Knowledge as Knowledge, Strategy as Strategy
from .see.reading import Reading as Reading, read_boards as read_boards, read_image as read_image
