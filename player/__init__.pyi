from .core.board import (
    HIDDEN as HIDDEN,
    Board as Board,
    Puzzle as Puzzle,
    View as View,
)
from .core.errors import (
    BoardError as BoardError,
    ConfigError as ConfigError,
    EngineError as EngineError,
    FormatError as FormatError,
    InconsistentView as InconsistentView,
    MinesweeperError as MinesweeperError,
    OutOfTime as OutOfTime,
    StrategyError as StrategyError,
    TooWide as TooWide,
)
from .core.game import Game as Game, Status as Status
from .core.grid import Cell as Cell, CellLike as CellLike, Grid as Grid
from .core.limits import time_limit as time_limit
from .core.recipe import Recipe as Recipe, StartRule as StartRule, standard_presets as standard_presets
from .core.results import GameResult as GameResult, Move as Move, PuzzleList as PuzzleList
from .core.steps import Tally as Tally, Tier as Tier
from .kernel_api import mine_maps as mine_maps
from .logic import (
    Deductions as Deductions,
    closure as closure,
)
from .logic.bulk import (
    Positions as Positions,
    SolvedViews as SolvedViews,
    positions as positions,
    solve_many as solve_many,
)
from .logic.difficulty import difficulty as difficulty
from .logic.formula import ViewFormula as ViewFormula, cnf as cnf
from .logic.metrics import Metrics as Metrics, metrics as metrics
from .logic.paper import PaperForm as PaperForm, paper_form as paper_form, paper_forms as paper_forms
from .logic.path import (
    SolutionPath as SolutionPath,
    solution_path as solution_path,
    solution_paths as solution_paths,
)
from .logic.probability import (
    Probabilities as Probabilities,
    count_layouts as count_layouts,
    probabilities as probabilities,
    sample_layouts as sample_layouts,
)
from .logic.reasons import counterexample as counterexample, explanation as explanation, reason as reason
from .play.analysis import Analysis as Analysis, Solved as Solved, analyse as analyse, solve as solve
from .play.click_rows import click_rows as click_rows
from .play.comparison import Comparison as Comparison, compare as compare
from .play.games import play as play, play_many as play_many
from .play.judgement import Judgement as Judgement, Verdict as Verdict, judge as judge
from .play.kaboom import Kaboom as Kaboom, Rules as Rules
from .play.recorded_games import (
    GameReview as GameReview,
    Recording as Recording,
    read_recording as read_recording,
    review_recording as review_recording,
)
from .play.strategies import Knowledge as Knowledge, Strategy as Strategy
from .play.strategies.loading import load_strategy as load_strategy
