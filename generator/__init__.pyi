from .certify import certify as certify
from .filters import PuzzleFilter as PuzzleFilter
from .pipeline import Limits as Limits, generate as generate
from .rated_puzzles import deal as deal, puzzles as puzzles, save as save
from .search import Task as Task
