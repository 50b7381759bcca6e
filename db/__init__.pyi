from .file import DatabaseError as DatabaseError
from .formats import (
    Format as Format,
    FormatError as FormatError,
    format_named as format_named,
    format_of as format_of,
    read_position as read_position,
    reading as reading,
    save as save,
)
from .records import GameRecord as GameRecord, PuzzleRecord as PuzzleRecord
from .store import Store as Store
