from .certify import Certificate as Certificate, certify as certify
from .filters import PuzzleFilter as PuzzleFilter
from .pipeline import Limits as Limits, Summary as Summary, generate as generate
from .proving import find_first_click as find_first_click
from .rated_puzzles import RatedPuzzle as RatedPuzzle, puzzles as puzzles
from .repair import repair as repair
from .screening import (
    FoundPuzzle as FoundPuzzle,
    Screening as Screening,
    screen as screen,
    screen_range as screen_range,
)
from .search import Task as Task
