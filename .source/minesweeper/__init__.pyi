from .db import Store as Store, read_position as read_position
from .generator import certify as certify, puzzles as puzzles
from .player import (
    HIDDEN as HIDDEN,
    Board as Board,
    Cell as Cell,
    Game as Game,
    Kaboom as Kaboom,
    Knowledge as Knowledge,
    MinesweeperError as MinesweeperError,
    Puzzle as Puzzle,
    Recipe as Recipe,
    Strategy as Strategy,
    View as View,
    analyse as analyse,
    closure as closure,
    compare as compare,
    difficulty as difficulty,
    judge as judge,
    metrics as metrics,
    mine_maps as mine_maps,
    play as play,
    play_many as play_many,
    positions as positions,
    probabilities as probabilities,
    reason as reason,
    solution_path as solution_path,
    solve as solve,
    solve_many as solve_many,
    time_limit as time_limit,
)

__version__: str
