from .formats import reading as reading, save as save
from .formats.positions import read_position as read_position
from .formats.registry import Format as Format, format_named as format_named, format_of as format_of
from .records import GameRecord as GameRecord, PuzzleRecord as PuzzleRecord
from .store import Store as Store
