from .certify import Certificate as Certificate, certify as certify
from .filters import PuzzleFilter as PuzzleFilter
from .pipeline import (
    Limits as Limits,
    RatedPuzzle as RatedPuzzle,
    Summary as Summary,
    Task as Task,
    generate as generate,
    puzzles as puzzles,
)
from .proving import find_first_click as find_first_click
from .repair import repair as repair
from .screening import (
    FoundPuzzle as FoundPuzzle,
    Screening as Screening,
    screen as screen,
    screen_range as screen_range,
)
